/* SPDX-License-Identifier: BSD-2-Clause */
/* modules.c - programs and libraries of this process. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "os/process.h"
#include "os/syscalls.h"
#include "unwind/cfi.h"
#include "unwind/memory.h"

#define LIST_MOST   1024u /* modules in the list */
#define SEEN_MOST   256u
#define NEEDED_MOST 2048u

#ifndef DLFO_EH_SEGMENT_TYPE
/* struct of glibc 2.35, declared here for older headers */
struct dl_find_object {
	unsigned long long dlfo_flags;
	void *dlfo_map_start, *dlfo_map_end;
	struct link_map *dlfo_link_map;
	void *dlfo_eh_frame;
	unsigned long long reserved[7];
};
int _dl_find_object(void *address, struct dl_find_object *result);
#endif
#pragma weak _dl_find_object

/* A module, in words that a reader may load while a writer stores them. */
struct listed {
	_Atomic uintptr_t low, high, header, stays, stays_end;
};

struct half {
	_Atomic unsigned n;
	struct listed modules[LIST_MOST]; /* modules, sorted by address */
};

/*
 * Memory that is mapped for the first list, or the first trusted table.
 * Without this memory, the process has no list, and drops rules of unknown
 * validity.
 */
static struct lists {
	struct half halves[2];
	/* Hashed names of the libraries that permanent modules were linked
	 * with, used only by the list's maker. */
	unsigned n_needed;
	uint64_t needed[NEEDED_MOST];
	/*
	 * Modules whose tables were used: pages of the module, and a hash of
	 * the start of the tables.
	 */
	struct {
		_Atomic uint64_t pages, mark;
	} seen[SEEN_MOST];
} * lists;

/* The half in use is version % 2; version 0 means no list. */
static _Atomic unsigned version;

/*
 * The process id of the maker of the next half.  In a forked child, the
 * parent's id means that the maker does not continue.
 */
static _Atomic int maker;

/* Counts of dl_iterate_phdr() for the list, used only by the writer. */
static uint64_t counted_adds, counted_subs;

static _Atomic uint64_t generation, additions;

static struct lists *get_lists(void)
{
	return syc_lazy_map_get(&lists, sizeof(*lists));
}

uint64_t syc_modules_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_relaxed);
}

void syc_modules_forget(void)
{
	atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

uint64_t syc_modules_additions(void)
{
	return atomic_load_explicit(&additions, memory_order_relaxed);
}

static void put_listed(struct listed *to,
                       const struct syc_loaded_module *module)
{
	/* Relaxed order suffices, because the version orders these stores */
	atomic_store_explicit(&to->low, module->low, memory_order_relaxed);
	atomic_store_explicit(&to->high, module->high, memory_order_relaxed);
	atomic_store_explicit(&to->header, module->header,
	                      memory_order_relaxed);
	atomic_store_explicit(&to->stays, module->stays, memory_order_relaxed);
	atomic_store_explicit(&to->stays_end, module->stays_end,
	                      memory_order_relaxed);
}

static void get_listed(struct listed *from, struct syc_loaded_module *module)
{
	module->low = atomic_load_explicit(&from->low, memory_order_relaxed);
	module->high = atomic_load_explicit(&from->high, memory_order_relaxed);
	module->header =
		atomic_load_explicit(&from->header, memory_order_relaxed);
	module->stays =
		atomic_load_explicit(&from->stays, memory_order_relaxed);
	module->stays_end =
		atomic_load_explicit(&from->stays_end, memory_order_relaxed);
}

/*
 * Find the dynamic section of a module.  Only callbacks of dl_iterate_phdr()
 * read dynamic sections, because no module can be unloaded during a callback.
 */
static const ElfW(Dyn) * find_dynamic(const struct dl_phdr_info *info)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(info->dlpi_addr +
			                      info->dlpi_phdr[i].p_vaddr);
	return NULL;
}

