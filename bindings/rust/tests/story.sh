#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# story.sh COMMAND... - a build of the larger example, and a run of COMMAND,
# which records it.
#
# The script reads SYSCAP_SOURCE, CARGO, CARGO_TARGET_DIR.
set -eu
"$CARGO" --offline --locked build --quiet --release --example mill \
	--manifest-path "$SYSCAP_SOURCE/bindings/rust/Cargo.toml"
exec "$@"
