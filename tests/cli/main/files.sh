#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/files.sh - a file that is no readable capture gets a clear error.
. "$(dirname "$0")/../transcript.sh"
cd "$work"
mkdir folder
: >empty
printf 'hello, this is a text' >text
head -c 100 "$tests/fuzz/corpus/reader/everything.syscap" >short
mkfifo pipe
for command in stat dump check; do
	for file in missing folder empty text short pipe /dev/null; do
		run $command $file
	done
done
cp "$tests/fuzz/corpus/reader/header_only.syscap" good
run check missing good
finish
