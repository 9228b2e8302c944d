/* SPDX-License-Identifier: BSD-2-Clause */
/* debug_files.c - search for the debug file of a stripped file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/module_finder.h"
#include "symbols/resolver.h"

/* Directories of debug files in distributions. */
static const char *const usual[] = { "/usr/lib/debug", "/app/lib/debug" };

struct debug_search {
	const struct syc_debug_files *files;
	const struct syc_debug_wish *wish;
	bool has_crc; /* the stripped file has a checksum in .gnu_debuglink */
	uint32_t crc;
	struct syc_elf *elf;
	char **path;
};

/*
 * Greatest size of a file that is read for its checksum.  No debug file is
 * larger.
 */
#define SIZE_MAX_SUMMED (INT64_C(8) << 30)

int syc_debug_files_open(const char *path)
{
	struct stat st;
	int fd;

	/* Check the type first, because opening a device may have side
	 * effects. */
	if (stat(path, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EISDIR;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static void fill_crc_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;

		for (unsigned bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
		table[i] = value;
	}
}

/* Compute the CRC-32 of a whole file, like zlib and .gnu_debuglink. */
static int checksum(int fd, uint32_t *ret_crc)
{
	unsigned char *buffer = malloc(1 << 16);
	uint32_t table[256], crc = UINT32_MAX;
	off_t at = 0;
	ssize_t n;

	if (buffer == NULL)
		return -ENOMEM;
	fill_crc_table(table);
	while ((n = pread(fd, buffer, 1 << 16, at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			free(buffer);
			return -EIO;
		}
		for (ssize_t i = 0; i < n; i++)
			crc = table[(crc ^ buffer[i]) & 0xff] ^ crc >> 8;
		at += n;
	}
	free(buffer);
	*ret_crc = ~crc;
	return 0;
}

static bool is_wanted(const struct debug_search *search,
                      const struct syc_elf *elf)
{
	struct stat st;
	uint32_t crc;

	if (search->wish->build_id[0] != 0 && elf->build_id[0] != 0)
		return strcmp(search->wish->build_id, elf->build_id) == 0;
	return search->has_crc && fstat(elf->fd, &st) == 0 &&
	       st.st_size <= SIZE_MAX_SUMMED && checksum(elf->fd, &crc) == 0 &&
	       crc == search->crc;
}

/* Return whether @fd is the stripped file, which has the same build-id, and to
 * which a link may lead. */
static bool is_stripped_one(const struct debug_search *search, int fd)
{
	const struct syc_elf *stripped = search->wish->elf;
	struct stat this, that;

	return stripped != NULL && stripped->fd >= 0 && fstat(fd, &this) == 0 &&
	       fstat(stripped->fd, &that) == 0 && this.st_dev == that.st_dev &&
	       this.st_ino == that.st_ino;
}

/*
 * Try @path, which is valid in this process.  Returns 1 if @path is the debug
 * file, otherwise 0 or -ENOMEM.
 */
static int try(struct debug_search *search, const char *path)
{
	const int fd = syc_debug_files_open(path);
	int r;

	if (fd < 0 || is_stripped_one(search, fd)) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	r = syc_elf_open(search->elf, fd);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	if (is_wanted(search, search->elf)) {
		*search->path = strdup(path);
		if (*search->path != NULL)
			return 1;
		r = -ENOMEM;
	}
	syc_elf_close(search->elf);
	return r;
}

/* Try @path, which is valid in the recorded process or on the recorded
 * machine. */
static int try_there(struct debug_search *search, const char *path)
{
	struct syc_paths paths = { 0 };
	int r = syc_places_list(search->files->places, search->wish->pid, path,
	                        &paths);

	for (size_t i = 0; r == 0 && i < paths.array.n; i++)
		r = try(search, paths.array.items[i]);
	syc_paths_fini(&paths);
	return r;
}

/* Try @inner, "/a/b", below every directory of debug files. */
static int try_directories(struct debug_search *search, const char *inner)
{
	const struct syc_paths *directories = &search->files->directories;
	char *path;
	int r = 0;

	for (size_t i = 0; r == 0 && i < directories->array.n; i++) {
		if (asprintf(&path, "%s%s", directories->array.items[i],
		             inner) < 0)
			return -ENOMEM;
		r = try(search, path);
		free(path);
	}
	for (size_t i = 0; r == 0 && i < sizeof(usual) / sizeof(*usual); i++) {
		if (asprintf(&path, "%s%s", usual[i], inner) < 0)
			return -ENOMEM;
		r = try_there(search, path);
		free(path);
	}
	return r;
}

/* Try the layout of the cache of debuginfod's clients. */
static int try_cache(struct debug_search *search, const char *id)
{
	const struct syc_paths *directories = &search->files->directories;
	char *path;
	int r = 0;

	for (size_t i = 0; r == 0 && i < directories->array.n; i++) {
		if (asprintf(&path, "%s/%s/debuginfo",
		             directories->array.items[i], id) < 0)
			return -ENOMEM;
		r = try(search, path);
		free(path);
	}
	return r;
}

/* Return whether a build-id may become part of a path: captures are not
 * trusted. */
static bool is_build_id(const char *id)
{
	return strlen(id) >= 3 && strspn(id, "0123456789abcdef") == strlen(id);
}

static int try_build_id(struct debug_search *search)
{
	const char *id = search->wish->build_id;
	char *inner;
	int r;

	if (!is_build_id(id))
		return 0;
	if (asprintf(&inner, "/.build-id/%.2s/%s.debug", id, id + 2) < 0)
		return -ENOMEM;
	r = try_directories(search, inner);
	free(inner);
	return r != 0 ? r : try_cache(search, id);
}

/* Read the name in .gnu_debuglink and the checksum after the name. */
static int read_link(struct debug_search *search, char **ret_name)
{
	const struct syc_elf *elf = search->wish->elf;
	const struct syc_elf_section *section =
		syc_elf_find(elf, ".gnu_debuglink");
	unsigned char *bytes;
	uint64_t crc_at;
	int r;

	*ret_name = NULL;
	if (section == NULL)
		return 0;
	r = syc_elf_read_section(elf, section, &bytes);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	crc_at = (strlen((char *)bytes) + 1 + 3) & ~UINT64_C(3);
	if (bytes[0] == 0 || strchr((char *)bytes, '/') != NULL ||
	    crc_at + 4 > section->size) {
		free(bytes);
		return 0;
	}
	search->crc = syc_elf_u32(elf, bytes + crc_at);
	search->has_crc = true;
	*ret_name = (char *)bytes;
	return 0;
}

/*
 * Try the directory of the stripped file, and its subdirectory .debug.  If the
 * file was handed over by its fd, try directories of the recorded process.
 */
static int try_beside(struct debug_search *search, const char *name)
{
	static const char *const inner[] = { "/", "/.debug/" };
	const struct syc_debug_wish *wish = search->wish;
	const bool is_here = wish->found[0] != 0;
	const char *beside = is_here ? wish->found : wish->path;
	const char *slash = strrchr(beside, '/');
	char *path;
	int r = 0;

	for (size_t i = 0; r == 0 && slash != NULL && i < 2; i++) {
		if (asprintf(&path, "%.*s%s%s", (int)(slash - beside), beside,
		             inner[i], name) < 0)
			return -ENOMEM;
		r = is_here ? try(search, path) : try_there(search, path);
		free(path);
	}
	return r;
}

static int try_link(struct debug_search *search, const char *name)
{
	const struct syc_debug_wish *wish = search->wish;
	const char *slash = strrchr(wish->path, '/');
	char *path;
	int r = try_beside(search, name);

	/* Also try /usr, below which packages install files, because /bin may
	 * be a link to /usr/bin. */
	for (unsigned with_usr = 0; r == 0 && with_usr < 2; with_usr++) {
		if (slash == NULL || wish->path[0] != '/' ||
		    asprintf(&path, "%s%.*s/%s", with_usr ? "/usr" : "",
		             (int)(slash - wish->path), wish->path, name) < 0)
			return slash == NULL || wish->path[0] != '/' ? 0
			                                             : -ENOMEM;
		r = try_directories(search, path);
		free(path);
	}
	return r;
}

/* Download the file.  try() checks the build-id afterwards. */
static int try_server(struct debug_search *search)
{
	const char *id = search->wish->build_id;
	char *path;
	int r;

	if (!is_build_id(id))
		return 0;
	path = syc_debuginfod_find(search->files->server, id);
	r = path != NULL ? try(search, path) : 0;
	free(path);
	return r;
}

int syc_debug_files_find(const struct syc_debug_files *files,
                         const struct syc_debug_wish *wish,
                         struct syc_elf *ret_elf, char **ret_path)
{
	struct debug_search search = {
		.files = files,
		.wish = wish,
		.elf = ret_elf,
		.path = ret_path,
	};
	char *name = NULL;
	int r = try_build_id(&search);

	if (r == 0 && wish->elf != NULL) {
		r = read_link(&search, &name);
		if (r == 0 && name != NULL)
			r = try_link(&search, name);
		free(name);
	}
	if (r == 0)
		r = try_server(&search);
	if (r < 0)
		return r;
	return r > 0 ? 0 : -ENOENT;
}

/*
 * Debian packages of files on this machine, from dpkg's lists.
 *
 * A list begins with a line "/.", and then has one path per line.  Because /usr
 * may be merged, the search tries each path with and without "/usr".
 */

#define MOST_OF_LIST (16 << 20)

/* Return the content of a list, to be freed, or NULL. */
static char *read_list(int directory, const char *name, size_t *ret_size)
{
	const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *text = NULL;
	ssize_t got;
	size_t n = 0;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size <= MOST_OF_LIST)
		text = malloc((size_t)status.st_size + 1);
	while (text != NULL && n < (size_t)status.st_size &&
	       (got = read(fd, text + n, (size_t)status.st_size - n)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		close(fd);
	*ret_size = n;
	return text;
}

static bool has_line(const char *text, size_t size, const char *path)
{
	char line[4200];
	const int n = snprintf(line, sizeof(line), "\n%s\n", path);

	return n > 0 && (size_t)n < sizeof(line) &&
	       memmem(text, size, line, (size_t)n) != NULL;
}

static bool has_file(const char *text, size_t size, const char *path)
{
	char other[4200];

	if (has_line(text, size, path))
		return true;
	if (strncmp(path, "/usr/", 5) == 0)
		return has_line(text, size, path + 4);
	snprintf(other, sizeof(other), "/usr%s", path);
	return has_line(text, size, other);
}

/* Read the package's name from the list's name, such as
 * "libglib2.0-0:amd64.list". */
static bool read_name(const char *file, char *name)
{
	const size_t n = strlen(file);
	size_t len;

	if (n <= 5 || strcmp(file + n - 5, ".list") != 0)
		return false;
	len = strcspn(file, ":");
	if (len == n)
		len = n - 5;
	if (len >= SYC_PACKAGE_NAME)
		return false;
	memcpy(name, file, len);
	name[len] = 0;
	return true;
}

void syc_packages_find(const char *info, const char *const *paths, size_t n,
                       char (*ret_names)[SYC_PACKAGE_NAME])
{
	DIR *lists = opendir(info);
	const struct dirent *entry;
	char name[SYC_PACKAGE_NAME], *text;
	size_t size, n_found = 0;

	for (size_t i = 0; i < n; i++)
		ret_names[i][0] = 0;
	while (lists != NULL && n_found < n &&
	       (entry = readdir(lists)) != NULL) {
		if (!read_name(entry->d_name, name) ||
		    (text = read_list(dirfd(lists), entry->d_name, &size)) ==
		            NULL)
			continue;
		for (size_t i = 0; i < n; i++)
			if (ret_names[i][0] == 0 && paths[i][0] != 0 &&
			    has_file(text, size, paths[i])) {
				memcpy(ret_names[i], name, sizeof(name));
				n_found++;
			}
		free(text);
	}
	if (lists != NULL)
		closedir(lists);
}
