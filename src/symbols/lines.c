/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.c - source lines and inlined functions of code addresses.
 *
 * A message to the child is an address.  The child's answer is a count and, for
 * each frame, the line and two texts with their NULs.  A first answer, without
 * a message, is the result of the file's opening.
 */
#define _GNU_SOURCE
#include "symbols/lines.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/embedded.h"
#include "capture/line_table.h"
#include "symbols/demangle.h"
#include "symbols/elf_file.h"
#include "symbols/limited_child.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

#define ANSWER_MAX   (128u << 10)
#define MEMORY_MAX   (1ul << 30)
#define SECONDS_OPEN 30
#define SECONDS_FIND 5
#define SECONDS_ALL  60 /* seconds of CPU time for all children of one file */
#define DEATHS_MAX   2u /* limit of dead children of one file */

struct syc_lines {
	struct syc_lines_file file;
	struct syc_limited_child child;
	unsigned deaths;
	struct syc_line_frame frames[SYC_LINE_FRAMES_MAX];
	char answer[ANSWER_MAX];
};

/* ------------------------------------------------------------ in the child */

static int open_in(const char *directory, int len, const char *inner)
{
	char *path;
	int fd;

	if (asprintf(&path, "%.*s%s", len, directory, inner) < 0)
		return -1;
	fd = syc_debug_files_open(path);
	free(path);
	return fd;
}

/*
 * Open the file to which dwz moved parts.  Search beside the file, with links
 * resolved.  Try an absolute path unchanged, and below each directory of debug
 * files.
 */
static int open_alternative(void *data, const char *name)
{
	const struct syc_lines *lines = data;
	const struct syc_paths *directories =
		&lines->file.debug_files->directories;
	char link[32], *real;
	int fd = -1;

	if (name[0] == '/')
		fd = syc_debug_files_open(name);
	for (size_t i = 0; name[0] == '/' && fd < 0 && i < directories->array.n;
	     i++)
		fd = open_in(directories->array.items[i],
		             (int)strlen(directories->array.items[i]), name);
	if (name[0] == '/')
		return fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", lines->file.fd);
	real = realpath(link, NULL);
	if (real != NULL)
		fd = open_in(real, (int)(strrchr(real, '/') + 1 - real), name);
	free(real);
	return fd;
}

static bool append(char *answer, size_t *len, const void *bytes, size_t n)
{
	if (ANSWER_MAX - *len < n)
		return false;
	memcpy(answer + *len, bytes, n);
	*len += n;
	return true;
}

/* Compose an answer, without frames that do not fit. */
static size_t compose(char *answer, const struct syc_dwarf_frame *frames,
                      size_t n_frames)
{
	uint32_t n = (uint32_t)n_frames;
	size_t len = 0;
	bool fits = append(answer, &len, &n, sizeof(n));

	for (size_t i = 0; fits && i < n; i++) {
		const struct syc_dwarf_frame *frame = &frames[i];
		const size_t directory = strlen(frame->directory);

		fits = append(answer, &len, &frame->line,
		              sizeof(frame->line)) &&
		       append(answer, &len, frame->function,
		              strlen(frame->function) + 1) &&
		       append(answer, &len, frame->directory, directory) &&
		       append(answer, &len, "/", directory > 0) &&
		       append(answer, &len, frame->file,
		              strlen(frame->file) + 1);
	}
	if (fits)
		return len;
	n = 0;
	memcpy(answer, &n, sizeof(n));
	return sizeof(n);
}

static void serve(void *data, int fd)
{
	struct syc_lines *lines = data;
	struct syc_dwarf_frame frames[SYC_LINE_FRAMES_MAX];
	struct syc_lines_dwarf *dwarf;
	enum syc_dwarf_lack lack;
	uint64_t address;
	char opened[2];

	syc_limited_child_give(SECONDS_OPEN);
	dwarf = syc_lines_dwarf_open(lines->file.fd, open_alternative, lines,
	                             &lack);
	/* Open no other file that the debug information names. */
	syc_limited_child_close_files();
	opened[0] = dwarf != NULL;
	opened[1] = (char)lack;
	if (send(fd, opened, sizeof(opened), MSG_NOSIGNAL) < 0 || dwarf == NULL)
		return;
	while (recv(fd, &address, sizeof(address), 0) ==
	       (ssize_t)sizeof(address)) {
		size_t n;

		syc_limited_child_give(SECONDS_FIND);
		n = syc_lines_dwarf_find(dwarf, address, frames,
		                         SYC_LINE_FRAMES_MAX);
		n = compose(lines->answer, frames, n);
		if (send(fd, lines->answer, n, MSG_NOSIGNAL) < 0)
			return;
	}
}

