/* SPDX-License-Identifier: BSD-2-Clause */
/* resolver.c - resolver of the addresses in a capture to names. */
#define _GNU_SOURCE
#include "symbols/resolver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/strings.h"
#include "symbols/demangle.h"
#include "symbols/lines.h"
#include "symbols/module_finder.h"
#include "symbols/process_maps.h"

/* A file embedded in chunks. */
struct mount_file {
	struct syc_chunks chunks;
	bool is_whole, is_used;
};

/*
 * The files in a capture with mount tables, /proc/mounts and
 * /proc/PID/mountinfo.  A zero-initialized struct has none.
 */
struct syc_mount_files {
	struct syc_map by_path;
	SYC_ARRAY(struct mount_file) files;
};

static void mount_files_fini(struct syc_mount_files *files)
{
	for (size_t i = 0; i < files->files.n; i++)
		free(files->files.items[i].chunks.bytes.items);
	free(files->files.items);
	syc_map_fini(&files->by_path);
}

static bool is_wanted_file(const char *path, int32_t *ret_pid)
{
	int end = 0;

	*ret_pid = -1;
	if (strcmp(path, "/proc/mounts") == 0)
		return true;
	return sscanf(path, "/proc/%d/mountinfo%n", ret_pid, &end) == 1 &&
	       end > 0 && path[end] == 0 && *ret_pid > 0;
}

/* Read @frame, a FILE_CHUNK of any file.  Returns 0 or -ENOMEM. */
static int mount_files_learn(struct syc_mount_files *files,
                             const struct syscap_frame *frame)
{
	const struct mount_file none = { 0 };
	const char *path = frame->file_chunk.path;
	struct mount_file *file;
	size_t number;
	int32_t pid;
	int r;

	if (!is_wanted_file(path, &pid))
		return 0;
	if (syc_array_room(&files->files) < 0)
		return -ENOMEM;
	r = syc_map_put(&files->by_path, path, strlen(path), &number);
	if (r < 0)
		return r;
	if (r > 0)
		files->files.items[files->files.n++] = none;
	file = &files->files.items[number];
	r = file->is_whole ? 1 : syc_chunks_add(&file->chunks, frame);
	file->is_whole = r > 0;
	return r < 0 ? r : 0;
}

static int use_file(struct syc_mount_files *files, struct syc_places *places,
                    size_t number)
{
	struct mount_file *file = &files->files.items[number];
	const struct syc_map_key *key = &files->by_path.keys[number];
	const char *bytes = (const char *)file->chunks.bytes.items;
	char path[64] = "";
	int32_t pid;

	memcpy(path, key->bytes,
	       key->len < sizeof(path) - 1 ? key->len : sizeof(path) - 1);
	if (file->is_used || file->chunks.bytes.n == 0 ||
	    !is_wanted_file(path, &pid))
		return 0;
	file->is_used = true;
	return pid > 0 ? syc_places_add_mountinfo(places, pid, bytes,
	                                          file->chunks.bytes.n)
	               : syc_places_add_mounts(places, bytes,
	                                       file->chunks.bytes.n);
}

/* Pass new contents, as far as read, on to @places.  Returns 0 or -ENOMEM. */
static int mount_files_use(struct syc_mount_files *files,
                           struct syc_places *places)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < files->files.n; i++)
		r = use_file(files, places, i);
	return r;
}

/* Start of the kernel's addresses, and of the markers in stacks. */
#define KERNEL_BEGIN UINT64_C(0xFFFF000000000000)

#define VDSO     "[vdso]"
#define VDSO_MAX (64u * 1024u)

struct syc_symbols {
	struct syc_places *places;
	struct syc_finder finder;
	struct syc_process_maps processes;
	struct syc_map texts; /* paths and build-ids of MAPs */
	struct syc_mount_files mount_files;
	syc_symbols_code code;
	void *code_data;
	struct syc_line_places places_asked;
	bool has_lines;
};

static int add_directory(struct syc_paths *directories, const char *path,
                         size_t len)
{
	char *copy;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len == 0)
		return 0;
	copy = syc_copy_text(path, len);
	if (copy == NULL || syc_array_push(&directories->array, copy) < 0) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

/*
 * Add the cache of debuginfod's clients, at the path that
 * debuginfod_find_debuginfo(3) describes.
 */
