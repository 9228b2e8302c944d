# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1091,SC2034,SC2164,SC2016
# rust.sh - the crate from its directory, and as cargo's package.
README=/syscap/bindings/rust/README.md
. /user/fresh/typed.sh
packages 'cargo pkg-config'
mkdir -p /user/demo/src /user/demo/path
ln -s /syscap /user/demo/path/to
cd /user/demo

# uses DEPENDENCY: checks that a program with that line in its Cargo.toml
# records
uses() {
	cat >Cargo.toml <<-END
		[package]
		name = "demo"
		version = "0.1.0"
		edition = "2021"

		[dependencies]
		$1
	END
	{ block 2; echo 'fn main() { (0..4).for_each(draw); }'; } >src/main.rs
	cargo build --release --offline
	typed 'syscap record -- target/release/demo'
	typed 'syscap stat capture.syscap'
	recorded capture.syscap 'demo +draw' 'demo +odd' 'demo +frames'
	rm capture.syscap
}

has '[dependencies] syscap = { path = "path/to/bindings/rust" }'
uses 'syscap = { path = "path/to/bindings/rust" }'

echo '$ cargo package'
(cd /syscap/bindings/rust && CARGO_TARGET_DIR=/user/target \
	cargo package --offline --allow-dirty)
tar -xzf /user/target/package/syscap-*.crate -C /user
test -e /user/syscap-*/LICENSE
rm -rf target Cargo.lock
uses "syscap = { path = \"$(echo /user/syscap-*[0-9])\" }"

cd /syscap/bindings/rust
CARGO_TARGET_DIR=/user/target cargo build --release --offline --example mill
SYSCAP_SAMPLE=1000 syscap record -o /user/story.syscap -- \
	/user/target/release/examples/mill 1000
recorded /user/story.syscap 'mill +'

echo '$ the layer for tracing, with the crates of Debian'
apt-get install -q -y librust-tracing-dev librust-tracing-subscriber-dev
mkdir -p /user/layer/src /user/layer/path /user/layer/.cargo
cd /user/layer
ln -s /syscap path/to
printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\n%s\n' \
	'directory = "/usr/share/cargo/registry"' >.cargo/config.toml
{
	printf '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n'
	block 5
} >Cargo.toml
{
	echo 'fn main() {'
	block 1
	echo 'let span = tracing::info_span!("draw", frame = 3);'
	echo 'span.in_scope(|| tracing::info!("drawn"));'
	echo '}'
} >src/main.rs
cargo build --release --offline
typed 'syscap record -- target/release/demo'
recorded capture.syscap 'demo +draw'