/* ------------------------------------------------------------ in the parent */

static int start(struct syc_lines *lines, enum syc_dwarf_lack *ret_lack)
{
	const double used = lines->child.seconds_used;

	if (used > SECONDS_ALL - 1)
		return -EIO;
	const struct syc_limited_child_work work = {
		.memory = MEMORY_MAX,
		.seconds = SECONDS_ALL - (unsigned)used,
		.serve = serve,
		.data = lines,
	};
	char opened[2] = { 0 };
	ssize_t n;

	if (!syc_limited_child_start(&lines->child, &work))
		return -EIO;
	n = syc_limited_child_ask(&lines->child, NULL, 0, opened,
	                          sizeof(opened));
	*ret_lack = (enum syc_dwarf_lack)(unsigned char)opened[1];
	if (n == sizeof(opened) && opened[0])
		return 0;
	syc_limited_child_stop(&lines->child);
	return n == sizeof(opened) ? -ENOENT : -EIO;
}

/* Return the reason why libdw cannot read the file. */
static const char *explain_unreadable(int fd)
{
	const char *why = "no source lines: the debug information is invalid";
	const int mine = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	const struct syc_elf_section *info;
	unsigned char *bytes;
	struct syc_elf elf;

	if (mine < 0 || syc_elf_open(&elf, mine) != 0)
		return why;
	info = syc_elf_find(&elf, ".debug_info");
	if (info != NULL && (info->flags & SHF_COMPRESSED) != 0 &&
	    syc_elf_view_read(&elf.view, info->offset, sizeof(uint32_t),
	                      &bytes) == 0) {
		const uint32_t type = syc_elf_u32(&elf, bytes);

		if (type == ELFCOMPRESS_ZSTD)
			why = "no source lines: libdw cannot read zstd; "
			      "decompress by objcopy "
			      "--decompress-debug-sections";
		else if (type != ELFCOMPRESS_ZLIB)
			why = "no source lines: libdw cannot read this "
			      "compression of the debug information";
		free(bytes);
	}
	syc_elf_close(&elf);
	return why;
}

static const char *explain(int r, enum syc_dwarf_lack lack, int fd)
{
	if (r == -EIO)
		return "no source lines: libdw cannot read the debug "
		       "information";
	if (r == -ENOENT)
		return explain_unreadable(fd);
	if (r == 0 && lack == SYC_DWARF_NO_ALTERNATIVE)
		return "inlined functions lack names: the dwz file is missing "
		       "(readelf -wk prints its name)";
	if (r == 0 && lack == SYC_DWARF_SPLIT)
		return "no inlined functions: syscap does not read split "
		       "debug information (.dwo)";
	return NULL;
}

int syc_lines_open(const struct syc_lines_file *file,
                   struct syc_lines **ret_lines, const char **ret_why)
{
	enum syc_dwarf_lack lack = SYC_DWARF_WHOLE;
	struct syc_lines *lines;
	int r;

	*ret_why = NULL;

	if (syc_lines_load_library() != NULL)
		return -ENOTSUP;
	lines = calloc(1, sizeof(*lines));
	if (lines == NULL)
		return -ENOMEM;
	lines->file = *file;
	r = start(lines, &lack);
	*ret_why = explain(r, lack, file->fd);
	if (r < 0)
		free(lines);
	else
		*ret_lines = lines;
	return r;
}

static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul;

	nul = memchr(text, 0, (size_t)(end - text));
	if (nul == NULL)
		return NULL;
	*at = nul + 1;
	return text;
}

/*
 * Read the frames of an answer.  The answer is not trusted, because a hostile
 * input may control the child.
 */
static size_t take_frames(struct syc_lines *lines, size_t len)
{
	const char *at = lines->answer, *end = at + len;
	uint32_t n;

	if (len < sizeof(n))
		return 0;
	memcpy(&n, at, sizeof(n));
	at += sizeof(n);
	if (n > SYC_LINE_FRAMES_MAX)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		struct syc_line_frame *frame = &lines->frames[i];

		if ((size_t)(end - at) < sizeof(frame->line))
			return 0;
		memcpy(&frame->line, at, sizeof(frame->line));
		at += sizeof(frame->line);
		frame->function = take_text(&at, end);
		frame->file = frame->function ? take_text(&at, end) : NULL;
		if (frame->file == NULL)
			return 0;
	}
	return n;
}

