#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# no_eintr.sh SECONDS - sampled by processor time, nobody's sleep is disturbed.
set -eu
exec "$SYSCAP_TEST_BIN/no_eintr" "${1:-2}"
