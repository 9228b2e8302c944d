/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map_frames.c - MAP frames of this process.
 *
 * recorder/maps.c and capture/compose.c write the same bytes for the same
 * facts, with one exception: this file does not change a path that is not
 * UTF-8.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <syscap/format.h>

#include "base/frame.h"
#include "base/text.h"
#include "emit/ring_source.h"
#include "os/fd.h"
#include "os/own_elf.h"
#include "os/process.h"
#include "session/process_frames.h"

/* Longest line of maps: a path of PATH_MAX, with some escapes */
#define LINE_MAX_BYTES 8192u
/* Greatest number of mappings, so that free places keep searches short */
#define MAPS_MAX      (SYC_MAP_FRAMES_MAX / 4 * 3)
#define LOOK_AGAIN_NS INT64_C(1000000000)

/* A static program may lack this function. */
#pragma weak dl_iterate_phdr
#ifndef __GLIBC__ /* musl has no such variable */
extern struct r_debug _r_debug;
#endif
#pragma weak _r_debug
/* Greatest number of libraries that are read */
#define LIBRARIES_MAX 4096u

_Static_assert(LINE_MAX_BYTES + SYC_BUILD_ID_SIZE + 64 <= SYSCAP_FRAME_MAX,
               "any line makes a frame");

/* ----------------------------------------------------------------- lines */

struct lines {
	int fd;
	size_t begin, end; /* bytes in the buffer, not returned yet */
	bool at_end, has_failed;
	bool skips; /* the next bytes belong to a line that was too long */
	char buffer[LINE_MAX_BYTES];
};

static void read_more(struct lines *lines)
{
	const size_t n = lines->end - lines->begin;
	ssize_t got;

	memmove(lines->buffer, lines->buffer + lines->begin, n);
	lines->begin = 0;
	lines->end = n;
	if (n == sizeof(lines->buffer)) {
		lines->skips = true;
		lines->end = 0;
	}
	do
		got = syc_fd_read(lines->fd, lines->buffer + lines->end,
		                  sizeof(lines->buffer) - lines->end);
	while (got < 0 && errno == EINTR);
	lines->at_end = got <= 0;
	lines->has_failed = got < 0;
	if (got > 0)
		lines->end += (size_t)got;
}

/* The next line without its end, or NULL at the end of the file. */
static char *next_line(struct lines *lines)
{
	while (!lines->at_end) {
		char *const from = lines->buffer + lines->begin;
		const size_t n = lines->end - lines->begin;
		char *const newline = memchr(from, '\n', n);

		if (newline == NULL) {
			read_more(lines);
			continue;
		}
		*newline = '\0';
		lines->begin += (size_t)(newline - from) + 1;
		if (!lines->skips)
			return from;
		lines->skips = false;
	}
	return NULL;
}

static bool take_hex(const char **text, char end, uint64_t *ret)
{
	*text = syc_text_take(*text, 16, ret);
	return *(*text)++ == end;
}

struct mapping {
	uint64_t start, end, offset, major, minor, inode;
	bool executable;
	char *path;
};

/* Parse "start-end perms offset major:minor inode path", with a decimal
 * inode. */
static bool parse_mapping(char *line, struct mapping *m)
{
	const char *p = line;

	if (!take_hex(&p, '-', &m->start) || !take_hex(&p, ' ', &m->end) ||
	    strlen(p) < 5)
		return false;
	m->executable = p[2] == 'x';
	p += 5;
	if (!take_hex(&p, ' ', &m->offset) || !take_hex(&p, ':', &m->major) ||
	    !take_hex(&p, ' ', &m->minor))
		return false;
	p = syc_text_take(p, 10, &m->inode);
	while (*p == ' ')
		p++;
	m->path = line + (p - line);
	/* The kernel escapes only a newline in a name, as \012 */
	char *to = m->path;
	for (const char *from = m->path; *from != '\0'; from++)
		if (strncmp(from, "\\012", 4) == 0) {
			*to++ = '\n';
			from += 3;
		} else {
			*to++ = *from;
		}
	*to = '\0';
	return true;
}

/* ------------------------------------------------------------------ maps */

/* @base is the last mapping of the beginning of a file, maybe @m itself. */
static bool find_build_id(const struct mapping *m, const struct mapping *base,
                          char *hex)
{
	struct syc_own_elf elf;
	bool found;

	if (base->inode == m->inode && base->major == m->major &&
	    base->minor == m->minor) {
		syc_own_elf_in_memory((uintptr_t)base->start,
		                      (size_t)(base->end - base->start), &elf);
		if (syc_own_elf_build_id(&elf, hex))
			return true;
	}
	if (m->inode == 0 || !syc_own_elf_open(m->path, m->inode, &elf))
		return false;
	found = syc_own_elf_build_id(&elf, hex);
	syc_own_elf_close(&elf);
	return found;
}

