#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# format.sh [TREE] - check that C files have the format of .clang-format.
# Versions of clang-format differ in details, so the project uses 14.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"

format=$(command -v clang-format-14 || command -v clang-format || true)
case $([ -z "$format" ] || "$format" --version) in
*'version 14.'*) ;;
*) echo "skip: there is no clang-format 14"; exit 77 ;;
esac
"$here/files.sh" '*.c' '*.h' | xargs "$format" --dry-run -Werror
