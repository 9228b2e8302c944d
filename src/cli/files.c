/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files.c - input and output of commands: captures by name or from standard
 * input, and the written file or standard output.
 */
#define _GNU_SOURCE
#include "cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "capture/files.h"
#include "cli/error.h"
#include "cli/options.h"

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

/* Returns an fd or -errno. */
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
		return syc_error_set(
			error, EINVAL, 0,
			"standard input is a terminal; name a FILE or "
			"redirect standard input");
	if (fstat(STDIN_FILENO, &st) != 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	if (S_ISREG(st.st_mode))
		return syscap_reader_open("/proc/self/fd/0", ret_reader, error);
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))
		return syc_error_set(
			error, EINVAL, 0,
			"standard input is neither a file nor a pipe; name a "
			"FILE");
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
	fprintf(stderr, "%s: -: %s; write ./- for a file with the name -\n",
	        command, why);
	return true;
}

int64_t syc_input_time(const struct syscap_reader *reader)
{
	struct syscap_file_info info;
	struct tm tm = { 0 };
	const char *end;

	syscap_reader_info(reader, &info);
	end = strptime(info.capture_time, "%Y-%m-%dT%H:%M:%S", &tm);
	return end != NULL && strchr(end, 'Z') != NULL ? timegm(&tm) : 0;
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
	fprintf(stderr,
	        "%s: %s: the output is also an input; choose another output\n",
	        command, output);
	return true;
}

/* The file or standard output that a command writes. */

/*
 * Return whether @name is a capture.  A command can make other output again,
 * but not a capture.
 */
static bool is_capture(const char *name)
{
	struct syscap_reader *reader;

	if (syscap_reader_open(name, &reader, NULL) < 0)
		return false;
	syscap_reader_close(reader);
	return true;
}

bool syc_output_file_refuse_capture(const char *command, const char *name)
{
	struct syscap_error error;

	if (syc_in_use_check(name, &error) != 0) {
		syc_cli_error_print(command, name, &error);
		return true;
	}
	if (!is_capture(name))
		return false;
	fprintf(stderr,
	        "%s: %s: the output is an existing capture; choose another "
	        "output\n",
	        command, name);
	return true;
}

const char *syc_output_file_stdout(const char *command)
{
	const int flags = fcntl(STDOUT_FILENO, F_GETFL);

	if (isatty(STDOUT_FILENO) == 1) {
		fprintf(stderr,
		        "%s: standard output is a terminal; write the capture "
		        "to a file by -o OUTPUT\n",
		        command);
		return NULL;
	}
	/*
	 * main() has replaced a closed stdout by a file that cannot be written.
	 * The path of that file could be opened again, and would receive the
	 * output.
	 */
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
		fprintf(stderr, "%s: cannot write the output: %s\n", command,
		        strerror(EBADF));
		return NULL;
	}
	return "/dev/stdout";
}

/*
 * The path of a new file that replaces the old file.  Returns NULL to write in
 * place: for devices, pipes, files with several hard links, and files of other
 * users.
 */
static char *choose_place(const char *name, mode_t *ret_mode)
{
	struct stat st;

	if (lstat(name, &st) != 0)
		return errno == ENOENT ? strdup(name) : NULL;
	if (stat(name, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_uid != geteuid() || access(name, W_OK) != 0)
		return NULL;
	*ret_mode = st.st_mode & 0777;
	return realpath(name, NULL);
}

/* Open a file without a name in the directory of @path.  Returns NULL on
 * failure. */
static FILE *open_unnamed(const char *path, mode_t mode)
{
	const char *const slash = strrchr(path, '/');
	FILE *file = NULL;
	char *folder;
	int fd;

	if (slash == NULL)
		folder = strdup(".");
	else
		folder = strndup(path, (size_t)(slash - path) + 1);
	if (folder == NULL)
		return NULL;
	fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(folder);
	if (fd >= 0 && (mode == 0 || fchmod(fd, mode) == 0))
		file = fdopen(fd, "w");
	if (fd >= 0 && file == NULL)
		close(fd);
	return file;
}

static FILE *open_named(struct syc_output_file *output)
{
	mode_t mode = 0;
	FILE *file = NULL;

	output->place = choose_place(output->name, &mode);
	if (output->place != NULL)
		file = open_unnamed(output->place, mode);
	if (file != NULL)
		return file;
	/* Not all directories and file systems support files without a name. */
	free(output->place);
	output->place = NULL;
	return fopen(output->name, "we");
}

/* Rename the output to its final name, replacing an old file.  Returns 0 or
 * -errno. */
static int settle(const struct syc_output_file *output)
{
	char from[40], *part;
	int r = 0;

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fileno(output->file));
	if (linkat(AT_FDCWD, from, AT_FDCWD, output->place,
	           AT_SYMLINK_FOLLOW) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (asprintf(&part, "%s.%ld.part", output->place, (long)getpid()) < 0)
		return -ENOMEM;
	if (linkat(AT_FDCWD, from, AT_FDCWD, part, AT_SYMLINK_FOLLOW) != 0) {
		r = -errno;
	} else if (rename(part, output->place) != 0) {
		r = -errno;
		unlink(part);
	}
	free(part);
	return r;
}

bool syc_output_file_open(struct syc_output_file *output, bool is_binary)
{
	/* A limit on file size is an error and must not kill the process */
	signal(SIGXFSZ, SIG_IGN);
	if (output->name != NULL && strcmp(output->name, "-") != 0) {
		if (syc_output_file_refuse_capture(output->command,
		                                   output->name))
			return false;
		output->file = open_named(output);
		if (output->file == NULL)
			fprintf(stderr, "%s: %s: %s\n", output->command,
			        output->name, strerror(errno));
		return output->file != NULL;
	}
	if (is_binary && isatty(STDOUT_FILENO) == 1) {
		fprintf(stderr,
		        "%s: standard output is a terminal; write binary data "
		        "to a file by -o OUTPUT\n",
		        output->command);
		return false;
	}
	output->file = stdout;
	return true;
}

/*
 * Finish the output, which is still open.  The function refuses a capture that
 * was created under this name in the meantime.
 */
static bool finish(const struct syc_output_file *output)
{
	const char *why;
	int r;

	if (!syc_cli_error_finish_file(output->file, &why)) {
		fprintf(stderr, "%s: %s: %s\n", output->command, output->name,
		        why);
		return false;
	}
	if (output->place == NULL)
		return true;
	if (output->is_spoiled)
		return false; /* a failure that is reported already */
	if (syc_output_file_refuse_capture(output->command, output->place))
		return false;
	r = settle(output);
	if (r < 0)
		fprintf(stderr, "%s: %s: %s\n", output->command, output->name,
		        strerror(-r));
	return r == 0;
}

int syc_output_file_close(struct syc_output_file *output, int status)
{
	bool is_whole;

	if (output->file == stdout)
		return syc_cli_error_finish_output(output->command, status);
	is_whole = finish(output);
	if (fclose(output->file) != 0 && is_whole) {
		fprintf(stderr, "%s: %s: %s\n", output->command, output->name,
		        strerror(errno));
		is_whole = false;
	}
	free(output->place);
	output->place = NULL;
	if (is_whole)
		return status;
	output->file = NULL;
	return SYC_EXIT_PROBLEM;
}
