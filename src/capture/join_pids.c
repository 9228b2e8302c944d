/* SPDX-License-Identifier: BSD-2-Clause */
/* join_pids.c - unique pids in a joined capture. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "capture/frame.h"
#include "capture/join_state.h"
#include "common/load.h"

#define RECORD 32u /* size of a record of a symbol table (join.h) */

void syc_join_pids_fini(struct syc_join_pids *pids)
{
	for (size_t i = 0; i < pids->processes.n; i++) {
		free(pids->processes.items[i].regions.items);
		free(pids->processes.items[i].cmdlines.items);
	}
	free(pids->processes.items);
	syc_map_fini(&pids->by_pid);
}

/* ---------------------------------------------------------------- learning */

static int get_process(struct syc_join_pids *pids, int32_t pid, int64_t time,
                       struct syc_join_process **ret_process)
{
	const struct syc_join_process fresh = {
		.pid = pid,
		.original = pid,
		.new_pid = pid,
		.first = time,
		.ended = INT64_MAX,
	};

	if (pids->latest >= pids->processes.n ||
	    pids->processes.items[pids->latest].pid != pid) {
		const int r = syc_map_put(&pids->by_pid, &pid, sizeof(pid),
		                          &pids->latest);

		if (r < 0 ||
		    (r > 0 && syc_array_push(&pids->processes, fresh) < 0))
			return -ENOMEM;
	}
	*ret_process = &pids->processes.items[pids->latest];
	return 0;
}

/* Return whether the command line is a placeholder, which some recorders write
 * for an unknown command line. */
static bool is_made_up(const char *cmdline)
{
	return cmdline[0] == '\0' || strncmp(cmdline, "[pid ", 5) == 0;
}

/* Return whether a PROCESS frame of the process had the command line
 * @cmdline. */
static bool has_cmdline(const struct syc_join_process *process,
                        const char *cmdline)
{
	for (size_t i = 0; i < process->cmdlines.n; i++)
		if (strcmp(process->cmdlines.items[i], cmdline) == 0)
			return true;
	return false;
}

static int add_map(struct syc_join_process *process,
                   const struct syscap_frame *frame)
{
	const struct syc_join_region region = {
		.start = frame->map.start,
		.end = frame->map.end,
		.offset = frame->map.offset,
		.inode = frame->map.inode,
		.filename = frame->map.filename,
		.build_id = frame->map.build_id,
	};

	/* Ignore regions without a file, which are equal everywhere */
	return region.filename[0] == '/'
	               ? syc_array_push(&process->regions, region)
	               : 0;
}

static int original_of(const char *text)
{
	int32_t pid;

	return sscanf(text, "%" SCNd32, &pid) == 1 && pid > 0 ? pid : 0;
}

int syc_join_pids_scan(struct syc_join_pids *pids,
                       const struct syscap_frame *frame)
{
	struct syc_join_process *process;
	int r;

	if (frame->type == SYSCAP_FRAME_FORK && frame->fork.child_pid > 0 &&
	    get_process(pids, frame->fork.child_pid, frame->time, &process) < 0)
		return -ENOMEM;
	if (frame->pid <= 0)
		return 0;
	r = get_process(pids, frame->pid, frame->time, &process);
	if (r < 0)
		return r;
	if (frame->time < process->first)
		process->first = frame->time;
	switch (frame->type) {
	case SYSCAP_FRAME_PROCESS:
		process->ended = INT64_MAX; /* no EXIT came, or the pid was
		                             * reused */
		if (is_made_up(frame->process.cmdline) ||
		    has_cmdline(process, frame->process.cmdline))
			return 0;
		return syc_array_push(&process->cmdlines,
		                      frame->process.cmdline);
	case SYSCAP_FRAME_MAP:
		return add_map(process, frame);
	case SYSCAP_FRAME_EXIT:
		process->ended = frame->time;
		return 0;
	case SYSCAP_FRAME_METADATA:
		if (strcmp(frame->metadata.id, SYC_JOIN_PIDS_ID) == 0 &&
		    original_of(frame->metadata.value) != 0)
			process->original = original_of(frame->metadata.value);
		return 0;
	default:
		return 0;
	}
}

/* ------------------------------------------------------------- renumbering */

/* Return the new number of @pid of this input in the joined capture. */
static int32_t new_pid_of(const struct syc_join_pids *pids, int32_t pid)
{
	size_t place;

	if (pids->n_changed == 0 || pid <= 0 ||
	    !syc_map_get(&pids->by_pid, &pid, sizeof(pid), &place))
		return pid;
	return pids->processes.items[place].new_pid;
}

