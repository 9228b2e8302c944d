/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime.h - stacks of language runtimes: names for code that no file has,
 * and providers that tell a runtime's frames to the sampler.
 *
 * Four ways, by what the runtime can do:
 *
 *	its stack can be read in a signal handler     SYSCAP_PROVIDER_SIGNAL
 *	  ... but names only later                      and _HANDLES
 *	it can be asked to stop soon                  SYSCAP_PROVIDER_SAFEPOINT
 *	it samples by itself and tells us             SYSCAP_PROVIDER_PUSH
 *	it tells what machine code it makes           syscap_code_add(), perf
 *	                                              maps, jitdump, GDB's list
 *
 * docs/providers.md shows one of each.  Words for contexts are those of
 * <syscap.h>.
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
 * The address that stands for the name of @len bytes at @name (cut between
 * characters at 4,095), in stacks of this process.  The same for the same
 * name, until the process ends; its name is in the capture before the first
 * stack that holds it, or, where there was no room for it, before a later
 * one.  Upper half 0xE0000000, as the format has it; below it 16 bits of the
 * process and 16 that count.  A forked child keeps the addresses, and tells
 * their names anew.
 *
 * When 65,535 names or 4 MiB of them are taken, syscap_jit_lost(), whose name
 * is "[name lost: table full]"; it is counted.
 *
 * Context: any-thread, signal-safe, lock-free.  Copies @name at first use.
 */
uint64_t syscap_jit_intern(const char *name, size_t len);

/** The same for @a, a space, and @b. */
uint64_t syscap_jit_intern2(const char *a, size_t a_len, const char *b,
                            size_t b_len);

/** What a name gets that there was no room for; sequence number 0. */
uint64_t syscap_jit_lost(void);

/**
 * True if all @n bytes at @at can be read.  By a system call or two that has
 * no effect; true says nothing about the next moment.
 *
 * Context: any-thread, signal-safe.
 */
int syscap_readable(const void *at, size_t n);

/* ---------------------------------------------------------------- frames */

enum syscap_call_kind {
	SYSCAP_CALL_NAME = 1,  /* value is of syscap_jit_intern() */
	SYSCAP_CALL_PC = 2,    /* value is a code address */
	SYSCAP_CALL_HANDLE = 3 /* value is named later, by resolve() */
};

enum syscap_call_flags {
	/* The outermost frame of one run of the interpreter's loop */
	SYSCAP_CALL_ENTRY = 1u << 0,
	/* Same machine frame as the next, older one */
	SYSCAP_CALL_INLINED = 1u << 1,
	/* A label of native code, such as "gc" */
	SYSCAP_CALL_LABEL = 1u << 2,
	/* The runtime's stack is known up to here only */
	SYSCAP_CALL_PARTIAL = 1u << 3
};

struct syscap_stack_frame {
	uint64_t value;
	uintptr_t sp; /* an address within its machine frame; 0: not known */
	uint16_t kind;
	uint16_t flags;
	uint32_t reserved; /* 0 */
};

/** Where walk() puts frames: the innermost first. */
struct syscap_stack_sink;

/**
 * Add a frame.  Returns 0 when there is no more room: stop walking.
 *
 * Context: within walk(), signal-safe.
 */
int syscap_stack_push(struct syscap_stack_sink *sink,
                      const struct syscap_stack_frame *frame);

/** 16 KiB of this thread's, until walk() returns.  Context: within walk(). */
void *syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *ret_size);

/** The machine where a sample was due. */
struct syscap_regs {
	uint32_t size;      /* sizeof, of who calls */
	uint32_t in_signal; /* 0 at a safe point: then all below is 0 */
	uintptr_t pc, sp, fp, lr;
	void *ucontext; /* ucontext_t * */
	int64_t time;   /* of the sample, ns */
};

/* ------------------------------------------------------------- providers */

enum syscap_provider_caps {
	SYSCAP_PROVIDER_SIGNAL = 1u << 0,    /* walk() may be in a handler */
	SYSCAP_PROVIDER_SAFEPOINT = 1u << 1, /* request() makes it call back */
	SYSCAP_PROVIDER_HANDLES = 1u << 2,   /* walk() pushes handles */
	SYSCAP_PROVIDER_SP = 1u << 3,        /* every frame has its sp */
	SYSCAP_PROVIDER_ENTRY = 1u << 4,     /* entry marks and eval_low/high */
	SYSCAP_PROVIDER_PUSH = 1u << 5,      /* calls syscap_sample_push() */
	SYSCAP_PROVIDER_INNERMOST = 1u << 6  /* no native frame inside of it */
};

/** What walk() may return instead of 0. */
enum {
	SYSCAP_WALK_BUSY = -1, /* nothing sure just now: native frames only */
	SYSCAP_WALK_GONE = -2  /* the runtime ends: never ask again */
};

/** What step_out() may return instead of 0. */
enum {
	SYSCAP_STEP_TOLD = 1 /* walk() tells of what runs there: the code
	                      * address has no place in the stack */
};

