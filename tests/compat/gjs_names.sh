#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gjs_names.sh DIRECTORY - GJS names the same functions in a profile with syscap's
# library and with the reference.
#
# DIRECTORY is the directory of consumers.sh, which builds GJS with both libraries.
# The test has the same needs: root, the network, time and space.
# GJS_NAMES_BUILT=yes uses existing builds, without a check for a newer library.
#
# Each library profiles a script several times, as a short function is not in
# every profile.  A function in the samples of all runs with one library must
# be in some run with the other library. The functions with most of the
# script's time must be in all runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: gjs_names.sh DIRECTORY" >&2; exit 2; }
mkdir -p "$1"
work=$(cd "$1" && pwd)
runs=4
export LC_ALL=C.UTF-8
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD GJS_TRACE_FD GJS_ENABLE_PROFILER \
	GJS_DISABLE_JIT SYSCAP_OUTPUT

# Ignores consumers.sh's findings in other recordings.
if [ "${GJS_NAMES_BUILT:-}" != yes ]; then
	for library in ours reference; do
		status=0
		CONSUMERS_LIBRARY=$library "$here/consumers.sh" "$work" gjs \
			>"$work/gjs_names.$library.log" 2>&1 || status=$?
		[ $status != 77 ] || { tail -n 1 "$work/gjs_names.$library.log"; exit 77; }
	done
fi
SYSCAP=$work/prefix/bin/syscap
out=$work/gjs_names
rm -rf "$out"
mkdir -p "$out"

# profile LIBRARY RUN JIT: runs GJS's own profiler; writes the names in samples,
# one per line
profile() {
	local build=$work/$1 name=$out/$1.$3.$2
	local -a environment=(LD_LIBRARY_PATH="$work/$1/gjs:$work/$1/glib-prefix/lib"
		GI_TYPELIB_PATH="$work/$1/gjs")
	[ "$3" = jit ] || environment+=(GJS_DISABLE_JIT=1)
	env "${environment[@]}" "$build/gjs/gjs-console" \
		--profile="$name.syscap" "$here/consumer_busy.js" \
		>"$name.log" 2>&1 || { cat "$name.log"; exit 1; }
	{
		"$SYSCAP" dump --json --type jitmap "$name.syscap"
		"$SYSCAP" dump --json --type sample "$name.syscap"
	} | awk -f "$here/consumer_samples.awk" >"$name.samples"
	sed -n 's/^in \(.*\) [0-9]*$/\1/p' "$name.samples" | sort >"$name.names"
}

# of LIBRARY JIT: the names in all runs; the names in any run
in_all() {
	sort "$out/$1.$2."*.names | uniq -c |
		awk -v n=$runs '$1 == n { sub(/^ *[0-9]+ /, ""); print }'
}
in_any() { sort -u "$out/$1.$2."*.names; }

failed=0
for jit in jit nojit; do
	for run in $(seq $runs); do
		for library in ours reference; do
			[ -x "$work/$library/gjs/gjs-console" ] ||
				{ tail -n 20 "$work/gjs_names.$library.log"; exit 1; }
			profile $library "$run" $jit
		done
	done
	for pair in 'ours reference' 'reference ours'; do
		read -r one other <<<"$pair"
		missing=$(comm -23 <(in_all "$one" $jit) <(in_any "$other" $jit))
		n=$(in_all "$one" $jit | wc -l)
		if [ -n "$missing" ]; then
			echo "FAIL  $jit: $one names what $other does not:" "${missing//$'\n'/, }"
			failed=1
		else
			echo "ok    $jit: $n names of $one, all of them of $other"
		fi
	done
done
for name in leafHash alpha beta driver garbage js::RunScript; do
	for library in ours reference; do
		in_all $library nojit | grep -qxF "$name" || {
			echo "FAIL  nojit: $library does not name $name"
			failed=1
		}
	done
done
# The reason for docs/spidermonkey.md: without the JIT, the name is in nearly
# all samples
for library in ours reference; do
	for jit in nojit jit; do
		awk -v library=$library -v jit=$jit '
			$1 == "samples" { all += $2 }
			$1 == "in" && $2 == "leafHash" { n += $3 }
			END { printf "%s, %s: leafHash in %d of %d samples\n",
				library, jit, n, all }' "$out/$library.$jit."*.samples
	done
done
exit $failed
