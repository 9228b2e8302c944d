/* SPDX-License-Identifier: BSD-2-Clause */
/* own_process.c - command line and pid namespace of this process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/process.h"

/*
 * /proc/self is the main thread's directory, whose files are empty after the
 * main thread has called pthread_exit().  But a sandbox may allow only
 * /proc/self.
 */
int syc_own_proc_open(const char *of_thread, const char *of_process)
{
	const int fd = syc_fd_open(of_thread, O_RDONLY, 0);

	return fd >= 0 ? fd : syc_fd_open(of_process, O_RDONLY, 0);
}

size_t syc_own_proc_cmdline(char *text, size_t size)
{
	const int fd = syc_own_proc_open("/proc/thread-self/cmdline",
	                                 "/proc/self/cmdline");
	size_t n = 0;
	ssize_t got = 1;

	if (fd < 0)
		return 0;
	while (n < size && got != 0) {
		got = syc_fd_read(fd, text + n, size - n);
		if (got < 0 && errno != EINTR)
			break;
		if (got > 0)
			n += (size_t)got;
	}
	syc_fd_close(fd);
	while (n > 0 && text[n - 1] == '\0')
		n--;
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	return n;
}

uint64_t syc_pid_namespace_id(void)
{
	const int saved = errno;
	struct stat st;
	const bool is = stat("/proc/self/ns/pid", &st) == 0;

	errno = saved;
	return is ? st.st_ino : 0;
}
