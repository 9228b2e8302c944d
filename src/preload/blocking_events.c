/* SPDX-License-Identifier: BSD-2-Clause */
/* blocking_events.c - marks and stacks of calls that blocked, and redirection
 * of the library's own calls. */
#define _GNU_SOURCE
#include "preload/blocking_events.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/text.h"
#include "emit/process.h"
#include "emit/sample.h"
#include "os/env.h"
#include "os/seccomp_state.h"
#include "os/syscalls.h"
#include "preload/real_call.h"
#include "preload/tick_stack.h"
#include "unwind/memory.h"
#include "unwind/unwind.h"

#define ROOM \
	((uintptr_t)24 * 1024) /* stack for a walk, a frame, and a thread's
	                        * first event */

unsigned syc_own_code_remove(uint64_t *addrs, unsigned n)
{
	uintptr_t low, high;
	unsigned n_kept = 0;

	syc_own_code_bounds(&low, &high);
	for (unsigned i = 0; i < n; i++)
		if (addrs[i] - low >= high - low)
			addrs[n_kept++] = addrs[i];
	return n_kept;
}

bool syc_own_thread_is_main(void)
{
	return syc_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0) ==
	       syc_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static bool query_signal_stack(stack_t *ret_stack)
{
	return syc_raw_syscall(SYS_sigaltstack, 0, (long)(intptr_t)ret_stack, 0,
	                       0, 0, 0) == 0;
}

bool syc_own_stack_is_alternate(void)
{
	stack_t stack;

	return !query_signal_stack(&stack) ||
	       (stack.ss_flags & SS_ONSTACK) != 0;
}

bool syc_own_stack_has_space(void)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	stack_t stack;

	if (!query_signal_stack(&stack))
		return false;
	return (stack.ss_flags & SS_ONSTACK) == 0 ||
	       here - (uintptr_t)stack.ss_sp > ROOM;
}

uint32_t syc_sample_wait_tag(uint32_t tag, int64_t ns)
{
	uint64_t us = ns > 1000 ? (uint64_t)ns / 1000 : 1;
	uint32_t shift = 0;

	while (us > 0xFFFFF && shift < 15) {
		us >>= 1;
		shift++;
	}
	return tag | shift << 20 | (uint32_t)(us < 0xFFFFF ? us : 0xFFFFF);
}

#define MESSAGE 1024

struct syc_io_settings syc_io_now;

/* Parse "NS[,waits]". */
static int64_t parse_threshold(const char *text, bool *ret_has_waits)
{
	uint64_t ns = 0;
	const char *rest;

	if (text[0] < '0' || text[0] > '9')
		return SYC_IO_OFF;
	rest = syc_text_take(text, 10, &ns);
	*ret_has_waits = strcmp(rest, ",waits") == 0;
	if ((rest[0] != '\0' && !*ret_has_waits) || ns < 1 || ns >= INT64_MAX)
		return SYC_IO_OFF;
	return (int64_t)ns;
}

/*
 * Decide the role in a constructor, because the decision allocates.  A
 * program's allocator may make the first wrapped call during its
 * initialisation, under a lock.
 */
__attribute__((constructor)) static void decide_io(void)
{
	const int saved = errno;
	const char *const text = syc_env_get(SYC_ENV_IO);
	int64_t threshold = SYC_IO_OFF;
	bool has_waits = false;

	/* The calls that follow are not reported */
	__atomic_store_n(&syc_io_now.threshold, SYC_IO_OFF, __ATOMIC_RELAXED);
	if (text != NULL && syc_libc_is_foreign()) {
		syc_diag_say("blocking calls are not recorded",
		             "the C library is not glibc");
	} else if (text != NULL) {
		threshold = parse_threshold(text, &has_waits);
		if (threshold == SYC_IO_OFF)
			syc_diag_say(
				"blocking calls are not recorded",
				"SYSCAP_IO must be a number of nanoseconds");
	}
	if (threshold != SYC_IO_OFF) {
		syc_stack_size_is_raised = true;
		syc_setup_run();
		syc_io_now.has_waits = has_waits;
		__atomic_store_n(&syc_io_now.threshold, threshold,
		                 __ATOMIC_RELAXED);
	}
	errno = saved;
}

/* Append the target of an fd: a path, "socket:[12]" or "pipe:[12]". */
static void add_descriptor(struct syc_text *text, int fd)
{
	char name[48];
	struct syc_text link = syc_text_begin(name, sizeof(name));
	long n;

	syc_text_add(&link, "/proc/self/fd/");
	syc_text_add_i64(&link, fd);
	n = syc_seccomp_has_filter() || text->at >= text->end
	            ? -1
	            : syc_raw_syscall(SYS_readlinkat, AT_FDCWD,
	                              (long)(intptr_t)name,
	                              (long)(intptr_t)text->at,
	                              text->end - text->at, 0, 0);
	if (n > 0) {
		text->at += n;
		*text->at = '\0';
		return;
	}
	syc_text_add(text, "descriptor ");
	syc_text_add_i64(text, fd);
}

/*
 * Append a copy of a path.  During the call the text may have been unmapped or
 * changed, and may lack its NUL.
 */
static void add_copy(struct syc_text *text, const char *name)
{
	char copy[MESSAGE];
	const size_t n =
		syc_memory_copy(copy, (uintptr_t)name, sizeof(copy) - 1);

	copy[n] = '\0';
	syc_text_add(text, copy);
}

