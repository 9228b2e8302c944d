/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_file_reader.c - access to the ring file of a process, and the file's
 * owner.
 */
#define _GNU_SOURCE
#include "capture/ring_file_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/files.h"
#include "capture/frame.h"
#include "common/strings.h"

#define WAIT_STEPS   400
#define WAIT_STEP_NS 5000000

/* Return whether pids in the file are valid, because the file is of this boot
 * and this pid namespace. */
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

/* Return whether the process has ended.  Other threads may continue after the
 * end of the first thread. */
static bool has_ended(char state, long n_threads)
{
	return (state == 'Z' || state == 'X') && n_threads <= 1;
}

/*
 * Return whether the process is alive, or true if its state is unknown.  An
 * ended process is not alive, even if its parent has not waited yet.
 */
static bool is_alive(int32_t pid, unsigned long long start_ticks)
{
	char text[1024], state = 0;
	unsigned long long ticks = 0;
	long n_threads = 0;

	/* /proc may hide the process, so also try kill() */
	if (syc_text_file_read_proc(pid, "stat", text, sizeof(text)) <= 0)
		return kill(pid, 0) == 0 || errno != ESRCH;
	const char *const end = strrchr(text, ')');
	/* Field 3 is the state, 20 the number of threads, 22 the start time */
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

/* Return whether a child has a ring in the file, and may be about to continue
 * the ring. */
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

bool syc_ring_owner_lives(int fd, const struct syc_ring_file *facts)
{
	return is_locked(fd) &&
	       (!is_known_to_be_gone(facts) || has_living_child(fd, facts));
}

bool syc_ring_owner_exclude(int fd, bool all)
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

bool syc_ring_owner_replace(int fd, const struct syc_ring_file *facts)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0 ||
	       ((errno == EAGAIN || errno == EACCES) &&
	        is_known_to_be_gone(facts));
}

#define HEADER_SIZE 256u

/* Greatest number of attempts.  One attempt takes longer than a batch, except
 * under load. */
#define LOOKS 1000

/* Read the frame at @at.  Returns the frame's end, or 0 without a frame. */
static uint64_t take_frame(const unsigned char *capture, uint64_t size,
                           bool big, uint64_t at,
                           struct syscap_frame *ret_frame)
{
	if (size < at ||
	    !syc_frame_take(capture + at, size - at, big, ret_frame) ||
	    syc_frame_decode(ret_frame, big, NULL) != 0)
		return 0;
	return at + ret_frame->len;
}

/* Find the path in the frame after the PROCESS frame of the process itself. */
const char *syc_ring_reader_path(const unsigned char *capture, uint64_t size)
{
	struct syscap_frame frame;
	uint64_t end;

	if (size < HEADER_SIZE)
		return NULL;
	const bool big = (capture[SYC_AT(file, little_endian)] & 1) == 0;
	end = take_frame(capture, size, big, HEADER_SIZE, &frame);
	if (end != 0 && frame.type == SYSCAP_FRAME_PROCESS)
		end = take_frame(capture, size, big, end, &frame);
	if (end == 0 || frame.type != SYSCAP_FRAME_METADATA ||
	    strcmp(frame.metadata.id, SYC_RING_FILE_ID) != 0 ||
	    frame.metadata.value[0] != '/')
		return NULL;
	return frame.metadata.value;
}

