/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.c - data that all threads of the process share: its block, and the
 * renewal of the data in a forked child.
 */
#define _GNU_SOURCE
#include "emit/process.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "copies/copies.h"
#include "emit/event.h"
#include "emit/recorder.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/process.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/clock.h"

struct syc_process *syc_process;

static const char *reason = "nothing was recorded yet"; /* without a block */

const char **syc_process_reason(void)
{
	return syc_block_is_there() ? &syc_block->reason : &reason;
}

void syc_process_set_reason(const char *text)
{
	__atomic_store_n(syc_process_reason(), text, __ATOMIC_RELAXED);
}

void syc_process_turn_off(const char *why)
{
	syc_process_set_reason(why);
	if (syc_block_is_there())
		syc_copies_set_active(0);
	else
		__atomic_store_n(&syc_active, 0, __ATOMIC_RELAXED);
	syc_diag_say("recording is off", why);
}

int syc_process_next_epoch(void)
{
	return __atomic_add_fetch(&syc_block->last_epoch, 1, __ATOMIC_RELAXED);
}

/* This struct is missing in programs that emit no addresses. */
#pragma weak syc_map_frames

static const char *why_alone = "";
/* False: this copy uses another C library, whose keys may have the same
 * numbers, and share values. */
static bool has_keys = true;

const char *syc_block_why_alone(void)
{
	return __atomic_load_n(&why_alone, __ATOMIC_RELAXED);
}

bool syc_block_is_shareable(void)
{
	return *syc_block_why_alone() == '\0';
}

static void work_alone(const char *why)
{
	__atomic_store_n(&why_alone, why, __ATOMIC_RELAXED);
	syc_diag_say("this copy shares no data", why);
}

/* The states begin at a page boundary. */
static size_t wiped_front(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct syc_process) + page - 1) / page * page;
}

/*
 * The kernel zeroes the mapping of syc_process and the states in a child.  The
 * block has another mapping.  Without MADV_WIPEONFORK (Linux < 4.14) the fork
 * handler clears the first mapping, and the library does not notice _Fork().
 */
