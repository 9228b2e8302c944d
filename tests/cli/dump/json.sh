#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dump/json.sh - an object a frame, keys as the format names them.
. "$(dirname "$0")/../transcript.sh"
run dump --json everything.syscap
run dump --json everything_big.syscap
run dump --json limits.syscap
run dump --json foreign.syscap
finish
