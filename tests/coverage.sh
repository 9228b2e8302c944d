#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# coverage.sh [LAYER...] - the tests' coverage of the code that runs in
# programs.  Builds everything for gcov in build/coverage, and runs the tests of
# the layers' directories (without LAYER: all layers of the process),
# tests/integration and tests/stress, except the longest.  Prints the number of
# lines of each layer, of covered lines, and the files with the least coverage.
# build/coverage/missed lists the lines that did not run.
#
# A file is compiled for several products (libsyscap.a, libsyscap.so, the
# preloaded libraries): a line counts if it ran in any product.  Lines that run
# in a process that is killed, or ends by _exit(), are missed.
#
# Run this script in the tree.  No test runs it: it takes half an hour on two
# cores.
set -eu
cd "$(dirname "$0")/.."
build=build/coverage
layers=${*:-os copies ring collect emit session unwind sample}
folders=$(echo "$layers" | tr ' ' '|')

cmake -S . -B $build -DCMAKE_BUILD_TYPE=Debug -DSYSCAP_BENCH=OFF \
	-DSYSCAP_BINDINGS=OFF -DCMAKE_C_FLAGS="--coverage -fprofile-update=atomic" \
	-DCMAKE_EXE_LINKER_FLAGS=--coverage \
	-DCMAKE_SHARED_LINKER_FLAGS=--coverage \
	-DCMAKE_MODULE_LINKER_FLAGS=--coverage >/dev/null
cmake --build $build -j2 >/dev/null
find $build -name '*.gcda' -delete
# Counting makes code slower and larger, and writes files at the end: tests of
# these properties fail here.
ctest --test-dir $build -LE verylong -j2 --timeout 300 \
	-R "^(integration|stress|$folders)\\." \
	-E '^stress\.(step|mutations)' >$build/tests.log 2>&1 || true
grep -E '^[0-9]*% tests passed|\*\*\*' $build/tests.log || true

find "$PWD/$build/src/CMakeFiles" -name '*.gcno' |
	grep -E "/($folders)/[^/]*\$" | LC_ALL=C sort |
	(cd $build && xargs -n1 gcov -t 2>/dev/null) | awk -F: -v root="$PWD/src/" '
	$3 == "Source" {
		file = $4
		sub(root, "", file)
		is_ours = file ~ /^[a-z]+\/[a-z_0-9]+\.c$/
		next
	}
	!is_ours || $2 + 0 == 0 { next }
	{
		gsub(/ /, "", $1)
		if ($1 == "-")
			next
		line = file ":" $2 + 0
		if (!(line in is_code))
			is_code[line] = 0
		if ($1 !~ /^[#=]/)
			is_code[line] = 1
	}
	END {
		for (line in is_code)
			print line, is_code[line]
	}' | LC_ALL=C sort -t: -k1,1 -k2,2n >$build/lines
awk '$2 == 0 { print $1 }' $build/lines >$build/missed
echo "| layer | lines of code | ran |"
echo "|---|---|---|"
awk -F/ '{
	split($0, part, " ")
	n[$1]++
	ran[$1] += part[2]
}
END {
	for (layer in n)
		printf "| %s | %d | %.1f %% |\n", layer, n[layer],
		       100 * ran[layer] / n[layer]
}' $build/lines | LC_ALL=C sort
echo
awk -F: '{
	split($2, part, " ")
	n[$1]++
	ran[$1] += part[2]
}
END {
	for (file in n)
		printf "%.0f %% of %d lines: %s\n", 100 * ran[file] / n[file],
		       n[file], file
}' $build/lines | sort -n | head -12