void syc_join_pids_frame(const struct syc_join_pids *pids,
                         unsigned char *buffer)
{
	unsigned char *const pid = buffer + SYC_AT(frame, pid);
	unsigned char *const child = buffer + SYC_AT(fork, child_pid);

	if (pids->n_changed == 0)
		return;
	syc_store_u32(pid,
	              (uint32_t)new_pid_of(pids, syc_load_i32(pid, false)));
	if (buffer[SYC_AT(frame, type)] == SYSCAP_FRAME_FORK)
		syc_store_u32(child, (uint32_t)new_pid_of(
					     pids, syc_load_i32(child, false)));
}

static void store_pid(unsigned char *to, uint32_t value, bool big)
{
	syc_store_u32(to, big ? __builtin_bswap32(value) : value);
}

void syc_join_pids_table(const struct syc_join_pids *pids, unsigned char *data,
                         bool big)
{
	static const unsigned char zeros[24];

	if (pids->n_changed == 0)
		return;
	for (unsigned char *p = data; memcmp(p, zeros, sizeof(zeros)) != 0;
	     p += RECORD)
		store_pid(p + 16,
		          (uint32_t)new_pid_of(pids, syc_load_i32(p + 16, big)),
		          big);
}

bool syc_join_pids_path(const struct syc_join_pids *pids, const char *path,
                        char *text, size_t size)
{
	int32_t pid, new_pid;
	int end = 0;

	if (pids->n_changed == 0 ||
	    sscanf(path, "/proc/%" SCNd32 "%n", &pid, &end) != 1 ||
	    path[end] != '/')
		return false;
	new_pid = new_pid_of(pids, pid);
	return new_pid != pid && snprintf(text, size, "/proc/%" PRId32 "%s",
	                                  new_pid, path + end) < (int)size;
}

bool syc_join_pids_metadata(const struct syc_join_process *process,
                            unsigned char *buffer)
{
	struct syscap_wire_metadata *const metadata = (void *)buffer;
	const size_t size = 16;

	/* A process that an earlier join renumbered has a frame already */
	if (process->new_pid == process->pid ||
	    process->original != process->pid)
		return false;
	syc_frame_begin(&metadata->frame, SYSCAP_FRAME_METADATA,
	                process->new_pid, process->first);
	memset(metadata->id, 0, sizeof(metadata->id) + size);
	memcpy(metadata->id, SYC_JOIN_PIDS_ID, sizeof(SYC_JOIN_PIDS_ID));
	snprintf((char *)(metadata + 1), size, "%" PRId32, process->pid);
	syc_frame_end(&metadata->frame, sizeof(*metadata) + size);
	return true;
}

/* Return whether two texts are equal.  NULL equals any text, because a recorder
 * may write only the inode, or only the build-id. */
static bool same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL || strcmp(a, b) == 0;
}

static bool same_inode(uint64_t a, uint64_t b)
{
	return a == 0 || b == 0 || a == b;
}

static bool same_region(const struct syc_join_region *a,
                        const struct syc_join_region *b)
{
	return a->start == b->start && a->end == b->end &&
	       a->offset == b->offset && same_inode(a->inode, b->inode) &&
	       strcmp(a->filename, b->filename) == 0 &&
	       same_text(a->build_id, b->build_id);
}

static bool has_region(const struct syc_join_process *process,
                       const struct syc_join_region *region)
{
	for (size_t i = 0; i < process->regions.n; i++)
		if (same_region(&process->regions.items[i], region))
			return true;
	return false;
}

/* Return whether the programs and one more mapping are equal, because a program
 * may have a fixed address. */
static bool same_maps(const struct syc_join_process *a,
                      const struct syc_join_process *b)
{
	if (!same_region(&a->regions.items[0], &b->regions.items[0]))
		return false;
	if (a->regions.n == 1 || b->regions.n == 1)
		return true;
	for (size_t i = 1; i < a->regions.n; i++)
		if (has_region(b, &a->regions.items[i]))
			return true;
	return false;
}

enum verdict {
	OTHER,
	UNKNOWN, /* no evidence for equality or difference */
	SAME
};

static enum verdict compare(const struct syc_join_process *a,
                            const struct syc_join_process *b)
{
	if (a->ended < b->first || b->ended < a->first)
		return OTHER;
	if (a->regions.n > 0 && b->regions.n > 0)
		return same_maps(a, b) ? SAME : OTHER;
	if (a->cmdlines.n == 0 || b->cmdlines.n == 0)
		return UNKNOWN;
	for (size_t i = 0; i < a->cmdlines.n; i++)
		if (has_cmdline(b, a->cmdlines.items[i]))
			return SAME;
	return OTHER;
}

/* A process of an input. The processes of one original pid form a list. */
struct known {
	const struct syc_join_process *process;
	size_t input, next; /* next: 1 + index of the next process */
};

