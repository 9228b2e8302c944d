/* SPDX-License-Identifier: BSD-2-Clause */
/* arena_memfd.c - an arena in a file that a recorder can be given. */
#define _GNU_SOURCE
#include "emit/arena_memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emit/control.h"
#include "emit/process.h"
#include "os/fd.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "ring/ring_file.h"

/* Linux 6.3 */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static int make_memfd(void)
{
	const unsigned held = syc_fd_hold();
	int fd =
		(int)syscall(SYS_memfd_create, "syscap-rings",
	                     MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = (int)syscall(SYS_memfd_create, "syscap-rings",
		                  MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return syc_fd_keep(syc_fd_release(held, fd));
}

/* What the recorder can't find in /proc any more where we have ended before it
 * looks: arguments with spaces between. */
static void note_command(char *to, size_t size)
{
	const size_t n = syc_small_file_read("/proc/self/cmdline", to, size);

	for (size_t i = 0; i + 1 < n; i++)
		if (to[i] == '\0')
			to[i] = ' ';
}

static void fill_facts(const struct syc_arena *arena, int32_t pid,
                       int64_t began)
{
	struct syc_ring_file *const facts =
		(struct syc_ring_file *)(void *)arena->base;

	facts->version = SYC_RING_FILE_VERSION;
	facts->front = syc_ring_file_front(arena->page);
	facts->page_size = arena->page;
	facts->body_size = arena->body;
	facts->n_slots = arena->n_slots;
	facts->pid = pid;
	facts->began = began;
	facts->realtime_ahead =
		syc_kernel_clock(CLOCK_REALTIME) - syc_clock_kernel();
	/* Of the first page: no other is needed */
	note_command(facts->capture,
	             arena->page - offsetof(struct syc_ring_file, capture));
	memcpy(facts->magic, SYC_ARENA_FILE_MAGIC, sizeof(facts->magic));
}

static int fill_file(struct syc_arena *arena, int fd, int32_t pid,
                     int64_t began)
{
	const int r =
		syc_arena_create_for_other(arena, fd, syc_block->arena_body);

	if (r != 0)
		return r;
	/* Smaller ones than were wanted can be asked for as they are wanted */
	if (arena->body == syc_block->arena_body) {
		fill_facts(arena, pid, began);
		if (syscall(SYS_fcntl, fd, F_ADD_SEALS,
		            F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
			return 0;
	}
	syc_arena_destroy(arena);
	return -ENOTSUP;
}

int syc_arena_memfd_make(struct syc_arena *arena, int32_t pid, int64_t began,
                         struct syc_control_socket *noted)
{
	const int fd = make_memfd();
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0) {
		syc_fd_close(fd);
		return -ENOTSUP;
	}
	noted->dev = st.st_dev;
	noted->ino = st.st_ino;
	noted->fd = fd;
	const int r = fill_file(arena, fd, pid, began);
	if (r != 0)
		syc_arena_memfd_close(noted);
	return r;
}

bool syc_arena_memfd_is_there(const struct syc_control_socket *noted)
{
	return noted->fd > STDERR_FILENO && syc_control_is_same(noted);
}

void syc_arena_memfd_close(struct syc_control_socket *noted)
{
	if (syc_arena_memfd_is_there(noted))
		syc_fd_close(noted->fd);
	noted->fd = 0;
}
