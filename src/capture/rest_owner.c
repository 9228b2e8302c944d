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

/* Nobody may have waited for it yet.  True where nobody can tell. */
static bool is_alive(int32_t pid, unsigned long long start_ticks)
{
	char text[1024], state = 0;
	unsigned long long ticks = 0;
	long n_threads = 0;

	/* or it may be hidden */
	if (syc_text_file_read_proc(pid, "stat", text, sizeof(text)) <= 0)
		return kill(pid, 0) == 0 || errno != ESRCH;
	const char *const end = strrchr(text, ')');
	/* field 3 is the state, 20 its threads, 22 when it was started */
	if (end == NULL ||
	    sscanf(end + 1,
	           " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
	           "%*s %*s %*s %ld %*s %llu",
	           &state, &n_threads, &ticks) != 3)
		return true;
	return (start_ticks == 0 || ticks == start_ticks) &&
	       !has_ended(state, n_threads);
}

static bool is_known_to_be_gone(const struct syc_ring_file *facts)
{
	return pids_compare(facts) && !is_alive(facts->pid, facts->start_ticks);
}

static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/* A child of the process has a ring there, and may be about to go on with it. */
static bool has_living_child(int fd, const struct syc_ring_file *facts)
{
	uint32_t words[SYC_RING_FILE_SLOTS];
	const size_t size = facts->n_slots * sizeof(words[0]);

	if (facts->page_size == 0 || facts->n_slots > SYC_RING_FILE_SLOTS ||
	    pread(fd, words, size, syc_ring_file_words(facts->page_size)) !=
	            (ssize_t)size)
		return false;
	for (uint32_t i = 0; i < facts->n_slots; i++) {
		const int32_t pid = syc_slot_pid(words[i]);

		if (pid > 0 && pid != facts->pid &&
		    syc_slot_state(words[i]) == SYC_SLOT_LIVE &&
		    is_alive(pid, 0))
			return true;
	}
	return false;
}

bool syc_rest_owner_lives(int fd, const struct syc_ring_file *facts)
{
	return is_locked(fd) &&
	       (!is_known_to_be_gone(facts) || has_living_child(fd, facts));
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
