#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# api.sh DIRECTORY [TREE] - writes an HTML page for each public header into
# DIRECTORY, and index.html.  Needs no network.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
include=${2:-$here/..}/include
mkdir -p "$1"
set -- "$1" "$include"/syscap.h "$include"/syscap/sampler.h \
	"$include"/syscap/runtime.h "$include"/syscap/system_counters.h \
	"$include"/syscap/capture.h "$include"/syscap/profile.h \
	"$include"/syscap/format.h "$include"/sysprof-6/*.h
out=$1
shift
"${AWK:-awk}" -v out="$out" -f "$here/api.awk" pass=1 "$@" pass=2 "$@"
