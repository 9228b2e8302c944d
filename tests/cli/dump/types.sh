#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dump/types.sh - --type selects, may be repeated, and knows its names.
. "$(dirname "$0")/../transcript.sh"
run dump --type mark everything.syscap
run dump --type log --type=mark --json everything.syscap
run dump --type unknown foreign.syscap
run dump --type unknown everything.syscap
run dump --type Mark everything.syscap
run dump --type '' everything.syscap
run dump --type
finish
