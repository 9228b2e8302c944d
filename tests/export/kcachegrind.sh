#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# kcachegrind.sh [PICTURE] - KCachegrind opens an export, as its window's title
# shows; with ImageMagick, makes PICTURE of the window.
set -eu
: "${SYSCAP:?names the binary to test}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
for program in python3 kcachegrind xvfb-run xauth xwininfo; do
	command -v $program >/dev/null ||
		{ echo "skip: there is no $program"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -m 700 "$dir/run"
export HOME="$dir" XDG_RUNTIME_DIR="$dir/run" PICTURE="${1:-}"
cd "$dir"
python3 "$here/rich.py" rich.syscap 1
"$SYSCAP" export --format callgrind -o callgrind.out.rich rich.syscap 2>err
# Only a readable profile sets the title.
echo "no profile" >callgrind.out.none
for name in rich none; do
	export NAME="callgrind.out.$name"
	# shellcheck disable=SC2016 # for the inner shell
	xvfb-run -a sh -c '
		kcachegrind "$NAME" >log 2>&1 &
		i=0
		: >windows
		while [ $i -lt 240 ] && ! grep -q "$NAME . KCachegrind" windows; do
			sleep 0.5
			xwininfo -root -tree >windows
			i=$((i + 1))
			# The window of the other profile gets its title late.
			[ "$NAME" = callgrind.out.rich ] || [ $i -lt 12 ] || break
		done
		[ -z "$PICTURE" ] || [ "$NAME" != callgrind.out.rich ] ||
			import -window root "$PICTURE"
		kill $!' 2>>log
	grep KCachegrind windows >"$name.windows" || true
done
cat rich.windows
grep -q "callgrind.out.rich . KCachegrind" rich.windows
! grep -q "callgrind.out.none . KCachegrind" none.windows
