/* SPDX-License-Identifier: BSD-2-Clause */
/* record_lock.c - a lock that admits one writer at a time, among processes and
 * within a process. */
#define _GNU_SOURCE
#include "session/record_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/syscalls.h"
#include "ring/clock.h"

/* Larger than all thread ids, because each pid namespace has its own ids. */
#define FACT_STEP  (INT64_C(1) << 22)
#define FACT_TRIES 16

static int command_get(enum syc_record_owner owner)
{
	return owner == SYC_RECORD_FILE ? F_OFD_GETLK : F_GETLK;
}

static int command_set(enum syc_record_owner owner)
{
	return owner == SYC_RECORD_FILE ? F_OFD_SETLK : F_SETLK;
}

static int ask_for_lock(int fd, int command, struct flock *lock)
{
	lock->l_whence = SEEK_SET;
	for (;;) {
		if (fcntl(fd, command, lock) == 0)
			return 0;
		if (errno == EAGAIN || errno == EACCES)
			return -EAGAIN;
		/* Any other error means that there are no locks */
		if (errno != EINTR)
			return -ENOLCK;
	}
}

int syc_record_lock_probe(int fd, enum syc_record_owner owner)
{
	struct flock lock = { .l_type = F_WRLCK, .l_start = 0, .l_len = 1 };

	return ask_for_lock(fd, command_get(owner), &lock);
}

int syc_record_lock(int fd, enum syc_record_owner owner, int64_t deadline)
{
	for (;;) {
		struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
		const int r = ask_for_lock(fd, command_set(owner), &lock);

		if (r != -EAGAIN || syc_clock_kernel() >= deadline)
			return r;
		syc_futex_nap();
	}
}

void syc_record_unlock(int fd, enum syc_record_owner owner)
{
	struct flock lock = { .l_type = F_UNLCK, .l_len = 1 };

	ask_for_lock(fd, command_set(owner), &lock);
}

bool syc_record_fact_is_known(int fd, enum syc_record_owner owner)
{
	/* l_len 0: to the end of the offsets */
	struct flock lock = { .l_type = F_WRLCK, .l_start = 1, .l_len = 0 };

	return ask_for_lock(fd, command_get(owner), &lock) == 0 &&
	       lock.l_type != F_UNLCK;
}

int syc_record_fact_keep(int fd, enum syc_record_owner owner, int64_t *at)
{
	int64_t place = *at != 0 ? *at : 1 + (int64_t)gettid();

	for (unsigned i = 0; i < FACT_TRIES; i++, place += FACT_STEP) {
		struct flock lock = { .l_type = F_WRLCK,
			              .l_start = place,
			              .l_len = 1 };
		const int r = ask_for_lock(fd, command_set(owner), &lock);

		if (r == 0)
			*at = place;
		if (r != -EAGAIN)
			return r;
	}
	return -ENOLCK;
}
