/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_owner.c - processes that use a ring, by their mappings and by the slots
 * of arenas.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/now.h"
#include "recorder/processes.h"
#include "recorder/rings.h"

struct inode_search {
	ino_t inode;
	bool found, any;
};

/*
 * Return whether @map maps a ring or an arena, "syscap-ring" or "syscap-rings".
 * The inode of @map identifies the ring or arena.
 */
static bool is_mapped(const struct syc_procfs_map *map)
{
	static const char name[] = "/memfd:syscap-ring";

	return strncmp(map->path, name, sizeof(name) - 1) == 0;
}

static void look_for_inode(void *context, const struct syc_procfs_map *map)
{
	struct inode_search *const search = context;

	search->any = true;
	search->found |= map->inode == search->inode && is_mapped(map);
}

/* Return whether all threads have ended.  /proc shows no memory of a first
 * thread that ended before other threads. */
static bool is_gone(int32_t host)
{
	const int fd = (int)syscall(SYS_pidfd_open, (pid_t)host, 0);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	bool gone;

	if (fd < 0)
		return errno == ESRCH;
	gone = poll(&pfd, 1, 0) > 0;
	close(fd);
	return gone;
}

/*
 * Return whether @host still has its memory.  An exiting process may lose its
 * memory during the read of the list of mappings.
 */
static bool has_memory(int32_t host)
{
	struct syc_procfs_identity now;

	return syc_procfs_identity(host, &now) == 0 && now.start_code != 0;
}

enum syc_ring_mapped syc_ring_mapped(int32_t host, ino_t inode)
{
	struct inode_search search = { .inode = inode };
	const int r = syc_procfs_maps(host, look_for_inode, &search);

	if (search.found)
		return SYC_RING_MAPPED;
	if (r == 0 && search.any && has_memory(host))
		return SYC_RING_NOT_MAPPED;
	return is_gone(host) ? SYC_RING_NOT_MAPPED : SYC_RING_UNKNOWN;
}

struct orphan_search {
	const struct syc_processes *processes;
	uint64_t recorder_start;
	struct syc_orphan *suspects;
	size_t n;
	bool blind; /* some process that may map the suspects could not be
	             * examined */
};

bool syc_orphans_is_suspect(const struct syc_ring *ring,
                            const struct syc_processes *processes)
{
	const int32_t owner = ring->pid > 0 ? ring->pid : ring->requester;

	if (owner == ring->requester &&
	    ring->image != syc_processes_image(processes, owner))
		return true;
	return !syc_processes_alive(processes, owner) &&
	       !syc_processes_alive(processes, ring->requester);
}

static int compare_inodes(const void *a, const void *b)
{
	const struct syc_orphan *one = a, *other = b;

	return (one->inode > other->inode) - (one->inode < other->inode);
}

static void see_map(void *context, const struct syc_procfs_map *map)
{
	const struct orphan_search *search = context;
	const struct syc_orphan key = { .inode = map->inode };
	struct syc_orphan *found;

	if (!is_mapped(map))
		return;
	found = bsearch(&key, search->suspects, search->n, sizeof(key),
	                compare_inodes);
	if (found != NULL)
		found->is_mapped = true;
}

static void see_mapping(void *context, int32_t pid)
{
	struct orphan_search *search = context;
	struct syc_procfs_identity identity;

	if (pid == (int32_t)getpid() ||
	    syc_procfs_identity(pid, &identity) != 0 ||
	    identity.start_time < search->recorder_start)
		return;
	if (syc_procfs_maps(pid, see_map, search) != 0 &&
	    syc_processes_alive(search->processes, pid))
		search->blind = true;
}

size_t syc_orphans_mark(struct syc_orphan *suspects, size_t n,
                        const struct syc_processes *processes)
{
	struct orphan_search search = { .processes = processes,
		                        .suspects = suspects,
		                        .n = n };
	struct syc_procfs_identity recorder;
	size_t found = 0;

	if (n == 0 || syc_procfs_identity((int32_t)getpid(), &recorder) != 0)
		return 0;
	search.recorder_start = recorder.start_time;
	qsort(suspects, n, sizeof(*suspects), compare_inodes);
	if (syc_procfs_all(see_mapping, &search) != 0)
		search.blind = true;
	for (size_t i = 0; i < n; i++)
		if (suspects[i].is_mapped || search.blind)
			*suspects[i].unmapped_for = 0;
		else
			++*suspects[i].unmapped_for, found++;
	return found;
}

