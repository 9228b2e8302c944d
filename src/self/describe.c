/* SPDX-License-Identifier: BSD-2-Clause */
/* describe.c - frames that tell about this process. */
#define _GNU_SOURCE
#include "self/describe.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <syscap/format.h>

#include "base/text.h"
#include "self/own_build_id.h"

/* As in the client: a command line is cut there */
#define CMDLINE_MAX 1024u
/* A line of /proc/self/maps: a path of PATH_MAX, some of it escaped */
#define LINE_MAX_BYTES 8192u
#define LOOK_AGAIN_NS  INT64_C(1000000000)

/* A static program has none. */
#pragma weak dl_iterate_phdr

struct wire_map {
	struct syscap_wire_map map;
	char rest[LINE_MAX_BYTES + SC_OWN_BUILD_ID_SIZE + 16];
};

static void begin_frame(struct syscap_wire_frame *frame, uint8_t type,
                        int32_t pid, int64_t now)
{
	frame->type = type;
	frame->cpu = -1;
	frame->pid = pid;
	frame->time = now;
}

static uint32_t end_frame(struct syscap_wire_frame *frame, size_t end)
{
	frame->len = (uint16_t)((end + 7) & ~(size_t)7);
	return frame->len;
}

/* -------------------------------------------------------------- PROCESS */

bool sc_describe_process(int32_t pid, int64_t now, sc_describe_emit *emit,
                         void *data)
{
	struct {
		struct syscap_wire_frame frame;
		char cmdline[CMDLINE_MAX + 8];
	} process;
	const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	memset(&process, 0, sizeof(process));
	if (fd >= 0) {
		n = read(fd, process.cmdline, CMDLINE_MAX);
		close(fd);
	}
	if (n < 0)
		n = 0;
	while (n > 0 && process.cmdline[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (process.cmdline[i] == '\0')
			process.cmdline[i] = ' ';
	const size_t kept =
		sc_text_cut(process.cmdline, (size_t)n, CMDLINE_MAX - 1);
	memset(process.cmdline + kept, 0, sizeof(process.cmdline) - kept);
	begin_frame(&process.frame, SYSCAP_FRAME_PROCESS, pid, now);
	return emit(
		data, &process,
		end_frame(&process.frame, sizeof(process.frame) + kept + 1));
}

/* ----------------------------------------------------------------- lines */

struct lines {
	int fd;
	size_t begin, end; /* of what is in the buffer and not returned */
	bool at_end;
	char buffer[LINE_MAX_BYTES];
};

/* The next line without its end; NULL at the end of the file. */
static char *next_line(struct lines *lines)
{
	for (;;) {
		char *const from = lines->buffer + lines->begin;
		const size_t n = lines->end - lines->begin;
		char *const newline = memchr(from, '\n', n);

		if (newline != NULL) {
			*newline = '\0';
			lines->begin += (size_t)(newline - from) + 1;
			return from;
		}
		if (lines->at_end)
			return NULL;
		memmove(lines->buffer, from, n);
		lines->begin = 0;
		lines->end = n;
		if (n == sizeof(lines->buffer)) /* too long to be one */
			lines->end = 0;
		const ssize_t got = read(lines->fd, lines->buffer + lines->end,
		                         sizeof(lines->buffer) - lines->end);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			lines->at_end = true;
		else
			lines->end += (size_t)got;
	}
}

static bool take_hex(const char **text, char end, uint64_t *ret)
{
	uint64_t n = 0;
	const char *p = *text;

	for (;; p++) {
		if (*p >= '0' && *p <= '9')
			n = n << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			n = n << 4 | (uint64_t)(*p - 'a' + 10);
		else
			break;
	}
	if (p == *text || *p != end)
		return false;
	*text = p + 1;
	*ret = n;
	return true;
}

struct mapping {
	uint64_t start, end, offset, major, minor, inode;
	bool executable;
	char *path;
};

/* start-end perms offset major:minor inode path; the inode is decimal. */
static bool parse(char *line, struct mapping *m)
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
	for (m->inode = 0; *p >= '0' && *p <= '9'; p++)
		m->inode = m->inode * 10 + (uint64_t)(*p - '0');
	while (*p == ' ')
		p++;
	m->path = line + (p - line);
	/* The kernel writes a newline in a name as \012, and nothing else so */
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

static bool same_file(const struct mapping *a, const struct mapping *b)
{
	return a->inode == b->inode && a->major == b->major &&
	       a->minor == b->minor;
}

static bool file_is(int fd, const struct mapping *m)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == m->inode &&
	       major(st.st_dev) == m->major && minor(st.st_dev) == m->minor;
}

/* @base: the object's mapping of file offset 0, if it came before. */
static bool find_build_id(const struct mapping *m, const struct mapping *base,
                          bool is_gone, char *hex)
{
	bool found = false;

	if (m->offset == 0 || m->path[0] == '[')
		base = m;
	if (base->end != 0 && (base == m || same_file(base, m)) &&
	    sc_own_build_id_in_memory(base->start, base->end - base->start,
	                              hex))
		return true;
	if (m->path[0] != '/' || is_gone)
		return false;
	const int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		found = file_is(fd, m) && sc_own_build_id_in_file(fd, hex);
		close(fd);
	}
	return found;
}

