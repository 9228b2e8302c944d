/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * autostart.c - sampling that the environment starts, at load or by a signal.
 *
 * The signal's handler counts signals and wakes the thread "syscap-toggle",
 * which starts or stops sampling.  A forked child lacks the thread, and ignores
 * the signal.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <syscap/sampler.h>

#include "base/elf_note.h"
#include "base/text.h"
#include "os/env.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "sampler/sampler.h"
#include "sampler/state.h"
#include "sampler/thread_scan.h"
#include "sampler/tick_signal.h"

/* Interval at which the thread checks for application threads */
#define LOOK_NS (INT64_C(2) * 1000000000)

static uint32_t n_signals; /* a futex, incremented by handlers */
static struct syscap_sampler_options wanted;

static void count_signal(int signal)
{
	const int saved = errno;

	(void)signal;
	__atomic_add_fetch(&n_signals, 1, __ATOMIC_RELEASE);
	syc_futex_wake(&n_signals);
	errno = saved;
}

static void *run_toggle(void *nothing)
{
	static struct syc_thread_list tasks;
	struct syscap_sampler_options options;
	uint32_t done = 0;

	(void)nothing;
	syc_library_thread_begin(SYC_THREAD_TOGGLE);
	for (;;) {
		const uint32_t n =
			__atomic_load_n(&n_signals, __ATOMIC_ACQUIRE);

		if (n == done) {
			syc_futex_wait(&n_signals, n, LOOK_NS);
			if (!syc_thread_list_has_others(&tasks))
				return NULL;
			continue;
		}
		done++;
		if (syc_sampler_end() == 0)
			continue;
		options = wanted;
		syc_sampler_begin(&options, true);
	}
	return NULL;
}

static const char *install_toggle(int signal,
                                  const struct syscap_sampler_options *options)
{
	struct sigaction now, action;

	if (signal == SIGKILL || signal == SIGSTOP ||
	    sigaction(signal, NULL, &now) != 0)
		return "SYSCAP_TOGGLE_SIGNAL: this signal can have no handler";
	if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)
		return "SYSCAP_TOGGLE_SIGNAL: the program uses this signal";
	wanted = *options;
	if (syc_library_thread_make(run_toggle, NULL) != 0)
		return "no thread for SYSCAP_TOGGLE_SIGNAL: cannot create one";
	memset(&action, 0, sizeof(action));
	action.sa_handler = count_signal;
	action.sa_flags = SA_RESTART | SA_ONSTACK;
	sigaction(signal, &action, NULL);
	return NULL;
}

/*
 * An ELF note that marks an object (a program, a library) with a sampler.  The
 * note's 4 bytes are 1, the version of the syntax of SYSCAP_SAMPLE.  The
 * preloaded library leaves sampling to an object with this note, because
 * providers of runtimes' frames are attached to the object's sampler.
 */
_Static_assert(SYC_SAMPLER_NOTE_TYPE == 1,
               "SYC_SAMPLER_NOTE is the note's third word");
__asm__(".pushsection .note.syscap, \"a\", %note\n"
        "	.balign 4\n"
        "	.long 7, 4, 1\n"
        "	.asciz \"" SYC_NOTE_NAME "\"\n"
        "	.balign 4\n"
        "	.long 1\n"
        "	.popsection\n");

/* Parse a text of up to 5 digits.  Returns -1 for any other text. */
static int parse_digits(const char *text, size_t len)
{
	int n = 0;

	if (len == 0 || len > 5)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		n = n * 10 + (text[i] - '0');
	}
	return n;
}

/* Return a signal's number, or -1 for any other text. */
static int parse_signal(const char *text, size_t len)
{
	const int n = parse_digits(text, len);

	if (syc_text_is(text, len, "prof"))
		return SYC_TICK_SIGNAL_PROF;
	return n >= 1 && n <= 64 ? n : -1;
}

static const char *parse_word(const char *text, size_t len,
                              struct syscap_sampler_options *options)
{
	static const char *const clocks[] = {
		[SYSCAP_SAMPLER_AUTO] = "auto",
		[SYSCAP_SAMPLER_CPU] = "cpu",
		[SYSCAP_SAMPLER_WALL] = "wall",
		[SYSCAP_SAMPLER_PERF] = "perf",
	};

	for (uint32_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		if (syc_text_is(text, len, clocks[i])) {
			options->clock = i;
			return NULL;
		}
	if (len > 7 && memcmp(text, "signal=", 7) == 0) {
		options->signal = parse_signal(text + 7, len - 7);
		return options->signal > 0
		               ? NULL
		               : "SYSCAP_SAMPLE: signal= must be 1 to 64, or "
		                 "prof";
	}
	if (len > 6 && memcmp(text, "share=", 6) == 0) {
		const int share = parse_digits(text + 6, len - 6);

		options->max_share = (uint32_t)share;
		return share >= 1 && share <= 100
		               ? NULL
		               : "SYSCAP_SAMPLE: share= must be 1 to 100 "
		                 "percent";
	}
	return "SYSCAP_SAMPLE must be HZ[,auto|cpu|wall|perf][,signal=N|prof]"
	       "[,share=PERCENT]";
}

/*
 * Read "HZ[,auto|cpu|wall|perf][,signal=N|prof][,share=N]", the words in any
 * order, into @options.  Returns NULL, or a sentence that describes the error.
 */
static const char *parse_sample(const char *text,
                                struct syscap_sampler_options *options)
{
	const char *why = NULL;
	size_t len = strcspn(text, ",");
	const int hz = parse_digits(text, len);

	if (hz < 1)
		return "SYSCAP_SAMPLE must begin with a rate, 1 to 20000";
	options->hz = (uint32_t)hz;
	for (text += len; why == NULL && *text == ','; text += len) {
		text++;
		len = strcspn(text, ",");
		why = parse_word(text, len, options);
	}
	return why;
}

void syc_autostart(void)
{
	const char *const sample = syc_env_get(SYC_ENV_SAMPLE);
	const char *const toggle = syc_env_get(SYC_ENV_TOGGLE_SIGNAL);
	const char *const thread = syc_env_get(SYC_ENV_THREAD);
	struct syscap_sampler_options options = { .size = sizeof(options) };
	const bool no_thread =
		thread != NULL && thread[0] == '0' && thread[1] == '\0';
	const char *why = NULL;

	if (no_thread && !syc_unwatched_is_preferred())
		syc_unwatched_prefer(false);
	/* Also handle forks of a process that only calls
	 * syscap_sampler_start() */
	syc_sampler_watch_forks();
	if (sample == NULL && toggle == NULL)
		return;
	if (no_thread && toggle != NULL)
		why = "SYSCAP_THREAD=0 excludes the thread that "
		      "SYSCAP_TOGGLE_SIGNAL needs";
	else if (sample != NULL)
		why = parse_sample(sample, &options);
	if (why == NULL && toggle != NULL)
		why = install_toggle(parse_signal(toggle, strlen(toggle)),
		                     &options);
	else if (why == NULL && /* syscap_sampler_start() has reported the
	                         * reason */
	         syc_sampler_begin(&options, true) == -EALREADY &&
	         syc_handover_ask())
		syc_sampler_begin(&options, true);
	if (why != NULL)
		syc_diag_say("sampling is off", why);
}