/**
 * How to look at one runtime.
 *
 * The contract
 *  1. What runs in a handler (walk() with in_signal, request(), step_out())
 *     uses plain reads of memory that belongs to the interrupted thread and
 *     what is said here to be signal-safe: no malloc() or free(), locks,
 *     stdio, dlsym(), no thread-local variable that was not touched before
 *     syscap_attach_thread().  It takes at most 2 KiB of stack, for the
 *     handler may run on the program's alternate one; more is in
 *     syscap_stack_scratch().  It comes to an end: it stops when
 *     syscap_stack_push() returns 0.
 *  2. It reads what hangs from @thread_data, and of other threads nothing.
 *  3. Addresses that a collector may move leave walk() as names or as
 *     handles that the runtime keeps stable, never as they are.  Handles live
 *     until the next safe point; keep() tells the collector of them.
 *  4. Names are copied when they are interned: they may go away afterwards.
 *  5. Memory that may be half-written is asked for with syscap_readable().
 *     Nothing here catches SIGSEGV.
 *  6. It never stops sampling, logs, writes or frees in a handler.
 *
 * Order.  Native frames and those of providers with SP are merged by address,
 * smaller is younger; frames with equal ones stay in the provider's order.
 * With ENTRY the k-th native frame within [eval_low, eval_high) makes way for
 * the k-th run of frames that ends in one with SYSCAP_CALL_ENTRY; SP then
 * says nothing.  With neither, the runtime's frames stand in front of (inside)
 * the native ones that had called syscap_attach_thread()'s caller; with
 * INNERMOST and neither, native frames inside of them are the runtime's way to
 * its safe point, and left out.
 *
 * What is asked when.  A tick of the sampler asks all that have SIGNAL.  With
 * SAFEPOINT and without SIGNAL, the newest whose request() does not refuse
 * has the tick: nothing is recorded until its safe point, where all with
 * SIGNAL or SAFEPOINT are asked.  With HANDLES, the stack waits for the safe
 * point as it is; ticks that come before it add their weight to it.  One
 * stack of a thread can wait.  PUSH alone is asked by its own pushes only.
 */
struct syscap_provider {
	uint32_t size; /* sizeof(struct syscap_provider) */
	uint32_t caps;
	const char *name; /* of the runtime, static */
	uintptr_t eval_low, eval_high;

	/* The thread's frames into @sink.  0, or SYSCAP_WALK_*. */
	int (*walk)(struct syscap_stack_sink *sink,
	            const struct syscap_regs *regs, void *thread_data);
	/* In a handler: have the runtime call syscap_safepoint() soon.  < 0:
	 * it does not run just now and would not come to one; then the tick
	 * is another's, or native. */
	int (*request)(void *thread_data);
	/* In a handler: where a native unwinder can't go on at @regs, code
	 * of the runtime's, go to its native caller, whose sp is greater.
	 * 0, SYSCAP_STEP_TOLD, or < 0: can't. */
	int (*step_out)(struct syscap_regs *regs, void *thread_data);
	/* At a safe point, or in syscap_detach_thread(): the name of @handle,
	 * at most @size bytes.  Returns its length, or < 0: not known. */
	int (*resolve)(uint64_t handle, char *name, size_t size,
	               void *thread_data);
};

struct syscap_attachment;

/**
 * Have @provider asked at each sample of this thread.  Several may be
 * attached: the newest stands innermost.  NULL: no memory, no room (8 of a
 * thread), or a provider that has not what its caps need: walk() always,
 * request() for SAFEPOINT without SIGNAL, resolve() for HANDLES, a range for
 * ENTRY.  *@provider is copied.
 *
 * A forked child keeps what its one thread had attached.
 *
 * Context: setup, by the thread itself.
 */
struct syscap_attachment *
syscap_attach_thread(const struct syscap_provider *provider, void *thread_data);

/**
 * No callback runs after it returns.  Handles that wait are named, ticks that
 * wait for a safe point are recorded with the native stack.
 *
 * Context: setup, by the same thread.
 */
void syscap_detach_thread(struct syscap_attachment *attachment);

/**
 * Called by the runtime after request(): walks, names and records what was
 * due since.  Nothing if nothing is: two loads.  Returns the sum of weights
 * that was recorded.
 *
 * Context: by the thread itself, not in a handler.
 */
int syscap_safepoint(struct syscap_attachment *attachment);

/**
 * Handles of samples that wait for a safe point, for the collector to keep.
 *
 * Context: by the thread itself, or with it stopped.
 */
size_t syscap_handles_pending(struct syscap_attachment *attachment,
                              const uint64_t **ret_handles);

/**
 * The runtime's own sampler ticked: record one sample now, of weight @weight.
 * @regs says where; NULL, or all zero but size: here.  With in_signal, what
 * the contract says of handlers holds.
 *
 * Returns 0; -EBUSY, it came on top of another; -ENOENT, walk() has said
 * SYSCAP_WALK_GONE or this is another thread; -EINVAL.
 *
 * Context: by the thread itself, signal-safe.
 */
int syscap_sample_push(struct syscap_attachment *attachment,
                       const struct syscap_regs *regs, uint32_t weight);

/* ----------------------------------------------------------- code tables */

/**
 * The runtime has put machine code at [@start, @start + @len), named @name
 * (cut at 4,095 bytes).  Stacks keep the bare address; who names them (syscap
 * record, syscap symbolize) goes by what was there at the sample's time.
 *
 * Each is an event: METADATA with the id "syscap.code" and the value
 *
 *	add START LEN NAME	move FROM TO LEN	remove START LEN
 *
 * numbers in hexadecimal without 0x.  Where nothing is recorded, nothing is
 * kept: a runtime that was there before tells what it has when recording
 * begins.
 *
 * False: there was no room, and it was dropped.  Who wants to say it again then
 * keeps syscap_clock(), and the functions below tell when it was: the order in
 * which events arrive does not matter, their times do.
 *
 * Context: any-thread, signal-safe.
 */
bool syscap_code_add(uintptr_t start, size_t len, const char *name);
bool syscap_code_move(uintptr_t from, uintptr_t to, size_t len);
bool syscap_code_remove(uintptr_t start, size_t len);

/**
 * The same, of something that happened at @time.
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