static int add_debuginfod_cache(struct syc_paths *directories)
{
	const char *path = secure_getenv("DEBUGINFOD_CACHE_PATH");
	const char *base = secure_getenv("XDG_CACHE_HOME");
	const char *inner = "/debuginfod_client";
	char *whole;
	int r;

	if (path != NULL)
		return add_directory(directories, path, strlen(path));
	if (base == NULL || *base == 0) {
		base = secure_getenv("HOME");
		inner = "/.cache/debuginfod_client";
	}
	if (base == NULL || *base == 0)
		return 0;
	if (asprintf(&whole, "%s%s", base, inner) < 0)
		return -ENOMEM;
	r = add_directory(directories, whole, strlen(whole));
	free(whole);
	return r;
}

static int add_directories(struct syc_paths *directories,
                           const struct syc_symbols_options *options)
{
	const char *more = secure_getenv("SYSCAP_DEBUG_DIRS");
	int r = 0;

	for (size_t i = 0; r == 0 && i < options->n_debug_dirs; i++)
		r = add_directory(directories, options->debug_dirs[i],
		                  strlen(options->debug_dirs[i]));
	while (r == 0 && more != NULL && *more != 0) {
		const size_t len = strcspn(more, ":");

		r = add_directory(directories, more, len);
		more += len;
		more += *more == ':';
	}
	return r == 0 ? add_debuginfod_cache(directories) : r;
}

int syc_symbols_new(const struct syc_symbols_options *options,
                    struct syc_symbols **ret_symbols)
{
	struct syc_symbols *symbols = calloc(1, sizeof(*symbols));
	int r;

	if (symbols == NULL)
		return -ENOMEM;
	r = syc_places_new(options->root, options->is_live, &symbols->places);
	if (r == 0)
		r = add_directories(&symbols->finder.debug_files.directories,
		                    options);
	if (r < 0) {
		syc_symbols_free(symbols);
		return r;
	}
	symbols->finder.debug_files.places = symbols->places;
	symbols->code = options->code;
	symbols->code_data = options->code_data;
	symbols->has_lines = options->has_lines;
	symbols->finder.server.options = options->debuginfod;
	symbols->finder.debug_files.server = &symbols->finder.server;
	symbols->finder.debug_files.keeps_open = options->has_lines;
	symbols->places_asked.debug_files = &symbols->finder.debug_files;
	*ret_symbols = symbols;
	return 0;
}

void syc_symbols_free(struct syc_symbols *symbols)
{
	if (symbols == NULL)
		return;
	syc_demangle_finish();
	syc_line_places_fini(&symbols->places_asked);
	syc_debuginfod_fini(&symbols->finder.server);
	syc_finder_fini(&symbols->finder);
	syc_process_maps_fini(&symbols->processes);
	syc_places_free(symbols->places);
	syc_map_fini(&symbols->texts);
	mount_files_fini(&symbols->mount_files);
	free(symbols);
}

const char *syc_symbols_downloads_ended(const struct syc_symbols *symbols)
{
	return symbols->finder.server.why;
}

int syc_symbols_add_file(struct syc_symbols *symbols,
                         const struct syc_symbols_file *file)
{
	return syc_handed_files_add(&symbols->finder.handed, file);
}

