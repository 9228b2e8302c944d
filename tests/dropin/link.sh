#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link.sh [whole] - the installed drop-in: content of its archive and package
# file, and all usual ways to link it.  Without "whole": by gcc -O2 and by two
# other compilers or flags, at random.
#
# Reads SYSCAP_BINARY (the build), SYSCAP (the command; may be empty), CMAKE.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: a caller is linked without our sanitizers"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT

fail() {
	echo "link.sh: $*"
	exit 1
}

command -v pkg-config >/dev/null || {
	echo "skip: there is no pkg-config"
	exit 77
}
name=sysprof-capture-4
# The flags of an installed reference, before the drop-in hides it
reference=$(pkg-config --cflags $name 2>/dev/null || true)
case $(pkg-config --modversion $name 2>/dev/null || true) in
3.46.*) ;;
*) reference= ;;
esac

"$CMAKE" --install "$SYSCAP_BINARY" --component dropin \
	--prefix "$work/first" >log ||
	{ cat log; exit 1; }

# --- a plain install has no such package; installed files can be removed

"$CMAKE" --install "$SYSCAP_BINARY" --prefix "$work/plain" >log ||
	{ cat log; exit 1; }
case $(grep '^SYSCAP_INSTALL_.*=ON' "$SYSCAP_BINARY/CMakeCache.txt")$(find plain) in
*=ON*) ;;
*sysprof* | *gjs* | *lua*)
	fail "a plain install contains optional parts" ;;
esac
mkdir uninstalled
find "$work/plain" ! -type d >uninstalled/install_manifest.txt
"$CMAKE" "-DBUILD=$work/uninstalled" \
	-P "$SYSCAP_SOURCE/src/uninstall.cmake" >log || { cat log; exit 1; }
[ -z "$(find plain ! -type d)" ] || fail "left: $(find plain ! -type d)"
mv first prefix
found=$(find prefix -name $name.pc)
[ -f "$found" ] || fail "no $name.pc is installed"
PKG_CONFIG_PATH=$work/$(dirname "$found")
export PKG_CONFIG_PATH

# --- headers include the same as the reference's

while read -r header use; do
	printf '#include <%s>\nint main(void) { %s; return 0; }\n' \
		"$header" "$use" >brings.c
	# shellcheck disable=SC2046
	"$CC" -D_GNU_SOURCE -w -Werror=implicit-function-declaration \
		-fsyntax-only brings.c $(pkg-config --cflags $name) ||
		fail "$header does not bring: $use"
done <<'END'
sysprof-address.h assert(true)
sysprof-capture-types.h assert(PRId64[0])
sysprof-capture-writer.h bool is_there = sizeof(off_t)
sysprof-clock.h struct timespec now = { time(NULL) }
sysprof-macros.h int most = INT_MAX
sysprof-platform.h uint32_t n = strlen("")
END

# --- the package file

for version in 3.37.2 3.38.0 3.46.0 45.0 50.0 51.0; do
	pkg-config --atleast-version=$version $name ||
		fail "the version is below $version"
done
for folder in includedir/sysprof-6 libdir datadir; do
	variable=${folder%%/*}
	value=$(pkg-config --variable="$variable" $name)
	[ -n "$value" ] || fail "there is no variable $variable"
	[ -d "$value/${folder#"$variable"}" ] || fail "$variable is $value"
done
datadir=$(pkg-config --variable=datadir $name)
xml=$datadir/dbus-1/interfaces/org.gnome.Sysprof3.Profiler.xml
[ -f "$xml" ] || fail "there is no $xml"
grep -q 'interface name="org.gnome.Sysprof3.Profiler"' "$xml" ||
	fail "$xml has no such interface"
cflags=$(pkg-config --cflags $name)
libs=$(pkg-config --libs $name)
for flag in -lsysprof-capture-4 -pthread -Wl,-z,nodelete; do
	case " $libs " in
	*" $flag "*) ;;
	*) fail "Libs has no $flag: $libs" ;;
	esac
done
case $cflags in
*/sysprof-6*) ;;
*) fail "Cflags does not name the headers: $cflags" ;;
esac
pkg-config --exists --static $name || fail "the library can't be linked statically"

# --- the archive

archive=$(pkg-config --variable=libdir $name)/lib$name.a
[ -f "$archive" ] || fail "there is no $archive"
# name, binding and visibility of each defined symbol that is not local
readelf -sW "$archive" | awk '
$5 ~ /^(GLOBAL|WEAK|UNIQUE)$/ && $7 != "UND" { print $8, $5, $6 }' >symbols
[ -s symbols ] || fail "the archive has no symbols"
awk '$3 != "HIDDEN" { print $1 " is not hidden"; bad = 1 }
	END { exit bad }' symbols || fail "some symbols of the archive are not hidden"
awk '$1 !~ /^(sysprof_|syscap_|syc_)/ { print $1; bad = 1 }
	END { exit bad }' symbols || fail "the names above lack a prefix of the library"
awk '$1 == "function" {
	match($0, /[a-z_0-9]+ \(/)
	print substr($0, RSTART, RLENGTH - 2) }
	$1 == "variable" { print $4 }' "$here/api.txt" | sort >wanted
awk '{ print $1 }' symbols | sort -u >defined
comm -23 wanted defined >missing
[ ! -s missing ] || fail "the archive does not have: $(cat missing)"
grep '^sysprof_' defined | comm -23 - wanted >other
[ ! -s other ] || fail "the archive also has: $(cat other)"
awk '{ print $1 }' symbols | sort | uniq -d >twice
[ ! -s twice ] || fail "more than once in the archive: $(cat twice)"
! readelf -SW "$archive" | grep -E '\.(gnu\.lto_|llvmbc)' ||
	fail "the archive depends on the compiler that made it"
