#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# lints.sh - clippy, rustdoc and rustfmt of the crate.
#
# The test reads SYSCAP_SOURCE, CARGO, CARGO_TARGET_DIR.
set -eu
manifest=$SYSCAP_SOURCE/bindings/rust/Cargo.toml

RUSTDOCFLAGS="-D warnings" "$CARGO" --offline --locked doc --no-deps \
	--manifest-path "$manifest"
if "$CARGO" clippy --version; then
	"$CARGO" --offline --locked clippy --all-targets \
		--manifest-path "$manifest" -- -D warnings
	"$CARGO" --offline --locked clippy --no-default-features --lib \
		--manifest-path "$manifest" -- -D warnings
else
	echo "skip: there is no clippy (Debian: rust-clippy)"
	exit 77
fi
if "$CARGO" fmt --version; then
	"$CARGO" fmt --check --manifest-path "$manifest"
else
	echo "skip: there is no rustfmt (Debian: rustfmt)"
	exit 77
fi
