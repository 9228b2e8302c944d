#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dump/json.sh - one object per frame, with the format's names as keys.
. "$(dirname "$0")/../transcript.sh"
run dump --json everything.syscap
run dump --json everything_big.syscap
run dump --json limits.syscap
run dump --json foreign.syscap
finish
