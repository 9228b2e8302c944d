#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/completion.sh - bash, zsh and fish complete the command's arguments.
set -eu
: "${SYSCAP:?names the binary to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
PATH=$(dirname "$SYSCAP"):$PATH
export PATH
cd "$work"
: >a.syscap
: >b.syscap
mkdir folder

# expect SHELL LINE WORD... - all words are in the shell's answer.
expect() {
	what="$1: $2"
	shift 2
	for word; do
		grep -q -x -F -e "$word" answer || {
			echo "$what: does not offer $word:"
			cat answer
			exit 1
		}
	done
}

try_bash() {
	"$SYSCAP" completion bash >syscap.bash
	ask() {
		bash -c '. ./syscap.bash
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
			_syscap
			printf "%s\n" "${COMPREPLY[@]}"' bash "$@" >answer
	}
	ask syscap ''; expect bash '' stat cat --version
	ask syscap cat --; expect bash cat --output --force --help
	ask syscap cat --output = a; expect bash --output=a a.syscap
	ask syscap cat -o b; expect bash '-o b' b.syscap
	ask syscap dump --type ma; expect bash --type map mark
	ask syscap symbolize --root fo; expect bash --root folder
	ask syscap record -q ech; expect bash record echo
	ask syscap completion ''; expect bash completion bash zsh fish
	ask syscap stat a; expect bash stat a.syscap
}

try_fish() {
	"$SYSCAP" completion fish >syscap.fish
	ask() {
		HOME=$work fish --no-config -c "source syscap.fish
			complete -C '$1'" | cut -f1 >answer
	}
	ask 'syscap '; expect fish '' stat cat
	ask 'syscap cat --'; expect fish cat --output --force --help
	ask 'syscap cat -o b'; expect fish '-o b' b.syscap
	ask 'syscap cat --output a'; expect fish --output a.syscap
	ask 'syscap dump --type ma'; expect fish --type map mark
	ask 'syscap symbolize --root fo'; expect fish --root folder/
	ask 'syscap record -q ech'; expect fish record echo
	ask 'syscap completion '; expect fish completion bash zsh fish
	ask 'syscap stat a'; expect fish stat a.syscap
}

tried=
for shell in bash fish zsh; do
	command -v $shell >/dev/null || { echo "there is no $shell"; continue; }
	tried="$tried $shell"
	case $shell in
	bash) try_bash ;;
	fish) try_fish ;;
	zsh)
		"$SYSCAP" completion zsh >_syscap
		timeout 100 zsh -f "$here/completion.zsh" "$work"
		;;
	esac
done
[ -n "$tried" ] || exit 77
