#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_io.sh - `syscap record --io` has every blocking call, with its object
# and its stack; programs behave as without --io.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
dir=$(mktemp -d)
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/record_io
mkfifo fifo

fail() {
	echo "$*"
	exit 1
}

# marks CAPTURE GROUP - "CALL WHAT" of each mark, in order of time
marks() {
	"$SYSCAP" stat --mark "$2" --slowest 100000 --all --json "$1" >"$1.json"
	python3 - "$1.json" <<-'END'
		import json, sys
		marks = json.load(open(sys.argv[1]))["slowest_marks"]
		marks.sort(key=lambda mark: mark["time_ns"])
		for mark in marks:
		    print(mark["name"], mark["message"])
	END
}

# in_order EXPECTED SEEN - SEEN contains all lines of EXPECTED, in that order
in_order() {
	awk 'BEGIN { i = n = 0 }
		NR == FNR { want[n++] = $0; next }
		i < n && $0 == want[i] { i++ }
		END { if (i < n) { print "missing: " want[i]; exit 1 } }' "$1" "$2"
}

# Each call that blocks, on the main thread and on another
for thread in main thread; do
	"$SYSCAP" record -q --io=2ms,waits -o calls.syscap -- \
		"$program" "$dir" $thread >expected
	[ "$(wc -l <expected)" = 20 ] || fail "$thread: $(cat expected)"
	"$SYSCAP" check calls.syscap >/dev/null
	group=io
	[ $thread = thread ] || group=io-main
	marks calls.syscap $group >seen
	in_order expected seen || fail "$thread: $(cat seen)"
	# and the stack of the mark, with the call as innermost function
	"$SYSCAP" export --format folded --of blocked calls.syscap >stacks 2>err
	while read -r call what; do
		grep -q "block_everywhere;\(.*;\)*$call [0-9]*$" stacks ||
			fail "$thread: no stack of $call: $(cat stacks)"
	done <expected
	# Other exports state the number of these stacks
	n=$("$SYSCAP" dump --type sample calls.syscap | grep -c ' blocked for ')
	"$SYSCAP" export --format folded calls.syscap >stacks 2>err
	grep -q "note: omitted $n stacks of calls that blocked; --of=blocked" \
		err || fail "folded: $n stacks, but $(cat err)"
	"$SYSCAP" export --format firefox calls.syscap >stacks 2>err
	grep -q "note: omitted $n stacks of calls that blocked, which the format" err ||
		fail "firefox: $n stacks, but $(cat err)"
	# which dump shows with the names of its own process
	"$SYSCAP" dump --type sample calls.syscap >shown
	grep -q ' blocked for [0-9]' shown && grep -q block_everywhere shown ||
		fail "$thread: $(cat shown)"
	rm calls.syscap*
done

# Stacks of waits and allocations have no frame of syscap, inlined or not. In
# samples by wall time, waits are not in syscap's functions
lines=--lines
"$SYSCAP" record -q --lines -o calls.syscap -- true 2>/dev/null || lines=
rm -f calls.syscap*
"$SYSCAP" record -q $lines --sample=1000,wall --io=2ms,waits --memory \
	-o calls.syscap -- "$program" "$dir" main >expected
for of in blocked allocated samples; do
	"$SYSCAP" stat --json --of $of --functions 100000 calls.syscap >seen
	python3 - $of seen <<-'END' || fail "--of $of has syscap's frames"
		import json, sys
		of, file = sys.argv[1:]
		hot = json.load(open(file))["hot"]
		ours = [f for f in hot["functions"] if "libsyscap-" in (f["binary"] or "")]
		if of == "samples":
		    sys.exit(sum(f["self"] for f in ours) * 4 > hot["total"])
		sys.exit(str(ours) if ours or hot["total"] == 0 else 0)
	END
done
rm calls.syscap*

# Waits count as blocking calls only on request
"$SYSCAP" record -q --no-symbols --io=2ms -o few.syscap -- \
	"$program" "$dir" main >expected
marks few.syscap io-main >seen
! grep -q poll seen || fail "waits: $(cat seen)"
rm few.syscap*

# Calls in unusual contexts, also with all collectors
for more in --no-symbols "--sample=1000,wall --memory --stalls --stderr --counters"; do
	"$SYSCAP" record -q --no-symbols --io=2ms $more -o odd.syscap -- \
		"$program" "$dir" odd >expected || fail "odd: $?"
	marks odd.syscap io-main >seen
	in_order expected seen || fail "odd: $(cat seen)"
	rm odd.syscap*
done

# Names and streams that the call itself does not use, or overwrites
"$SYSCAP" record -q --no-symbols --io=1us -o odd.syscap -- \
	"$program" "$dir" names || fail "names: $?"
rm odd.syscap*

status=0
"$SYSCAP" record -q --no-symbols --io=1us --stalls=5ms -o odd.syscap -- \
	"$program" "$dir" strict >seen || status=$?
[ $status = 3 ] && [ "$(cat seen)" = strict ] || fail "strict: $status"
rm odd.syscap*

# Programs that refuse preloading are reported
cc=${CC:-cc}
echo 'int main(void) { return 0; }' >alone.c
if "$cc" -static -o alone alone.c 2>/dev/null; then
	"$SYSCAP" record -q --io --stalls -o alone.syscap -- ./alone 2>err
	grep -q 'no calls that blocked of the command: .*static' err &&
		grep -q 'no stalls of the command: .*static' err ||
		fail "a static program: $(cat err)"
	rm alone.syscap*
fi
"$SYSCAP" record -q --io --stalls -o heard.syscap -- true 2>err
! grep -q 'of the command' err || fail "true: $(cat err)"
rm heard.syscap*

# Unreadable pointers are no paths, times or sets
for options in '--io=1us' '--io=1us,waits --stalls=1ms' '--sample=1000' \
	'--sample=5000,wall' '--sample=1000,wall --io --stalls --memory'; do
	# shellcheck disable=SC2086
	"$SYSCAP" record -q $options -o bad.syscap -- "$program" "$dir" bad ||
		fail "bad pointers, $options: $?"
	rm bad.syscap*
done

# Bad values
for value in 0 x 999ns 3601s 1ms,wait ''; do
	status=0
	"$SYSCAP" record -o bad.syscap "--io=$value" -- true 2>err || status=$?
	[ $status = 2 ] || fail "--io=$value: $status"
	grep -q -- "--io: '$value' is not a time" err
done
SYSCAP_DEBUG=1 SYSCAP_IO=x LD_PRELOAD=$("$SYSCAP" record -q --no-symbols --io \
	-o env.syscap -- sh -c 'echo $LD_PRELOAD') sh -c : 2>err
grep -q "blocking calls are not recorded: SYSCAP_IO must be" err || fail "$(cat err)"
