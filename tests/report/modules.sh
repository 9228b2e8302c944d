#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# modules.sh - tests of the page's modules in Node.
set -eu
command -v node >/dev/null || { echo "skip: there is no node"; exit 77; }
case $(node --version) in
v1[0-7].*) echo "skip: node --test came with node 18"; exit 77 ;;
esac
exec node --test "$(dirname "$0")/modules"
