/* SPDX-License-Identifier: BSD-2-Clause */
/* rest_owner.c - whether the process that a ring file belongs to still runs. */
#define _GNU_SOURCE
#include "capture/rest_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "data/text_file.h"

#define WAIT_STEPS   400
#define WAIT_STEP_NS 5000000

/* Pids of the file are pids here: the same boot, the same namespace. */
static bool pids_compare(const struct syc_ring_file *facts)
{
	char boot_id[64];
	struct stat st;

	if (facts->start_ticks == 0 || facts->pid_ns == 0 || facts->pid <= 0 ||
	    stat("/proc/self/ns/pid", &st) != 0 || st.st_ino != facts->pid_ns ||
	    syc_text_file_read("/proc/sys/kernel/random/boot_id", boot_id,
	                       sizeof(boot_id)) <= 0)
		return false;
	boot_id[strcspn(boot_id, "\n")] = '\0';
	return strcmp(boot_id, facts->boot_id) == 0;
}

/* Threads may live on when the first one has ended. */
static bool has_ended(char state, long n_threads)
{
	return (state == 'Z' || state == 'X') && n_threads <= 1;
}

static bool is_known_to_be_gone(const struct syc_ring_file *facts)
{
	char text[1024], state = 0;
	unsigned long long ticks = 0;
	long n_threads = 0;

	if (!pids_compare(facts))
		return false;
	/* or it may be hidden */
	if (syc_text_file_read_proc(facts->pid, "stat", text, sizeof(text)) <=
	    0)
		return kill(facts->pid, 0) != 0 && errno == ESRCH;
	const char *const end = strrchr(text, ')');
	/* field 3 is the state, 20 its threads, 22 when it was started */
	if (end == NULL ||
	    sscanf(end + 1,
	           " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
	           "%*s %*s %*s %ld %*s %llu",
	           &state, &n_threads, &ticks) != 3)
		return false;
	return ticks != facts->start_ticks || has_ended(state, n_threads);
}

static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool syc_rest_owner_lives(int fd, const struct syc_ring_file *facts)
{
	return is_locked(fd) && !is_known_to_be_gone(facts);
}

bool syc_rest_owner_exclude(int fd, bool all)
{
	const struct timespec pause = { 0, WAIT_STEP_NS };
	const int kind = (all ? LOCK_EX : LOCK_SH) | LOCK_NB;

	for (int i = 0; i < WAIT_STEPS; i++) {
		if (flock(fd, kind) == 0)
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

bool syc_rest_owner_replace(int fd, const struct syc_ring_file *facts)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0 ||
	       ((errno == EAGAIN || errno == EACCES) &&
	        is_known_to_be_gone(facts));
}
