#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/usage.sh - help, version, and wrong use of every command.
. "$(dirname "$0")/../transcript.sh"
run
run --help
run --nonsense
run nonsense
run help nonsense
run stats
run stta
for command in stat dump check; do
	run $command --help
	run help $command
	run $command
	run $command --nonsense everything.syscap
done
run stat everything.syscap numbers.syscap
run dump everything.syscap numbers.syscap
finish