/* Return the dynamic section, and store its strings.  Returns NULL if a part is
 * missing. */
static const ElfW(Dyn) *
	open_dynamic(const struct dl_phdr_info *info, const char **ret_strings)
{
	const ElfW(Dyn) *const first = find_dynamic(info);

	for (const ElfW(Dyn) *dynamic = first;
	     dynamic != NULL && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag != DT_STRTAB)
			continue;
		*ret_strings = (const char *)dynamic->d_un.d_ptr;
		/* Some loaders do not relocate the address. */
		if (dynamic->d_un.d_ptr < info->dlpi_addr)
			*ret_strings += info->dlpi_addr;
		return first;
	}
	return NULL;
}

static uint64_t hash_name(const char *name)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		value = (value ^ (unsigned char)*name) *
		        UINT64_C(0x100000001b3);
	return value;
}

static bool is_listed_as_needed(uint64_t name)
{
	for (unsigned i = 0; i < lists->n_needed; i++)
		if (lists->needed[i] == name)
			return true;
	return false;
}

/* Add the libraries that @info was linked with. */
static void add_needed(const struct dl_phdr_info *info)
{
	const char *strings;
	const ElfW(Dyn) *dynamic = open_dynamic(info, &strings);

	if (dynamic == NULL)
		return;
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag != DT_NEEDED ||
		    lists->n_needed == NEEDED_MOST)
			continue;
		const uint64_t name = hash_name(strings + dynamic->d_un.d_val);

		if (!is_listed_as_needed(name))
			lists->needed[lists->n_needed++] = name;
	}
}

static bool is_needed(const struct dl_phdr_info *info)
{
	const char *strings;
	const ElfW(Dyn) *dynamic = open_dynamic(info, &strings);

	if (dynamic == NULL)
		return false;
	for (; dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_SONAME)
			return is_listed_as_needed(
				hash_name(strings + dynamic->d_un.d_val));
	return false;
}

/*
 * Return whether the module is never unmapped: the program, the loader, the
 * module of this code, the vDSO, and libraries that these modules need.
 * Loaders list a library after the modules that need the library.
 */
static bool stays_loaded(const struct dl_phdr_info *info,
                         const struct syc_loaded_module *module, bool is_first)
{
	const uintptr_t anchors[] = {
		(uintptr_t)getauxval(AT_BASE),
		(uintptr_t)getauxval(AT_SYSINFO_EHDR),
		(uintptr_t)&syc_modules_find,
	};
	bool found = is_first || is_needed(info);

	for (unsigned i = 0; i < sizeof(anchors) / sizeof(anchors[0]); i++)
		found |= anchors[i] >= module->low && anchors[i] < module->high;
	/* Skip the vDSO, which needs no library, and whose dynamic section has
	 * unrelocated addresses */
	if (found && module->low != anchors[1])
		add_needed(info);
	return found;
}

static void describe_module(const struct dl_phdr_info *info, bool is_first,
                            struct syc_loaded_module *module)
{
	const ElfW(Phdr) *table = NULL;

	memset(module, 0, sizeof(*module));
	module->low = UINTPTR_MAX;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];
		const uintptr_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_GNU_EH_FRAME)
			table = segment;
		if (segment->p_type != PT_LOAD)
			continue;
		if (at < module->low)
			module->low = at;
		if (at + segment->p_memsz > module->high)
			module->high = at + segment->p_memsz;
	}
	const bool kept = stays_loaded(info, module, is_first);
	if (table == NULL)
		return;
	module->header = info->dlpi_addr + table->p_vaddr;
	if (!kept)
		return;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];
		const uintptr_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD &&
		    (segment->p_flags & PF_R) != 0 && module->header >= at &&
		    module->header - at < segment->p_filesz) {
			module->stays = at;
			module->stays_end = at + segment->p_filesz;
		}
	}
}

/* Insert a module from the end, because loaders list modules almost in
 * order. */
