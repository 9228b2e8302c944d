/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.c - choice of the preloaded library, programs that cannot load it,
 * and processes without it.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "capture/files.h"
#include "common/strings.h"
#include "recorder/processes.h"
#include "recorder/recorder.h"
#include "symbols/elf_file.h"

/* Greatest number of interpreters, because the interpreter of a script may be a
 * script, too. */
#define INTERPRETERS_MAX 4

/* Store in @path the path that execvp() would find. */
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

/*
 * Return why the loader would be in secure mode, or NULL.  The program is
 * examined by path, because programs like sudo may be unreadable.
 */
static const char *why_privileged(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return NULL;
	/* The loader is in secure mode only if an id changes. */
	if ((st.st_mode & S_ISUID) != 0 && st.st_uid != getuid())
		return "is set-user-ID";
	if ((st.st_mode & S_ISGID) != 0 && st.st_gid != getgid())
		return "is set-group-ID";
	if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		return "has file capabilities";
	return NULL;
}

/* Return a problem of the program's loader, or NULL. */
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
		               ? "uses a C library other than glibc"
		               : NULL;
	}
	return "is statically linked";
}

/* A program's allocator. */
struct allocator {
	/* The sanitizer with this allocator, or NULL. */
	const char *sanitizer;
	bool is_from_program;
};

/* Find a sanitizer by the names of a program's libraries and exports. */
static const char *find_sanitizer(const struct syc_elf *elf)
{
	static const char *const known[][2] = {
		{ "libasan.so", SYC_PRELOAD_ASAN },
		{ "libclang_rt.asan", SYC_PRELOAD_ASAN },
		{ "liblsan.so", "LeakSanitizer" },
		{ "__lsan_do_leak_check", "LeakSanitizer" },
	};
	const struct syc_elf_section *const names =
		syc_elf_find(elf, ".dynstr");
	const char *found = NULL;
	unsigned char *bytes;

	if (names == NULL || syc_elf_read_section(elf, names, &bytes) != 0)
		return NULL;
	for (size_t i = 0;
	     found == NULL && i < sizeof(known) / sizeof(known[0]); i++)
		if (memmem(bytes, names->size, known[i][0],
		           strlen(known[i][0])) != NULL)
			found = known[i][1];
	free(bytes);
	return found;
}

/* Return whether the program exports malloc(), which the C library then
 * calls. */
static bool defines_malloc(const struct syc_elf *elf)
{
	const struct syc_elf_section *const table =
		syc_elf_find(elf, ".dynsym");
	const struct syc_elf_section *const texts =
		syc_elf_find(elf, ".dynstr");
	unsigned char *symbols = NULL, *names = NULL;
	bool is_found = false;

	if (table != NULL && texts != NULL &&
	    syc_elf_read_section(elf, table, &symbols) == 0 &&
	    syc_elf_read_section(elf, texts, &names) == 0)
		for (size_t at = 0; at + sizeof(Elf64_Sym) <= table->size;
		     at += sizeof(Elf64_Sym)) {
			Elf64_Sym symbol;

			memcpy(&symbol, symbols + at, sizeof(symbol));
			is_found |= symbol.st_shndx != SHN_UNDEF &&
			            symbol.st_name < texts->size &&
			            strcmp((char *)names + symbol.st_name,
			                   "malloc") == 0;
		}
	free(symbols);
	free(names);
	return is_found;
}

/* Return a problem of the program, or NULL.  Store the first line of a script
 * in @script. */
static const char *look_at(int fd, char script[256],
                           struct allocator *ret_allocator)
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
	if (reason == NULL)
		*ret_allocator = (struct allocator){ find_sanitizer(&elf),
			                             defines_malloc(&elf) };
	syc_elf_close(&elf);
	return reason;
}

/*
 * Return the reason why no library can be preloaded into the program, or NULL.
 * Store the program's path in @path.
 */
static const char *look_for(const char *command, char path[PATH_MAX],
                            struct allocator *ret_allocator)
{
	char script[256] = "";
	const char *reason = NULL;

