/* SPDX-License-Identifier: BSD-2-Clause */
/* module_finder.c - search for the files that MAP frames describe. */
#define _GNU_SOURCE
#include "symbols/module_finder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/strings.h"

/* Keep a file, and read its build-id. */
static int keep_file(struct syc_handed_files *files, int fd,
                     const struct stat *st)
{
	struct syc_handed handed = { .dev = st->st_dev, .ino = st->st_ino };
	struct syc_elf elf;
	int copy;

	if (syc_array_room(&files->opened) < 0)
		return -ENOMEM;
	handed.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (handed.fd < 0)
		return -errno;
	/*
	 * Read the file by another duplicate fd, which is closed again.
	 */
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy < 0) {
		copy = -errno;
		close(handed.fd);
		return copy;
	}
	if (syc_elf_open(&elf, copy) == 0) {
		memcpy(handed.build_id, elf.build_id, sizeof(elf.build_id));
		syc_elf_close(&elf);
	}
	files->opened.items[files->opened.n++] = handed;
	return 0;
}

static int keep_name(struct syc_handed_files *files, size_t number,
                     const struct syc_symbols_file *file)
{
	struct syc_handed_name name = {
		.file = number,
		.pid = file->pid,
		.inode = file->inode,
	};
	size_t ignored;
	char *key;
	int len, r;

	len = asprintf(&key, "%zu/%d/%" PRIu64 "/%s", number, file->pid,
	               file->inode, file->path);
	if (len < 0)
		return -ENOMEM;
	r = syc_map_put(&files->by_name, key, (size_t)len, &ignored);
	free(key);
	if (r <= 0)
		return r;
	name.path = strdup(file->path);
	if (name.path != NULL && syc_array_push(&files->names, name) == 0)
		return 0;
	free(name.path);
	return -ENOMEM;
}

int syc_handed_files_add(struct syc_handed_files *files,
                         const struct syc_symbols_file *file)
{
	uint64_t key[2];
	size_t number;
	struct stat st;
	int r;

	if (fstat(file->fd, &st) != 0)
		return -errno;
	key[0] = st.st_dev;
	key[1] = st.st_ino;
	if (!syc_map_get(&files->by_inode, key, sizeof(key), &number)) {
		r = keep_file(files, file->fd, &st);
		if (r < 0)
			return r;
		r = syc_map_put(&files->by_inode, key, sizeof(key), &number);
		if (r < 0) {
			close(files->opened.items[--files->opened.n].fd);
			return r;
		}
	}
	return file->path ? keep_name(files, number, file) : 0;
}

static bool is_called(const struct syc_handed_name *name,
                      const struct syc_symbols_wish *wish)
{
	return (name->pid == -1 || name->pid == wish->pid) &&
	       (name->inode == 0 || wish->inode == 0 ||
	        name->inode == wish->inode) &&
	       strcmp(name->path, wish->path) == 0;
}

/*
 * Find the next file that may match @wish, from *@at on, which is 0 at first.
 * Returns an fd that stays open, or -1 at the end.
 */
static int handed_files_next(const struct syc_handed_files *files,
                             const struct syc_symbols_wish *wish, size_t *at)
{
	if (wish->build_id[0] != 0) {
		while (*at < files->opened.n) {
			const struct syc_handed *file =
				&files->opened.items[(*at)++];

			if (strcmp(wish->build_id, file->build_id) == 0)
				return file->fd;
		}
		return -1;
	}
	while (*at < files->names.n) {
		const struct syc_handed_name *name =
			&files->names.items[(*at)++];

		if (is_called(name, wish))
			return files->opened.items[name->file].fd;
	}
	return -1;
}

static void handed_files_fini(struct syc_handed_files *files)
{
	for (size_t i = 0; i < files->opened.n; i++)
		close(files->opened.items[i].fd);
	free(files->opened.items);
	for (size_t i = 0; i < files->names.n; i++)
		free(files->names.items[i].path);
	free(files->names.items);
	syc_map_fini(&files->by_inode);
	syc_map_fini(&files->by_name);
}

/* Set the state and its reason, and take ownership of the text, or return
 * -ENOMEM if @why is NULL. */
static int set_why(struct syc_found *found, enum syc_symbols_state state,
                   char *why)
{
	if (why == NULL)
		return -ENOMEM;
	free(found->why);
	found->why = why;
	found->use.state = state;
	return 0;
}

