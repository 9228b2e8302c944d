/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unloads.c - MAP frames for libraries that the program unloads.
 *
 * The recorder reads /proc/PID/maps periodically.  Between two reads a library
 * may be unloaded, and another library loaded at the same address.  So the
 * process reads the loader's list before and after each dlclose(), and at exit.
 *
 * Frames of the first check:
 *
 *	METADATA syscap.unmapped all, with the load time of this library.
 *
 * Frames of each check:
 *
 *	MAP of each new library, 1 ns later than the previous check.
 *	METADATA syscap.unmapped START-END of each unloaded library, with our
 *	time.
 *
 * Only dlclose() unloads libraries.  So between two checks an address has at
 * most one library, and the time of the library's MAP is earlier than its first
 * sample.  dlopen() is not interposed, because dlopen() finds RUNPATH by its
 * caller.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "base/frame.h"
#include "base/text.h"
#include "emit/recorder.h"
#include "emit/thread.h"
#include "os/own_elf.h"
#include "os/seccomp_state.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "preload/real_call.h"
#include "sampler/sampler.h"
#include "sampler/state.h"

#define CODE_MOST  2048u               /* limit; the recorder finds more */
#define ROOM_LEAST ((uintptr_t)32768)  /* free bytes of the stack */
#define WAIT_NS    INT64_C(1000000000) /* wait for another thread's check */

/* An executable segment of a library. */
struct code {
	uintptr_t start, end;
	uint64_t offset;
	uint64_t name;    /* hash, because a later library may have equal
	                   * bounds */
	uintptr_t header; /* address of the file's start; 0: not mapped */
	size_t header_size;
};

/* The code of all libraries. */
struct listing {
	uint64_t loads, unloads; /* the loader's counters */
	unsigned n;
	struct code code[CODE_MOST];
};

/* State of all checks, zero in a forked child. */
static struct looks {
	uint32_t lock;
	int32_t pid;   /* 0: no check yet */
	int64_t since; /* time of the last check */
	unsigned last; /* index of the last listing */
	struct listing listings[2];
} * looks;

/* Time and process at the load of this library.  Children began later. */
static int64_t loaded_at;
static int32_t loaded_by;

static struct code describe_segment(const struct dl_phdr_info *info,
                                    const ElfW(Phdr) * p)
{
	const uintptr_t at = info->dlpi_addr + p->p_vaddr;
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	return (struct code){
		.start = at & -page,
		.end = (at + p->p_memsz + page - 1) & -page,
		.offset = p->p_offset & -(uint64_t)page,
	};
}

static uint64_t hash_name(const char *name)
{
	uint64_t hash = 0;

	while (*name != '\0')
		hash = hash * 31 + (unsigned char)*name++;
	return hash;
}

static void list_code(struct listing *list, const struct dl_phdr_info *info)
{
	const uint64_t name = hash_name(info->dlpi_name);
	struct code first = { .start = 0 };

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const p = &info->dlpi_phdr[i];
		struct code code = describe_segment(info, p);

		if (p->p_type != PT_LOAD)
			continue;
		if (code.offset == 0 && first.start == 0)
			first = code;
		if ((p->p_flags & PF_X) == 0 || list->n == CODE_MOST)
			continue;
		code.name = name;
		code.header = first.start;
		code.header_size = first.end - first.start;
		list->code[list->n++] = code;
	}
}

/* List an object's segments.  The function runs under the loader's lock, and
 * writes no event. */
static int list_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct listing *const list = ((struct listing **)data)[0];
	const struct listing *const before = ((struct listing **)data)[1];

	(void)size;
	list->loads = info->dlpi_adds;
	list->unloads = info->dlpi_subs;
	if (list->loads == before->loads && list->unloads == before->unloads)
		return 1;
	list_code(list, info);
	return 0;
}

