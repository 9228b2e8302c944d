#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# large_pages.sh - events, own recordings, the drop-in, recorder and samplers with
# pages of 16 and 64 KiB, which harness/large_pages.c simulates.
#
# Tests of rings with a few KiB are omitted, because large pages make these
# rings larger.  record --memory is omitted, because its own system calls bypass
# harness/large_pages.c.
#
# Reads SYSCAP (the command), SYSCAP_SOURCE, SYSCAP_TEST_BIN and CC.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TMPDIR="$work"
"${CC:-cc}" -std=gnu11 -O2 -fPIC -shared \
	"$SYSCAP_SOURCE/tests/harness/large_pages.c" -o large_pages.so

cat >left_out <<'END'
a_frame_longer_than_the_ring_is_reported_alone
a_full_ring_drops_and_counts_by_kind
a_full_ring_reports_its_losses_at_thread_exit
an_error_of_a_later_read_leaves_a_file_without_an_end
an_invalid_position_closes_the_ring
chunks_are_smaller_in_a_ring_of_a_page
losses_are_reported_before_the_next_frame
END
failed=0

# with_pages COMMAND...: runs COMMAND in a process that gets a page size of
# $page bytes
with_pages() {
	SYSCAP_TEST_PAGE=$page LD_PRELOAD=$work/large_pages.so "$@"
}

fail() {
	echo "FAILED with pages of $page bytes: $*"
	failed=1
}

# expect CAPTURE: it is valid, and has the marks and samples of
# machine_capture.c
expect() {
	"$SYSCAP" check "$1" || fail "check of $1"
	n=$("$SYSCAP" dump --type=mark --type=sample "$1" |
		grep -c -e ' name "step" ' -e ' sample ')
	[ "$n" = 3100 ] || fail "$1 has $n marks and samples"
}

for name in capture sampled; do
	"${CC:-cc}" -std=gnu11 -O2 -I"$SYSCAP_SOURCE/include" \
		"$SYSCAP_SOURCE/tests/emit/machine_$name.c" \
		"$SYSCAP_BINARY/src/libsyscap.a" -pthread -o "$name"
done
cat >busy.c <<'END'
static volatile unsigned sum;
__attribute__((noinline)) static void work(void)
{
	for (unsigned i = 0; i < 200000000; i++)
		sum += i;
}
int main(void)
{
	work();
	return 0;
}
END
"${CC:-cc}" -O1 busy.c -o busy

for page in 16384 65536; do
	for name in emit_emit emit_control emit_names emit_overflow \
		emit_allocation emit_file session_alone session_sink \
		session_trace_fd session_trace_file session_header_losses; do
		program=$SYSCAP_TEST_BIN/test_$name
		# shellcheck disable=SC2046
		with_pages "$program" --timeout 180 \
			$("$program" --list | grep -vxFf left_out) >out 2>&1 || {
			cat out
			fail "$name"
		}
	done

	SYSCAP_OUTPUT=$work/own.syscap with_pages ./capture
	expect own.syscap
	with_pages "$SYSCAP" record -o record.syscap -- ./capture >out 2>&1 || {
		cat out
		fail "record"
	}
	expect record.syscap
	with_pages "$SYSCAP" record --sample -o sample.syscap -- ./busy \
		>out 2>&1 || {
		cat out
		fail "record --sample"
	}
	"$SYSCAP" stat sample.syscap >lines
	grep -q 'hottest  *work ' lines || {
		cat lines
		fail "stacks"
	}
	SYSCAP_OUTPUT=$work/linked.syscap with_pages ./sampled ticks ||
		fail "a linked sampler"
	"$SYSCAP" export --format=folded linked.syscap >lines
	grep -q 'main;calls_ticked;ticked' lines || {
		cat lines
		fail "stacks of a linked sampler"
	}
	rm -f ./*.syscap*
done
exit $failed
