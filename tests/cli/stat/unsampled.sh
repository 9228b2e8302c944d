#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat/unsampled.sh - `stat` reports threads that could not be sampled: xz blocks
# all signals in the threads that compress.  With the wall clock no final sample
# represents such threads.
set -eu
: "${SYSCAP:?}"
command -v xz >/dev/null || { echo "skip: there is no xz"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
head -c 300000 "$SYSCAP" >file
for threads in 1 2; do
	"$SYSCAP" record -q --force --sample -o x.syscap -- xz -kf -T$threads file
	"$SYSCAP" dump --type=metadata x.syscap >metadata
	"$SYSCAP" stat x.syscap >out
	if grep -q 'syscap.sampler.unsampled' metadata; then
		grep -Eq '^  unsampled  [1-9][0-9]* threads?.* could not be sampled' out ||
			{ cat out; exit 1; }
		echo "-T$threads: reported"
	else
		! grep unsampled out
	fi
done

command -v python3 >/dev/null || exit 0
cat >blocks.py <<'END'
import signal
import threading
import time


def block(is_busy):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    end = time.monotonic() + 0.6
    while time.monotonic() < end:
        if not is_busy:
            time.sleep(0.6)


threads = [threading.Thread(target=block, args=(i == 0,)) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
END
"$SYSCAP" record -q --force --sample=5,wall -o x.syscap -- python3 blocks.py
"$SYSCAP" stat x.syscap >out
grep -q '^  unsampled  3 threads.* could not be sampled' out ||
	{ cat out; exit 1; }
"$SYSCAP" dump --type=metadata x.syscap | grep -q '"blocked 1, asleep 2"'
echo "wall: reported"
# A thread that sleeps all the time does not prevent a comparison.
sed 's/i == 0/False/' blocks.py >sleeps.py
"$SYSCAP" record -q --force --sample=5,wall -o x.syscap -- python3 sleeps.py
"$SYSCAP" stat --json x.syscap |
	grep -q '"unsampled":{"threads":3,[^}]*"is_misleading":false}'
