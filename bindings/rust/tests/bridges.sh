#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bridges.sh - tests, clippy and rustfmt of the crates for log and tracing.  The
# crates depend on Debian's crates (librust-log-dev, librust-tracing-dev,
# librust-tracing-subscriber-dev).
#
# The test reads SYSCAP_SOURCE, CARGO, CARGO_TARGET_DIR.
set -eu
registry=/usr/share/cargo/registry
for crate in log tracing tracing-subscriber; do
	set -- "$registry/$crate"-[0-9]*
	if [ ! -d "$1" ]; then
		echo "skip: there is no librust-$crate-dev"
		exit 77
	fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# cargo writes a lock file beside the sources
cp -r "$SYSCAP_SOURCE/bindings/rust" "$work/rust"
mkdir "$work/.cargo"
cat >"$work/.cargo/config.toml" <<END
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "$registry"
END
export RUSTDOCFLAGS="-D warnings"
for bridge in log tracing; do
	cd "$work/rust/$bridge"
	"$CARGO" --offline test
	"$CARGO" --offline doc --no-deps
	if "$CARGO" clippy --version >/dev/null 2>&1; then
		"$CARGO" --offline clippy --all-targets -- -D warnings
	fi
	if "$CARGO" fmt --version >/dev/null 2>&1; then
		"$CARGO" fmt --check
	fi
	"$CARGO" --offline package --list --allow-dirty | grep -x LICENSE
done
