/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handed_arena.c - check of an arena that a process hands over, and processes
 * whose arena is missing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "recorder/rings.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/*
 * Return whether the file is a memfd.  Reads of other files may block, and a
 * read of huge pages kills the process if huge pages run out.
 */
static bool is_in_memory(int fd, int *ret_seals)
{
	struct statfs fs;

	*ret_seals = fcntl(fd, F_GET_SEALS);
	return *ret_seals >= 0 && fstatfs(fd, &fs) == 0 &&
	       fs.f_type == TMPFS_MAGIC;
}

static bool read_facts(int fd, struct syc_ring_file *facts)
{
	return pread(fd, facts, sizeof(*facts), 0) == (ssize_t)sizeof(*facts) &&
	       memcmp(facts->magic, SYC_ARENA_FILE_MAGIC,
	              sizeof(facts->magic)) == 0 &&
	       facts->version == SYC_RING_FILE_VERSION;
}

static const char *check_shape(const struct syc_ring_file *facts, uint64_t size)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

	if (facts->page_size != page ||
	    facts->front != syc_ring_file_front(page) ||
	    facts->body_size < page || facts->body_size % page != 0 ||
	    facts->body_size > SYC_ARENA_BODY_MAX || facts->n_slots < 2 ||
	    facts->n_slots > SYC_RING_FILE_SLOTS)
		return "the arena's header is invalid";
	if (size !=
	    facts->front + (uint64_t)facts->n_slots * (page + facts->body_size))
		return "the arena's size differs from the header";
	return NULL;
}

const char *syc_arena_file_map(int fd, struct syc_arena_file *ret_file)
{
	struct syc_ring_file facts;
	struct stat st;
	const char *why;
	int seals;
	void *base;

	if (!is_in_memory(fd, &seals))
		return "the fd is not a memfd";
	if (!read_facts(fd, &facts))
		return "the arena's header is missing";
	/*
	 * Without the seals, a truncation of the file would kill the recorder
	 * with SIGBUS
	 */
	if ((seals & SEALS) != SEALS)
		why = "the arena's size is not sealed";
	else if (fstat(fd, &st) != 0)
		why = strerror(errno);
	else
		why = check_shape(&facts, (uint64_t)st.st_size);
	if (why == NULL) {
		base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		            MAP_SHARED | MAP_NORESERVE, fd, 0);
		if (base == MAP_FAILED)
			why = strerror(errno);
	}
	if (why != NULL) {
		syc_arena_file_refuse(fd);
		return why;
	}
	ret_file->arena = (struct syc_arena){
		.base = base,
		.head = (struct syc_arena_head
		                 *)(void *)((unsigned char *)base +
		                            syc_ring_file_head(
						    facts.page_size)),

		.size = (size_t)st.st_size,
		.page = facts.page_size,
		.body = facts.body_size,
		.n_slots = facts.n_slots
	};
	ret_file->inode = st.st_ino;
	ret_file->pid = facts.pid;
	ret_file->began = facts.began;
	ret_file->realtime_ahead = facts.realtime_ahead;
	memcpy(ret_file->cmdline, facts.capture, sizeof(ret_file->cmdline));
	ret_file->cmdline[sizeof(ret_file->cmdline) - 1] = 0;
	return NULL;
}

/* Write to the arena by its fd, because the recorder has not mapped the
 * arena. */
void syc_arena_file_refuse(int fd)
{
	const uint32_t closed = syc_slot_word(0, SYC_ARENA_CLOSED);
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	struct syc_ring_file facts;
	int seals;

	/* Check the file first, because a write beyond the end would extend a
	 * shorter file */
	if (is_in_memory(fd, &seals) && read_facts(fd, &facts))
		(void)!pwrite(fd, &closed, sizeof(closed),
		              syc_ring_file_head(page) +
		                      offsetof(struct syc_arena_head, reader));
}

#define MISSING_MAX 65536u

void syc_missing_arenas_free(struct syc_missing_arenas *arenas)
{
	free(arenas->all.items);
}

static struct syc_arena_missing *
find_missing(const struct syc_missing_arenas *arenas, int32_t pid)
{
	for (size_t i = 0; i < arenas->all.n; i++)
		if (arenas->all.items[i].pid == pid)
			return &arenas->all.items[i];
	return NULL;
}

/* Get the entry of @pid.  Returns NULL if too many arenas are missing. */
static struct syc_arena_missing *get_missing(struct syc_missing_arenas *arenas,
                                             int32_t pid)
{
	struct syc_arena_missing *const found = find_missing(arenas, pid);

	if (found != NULL || arenas->all.n >= MISSING_MAX ||
	    syc_array_push(&arenas->all,
	                   ((struct syc_arena_missing){ .pid = pid })) != 0)
		return found;
	return &arenas->all.items[arenas->all.n - 1];
}

static bool is_missing(const struct syc_arena_missing *missing)
{
	return missing->is_lost || missing->n_late > 0;
}

void syc_missing_arenas_note_late(struct syc_missing_arenas *arenas,
                                  int32_t pid, int more)
{
	struct syc_arena_missing *const missing = get_missing(arenas, pid);

	if (missing == NULL)
		return;
	missing->n_late += more;
	if (missing->n_late == 0 && !missing->is_lost)
		*missing = arenas->all.items[--arenas->all.n];
}

void syc_missing_arenas_note_lost(struct syc_missing_arenas *arenas,
                                  int32_t pid)
{
	struct syc_arena_missing *const missing = get_missing(arenas, pid);

	/* Count a repeated message once */
	if (missing != NULL)
		missing->is_lost = true;
}

bool syc_missing_arenas_has(const struct syc_missing_arenas *arenas,
                            int32_t pid)
{
	const struct syc_arena_missing *const missing =
		find_missing(arenas, pid);

	return missing != NULL && is_missing(missing);
}

unsigned syc_missing_arenas_count(const struct syc_missing_arenas *arenas)
{
	unsigned n = 0;

	for (size_t i = 0; i < arenas->all.n; i++)
		n += is_missing(&arenas->all.items[i]);
	return n;
}
