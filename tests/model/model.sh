#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# model.sh NAME [whole] - checks all states of the Promela model NAME.pml with
# spin.  The model must pass.  spin must find an error in each mutation, which
# the lines "mutations:" of the model list.  With "whole", checks only larger
# forms of the model: each line "whole:" has the definitions of a form.  The
# line "pan:" has options of the search.
#
# Reads SYSCAP_SOURCE, CC.
set -eu
command -v spin >/dev/null || { echo "skip: there is no spin"; exit 77; }
model=$SYSCAP_SOURCE/tests/model/$1.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

list() { # KEY: the values of the model's lines "KEY:"
	sed -n "s/^ \* $1: //p" "$model"
}
pan_options=$(list pan)

# check OPTIMIZE MEGABYTES DEFINITION...: prints the number of errors, 0 or 1,
# that of states, and the seconds
check() {
	options="$pan_options $1 -DMEMLIM=$2"
	shift 2
	spin -a "$@" "$model" >spin.log || { cat spin.log >&2; return 1; }
	# shellcheck disable=SC2086
	"$CC" $options -w -DSAFETY -DNOFAIR -o pan pan.c
	./pan -m20000 >pan.log
	# An incomplete search is no proof
	if grep -q 'max search depth too small\|out of memory' pan.log; then
		cat pan.log >&2
		return 1
	fi
	awk '/errors: / { errors = $NF } / states, stored/ { states = $1 }
		/elapsed time/ { seconds = ", " $(NF - 1) " s" }
		/^pan:1: / { sub("^pan:1: ", ""); what = ": " $0 }
		END { print errors, states + 0 " states" seconds what }' pan.log
}

must_pass() { # NAME, arguments of check
	name=$1
	shift
	result=$(check "$@")
	echo "$name: $result"
	case $result in
	"0 "*) ;;
	*) cat pan.log; exit 1 ;;
	esac
}

if [ "${2:-}" = whole ]; then
	available=$(awk '/^MemAvailable/ { print int($2 / 1024) }' \
		/proc/meminfo)
	[ "$available" -gt 9000 ] ||
		{ echo "skip: $available MiB of memory, needed are 9,000"; exit 77; }
	list whole | while read -r form; do
		# shellcheck disable=SC2086
		must_pass "$1 $form" "-O2 -DCOLLAPSE" 9000 $form
	done
	exit 0
fi
must_pass "$1" -O1 1024
for mutation in $(list mutations); do
	result=$(check -O0 1024 "-D$mutation")
	case $result in
	"1 "*) echo "noticed: $mutation: $result" ;;
	*) echo "NOT NOTICED: $mutation: $result"; exit 1 ;;
	esac
done
