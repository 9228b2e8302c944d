#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dump/text.sh - a readable line a frame; no text leaves its line.
. "$(dirname "$0")/../transcript.sh"
run dump everything.syscap
run dump everything_big.syscap
run dump limits.syscap
run dump foreign.syscap
finish
