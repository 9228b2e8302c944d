/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_sample_odd.c - programs with unusual behaviour behave the same while
 * they are sampled.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

static const char *const rates[] = { "--sample=1000,cpu", "--sample=1000,wall",
	                             "--sample=10000,wall" };

static void need_preloading(void)
{
	if (test_is_sanitized())
		SKIP("sanitized programs do not start with a library "
		     "preloaded");
}

#define N_RATES (sizeof(rates) / sizeof(rates[0]))

/* Returns a number of @deed, so that one seed selects different rates. */
static unsigned number_of(const char *deed)
{
	unsigned sum = 0;

	while (*deed != 0)
		sum += (unsigned char)*deed++;
	return sum;
}

/* Tries one rate for each deed, which the seed selects; with --whole all. */
static void check_unharmed(const char *deed)
{
	const size_t stride = test_is_whole() ? 1 : N_RATES;

	need_preloading();
	recording_init(&recording);
	for (size_t i = (test_seed() + number_of(deed)) % stride; i < N_RATES;
	     i += stride) {
		const int status = recording_run(
			&recording, rates[i], recording_program("sample_odd"),
			deed, NULL);
		if (status != 0)
			test_fail(__FILE__, __LINE__, "%s %s: status %d: %s",
			          rates[i], deed, status, recording.messages);
	}
	recording_free(&recording);
}

TEST(a_program_that_resets_all_signals_survives)
{
	check_unharmed("reset");
}

TEST(a_forked_child_that_resets_all_signals_lives)
{
	check_unharmed("reset-in-child");
}

TEST(a_process_of_one_thread_has_one)
{
	check_unharmed("stay-alone");
}

static int run_plain(const char *deed)
{
	const char *const program = recording_program("sample_odd");
	const pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		execl(program, program, deed, (char *)NULL);
		_exit(1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

TEST(a_process_of_one_thread_may_enter_a_namespace)
{
	if (run_plain("enter-namespace") != 0)
		SKIP("user namespaces are unavailable");
	check_unharmed("enter-namespace");
}

TEST(a_sampled_process_has_no_library_thread)
{
	check_unharmed("be-alone-again");
}

TEST(a_process_whose_threads_ended_may_enter_a_namespace)
{
	if (run_plain("enter-namespace-later") != 0)
		SKIP("user namespaces are unavailable");
	check_unharmed("enter-namespace-later");
}

TEST(threads_begin_and_end_as_without_us)
{
	check_unharmed("begin-and-end");
}

static void check_said(const char *deed, const char *rate, const char *text)
{
	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, rate,
	                       recording_program("sample_odd"), deed, NULL),
	         0);
	if (strstr(recording.messages, text) == NULL)
		test_fail(__FILE__, __LINE__, "%s: not said: %s: %s", deed,
		          text, recording.messages);
	recording_free(&recording);
}

TEST(threads_without_samples_are_reported_with_the_reason)
{
	check_said("small-stacks", "--sample=1000,cpu",
	           "threads without samples: 3 have a small stack");
	check_said("block-in-threads", "--sample=1000,cpu",
	           "threads without samples: 4 block the signal");
}

TEST(samples_omitted_by_the_kernels_tick_are_reported)
{
	check_said("threads-work", "--sample=20000,cpu",
	           "; this kernel's timers allow at most ");
}

/* A stack that deep must not make unwinding, or the capture, endless. */
TEST(a_deep_recursion_survives)
{
	check_unharmed("recurse");
}

TEST(small_stacks_have_room_for_ticks_or_get_none)
{
	check_unharmed("small-stacks");
	if (run_plain("small-alternate-stacks") == 0)
		check_unharmed("small-alternate-stacks");
}

TEST(a_handler_on_a_small_alternate_stack_has_room)
{
	check_unharmed("alternate-stacks");
}

TEST(a_tick_without_room_on_the_alternate_stack_is_reported)
{
	if (run_plain("unblock-on-alternate-stack") != 0)
		SKIP("the size of the kernel's signal frame is unknown");
	check_unharmed("unblock-on-alternate-stack");
	check_said("unblock-on-alternate-stack", "--sample=5000,wall",
	           " ticks found an alternate signal stack without room");
}

TEST(a_process_in_strict_seccomp_mode_survives)
{
	check_unharmed("strict");
	check_unharmed("strict-thread");
}

TEST(a_filtered_process_makes_no_call_of_the_library)
{
	if (run_plain("prctl-box") != 0)
		SKIP("seccomp filters are unavailable");
	check_unharmed("prctl-box");
	check_unharmed("seccomp-box");
}