static bool tell(const struct mapping *m, const struct mapping *base,
                 int32_t pid, int64_t now, sc_describe_emit *emit, void *data)
{
	static const char deleted[] = " (deleted)";
	char build_id[SC_OWN_BUILD_ID_SIZE];
	struct wire_map frame;
	size_t n = strlen(m->path);

	const bool is_gone =
		n > strlen(deleted) && m->path[0] == '/' &&
		strcmp(m->path + n - strlen(deleted), deleted) == 0;
	const bool has_id = find_build_id(m, base, is_gone, build_id);
	/* Without its build-id a reader would take the new file */
	if (is_gone && has_id)
		n -= strlen(deleted);
	memset(&frame, 0, sizeof(frame));
	begin_frame(&frame.map.frame, SYSCAP_FRAME_MAP, pid, now);
	frame.map.start = m->start;
	frame.map.end = m->end;
	frame.map.offset = m->offset;
	char *const path = (char *)&frame + sizeof(frame.map);
	memcpy(path, m->path, n);
	size_t end = sizeof(frame.map) + n + 1;
	if (has_id && m->path[0] == '/') {
		path[n + 1] = '@';
		memcpy(path + n + 2, build_id, strlen(build_id));
		end += strlen(build_id) + 2;
	}
	return emit(data, &frame, end_frame(&frame.map.frame, end));
}

/* FNV-1a; 0 stands for an empty place */
static uint64_t hash(const struct mapping *m)
{
	const uint64_t words[] = { m->start, m->end, m->offset, m->inode };
	uint64_t h = UINT64_C(0xCBF29CE484222325);

	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 64; k += 8)
			h = (h ^ (words[i] >> k & 0xFF)) *
			    UINT64_C(0x100000001B3);
	return h != 0 ? h : 1;
}

/* Where it is, or belongs. */
static uint64_t *find(struct sc_described *described, uint64_t h)
{
	uint64_t i = h % SC_DESCRIBE_MAPS;

	while (described->known[i] != 0 && described->known[i] != h)
		i = (i + 1) % SC_DESCRIBE_MAPS;
	return &described->known[i];
}

static int read_counters(struct dl_phdr_info *info, size_t size, void *data)
{
	uint64_t *const counters = data;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) +
	                    sizeof(info->dlpi_subs)) {
		counters[0] = info->dlpi_adds;
		counters[1] = info->dlpi_subs;
	}
	return 1; /* one is enough */
}

bool sc_describe_maps_changed(const struct sc_described *described, int64_t now,
                              bool may_lock)
{
	uint64_t counters[2] = { 0, 0 };

	if (dl_iterate_phdr == NULL)
		return false;
	if (!may_lock)
		return now - described->looked_at >= LOOK_AGAIN_NS;
	dl_iterate_phdr(read_counters, counters);
	return counters[0] != described->loads ||
	       counters[1] != described->unloads;
}

bool sc_describe_maps(struct sc_described *described, int32_t pid, int64_t now,
                      bool may_lock, sc_describe_emit *emit, void *data)
{
	uint64_t counters[2] = { 0, 0 };
	struct mapping base, m;
	struct lines lines = { .fd = open("/proc/self/maps",
		                          O_RDONLY | O_CLOEXEC) };
	bool goes_on = true;
	char *line;

	if (lines.fd < 0)
		return true;
	if (may_lock && dl_iterate_phdr != NULL)
		dl_iterate_phdr(read_counters, counters);
	memset(&base, 0, sizeof(base));
	while (goes_on && (line = next_line(&lines)) != NULL) {
		if (!parse(line, &m))
			continue;
		if (m.offset == 0 && m.inode != 0)
			base = m;
		if (!m.executable ||
		    (m.path[0] != '/' && strcmp(m.path, "[vdso]") != 0))
			continue;
		const uint64_t h = hash(&m);
		uint64_t *const place = find(described, h);
		if (*place == h || described->n == SC_DESCRIBE_MAPS - 1)
			continue;
		goes_on = tell(&m, &base, pid, now, emit, data);
		if (goes_on) {
			*place = h;
			described->n++;
		}
	}
	close(lines.fd);
	if (goes_on) {
		described->loads = counters[0];
		described->unloads = counters[1];
		described->looked_at = now;
	}
	return goes_on;
}
