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
# Three threads with blocked signals, of which as many are busy as the argument
# says.  The threads inherit the mask, and have no tick before they block.
cat >blocks.py <<'END'
import signal
import sys
import threading
import time

BUSY = int(sys.argv[1])
done = threading.Event()


def run(is_busy):
    while is_busy and time.thread_time() < 0.4:
        pass
    done.wait(0 if is_busy else None)


signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
threads = [threading.Thread(target=run, args=(i < BUSY,)) for i in range(3)]
for thread in threads:
    thread.start()
signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())
for thread in threads[:BUSY]:
    thread.join()
time.sleep(0.5)
done.set()
for thread in threads:
    thread.join()
END
"$SYSCAP" record -q --force --sample=20,wall -o x.syscap -- python3 blocks.py 1
"$SYSCAP" stat x.syscap >out
grep -q '^  unsampled  3 threads.* could not be sampled' out ||
	{ cat out; exit 1; }
"$SYSCAP" dump --type=metadata x.syscap | grep -q '"blocked 1, asleep 2"'
echo "wall: reported"
# A thread that sleeps all the time does not prevent a comparison.
"$SYSCAP" record -q --force --sample=20,wall -o x.syscap -- python3 blocks.py 0
"$SYSCAP" stat --json x.syscap |
	grep -q '"unsampled":{"threads":3,[^}]*"is_misleading":false}'