struct settling {
	struct syc_map by_original;
	SYC_ARRAY(size_t) heads; /* 1 + index of the first process of a pid */
	SYC_ARRAY(struct known) known;
	/* All process numbers in inputs, original and new. */
	struct syc_map used;
	struct syc_map given;
	SYC_ARRAY(size_t) given_to; /* inputs that use the numbers */
	int32_t last;
};

/* Reserve @number.  Returns 1, 0 if an earlier process has it, or -ENOMEM. */
static int give(struct settling *settling, int32_t number, size_t input,
                size_t *ret_other)
{
	size_t place;
	const int r =
		syc_map_put(&settling->given, &number, sizeof(number), &place);

	if (r > 0)
		return syc_array_push(&settling->given_to, input) < 0 ? -ENOMEM
		                                                      : 1;
	if (r == 0)
		*ret_other = settling->given_to.items[place];
	return r;
}

static int fresh(struct settling *settling, int32_t *ret_number)
{
	size_t unused;
	int r;

	do
		r = syc_map_put(&settling->used, &settling->last,
		                sizeof(settling->last), &unused);
	while (r == 0 && settling->last++ < INT32_MAX - 1);
	*ret_number = settling->last;
	return r > 0 ? 0 : -ENOMEM;
}

/* Return whether @process may have the number @number, by the processes in the
 * list @head. */
static bool may_be(const struct settling *settling,
                   const struct syc_join_process *process, int32_t number,
                   size_t input, size_t head)
{
	for (size_t at = head; at != 0;) {
		const struct known *const k = &settling->known.items[at - 1];

		if (k->process->new_pid == number &&
		    (k->input == input ||
		     compare(k->process, process) == OTHER))
			return false;
		at = k->next;
	}
	return true;
}

/* Find the same process in an earlier input, or NULL. */
static const struct syc_join_process *
find_earlier(const struct settling *settling,
             const struct syc_join_process *process, size_t input, size_t head)
{
	const struct syc_join_process *found = NULL;

	for (size_t at = head; at != 0;) {
		const struct known *const k = &settling->known.items[at - 1];
		const enum verdict verdict =
			k->input == input ? OTHER
					  : compare(k->process, process);

		if (verdict == SAME)
			return k->process;
		if (verdict == UNKNOWN &&
		    may_be(settling, process, k->process->new_pid, input, head))
			found = k->process;
		at = k->next;
	}
	return found;
}

static int settle_one(struct settling *settling,
                      struct syc_join_process *process, size_t input,
                      bool *ret_changed, size_t *ret_other)
{
	const struct known known = { .process = process, .input = input };
	size_t place;
	int r = syc_map_put(&settling->by_original, &process->original,
	                    sizeof(process->original), &place);

	if (r < 0 || (r > 0 && syc_array_push(&settling->heads, 0) < 0))
		return -ENOMEM;
	const struct syc_join_process *const same = find_earlier(
		settling, process, input, settling->heads.items[place]);
	*ret_changed = false;
	if (same != NULL) {
		process->new_pid = same->new_pid;
	} else {
		r = give(settling, process->pid, input, ret_other);
		*ret_changed = r == 0;
		if (r == 0)
			r = fresh(settling, &process->new_pid);
		if (r < 0)
			return r;
	}
	if (syc_array_push(&settling->known, known) < 0)
		return -ENOMEM;
	settling->known.items[settling->known.n - 1].next =
		settling->heads.items[place];
	settling->heads.items[place] = settling->known.n;
	return 0;
}

int syc_join_pids_settle(
	struct syc_join_pids *const *inputs, size_t n,
	void (*reported)(void *data, size_t input,
                         const struct syc_join_process *process, size_t other),
	void *data)
{
	struct settling settling = { .last = SYC_JOIN_PIDS_FIRST };
	size_t unused, other = 0;
	bool changed;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++)
		for (size_t k = 0; r >= 0 && k < inputs[i]->processes.n; k++)
			r = syc_map_put(&settling.used,
			                &inputs[i]->processes.items[k].pid,
			                sizeof(int32_t), &unused);
	for (size_t i = 0; r >= 0 && i < n; i++)
		for (size_t k = 0; r >= 0 && k < inputs[i]->processes.n; k++) {
			struct syc_join_process *const process =
				&inputs[i]->processes.items[k];

			r = settle_one(&settling, process, i, &changed, &other);
			inputs[i]->n_changed +=
				process->new_pid != process->pid;
			if (r >= 0 && changed)
				reported(data, i, process, other);
		}
	syc_map_fini(&settling.by_original);
	syc_map_fini(&settling.used);
	syc_map_fini(&settling.given);
	free(settling.heads.items);
	free(settling.known.items);
	free(settling.given_to.items);
	return r < 0 ? r : 0;
}
