#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# import/samples.sh - samples and names of imported texts, and invalid lines.
. "$(dirname "$0")/../transcript.sh"
here=$(cd "$(dirname "$expected")" && pwd)
cd "$work"
run import --help
run import
run import --format pictures
run import --format folded one two
run import -f folded missing
run import -f perf-script -o perf.syscap "$here/perf.txt"
run export -f folded perf.syscap
run stat perf.syscap
run check perf.syscap
run import -f perf-script -o perf.syscap "$here/perf.txt"
printf 'main;work 3\nmain 2\n\n[stack cut];deep;er 1\n[no stack] 4\n' >stacks
printf '[stack incomplete];a "q" =x </script> ]]> 40000000\n' >>stacks
run import -f folded -o folded.syscap stacks
run export -f folded folded.syscap
run check folded.syscap
run import -f folded -o stacks stacks
printf 'main 1\nwork 2\nwork\n' >bad
run import -f folded -o bad.syscap bad
run export -f folded bad.syscap
printf 'main 1x\n' >bad
run import -f folded -o bad2.syscap bad
printf 'main;;a 1\n' >bad
run import -f folded -o bad3.syscap bad
printf 'main 99999999999999999999\n' >bad
run import -f folded -o bad4.syscap bad
printf 'p 1 2.5: x:\n\t 12 main+0x1 (/p)\n\nnonsense\n' >bad
run import -f perf-script -o bad5.syscap bad
run export -f folded bad5.syscap
printf 'dd 1 2.5: 100 x: 12 main+0x1 (/p)\n 2/3 [001] 2.6: 900 x: ab f (/p)\n' \
	>periods
printf 'p 1 2.7: 200 x:\n\tab f (/p)\n\t  f.c:12\n\t12 main (/p)\n' >>periods
run import -f perf-script -o periods.syscap periods
run export -f folded periods.syscap
"$SYSCAP" export -f folded periods.syscap >folded_periods
cat periods | "$SYSCAP" import -f perf-script - 2>/dev/null |
	"$SYSCAP" export -f folded - | cmp - folded_periods
# Periods of clocks are times, if all periods have the same rate
for period in 500000 1001001 1001000; do
	for event in task-clock:u cpu-clock cpu-clocks; do
		printf 'p 1 2.5: %s %s: 12 main (/p)\n' $period $event >clock
		printf 'p 1 2.7: %s %s: 12 main (/p)\n' $((3 * period)) $event >>clock
		echo "$period $event: $("$SYSCAP" import -f perf-script clock |
			"$SYSCAP" stat - | grep '^Hot')" >>transcript
	done
done
printf 'p 1 99999999999.5: x:\n' >bad
run import -f perf-script -o bad6.syscap bad
printf 'p 1 9.5: no colon\n' >bad
run import -f perf-script -o bad7.syscap bad
: >empty
run import -f perf-script -o empty.syscap empty
run check empty.syscap
# bytes that are no text, and control characters
printf 'nul\000;\033[31m;\342\200\256rtl;\377\376 1\n' >hostile
run import -f folded -o hostile.syscap hostile
run export -f folded hostile.syscap
run import -f folded -o folder.syscap .
head -c 17000000 /dev/zero | tr '\000' x >long
run import -f folded -o long.syscap long
# one line that would take 8 GB
{
	head -c 2000 /dev/zero | tr '\000' x | sed 's/xx/x;/g'
	echo "x 17592186044416"
} >large
run import -f folded -o large.syscap large
run import -f folded -o stacks.txt bad7.syscap
printf keep >text
run import -f folded -o text stacks
run import -f folded -o no/such/folder stacks
run import -f folded -o /dev/full stacks
"$SYSCAP" import -f folded - <stacks | "$SYSCAP" export -f folded - >out
"$SYSCAP" export -f folded folded.syscap | cmp - out
sed -i "s,$work,WORK,g; s,$here,HERE,g; s/recorded   .*/recorded/" \
	"$work/transcript"
finish
