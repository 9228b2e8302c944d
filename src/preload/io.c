/* SPDX-License-Identifier: BSD-2-Clause */
/* io.c - calls that blocked: a mark with what it was about, and the stack. */
#define _GNU_SOURCE
#include "preload/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "emit/sample.h"
#include "emit/setup.h"
#include "os/env.h"
#include "os/raw_syscall.h"
#include "os/seccomp_state.h"
#include "preload/other_libc.h"
#include "preload/room.h"
#include "preload/told.h"
#include "unwind/memory.h"
#include "unwind/unwind.h"

#define MESSAGE 1024

struct syc_io_settings syc_io_now;

/* "NS[,waits]" */
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

/* Not by the first call: an allocator that is linked in may make it while it
 * begins, under a lock, and what this does allocates. */
__attribute__((constructor)) static void decide_io(void)
{
	const int saved = errno;
	const char *const text = syc_env_get(SYC_ENV_IO);
	int64_t threshold = SYC_IO_OFF;
	bool has_waits = false;

	/* What this calls is not looked at */
	__atomic_store_n(&syc_io_now.threshold, SYC_IO_OFF, __ATOMIC_RELAXED);
	if (text != NULL && syc_other_libc_is()) {
		syc_diag_say("the io role is off",
		             "the C library is not glibc");
	} else if (text != NULL) {
		threshold = parse_threshold(text, &has_waits);
		if (threshold == SYC_IO_OFF)
			syc_diag_say("the io role is off",
			             "SYSCAP_IO wants nanoseconds");
	}
	if (threshold != SYC_IO_OFF) {
		syc_room_is_always = true;
		syc_setup_run();
		syc_io_now.has_waits = has_waits;
		__atomic_store_n(&syc_io_now.threshold, threshold,
		                 __ATOMIC_RELAXED);
	}
	errno = saved;
}

/* What a descriptor is of: a path, "socket:[12]", "pipe:[12]". */
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

/* What was a path when the call began may be gone, or something else by now,
 * with no end. */
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
	char first = '\0'; /* the call may have said EFAULT */

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

static void write_call(const struct syc_io_what *what, char *message,
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

/* "__read_chk" is "read", and so is what else is only another form. */
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

static void tell_mark(const struct syc_io_call *call, int64_t begin,
                      int64_t duration, const char *message)
{
	char name[24];

	show_name(call->name, name, sizeof(name));
	syscap_mark(syc_told_is_main() ? "io-main" : "io", name, begin,
	            duration, message);
}

/* The function behind ours, which the program meant, is the innermost. */
static __attribute__((noinline)) void
tell_stack(const struct syc_io_call *call, int64_t begin, int64_t duration)
{
	uint64_t addrs[1 + SYC_TOLD_DEPTH];
	unsigned flags = 0;
	unsigned n =
		(unsigned)syc_backtrace(addrs + 1, SYC_TOLD_DEPTH, 0, &flags);

	if (n == SYC_TOLD_DEPTH)
		flags |= SYSCAP_STACK_CUT;
	n = 1 + syc_told_leave_out_ours(addrs + 1, n);
	addrs[0] = syc_io_call_known(call);
	const unsigned first = addrs[0] == 0;
	syc_sample_emit_tagged(begin, addrs + first, n - first, flags,
	                       syc_told_wait(SYSCAP_BLOCKED_TAG, duration), 0);
}

static __attribute__((noinline)) void tell_what(const struct syc_io_call *call,
                                                int64_t begin, int64_t duration,
                                                const struct syc_io_what *what)
{
	char message[MESSAGE];

	write_call(what, message, sizeof(message));
	tell_mark(call, begin, duration, message);
}

__attribute__((noinline)) void syc_io_tell(const struct syc_io_call *call,
                                           int64_t begin, int64_t duration,
                                           const struct syc_io_what *what)
{
	const int saved = errno;

	if (!syc_seccomp_has_filter() && !syc_told_has_room()) {
		tell_mark(call, begin, duration, "");
		errno = saved;
		return;
	}
	/* A walk may ask the kernel what can be read */
	if (!syc_seccomp_has_filter())
		tell_stack(call, begin, duration);
	tell_what(call, begin, duration, what);
	errno = saved;
}
