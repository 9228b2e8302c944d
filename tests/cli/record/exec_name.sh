#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record/exec_name.sh - a thread that execs a program without the sampler.  The
# thread keeps its name, and `record` states the time that it could not sample.
set -eu
: "${SYSCAP:?}"
command -v bash >/dev/null || { echo "skip: there is no bash"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >script <<'end'
while test $((i = i + 1)) -lt 30000; do :; done
exec -c $1 awk 'BEGIN { for (i = 0; i < 20000000; i++) n += i }'
end
awk=$(command -v awk)
for exec in '' "$(command -v env) -i"; do
	sed "s|\$1 awk|$exec $awk|" script >program
	"$SYSCAP" record --force --sample -o x.syscap -- bash program 2>err
	"$SYSCAP" stat --json x.syscap >json
	grep -q '"thread_names":\["bash"\]' json || {
		echo "exec $exec: the thread has another name"
		"$SYSCAP" dump --type=metadata x.syscap | grep syscap.thread
		exit 1
	}
	grep -Eq '[0-9]+ of [0-9]+ ms of processor time could not be sampled' err ||
		{ cat err; exit 1; }
	grep -Eq '"unsampled":\{"threads":0,"cpu_ns":[1-9]' json || { cat json; exit 1; }
	"$SYSCAP" stat x.syscap | grep -q '^  unsampled  .*processor time'
done
