/* SPDX-License-Identifier: BSD-2-Clause */
/* io_files.c - calls on files and directories by path that may block. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/io_wrap.h"

#define HERE(path) SYC_IO_AT(AT_FDCWD, path)

#define OPEN(name)                                                   \
	SYC_IO_INT(name, (const char *path, int flags, mode_t mode), \
	           (path, flags, mode), HERE(path))
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                       \
	SYC_IO_INT(name,                                                   \
	           (int folder, const char *path, int flags, mode_t mode), \
	           (folder, path, flags, mode), SYC_IO_AT(folder, path))
OPENAT(openat)
OPENAT(openat64)

#define CREATE(name)                                                    \
	SYC_IO_INT(name, (const char *path, mode_t mode), (path, mode), \
	           HERE(path))
CREATE(creat)
CREATE(creat64)
CREATE(mkdir)

#define BY_NUMBER(name)                                                  \
	SYC_IO_INT(name, (const char *path, int number), (path, number), \
	           HERE(path))
BY_NUMBER(__open_2)
BY_NUMBER(__open64_2)
BY_NUMBER(access)

#define BY_NUMBER_AT(name)                                           \
	SYC_IO_INT(name, (int folder, const char *path, int number), \
	           (folder, path, number), SYC_IO_AT(folder, path))
BY_NUMBER_AT(__openat_2)
BY_NUMBER_AT(__openat64_2)
BY_NUMBER_AT(unlinkat)
BY_NUMBER_AT(mkdirat)

SYC_IO_INT(faccessat, (int folder, const char *path, int mode, int flags),
           (folder, path, mode, flags), SYC_IO_AT(folder, path))

#define PLAIN(name) SYC_IO_INT(name, (const char *path), (path), HERE(path))
PLAIN(unlink)
PLAIN(rmdir)
PLAIN(remove)
PLAIN(chdir)

#define STAT(name)                                                         \
	SYC_IO_INT(name, (const char *path, void *result), (path, result), \
	           HERE(path))
STAT(stat)
STAT(stat64)
STAT(lstat)
STAT(lstat64)
STAT(statfs)
STAT(statfs64)
STAT(statvfs)
STAT(statvfs64)

#define FSTAT(name) \
	SYC_IO_INT(name, (int fd, void *result), (fd, result), SYC_IO_OF(fd))
FSTAT(fstat)
FSTAT(fstat64)

#define STATAT(name)                                                        \
	SYC_IO_INT(name,                                                    \
	           (int folder, const char *path, void *result, int flags), \
	           (folder, path, result, flags), SYC_IO_AT(folder, path))
STATAT(fstatat)
STATAT(fstatat64)

SYC_IO_INT(statx,
           (int folder, const char *path, int flags, unsigned mask,
            void *result),
           (folder, path, flags, mask, result), SYC_IO_AT(folder, path))

/* Programs that were linked before glibc 2.33 call these */
#define XSTAT(name)                                                     \
	SYC_IO_INT(name, (int version, const char *path, void *result), \
	           (version, path, result), HERE(path))
XSTAT(__xstat)
XSTAT(__xstat64)
XSTAT(__lxstat)
XSTAT(__lxstat64)

#define FXSTAT(name)                                          \
	SYC_IO_INT(name, (int version, int fd, void *result), \
	           (version, fd, result), SYC_IO_OF(fd))
FXSTAT(__fxstat)
FXSTAT(__fxstat64)

#define FXSTATAT(name)                                                       \
	SYC_IO_INT(name,                                                     \
	           (int version, int folder, const char *path, void *result, \
	            int flags),                                              \
	           (version, folder, path, result, flags),                   \
	           SYC_IO_AT(folder, path))
FXSTATAT(__fxstatat)
FXSTATAT(__fxstatat64)

#define RENAME(name)                                                     \
	SYC_IO_INT(name, (const char *from, const char *to), (from, to), \
	           SYC_IO_TWO(AT_FDCWD, from, AT_FDCWD, to))
RENAME(rename)
RENAME(link)

SYC_IO_INT(renameat, (int from_in, const char *from, int to_in, const char *to),
           (from_in, from, to_in, to), SYC_IO_TWO(from_in, from, to_in, to))
SYC_IO_INT(renameat2,
           (int from_in, const char *from, int to_in, const char *to,
            unsigned flags),
           (from_in, from, to_in, to, flags),
           SYC_IO_TWO(from_in, from, to_in, to))

/* The result may overwrite the path */
#define UNLESS_IN(path, to, n) \
	((uintptr_t)(path) - (uintptr_t)(to) < (n) ? NULL : (path))

SYC_IO_SIZE(readlink, (const char *path, char *to, size_t n), (path, to, n),
            HERE(UNLESS_IN(path, to, n)))
SYC_IO_SIZE(readlinkat, (int folder, const char *path, char *to, size_t n),
            (folder, path, to, n), SYC_IO_AT(folder, UNLESS_IN(path, to, n)))

#define TRUNCATE(name)                                                 \
	SYC_IO_INT(name, (const char *path, off_t size), (path, size), \
	           HERE(path))
TRUNCATE(truncate)
TRUNCATE(truncate64)

SYC_IO_WRAP(void *, opendir, (const char *path), (path), NULL, true, HERE(path))

/* The fd is the first word of glibc's DIR */
#define READDIR(name)                                                   \
	SYC_IO_WRAP(void *, name, (void *folder), (folder), NULL, true, \
	            SYC_IO_OF(folder != NULL ? *(const int *)folder : -1))
READDIR(readdir)
READDIR(readdir64)

SYC_IO_SIZE(getdents64, (int fd, void *to, size_t n), (fd, to, n),
            SYC_IO_OF(fd))
