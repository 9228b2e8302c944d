#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# no_eintr.sh SECONDS - sampling by processor time interrupts no sleep.
set -eu
exec "$SYSCAP_TEST_BIN/no_eintr" "${1:-2}"
