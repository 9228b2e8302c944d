#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# soak.sh BUILD DIRECTORY SECONDS RUNTIME... - a soak of each runtime by samples
# at 20,000 ticks per second of wall time, for SECONDS, while the runtime makes,
# moves and discards code.
#
#	RUNTIME	python=PROGRAM node lua5.4 luajit luajit-native gjs
#
# luajit is LuaJIT's own profiler, with at most 1,000 ticks of processor time.
# luajit-native is the sampler that `syscap record --sample` preloads.  The
# runtime must end with 0 after its time, no ring may be malformed, and `syscap
# check` must find nothing.  Samples must name the script's functions (gjs and
# luajit-native have native stacks).  Captures of failures stay in DIRECTORY.
# shellcheck disable=SC2054 # commas are of values
set -u
[ $# -gt 3 ] || {
	echo "usage: soak.sh BUILD DIRECTORY SECONDS RUNTIME..." >&2
	exit 2
}
build=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
seconds=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
bindings=$here/..
SYSCAP=$build/bin/syscap
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT LUA_PATH LUA_CPATH
failed=0

make_python() {
	(cd "$bindings/python/tests" && PYTHONDONTWRITEBYTECODE=1 \
		PYTHONPATH=. SYSCAP=$SYSCAP python3 -c \
		'import test_churn; print(test_churn.CHURN)')
}
make_lua() {
	[ -z "$1" ] || {
		echo 'local syscap = require "syscap"'
		echo "local sampling = assert(syscap.sampling{ $1 })"
	}
	echo "local begun, seconds = os.time(), 5"
	echo "while os.time() - begun < $seconds do"
	lua5.4 -e "package.path = '$bindings/lua/tests/?.lua'
		print(require('programs').work)"
	echo "end"
}
make_gjs() {
	cat <<-END
		import Syscap from 'gi://Syscap?version=1';
		import GLib from 'gi://GLib';
		const end = GLib.get_monotonic_time() + $seconds * 1e6;
		let n = 0, sum = 0;
		const work = Syscap.traced('soak', 'work', made => {
		    for (let i = 0; i < 200; i++) sum += made(i);
		});
		while (GLib.get_monotonic_time() < end) {
		    work(new Function('x', \`return [x, \${n % 97}].map(y => y * 2)[0]\`));
		    if (++n % 2000 === 0) imports.system.gc();
		}
	END
}

# soak RUNTIME: prints its time and result
soak() {
	local runtime=$1 name status=0 closed samples named pattern
	local -a command options=()
	name=$(basename "${runtime/=/-}")
	[ "${runtime#python=}" = "$runtime" ] ||
		name=python-$("${runtime#python=}" -c \
			'import platform; print(platform.python_version())')
	local program=$folder/$name.program
	case $runtime in
	python=*)
		make_python >"$program"
		pattern='churn'
		command=(env PYTHONPATH="$build/bindings/python/packages/${name#python-}"
			"${runtime#*=}" "$program" "$seconds")
		;;
	node)
		node -p "require('$bindings/node/tests/busy.js').PROGRAM" >"$program"
		pattern='dyn_[0-9]+'
		command=(env NODE_PATH="$build/bindings/node/node_modules"
			SYSCAP_SAMPLE=20000,wall node --expose-gc -r syscap/v8
			"$program" "${seconds}000" churn)
		;;
	lua5.4)
		make_lua 'hz = 20000, clock = "wall"' >"$program"
		pattern='alpha \('
		command=(env LUA_PATH="$build/bindings/lua/5.4/?.lua"
			LUA_CPATH="$build/bindings/lua/5.4/?.so" lua5.4 "$program")
		;;
	luajit)
		make_lua 'hz = 1000' >"$program"
		pattern='alpha \('
		command=(env LUA_PATH="$build/bindings/lua/5.1/?.lua"
			LUA_CPATH="$build/bindings/lua/5.1/?.so" luajit "$program")
		;;
	luajit-native)
		make_lua '' >"$program"
		pattern='lj_|luajit'
		options=(--sample=20000,wall)
		command=(luajit "$program")
		;;
	gjs)
		make_gjs >"$program"
		pattern='mozjs|gjs'
		command=(env LD_LIBRARY_PATH="$build/bindings/gi"
			GI_TYPELIB_PATH="$build/bindings/gi"
			GJS_PATH="$build/bindings/gi/gjs"
			SYSCAP_SAMPLE=20000,wall gjs -m "$program")
		;;
	*)
		echo "soak.sh: what is $runtime?" >&2
		exit 2
		;;
	esac
	SECONDS=0
	"$SYSCAP" record --force --ring-kib=4096 "${options[@]}" \
		-o "$folder/$name.syscap" -- "${command[@]}" \
		>"$folder/$name.out" 2>"$folder/$name.log" || status=$?
	local took=$SECONDS
	closed=$(grep -oE '[0-9,]+ malformed ring' "$folder/$name.log" || echo 0)
	"$SYSCAP" check "$folder/$name.syscap" >"$folder/$name.check" 2>&1 ||
		status=check
	"$SYSCAP" stat --functions=3000 "$folder/$name.syscap" \
		>"$folder/$name.stat" 2>&1 || status=stat
	named=$(grep -cE -- "$pattern" "$folder/$name.stat")
	samples=$(grep -oE '[0-9,]+ samples' "$folder/$name.log" | head -n 1)
	echo "$name: status $status after $took s, ${samples:-no samples}," \
		"rings closed: $closed, $(grep -oE '[0-9,]+ frames? lost' \
			"$folder/$name.log" || echo none lost)," \
		"$named lines name $pattern," \
		"$(du -m "$folder/$name.syscap" | cut -f 1) MiB"
	if [ "$status" = 0 ] && [ "$closed" = 0 ] && [ "$named" -gt 0 ] &&
		[ "$took" -ge "$seconds" ] && [ -n "$samples" ]; then
		rm -f "$folder/$name.syscap"
	else
		echo "FAIL  $name"
		failed=1
	fi
}

for runtime; do
	soak "$runtime"
done
exit $failed
