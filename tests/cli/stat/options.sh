#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat/options.sh - senseless values of options are refused.
. "$(dirname "$0")/../transcript.sh"
for option in --functions=0 --functions=x --top=0 --sort=weight --sort= --min=1 --min=101% --from=later \
	--to=1h --pid=0 --function='(' --drop='[' --focus='*(' --mark=/x --thread= \
	--longer-than=5 --longer-than=-5ms --slowest=0 --slowest=0% --slowest; do
	run stat $option everything.syscap
done
run stat --from 5ms --to 4ms everything.syscap
run stat --to 4ms --from 5ms everything.syscap
run stat --from 4ms --to 4ms --top 1 everything.syscap
run stat --mark nothing everything.syscap
run stat --mark render/frame --from 2s everything.syscap
run stat --pid 12345 --tree --threads everything.syscap
run stat --of leaked header_only.syscap
run stat --tree header_only.syscap
finish

# Deeper than any stack
deep=$(printf '%100000s' '' | tr ' ' '(')
status=0
"$SYSCAP" stat --function="$deep" everything.syscap 2>"$work/err" || status=$?
[ $status = 2 ]
grep -q 'expression of up to 4096 bytes' "$work/err"