static struct syc_block *make_block(const struct syc_control_socket *control,
                                    const struct sockaddr_un *recorder,
                                    uint32_t arena_body,
                                    const struct syc_destination *environment)
{
	const size_t front = wiped_front();
	const size_t size = front + SYC_THREADS_MAX * sizeof(struct syc_state);
	const size_t kept = sizeof(struct syc_block) +
	                    SYC_THREADS_MAX * sizeof(struct syc_mapped);
	char *const wiped =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *const base =
		mmap(NULL, kept, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (wiped == MAP_FAILED || base == MAP_FAILED) {
		if (wiped != MAP_FAILED)
			munmap(wiped, size);
		if (base != MAP_FAILED)
			munmap(base, kept);
		return NULL;
	}
	if (madvise(wiped, size, MADV_WIPEONFORK) != 0)
		syc_diag_say("MADV_WIPEONFORK", "not supported: children of "
		                                "_Fork() must not emit");
	struct syc_block *const block = (struct syc_block *)(void *)base;
	block->process = (struct syc_process *)(void *)wiped;
	block->states = (struct syc_state *)(void *)(wiped + front);
	block->mapped = (struct syc_mapped *)(void *)(base + sizeof(*block));
	block->reason = "nothing was recorded yet";
	block->control = *control;
	block->recorder = recorder;
	block->arena_body = arena_body;
	block->environment = environment;
	/* Set this before the first event.  A vfork() child that has the first
	 * event must not be taken for this process */
	block->process->born = getpid();
	block->process->pid = block->process->born;
	block->process->since = syc_clock_kernel();
	return block;
}

/* Store the pointers to @block.  If two threads adopt the same block at one
 * time, the first thread stores.  The other thread stores after a timeout, as
 * in a child that was forked during the set-up. */
static void use_block(struct syc_block *block)
{
	static struct syc_block *taken;
	struct syc_block *none = NULL;

	if (!syc_process_is_there() &&
	    !__atomic_compare_exchange_n(&taken, &none, block, false,
	                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		for (int i = 0; i < 10 && !syc_process_is_there(); i++)
			syc_futex_nap();
	if (syc_process_is_there())
		return;
	if (&syc_map_frames != NULL)
		__atomic_store_n(&block->map_frames, &syc_map_frames,
		                 __ATOMIC_RELEASE);
	__atomic_store_n(&syc_states, block->states, __ATOMIC_RELEASE);
	__atomic_store_n(&syc_block, block, __ATOMIC_RELEASE);
	__atomic_store_n(&syc_process, block->process, __ATOMIC_RELEASE);
}

bool syc_block_adopt(void)
{
	struct syc_block *const block =
		__atomic_load_n(&syc_own_words.block, __ATOMIC_ACQUIRE);

	if (block == NULL)
		return false;
	if (!syc_copies_enter(block, &syc_active, &syc_look_due)) {
		/* Later copies find the words of another copy */
		__atomic_store_n(&syc_own_words.block, NULL, __ATOMIC_RELAXED);
		work_alone("there are too many copies");
		return false;
	}
	use_block(block);
	return true;
}

bool syc_block_find(void)
{
	struct syc_block *block;

	if (syc_block_adopt())
		return true;
	if (!syc_block_is_shareable())
		return false;
	switch (syc_discovery_find(&block)) {
	case 0:
		__atomic_store_n(&syc_own_words.block, block, __ATOMIC_RELEASE);
		return syc_block_adopt();
	case -EXDEV:
		has_keys = false;
		work_alone("this copy of the library uses another C library "
		           "than the program (dlmopen)");
		return false;
	default:
		return false;
	}
}

static void discard_block(struct syc_block *block)
{
	if (block->exit_key != 0)
		pthread_key_delete((pthread_key_t)(block->exit_key - 1));
	munmap(block->process,
	       wiped_front() + SYC_THREADS_MAX * sizeof(struct syc_state));
	munmap(block,
	       sizeof(*block) + SYC_THREADS_MAX * sizeof(struct syc_mapped));
}

int syc_block_make(const struct syc_control_socket *control,
                   const struct sockaddr_un *recorder, uint32_t arena_body,
                   const struct syc_destination *environment,
                   const struct syc_block_hooks *hooks)
{
	pthread_key_t key;

	if (syc_block_find())
		return 0;
	struct syc_block *const block =
		make_block(control, recorder, arena_body, environment);
	if (block == NULL)
		return -ENOMEM;
	syc_clock_init(block);
	if (has_keys && pthread_key_create(&key, hooks->on_thread_exit) == 0)
		block->exit_key = 1 + key;
	if (syc_block_is_shareable() && syc_discovery_publish(block) != 0 &&
	    syc_block_find()) {
		discard_block(block); /* another copy was faster */
		return 0;
	}
	block->is_alone = !syc_block_is_shareable();
	syc_copies_enter(block, &syc_active, &syc_look_due);
	use_block(block);
	pthread_atfork(hooks->on_fork, NULL, hooks->on_child);
	at_quick_exit(hooks->on_quick_exit);
	return 0;
}

void syc_child_prepare(void)
{
	struct syc_state *const own =
		syc_process_is_there() ? syc_thread_of_self() : NULL;

	if (own != NULL)
		syc_thread_mapped(own)->is_emitting =
			own->hot.owner != 0 || own->hot.disturbed != 0;
}

/*
 * F1: no thread of this child claims the forking thread's state, because the
 * forking thread still has a pointer to the state.  @own is the state, or NULL.
 * @is_first: the calling thread is the thread that forked.  If @is_first is
 * false, or other copies of the library may have pointers to other states, no
 * state is claimed.
 */
static void leave_states(const struct syc_state *own, bool is_first)
{
	const uint32_t ever =
		__atomic_load_n(&syc_block->states_ever, __ATOMIC_RELAXED);
	const bool is_known = is_first && (syc_thread_watched() != NULL ||
	                                   syc_copies_count() == 1);

	for (uint32_t i = 0; i < ever; i++)
		if (!is_known || syc_state_at(i) == own)
			__atomic_store_n(
				&syc_thread_mapped(syc_state_at(i))->is_left,
				true, __ATOMIC_RELAXED);
}

static void begin_child(void)
{
	const int32_t pid = getpid();
	const int64_t since = syc_clock_kernel();

	syc_process->born = pid;
	syc_process->since = since;
	syc_process->is_child = true;
	if (syc_process->pid == pid) /* another fork handler has emitted */
		return;
	if (syc_process->pid != 0) { /* the kernel did not clear this memory */
		memset(syc_process, 0, sizeof(*syc_process));
		memset(syc_states, 0,
		       syc_block->states_ever * sizeof(struct syc_state));
		syc_process->born = pid;
		syc_process->since = since;
		syc_process->is_child = true;
	}
	syc_connection_forget();
	if (syc_own_recording != NULL)
		syc_own_recording->begin_child();
	const struct syc_state *const own = syc_thread_of_self();
	leave_states(own, true);
	if (own == NULL)
		return;
	syc_process->may_continue = !syc_thread_mapped(own)->is_emitting;
	syc_thread_ring_drop_inherited(own, true);
}

void syc_child_begin(void)
{
	struct syc_undisturbed before;

	if (syc_seccomp_is_closed())
		return;
	syc_undisturbed_begin(&before);
	begin_child();
	syc_undisturbed_end(&before);
}

/* Wait for another thread that does the set-up.  Returns 0 if the set-up takes
 * longer than 5 s. */
static int32_t wait_for_pid(void)
{
	for (int i = 0; i < 5000; i++) {
		const int32_t pid =
			__atomic_load_n(&syc_process->pid, __ATOMIC_ACQUIRE);

		if (pid > 0)
			return pid;
		syc_futex_nap();
	}
	return 0;
}

int32_t syc_child_pid(void)
{
	const int32_t known =
		__atomic_load_n(&syc_process->pid, __ATOMIC_ACQUIRE);

	if (known > 0)
		return known;
	const int32_t pid = getpid();
	if (syc_process->born != 0 && syc_process->born != pid)
		return 0; /* a vfork() child of a process without events */
	/* A forked child has its first event.  The first thread does the set-up
	 * with signals blocked, so that no handler waits for its own thread. */
	int32_t expected = 0;
	if (!__atomic_compare_exchange_n(&syc_process->pid, &expected, -1,
	                                 false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_ACQUIRE))
		return wait_for_pid();
	syc_connection_forget();
	syc_handed_arena_begin_child();
	const uint32_t inherited =
		__atomic_load_n(&syc_block->states_ever, __ATOMIC_RELAXED);
	const struct syc_state *const own = syc_thread_of_self();
	const bool is_main = pid == gettid();
	syc_process->high_water = inherited;
	if (!syc_process->is_child) /* the process began by _Fork() or clone */
		leave_states(own, is_main);
	for (uint32_t i = 0; i < inherited; i++)
		syc_thread_ring_drop_inherited(
			syc_state_at(i), !is_main || syc_state_at(i) == own);
	__atomic_store_n(&syc_process->pid, pid, __ATOMIC_RELEASE);
	return pid;
}

/* ------------------------------ facts about the process in its first ring */

#define CMDLINE_MAX 1024u

static bool announce_process(struct syc_thread *st)
{
	char cmdline[CMDLINE_MAX];
	const size_t n = syc_text_cut(
		cmdline, syc_own_proc_cmdline(cmdline, sizeof(cmdline)),
		sizeof(cmdline) - 2);
	const uint32_t len = syc_text_frame_len(SYC_HEAD_SIZE, n);
	unsigned char *const frame =
		syc_ring_space_take(st, st->limit, len, syc_clock_kernel());

	if (frame == NULL)
		return false;
	syc_store_word(frame + len - 8, 0);
	memcpy(frame + SYC_HEAD_SIZE, cmdline, n);
	syc_commit(frame, SYSCAP_FRAME_PROCESS, 0);
	return true;
}

/* Add the time by which the clock @id is ahead of CLOCK_MONOTONIC. */
static void add_offset(struct syc_text *text, const char *name, clockid_t id)
{
	const int64_t before = syc_clock_kernel();
	const int64_t that = syc_kernel_clock(id);
	const int64_t now = before + (syc_clock_kernel() - before) / 2;

	syc_text_add(text, name);
	syc_text_add_i64(text, that - now);
}

static bool announce_clock(struct syc_thread *st)
{
	char value[128];
	struct syc_text text = syc_text_begin(value, sizeof(value));

	syc_text_add(&text, syc_clock_is_tsc()
	                            ? "source=tsc error_ns="
	                            : "source=clock_gettime error_ns=");
	syc_text_add_u64(&text, syc_clock_is_tsc() ? syc_clock_error() : 0);
	add_offset(&text, " realtime=", CLOCK_REALTIME);
	add_offset(&text, " boottime=", CLOCK_BOOTTIME);
	const size_t n = (size_t)(text.at - value);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_metadata), n);
	unsigned char *const frame =
		syc_ring_space_take(st, st->limit, len, syc_clock_kernel());

	if (frame == NULL)
		return false;
	syc_metadata_fill(frame, len, "syscap.clock", value, n);
	syc_commit(frame, SYSCAP_FRAME_METADATA, st->tid_tag);
	return true;
}

void syc_announce_clock_error(struct syc_thread *st)
{
	volatile uintptr_t token;
	const bool is_outermost =
		syc_enter_from(st, &token, __builtin_dwarf_cfa());

	announce_clock(st);
	syc_leave(st, &token, is_outermost);
}

void syc_announce(struct syc_state *ts)
{
	if (__atomic_exchange_n(&syc_process->announced, 1, __ATOMIC_RELAXED))
		return;
	if ((ts->has_syscap_reader || announce_process(&ts->hot)) &&
	    announce_clock(&ts->hot))
		return;
	/* The ring has no space, so the next ring of the process tries again */
	__atomic_store_n(&syc_process->announced, 0, __ATOMIC_RELAXED);
}