/* Least time between two examinations of all processes. */
#define SEARCH_PAUSE INT64_C(50000000)

/* Return whether the pids in @arena belong to another namespace. */
static bool is_nested(const struct syc_arena_taken *arena)
{
	return arena->own_pid != arena->requester;
}

/*
 * Return whether /proc shows that the owner of a slot has left.  Otherwise the
 * slot may be in use.
 */
static bool has_left(struct syc_processes *processes, int32_t host, ino_t inode,
                     uint32_t *image)
{
	const uint32_t is = syc_processes_image(processes, host);

	if (is == *image && syc_processes_alive(processes, host))
		return false;
	if (syc_ring_mapped(host, inode) == SYC_RING_NOT_MAPPED)
		return true;
	*image = is;
	return false;
}

static struct syc_arena_user *find_user(const struct syc_arena_taken *arena,
                                        int32_t pid)
{
	for (size_t i = 0; i < arena->users.n; i++)
		if (arena->users.items[i].pid == pid)
			return &arena->users.items[i];
	return NULL;
}

/* -------------------------------------------------- in another namespace */

struct user_search {
	struct syc_arena_taken *arena;
	uint64_t recorder_start;
};

static void see_user(void *context, int32_t host)
{
	struct user_search *const search = context;
	struct syc_arena_taken *const arena = search->arena;
	struct syc_arena_user user = { .host = host };
	struct syc_procfs_identity identity;

	if (host != (int32_t)getpid() &&
	    syc_procfs_identity(host, &identity) == 0 &&
	    identity.start_time >= search->recorder_start &&
	    syc_procfs_own_pid(host, &user.pid) == 0 && user.pid != host &&
	    syc_ring_mapped(host, arena->inode) == SYC_RING_MAPPED)
		(void)syc_array_push(&arena->users, user);
}

void syc_arena_owner_search(struct syc_arena_taken *arena, int64_t *last)
{
	struct user_search search = { .arena = arena };
	struct syc_procfs_identity recorder;
	const int64_t now = syc_now();

	if (!arena->wants_search || now - *last < SEARCH_PAUSE)
		return;
	arena->wants_search = false;
	if (syc_procfs_identity((int32_t)getpid(), &recorder) == 0)
		search.recorder_start = recorder.start_time;
	arena->users.n = 0;
	if (syc_procfs_all(see_user, &search) == 0)
		arena->searches++;
	*last = syc_now();
}

/*
 * Return the recorder's number of the process, 0 if no process has @pid, or -1
 * if the number is not known yet.  A process that claimed a slot before a
 * search, and that the search did not find, has ended.
 */
static int32_t find_nested(struct syc_arena_taken *arena, uint32_t slot,
                           int32_t pid)
{
	const struct syc_arena_user *const user = find_user(arena, pid);

	if (user != NULL)
		return user->host;
	if (arena->is_over)
		return 0;
	if (arena->seen_at[slot] == 0)
		arena->seen_at[slot] = arena->searches;
	if (arena->searches > arena->seen_at[slot])
		return 0;
	arena->wants_search = true;
	return -1;
}

/* ---------------------------------------------------------------- owners */

static void settle_for(struct syc_ring *ring, int32_t host,
                       enum syc_slot_owner owner)
{
	ring->requester = host;
	ring->owner = owner;
	ring->is_over = owner != SYC_OWNER_LIVES;
}

/* Determine the owner if @host is a process without the arena, or no
 * process. */