int syc_lines_find(struct syc_lines *lines, uint64_t address,
                   const struct syc_line_frame **ret_frames, size_t *ret_n)
{
	enum syc_dwarf_lack lack;
	ssize_t len;

	if (lines->child.pid == 0 &&
	    (lines->deaths >= DEATHS_MAX || start(lines, &lack) < 0)) {
		lines->deaths = DEATHS_MAX;
		return -EIO;
	}
	len = syc_limited_child_ask(&lines->child, &address, sizeof(address),
	                            lines->answer, sizeof(lines->answer));
	if (len <= 0) {
		syc_limited_child_stop(&lines->child);
		lines->deaths++;
		return 0;
	}
	*ret_n = take_frames(lines, (size_t)len);
	*ret_frames = lines->frames;
	return *ret_n > 0;
}

void syc_lines_close(struct syc_lines *lines)
{
	if (lines == NULL)
		return;
	syc_limited_child_stop(&lines->child);
	free(lines);
}

struct lines_making {
	struct syc_line_places *places;
	struct syc_line_make make;
	const struct syc_line_listener *listener;
	struct syc_line_totals totals;
	/* Readable texts, kept because functions and paths repeat often. */
	struct syc_map texts;
	SYC_ARRAY(char *) readable;
};

void syc_line_places_fini(struct syc_line_places *places)
{
	syc_map_fini(&places->by_place);
	free(places->wanted.items);
	memset(&places->by_place, 0, sizeof(places->by_place));
	memset(&places->wanted, 0, sizeof(places->wanted));
}

int syc_line_places_add(struct syc_line_places *places, struct syc_found *found,
                        uint64_t offset, uint64_t linked)
{
	const uint64_t key[] = { (uintptr_t)found, offset };
	const struct syc_line_wanted wanted = { found, offset, linked };
	size_t number;
	int r;

	if (syc_array_room(&places->wanted) < 0)
		return -ENOMEM;
	r = syc_map_put(&places->by_place, key, sizeof(key), &number);
	if (r > 0)
		places->wanted.items[places->wanted.n++] = wanted;
	return r < 0 ? r : 0;
}

/* Return a readable text.  @kind is 'f' for the name of a function, or 'p' for
 * a path. */
static const char *make_readable(struct lines_making *making, char kind,
                                 const char *text)
{
	const size_t len = strlen(text);
	char *key = malloc(len + 1), *readable;
	size_t number;
	int r;

	if (key == NULL || syc_array_room(&making->readable) < 0) {
		free(key);
		return NULL;
	}
	key[0] = kind;
	memcpy(key + 1, text, len);
	if (syc_map_get(&making->texts, key, len + 1, &number)) {
		free(key);
		return making->readable.items[number];
	}
	readable = kind == 'f' ? syc_readable_name(text, false)
	                       : syc_readable_text(text);
	r = readable == NULL
	            ? -ENOMEM
	            : syc_map_put(&making->texts, key, len + 1, &number);
	free(key);
	if (r < 0) {
		free(readable);
		return NULL;
	}
	making->readable.items[making->readable.n++] = readable;
	return readable;
}

static int put_place(struct lines_making *making, size_t binary,
                     uint64_t offset, const struct syc_line_frame *frames,
                     size_t n)
{
	struct syc_line_frame clean[SYC_LINE_FRAMES_MAX];
	int r;

	for (size_t i = 0; i < n; i++) {
		clean[i].function =
			make_readable(making, 'f', frames[i].function);
		clean[i].file = make_readable(making, 'p', frames[i].file);
		clean[i].line = frames[i].line;
		if (clean[i].function == NULL || clean[i].file == NULL)
			return -ENOMEM;
	}
	r = syc_line_make_place(&making->make, binary, offset, clean, n);
	making->totals.with_line += r > 0;
	making->totals.inlined += r > 0 && n > 1;
	return r < 0 && r != -EEXIST ? r : 0;
}

static void tell(struct lines_making *making, const struct syc_found *found,
                 const char *why)
{
	making->listener->tell(making->listener->data, found->use.path, why);
}

