#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# flamegraph/usage.sh - wrong use, and captures with nothing to show.
. "$(dirname "$0")/../transcript.sh"
run flamegraph --help
run flamegraph
run flamegraph --by-self everything.syscap
run flamegraph --slowest 3 everything.syscap
run flamegraph --diff - -
run flamegraph --from soon everything.syscap
run flamegraph missing.syscap
run flamegraph header_only.syscap
run flamegraph --pid 12345 everything.syscap
run flamegraph --folded everything.syscap
run flamegraph --diff header_only.syscap everything.syscap
cp everything.syscap "$work/same"
run flamegraph -o "$work/same" "$work/same"
cmp everything.syscap "$work/same"
run flamegraph -o "$work/same" everything_big.syscap
cmp everything.syscap "$work/same"
run flamegraph -o "$work/no/where" everything.syscap
sed -i "s,$work,WORK,g" "$work/transcript"
finish
