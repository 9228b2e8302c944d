#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# go.sh NAME_OF - a stripped Go program has the names of the unstripped program.
set -eu
name_of=$1
for tool in go nm awk; do
	command -v "$tool" >/dev/null || { echo "skip: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C HOME="$work" GOCACHE="$work/cache" GOFLAGS= GO111MODULE=off
export GOTOOLCHAIN=local GOPROXY=off
fail() { echo "failed: $*"; exit 1; }

cat >work.go <<'END'
package main

import "os"

type T struct{ n int }

//go:noinline
func (t *T) Work(k int) int {
	for i := 0; i < k; i++ {
		t.n = t.n*31 + i
	}
	return t.n
}

//go:noinline
func call(k int, f func(int) int) int { return f(k) }

func main() {
	t := &T{}
	os.Exit(call(len(os.Args), func(k int) int { return t.Work(k) & 1 }))
}
END

# KIND LINK FLAGS - all functions have the names and starts of the unstripped
# program, except for a few that the table lacks.  Only the linker marks functions
# in assembly by ".abi0".
compare() {
	kind=$1 link=$2
	shift 2
	go build "$@" -ldflags="$link" -o "$kind" work.go 2>err ||
		{ cat err; echo "note: $kind does not build"; return 0; }
	go build "$@" -ldflags="$link -s -w" -o "$kind.bare" work.go
	nm "$kind.bare" 2>/dev/null | grep -q ' main.main$' &&
		fail "$kind: not stripped"
	nm -S --defined-only "$kind" |
		awk '$3 ~ /[Tt]/ && NF == 4 { print $1 }' >starts
	"$name_of" "$kind" <starts 2>/dev/null |
		sed 's/\.abi0$//' >whole
	"$name_of" "$kind.bare" <starts 2>/dev/null >bare
	paste -d'|' whole bare | awk -F'|' -v kind="$kind" '
	$1 != $2 { bad++; if (bad < 6) print "  " $0 }
	END {
		print kind ": " NR " functions, " bad + 0 " others"
		exit NR < 500 || bad * 100 > NR
	}' || fail "$kind: other names"
	for name in main.main 'main.(\*T).Work' main.main.func1 runtime.mallocgc
	do
		grep -q " $name\$" bare || fail "$kind: no $name"
	done
}

compare plain ''
compare pie '' -buildmode=pie
# A C linker puts C code before Go's, and merges sections.
compare linked -linkmode=external
compare linked_pie -linkmode=external -buildmode=pie
