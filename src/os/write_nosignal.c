/* SPDX-License-Identifier: BSD-2-Clause */
/* write_nosignal.c - writes that raise neither SIGPIPE nor SIGXFSZ. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "os/signals.h"

static uint64_t pending_signals(void)
{
	uint64_t set = 0;

	syscall(SYS_rt_sigpending, &set, sizeof(set));
	return set;
}

void syc_write_nosignal_begin(struct syc_write_nosignal *quiet)
{
	const uint64_t ours = syc_signal_bit(SIGPIPE) | syc_signal_bit(SIGXFSZ);
	const int saved = errno;
	uint64_t before = 0;

	quiet->before = syc_signal_mask(SIG_BLOCK, ours);
	/* A signal that was not blocked can't be pending */
	if ((quiet->before & ours) != 0)
		before = pending_signals();
	quiet->had_pipe = (before & syc_signal_bit(SIGPIPE)) != 0;
	quiet->had_file_size = (before & syc_signal_bit(SIGXFSZ)) != 0;
	errno = saved;
}

void syc_write_nosignal_end(const struct syc_write_nosignal *quiet)
{
	const struct timespec now = { 0, 0 };
	const int saved = errno;
	const uint64_t raised = pending_signals();
	uint64_t take = 0;

	if (!quiet->had_pipe)
		take |= raised & syc_signal_bit(SIGPIPE);
	if (!quiet->had_file_size)
		take |= raised & syc_signal_bit(SIGXFSZ);
	while (take != 0) {
		const long number = syscall(SYS_rt_sigtimedwait, &take, NULL,
		                            &now, sizeof(take));
		if (number <= 0)
			break;
		take &= ~syc_signal_bit((int)number);
	}
	syc_write_nosignal_end_clean(quiet);
	errno = saved;
}

void syc_write_nosignal_end_clean(const struct syc_write_nosignal *quiet)
{
	syc_signal_mask(SIG_SETMASK, quiet->before);
}
