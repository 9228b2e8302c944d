/* SPDX-License-Identifier: BSD-2-Clause */
/* preload_refused.c - why nothing can be preloaded into a program. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "capture/plain_file.h"
#include "record/preload.h"
#include "symbols/elf_file.h"

#define INTERPRETERS_MAX 4 /* a script's may be a script */

/* As execvp() finds it, to @path. */
static bool find_program(const char *command, char path[PATH_MAX])
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
static const char *why_privileged(const char *path)
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

/* What is wrong with the loader that the program asks for, or NULL. */
static const char *look_at_loader(const struct syc_elf *elf, int fd)
{
	char loader[64] = "";

	for (size_t i = 0; i < elf->n_segments; i++) {
		if (elf->segments[i].type != PT_INTERP)
			continue;
		if (pread(fd, loader, sizeof(loader) - 1,
		          (off_t)elf->segments[i].offset) < 0)
			return NULL;
		return strstr(loader, "/ld-musl-") != NULL
		               ? "is of another C library than glibc"
		               : NULL;
	}
	return "is statically linked";
}

/* NULL: nothing is wrong.  @script: its first line if it is no program. */
static const char *look_at(int fd, char script[256])
{
	const ssize_t n = pread(fd, script, 255, 0);
	const char *reason = NULL;
	struct syc_elf_view view;
	struct syc_elf elf;

	script[n > 0 ? n : 0] = 0;
	if (n >= 2 && script[0] == '#' && script[1] == '!')
		return NULL;
	script[0] = 0;
	if (syc_elf_view_file(fd, &view) < 0 ||
	    syc_elf_open_view(&elf, &view) < 0)
		return NULL;
	if (!elf.is_64)
		reason = "is a 32-bit program";
	else
		reason = look_at_loader(&elf, fd);
	syc_elf_close(&elf);
	return reason;
}

bool syc_preload_refused(const char *command, char *why, size_t size)
{
	char path[PATH_MAX], script[256] = "";
	const char *reason = NULL;

	if (!find_program(command, path))
		return false;
	for (int i = 0; reason == NULL && i < INTERPRETERS_MAX; i++) {
		const int fd = syc_plain_file_open(path, O_RDONLY, NULL);
		const char *name = script + 2;

		script[0] = 0;
		if (fd >= 0) {
			reason = look_at(fd, script);
			close(fd);
		}
		if (script[0] == 0) {
			if (reason == NULL)
				reason = why_privileged(path);
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
