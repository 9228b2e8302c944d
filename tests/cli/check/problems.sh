#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check/problems.sh - every problem is reported with its place.
. "$(dirname "$0")/../transcript.sh"
run check wrong.syscap
run check unfit.syscap
run check numbers.syscap
run check limits.syscap
run check torn.syscap torn_content.syscap zero_length.syscap odd_length.syscap
run check header_losses.syscap header_losses_torn.syscap
run check --json wrong.syscap torn.syscap
finish
