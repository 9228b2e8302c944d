#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# missing.sh - every command with filters reports a filter without matches, and
# the names that exist.
. "$(dirname "$0")/../transcript.sh"
run stat --top 1 --thread nosuch everything.syscap
run stat --top 1 --pid 4711 everything.syscap
run stat --top 1 --mark render/farme everything.syscap
run stat --top 1 --mark render --longer-than 1000s everything.syscap
run stat --top 1 --function 'no.such' everything.syscap
run stat --top 1 --focus leef everything.syscap
run dump --type log --thread nosuch everything.syscap
run flamegraph --folded --thread nosuch everything.syscap
run export --format csv --table marks --thread nosuch everything.syscap
run export --format csv --table marks --function nosuch everything.syscap
run export --format folded --from 1000s everything.syscap
run view --snapshot functions --size 60x8 --thread nosuch everything.syscap
run view --snapshot functions --size 60x8 --of blocked everything.syscap
run view --snapshot functions --size 60x8 --of leaked everything.syscap
run view --snapshot marks --size 60x8 --mark rendr everything.syscap
run diff --pid 4711 everything.syscap everything.syscap
run diff --mark rendr everything.syscap everything.syscap
# Each name exists, but not in this combination.
run export --format folded --pid 7 --thread 9 everything.syscap
finish
