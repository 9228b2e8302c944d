#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# columns.sh - a page has every recorded sample, mark, value, log line,
# allocation and loss, also with filters and in both byte orders.  A redacted
# page has no personal data.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
export SEED="$seed"
python3 "$here/../export/rich.py" "$dir/rich.syscap" "$seed"
python3 "$here/../profile/turn.py" "$dir/rich.syscap" "$dir/big.syscap"
# Some samples become calls that blocked, and stalls.
python3 - "$dir/rich.syscap" "$dir/waits.syscap" <<'END'
import random
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
rng = random.Random(len(data))
at = 256
while at + 24 <= len(data):
    length, = struct.unpack_from("<H", data, at)
    if data[at + 16] == 2 and rng.random() < 0.6:
        struct.pack_into("<I", data, at + 20, rng.choice((0x5E, 0x5F)) << 24 |
                         rng.randrange(16) << 20 | rng.randrange(1, 1 << 20))
    at += length
open(sys.argv[2], "wb").write(data)
END
SYSCAP_SAMPLE=1000 "$SYSCAP" record -q -o "$dir/work.syscap" -- \
	"$SYSCAP_TEST_BIN/profile_work" 100
set -- "$dir/rich.syscap" "$dir/big.syscap" "$dir/waits.syscap" \
	"$dir/work.syscap"
SYSCAP_SAMPLE=1000 "$SYSCAP" record -q -o "$dir/plain.syscap" -- \
	"$SYSCAP_TEST_BIN/profile_inlined" 100
if "$SYSCAP" symbolize -q --force --lines -o "$dir/lined.syscap" \
	"$dir/plain.syscap" 2>"$dir/err"; then
	set -- "$@" "$dir/lined.syscap"
else
	grep libdw "$dir/err"
fi
python3 "$here/columns.py" "$SYSCAP" "$@"
python3 "$here/redacted.py" "$SYSCAP" "$dir"
python3 "$here/pair.py" "$SYSCAP" "$dir/rich.syscap" "$dir/work.syscap"
