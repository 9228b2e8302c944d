/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io_stdio.c - calls of stdio that may block.  The C library's own calls in
 * stdio do not pass io_data.c.
 *
 * Most calls find the data in the stream's buffer, and take less time than two
 * reads of the clock.  So a call is not timed if the buffer seems to suffice,
 * without the stream's lock.  If other threads use the stream, this guess may
 * be wrong, so that a blocking call is not timed, or a fast call is timed.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "preload/io_wrap.h"

/* A line is rarely longer, and rarely exceeds the rest of the buffer */
#define LINE 1024u

#if defined(__GLIBC__)
static int number_of(const FILE *file)
{
	return file != NULL ? file->_fileno : -1;
}

/* A read of no bytes needs no stream. */
static bool may_read(const FILE *file, size_t n)
{
	if (file == NULL)
		return true;
	const char *const at =
		__atomic_load_n(&file->_IO_read_ptr, __ATOMIC_RELAXED);
	const char *const end =
		__atomic_load_n(&file->_IO_read_end, __ATOMIC_RELAXED);

	return at >= end || (size_t)(end - at) < n;
}

/* Unbuffered and line-buffered streams have no space */
static bool may_write(const FILE *file, size_t n)
{
	if (file == NULL)
		return true;
	const char *const at =
		__atomic_load_n(&file->_IO_write_ptr, __ATOMIC_RELAXED);
	const char *const end =
		__atomic_load_n(&file->_IO_write_end, __ATOMIC_RELAXED);

	return at >= end || (size_t)(end - at) < n;
}
#else
static int number_of(const FILE *file)
{
	(void)file;
	return -1;
}
#define may_read(file, n)  true
#define may_write(file, n) true
#endif

#define OF(file) SYC_IO_OF(number_of(file))

static void *no_stream(void)
{
	syc_real_missing();
	return NULL;
}

#define OPEN(name)                                                      \
	SYC_IO_WRAP(void *, name, (const char *path, const char *mode), \
	            (path, mode), no_stream(), true,                    \
	            SYC_IO_AT(AT_FDCWD, path))
OPEN(fopen)
OPEN(fopen64)

#define REOPEN(name)                                                  \
	SYC_IO_WRAP(void *, name,                                     \
	            (const char *path, const char *mode, FILE *file), \
	            (path, mode, file), no_stream(), true,            \
	            SYC_IO_AT(AT_FDCWD, path))
REOPEN(freopen)
REOPEN(freopen64)

#define READ(name)                                                             \
	SYC_IO_WRAP(                                                           \
		size_t, name, (void *data, size_t size, size_t n, FILE *file), \
		(data, size, n, file), 0, may_read(file, size *n), OF(file))
READ(fread)
READ(fread_unlocked)

#define READ_CHK(name)                                                        \
	SYC_IO_WRAP(                                                          \
		size_t, name,                                                 \
		(void *data, size_t room, size_t size, size_t n, FILE *file), \
		(data, room, size, n, file), 0, may_read(file, size *n),      \
		OF(file))
READ_CHK(__fread_chk)
READ_CHK(__fread_unlocked_chk)

#define GET(name)                                                  \
	SYC_IO_WRAP(char *, name, (char *line, int n, FILE *file), \
	            (line, n, file), NULL, may_read(file, LINE), OF(file))
GET(fgets)
GET(fgets_unlocked)

#define GET_CHK(name)                                                       \
	SYC_IO_WRAP(                                                        \
		char *, name, (char *line, size_t room, int n, FILE *file), \
		(line, room, n, file), NULL, may_read(file, LINE), OF(file))
GET_CHK(__fgets_chk)
GET_CHK(__fgets_unlocked_chk)

SYC_IO_WRAP(ssize_t, getline, (char **line, size_t *n, FILE *file),
            (line, n, file), syc_real_missing(), may_read(file, LINE), OF(file))

#define UNTIL(name)                                                \
	SYC_IO_WRAP(ssize_t, name,                                 \
	            (char **line, size_t *n, int end, FILE *file), \
	            (line, n, end, file), syc_real_missing(),      \
	            may_read(file, LINE), OF(file))
UNTIL(getdelim)
UNTIL(__getdelim)

#define WRITE(name)                                                        \
	SYC_IO_WRAP(size_t, name,                                          \
	            (const void *data, size_t size, size_t n, FILE *file), \
	            (data, size, n, file), 0, may_write(file, size *n),    \
	            OF(file))
WRITE(fwrite)
WRITE(fwrite_unlocked)

#define PUT(name)                                                            \
	SYC_IO_WRAP(int, name, (const char *text, FILE *file), (text, file), \
	            (int)syc_real_missing(), may_write(file, LINE), OF(file))
PUT(fputs)
PUT(fputs_unlocked)

SYC_IO_WRAP(int, puts, (const char *text), (text), (int)syc_real_missing(),
            may_write(stdout, LINE), OF(stdout))

SYC_IO_WRAP(int, fclose, (FILE * file), (file), (int)syc_real_missing(), true,
            SYC_IO_NONE)

#define FLUSH(name)                                                            \
	SYC_IO_WRAP(int, name, (FILE * file), (file), (int)syc_real_missing(), \
	            true, OF(file))
FLUSH(fflush)
FLUSH(fflush_unlocked)
