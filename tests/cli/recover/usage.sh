#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# recover/usage.sh - help, and wrong use.
. "$(dirname "$0")/../transcript.sh"
run recover --help
run recover
run recover --nonsense torn.syscap
finish
