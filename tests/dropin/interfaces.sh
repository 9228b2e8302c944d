#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# interfaces.sh - the installed D-Bus interface works for callers: generates C
# code like Mutter, compiles, links and runs it.
#
# Reads SYSCAP_SOURCE (the tree), SYSCAP_BINARY (its build), CC, CMAKE.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: a caller is linked without our sanitizers"
	exit 77
fi
command -v gdbus-codegen >/dev/null || {
	echo "skip: there is no gdbus-codegen (Debian: libglib2.0-dev-bin)"
	exit 77
}
pkg-config --exists gio-unix-2.0 2>/dev/null || {
	echo "skip: there is no gio-unix-2.0 (Debian: libglib2.0-dev)"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT

# The directory in the package file, for Mutter
"$CMAKE" --install "$SYSCAP_BINARY" --component dropin \
	--prefix "$work/prefix" >log ||
	{ cat log; exit 1; }
PKG_CONFIG_PATH=$(dirname "$(find prefix -name sysprof-capture-4.pc)")
export PKG_CONFIG_PATH
folder=$(pkg-config --variable=datadir sysprof-capture-4)/dbus-1/interfaces

for xml in "$folder"/*; do
	[ "${xml##*/}" = org.gnome.Sysprof3.Profiler.xml ] ||
		{ echo "interfaces.sh: no caller of $xml is tried"; exit 1; }
done
gdbus-codegen --interface-prefix org.gnome. --c-namespace MetaDBus \
	--generate-c-code profiler "$xml"
# shellcheck disable=SC2046
"$CC" -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-parameter -I. \
	"$here/interface_caller.c" profiler.c \
	$(pkg-config --cflags --libs gio-unix-2.0 sysprof-capture-4) -o caller
./caller capture
