/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime.h - stacks of language runtimes: names for generated code, and
 * providers of a runtime's frames.
 *
 * Choose an interface by the abilities of the runtime:
 *
 *	a signal handler can read the stack           SYSCAP_PROVIDER_SIGNAL
 *	a handler cannot read the names               and _HANDLES
 *	the runtime stops soon on request             SYSCAP_PROVIDER_SAFEPOINT
 *	the runtime has its own sampler               SYSCAP_PROVIDER_PUSH
 *	the runtime reports its machine code          syscap_code_add(), perf
 *	                                              maps, jitdump, GDB's list
 *
 * docs/providers.md shows an example of each interface.  <syscap.h> defines the
 * words for contexts.
 */
#ifndef SYSCAP_RUNTIME_H
#define SYSCAP_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------- names */

/**
 * Get an address that represents a name in stacks of this process.  The name
 * has @len bytes at @name.  The library cuts a longer name between characters
 * at 4,095 bytes.
 *
 * Equal names have equal addresses until the process ends.  The capture has the
 * name before the first stack that contains the address, or before a later
 * stack if there was no room.  The upper half of the address is 0xE0000000, as
 * the format defines.  The lower half has 16 bits of the process and 16 bits of
 * a count.  A forked child keeps the addresses and writes their names again.
 *
 * If 65,535 names or 4 MiB of names exist, returns syscap_jit_lost() and counts
 * the loss.
 *
 * Context: any-thread, signal-safe, lock-free.  Copies @name at the first use.
 */
uint64_t syscap_jit_intern(const char *name, size_t len);

/** Call syscap_jit_intern() with the text of @a, a space, and @b. */
uint64_t syscap_jit_intern2(const char *a, size_t a_len, const char *b,
                            size_t b_len);

/** Get the address of "[name lost: table full]", whose low 16 bits are 0. */
uint64_t syscap_jit_lost(void);

/**
 * Returns true if all @n bytes at @at can be read.  The check makes one or two
 * system calls that have no effect.  Another thread may unmap the memory
 * afterwards.
 *
 * Context: any-thread, signal-safe.
 */
int syscap_readable(const void *at, size_t n);

/* ---------------------------------------------------------------- frames */

/** Meaning of a frame's value. */
enum syscap_call_kind {
	SYSCAP_CALL_NAME = 1,  /* value is a result of syscap_jit_intern() */
	SYSCAP_CALL_PC = 2,    /* value is a code address */
	SYSCAP_CALL_HANDLE = 3 /* resolve() names value later */
};

/** Properties of a frame. */
enum syscap_call_flags {
	/* The outermost frame of one run of the interpreter's loop */
	SYSCAP_CALL_ENTRY = 1u << 0,
	/* Same machine frame as the next, older frame */
	SYSCAP_CALL_INLINED = 1u << 1,
	/* A label of native code, such as "gc" */
	SYSCAP_CALL_LABEL = 1u << 2,
	/* The runtime's older frames are unknown */
	SYSCAP_CALL_PARTIAL = 1u << 3
};

/** A frame of a runtime's stack. */
struct syscap_stack_frame {
	uint64_t value;
	uintptr_t sp; /* an address within the machine frame; 0: unknown */
	uint16_t kind;
	uint16_t flags;
	uint32_t reserved; /* 0 */
};

/** The stack under construction: walk() adds the innermost frame first. */
struct syscap_stack_sink;

/**
 * Add a frame.  Returns 0 if the stack is full, and walk() must then stop.
 *
 * Context: within walk(), signal-safe.
 */
int syscap_stack_push(struct syscap_stack_sink *sink,
                      const struct syscap_stack_frame *frame);

/** Get 16 KiB for this thread until walk() returns.  Context: within walk(). */
void *syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *ret_size);

/** Registers at a sample. */
struct syscap_regs {
	uint32_t size;      /* the caller's sizeof */
	uint32_t in_signal; /* 0 at a safe point: then all fields below are 0 */
	uintptr_t pc, sp, fp, lr;
	void *ucontext; /* ucontext_t * */
	int64_t time;   /* time of the sample, ns */
};

/* ------------------------------------------------------------- providers */