static void add_path(struct syc_text *text, int folder, const char *path)
{
	char first = '\0'; /* the call may have returned EFAULT */

	if (path == NULL || syc_seccomp_has_filter() ||
	    syc_memory_copy(&first, (uintptr_t)path, 1) != 1)
		return;
	if (first != '/' && folder != AT_FDCWD) {
		add_descriptor(text, folder);
		if (first != '\0')
			syc_text_add(text, "/");
	}
	add_copy(text, path);
}

static void write_call(const struct syc_io_subject *what, char *message,
                       size_t size)
{
	struct syc_text text = syc_text_begin(message, size);

	switch (what->kind) {
	case SYC_IO_NOTHING:
		break;
	case SYC_IO_FD:
		if (what->fd >= 0)
			add_descriptor(&text, what->fd);
		break;
	case SYC_IO_PATHS:
		add_path(&text, what->fd, what->path);
		syc_text_add(&text, " -> ");
		add_path(&text, what->new_fd, what->new_path);
		break;
	case SYC_IO_PATH:
		add_path(&text, what->fd, what->path);
		break;
	}
}

/* Show the names of variants as the plain name, for example "__read_chk" as
 * "read". */
static void show_name(const char *name, char *shown, size_t size)
{
	static const char *const endings[] = { "_chk", "_unlocked", "_2",
		                               "64" };
	size_t n;

	if (strncmp(name, "__", 2) == 0)
		name += 2;
	n = strlen(name);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t length = strlen(endings[i]);

		if (n > length &&
		    memcmp(name + n - length, endings[i], length) == 0)
			n -= length;
	}
	if (n >= size)
		n = size - 1;
	memcpy(shown, name, n);
	shown[n] = '\0';
}

static void write_mark(const struct syc_real_call *call, int64_t begin,
                       int64_t duration, const char *message)
{
	char name[24];

	show_name(call->name, name, sizeof(name));
	syscap_mark(syc_own_thread_is_main() ? "io-main" : "io", name, begin,
	            duration, message);
}

/* Write the stack, whose innermost frame is the real function, which the
 * program called. */
static __attribute__((noinline)) void
write_stack(const struct syc_real_call *call, int64_t begin, int64_t duration)
{
	uint64_t addrs[1 + SYC_BLOCKED_DEPTH];
	unsigned flags = 0;
	unsigned n = (unsigned)syc_backtrace(addrs + 1, SYC_BLOCKED_DEPTH, 0,
	                                     &flags);

	if (n == SYC_BLOCKED_DEPTH)
		flags |= SYSCAP_STACK_CUT;
	n = 1 + syc_own_code_remove(addrs + 1, n);
	addrs[0] = syc_real_call_known(call);
	const unsigned first = addrs[0] == 0;
	syc_sample_emit_tagged(
		begin, addrs + first, n - first, flags,
		syc_sample_wait_tag(SYSCAP_BLOCKED_TAG, duration), 0);
}

static __attribute__((noinline)) void
write_details(const struct syc_real_call *call, int64_t begin, int64_t duration,
              const struct syc_io_subject *what)
{
	char message[MESSAGE];

	write_call(what, message, sizeof(message));
	write_mark(call, begin, duration, message);
}

__attribute__((noinline)) void syc_io_record(const struct syc_real_call *call,
                                             int64_t begin, int64_t duration,
                                             const struct syc_io_subject *what)
{
	const int saved = errno;

	if (!syc_seccomp_has_filter() && !syc_own_stack_has_space()) {
		write_mark(call, begin, duration, "");
		errno = saved;
		return;
	}
	/* A walk may check memory by system calls */
	if (!syc_seccomp_has_filter())
		write_stack(call, begin, duration);
	write_details(call, begin, duration, what);
	errno = saved;
}

/*
 * The linker redirects this library's own calls of wrapped functions to the
 * functions below (--wrap), which call the real functions.
 */

#define BYPASS(ret, name, params, args)                                    \
	ret __wrap_##name params;                                          \
	ret __wrap_##name params                                           \
	{                                                                  \
		SYC_REAL_CALL(#name);                                      \
		ret(*const next) params =                                  \
			(ret(*) params)syc_real_call_get(&call);           \
                                                                           \
		return next != NULL ? next args : (ret)syc_real_missing(); \
	}

BYPASS(int, open, (const char *path, int flags, mode_t mode),
       (path, flags, mode))
BYPASS(int, close, (int fd), (fd))
BYPASS(int, fcntl, (int fd, int what, long value), (fd, what, value))
BYPASS(int, stat, (const char *path, void *result), (path, result))
BYPASS(int, fstat, (int fd, void *result), (fd, result))
BYPASS(int, ftruncate, (int fd, off_t size), (fd, size))
BYPASS(int, posix_fallocate, (int fd, off_t at, off_t n), (fd, at, n))
BYPASS(int, unlink, (const char *path), (path))
BYPASS(int, poll, (void *fds, unsigned long n, int timeout), (fds, n, timeout))
BYPASS(ssize_t, read, (int fd, void *data, size_t n), (fd, data, n))
BYPASS(ssize_t, write, (int fd, const void *data, size_t n), (fd, data, n))
BYPASS(ssize_t, pread, (int fd, void *data, size_t n, off_t at),
       (fd, data, n, at))
BYPASS(ssize_t, pwrite, (int fd, const void *data, size_t n, off_t at),
       (fd, data, n, at))
BYPASS(ssize_t, send, (int fd, const void *data, size_t n, int flags),
       (fd, data, n, flags))
BYPASS(ssize_t, recvmsg, (int fd, void *message, int flags),
       (fd, message, flags))
