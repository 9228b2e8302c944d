#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# diff/usage.sh - wrong use, incomparable captures, and captures with nothing to
# compare.
. "$(dirname "$0")/../transcript.sh"
run diff --help
run diff
run diff everything.syscap
run diff everything.syscap numbers.syscap limits.syscap
run diff everything.syscap --
run diff -- everything.syscap
run diff --fail-above 5 everything.syscap numbers.syscap
run diff --fail-above 5%: everything.syscap numbers.syscap
run diff --min lots everything.syscap numbers.syscap
run diff --json --markdown everything.syscap numbers.syscap
run diff --from soon everything.syscap numbers.syscap
run diff missing.syscap everything.syscap
run diff header_only.syscap header_only.syscap
run diff header_only.syscap everything.syscap
run diff --of leaked header_only.syscap header_only.syscap
run diff --of blocked header_only.syscap everything.syscap
run diff --from 100s everything.syscap everything.syscap
run diff --to 1ns everything.syscap numbers.syscap
run diff torn.syscap everything.syscap
run diff --mark no/such everything.syscap everything.syscap
run diff --all everything.syscap everything_big.syscap
run diff everything.syscap -- everything.syscap --all --by-share --total
run diff everything.syscap everything.syscap -- everything.syscap
run diff --markdown --all everything.syscap -- everything.syscap everything.syscap
run diff --json everything.syscap -- everything.syscap everything.syscap
run diff --fail-above '5%:prase' --fail-above '5%:parse' --fail-above 5% \
	--fail-above '5%:render/f*' --fail-above '5%:frame' everything.syscap \
	everything.syscap
finish
