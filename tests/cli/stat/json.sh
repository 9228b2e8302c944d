#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat/json.sh - the output of stat as JSON.
. "$(dirname "$0")/../transcript.sh"
run stat --json everything.syscap
run stat --json everything_big.syscap
run stat --json header_only.syscap
run stat --json numbers.syscap
run stat --json limits.syscap
finish
