#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# coverage.sh [LAYER...] - how much of what runs in programs the unit tests
# reach: builds the library for gcov in build/coverage, runs the tests of the
# layers' folders (all of the process where none is named), and prints the lines
# of each layer, those that ran, and the files of which least did.
#
# Run it in the tree.  No test runs it: it takes minutes.
set -eu
cd "$(dirname "$0")/.."
build=build/coverage
layers=${*:-os share ring emit stack selfrec sample}

cmake -S . -B $build -DCMAKE_BUILD_TYPE=Debug -DSYSCAP_BENCH=OFF \
	-DSYSCAP_BINDINGS=OFF -DCMAKE_C_FLAGS="--coverage -fprofile-update=atomic" \
	-DCMAKE_EXE_LINKER_FLAGS=--coverage \
	-DCMAKE_SHARED_LINKER_FLAGS=--coverage \
	-DCMAKE_MODULE_LINKER_FLAGS=--coverage >/dev/null
targets=$(cmake --build $build --target help |
	grep -oE "test_($(echo "$layers" | tr ' ' '|'))_[a-z0-9_.]+")
# shellcheck disable=SC2086
cmake --build $build -j2 --target syscap_cli $targets >/dev/null
find $build -name '*.gcda' -delete
ctest --test-dir $build -LE verylong -j2 \
	-R "^($(echo "$layers" | tr ' ' '|'))\\." >$build/tests.log || true
grep -E '^[0-9]*% tests passed|\*\*\*' $build/tests.log || true

objects=$PWD/$build/src/CMakeFiles/syscap.dir
for notes in $(find "$objects" -name '*.gcno' | LC_ALL=C sort); do
	case " $(echo $layers) " in
	*" $(basename "$(dirname "$notes")") "*) ;;
	*) continue ;;
	esac
	(cd $build && gcov -n -s "$OLDPWD" "$notes" 2>/dev/null)
done | awk '
	/^File / {
		file = $2
		gsub(/\047/, "", file)
		sub(/^.*\/src\//, "", file)
		sub(/^src\//, "", file)
	}
	/^Lines executed:/ && file ~ /^[a-z]+\/[a-z_0-9]+\.c$/ && !(file in seen) {
		seen[file] = 1
		split($0, part, /[:% ]+/)
		lines = $NF
		ran = lines * part[3] / 100
		layer = file
		sub(/\/.*/, "", layer)
		n[layer] += lines
		did[layer] += ran
		print "file", part[3], lines, file
	}
	END {
		for (layer in n)
			print "layer", layer, n[layer], did[layer]
	}' >$build/lines
echo "| layer | lines of code | ran |"
echo "|---|---|---|"
awk '$1 == "layer" { printf "| %s | %d | %.1f %% |\n", $2, $3, 100 * $4 / $3 }' \
	$build/lines | sort
echo
awk '$1 == "file" { print $2 " % of " $3 " lines: " $4 }' $build/lines |
	sort -n | head -12
