#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make.sh VERSION - make VERSION-MACHINE.o: this version of the library, and
# part.c on it, as one object file.  Tests load it beside later versions, so
# it is made once, when a version is released, and never again: what is here
# stays as it is.  The sampler is left out; it shares nothing with others.
set -eu

[ $# = 1 ] || {
	echo "usage: make.sh VERSION" >&2
	exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../.." && pwd)
out=$here/$1-$(uname -m).o
[ ! -e "$out" ] || {
	echo "$out is there already, and stays" >&2
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=MinSizeRel \
	-DSYSCAP_TESTS=OFF -DSYSCAP_TOOLS=OFF -DSYSCAP_EXAMPLES=OFF \
	-DSYSCAP_BINDINGS=OFF >/dev/null
cmake --build "$work/build" --target syscap >/dev/null
cat >"$work/no_sampler.c" <<'END'
void sc_sampler_at_load(void);
void sc_sampler_at_load(void)
{
}
void sc_sampler_at_rest(void);
void sc_sampler_at_rest(void)
{
}
END
cd "$work"
for file in "$source/tests/copies/part.c" "$work/no_sampler.c"; do
	"${CC:-cc}" -std=gnu11 -Os -fPIC -fvisibility=hidden \
		-ffile-prefix-map="$source"=. -ffile-prefix-map="$work"=. \
		-DPART_NAME='"golden"' -I"$source/include" -I"$source/tests" \
		-c "$file" -o "$work/$(basename "$file" .c).o"
done
ld -r -o "$work/golden.o" part.o no_sampler.o build/src/libsyscap.a
strip --strip-debug "$work/golden.o"
mv "$work/golden.o" "$out"
echo "$out"
