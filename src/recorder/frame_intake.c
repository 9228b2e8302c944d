/* SPDX-License-Identifier: BSD-2-Clause */
/* frame_intake.c - path of a cleaned frame from a ring to the file. */
#define _GNU_SOURCE
#include "recorder/frame_intake.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/frame.h"
#include "common/now.h"
#include "common/strings.h"
#include "recorder/processes.h"
#include "recorder/rings.h"
#include "symbols/process_maps.h"

/*
 * Greatest number of pids in one ring.  A ring has one writer, but a forked
 * child of a stock client continues with its parent's ring.  More pids are
 * invalid data, and each pid costs a lookup in /proc.
 */
#define PIDS_PER_RING 16u

#define SEVERITY_WARNING 16

static bool has_mapped(void *data, int32_t host)
{
	const struct syc_ring *ring = data;

	return syc_ring_mapped(host, ring->inode) == SYC_RING_MAPPED;
}

/*
 * Return the process that writes to @ring, by the recorder's number.  A
 * requester may have received another requester's ring.  If two processes in
 * different namespaces see themselves as @pid, the writer is the process that
 * has mapped @ring.
 */
static int32_t find_user(const struct syc_intake *intake, struct syc_ring *ring,
                         int32_t pid)
{
	const int32_t user =
		pid == ring->requester
			? 0
			: syc_processes_user(intake->processes, pid, has_mapped,
	                                     ring);

	return user != 0 ? user : ring->requester;
}

/*
 * Return the number in the capture of a process of @arena that sees itself as
 * @pid.  The recorder's number of an ended process is unknown.  If @pid now
 * belongs to another process, use the pid by which the sender knows itself.
 */
static int32_t meet_user(struct syc_intake *intake,
                         const struct syc_arena_taken *arena, int32_t user,
                         int32_t pid, bool lives, int64_t since)
{
	struct syc_processes *const processes = intake->processes;
	int32_t shown = syc_processes_shown(processes, user, pid);

	syc_processes_heard(processes, user);
	if (lives) {
		syc_processes_know(processes, shown, user);
		return shown;
	}
	if (arena->own_pid != arena->requester && pid != arena->own_pid &&
	    syc_processes_is_other(processes, shown, arena->requester))
		shown = syc_processes_shown(processes, user, arena->own_pid);
	syc_processes_past(processes, shown, arena->requester,
	                   since - arena->clock_ahead, arena->cmdline);
	return shown;
}

/*
 * Report that an unseen child runs the program of its arena's creator, if the
 * program was seen or reported.
 */
static void report_parent(struct syc_intake *intake,
                          const struct syc_ring *ring, int64_t since)
{
	const struct syc_arena_taken *const arena = ring->arena;

	if (ring->slot_pid != arena->own_pid &&
	    ring->owner != SYC_OWNER_FOREIGN &&
	    (!arena->is_past ||
	     !syc_processes_alive(intake->processes, arena->requester)))
		syc_processes_inherits(intake->processes, ring->shown_pid,
		                       arena->requester,
		                       since - ring->clock_ahead);
}

/* Register the owner of a slot, which was determined when the slot was
 * found. */
static void meet_owner(struct syc_intake *intake, struct syc_ring *ring)
{
	const struct syc_arena_taken *const arena = ring->arena;
	const bool lives = ring->owner == SYC_OWNER_LIVES;
	const int64_t since =
		__atomic_load_n(&ring->shared->since, __ATOMIC_RELAXED);

	ring->known_pid = ring->pid = ring->slot_pid;
	ring->clock_ahead = arena->clock_ahead;
	if (lives)
		(void)syc_procfs_clock_ahead(ring->requester,
		                             &ring->clock_ahead);
	ring->shown_pid =
		meet_user(intake, arena, ring->requester,
	                  ring->owner == SYC_OWNER_FOREIGN ? arena->own_pid
	                                                   : ring->slot_pid,
	                  lives, since);
	report_parent(intake, ring, since);
}