/** Abilities of a provider. */
enum syscap_provider_caps {
	SYSCAP_PROVIDER_SIGNAL = 1u << 0,    /* walk() works in a handler */
	SYSCAP_PROVIDER_SAFEPOINT = 1u << 1, /* request() leads to a callback */
	SYSCAP_PROVIDER_HANDLES = 1u << 2,   /* walk() pushes handles */
	SYSCAP_PROVIDER_SP = 1u << 3,        /* every frame has its sp */
	SYSCAP_PROVIDER_ENTRY = 1u << 4,     /* entry marks and eval_low/high */
	SYSCAP_PROVIDER_PUSH = 1u << 5,      /* calls syscap_sample_push() */
	SYSCAP_PROVIDER_INNERMOST = 1u << 6  /* no native frame inside its
					      * frames */
};

/** Results of walk() other than 0. */
enum {
	SYSCAP_WALK_BUSY = -1, /* inconsistent now: use native frames only */
	SYSCAP_WALK_GONE = -2  /* the runtime ends: never call again */
};

/** Results of step_out() other than 0. */
enum {
	SYSCAP_STEP_TOLD = 1 /* walk() pushes this frame: omit its code
	                      * address */
};

/**
 * A provider of a runtime's frames.
 *
 * Rules for the callbacks of a provider
 *  1. In a handler (walk() with in_signal, request(), step_out()) callbacks use
 *     plain reads of the interrupted thread's memory and the signal-safe
 *     functions of this header.  Callbacks do not use malloc(), free(), locks,
 *     stdio, dlsym(), or a thread-local variable that was first used after
 *     syscap_attach_thread().  Callbacks use at most 2 KiB of stack, since the
 *     handler may run on the program's alternate stack; more memory is in
 *     syscap_stack_scratch().  Callbacks terminate, and stop when
 *     syscap_stack_push() returns 0.
 *  2. Callbacks read only data reachable from @thread_data, and no data of
 *     other threads.  The runtime puts each store to @thread_data, such as the
 *     newest frame, between two atomic_signal_fence(memory_order_seq_cst).
 *     Otherwise a compiler may move or omit the stores at -O2.
 *  3. Callbacks push names or stable handles, never addresses that a collector
 *     may move.  Handles are valid until the next safe point.  For the
 *     collector, syscap_handles_pending() lists all handles.
 *  4. Interned names are copied and may be freed afterwards.
 *  5. Before reading memory that may be half-written, callbacks call
 *     syscap_readable().  The library does not catch SIGSEGV.
 *  6. In a handler, callbacks never stop sampling, log, write or free.
 *
 * Order of frames.  Native frames and frames of providers with SP are merged by
 * address: the frame with the smaller address is the younger.  Frames with
 * equal addresses keep the provider's order.  With ENTRY, the k-th run of
 * frames that ends in a frame with SYSCAP_CALL_ENTRY replaces the k-th native
 * frame within [eval_low, eval_high).  SP is then ignored.  Without ENTRY and
 * SP, the runtime's frames stand inside the native frames that called the
 * caller of syscap_attach_thread().  With INNERMOST and without ENTRY and SP,
 * native frames inside the runtime's frames are its path to its safe point and
 * are omitted.
 *
 * Calls of providers.  A tick of the sampler calls all providers with SIGNAL.
 * With SAFEPOINT and without SIGNAL, the newest provider whose request()
 * accepts gets the tick.  The runtime's next safe point calls all providers
 * with SIGNAL or SAFEPOINT and records the sample.  With HANDLES, the stack
 * waits for the safe point, and ticks before the safe point add their weight.
 * One stack of each thread can wait.  A provider with only PUSH is called only
 * by its own pushes.
 */
struct syscap_provider {
	uint32_t size; /* sizeof(struct syscap_provider) */
	uint32_t caps;
	const char *name; /* name of the runtime, static */
	uintptr_t eval_low, eval_high;

