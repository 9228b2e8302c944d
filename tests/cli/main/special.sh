#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/special.sh - every command refuses input that is no regular file, and
# does not wait for a pipe's other end.
. "$(dirname "$0")/../transcript.sh"
cd "$work"
mkfifo pipe
ln -s /dev/zero zero
mkdir folder
for file in pipe zero folder /dev/null; do
	for command in stat dump check files recover 'recover -n' symbolize \
		'cat -o out'; do
		status=0
		# shellcheck disable=SC2086 # words are meant
		timeout 60 "$SYSCAP" $command $file >out.txt 2>&1 || status=$?
		sed "s/^/$command: $status: /" out.txt >>transcript
	done
done
[ ! -e out ]
finish