int syc_symbols_add_vdso(struct syc_symbols *symbols)
{
	const unsigned char *vdso =
		(const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	struct syc_symbols_file file = { .pid = -1, .path = VDSO };
	size_t size = 0;
	int r = 0;

	if (vdso == NULL)
		return -ENOENT;
	/*
	 * Write the vDSO page by page, because only the mapping shows its size.
	 */
	file.fd = memfd_create("syscap-vdso", MFD_CLOEXEC);
	if (file.fd < 0)
		return -errno;
	while (size < VDSO_MAX && write(file.fd, vdso + size, 4096) == 4096)
		size += 4096;
	if (size == 0)
		r = -EFAULT;
	else
		r = syc_symbols_add_file(symbols, &file);
	close(file.fd);
	return r;
}

/* Return the only copy of the text, valid as long as the resolver, or NULL. */
static const char *keep_text(struct syc_symbols *symbols, const char *text)
{
	size_t number;

	if (syc_map_put(&symbols->texts, text, strlen(text) + 1, &number) < 0)
		return NULL;
	return symbols->texts.keys[number].bytes;
}

static int learn_map(struct syc_symbols *symbols,
                     const struct syscap_frame *frame)
{
	const char *id = frame->map.build_id;
	const struct syc_process_map map = {
		.begin = frame->map.start,
		.end = frame->map.end,
		.offset = frame->map.offset,
		.inode = frame->map.inode,
		.time = frame->time,
		.path = keep_text(symbols, frame->map.filename),
		.build_id = keep_text(symbols, id ? id : ""),
		.is_from_process = frame->cpu >= 0,
	};

	if (map.path == NULL || map.build_id == NULL)
		return -ENOMEM;
	return syc_process_maps_add(&symbols->processes, frame->pid, &map);
}

int syc_symbols_learn_frame(struct syc_symbols *symbols,
                            const struct syscap_frame *frame)
{
	switch (frame->type) {
	case SYSCAP_FRAME_MAP:
		return learn_map(symbols, frame);
	case SYSCAP_FRAME_FORK:
		return syc_process_maps_fork(&symbols->processes, frame->pid,
		                             frame->fork.child_pid,
		                             frame->time);
	case SYSCAP_FRAME_EXIT:
		return syc_process_maps_exit(&symbols->processes, frame->pid,
		                             frame->time);
	case SYSCAP_FRAME_METADATA:
		return syc_process_maps_unmap(&symbols->processes, frame);
	case SYSCAP_FRAME_OVERLAY:
		return syc_places_add_overlay(
			symbols->places, frame->pid, frame->overlay.layer,
			frame->overlay.src, frame->overlay.dst);
	case SYSCAP_FRAME_FILE_CHUNK:
		return mount_files_learn(&symbols->mount_files, frame);
	default:
		return 0;
	}
}

int syc_symbols_learned(struct syc_symbols *symbols)
{
	const int r = mount_files_use(&symbols->mount_files, symbols->places);

	return r == 0 ? syc_process_maps_settle(&symbols->processes) : r;
}

/* Return the start of the recording in seconds, or 0 if unknown. */
static int64_t parse_time(const char *text)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	/* Require UTC, because another zone could be confused with a
	 * fraction. */
	if (end == NULL || strchr(end, 'Z') == NULL)
		return 0;
	return timegm(&tm);
}

void syc_symbols_begin(struct syc_symbols *symbols, const char *capture_time)
{
	if (symbols->finder.begin == 0)
		symbols->finder.begin = parse_time(capture_time);
}

int syc_symbols_learn(struct syc_symbols *symbols, struct syscap_reader *reader)
{
	struct syscap_file_info info;
	struct syscap_frame frame;
	int r = 0, next;

	syscap_reader_info(reader, &info);
	syc_symbols_begin(symbols, info.capture_time);
	syscap_reader_rewind(reader);
	while (r == 0 &&
	       (next = syscap_reader_next(reader, &frame, NULL)) != 0) {
		if (next == -EBADMSG)
			break;
		if (next > 0)
			r = syc_symbols_learn_frame(symbols, &frame);
	}
	return r == 0 ? syc_symbols_learned(symbols) : r;
}

static int find_file(struct syc_symbols *symbols, int32_t pid,
                     struct syc_process_map *map, struct syc_found **ret_found)
{
	const struct syc_symbols_wish wish = {
		.pid = pid,
		.path = map->path,
		.build_id = map->build_id,
		.inode = map->inode,
	};
	struct syc_found *found = map->found;
	int r = 0;

	if (found == NULL)
		r = syc_finder_find(&symbols->finder, &wish, &found);
	map->found = found;
	*ret_found = found;
	return r;
}

/*
 * Set the symbol's range, within the mapping, because addresses after the
 * mapping do not belong to the file.  @shift is the difference between a
 * function's address in memory and in the file.
 */
static void place_symbol(const struct syc_process_map *map, uint64_t begin,
                         uint64_t end, uint64_t shift,
                         struct syc_symbol *symbol)
{
	symbol->begin = begin + shift;
	symbol->end = end + shift;
	if (symbol->begin < map->begin || symbol->begin >= map->end)
		symbol->begin = map->begin;
	if (symbol->end > map->end || symbol->end <= symbol->begin)
		symbol->end = map->end;
}