struct map_frame {
	struct syscap_wire_map map;
	char rest[LINE_MAX_BYTES + SYC_BUILD_ID_SIZE + 16];
};

/* The buffers of a call. */
struct scratch {
	struct lines lines;
	struct map_frame frame;
};

_Static_assert(sizeof(struct scratch) <= SYC_MAP_FRAMES_SCRATCH, "it fits");

/* Data that all frames of a call share. */
struct map_output {
	int32_t pid;
	int64_t now;
	syc_describe_emit *emit;
	void *data;
	struct map_frame *frame;
	bool left_out; /* the set has no space for a mapping */
};

static bool emit_map(const struct map_output *to, const struct mapping *m,
                     const struct mapping *base)
{
	static const char deleted[] = " (deleted)";
	char build_id[SYC_BUILD_ID_SIZE];
	struct map_frame *const frame = to->frame;
	size_t n = strlen(m->path);

	const bool is_gone =
		n > strlen(deleted) &&
		strcmp(m->path + n - strlen(deleted), deleted) == 0;
	const bool has_id =
		m->path[0] == '/' && find_build_id(m, base, build_id);
	/* Without a build-id, a reader would take the new file */
	if (is_gone && has_id)
		n -= strlen(deleted);
	memset(frame, 0, sizeof(*frame));
	syc_frame_begin(&frame->map.frame, SYSCAP_FRAME_MAP, to->pid, to->now);
	frame->map.start = m->start;
	frame->map.end = m->end;
	frame->map.offset = m->offset;
	char *const path = (char *)frame + sizeof(frame->map);
	memcpy(path, m->path, n);
	size_t end = sizeof(frame->map) + n + 1;
	if (has_id) {
		path[n + 1] = '@';
		memcpy(path + n + 2, build_id, strlen(build_id));
		end += strlen(build_id) + 2;
	}
	return to->emit(to->data, frame, syc_frame_end(&frame->map.frame, end));
}

/* ------------------------------------------------------ known mappings */

/* Hash a mapping by FNV-1a.  Bit 0 stays free, and 0 represents an empty
 * place. */
static uint64_t hash_mapping(const struct mapping *m)
{
	const uint64_t words[] = { m->start, m->end, m->offset, m->inode };
	uint64_t h = UINT64_C(0xCBF29CE484222325);

	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 64; k += 8)
			h = (h ^ (words[i] >> k & 0xFF)) *
			    UINT64_C(0x100000001B3);
	h &= ~UINT64_C(1);
	return h != 0 ? h : 2;
}

/* Distance from place @from to place @to. */
static uint32_t distance_of_places(uint64_t from, uint64_t to)
{
	return (uint32_t)(to - from) % SYC_MAP_FRAMES_MAX;
}

/* The place of @h, or an empty place for @h.  An empty place always exists. */
static uint64_t *find_known(struct syc_described *described, uint64_t h)
{
	uint64_t i = (h >> 1) % SYC_MAP_FRAMES_MAX;

	while (described->known[i] != 0 &&
	       (described->known[i] & ~UINT64_C(1)) != h)
		i = (i + 1) % SYC_MAP_FRAMES_MAX;
	return &described->known[i];
}

/* Remove the mapping at @gap, and move up each later mapping whose search
 * passes the gap. */
static void forget_mapping(struct syc_described *described, uint32_t gap)
{
	uint64_t *const known = described->known;

	for (uint32_t i = (gap + 1) % SYC_MAP_FRAMES_MAX; known[i] != 0;
	     i = (i + 1) % SYC_MAP_FRAMES_MAX)
		if (distance_of_places(known[i] >> 1, i) >=
		    distance_of_places(gap, i)) {
			known[gap] = known[i];
			gap = i;
		}
	known[gap] = 0;
	described->n--;
}

/*
 * Remove mappings that the last complete scan has not seen.  Otherwise plugins
 * that are loaded and unloaded would fill the set, and a mapping at the address
 * of an earlier mapping would not be reported.  A mapping that moves up across
 * the table's end has already been checked.
 */
static void forget_unseen_mappings(struct syc_described *described)
{
	for (uint32_t i = 0; i < SYC_MAP_FRAMES_MAX; i++)
		while (described->known[i] != 0 &&
		       (described->known[i] & 1) != described->scan)
			forget_mapping(described, i);
	described->scan ^= 1;
}

/* ------------------------------------------------------------------ scan */

