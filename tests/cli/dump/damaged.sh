#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dump/damaged.sh - frames before and after the damage are printed.
. "$(dirname "$0")/../transcript.sh"
run dump torn_content.syscap
run dump --json zero_length.syscap
run dump unfit.syscap
finish