static int ask_all(struct lines_making *making, struct syc_lines *lines,
                   const struct syc_line_wanted *wanted, size_t n)
{
	const struct syc_found *found = wanted->found;
	const struct syc_line_frame *frames;
	size_t binary, n_frames;
	int r = syc_line_make_binary(&making->make, found->wish.path,
	                             found->wish.build_id, &binary);

	/* Without a build-id, two versions of a file are indistinguishable. */
	if (r == 0 && found->wish.build_id[0] == 0) {
		tell(making, found,
		     "another file of this name has source lines");
		return 0;
	}
	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = syc_lines_find(lines, wanted[i].linked, &frames, &n_frames);
		if (r == -EIO) {
			tell(making, found,
			     "some addresses have no source lines: part of "
			     "the debug information is unreadable");
			return 0;
		}
		if (r > 0)
			r = put_place(making, binary, wanted[i].offset, frames,
			              n_frames);
	}
	return r < 0 ? r : 0;
}

/* Look up the sorted places of one file. */
static int look_up(struct lines_making *making,
                   const struct syc_line_wanted *wanted, size_t n)
{
	const struct syc_found *found = wanted->found;
	const struct syc_module *module = &found->loaded->module;
	const struct syc_lines_file file = {
		.fd = module->debug_fd,
		.debug_files = making->places->debug_files,
	};
	struct syc_lines *lines = NULL;
	const char *why = NULL;
	int r = -ENOENT;

	making->totals.places += n;
	if (module->debug_fd >= 0)
		r = syc_lines_open(&file, &lines, &why);
	if (why != NULL)
		tell(making, found, why);
	if (r == 0)
		r = ask_all(making, lines, wanted, n);
	syc_lines_close(lines);
	return r == -ENOMEM || r == -EFBIG ? r : 0;
}

static int compare_wanted(const void *left, const void *right)
{
	const struct syc_line_wanted *a = left, *b = right;
	const int r = strcmp(a->found->wish.path, b->found->wish.path);

	if (r != 0)
		return r;
	if (a->found != b->found)
		return a->found < b->found ? -1 : 1;
	return (a->linked > b->linked) - (a->linked < b->linked);
}

static int look_all_up(struct lines_making *making)
{
	struct syc_line_wanted *const items = making->places->wanted.items;
	const size_t n = making->places->wanted.n;
	int r = 0;

	/* Sort by address, so that libdw reuses the data that it has read. */
	if (n > 0)
		qsort(items, n, sizeof(*items), compare_wanted);
	for (size_t first = 0, next; r == 0 && first < n; first = next) {
		for (next = first + 1;
		     next < n && items[next].found == items[first].found;)
			next++;
		r = look_up(making, &items[first], next - first);
	}
	return r;
}

static int add_old(struct lines_making *making, struct syscap_reader *reader)
{
	const size_t before = making->make.places.n;
	struct syc_line_table table;
	unsigned char *bytes;
	uint64_t left_out;
	size_t size;
	int r = syc_embedded_load(reader, SYC_LINE_TABLE_PATH,
	                          SYC_LINE_TABLE_MAX, &bytes, &size);

	if (r <= 0)
		return r;
	if (syc_line_table_open(bytes, size, &table) == NULL)
		r = syc_line_make_add(&making->make, &table, &left_out);
	free(bytes);
	making->totals.kept = making->make.places.n - before;
	return r < 0 ? r : 0;
}

int syc_line_places_make(struct syc_line_places *places,
                         struct syscap_reader *reader,
                         const struct syc_line_listener *listener,
                         struct syc_line_bytes *ret_lines)
{
	struct lines_making making = { .places = places, .listener = listener };
	struct syc_line_bytes lines = { 0 };
	int r = look_all_up(&making);

	if (r == 0)
		r = add_old(&making, reader);
	if (r == 0 && making.make.places.n > 0)
		r = syc_line_make_table(&making.make, &lines.bytes,
		                        &lines.size);
	lines.totals = making.totals;
	if (r == 0)
		*ret_lines = lines;
	/* Clear the places, because the map of places has the numbers from
	 * before the sort. */
	syc_line_places_fini(places);
	for (size_t i = 0; i < making.readable.n; i++)
		free(making.readable.items[i]);
	free(making.readable.items);
	syc_map_fini(&making.texts);
	syc_line_make_fini(&making.make);
	return r;
}
