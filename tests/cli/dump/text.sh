#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dump/text.sh - one readable line per frame; no text contains a line break.
. "$(dirname "$0")/../transcript.sh"
run dump everything.syscap
run dump everything_big.syscap
run dump limits.syscap
run dump foreign.syscap
finish