static void insert_module(struct half *half,
                          const struct syc_loaded_module *module)
{
	unsigned i = atomic_load_explicit(&half->n, memory_order_relaxed);
	struct syc_loaded_module before;

	if (i == LIST_MOST)
		return; /* _dl_find_object() finds the module */
	atomic_store_explicit(&half->n, i + 1, memory_order_relaxed);
	for (; i > 0; i--) {
		get_listed(&half->modules[i - 1], &before);
		if (before.low <= module->low)
			break;
		put_listed(&half->modules[i], &before);
	}
	put_listed(&half->modules[i], module);
}

struct snapshot_making {
	struct half *half;
	uint64_t adds, subs;
	unsigned n;
	bool unchanged;
	bool bare;      /* the program has no search table */
	uintptr_t bias; /* the program's load address */
};

static int list_one(struct dl_phdr_info *info, size_t size, void *user)
{
	struct snapshot_making *const making = user;
	struct syc_loaded_module module;

	if (making->n == 0 && size >= offsetof(struct dl_phdr_info, dlpi_subs) +
	                                      sizeof(info->dlpi_subs)) {
		making->adds = info->dlpi_adds;
		making->subs = info->dlpi_subs;
		making->unchanged =
			making->adds == counted_adds &&
			making->subs == counted_subs &&
			atomic_load_explicit(&version, memory_order_relaxed) !=
				0;
		if (making->unchanged)
			return 1;
	}
	describe_module(info, making->n++ == 0, &module);
	if (making->n == 1 && module.header == 0) {
		making->bare = true;
		making->bias = info->dlpi_addr;
	}
	if (module.low < module.high)
		insert_module(making->half, &module);
	return 0;
}

static bool begin_making(void)
{
	const int pid = (int)syc_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	int holder = atomic_load_explicit(&maker, memory_order_relaxed);

	return holder != pid &&
	       atomic_compare_exchange_strong_explicit(&maker, &holder, pid,
	                                               memory_order_acquire,
	                                               memory_order_relaxed);
}

void syc_modules_refresh(void)
{
	struct snapshot_making making = { .unchanged = false };

	if (get_lists() == NULL || !begin_making())
		return; /* another thread makes the list */
	const unsigned now =
		atomic_load_explicit(&version, memory_order_relaxed);
	making.half = &lists->halves[(now + 1) % 2];
	atomic_store_explicit(&making.half->n, 0, memory_order_relaxed);
	lists->n_needed = 0;
	/*
	 * A reader that sees the stores below also sees the version change of
	 * its half.
	 */
	atomic_thread_fence(memory_order_release);
	dl_iterate_phdr(list_one, &making);
	if (making.bare)
		syc_frame_index_make(making.bias);
	if (!making.unchanged) {
		const bool gone = making.subs != counted_subs ||
		                  (making.adds == 0 && making.subs == 0);

		counted_adds = making.adds;
		counted_subs = making.subs;
		atomic_store_explicit(&version, now + 1, memory_order_release);
		atomic_fetch_add_explicit(&additions, 1, memory_order_relaxed);
		if (gone)
			syc_modules_forget();
	}
	atomic_store_explicit(&maker, 0, memory_order_release);
}

int syc_modules_prepare(void)
{
	syc_modules_refresh();
	return atomic_load_explicit(&version, memory_order_relaxed) != 0 ? 0
	       : get_lists() == NULL ? -ENOMEM
	                             : -EBUSY;
}

/* If handlers cannot call the loader, the list must exist before a handler
 * runs.  Static programs have no loader.  In a static program, glibc's
 * replacement reports wrong bounds, and does not report a program without a
 * search table. */
static __attribute__((constructor)) void prepare_early(void)
{
	if (_dl_find_object == NULL || getauxval(AT_BASE) == 0)
		syc_modules_refresh();
}

static bool find_in_half(struct half *half, uintptr_t pc,
                         struct syc_loaded_module *module)
{
	unsigned low = 0;
	unsigned high = atomic_load_explicit(&half->n, memory_order_relaxed);

