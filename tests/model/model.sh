#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# model.sh NAME - checks all states of the Promela model NAME.pml with spin.  The
# model must pass.  spin must find an error in each mutation, which the line
# "mutations:" of the model lists.
#
# Reads SYSCAP_SOURCE, CC.
set -eu
command -v spin >/dev/null || { echo "skip: there is no spin"; exit 77; }
model=$SYSCAP_SOURCE/tests/model/$1.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# check MUTATION: prints the number of errors, 0 or 1, and that of states
check() {
	spin -a ${1:+"-D$1"} "$model" >spin.log || { cat spin.log >&2; return 1; }
	optimize=-O0
	[ -n "$1" ] || optimize=-O1
	"$CC" $optimize -w -DSAFETY -DNOFAIR -DMEMLIM=1024 -o pan pan.c
	./pan -m20000 >pan.log
	# A search that was cut short proves nothing
	if grep -q 'max search depth too small\|out of memory' pan.log; then
		cat pan.log >&2
		return 1
	fi
	awk '/errors: / { errors = $NF } / states, stored/ { states = $1 }
		/^pan:1: / { sub("^pan:1: ", ""); what = ": " $0 }
		END { print errors, states + 0, "states" what }' pan.log
}

result=$(check "")
echo "$1: $result"
case $result in
"0 "*) ;;
*) cat pan.log; exit 1 ;;
esac
for mutation in $(sed -n 's/^ \* mutations: //p' "$model"); do
	result=$(check "$mutation")
	case $result in
	"1 "*) echo "noticed: $mutation: $result" ;;
	*) echo "NOT NOTICED: $mutation: $result"; exit 1 ;;
	esac
done