bool syc_ring_reader_read_at(const struct syc_ring_reader *rest, void *to,
                             size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(rest->fd, (char *)to + done,
		                        size - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

uint64_t syc_ring_reader_slot_at(const struct syc_ring_reader *rest,
                                 uint32_t slot)
{
	return syc_ring_file_slot(rest->facts.page_size, rest->facts.body_size,
	                          slot);
}

static bool facts_are_sane(const struct syc_ring_reader *rest, uint64_t size)
{
	const struct syc_ring_file *const f = &rest->facts;

	return memcmp(f->magic, SYC_RING_FILE_MAGIC, sizeof(f->magic)) == 0 &&
	       f->version == SYC_RING_FILE_VERSION && f->page_size >= 4096 &&
	       f->page_size <= 65536 &&
	       (f->page_size & (f->page_size - 1)) == 0 &&
	       f->front == syc_ring_file_front(f->page_size) &&
	       f->body_size >= 4096 && f->body_size <= SYC_RING_BODY_MAX &&
	       f->body_size % 8 == 0 && f->n_slots >= 1 &&
	       f->n_slots <= SYC_RING_FILE_SLOTS &&
	       syc_ring_reader_slot_at(rest, f->n_slots) <= size &&
	       memchr(f->capture, 0, sizeof(f->capture)) != NULL &&
	       memchr(f->boot_id, 0, sizeof(f->boot_id)) != NULL;
}

static bool facts_are_foreign(const struct syc_ring_file *facts)
{
	return memcmp(facts->magic, SYC_RING_FILE_MAGIC,
	              sizeof(facts->magic)) == 0 &&
	       facts->version == __builtin_bswap32(SYC_RING_FILE_VERSION);
}

static int check_rest_file(struct syc_ring_reader *rest, const char *path,
                           struct syscap_error *error)
{
	struct stat st;

	if (fstat(rest->fd, &st) != 0)
		return syc_error_set(error, errno, 0, "%s: %s", path,
		                     strerror(errno));
	if (!S_ISREG(st.st_mode))
		return syc_error_set(error, EBADMSG, 0,
		                     "%s is not a regular file", path);
	if (st.st_uid != geteuid() && geteuid() != 0)
		return syc_error_set(error, EPERM, 0,
		                     "%s belongs to another user", path);
	rest->owner = st.st_uid;
	rest->dev = st.st_dev;
	rest->ino = st.st_ino;
	const bool is_read = syc_ring_reader_read_at(rest, &rest->facts,
	                                             sizeof(rest->facts), 0);
	if (is_read && facts_are_foreign(&rest->facts))
		return syc_error_set(
			error, ENOTSUP, 0,
			"%s has the byte order of another machine, and only a "
			"program of that machine can read it",
			path);
	if (!is_read || !facts_are_sane(rest, (uint64_t)st.st_size))
		return syc_error_set(error, EBADMSG, 0, "%s is not a ring file",
		                     path);
	return 0;
}

/* Return whether an earlier recovery, which held the lock, has removed the
 * file. */
static bool is_removed(const struct syc_ring_reader *rest)
{
	struct stat st;

	return fstat(rest->fd, &st) == 0 && st.st_nlink == 0;
}

/*
 * Settle the file's owner.  Returns 0, SYC_RING_READER_LIVES, or -errno.  After
 * 0, no process changes the file.
 */
static int settle_owner(struct syc_ring_reader *rest, const char *path,
                        bool lock, struct syscap_error *error)
{
	const bool is_alone = syc_ring_owner_exclude(rest->fd, lock);

	if (is_alone && syc_ring_owner_lives(rest->fd, &rest->facts)) {
		(void)syc_error_set(
			error, EBUSY, 0,
			"process %d is still recording into the ring file; "
			"end the process first",
			rest->facts.pid);
		return SYC_RING_READER_LIVES;
	}
	if (!is_alone ||
	    (lock && !syc_ring_owner_replace(rest->fd, &rest->facts)))
		return syc_error_set(
			error, EBUSY, 0,
			"another process is recovering %s; try again later",
			path);
	if (is_removed(rest))
		return syc_error_set(error, ENOENT, 0, "%s: %s", path,
		                     strerror(ENOENT));
	/* Use the current state, not the earlier state */
	return check_rest_file(rest, path, error);
}

int syc_ring_reader_read_journal(struct syc_ring_reader *rest, const char *path,
                                 struct syscap_error *error)
{
	if (syc_ring_reader_read_at(rest, &rest->journal, sizeof(rest->journal),
	                            syc_ring_reader_journal_at(rest)))
		return 0;
	return syc_error_set(error, EBADMSG, 0, "cannot read the ring file %s",
	                     path);
}

static int open_rings(struct syc_ring_reader *rest, const char *path,
                      bool for_changes, struct syscap_error *error)
{
	struct syscap_error why;

	memset(rest, 0, sizeof(*rest));
	rest->fd = syc_plain_file_open(
		path, (for_changes ? O_RDWR : O_RDONLY) | O_NOFOLLOW, &why);
	if (rest->fd < 0)
		return syc_error_set(error, why.code, 0, "%s: %s", path,
		                     why.message);
	return check_rest_file(rest, path, error);
}

int syc_ring_reader_open_living(struct syc_ring_reader *rest, const char *path,
                                struct syscap_error *error)
{
	return open_rings(rest, path, true, error);
}

/* Return whether slots have definitions, so the process is in flight mode, and
 * has emitted an event. */
static bool has_pairs(const struct syc_ring_reader *rest)
{
	struct syc_ring_header ring;

	for (uint32_t i = 1; i < rest->facts.n_slots; i++)
		if (syc_ring_reader_read_at(rest, &ring, sizeof(ring),
		                            syc_ring_reader_slot_at(rest, i)) &&
		    ring.kept_slot != 0)
			return true;
	return false;
}

int syc_ring_reader_open_moving(struct syc_ring_reader *rest, const char *path,
                                struct syscap_error *error)
{
	int r = open_rings(rest, path, false, error);

	if (r == 0 && !has_pairs(rest))
		r = syc_error_set(error, ENOENT, 0,
		                  "%s belongs to no process in flight mode",
		                  path);
	rest->is_moving = true;
	if (r != 0)
		syc_ring_reader_close(rest);
	return r;
}

int syc_ring_reader_open(struct syc_ring_reader *rest, const char *path,
                         bool lock, struct syscap_error *error)
{
	int r = open_rings(rest, path, lock, error);

	if (r == 0)
		r = settle_owner(rest, path, lock, error);
	if (r == 0)
		r = syc_ring_reader_read_journal(rest, path, error);
	if (r < 0)
		syc_ring_reader_close(rest);
	return r;
}

bool syc_ring_reader_is_of(const struct syc_ring_reader *rest,
                           const struct stat *st)
{
	/*
	 * Compare the owners, so that no other user can make root write to
	 * other users' files.
	 */
	return rest->facts.capture_dev == st->st_dev &&
	       rest->facts.capture_ino == st->st_ino &&
	       rest->owner == st->st_uid;
}

/*
 * Determine the size.  Each batch has another offset.  So if the journal is the
 * same before and after the read of the size, the process wrote no batch in
 * between.
 */
int syc_ring_reader_live_size(struct syc_ring_reader *rest, int capture,
                              uint64_t *ret_size)
{
	const size_t head = offsetof(struct syc_ring_journal, parts);
	struct syc_ring_journal *const j = &rest->journal;
	struct syc_ring_journal after;
	struct stat st;

	for (int i = 0; i < LOOKS; i++) {
		if (!syc_ring_reader_read_at(
			    rest, j, head, syc_ring_reader_journal_at(rest)) ||
		    fstat(capture, &st) != 0 ||
		    !syc_ring_reader_read_at(rest, &after, head,
		                             syc_ring_reader_journal_at(rest)))
			return -EIO;
		if (memcmp(j, &after, head) != 0)
			continue;
		const uint64_t size = (uint64_t)st.st_size;
		*ret_size = size;
		if (j->state == SYC_JOURNAL_UNDER_WAY &&
		    j->offset >= HEADER_SIZE && j->offset <= size &&
		    size - j->offset < j->length)
			*ret_size = j->offset;
		return 0;
	}
	return -EAGAIN;
}

void syc_ring_reader_close(struct syc_ring_reader *rest)
{
	if (rest->fd >= 0)
		close(rest->fd);
	rest->fd = -1;
	free(rest->bytes);
	rest->bytes = NULL;
	syc_ring_reader_losses_fini(&rest->losses);
	free(rest->pids.items);
	rest->pids.items = NULL;
	rest->pids.n = 0;
}
