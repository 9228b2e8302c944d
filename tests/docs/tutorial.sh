#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tutorial.sh - every command of docs/tutorial.md works, in the page's order.
#
# Reads SYSCAP_SOURCE and SYSCAP_BINARY (the tree and its build), CMAKE, CC.
#
# The words after a block's language determine its run: `sh install` is replaced
# by an installation of this build, `c NAME` is a file, `needs=PROGRAM` skips
# the block if there is no such program, `package=NAME` if pkg-config does not
# find the package, `display` needs an X server, and `status=N` is the exit
# status of the block's last command.
set -eu
: "${SYSCAP_SOURCE:?}" "${SYSCAP_BINARY:?}" "${CMAKE:?}" "${CC:?}"
[ -z "${SYSCAP_SANITIZE:-}" ] || {
	echo "skip: programs do not start with a sanitized library preloaded"
	exit 77
}
command -v pkg-config >/dev/null || { echo "skip: there is no pkg-config"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home"
mkdir -p "$HOME" "$work/cc" "$work/blocks" "$work/run"
chmod 700 "$work/run"
unset XDG_RUNTIME_DIR SYSCAP_OUTPUT SYSPROF_TRACE_FD
ln -s "$(command -v "$CC")" "$work/cc/cc"
PATH=$work/cc:$PATH
"$CMAKE" --install "$SYSCAP_BINARY" --prefix "$HOME/syscap" >"$work/log"

# Each block becomes a file NUMBER.block, whose first line is the text after
# ```.
awk -v folder="$work/blocks" '
	/^```/ && !inside { inside = 1; name = sprintf("%s/%02d.block", folder, ++n)
		print substr($0, 4) >name; next }
	/^```/ { inside = 0; close(name); next }
	inside { print >name }
' "$SYSCAP_SOURCE/docs/tutorial.md"

# Blocks seem to run in one shell, as in the page: a file keeps its exports.
: >"$work/exports"
n_run=0
for block in "$work"/blocks/*.block; do
	read -r words <"$block"
	kind=${words%% *}
	status=0 display='' program='' package=''
	for word in $words; do
		case $word in
		status=*) status=${word#status=} ;;
		needs=*) program=${word#needs=} ;;
		package=*) package=${word#package=} ;;
		display) display="xvfb-run -a" ;;
		esac
	done
	case $words in
	"c "*) sed 1d "$block" >"$work/${words#c }"; continue ;;
	"sh install") continue ;;
	text*) continue ;;
	esac
	[ "$kind" = sh ] || { echo "a block of unknown kind: $words"; exit 1; }
	[ -z "$package" ] || pkg-config --exists "$package" || {
		echo "not run: there is no $package"
		continue
	}
	for need in $program ${display:+xvfb-run xauth}; do
		command -v "$need" >/dev/null || {
			echo "not run: there is no $need"
			continue 2
		}
	done
	{
		echo 'set -e'
		cat "$work/exports"
		sed 1d "$block"
	} >"$work/script"
	grep '^export' "$block" >>"$work/exports" || :
	got=0
	# shellcheck disable=SC2086 # words of a command
	(cd "$work" && XDG_RUNTIME_DIR="$work/run" $display sh script) \
		</dev/null >"$work/out" 2>&1 || got=$?
	[ "$got" = "$status" ] || {
		echo "status $got, not $status:"
		cat "$block" "$work/out"
		exit 1
	}
	n_run=$((n_run + 1))
	case $(cat "$block") in
	*"--slowest "*)
		grep -q rebuild_index "$work/out" || {
			echo "the slow frames do not name rebuild_index:"
			cat "$work/out"
			exit 1
		}
		;;
	*"syscap diff"*)
		grep -q '^5 runs against 5' "$work/out" || {
			echo "five runs were not compared with five:"
			cat "$work/out"
			exit 1
		}
		;;
	esac
done
[ $n_run -ge 9 ] || { echo "only $n_run blocks were run"; exit 1; }
for made in frames.html sort.svg; do
	[ -s "$work/$made" ] || { echo "there is no $made"; exit 1; }
done
echo "$n_run blocks of the tutorial run"
