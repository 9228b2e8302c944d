#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# package.sh - build from cargo's package, which has the licence.
#
# The test reads SYSCAP_SOURCE, CARGO, CARGO_TARGET_DIR.
set -eu
"$CARGO" --offline --locked package --allow-dirty \
	--manifest-path "$SYSCAP_SOURCE/bindings/rust/Cargo.toml"
tar -xzOf "$CARGO_TARGET_DIR"/package/syscap-*.crate --wildcards \
	'syscap-*/LICENSE' | grep "Redistribution and use"
