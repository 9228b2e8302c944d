/* SPDX-License-Identifier: BSD-2-Clause */
/* join_pids.c - processes that are told apart in a joined capture. */
#include "capture/join_pids.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/frame.h"
#include "capture/frame.h"
#include "data/load.h"

#define RECORD 32u /* of a table of symbols: see join_symbols.h */

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

/* Some have no more than a recorder's word for "not known". */
static bool is_made_up(const char *cmdline)
{
	return cmdline[0] == '\0' || strncmp(cmdline, "[pid ", 5) == 0;
}

bool syc_join_pids_has_cmdline(const struct syc_join_process *process,
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

	/* What is no file looks alike everywhere */
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
		process->ended = INT64_MAX; /* or the number came again */
		if (is_made_up(frame->process.cmdline) ||
		    syc_join_pids_has_cmdline(process, frame->process.cmdline))
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

/* The number that @pid of this input has in the joined capture. */
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

	/* One that was renumbered before has its frame */
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