static const char *meet_process(struct syc_intake *intake,
                                struct syc_ring *ring, int32_t pid)
{
	if (ring->arena != NULL && pid != ring->slot_pid)
		return "the frames have a different pid from the slot's";
	if (ring->arena != NULL) {
		meet_owner(intake, ring);
		return NULL;
	}
	if (++ring->pids > PIDS_PER_RING)
		return "the frames have too many pids";
	const int32_t user = find_user(intake, ring, pid);
	syc_processes_heard(intake->processes, user);
	ring->known_pid = pid;
	ring->shown_pid = syc_processes_shown(intake->processes, user, pid);
	(void)syc_procfs_clock_ahead(user, &ring->clock_ahead);
	syc_processes_know(intake->processes, ring->shown_pid, user);
	if (ring->pid == 0)
		ring->pid = pid;
	return NULL;
}

static void counter_problem(struct syc_intake *intake, int r, int32_t pid)
{
	if (r == 0 || intake->counter_error != 0)
		return;
	intake->counter_error = r;
	syc_console_print(intake->console, "omitted counters of process %d: %s",
	                  pid, strerror(-r));
}

static void take_loss_record(struct syc_intake *intake, struct syc_ring *ring,
                             const struct syscap_wire_mark *mark)
{
	struct syc_loss loss;

	if (!syc_loss_record_is(mark->group, mark->name) ||
	    !syc_loss_record_parse((const char *)(mark + 1), &loss))
		return;
	syc_losses_count_up(&intake->lost, loss.total);
	intake->sampling.lost += loss.frames[SYSCAP_FRAME_SAMPLE];
	/* Records with other tids belong to threads that never had a ring. */
	if (loss.tid == ring->tid)
		syc_losses_add(&ring->reported, &loss);
}

/* Process a frame of unmapped code.  A frame "all" needs no action, because all
 * mappings follow. */
static void take_unmapped(struct syc_intake *intake,
                          const struct syscap_wire_metadata *metadata)
{
	uint64_t start, end;

	if (syc_process_maps_parse_range((const char *)(metadata + 1), &start,
	                                 &end) &&
	    end != UINT64_MAX)
		syc_processes_unmapped(intake->processes, metadata->frame.pid,
		                       start, end);
}

/* Process a frame with a report of a process.  Only syscap's clients write such
 * frames. */
static void take_fact(struct syc_intake *intake,
                      const struct syscap_wire_metadata *metadata)
{
	if (strncmp(metadata->id, "syscap.sampler", sizeof(metadata->id)) == 0)
		syc_processes_sampler(
			intake->processes, metadata->frame.pid,
			metadata->frame.time,
			strncmp((const char *)(metadata + 1), "none:", 5) != 0);
	else if (strncmp(metadata->id, "syscap.sampler.unsampled",
	                 sizeof(metadata->id)) == 0 ||
	         strncmp(metadata->id, "syscap.sampler.delivered",
	                 sizeof(metadata->id)) == 0)
		syc_sampling_summary_note(&intake->sampling,
		                          (const char *)(metadata + 1));
	else if (strncmp(metadata->id, "syscap.sampler.ended",
	                 sizeof(metadata->id)) == 0)
		syc_sampling_summary_note_end(&intake->sampling);
	else if (strncmp(metadata->id, "syscap.filter", sizeof(metadata->id)) ==
	         0)
		syc_sampling_summary_note_filter(&intake->sampling,
		                                 (const char *)(metadata + 1));
	else if (strncmp(metadata->id, SYC_UNMAPPED_ID, sizeof(metadata->id)) ==
	         0)
		take_unmapped(intake, metadata);
}

/*
 * Count a thread.  A sampler writes stacks of other threads into its own ring,
 * so a thread may have no ring.
 */
static void count_thread(struct syc_intake *intake, int32_t pid, int32_t tid)
{
	const int32_t key[2] = { pid, tid };
	size_t number;

	if (intake->threads.n < SYC_INTAKE_THREADS)
		intake->has_more_threads |=
			syc_map_put(&intake->threads, key, sizeof(key),
		                    &number) < 0;
	else
		intake->has_more_threads |= !syc_map_get(&intake->threads, key,
		                                         sizeof(key), &number);
}

