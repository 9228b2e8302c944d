#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mutations.sh LIBRARY READERS SOURCES [whole | PART OF A NAME] - breaks the
# emit path on purpose, one mutation at a time, and checks that a test notices.
# A mutation that no test notices fails this test.  Tries every tenth mutation,
# from a random one on; with "whole" all, or with a part of a name all matching
# mutations.  First checks for all mutations that they still apply.
#
# Each mutation is built from the LIBRARY's objects and recompiled objects of
# the broken file, and runs the one test that should detect the mutation, with a
# fixed seed.  Two run at a time: this script starts itself for each.  READERS
# is the archive by which the tests read captures, SOURCES the library's,
# separated by colons.
#
# Reads SYSCAP_SOURCE, CC, SYSCAP (the command; it is not broken).
set -eu
library=$1 readers=$2 only=${4:-}
files=$(echo "$3" | tr : '\n')

# compile TREE DIRECTORY, of the files on standard input
compile() {
	xargs -I{} sh -c '
		$1 -std=gnu11 -O2 -w -fPIC -I"$2/include" -I"$2/src" \
			-c "$2/src/$4" -o "$3/$(echo "$4" | tr / _).o"' \
		- "$CC" "$1" "$2" {}
}

if [ -z "${MUTATIONS_WHOLE:-}" ]; then
	MUTATIONS_WHOLE=$(mktemp -d)
	export MUTATIONS_WHOLE
	trap 'rm -rf "$MUTATIONS_WHOLE"' EXIT
	# Not from the archive, in which files of two layers have the same name
	for file in $files; do
		cp "$(dirname "$library")/CMakeFiles/syscap.dir/$file.o" \
			"$MUTATIONS_WHOLE/$(echo "$file" | tr / _).o"
	done
	every=1 from=0
	case $only in
	"") every=10 from=$(($(od -An -N2 -tu2 /dev/urandom) % 10)) ;;
	whole) only= ;;
	esac
	MUTATIONS_ONLY_APPLY=1 "$0" "$library" "$readers" "$3" any || exit 1
	echo "from $from on, every $every"
	sed -n 's/^mutate "\(.*\)" .*/\1/p' "$0" | grep -F "$only" |
		awk -v every=$every -v from=$from 'NR % every == from % every' |
		tr '\n' '\0' | xargs -0 -P 2 -n 1 \
		"$0" "$library" "$readers" "$3" || exit 1
	exit 0
fi
work=$MUTATIONS_WHOLE/$$
failed=0
mkdir "$work"