	/* Push the thread's frames to @sink.  Returns 0 or SYSCAP_WALK_*. */
	int (*walk)(struct syscap_stack_sink *sink,
	            const struct syscap_regs *regs, void *thread_data);
	/* In a handler: make the runtime call syscap_safepoint() soon.  Returns
	 * < 0 if the runtime would not reach a safe point, because it is not
	 * running.  Another provider or the native unwinder then gets the
	 * tick. */
	int (*request)(void *thread_data);
	/* In a handler: if the native unwinder stops at @regs in the
	 * runtime's code, step to the native caller, whose sp is greater.
	 * Returns 0, SYSCAP_STEP_TOLD, or < 0 if this step is impossible. */
	int (*step_out)(struct syscap_regs *regs, void *thread_data);
	/* At a safe point, or in syscap_detach_thread(): store the name of
	 * @handle, at most @size bytes.  Returns the name's length, or < 0 if
	 * the name is unknown. */
	int (*resolve)(uint64_t handle, char *name, size_t size,
	               void *thread_data);
};

/** A provider that is attached to a thread. */
struct syscap_attachment;

/**
 * Call @provider at each sample of this thread.  The call copies *@provider.  A
 * thread has up to 8 providers; the newest is innermost.
 *
 * Returns NULL if there is no memory or no room, or if @provider lacks a field.
 * Every provider needs walk().  SAFEPOINT without SIGNAL needs request(),
 * HANDLES needs resolve(), and ENTRY needs a range.
 *
 * A forked child keeps the providers of the forking thread.
 *
 * Context: setup, by the thread itself.
 */
struct syscap_attachment *
syscap_attach_thread(const struct syscap_provider *provider, void *thread_data);

/**
 * Detach a provider.  No callback runs after this call.  Waiting handles are
 * named, and ticks that wait for a safe point are recorded with the native
 * stack.
 *
 * Context: setup, by the same thread.
 */
void syscap_detach_thread(struct syscap_attachment *attachment);

/**
 * Record the samples that were due since request().  The runtime calls this
 * function at a safe point.  If no sample was due, the call costs two loads.
 * Returns the sum of recorded weights.
 *
 * Context: by the thread itself, not in a handler.
 */
int syscap_safepoint(struct syscap_attachment *attachment);

/**
 * Get the handles of samples that wait for a safe point; the collector must
 * keep these handles.
 *
 * Context: by the thread itself, or while the thread is stopped.
 */
size_t syscap_handles_pending(struct syscap_attachment *attachment,
                              const uint64_t **ret_handles);

/**
 * Record one sample of weight @weight now, for a tick of the runtime's own
 * sampler.  The stack begins at @regs, or at the caller if @regs is NULL or all
 * zero except size.  With in_signal, the rules for handlers apply.
 *
 * Returns 0 or a negative errno.  -EBUSY: the call interrupted another sample.
 * -ENOENT: walk() returned SYSCAP_WALK_GONE, or another thread was attached.
 * -EINVAL: @attachment is NULL or @weight is 0.
 *
 * Context: by the thread itself, signal-safe.
 */
int syscap_sample_push(struct syscap_attachment *attachment,
                       const struct syscap_regs *regs, uint32_t weight);

/* ----------------------------------------------------------- code tables */

/**
 * Report that machine code at [@start, @start + @len) was added with the name
 * @name (cut at 4,095 bytes), was moved or was removed.  Stacks keep the bare
 * address.  syscap record and syscap symbolize name the address by the code
 * that was there at the sample's time.
 *
 * Each call is an event: METADATA with the id "syscap.code" and the value
 *
 *	add START LEN NAME	move FROM TO LEN	remove START LEN
 *
 * with numbers in hexadecimal without 0x.  Without a recording, the library
 * drops reports.  A runtime that started earlier must report its code when
 * recording begins.
 *
 * Returns false if the event was lost, since there was no room.  To repeat the
 * report, keep the time of syscap_clock() and call an _at function.  Readers
 * use the times of the events, not their order.
 *
 * Context: any-thread, signal-safe.
 */
bool syscap_code_add(uintptr_t start, size_t len, const char *name);
bool syscap_code_move(uintptr_t from, uintptr_t to, size_t len);
bool syscap_code_remove(uintptr_t start, size_t len);

/**
 * Report a change as the functions above, with the time of the change, in ns.
 *
 * Context: any-thread, signal-safe.
 */
bool syscap_code_add_at(int64_t time, uintptr_t start, size_t len,
                        const char *name);
bool syscap_code_move_at(int64_t time, uintptr_t from, uintptr_t to,
                         size_t len);
bool syscap_code_remove_at(int64_t time, uintptr_t start, size_t len);

#ifdef __cplusplus
}
#endif
#endif