case $(uname -m) in
x86_64)
	# Absolute addresses outside of debug sections
	readelf -rW "$archive" | awk '
	/^Relocation section/ { is_debug = / .\.rela\.debug/ }
	!is_debug && $3 ~ /^R_X86_64_32S?$/ { print; bad = 1 }
	END { exit bad }' || fail "the archive is not position independent"
	;;
esac

# --- links

# runs HOW COMMAND...: COMMAND works, and its marks arrive at a recorder.
runs() {
	how=$1
	shift
	rm -f capture recorded.syscap
	"$@" || fail "$how: the program does not run"
	if [ -n "${SYSCAP:-}" ]; then
		"$SYSCAP" record -o recorded.syscap -- "$@" >log 2>&1 ||
			{ cat log; fail "$how: the program does not run under the recorder"; }
		"$SYSCAP" check recorded.syscap >log || { cat log; exit 1; }
		"$SYSCAP" stat recorded.syscap >stat
		grep -Eq ' link +a mark +3 ' stat ||
			{ cat stat; fail "$how: marks are missing"; }
		grep -Eq ' link +counter ' stat ||
			{ cat stat; fail "$how: the counter is missing"; }
	fi
	echo "ok $how"
}

# hidden FILE: FILE exports none of syscap's names.
hidden() {
	nm -D --extern-only --defined-only "$1" >names
	! grep -E ' _?(sysprof|syscap|sc)_' names || fail "$2: $1 exports the names above"
	grep -q ' T link_library$' names || fail "$2: $1 has no function"
}

# all_ways HOW COMPILER FLAG...
all_ways() {
	built=$1
	shift
	# shellcheck disable=SC2086
	{
		"$@" $cflags -fPIC -c "$source" -o library.o
		"$@" $cflags -c "$source" -DLINK_MAIN -o main.o
		"$@" -shared library.o -Wl,--no-undefined $libs -o library.so
		"$@" $cflags "$source" -DLINK_MAIN -DLINK_PLUGIN -ldl \
			-o loader
		"$@" main.o $libs -o linked
		"$@" main.o -Wl,--start-group "$archive" -Wl,--end-group \
			-pthread -o grouped
	}
	hidden library.so "$built"
	readelf -dW library.so | grep -q NODELETE ||
		fail "$built: the library could be unloaded"
	runs "$built, loaded" ./loader capture "$work/library.so"
	runs "$built, linked" ./linked capture
	runs "$built, grouped" ./grouped capture
	# shellcheck disable=SC2046
	if "$@" -static main.o $(pkg-config --libs --static $name) \
		-o static 2>errors; then
		[ ! -s errors ] || { cat errors; fail "$built, static"; }
		runs "$built, static" ./static capture
	else
		grep -Eq 'cannot find -lc|libc\.a|unable to find library -l' \
			errors || { cat errors; fail "$built, static"; }
		echo "left out: $built, static: $(head -n 1 errors)"
	fi
}

# try SOURCE COMPILER FLAG...: skips flags that COMPILER does not support
try() {
	source=$1
	shift
	tried=$*
	command -v "$1" >/dev/null || { echo "left out: no $1"; return; }
	echo 'int main(void) { return 0; }' >probe.c
	cp probe.c probe.cc
	if ! "$@" "probe.${source##*.}" -o probe 2>errors || ! ./probe; then
		echo "left out: $tried: $(head -n 1 errors)"
		return
	fi
	all_ways "$tried" "$@"
}

cp "$here/link_library.c" library.c
cp library.c library.cc
# clang++ warns of every 1-aligned structure, in any header.
for lto in "" -flto; do
	cat <<-END
		gcc -Wall -Werror -O0 $lto
		clang -Wall -Werror -O2 $lto
		g++ -Wall -Werror -O2 $lto
		clang++ -Wall -Werror -Wno-align-mismatch -O2 $lto
	END
done >ways
cat >>ways <<'END'
gcc -Wall -Werror -O2 -flto
clang -O2 -flto -fuse-ld=lld
gcc -O2 -fuse-ld=gold
END
[ "${1:-}" = whole ] || { shuf -n 2 ways >chosen; mv chosen ways; }
try library.c gcc -Wall -Werror -O2
while read -r way; do
	case $way in
	*++*) file=library.cc ;;
	*) file=library.c ;;
	esac
	# shellcheck disable=SC2086
	try $file $way </dev/null
done <ways

# --- objects of the reference's headers

if [ -z "$reference" ]; then
	echo "left out: objects of release 3.46, which is not here"
	exit 0
fi
# shellcheck disable=SC2086
gcc -O2 -D_GNU_SOURCE $reference -c library.c -DLINK_MAIN -o old.o
nm old.o | grep -q ' U sysprof_clock$' ||
	fail "the reference's headers do not use sysprof_clock"
# shellcheck disable=SC2086
gcc old.o $libs -o old
runs "an object of release 3.46" ./old capture
# shellcheck disable=SC2086
gcc -O2 -D_GNU_SOURCE $reference "$here"/test_behaviour.c \
	"$here"/behaviour_*.c $libs -o old_behaviour
./old_behaviour >log || { grep -v '^ok ' log; fail "objects of release 3.46"; }
tail -n 1 log