# Files with inline code of <syscap/emit.h>; other files are not recompiled.
emitters=$(cd "$SYSCAP_SOURCE/src" && grep -lE \
	'syc_(begin|end|enter|enter_from|leave|reserve|take|commit|exchange_local)\(|SYC_RING_ROOM|emit/event\.h' \
	emit/*.c)

build() { # BROKEN-FILE TEST-SOURCE... ; into $work/test
	cp "$MUTATIONS_WHOLE"/*.o "$work"
	case $1 in
	include/*) echo "$emitters" ;;
	*) echo "$files" | grep -x "${1#src/}" ;;
	esac | compile "$work" "$work"
	shift
	# A test may replace a function of the library: the first definition
	# counts, or its __wrap_ function
	wraps=$(sed -n 's/^.*[ *]__wrap_\([a-z_]*\)(.*;$/-Wl,--wrap=\1/p' "$@")
	# shellcheck disable=SC2086
	$CC -std=gnu11 -O2 -w -Wl,--allow-multiple-definition $wraps \
		-I"$work/include" -I"$work/src" \
		-I"$SYSCAP_SOURCE/tests" "$@" \
		"$SYSCAP_SOURCE/tests/harness/peer.c" \
		"$SYSCAP_SOURCE/tests/harness/peer_arena.c" \
		"$SYSCAP_SOURCE/tests/harness/test_main.c" "$work"/*.o \
		"$readers" -pthread -o "$work/test"
}

# mutate NAME FILE PERL TEST-SOURCES TESTS...
mutate() {
	name=$1 file=$2 perl=$3 sources=$4
	shift 4
	if [ -n "${MUTATIONS_ONLY_APPLY:-}" ]; then
		perl -0p -e "$perl" "$SYSCAP_SOURCE/$file" >"$work/broken"
		if cmp -s "$work/broken" "$SYSCAP_SOURCE/$file"; then
			echo "$name: does not apply to $file any more"
			failed=1
		fi
		return 0
	fi
	[ "$name" = "$only" ] || return 0
	cp -r "$SYSCAP_SOURCE/include" "$SYSCAP_SOURCE/src" "$work/"
	perl -0pi -e "$perl" "$work/$file"
	paths=
	for source in $sources; do
		case $source in
		../*) paths="$paths $work/${source#../}" ;;
		*) paths="$paths $SYSCAP_SOURCE/tests/$source" ;;
		esac
	done
	build $file $paths
	# A broken program may never end; an unbroken one takes 40 s of
	# processor time
	if (
		ulimit -t 120
		timeout 300 "$work/test" --whole --timeout 290 --seed 1 "$@"
	) >"$work/log" 2>&1; then
		echo "NOT NOTICED: $name"
		exit 1
	fi
	echo "noticed: $name: $({ grep failed: "$work/log" ||
		grep FAIL "$work/log"; } | sed -n '1s/.*failed: //p;1q')"
}

step="stress/test_step.c harness/stepper.c"
kill="integration/test_kill.c integration/recording.c"
self="integration/test_kill_self.c harness/written.c"
guests="integration/test_self_guests.c harness/written.c"
outlive="integration/test_self_outlive.c harness/written.c"
spill="session/test_spill.c harness/written.c"
spill_stack="session/test_spill_stack.c harness/written.c"
closing="session/test_closing.c harness/written.c"
filters="session/test_spill_filters.c harness/written.c"
kills="stress/test_spill_kills.c harness/written.c"
lock="os/test_robust_lock.c"
hand_over="emit/test_hand_over.c"
overflow="emit/test_overflow.c"
hand_over_host="emit/test_hand_over_host.c"

fork_inside="stress/test_fork_inside.c harness/stepper.c"

mutate "publish before fill" include/syscap/emit.h \
	's/(\tplace->frame = body \+ at;)/$1\n\t__atomic_store_n(place->tail, (uint32_t)place->next, __ATOMIC_RELEASE);/' \
	"$kill" published_events_survive_sigkill_at_every_instruction

mutate "the end is not announced" include/syscap/emit.h \
	's/\t__atomic_store_n\(&st->end, place->next, __ATOMIC_RELAXED\);\n//' \
	"$step" a_handler_may_emit_at_every_instruction_of_every_call

mutate "a disturbed emit continues as if it were alone" include/syscap/emit.h \
	's/SYC_UNLIKELY\(st->disturbed != 0\)/0/' \
	"$step" a_handler_may_emit_at_every_instruction_of_every_call

mutate "what came meanwhile is not published" include/syscap/emit.h \
	's/if \(SYC_UNLIKELY\(\(st->disturbed \|.*?syc_finish_disturbed\(st, token\);//s' \
	"$step" a_handler_may_emit_at_every_instruction_of_every_call

mutate "inner emits publish" include/syscap/emit.h \
	's/if \(SYC_UNLIKELY\(!outermost\)\)\s+syc_leave_nested\(st\);/if (0) {}/' \
	"$step" a_handler_may_interrupt_a_handler_at_every_instruction

mutate "the reserve is not one instruction" include/syscap/emit.h \
	's/\tbool done;\n.*?return done;/\tif (*(volatile uint64_t *)word != expected)\n\t\treturn false;\n\t*(volatile uint64_t *)word = desired;\n\treturn true;/s' \
	"$step" a_handler_may_interrupt_a_handler_at_every_instruction

mutate "dead emits are taken for live" src/emit/event.c \
	's/owner == 0 \|\| is_emit_dead\([^{]*\{/owner == 0) {/' \
	"$step" a_handler_may_leave_by_siglongjmp_at_every_instruction

mutate "live emits are taken for dead" src/emit/event.c \
	's/return !on_signal_stack\(\);/return true;/; s/return \*token != syc_token_value\(&ts->hot\);/return true;/' \
	"$step" a_handler_may_emit_at_every_instruction_of_every_call

mutate "a frame without its length is left so" src/emit/thread_ring.c \
	's/(SYC_COLD void syc_write_missing_header.*?\n\{)/$1\n\tif (st->pos != st->headered) { st->headered = st->pos; return; }/s' \
	"$step" a_handlers_emit_may_die_inside_a_live_one

mutate "a filler is a long TIMESTAMP" src/emit/thread_ring.c \
	's/SYC_WORD\(frame, type, SYSCAP_FRAME_JITMAP\)/SYC_WORD(frame, type, SYSCAP_FRAME_TIMESTAMP)/' \
	"$step" a_handler_may_leave_by_siglongjmp_at_every_instruction

mutate "a full ring takes no record at exit" src/emit/recorder.c \
	's/report_in_own_ring\(SYC_LOSS_RECORD_MAX\)/report_in_own_ring(0)/' \
	emit/test_loss.c \
	losses_without_memory_at_exit_reach_a_stock_recorder

mutate "a dead emit with a token at the same place passes for complete" \
	src/emit/event.c 's/\n\t\tst->suspect_owner = 0;/\n\t\t;/' "$step" \
	a_dead_emit_is_found_by_its_stack_position
mutate "what a dead emit announced is not counted" src/emit/event.c \
	's/(static void settle_suspect\(.*?\n\{)/$1\n\tst->suspect = 0;/s' \
	"$step" a_handler_may_leave_by_siglongjmp_at_every_instruction

mutate "an older look at the reader wins" src/emit/thread_ring.c \
	's/if \(!__atomic_compare_exchange_n\(&ts->head, &before, head.*?continue;/ts->head = head;/s; s/ \|\|\s+__atomic_load_n\(&ts->head, __ATOMIC_RELAXED\) != before\)/)/' \
	"stress/test_reader_moves.c harness/stepper.c" \
	a_reader_that_moves_while_a_handler_emits_is_still_believed

mutate "what is refused is counted without owning the ring" src/emit/event.c \
	's/if \(!syc_exchange_local\(&st->owner, 0, \(uintptr_t\)token\)\)\s+return false;//; s/\tsyc_withdraw\(st, token, 0\);\n//' \
	"stress/test_refused.c harness/stepper.c" \
	a_ring_is_not_left_below_an_event_that_it_refuses

mutate "two records may tell of one loss" src/emit/loss.c \
	's/if \(!syc_exchange_local\(&ts->telling_at, 0,\s+NO_ROOM_YET\)\)\s+return false;/if (0) return false;/' \
	"$step" losses_are_reported_once_under_handlers_at_every_instruction

mutate "room is not kept for the record" include/syscap/emit.h \
	's/\(SYC_LOSS_RECORD_MAX \+ SYC_HEAD_SIZE\)/0u/' \
	emit/test_emit.c a_full_ring_reports_its_losses_at_thread_exit

mutate "positions are stored before the write" src/session/rings.c \
	's/(\tr = is_output \? syc_output_write)/\tadvance(s, batch->parts, batch->n_parts,\n\t\tbatch->size - batch->record_len);\n$1/' \
	"$kills" a_kill_in_a_transfer_into_an_output

mutate "no journal" src/session/output.c \
	's/\tsyc_journal_begin\(batch, end\);\n//' \
	"$kills" a_kill_in_a_transfer_into_an_output

mutate "any thread gets the lock" src/os/robust_lock.c \
	's/if \(holder != 0 && !is_gone\(holder\)\)/if (0)/' \
	"$lock" a_held_lock_is_refused_and_a_released_one_is_free

mutate "the kernel is not told of the lock" src/os/robust_lock.c \
	's/(static void announce\(.*?\n\tsize_t size;\n)/$1\n\thold->list = NULL;\n\treturn;/s' \
	"$lock" the_kernel_marks_the_lock_of_a_holder_that_ends

mutate "events write with open signals" src/session/spill_threads.c \
	's/\tsyc_undisturbed_begin\(&before\);\n//; s/\tsyc_undisturbed_end\(&before\);\n//' \
	"$spill" an_event_after_the_interval_writes_all_earlier_events

mutate "events write at the end of a stack" src/session/spill_threads.c \
	's/ && !has_small_stack\(\)//' \
	"$spill_stack" an_event_on_the_smallest_signal_stack_does_not_write

mutate "real-time threads write" src/session/spill_threads.c \
	's/ts->is_real_time = .*?;/;/s' \
	"$spill" a_real_time_thread_never_writes

mutate "a new filter is not noticed" src/session/spill_threads.c \
	's/return n > at_plan;/return false;/' \
	"$filters" a_filter_after_an_event_keeps_all_in_the_ring_file

mutate "a filter that answers openat() is not noticed" \
	src/session/spill_threads.c 's/(errno == ENOSYS\)\n\t\treturn )true/$1false/' \
	"$filters" a_filter_after_an_event_keeps_all_in_the_ring_file

mutate "a filtered child opens the capture" src/session/origin.c \
	's/syc_spill_is_filtered\(plan, syc_clock_kernel\(\)\) \|\|//' \
	"$filters" a_parent_writes_for_a_filtered_child

mutate "events write beside the thread" src/session/spill_threads.c \
	's/\t\twake_thread\(s\);\n\t\treturn;/\t\twake_thread(s);/' \
	"$spill" beside_the_librarys_thread_no_event_writes

mutate "an exit looks up all processes" src/session/spill.c \
	's/r = pass\(s, is_last, /r = pass(s, true, /' \
	"$spill" an_exit_looks_up_few_processes

mutate "the interval has no effect" src/emit/thread.c \
	's/at != 0 && now >= at/at == 1/' \
	"$spill" an_event_after_the_interval_writes_all_earlier_events

mutate "a quarter of a ring has no effect" src/emit/thread_ring.c \
	's/ts->has_session_ring \? size \/ 4/ts->has_session_ring ? size/' \
	"$spill" an_event_that_fills_a_quarter_of_a_ring_writes

mutate "the end of a thread has no effect" src/session/spill_threads.c \
	's/\ttransfer_undisturbed\(s, syc_clock_kernel\(\)\);/;/' \
	"$spill" the_end_of_a_thread_writes

mutate "a written batch is written again" src/session/rings.c \
	's/done = is_in \? UINT64_MAX : 0/done = 0/' \
	"$kills" a_kill_in_a_transfer_into_an_output

mutate "a batch of a trace is written again" src/session/rings.c \
	's/done = count_written\(s, size\);/done = 0;/' \
	"$kills" a_kill_in_a_transfer_into_a_trace

mutate "a torn batch stays" src/session/output.c \
	's/offset \+ \(\*ret_is_in \? length : 0\);\n\treturn .*?;/offset + (*ret_is_in ? length : size - offset);\n\treturn 0;/' \
	"$kills" a_kill_in_a_short_write_into_an_output

mutate "a torn frame of a trace stays" src/session/trace_file.c \
	's/\t\tr = cut_file\(trace, trace->end\);\n/\t\ttrace->end = size;\n/' \
	"$kills" a_kill_in_a_short_write_into_a_trace

mutate "losses of an unwritten batch are reported" src/session/rings.c \
	's/if \(done != 0 && done >= j->record_len\)/if (1)/; s/done - j->record_len\)/done > j->record_len ? done - j->record_len : 0)/' \
	"$kills" a_kill_in_a_transfer_into_an_output

mutate "the slot of a living child is given away" src/session/rings.c \
	's/return !s->checked_is_running \|\|/return true ||/' \
	"$kills" a_kill_in_a_transfer_into_an_output

mutate "a recovery without a journal" src/capture/recover_file.c \
	's/store_state\(rest, SYC_JOURNAL_UNDER_WAY\)/0/' \
	"$self ../src/capture/recover_file.c" \
	a_recovery_killed_at_any_instruction_goes_on_at_the_next

mutate "a slot that another has is claimed" src/ring/arena.c \
	's/(\tif \()is != SYC_SLOT_FREE \|\|/$1(is != SYC_SLOT_FREE \&\& syc_slot_state(is) != SYC_SLOT_LIVE) ||/' \
	"$guests" children_of_every_kind_of_fork_report_all_losses

mutate "the reader does not hear of a claim" src/ring/arena.c \
	's/note_used\(arena, i \+ 1\)/note_used(arena, 2)/' \
	"$guests" children_that_live_keep_their_slots

mutate "a free slot goes on at its old position" src/session/own_recording.c \
	's/\t__atomic_store_n\(&ring->head, 0, __ATOMIC_RELAXED\);\n//' \
	"$outlive" free_slots_are_used_again_after_the_end_of_the_parent

mutate "an overwritten slot is not noticed" src/session/ring_losses.c \
	's/(static bool has_lost_slot\(.*?\n\{)/$1\n\treturn false;/s' \
	"$outlive" a_child_that_writes_over_all_that_is_shared_harms_no_process

mutate "a slot is ended before its thread forgets it" \
	src/session/own_recording.c \
	's/(\t\t__atomic_store_n\(&ts->slot, NULL, __ATOMIC_RELAXED\);\n)(.*?)(\t\}\n\tsyc_session_leave)/$2$1$3/s' \
	"$closing" a_slot_that_a_thread_gave_back_is_not_its_own

mutate "a child passes for its parent" src/session/own_recording.c \
	's/(syc_arena_claim\(&s->arena, -1, )s->pid/$1s->parent != 0 ? s->parent : s->pid/' \
	"$guests" children_of_every_kind_of_fork_report_all_losses

mutate "a frame of any process is believed" src/session/rings.c \
	's/ &&\s+\(of == pid \|\| of == -1\)//' \
	"$guests" a_child_emits_under_no_name_but_its_own

mutate "losses without a ring are counted nowhere" \
	src/session/session_life.c \
	's/\t\t\tsyc_loss_totals_add\(&head->lost[^;]*;/\t\t\t;/' \
	"$guests" losses_of_a_child_without_a_slot_are_reported

mutate "a dead child is not named" src/session/process_frames.c \
	's/r = write_name\(s, pid, ring->parent, deadline\);/r = 0;/' \
	"$guests" children_of_every_kind_of_fork_report_all_losses

mutate "a process is not named anew" src/session/spill.c \
	's/\tsyc_rings_forget\(s\);\n//' \
	"$guests" in_a_trace_that_was_emptied_children_are_named_anew

mutate "a child passes for who handed over" src/emit/recorder.c \
	's/syc_handed_arena_claim\(ts->hot.pid/syc_handed_arena_claim(getppid()/; s/(#include <string.h>)/$1\n#include <unistd.h>/' \
	"$hand_over" forked_children_claim_slots_without_a_message

mutate "slots are not given back" src/emit/recorder.c \
	's/(void syc_slot_end\(.*?\n\{)/$1\n\treturn;/s' \
	"$hand_over" slots_of_threads_that_have_ended_are_used_again

mutate "at exit nothing is sent" src/emit/recorder.c \
	's/\tsend_arenas\(true\);\n//' \
	"$hand_over" it_is_sent_at_exit_at_the_latest

mutate "a core holds the rings" src/ring/arena.c \
	's/\tmadvise\(base, arena->size, MADV_DONTDUMP\);\n//' \
	"$hand_over_host" a_core_has_no_rings_and_most_addresses_are_the_programs

mutate "an arena takes all addresses" src/ring/arena.c \
	's/UINT64_C\(64\) << 20/UINT64_C(1024) << 20/' \
	"$hand_over_host" a_core_has_no_rings_and_most_addresses_are_the_programs

mutate "a filter is taken for a full socket" src/emit/handed_arena.c \
	's/return r == -EPERM \|\|.*?;/return r == 1;/s' \
	"$hand_over_host" rings_are_requested_if_a_filter_refuses_a_call

mutate "who listens no more is waited for" src/emit/handed_arena.c \
	's/by_name == -ECONNREFUSED \|\|/by_name == 1 ||/' \
	"$hand_over" a_process_stops_if_the_recorder_is_gone

mutate "rings are kept for who can not be reached" src/emit/handed_arena.c \
	's/ \|\| r == -ENOENT//' \
	"$hand_over" a_process_without_a_reachable_recorder_makes_no_rings

mutate "an exit does not wait for room" src/emit/handed_arena.c \
	's/SYC_CONTROL_TIMEOUT_MS \* MS/0 * MS/' \
	"$hand_over_host" an_exit_waits_for_room_to_send_the_arena

mutate "a child continues in the state of its parent" src/emit/thread_state.c \
	's/pid == tid && syc_process->may_continue &&/pid == tid \&\&/' \
	"$fork_inside" a_child__Forked_inside_an_emit_writes_a_ring_of_its_own \
	a_child_forked_inside_a_handlers_emit_writes_a_ring_of_its_own

mutate "a left state is claimed" src/emit/thread_state.c \
	's/__atomic_load_n\(&syc_thread_mapped\(ts\)->is_left,\s+__ATOMIC_RELAXED\) \|\|\s+//' \
	"$fork_inside" a_child__Forked_inside_an_emit_writes_a_ring_of_its_own \
	a_child_forked_inside_a_handlers_emit_writes_a_ring_of_its_own

mutate "fork() does not note an emit" src/emit/process.c \
	's/(is_emitting =)\s+own->hot.owner != 0 \|\| own->hot.disturbed != 0/$1 false/' \
	"$fork_inside" a_child_forked_inside_an_emit_writes_a_ring_of_its_own \
	a_child_forked_inside_a_handlers_emit_writes_a_ring_of_its_own

mutate "a vfork child makes an arena" src/emit/handed_arena.c \
	's/if \(syc_process->pid == getpid\(\)\)/if (1)/' \
	"$hand_over_host" a_vfork_child_makes_no_arena

mutate "no other arena is made" src/emit/handed_arena.c \
	's/#define ARENAS_MAX 16/#define ARENAS_MAX 1/' \
	"$hand_over" another_arena_is_handed_over_if_all_slots_are_used

mutate "the second arena is another program's" src/emit/handed_arena.c \
	's/older->pid == h->pid \?/older->pid == 0 ?/' \
	"$hand_over" another_arena_is_handed_over_if_all_slots_are_used

mutate "a child keeps to what is full" src/emit/handed_arena.c \
	's/r != -EMFILE \|\| n >= ARENAS_MAX/r != -EMFILE || h->pid != syc_process->pid/' \
	"$hand_over" a_child_that_finds_no_slot_makes_an_arena_of_its_own

mutate "nobody is told of an arena that is lost" src/emit/handed_arena.c \
	's/send_message\(h, SYC_CONTROL_LOST, -1\) == 0/1/' \
	"$hand_over" an_arena_with_its_file_closed_early_is_reported_lost

mutate "nobody is told of an arena that may be lost" src/emit/handed_arena.c \
	's/send_message\(h, SYC_CONTROL_HAVE, -1\) == 0/1/' \
	"$hand_over_host" a_killed_process_has_announced_its_unsent_arena

mutate "an arena that came late is not said to have come" src/emit/handed_arena.c \
	's/h->is_told \? SYC_CONTROL_GAVE/0 ? SYC_CONTROL_GAVE/' \
	"$hand_over_host" it_is_handed_over_when_others_were_received

mutate "an overflow moves its frames twice" src/emit/overflow_move.c \
	's/__atomic_store_n\(&o->ring\.head, head \+ n, __ATOMIC_RELEASE\);//' \
	"$overflow" a_burst_before_exit_arrives_in_order

mutate "a thread leaves its overflow too early" src/emit/overflow.c \
	's/\(uint32_t\)\(ts->hot\.pos >> 32\) == o->ring\.head/1/' \
	"$overflow" a_thread_emits_into_its_ring_again_after_a_burst

mutate "frames that stay in an overflow are not counted" src/emit/overflow_move.c \
	's/syc_loss_count_stray\(frame->type, frame->len, frame->time\);//' \
	"$overflow" what_exceeds_the_memory_is_reported

mutate "where a ring begins is believed" src/emit/recorder.c \
	's/at < slot\.size && at % 8 == 0 \? at : 0/at/' \
	"$hand_over" the_ring_offset_is_checked_before_use

exit $failed