TEST(a_wait_for_all_signals_returns_no_tick)
{
	check_unharmed("wait-alone");
}

TEST(a_thread_that_comes_to_block_all_signals_gets_ticks_no_more)
{
	check_unharmed("wait-in-thread");
}

TEST(a_later_handler_gets_foreign_signals_only)
{
	check_unharmed("handle-it");
}

TEST(a_handler_among_threads_gets_foreign_signals_only)
{
	check_unharmed("handle-it-among-threads");
}

TEST(a_child_that_resets_a_handled_tick_signal_survives)
{
	check_unharmed("handle-it-and-fork");
}

TEST(a_program_that_handles_both_harmless_signals_gets_no_ticks)
{
	check_unharmed("handle-both");
}

TEST(a_program_that_handles_all_signals_gets_no_ticks_in_new_threads)
{
	check_unharmed("handle-all");
	check_said("handle-all", "--sample=1000,wall",
	           "1 process was no longer sampled, since the program handles "
	           "the sampler's signals");
}

TEST(a_handler_set_by_older_calls_gets_no_ticks)
{
	check_unharmed("handle-it-as-of-old");
}

TEST(a_signalfd_for_the_tick_signal_gets_foreign_signals_only)
{
	check_unharmed("read-it");
}

static bool is_of_thread(const struct syscap_frame *frame, const void *arg)
{
	static int32_t seen[64];
	static unsigned n;

	(void)arg;
	if (frame->type != SYSCAP_FRAME_SAMPLE)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (seen[i] == frame->tid)
			return false;
	if (n < 64)
		seen[n++] = frame->tid;
	return true;
}

static bool is_sample(const struct syscap_frame *frame, const void *arg)
{
	(void)arg;
	return frame->type == SYSCAP_FRAME_SAMPLE;
}

/* The programs have no JIT, so a JITMAP frame comes from the sampler */
static bool is_name(const struct syscap_frame *frame, const void *arg)
{
	(void)arg;
	return frame->type == SYSCAP_FRAME_JITMAP && frame->jitmap.n_names == 1;
}

static size_t count_samples(const char *deed, const char *rate,
                            bool (*matches)(const struct syscap_frame *frame,
                                            const void *arg))
{
	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, rate,
	                       recording_program("sample_odd"), deed, NULL),
	         0);
	const size_t n = recording_count(&recording, matches, NULL);
	recording_free(&recording);
	return n;
}

TEST(a_thread_born_with_all_signals_blocked_is_sampled_once_it_opens_them)
{
	CHECK(count_samples("begin-blocked", "--sample=1000,cpu", is_sample) >
	      9);
}

TEST(a_signal_taken_while_all_are_blocked_does_not_end_sampling)
{
	CHECK(count_samples("handle-while-blocked", "--sample=1000,cpu",
	                    is_sample) > 9);
}

TEST(a_program_that_handles_all_signals_but_34_is_sampled)
{
	CHECK(count_samples("handle-all-but-one", "--sample=1000,cpu",
	                    is_sample) > 9);
}

TEST(work_done_while_signals_are_blocked_has_that_name)
{
#if defined(__x86_64__)
	CHECK_EQ(count_samples("work-while-blocked", "--sample=1000,cpu",
	                       is_name),
	         1);
	CHECK_EQ(count_samples("work-while-blocked", "--sample=1000,wall",
	                       is_name),
	         1);
#else
	SKIP("late ticks are known only on x86-64");
#endif
}

static void check_threads_are_sampled(const char *rate)
{
	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, rate,
	                       recording_program("sample_odd"), "threads-work",
	                       NULL),
	         0);
	/* the first thread may get no tick */
	CHECK(recording_count(&recording, is_of_thread, NULL) >= 4);
	recording_free(&recording);
}

TEST(threads_are_sampled_while_the_first_one_sleeps)
{
	check_threads_are_sampled("--sample=1000,cpu");
}

TEST(threads_are_sampled_by_perf_events_where_there_are_any)
{
	need_preloading();
	recording_init(&recording);
	const int status = recording_run(&recording, "--sample=1000,perf",
	                                 recording_program("sample_odd"),
	                                 "stay-alone", NULL);
	const bool are_there =
		status == 0 &&
		recording_count(&recording, is_of_thread, NULL) != 0;
	recording_free(&recording);
	if (!are_there)
		SKIP("perf events are unavailable");
	check_threads_are_sampled("--sample=1000,perf");
}