	while (low < high) {
		const unsigned middle = low + (high - low) / 2;

		if (atomic_load_explicit(&half->modules[middle].low,
		                         memory_order_relaxed) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	get_listed(&half->modules[low - 1], module);
	return pc >= module->low && pc < module->high;
}

static bool find_listed(uintptr_t pc, struct syc_loaded_module *module)
{
	for (unsigned tries = 0; tries < 3; tries++) {
		const unsigned now =
			atomic_load_explicit(&version, memory_order_acquire);

		if (now == 0)
			return false;
		const bool found =
			find_in_half(&lists->halves[now % 2], pc, module);

		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&version, memory_order_relaxed) == now)
			return found;
	}
	return false;
}

bool syc_modules_find(uintptr_t pc, struct syc_loaded_module *ret_module)
{
	struct dl_find_object found;
	struct syc_loaded_module listed;

	if (_dl_find_object == NULL)
		return find_listed(pc, ret_module);
	if (_dl_find_object((void *)pc, &found) != 0)
		return false;
	ret_module->low = (uintptr_t)found.dlfo_map_start;
	ret_module->high = (uintptr_t)found.dlfo_map_end;
	ret_module->header = (uintptr_t)found.dlfo_eh_frame;
	ret_module->stays = ret_module->stays_end = 0;
	if (find_listed(pc, &listed) && listed.header == ret_module->header)
		*ret_module = listed;
	return true;
}

/*
 * Hash the position of a module's table, its number of entries, and its first
 * few entries.
 */
static uint64_t module_mark(const struct syc_loaded_module *module,
                            struct syc_bytes *bytes)
{
	uint64_t mark = module->header;
	struct syc_cursor cursor;

	syc_cursor_init(&cursor, bytes, module->header, module->high);
	for (unsigned i = 0; i < 8; i++)
		mark = (mark ^ syc_cursor_fixed(&cursor, 8)) *
		       UINT64_C(0x9e3779b97f4a7c15);
	return mark | 1;
}

void syc_modules_notice(const struct syc_loaded_module *module,
                        struct syc_bytes *bytes)
{
	const uint64_t first = module->low / SYC_MEMORY_PAGE;
	const uint64_t n = (module->high - 1) / SYC_MEMORY_PAGE - first + 1;
	const uint64_t pages = first << 24 | (n < 0xffffff ? n : 0xffffff);
	struct lists *const known_lists = get_lists();
	unsigned i = 0;

	/* A permanent module is never replaced, and a module without a table
	 * gives no rules */
	if (module->stays != module->stays_end || module->header == 0)
		return;
	if (known_lists == NULL) {
		syc_modules_forget();
		return;
	}
	const uint64_t mark = module_mark(module, bytes);
	/*
	 * If two threads store at the same time, the two words may not match.
	 * A mismatch only causes an unnecessary drop of all rules.
	 */
	for (; i < SEEN_MOST; i++) {
		const uint64_t known = atomic_load_explicit(
			&known_lists->seen[i].pages, memory_order_relaxed);
		const uint64_t from = known >> 24, length = known & 0xffffff;

		if (known == 0)
			break;
		if (known == pages &&
		    atomic_load_explicit(&known_lists->seen[i].mark,
		                         memory_order_relaxed) == mark)
			return;
		if (from < first + n && first < from + length) {
			syc_modules_forget();
			break;
		}
	}
	if (i == SEEN_MOST) {
		syc_modules_forget();
		for (i = SEEN_MOST - 1; i > 0; i--)
			atomic_store_explicit(&known_lists->seen[i].pages, 0,
			                      memory_order_relaxed);
	}
	atomic_store_explicit(&known_lists->seen[i].mark, mark,
	                      memory_order_relaxed);
	atomic_store_explicit(&known_lists->seen[i].pages, pages,
	                      memory_order_relaxed);
}
