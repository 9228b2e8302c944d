#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_ends.sh - for each collector: the capture of a killed program is
# complete; with a full disk, the missing data is reported; a killed recorder
# leaves a capture that shows its missing end.  None of these harms a program.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
dir=$(mktemp -d)
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/record_ends
rounds=40
collectors='--memory --io=1us,waits --stalls=1ms --counters=hz=100 --stderr --logs'

fail() {
	echo "$*"
	exit 1
}

# has COLLECTOR CAPTURE - sets n to the number of COLLECTOR's records, one per
# round
has() {
	"$SYSCAP" stat --json --of allocated "$2" >stat
	n=$(python3 - "$1" <<-'END'
		import json, sys
		said = json.load(open("stat"))
		marks = {m["group"] + "/" + m["name"]: m["count"]
		         for m in said["marks"]}
		hot = said.get("hot", {"functions": []})["functions"]
		n = {
		    "--memory": sum(f["self"] for f in hot
		                    if f["name"] == "keep_block") // 1000,
		    "--io=1us,waits": min(marks.get("io-main/nanosleep", 0),
		                          marks.get("io-main/poll", 0)),
		    # the first iteration is before the loop is known
		    "--stalls=1ms": marks.get("loop/stall", 0) + 1,
		    "--counters=hz=100": said["frames"].get("ctrset", 0) * 100,
		    "--stderr": said["logs"].get("message", 0),
		    "--logs": said["logs"].get("info", 0),
		}
		print(n[sys.argv[1]])
	END
	)
}

# A program that kills itself, with each collector and with all
for options in $collectors "$collectors"; do
	status=0
	# shellcheck disable=SC2086
	"$SYSCAP" record -q $options -o killed.syscap -- \
		"$program" $rounds kill >out 2>err || status=$?
	[ $status = 137 ] || fail "$options: $status: $(cat err)"
	[ "$(cat out)" = "$rounds rounds" ] || fail "$options: $(cat out)"
	[ "$(grep -c '^line ' err)" = $rounds ] || fail "$options: $(cat err)"
	"$SYSCAP" check killed.syscap >checked || fail "$(cat checked)"
	for one in $options; do
		has "$one" killed.syscap
		[ "$n" -ge $rounds ] ||
			fail "$options, killed: $one: $n of $rounds"
	done
	rm killed.syscap*
done

# A killed recorder: the capture has no end, and commands report that
for one in $collectors; do
	rm -f stop out
	"$SYSCAP" record -q --no-symbols "$one" -o left.syscap -- \
		sh -c "'$program' stop; echo status \$?" >out 2>err &
	recorder=$!
	i=0
	while [ "$(stat -c %s left.syscap 2>/dev/null || echo 0)" -lt 12000 ]; do
		i=$((i + 1))
		[ $i -lt 1200 ] || fail "$one: nothing is recorded"
		sleep 0.05
	done
	kill -9 $recorder
	wait $recorder 2>waited || true
	touch stop
	i=0
	until grep -q status out; do
		i=$((i + 1))
		[ $i -lt 1200 ] || fail "$one: the program does not end"
		sleep 0.05
	done
	done=$(sed -n 's/ rounds//p' out)
	grep -q 'status 7' out || fail "$one: $(cat out)"
	# The tee process may pass on standard error later
	i=0
	until [ "$(grep -c '^line ' err)" = "$done" ]; do
		i=$((i + 1))
		[ $i -lt 1200 ] || fail "$one: $done lines: $(cat err)"
		sleep 0.05
	done
	"$SYSCAP" check left.syscap >checked || fail "$one: $(cat checked)"
	grep -q 'the capture has no end time' checked || fail "$one: $(cat checked)"
	rm left.syscap*
done

# A full disk
own='unshare -m'
[ "$(id -u)" = 0 ] || own='unshare -rm'
mkdir disk
cat >on_small_disk <<-'END'
	program=$1 rounds=$2
	shift 2
	mount -t tmpfs -o size=12k none disk || exit 77
	status=0
	"$@" -- "$program" "$rounds" exit >out 2>err || status=$?
	cp disk/full.syscap kept.syscap
	exit $status
END
for one in $collectors; do
	status=0
	$own sh on_small_disk "$program" 400 "$SYSCAP" record --no-symbols \
		"$one" -o disk/full.syscap || status=$?
	[ $status != 77 ] || {
		echo "skipped: a full disk: no tmpfs can be mounted here"
		exit 77
	}
	[ $status = 125 ] || fail "$one, full: $status: $(cat err)"
	[ "$(cat out)" = "400 rounds" ] || fail "$one, full: $(cat out)"
	[ "$(grep -c '^line ' err)" = 400 ] || fail "$one, full: $(cat err)"
	grep -q 'No space left on device; the recording ends, the command continues' \
		err || fail "$one, full: $(cat err)"
	"$SYSCAP" check kept.syscap >checked || fail "$one: $(cat checked)"
	# The number of missing records is reported
	lost=$(sed -n 's/.*: not written: \([0-9,]*\) more .*/\1/p' err | tr -d ,)
	has "$one" kept.syscap
	[ "$one" = --counters=hz=100 ] || [ $((n + lost)) -ge 400 ] ||
		fail "$one, full: $n and $lost"
	[ "${lost:-0}" -gt 0 ] || fail "$one, full: no loss is reported"
	rm kept.syscap
done