	*ret_allocator = (struct allocator){ 0 };
	if (!find_program(command, path))
		return NULL;
	for (int i = 0; reason == NULL && i < INTERPRETERS_MAX; i++) {
		const int fd = syc_plain_file_open(path, O_RDONLY, NULL);
		const char *name = script + 2;

		script[0] = 0;
		if (fd >= 0) {
			reason = look_at(fd, script, ret_allocator);
			close(fd);
		}
		if (script[0] == 0) {
			if (reason == NULL)
				reason = why_privileged(path);
			break;
		}
		name += strspn(name, " \t");
		snprintf(path, PATH_MAX, "%.*s", (int)strcspn(name, " \t\n"),
		         name);
	}
	return reason;
}

bool syc_preload_refused(const char *command, char *why, size_t size)
{
	char path[PATH_MAX];
	struct allocator allocator;
	const char *const reason = look_for(command, path, &allocator);

	if (reason != NULL)
		snprintf(why, size, "%s %s", path, reason);
	return reason != NULL;
}

const char *syc_preload_sanitizer(const char *command)
{
	char path[PATH_MAX];
	struct allocator allocator;

	look_for(command, path, &allocator);
	return allocator.sanitizer;
}

bool syc_preload_has_malloc(const char *command)
{
	char path[PATH_MAX];
	struct allocator allocator;

	look_for(command, path, &allocator);
	return allocator.is_from_program;
}

/*
 * Paths relative to the directory of the `syscap` program, with or without a
 * directory of the architecture.  The installation prefix may have been moved,
 * or may be the build tree.
 */
static const char *const beside[] = {
	"../lib/syscap",
	"../lib64/syscap",
	"../lib/*-linux-*/syscap",
};

bool syc_preload_is_library(const char *name)
{
	return strcmp(name, SYC_PRELOAD_SAMPLER) == 0 ||
	       strcmp(name, SYC_PRELOAD_IO) == 0 ||
	       strcmp(name, SYC_PRELOAD_MEMORY) == 0;
}

static char *first_match(const char *pattern)
{
	glob_t found;
	char *path = NULL;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
		return NULL;
	for (size_t i = 0; path == NULL && i < found.gl_pathc; i++)
		if (access(found.gl_pathv[i], R_OK) == 0)
			path = realpath(found.gl_pathv[i], NULL);
	globfree(&found);
	return path;
}