void syc_intake_count_joined(struct syc_intake *intake,
                             const struct syscap_frame *frame)
{
	struct syc_loss loss;

	if (syc_losses_read(frame, &loss))
		syc_losses_count_up(&intake->lost, loss.total);
	else if (frame->tid > 0)
		count_thread(intake, frame->pid, frame->tid);
}

static void take_stack(struct syc_intake *intake, const struct syc_ring *ring,
                       const struct syscap_wire_frame *frame)
{
	const struct syscap_wire_sample *sample = (const void *)frame;
	const struct syscap_wire_allocation *allocation = (const void *)frame;

	const int32_t tid = frame->type == SYSCAP_FRAME_ALLOCATION
	                            ? allocation->tid
	                            : sample->tid;

	intake->stacks++;
	if (ring->has_client_block && tid > 0 && tid != ring->tid)
		count_thread(intake, frame->pid, tid);
	if (frame->type == SYSCAP_FRAME_ALLOCATION) {
		intake->allocations += allocation->size > 0;
		intake->command_allocations += frame->pid == intake->command;
		syc_processes_stack(intake->processes, frame->pid,
		                    (const uint64_t *)(allocation + 1),
		                    allocation->n_addrs);
		return;
	}
	if (frame->type == SYSCAP_FRAME_SAMPLE &&
	    syc_sample_is_of_timer(frame->padding2)) {
		intake->samples++;
		intake->command_samples += frame->pid == intake->command;
		syc_sampling_summary_take(&intake->sampling, sample);
	}
	syc_processes_stack(intake->processes, frame->pid,
	                    (const uint64_t *)(sample + 1), sample->n_addrs);
}

void syc_intake_fini(struct syc_intake *intake)
{
	syc_map_fini(&intake->threads);
}

const char *syc_intake_frame(void *context, struct syc_ring *ring,
                             struct syscap_wire_frame *frame)
{
	struct syc_intake *intake = context;
	const char *why;
	int r;

	if (frame->pid > 0 && frame->pid != ring->known_pid) {
		why = meet_process(intake, ring, frame->pid);
		if (why != NULL)
			return why;
	}
	if (frame->pid > 0)
		frame->pid = ring->shown_pid;
	frame->time -= ring->clock_ahead;
	switch (frame->type) {
	case SYSCAP_FRAME_CTRDEF:
		r = syc_renumber_ctrdef(intake->renumber, &ring->counters,
		                        (void *)frame);
		counter_problem(intake, r, frame->pid);
		if (((struct syscap_wire_ctrdef *)frame)->n_counters == 0)
			return NULL;
		break;
	case SYSCAP_FRAME_CTRSET:
		r = syc_renumber_ctrset(intake->renumber, &ring->counters,
		                        (void *)frame);
		counter_problem(intake, r, frame->pid);
		if (((struct syscap_wire_ctrset *)frame)->n_groups == 0)
			return NULL;
		break;
	case SYSCAP_FRAME_MARK:
		take_loss_record(intake, ring, (void *)frame);
		break;
	case SYSCAP_FRAME_METADATA:
		take_fact(intake, (void *)frame);
		break;
	case SYSCAP_FRAME_MAP:
		syc_processes_map(intake->processes, frame->pid, (void *)frame);
		break;
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_TRACE:
	case SYSCAP_FRAME_ALLOCATION:
		take_stack(intake, ring, frame);
		break;
	default:
		break;
	}
	syc_writer_add(intake->writer, frame);
	return NULL;
}

int32_t syc_intake_owner(struct syc_intake *intake, struct syc_ring *ring)
{
	if (ring->arena != NULL && ring->known_pid == 0)
		meet_owner(intake, ring);
	if (ring->pid <= 0)
		return ring->requester;
	return ring->pid == ring->known_pid
	               ? ring->shown_pid
	               : syc_processes_shown(intake->processes, ring->requester,
	                                     ring->pid);
}