static int find_function(struct syc_symbols *symbols, struct syc_found *found,
                         const struct syc_process_map *map, uint64_t address,
                         bool is_return, struct syc_symbol *symbol)
{
	const struct syc_module *module = &found->loaded->module;
	const uint64_t in_map = address - map->begin;
	const struct syc_range *range, *signal;
	uint64_t linked, meant;

	if (!syc_module_address(module, in_map + map->offset, in_map, &linked))
		return 0;
	if (symbols->has_lines &&
	    syc_line_places_add(&symbols->places_asked, found,
	                        in_map + map->offset, linked) < 0)
		return -ENOMEM;
	/*
	 * No code calls a signal trampoline.  The trampoline's range begins one
	 * byte early, so that a lookup before the return address finds the
	 * range.
	 */
	signal = syc_ranges_find(&module->signals, linked);
	if (signal == NULL && is_return)
		signal = syc_ranges_find(&module->signals, linked + 1);
	meant = signal ? signal->begin + 1 : linked;
	range = syc_ranges_find(&module->functions, meant);
	if (range == NULL)
		return 0;
	symbol->name = syc_found_name(
		found, range, in_map + map->offset - (linked - range->begin));
	if (symbol->name == NULL)
		return -ENOMEM;
	symbol->nick = found->nick;
	symbol->is_named = range->name != NULL;
	symbol->is_signal = signal != NULL;
	place_symbol(map, signal ? signal->begin : range->begin, range->end,
	             address - linked, symbol);
	return 1;
}

int syc_symbols_find(struct syc_symbols *symbols,
                     const struct syc_symbol_query *query,
                     struct syc_symbol *ret_symbol)
{
	struct syc_symbol_query asked = *query;
	struct syc_process_map *map;
	struct syc_found *found;
	int r;

	memset(ret_symbol, 0, sizeof(*ret_symbol));
	ret_symbol->is_always = true;
	if (query->address >= KERNEL_BEGIN || query->address == 0 ||
	    query->address >> 32 == SYSCAP_JIT_MARK >> 32)
		return 0;
	asked.address -= asked.is_return;
	asked.is_return = false;
	if (symbols->code != NULL) {
		r = symbols->code(symbols->code_data, &asked, ret_symbol);
		if (r != 0) {
			ret_symbol->is_named = true;
			ret_symbol->is_always = false;
			return r;
		}
	}
	r = syc_process_maps_settle(&symbols->processes);
	if (r < 0)
		return r;
	map = syc_process_maps_find(&symbols->processes, asked.pid,
	                            asked.address, asked.time,
	                            &ret_symbol->is_always);
	/* The code table may lack code of other times. */
	if (symbols->code != NULL && map == NULL)
		ret_symbol->is_always = false;
	if (map == NULL)
		return 0;
	r = find_file(symbols, asked.pid, map, &found);
	if (r < 0)
		return r;
	found->use.n_asked++;
	ret_symbol->use = &found->use;
	if (found->loaded == NULL)
		return 0;
	r = find_function(symbols, found, map, asked.address, query->is_return,
	                  ret_symbol);
	found->use.n_named += r > 0 && ret_symbol->is_named;
	return r;
}

struct syc_line_places *syc_symbols_places(struct syc_symbols *symbols)
{
	return symbols->has_lines ? &symbols->places_asked : NULL;
}

bool syc_symbols_lacks_demangler(const struct syc_symbols *symbols)
{
	(void)symbols;
	return syc_demangle_lacks_library();
}

bool syc_symbols_is_memory(const struct syc_symbols_use *use)
{
	static const char *const known[] = { "/memfd:", "//anon", "/dev/zero",
		                             "/SYSV",   "[heap]", "[stack",
		                             "[anon" };

	/* A mapping with a build-id is a library that was written to memory. */
	if (use->build_id != NULL && use->build_id[0] != 0)
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(use->path, known[i], strlen(known[i])) == 0)
			return true;
	return false;
}

void syc_symbols_each_use(const struct syc_symbols *symbols,
                          void (*each)(void *data,
                                       const struct syc_symbols_use *use),
                          void *data)
{
	for (size_t i = 0; i < symbols->finder.found.n; i++)
		each(data, &symbols->finder.found.items[i]->use);
}
