#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat/damaged.sh - readable frames are shown, and damage is reported.
. "$(dirname "$0")/../transcript.sh"
run stat torn.syscap
run stat torn_content.syscap
run stat zero_length.syscap
run stat odd_length.syscap
run stat unfit.syscap
run stat --json torn_content.syscap
run stat --json unfit.syscap
finish