static bool has_segment(const struct listing *list, const struct code *code)
{
	for (unsigned i = 0; i < list->n; i++)
		if (list->code[i].start == code->start &&
		    list->code[i].end == code->end &&
		    list->code[i].offset == code->offset &&
		    list->code[i].name == code->name)
			return true;
	return false;
}

static bool overlaps(const struct listing *list, const struct code *code)
{
	for (unsigned i = 0; i < list->n; i++)
		if (list->code[i].start < code->end &&
		    list->code[i].end > code->start)
			return true;
	return false;
}

/* -new libraries */

struct map_frame {
	struct syscap_wire_map map;
	char path[PATH_MAX + SYC_BUILD_ID_SIZE + 16];
};

static size_t read_link(const char *name, char *path)
{
	const long n =
		syc_raw_syscall(SYS_readlinkat, AT_FDCWD, (long)(uintptr_t)name,
	                        (long)(uintptr_t)path, PATH_MAX - 1, 0, 0);

	return n > 0 ? (size_t)n : 0;
}

struct named {
	uintptr_t start;
	char *path;
};

/* Get the name of the library, which text that was moved to anonymous memory
 * keeps. */
static int take_name(struct dl_phdr_info *info, size_t size, void *data)
{
	struct named *const named = data;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    describe_segment(info, &info->dlpi_phdr[i]).start ==
		            named->start) {
			const size_t n = strlen(info->dlpi_name);

			if (info->dlpi_name[0] == '/' && n < PATH_MAX)
				memcpy(named->path, info->dlpi_name, n + 1);
			return 1;
		}
	return 0;
}

/* Find the path as in /proc/self/maps. */
static size_t find_path(const struct code *code, char *path)
{
	char name[80];
	struct syc_text text = syc_text_begin(name, sizeof(name));
	struct named named = { code->start, path };

	if (code->start <= getauxval(AT_SYSINFO_EHDR) &&
	    getauxval(AT_SYSINFO_EHDR) < code->end)
		return strlen(memcpy(path, "[vdso]", sizeof("[vdso]")));
	syc_text_add(&text, "/proc/self/map_files/");
	syc_text_add_hex(&text, code->start);
	syc_text_add(&text, "-");
	syc_text_add_hex(&text, code->end);
	*text.at = '\0';
	const size_t n = read_link(name, path);
	if (n > 0)
		return n;
	path[0] = '\0';
	dl_iterate_phdr(take_name, &named);
	return strlen(path);
}

static void write_map(const struct code *code, int64_t time)
{
	static const char deleted[] = " (deleted)";
	const size_t mark = sizeof(deleted) - 1;
	struct syc_own_elf elf;
	struct map_frame frame;
	char id[SYC_BUILD_ID_SIZE];
	size_t n = find_path(code, frame.path);

	if (n == 0)
		return;
	syc_own_elf_in_memory(code->header, code->header_size, &elf);
	if (frame.path[0] == '/' && syc_own_elf_build_id(&elf, id)) {
		/* Without the build-id, keep the mark, or a reader would use
		 * the new file */
		if (n > mark &&
		    memcmp(frame.path + n - mark, deleted, mark) == 0)
			n -= mark;
		frame.path[n] = '\0';
		frame.path[n + 1] = '@';
		memcpy(frame.path + n + 2, id, strlen(id));
		n += 2 + strlen(id);
	}
	frame.path[n] = '\0';
	syc_frame_begin(&frame.map.frame, SYSCAP_FRAME_MAP, getpid(), time);
	frame.map.start = code->start;
	frame.map.end = code->end;
	frame.map.offset = code->offset;
	frame.map.inode = 0;
	syc_process_maps_emit(
		NULL, &frame,
		syc_frame_end(&frame.map.frame, sizeof(frame.map) + n + 1));
}

/* Reports of unloaded libraries */

/* Report that @code, or if NULL, all earlier mappings of this process, are
 * unmapped. */
