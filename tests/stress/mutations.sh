#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mutations.sh - break the emit path on purpose, one way at a time, and see
# that a test notices.  A mutation that nothing notices fails this test, and
# so does one that no longer applies.
#
# Reads SYSCAP_SOURCE, CC, SYSCAP (the command; it is not broken).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_unnoticed=0

build() { # TEST-SOURCE... ; into $work/test
	for file in base/env base/diag base/text clock/clock ring/ring_map \
		proc/stack_bounds client/process client/control client/thread \
		client/reserve client/loss client/mark client/counter \
		client/log client/metadata client/ids client/symbols; do
		$CC -std=c11 -O2 -w -fPIC -I"$work/include" -I"$work/src" \
			-c "$work/src/$file.c" \
			-o "$work/$(basename $file).o"
	done
	$CC -std=c11 -O2 -w -I"$work/include" -I"$work/src" \
		-I"$SYSCAP_SOURCE/tests" "$@" \
		"$SYSCAP_SOURCE/tests/harness/peer.c" \
		"$SYSCAP_SOURCE/tests/harness/test_main.c" "$work"/*.o \
		-pthread -o "$work/test"
}

# mutate NAME FILE PERL TEST-SOURCES TESTS...
mutate() {
	name=$1 file=$2 perl=$3 sources=$4
	shift 4
	rm -rf "$work/include" "$work/src" "$work"/*.o
	cp -r "$SYSCAP_SOURCE/include" "$SYSCAP_SOURCE/src" "$work/"
	perl -0pi -e "$perl" "$work/$file"
	if cmp -s "$work/$file" "$SYSCAP_SOURCE/$file"; then
		echo "$name: does not apply to $file any more"
		exit 1
	fi
	paths=
	for source in $sources; do
		paths="$paths $SYSCAP_SOURCE/tests/$source"
	done
	build $paths
	if timeout 300 "$work/test" --timeout 120 "$@" >"$work/log" 2>&1; then
		echo "NOT NOTICED: $name"
		n_unnoticed=$((n_unnoticed + 1))
	else
		echo "noticed: $name: $(grep -m1 failed: "$work/log" |
			sed 's/.*failed: //')"
	fi
}

step="stress/test_step.c stress/stepper.c"
kill="integration/test_kill.c integration/recording.c"
kill="$kill ../src/capture/error.c ../src/capture/frame.c"
kill="$kill ../src/capture/frame_items.c ../src/capture/reader.c"

mutate "publish before fill" include/syscap/emit.h \
	's/(\t\tsc_store_word\(frame, sc_first_word\(st, len\)\);)/\t\tif (st->tail) __atomic_store_n(st->tail, next, __ATOMIC_RELEASE);\n$1/' \
	"$kill" what_is_published_survives_sigkill_at_every_instruction

mutate "inner emits publish" include/syscap/emit.h \
	's/if \(SC_UNLIKELY\(!outermost\)\) \{/if (0) {/' \
	"$step" a_handler_may_emit_at_every_instruction_of_every_call

mutate "the reserve is not one instruction" include/syscap/emit.h \
	's/\tbool done;\n.*?return done;/\tif (*(volatile uint64_t *)word != expected)\n\t\treturn false;\n\t*(volatile uint64_t *)word = desired;\n\treturn true;/s' \
	"$step" a_handler_may_emit_at_every_instruction_of_every_call

mutate "publish and forget what came meanwhile" include/syscap/emit.h \
	's/if \(SC_LIKELY\(__atomic_load_n\(&st->pos, __ATOMIC_RELAXED\) ==\s+pos\)\)/if (1)/' \
	"$step" a_handler_may_emit_at_every_instruction_of_every_call

mutate "dead emits are taken for live" src/client/reserve.c \
	's/\towner == 0 \|\| is_dead\([^;]*;/\towner == 0;/' \
	"$step" a_handler_may_leave_by_siglongjmp_at_every_instruction

mutate "live emits are taken for dead" src/client/reserve.c \
	's/return !on_signal_stack\(\);/return true;/; s/return \*token != sc_token_value\(token\);/return true;/' \
	"$step" a_handler_may_emit_at_every_instruction_of_every_call

mutate "an owner that died in between is overwritten" include/syscap/emit.h \
	's/sc_exchange_local\(&st->owner, 0, \(uintptr_t\)token\)\)\) \{/(st->owner == 0 \&\& (SC_SIGNAL_FENCE(), *(volatile uint64_t *)\&st->owner = (uintptr_t)token, true)))) {/' \
	"$step" a_handlers_emit_may_die_inside_a_live_one

mutate "a frame without its length is left so" src/client/reserve.c \
	's/(SC_COLD void sc_write_missing_header.*?\n\{)/$1\n\tif (st->pos != st->headered) { st->headered = st->pos; return; }/s' \
	"$step" a_handlers_emit_may_die_inside_a_live_one

mutate "refill reads pos after head" src/client/reserve.c \
	's/if \(__atomic_load_n\(&st->pos, __ATOMIC_RELAXED\) != pos \|\|\s+__atomic_load_n\(&ts->head, __ATOMIC_RELAXED\) != before\)\s+continue;\s+const uint32_t offset = \(uint32_t\)\(pos >> 32\);/const uint32_t offset = (uint32_t)(pos >> 32); if (0) continue;/; s/\*ret_limit = \(uint32_t\)pos/*ret_limit = (uint32_t)st->pos/' \
	"$step" losses_are_told_exactly_once_under_handlers_at_every_instruction

mutate "two records may tell of one loss" src/client/loss.c \
	's/if \(!sc_exchange_local\(&ts->telling_at, 0, TELLING_NOWHERE\)\)\s+return false;/if (0) return false;/' \
	"$step" losses_are_told_exactly_once_under_handlers_at_every_instruction

mutate "room is not kept for the record" include/syscap/emit.h \
	's/\(SC_LOSS_RECORD_MAX \+ 24u\)/0u/' \
	unit/test_emit.c a_full_ring_drops_counts_and_tells_at_thread_exit

[ $n_unnoticed = 0 ] || { echo "$n_unnoticed not noticed"; exit 1; }
