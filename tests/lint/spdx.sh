#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# spdx.sh [TREE] - check that every source file names its licence in its first
# two lines.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"

"$here/files.sh" '*.c' '*.h' '*.cc' '*.cpp' '*.hpp' '*.sh' '*.py' |
xargs awk '
FNR == 1 { if (file != "" && !found) missing(); file = FILENAME; found = 0 }
FNR <= 2 && /SPDX-License-Identifier: BSD-2-Clause/ { found = 1 }
FNR > 2 { nextfile }
END { if (file != "" && !found) missing(); exit bad }
function missing() { print file ":1: no SPDX-License-Identifier"; bad = 1 }'