static char *describe(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static char *describe(const char *format, ...)
{
	va_list arguments;
	char *text;
	int r;

	va_start(arguments, format);
	r = vasprintf(&text, format, arguments);
	va_end(arguments);
	return r < 0 ? NULL : text;
}

/* Check, without a build-id, whether the file may have changed since the
 * recording. */
static int check_age(const struct syc_finder *finder, struct syc_found *found,
                     const struct stat *st, const char *path)
{
	if (finder->begin == 0 || st->st_mtime <= finder->begin)
		return 1;
	return set_why(
		found, SYC_SYMBOLS_NEWER,
		describe("%s changed after the recording began and has no "
	                 "build-id",
	                 path));
}

/*
 * Check whether the file is the mapped file.  Returns 1, 0 with the reason in
 * @found for another file, or -ENOMEM.
 */
static int check(const struct syc_finder *finder, struct syc_found *found,
                 const struct syc_elf *elf, const struct stat *st,
                 const char *path)
{
	const struct syc_symbols_wish *wish = &found->wish;

	if (wish->build_id[0] != 0 && elf->build_id[0] == 0)
		return set_why(
			found, SYC_SYMBOLS_OTHER,
			describe("%s differs from the recorded file and has no "
		                 "build-id",
		                 path));
	if (wish->build_id[0] != 0) {
		if (strcmp(wish->build_id, elf->build_id) == 0)
			return 1;
		return set_why(
			found, SYC_SYMBOLS_OTHER,
			describe("%s differs from the recorded file: its "
		                 "build-id is %s",
		                 path, elf->build_id));
	}
	if (wish->inode != 0 && wish->inode != st->st_ino)
		return set_why(
			found, SYC_SYMBOLS_OTHER,
			describe("%s differs from the recorded file: its inode "
		                 "is %" PRIu64,
		                 path, (uint64_t)st->st_ino));
	return check_age(finder, found, st, path);
}

/* Load a file.  The file is the same under any device number that the process
 * had. */
static int load(struct syc_finder *finder, struct syc_found *found,
                struct syc_elf *elf, const struct stat *st,
                struct syc_debug_wish wish)
{
	char *key;
	int r;

	if (asprintf(&key, "%llx/%llx/%lld/%lld.%ld/%s",
	             (unsigned long long)st->st_dev,
	             (unsigned long long)st->st_ino, (long long)st->st_size,
	             (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
	             wish.path) < 0) {
		syc_elf_close(elf);
		return -ENOMEM;
	}
	r = syc_loaded_get(&finder->loaded, key, elf, &finder->debug_files,
	                   wish, &found->loaded);
	free(key);
	return r;
}

/* Use the file open at @fd if the file matches, and close @fd. */
static int consider(struct syc_finder *finder, struct syc_found *found, int fd,
                    const char *path, bool is_handed)
{
	struct syc_debug_wish wish = {
		.pid = found->wish.pid,
		.build_id = "",
		.path = found->wish.path,
		.found = is_handed ? "" : path,
	};
	struct syc_elf elf;
	struct stat st;
	int r;

	if (fstat(fd, &st) != 0) {
		r = -errno;
		close(fd);
	} else {
		r = syc_elf_open(&elf, fd);
	}
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return set_why(
			found, SYC_SYMBOLS_BAD,
			r == -ENOEXEC ? describe("%s is not an ELF file", path)
				      : describe("%s: %s", path, strerror(-r)));
	/* A file that stayed open since its mapping needs no check. */
	r = is_handed ? 1 : check(finder, found, &elf, &st, path);
	if (r <= 0) {
		syc_elf_close(&elf);
		return r;
	}
	r = load(finder, found, &elf, &st, wish);
	if (r < 0)
		return r;
	found->found = strdup(found->loaded->module.debug_path
	                              ? found->loaded->module.debug_path
	                              : (is_handed ? "" : path));
	return found->found ? 1 : -ENOMEM;
}

static int try_one_handed(struct syc_finder *finder, struct syc_found *found,
                          int handed)
{
	const int fd = fcntl(handed, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? 0 : consider(finder, found, fd, found->wish.path, true);
}

static int try_handed(struct syc_finder *finder, struct syc_found *found)
{
	size_t at = 0;
	int r = 0;

	while (r == 0) {
		const int fd =
			handed_files_next(&finder->handed, &found->wish, &at);

		if (fd < 0)
			break;
		r = try_one_handed(finder, found, fd);
	}
	return r;
}

static int try_paths(struct syc_finder *finder, struct syc_found *found,
                     const char *path)
{
	struct syc_paths paths = { 0 };
	int r = syc_places_list(finder->debug_files.places, found->wish.pid,
	                        path, &paths);

	for (size_t i = 0; r == 0 && i < paths.array.n; i++) {
		const int fd = syc_debug_files_open(paths.array.items[i]);

		if (fd >= 0)
			r = consider(finder, found, fd, paths.array.items[i],
			             false);
		else if (fd != -ENOENT && fd != -ENOTDIR &&
		         found->use.state == SYC_SYMBOLS_MISSING)
			r = set_why(found, SYC_SYMBOLS_BAD,
			            describe("%s: %s", paths.array.items[i],
			                     strerror(-fd)));
	}
	syc_paths_fini(&paths);
	return r;
}

/* Try the debug file of a missing file. */
static int try_debug_only(struct syc_finder *finder, struct syc_found *found)
{
	struct syc_debug_wish wish = {
		.pid = found->wish.pid,
		.build_id = found->wish.build_id,
		.path = found->wish.path,
		.found = "",
	};
	struct syc_elf elf;
	char *path;
	int r;

	if (wish.build_id[0] == 0)
		return 0;
	r = syc_debug_files_find(&finder->debug_files, &wish, &elf, &path);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = syc_loaded_get(&finder->loaded, path, &elf, &finder->debug_files,
	                   wish, &found->loaded);
	if (r < 0) {
		free(path);
		return r;
	}
	found->loaded->module.is_debug_only = true;
	found->found = path;
	return 1;
}

static int look_for(struct syc_finder *finder, struct syc_found *found)
{
	static const char deleted[] = " (deleted)";
	const char *path = found->wish.path;
	const size_t len = strlen(path), mark = sizeof(deleted) - 1;
	char *plain = NULL;
	bool is_gone = false;
	int r = try_handed(finder, found);

	if (r == 0 && len > mark && strcmp(path + len - mark, deleted) == 0) {
		is_gone = true;
		plain = syc_copy_text(path, len - mark);
		if (plain == NULL)
			return -ENOMEM;
	}
	/*
	 * Without a build-id, the new file can't be distinguished from the old
	 * file.
	 */
	if (r == 0 && !(is_gone && found->wish.build_id[0] == 0))
		r = try_paths(finder, found, plain ? plain : path);
	free(plain);
	return r == 0 ? try_debug_only(finder, found) : r;
}

static int note_result(struct syc_found *found, int r)
{
	if (r < 0)
		return r;
	if (r > 0) {
		const struct syc_module *module = &found->loaded->module;
		bool has_name = false;

		for (size_t i = 0; i < module->functions.array.n; i++)
			has_name = has_name ||
			           module->functions.array.items[i].name;
		found->use.state =
			has_name ? SYC_SYMBOLS_USED : SYC_SYMBOLS_UNNAMED;
		free(found->why);
		found->why = NULL;
		if (module->unpack_error == -ENOTSUP)
			found->why = describe(
				"syscap was built without liblzma and cannot "
				"read .gnu_debugdata");
	}
	found->use.why = found->why ? found->why : "";
	found->use.found = found->found ? found->found : "";
	return 0;
}

static int make_found(struct syc_finder *finder,
                      const struct syc_symbols_wish *wish,
                      struct syc_found **ret_found)
{
	struct syc_found *found = calloc(1, sizeof(*found));
	const char *slash = strrchr(wish->path, '/');
	int r;

	if (found == NULL)
		return -ENOMEM;
	found->wish = *wish;
	found->nick = slash ? slash + 1 : "";
	if (strcmp(wish->path, "[vdso]") == 0)
		found->nick = "vdso"; /* readers add brackets */
	found->use.path = wish->path;
	found->use.build_id = wish->build_id[0] ? wish->build_id : NULL;
	found->use.state = SYC_SYMBOLS_MISSING;
	r = note_result(found, look_for(finder, found));
	if (r == 0 && syc_array_push(&finder->found, found) == 0) {
		*ret_found = found;
		return 0;
	}
	free(found->found);
	free(found->why);
	free(found);
	return -ENOMEM;
}

int syc_finder_find(struct syc_finder *finder,
                    const struct syc_symbols_wish *wish,
                    struct syc_found **ret_found)
{
	const bool has_id = wish->build_id[0] != 0;
	const bool by_pid =
		!has_id &&
		syc_places_differ(finder->debug_files.places, wish->pid);
	size_t number;
	char *key;
	int len, r;

	/*
	 * Files with one build-id are the same under any name, but each path
	 * has a separate entry, so that the output shows each path.
	 */
	len = asprintf(&key, "%s/%d/%" PRIu64 "/%s", wish->build_id,
	               by_pid ? wish->pid : -1, has_id ? 0 : wish->inode,
	               wish->path);
	if (len < 0)
		return -ENOMEM;
	if (syc_map_get(&finder->by_wish, key, (size_t)len, &number)) {
		*ret_found = finder->found.items[number];
		free(key);
		return 0;
	}
	r = make_found(finder, wish, ret_found);
	/*
	 * The new entry must have the last number, so a failure stops the
	 * finder.
	 */
	if (r == 0 &&
	    syc_map_put(&finder->by_wish, key, (size_t)len, &number) < 0)
		r = -ENOMEM;
	free(key);
	return r;
}

const char *syc_found_name(struct syc_found *found,
                           const struct syc_range *range, uint64_t offset)
{
	return syc_loaded_name(found->loaded, range, found->wish.path, offset);
}

static void free_found(struct syc_found *found)
{
	free(found->found);
	free(found->why);
	free(found);
}

void syc_finder_fini(struct syc_finder *finder)
{
	handed_files_fini(&finder->handed);
	for (size_t i = 0; i < finder->found.n; i++)
		free_found(finder->found.items[i]);
	free(finder->found.items);
	syc_loaded_fini(&finder->loaded);
	syc_map_fini(&finder->by_wish);
	syc_paths_fini(&finder->debug_files.directories);
	memset(finder, 0, sizeof(*finder));
}
