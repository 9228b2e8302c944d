/* SPDX-License-Identifier: BSD-2-Clause */
/* input.c - captures that a command reads, by name or from standard input. */
#define _GNU_SOURCE
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"

#define CHUNK_SIZE 65536

static int make_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	if (folder == NULL || folder[0] == 0)
		folder = "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd >= 0 ? fd : memfd_create("syscap-input", MFD_CLOEXEC);
}

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		const ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			bytes += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* Returns a descriptor or -errno. */
static int keep_pipe(void)
{
	const int fd = make_file();
	char buffer[CHUNK_SIZE];
	int r = 0;

	if (fd < 0)
		return -errno;
	while (r == 0) {
		const ssize_t n = read(STDIN_FILENO, buffer, sizeof(buffer));

		if (n == 0)
			return fd;
		if (n > 0)
			r = write_all(fd, buffer, (size_t)n);
		else if (errno != EINTR)
			r = -errno;
	}
	close(fd);
	return r;
}

static int open_stdin(struct syscap_reader **ret_reader,
                      struct syscap_error *error)
{
	char path[64];
	struct stat st;
	int fd, r;

	if (isatty(STDIN_FILENO) == 1)
		return syc_error_set(error, EINVAL, 0,
		                     "standard input is a terminal");
	if (fstat(STDIN_FILENO, &st) != 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	if (S_ISREG(st.st_mode))
		return syscap_reader_open("/proc/self/fd/0", ret_reader, error);
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))
		return syc_error_set(error, EINVAL, 0,
		                     "standard input is neither a file nor a "
		                     "pipe");
	fd = keep_pipe();
	if (fd < 0)
		return syc_error_set(error, -fd, 0, "%s", strerror(-fd));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = syscap_reader_open(path, ret_reader, error);
	close(fd);
	return r;
}

int syc_input_open(const char *name, struct syscap_reader **ret_reader,
                   struct syscap_error *error)
{
	return strcmp(name, "-") == 0
	               ? open_stdin(ret_reader, error)
	               : syscap_reader_open(name, ret_reader, error);
}

bool syc_input_refuse_dash(const char *command, const char *name,
                           const char *why)
{
	if (strcmp(name, "-") != 0)
		return false;
	fprintf(stderr, "%s: -: %s; a file of this name is ./-\n", command,
	        why);
	return true;
}

bool syc_input_refuse_output(const char *command, const char *name,
                             const char *output)
{
	struct stat from, to;

	if (name == NULL || output == NULL)
		return false;
	const int r = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &from)
	                                     : stat(name, &from);
	if (r != 0 || stat(output, &to) != 0 || from.st_dev != to.st_dev ||
	    from.st_ino != to.st_ino)
		return false;
	fprintf(stderr, "%s: %s: is also an input; choose another output\n",
	        command, output);
	return true;
}
