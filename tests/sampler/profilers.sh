#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profilers.sh LIBRARY - profilers of language runtimes, which use SIGPROF, get
# as many samples with syscap's sampler as without: samples per second of
# processor time, best of three, within 10 %.
set -u
library=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ran=0 failed=0

if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: the library can't be preloaded with a sanitizer in it"
	exit 77
fi

# most COMMAND...: prints the largest number of three runs
most() {
	best=0
	for turn in 1 2 3; do
		n=$("$@")
		[ "${n:-0}" -gt "$best" ] && best=$n
	done
	echo "$best"
}

beside() {
	LD_PRELOAD=$library SYSCAP_SAMPLE=1000 \
		SYSCAP_OUTPUT="$dir/capture" "$@"
}

# compare NAME COMMAND...
compare() {
	name=$1
	shift
	ran=1
	alone=$(most "$@")
	both=$(most beside "$@")
	ours=$(ls "$dir" | grep -c '^capture')
	echo "$name: $alone samples alone, $both beside us"
	if [ "$alone" -eq 0 ] || [ "$ours" -eq 0 ] ||
	   [ $((both * 10)) -lt $((alone * 9)) ] ||
	   [ $((both * 10)) -gt $((alone * 11)) ]; then
		failed=1
	fi
	rm -f "$dir"/capture*
}

if command -v node >/dev/null; then
	cat >"$dir/busy.js" <<'END'
const end = process.cpuUsage().user + 1500000;
let x = 0;
while (process.cpuUsage().user < end)
	for (let i = 0; i < 1e6; i++)
		x = (x * 31 + i) | 0;
END
	by_node() {
		rm -f "$dir"/*.cpuprofile
		node --cpu-prof --cpu-prof-dir="$dir" "$dir/busy.js" &&
			node -e 'const p = JSON.parse(require("fs").readFileSync(
				process.argv[1]));
				console.log(p.samples.length);' \
				"$dir"/*.cpuprofile
	}
	compare "node --cpu-prof" by_node
fi
if command -v luajit >/dev/null; then
	cat >"$dir/busy.lua" <<'END'
local n = 0
require("jit.profile").start("i4", function(_, samples) n = n + samples end)
local x, finish = 0, os.clock() + 1.5
while os.clock() < finish do
	for i = 1, 1e6 do x = (x * 31 + i) % 65536 end
end
require("jit.profile").stop()
print(n)
END
	by_luajit() { luajit "$dir/busy.lua"; }
	compare "LuaJIT's profiler" by_luajit
fi
[ $ran = 1 ] || { echo "skip: neither node nor luajit is here"; exit 77; }
exit $failed