static char *join_path(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Escape the name of the directory, so that it does not act as a pattern. */
static char *escape_pattern(const char *path)
{
	char *text = malloc(2 * strlen(path) + 1), *to = text;

	if (text == NULL)
		return NULL;
	for (; *path != 0; path++) {
		if (strchr("*?[\\", *path) != NULL)
			*to++ = '\\';
		*to++ = *path;
	}
	*to = 0;
	return text;
}

static char *find_beside(const char *name)
{
	char own[PATH_MAX];
	char *folder, *found = NULL;
	const ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (n <= 0)
		return NULL;
	own[n] = 0;
	*strrchr(own, '/') = 0;
	folder = escape_pattern(own);
	for (size_t i = 0; folder != NULL && found == NULL &&
	                   i < sizeof(beside) / sizeof(beside[0]);
	     i++) {
		char *const place = join_path(folder, beside[i]);
		char *const pattern =
			place != NULL ? join_path(place, name) : NULL;

		if (pattern != NULL)
			found = first_match(pattern);
		free(pattern);
		free(place);
	}
	free(folder);
	return found;
}

static char *find_in(const char *folder, const char *name)
{
	char *const there = join_path(folder, name);
	char *const path = there != NULL ? realpath(there, NULL) : NULL;

	free(there);
	return path;
}

static char *find_library(const char *name, char *why, size_t size)
{
	const char *const folder = getenv("SYSCAP_PRELOAD_DIR");
	char *path;

	if (folder != NULL && folder[0] != 0) {
		path = find_in(folder, name);
		if (path == NULL)
			snprintf(why, size,
			         "%s is not in the directory %s "
			         "(SYSCAP_PRELOAD_DIR)",
			         name, folder);
		return path;
	}
	path = find_beside(name);
	if (path == NULL)
		path = find_in(SYC_PRELOAD_LIBDIR, name);
	if (path == NULL)
		snprintf(why, size,
		         "%s is neither in ../lib/syscap beside this program "
		         "nor in " SYC_PRELOAD_LIBDIR,
		         name);
	return path;
}

int syc_preload_find(const char *name, char **ret_value, char *why, size_t size)
{
	const char *const there = getenv("LD_PRELOAD");
	char *path = find_library(name, why, size), *value;
	int r;

	if (path == NULL)
		return -ENOENT;
	if (strpbrk(path, " :") != NULL) {
		snprintf(why, size,
		         "%s: LD_PRELOAD cannot hold a path with a blank or a "
		         "colon",
		         path);
		free(path);
		return -EINVAL;
	}
	if (there == NULL || there[0] == 0) {
		*ret_value = path;
		return 0;
	}
	r = asprintf(&value, "%s:%s", path, there);
	free(path);
	if (r < 0) {
		snprintf(why, size, "the recorder is out of memory");
		return -ENOMEM;
	}
	*ret_value = value;
	return 0;
}

/*
 * Processes of the command without the preloaded library, because of an emptied
 * environment or another root.  Static programs, which load no library, are not
 * counted.
 */

#define FIRST_PAUSE INT64_C(10000000)
#define PAUSE_MAX   INT64_C(1000000000)
#define FOUND_MAX   4096u
#define DEPTH_MAX   32u

struct syc_unloaded_process {
	int32_t pid;
	uint64_t start_time;
};

struct loaded {
	bool has_preload, has_loader, has_libc;
};

static void see_map(void *context, const struct syc_procfs_map *map)
{
	struct loaded *const loaded = context;
	const char *const slash = strrchr(map->path, '/');
	const char *const name = slash != NULL ? slash + 1 : "";

	loaded->has_preload |= syc_preload_is_library(name);
	loaded->has_loader |= strncmp(name, "ld-", 3) == 0;
	loaded->has_libc |= strncmp(name, "libc.so.", 8) == 0;
}

/*
 * Return whether @pid lacks the preloaded library.  The loader maps preloaded
 * libraries before the C library.
 */
static bool lacks_ours(int32_t pid)
{
	struct loaded loaded = { false, false, false };

	if (syc_procfs_maps(pid, see_map, &loaded) != 0)
		return false;
	return !loaded.has_preload && loaded.has_loader && loaded.has_libc;
}

static void note_one(struct syc_unloaded *unloaded, int32_t pid)
{
	struct syc_procfs_identity identity;

	if (syc_procfs_identity(pid, &identity) != 0 ||
	    unloaded->found.n == FOUND_MAX)
		return;
	for (size_t i = 0; i < unloaded->found.n; i++)
		if (unloaded->found.items[i].pid == pid &&
		    unloaded->found.items[i].start_time == identity.start_time)
			return;
	(void)syc_array_push(
		&unloaded->found,
		((struct syc_unloaded_process){ pid, identity.start_time }));
}

/*
 * Examine a process and the children of its first thread, because other threads
 * rarely start processes.
 */
static void look_at_tree(struct syc_unloaded *unloaded, int32_t pid,
                         unsigned depth)
{
	char name[64], children[4096];
	char *at = children, *end;
	ssize_t n;

	if (lacks_ours(pid))
		note_one(unloaded, pid);
	snprintf(name, sizeof(name), "task/%d/children", pid);
	if (depth == DEPTH_MAX)
		return;
	n = syc_text_file_read_proc(pid, name, children, sizeof(children));
	for (; n > 0; at = end) {
		const long child = strtol(at, &end, 10);

		/*
		 * A blank follows each number, except a truncated number
		 */
		if (end == at || *end != ' ')
			break;
		look_at_tree(unloaded, (int32_t)child, depth + 1);
	}
}

void syc_unloaded_look(struct syc_unloaded *unloaded, int32_t command,
                       int64_t now)
{
	if (now < unloaded->next)
		return;
	if (unloaded->next != 0) /* at the first check the command may be inside
	                          * exec */
		look_at_tree(unloaded, command, 0);
	unloaded->pause =
		unloaded->pause == 0 ? FIRST_PAUSE : 2 * unloaded->pause;
	if (unloaded->pause > PAUSE_MAX)
		unloaded->pause = PAUSE_MAX;
	unloaded->next = now + unloaded->pause;
}

unsigned syc_unloaded_count(const struct syc_unloaded *unloaded)
{
	return (unsigned)unloaded->found.n;
}

void syc_unloaded_free(struct syc_unloaded *unloaded)
{
	free(unloaded->found.items);
}