static void write_unmapped(const struct code *code, int64_t time)
{
	struct {
		struct syscap_wire_metadata metadata;
		char rest[48];
	} frame;
	char value[40];
	struct syc_text text = syc_text_begin(value, sizeof(value));

	if (code != NULL) {
		syc_text_add_hex(&text, code->start);
		syc_text_add(&text, "-");
		syc_text_add_hex(&text, code->end);
	} else {
		syc_text_add(&text, "all");
	}
	*text.at = '\0';
	syc_process_maps_emit(NULL, &frame,
	                      syc_frame_metadata(&frame, getpid(), time,
	                                         "syscap.unmapped", value));
}

/*
 * ---------------------------------------------------------------------- looks
 */

static void compare_listings(const struct looks *l,
                             const struct listing *before,
                             const struct listing *after, int64_t now)
{
	/* Code that another thread has loaded at the same addresses is newer */
	for (unsigned i = 0; i < before->n && after->n < CODE_MOST; i++)
		if (!has_segment(after, &before->code[i]))
			write_unmapped(&before->code[i],
			               overlaps(after, &before->code[i])
			                       ? l->since
			                       : now);
	for (unsigned i = 0; i < after->n; i++)
		if (!has_segment(before, &after->code[i]))
			write_map(&after->code[i], l->since + 1);
}

static void look(struct looks *l)
{
	const int64_t now = syscap_clock();
	struct listing *const before = &l->listings[l->last];
	struct listing *const after = &l->listings[1 - l->last];

	after->n = 0;
	dl_iterate_phdr(list_object, (struct listing *[]){ after, before });
	if (after->loads == before->loads &&
	    after->unloads == before->unloads) {
		/* Advance the time, because libraries that another check found
		 * may already have samples */
		l->since = now;
		return;
	}
	if (l->pid == 0) {
		l->pid = getpid();
		l->since = loaded_by == l->pid ? loaded_at : now;
		write_unmapped(NULL, l->since);
	}
	compare_listings(l, before, after, now);
	l->since = now;
	l->last = 1 - l->last;
}

/* Return whether a check fits on the stack, or true for a thread without an
 * event, whose stack bounds are unknown. */
static bool fits_on_stack(void)
{
	const uintptr_t low =
		syc_self != NULL ? syc_state_of(syc_self)->stack_low : 0;
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return here < low || here - low >= ROOM_LEAST;
}

/* Check at exit, except in a child without an earlier check, which may have no
 * event. */
static void look_at_exit(void)
{
	if (looks->pid == getpid())
		syc_unloads_look();
}

/* Return the state of the checks, or NULL if no memory is left. */
static struct looks *get_looks(void)
{
	struct looks *there = __atomic_load_n(&looks, __ATOMIC_ACQUIRE);
	struct looks *const made =
		there != NULL
			? MAP_FAILED
			: mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE,
	                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (made == MAP_FAILED)
		return there;
	if (madvise(made, sizeof(*made), MADV_WIPEONFORK) != 0 ||
	    !__atomic_compare_exchange_n(&looks, &there, made, false,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		munmap(made, sizeof(*made));
		return there;
	}
	atexit(look_at_exit);
	return made;
}

void syc_unloads_begin(void)
{
	loaded_at = syscap_clock();
	loaded_by = getpid();
}

void syc_unloads_look(void)
{
	const int saved = errno;
	struct looks *l;

	/*
	 * Without stacks, no names are needed.  A filter may forbid opening a
	 * file.
	 */
	if (!syscap_is_active() || syc_seccomp_has_filter() ||
	    syc_slot_arena_head() == NULL || !fits_on_stack())
		return;
	l = get_looks();
	if (l != NULL && syc_state_take(&l->lock, WAIT_NS)) {
		/* Do not check in a vfork() child, which shares its parent's
		 * memory */
		if (l->pid == 0 || l->pid == getpid())
			look(l);
		syc_tid_lock_give(&l->lock);
	}
	errno = saved;
}