static int read_counters(struct dl_phdr_info *info, size_t size, void *data)
{
	uint64_t *const counters = data;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) +
	                    sizeof(info->dlpi_subs)) {
		counters[0] = info->dlpi_adds;
		counters[1] = info->dlpi_subs;
	}
	return 1; /* the first call is enough */
}

/* Read the counters under the loader's lock.  Neither a handler nor a child may
 * call this function: a child may have inherited the held lock. */
static __attribute__((noinline)) void count_loads_locked(uint64_t *counters)
{
	if (dl_iterate_phdr != NULL)
		dl_iterate_phdr(read_counters, counters);
}

/*
 * Hash the dynamic linker's list of libraries, without the linker's lock.  The
 * kernel copies each element, or reports that the element is unmapped.  Returns
 * 0 if the list is unknown.
 */
static uint64_t hash_libraries(void)
{
	const struct link_map *at = &_r_debug != NULL ? _r_debug.r_map : NULL;
	uint64_t h = 0;

	for (unsigned n = 0; at != NULL && n < LIBRARIES_MAX; n++) {
		struct link_map library;
		const struct iovec to = { &library, sizeof(library) };
		const struct iovec from = { (void *)(uintptr_t)at,
			                    sizeof(library) };

		/* An int on the stack may have garbage in its upper half */
		if (syscall(SYS_process_vm_readv, getpid(), &to, 1UL, &from,
		            1UL, 0UL) != (long)sizeof(library))
			return 0;
		h = (h ^ (uintptr_t)at) * UINT64_C(0x9E3779B97F4A7C15);
		h = (h ^ library.l_addr) * UINT64_C(0x9E3779B97F4A7C15);
		h ^= (uintptr_t)library.l_ld ^ h >> 29;
		at = library.l_next;
	}
	return h;
}

static bool are_due(const struct syc_described *described, int64_t now,
                    bool may_lock)
{
	uint64_t counters[2] = { 0, 0 };

	if (described->looked_at == 0)
		return true;
	if (!may_lock)
		return now - described->looked_at >= LOOK_AGAIN_NS ||
		       hash_libraries() != described->libraries;
	count_loads_locked(counters);
	return counters[0] != described->loads ||
	       counters[1] != described->unloads;
}

static bool has_code(const struct mapping *m)
{
	return m->executable &&
	       (m->path[0] == '/' || strcmp(m->path, "[vdso]") == 0);
}

/* Returns false if emit() returned false. */
static bool emit_new_maps(struct lines *lines, struct syc_described *described,
                          struct map_output *to)
{
	struct mapping base, m;
	char *line;

	memset(&base, 0, sizeof(base));
	while ((line = next_line(lines)) != NULL) {
		if (!parse_mapping(line, &m))
			continue;
		if (m.offset == 0 && m.inode != 0)
			base = m;
		if (!has_code(&m))
			continue;
		const uint64_t h = hash_mapping(&m);
		uint64_t *const place = find_known(described, h);
		if (*place == 0 && described->n == MAPS_MAX) {
			to->left_out = true;
			continue;
		}
		if (*place == 0) {
			if (!emit_map(to, &m, &base))
				return false;
			described->n++;
		}
		*place = h | described->scan;
	}
	return true;
}

bool syc_map_frames_write(struct syc_described *described, int32_t pid,
                          int64_t now, bool may_lock, syc_describe_emit *emit,
                          void *data)
{
	struct scratch *const scratch = (void *)described->scratch;
	struct lines *const lines = &scratch->lines;
	struct map_output to = { pid, now, emit, data, &scratch->frame, false };
	uint64_t counters[2] = { 0, 0 };

	memset(lines, 0, offsetof(struct lines, buffer));
	lines->fd =
		syc_own_proc_open("/proc/thread-self/maps", "/proc/self/maps");
	if (lines->fd < 0)
		return true;
	/* Read the counters before the maps, so that the next call finds a
	 * library that is loaded in between */
	if (may_lock)
		count_loads_locked(counters);
	const uint64_t libraries = hash_libraries();
	const bool goes_on = emit_new_maps(lines, described, &to);
	syc_fd_close(lines->fd);
	if (!goes_on || lines->has_failed)
		return goes_on;
	forget_unseen_mappings(described);
	if (to.left_out && described->n < MAPS_MAX) {
		/* The set has space again, so the next call must scan again */
		described->loads = UINT64_MAX;
		return true;
	}
	described->libraries = libraries;
	described->loads = counters[0];
	described->unloads = counters[1];
	described->looked_at = now;
	return true;
}

const struct syc_map_frames syc_map_frames = {
	.are_due = are_due,
	.write = syc_map_frames_write,
};
