/* SPDX-License-Identifier: BSD-2-Clause */
/* preload_refused.c - why nothing can be preloaded into a program. */
#define _GNU_SOURCE
#include "record/preload.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define HEADERS_MAX      256u
#define INTERPRETERS_MAX 4 /* a script's may be a script */

/* As execvp() finds it, to @path. */
static bool look_up(const char *command, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	size_t len;

	if (strchr(command, '/') != NULL)
		return snprintf(path, PATH_MAX, "%s", command) < PATH_MAX;
	for (; folders != NULL && *folders != 0;
	     folders += len + (folders[len] == ':')) {
		len = strcspn(folders, ":");
		if (len + strlen(command) + 2 > PATH_MAX)
			continue;
		snprintf(path, PATH_MAX, "%.*s%s%s", (int)len, folders,
		         len > 0 ? "/" : "", command);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* By its path: sudo and the like may be run, and not be read. */
static const char *privileged(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return NULL;
	/* Where nothing changes, the loader does not mind. */
	if ((st.st_mode & S_ISUID) != 0 && st.st_uid != getuid())
		return "is set-user-ID";
	if ((st.st_mode & S_ISGID) != 0 && st.st_gid != getgid())
		return "is set-group-ID";
	if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		return "has capabilities of its own";
	return NULL;
}

static const char *no_loader(int fd, const Elf64_Ehdr *header)
{
	const unsigned n = header->e_phnum;

	if (n > HEADERS_MAX || header->e_phentsize != sizeof(Elf64_Phdr))
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		const off_t at =
			(off_t)(header->e_phoff + i * sizeof(Elf64_Phdr));
		Elf64_Phdr segment;

		if (pread(fd, &segment, sizeof(segment), at) !=
		    (ssize_t)sizeof(segment))
			return NULL;
		if (segment.p_type == PT_INTERP)
			return NULL;
	}
	return "is statically linked";
}

/* NULL: nothing is wrong.  @script: its first line if it is no program. */
static const char *look_at(int fd, char script[256])
{
	Elf64_Ehdr header = { 0 };
	const ssize_t n = pread(fd, script, 255, 0);

	script[n > 0 ? n : 0] = 0;
	if (n >= 2 && script[0] == '#' && script[1] == '!')
		return NULL;
	if (n >= (ssize_t)sizeof(header))
		memcpy(&header, script, sizeof(header));
	script[0] = 0;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return "is a 32-bit program";
	return no_loader(fd, &header);
}

bool sc_preload_refused(const char *command, char *why, size_t size)
{
	char path[PATH_MAX], script[256] = "";
	const char *reason = NULL;

	if (!look_up(command, path))
		return false;
	for (int i = 0; reason == NULL && i < INTERPRETERS_MAX; i++) {
		const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		const char *name = script + 2;

		script[0] = 0;
		if (fd >= 0) {
			reason = look_at(fd, script);
			close(fd);
		}
		if (script[0] == 0) {
			if (reason == NULL)
				reason = privileged(path);
			break;
		}
		name += strspn(name, " \t");
		snprintf(path, sizeof(path), "%.*s",
		         (int)strcspn(name, " \t\n"), name);
	}
	if (reason != NULL)
		snprintf(why, size, "%s %s", path, reason);
	return reason != NULL;
}
