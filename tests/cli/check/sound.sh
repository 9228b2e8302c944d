#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check/sound.sh - captures without problems.
. "$(dirname "$0")/../transcript.sh"
run check everything.syscap everything_big.syscap header_only.syscap
run check foreign.syscap
run check --json everything.syscap foreign.syscap
finish
