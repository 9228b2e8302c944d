#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export/usage.sh - wrong use, small captures, and unsupported data.
. "$(dirname "$0")/../transcript.sh"
run export --help
run export everything.syscap
run export --format pictures everything.syscap
run export --format csv everything.syscap
run export --format csv --table all everything.syscap
run export --format folded --table marks everything.syscap
run export --format folded
run export --format pprof --of leaked everything.syscap
run export --format folded --of allocated everything.syscap
run export --format folded missing.syscap
run export --format folded everything.syscap
run export --format folded everything_big.syscap
run export --format speedscope header_only.syscap
run export --format folded header_only.syscap
run export --format folded --of blocked everything.syscap
run export --format csv --table losses header_only.syscap
run export --format csv --table marks everything.syscap
for table in counters logs allocations losses; do
	run export --format csv --table $table everything.syscap
done
run export --format chrome everything.syscap
run export --format csv --table functions header_only.syscap
cp everything.syscap "$work/same"
run export --format folded -o "$work/same" "$work/same"
sed -i "s,$work,WORK,g" "$work/transcript"
finish
