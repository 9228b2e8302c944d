#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check/strict.sh - with --strict a note is a problem.
. "$(dirname "$0")/../transcript.sh"
run check --strict everything.syscap
run check --strict foreign.syscap
run check --strict --json foreign.syscap
finish