static void write_loss(struct syc_intake *intake, int32_t pid,
                       const struct syc_loss *loss,
                       const struct syc_ring_losses *all, int64_t clock_ahead)
{
	const int64_t now = syc_now();
	int64_t from = __atomic_load_n(&all->from, __ATOMIC_RELAXED);
	int64_t to = __atomic_load_n(&all->to, __ATOMIC_RELAXED);

	if (from > 0)
		from -= clock_ahead;
	if (to > 0)
		to -= clock_ahead;
	if (to <= 0 || to > now)
		to = now;
	if (from <= 0 || from > to)
		from = to;
	syc_losses_compose(&intake->frame, loss, pid, from, to);
	syc_writer_add(intake->writer, &intake->frame);
	syc_losses_count_up(&intake->lost, loss->total);
	intake->sampling.lost += loss->frames[SYSCAP_FRAME_SAMPLE];
}

/* Write the losses that the writer counted without space for a record. */
static void write_losses(struct syc_intake *intake, struct syc_ring *ring)
{
	struct syc_loss rest;

	if (!ring->has_client_block ||
	    !syc_losses_remainder(&ring->shared->lost, &ring->reported, &rest))
		return;
	rest.tid = ring->tid;
	const int32_t pid = syc_intake_owner(intake, ring);
	syc_processes_know(intake->processes, pid, ring->requester);
	write_loss(intake, pid, &rest, &ring->shared->lost, ring->clock_ahead);
}

void syc_intake_stray(struct syc_intake *intake,
                      const struct syc_arena_taken *arena, bool lives)
{
	const struct syc_ring_losses *const all =
		&syc_arena_head(&arena->map)->lost;
	const struct syc_loss none = { 0 };
	struct syc_loss rest;

	if (!syc_losses_remainder(all, &none, &rest))
		return;
	rest.tid = arena->own_pid;
	write_loss(intake,
	           meet_user(intake, arena, arena->requester, arena->own_pid,
	                     lives, 0),
	           &rest, all, arena->clock_ahead);
}

/*
 * Report a closed ring on stderr for the user, and in the file for its readers.
 */
static void report_closed(struct syc_intake *intake, struct syc_ring *ring)
{
	char who[64], text[256];
	const int32_t pid = syc_intake_owner(intake, ring);

	if (ring->tid > 0)
		snprintf(who, sizeof(who), "thread %d of process %d", ring->tid,
		         pid);
	else if (pid == ring->requester)
		snprintf(who, sizeof(who), "process %d", pid);
	else /* frames may contain any data */
		snprintf(who, sizeof(who), "process %d (requested by %d)", pid,
		         ring->requester);
	snprintf(text, sizeof(text),
	         "closed the ring of %s after %" PRIu64
	         " frame%s, at byte %" PRIu64 ": %s",
	         who, ring->frames, syc_plural(ring->frames), ring->position,
	         ring->why);
	syc_console_print(intake->console, "%s", text);
	if (pid > 0)
		syc_processes_know(intake->processes, pid, ring->requester);
	syc_compose_log(&intake->frame, pid > 0 ? pid : -1, ring->tid,
	                syc_now(), SEVERITY_WARNING, "syscap", text);
	syc_writer_add(intake->writer, &intake->frame);
	intake->closed++;
}

void syc_intake_end(struct syc_intake *intake, struct syc_ring *ring)
{
	syc_ring_look_for_client(ring);
	if (ring->used && ring->has_client_block)
		count_thread(intake,
		             ring->pid == ring->known_pid ? ring->shown_pid
		                                          : ring->pid,
		             ring->tid);
	else if (ring->used)
		intake->other_rings++;
	write_losses(intake, ring);
	if (ring->why != NULL)
		report_closed(intake, ring);
}

void syc_intake_report_missing(struct syc_intake *intake, unsigned n)
{
	char text[96];

	if (n == 0)
		return;
	snprintf(text, sizeof(text), "could not record %u process%s", n,
	         n == 1 ? "" : "es");
	syc_compose_log(&intake->frame, -1, 0, syc_now(), SEVERITY_WARNING,
	                "syscap", text);
	syc_writer_add(intake->writer, &intake->frame);
}