static enum syc_slot_owner judge_other(const struct syc_arena_taken *arena,
                                       int32_t host)
{
	struct syc_procfs_identity identity;

	if (syc_procfs_identity(host, &identity) != 0 ||
	    identity.state == 'Z' || identity.state == 'X')
		return SYC_OWNER_GONE;
	return identity.start_time < arena->start ? SYC_OWNER_FOREIGN
	                                          : SYC_OWNER_REPLACED;
}

static void find_requester(struct syc_processes *processes,
                           struct syc_ring *ring)
{
	struct syc_arena_taken *const arena = ring->arena;

	if (arena->is_past ||
	    has_left(processes, arena->requester, arena->inode, &arena->image))
		settle_for(ring, arena->requester, SYC_OWNER_GONE);
	else
		settle_for(ring, arena->requester, SYC_OWNER_LIVES);
	ring->image = arena->image;
}

/* Register the process whose data was just read. */
static void meet_user(struct syc_processes *processes, struct syc_ring *ring,
                      int32_t host)
{
	struct syc_arena_user *user = find_user(ring->arena, ring->slot_pid);

	syc_processes_meet(
		processes, host,
		__atomic_load_n(&ring->shared->since, __ATOMIC_RELAXED) -
			ring->arena->clock_ahead,
		ring->arena->cmdline);
	if (!syc_processes_alive(processes, host)) {
		settle_for(ring, ring->arena->requester, SYC_OWNER_GONE);
		return;
	}
	ring->image = syc_processes_image(processes, host);
	settle_for(ring, host, SYC_OWNER_LIVES);
	if (user == NULL &&
	    syc_array_push(
		    &ring->arena->users,
		    ((struct syc_arena_user){ .pid = ring->slot_pid })) == 0)
		user = &ring->arena->users.items[ring->arena->users.n - 1];
	if (user != NULL) {
		user->host = host;
		user->image = ring->image;
	}
}

bool syc_arena_owner_find(struct syc_processes *processes,
                          struct syc_ring *ring)
{
	struct syc_arena_taken *const arena = ring->arena;
	const int32_t pid = ring->slot_pid;
	const struct syc_arena_user *const user = find_user(arena, pid);
	enum syc_slot_owner owner;
	enum syc_ring_mapped mapped;
	int32_t host = pid;

	if (pid == arena->own_pid) {
		find_requester(processes, ring);
		return true;
	}
	if (user != NULL && user->image != 0 &&
	    syc_processes_alive(processes, user->host) &&
	    syc_processes_image(processes, user->host) == user->image) {
		ring->image = user->image;
		settle_for(ring, user->host, SYC_OWNER_LIVES);
		return true;
	}
	if (is_nested(arena))
		host = find_nested(arena, ring->slot, pid);
	if (host < 0)
		return false;
	if (host > 0)
		(void)syc_processes_see(processes, host);
	/*
	 * Check the mapping afterwards, so that the data read before belongs to
	 * the owner's program
	 */
	mapped = host == 0 ? SYC_RING_NOT_MAPPED
	                   : syc_ring_mapped(host, arena->inode);
	owner = host == 0 ? SYC_OWNER_GONE : judge_other(arena, host);
	/* Accept a process that can't be examined if the process may be a
	 * child */
	if (mapped == SYC_RING_MAPPED ||
	    (mapped == SYC_RING_UNKNOWN && owner == SYC_OWNER_REPLACED))
		meet_user(processes, ring, host);
	else
		settle_for(ring, arena->requester, owner);
	return true;
}

bool syc_arena_owner_lives(struct syc_processes *processes,
                           struct syc_ring *ring)
{
	return ring->owner == SYC_OWNER_LIVES &&
	       !has_left(processes, ring->requester, ring->inode, &ring->image);
}

bool syc_arena_owner_is_gone(struct syc_arena_taken *arena, uint32_t slot,
                             int32_t pid)
{
	int32_t host = pid;

	if (pid <= 0)
		return false;
	if (pid == arena->own_pid)
		host = arena->requester;
	else if (is_nested(arena))
		host = find_nested(arena, slot, pid);
	return host >= 0 && (host == 0 || syc_ring_mapped(host, arena->inode) ==
	                                          SYC_RING_NOT_MAPPED);
}
