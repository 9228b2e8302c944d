#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat/text.sh - the tables, in both byte orders.
. "$(dirname "$0")/../transcript.sh"
run stat everything.syscap
run stat --all --threads --tree everything.syscap
run stat --slowest 1 everything.syscap
run stat everything_big.syscap
run stat header_only.syscap
run stat numbers.syscap
run stat limits.syscap
finish
