/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines_dwarf.c - reader of source frames in one file's debug information, in
 * the child.
 *
 * The reader finds units by their ranges, which all compilers write, and not by
 * .debug_aranges, which clang omits.  The first address in a unit makes the
 * reader list the unit's functions.  The reader frees no memory, because the
 * child ends.
 */
#define _GNU_SOURCE
#include "symbols/lines.h"

#ifdef SYC_HAVE_LIBDW

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"

/* Used functions of elfutils' libdw. */
#define LIBDW_FUNCTIONS(use)         \
	use(dwarf_begin);            \
	use(dwarf_get_units);        \
	use(dwarf_child);            \
	use(dwarf_siblingof);        \
	use(dwarf_tag);              \
	use(dwarf_attr);             \
	use(dwarf_attr_integrate);   \
	use(dwarf_formstring);       \
	use(dwarf_formudata);        \
	use(dwarf_diename);          \
	use(dwarf_ranges);           \
	use(dwarf_getsrcfiles);      \
	use(dwarf_filesrc);          \
	use(dwarf_getsrc_die);       \
	use(dwarf_linesrc);          \
	use(dwarf_lineno);           \
	use(dwarf_setalt);           \
	use(dwelf_elf_gnu_build_id); \
	use(dwarf_getelf);           \
	use(dwelf_dwarf_gnu_debugaltlink)

#define LIBDW_POINTER(name) __typeof__(name) *name

/* syc_lines_load_library() fills this struct. */
static struct {
	LIBDW_FUNCTIONS(LIBDW_POINTER);
} libdw;

static bool load_function(void *library, const char *name, void *to)
{
	void *const symbol = dlsym(library, name);

	memcpy(to, &symbol, sizeof(symbol));
	return symbol != NULL;
}

const char *syc_lines_load_library(void)
{
	static bool is_tried, is_there;
	void *library;

	if (!is_tried) {
		is_tried = true;
		library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
		is_there = library != NULL;
#define LOAD(name) \
	is_there = is_there && load_function(library, #name, &libdw.name)
		LIBDW_FUNCTIONS(LOAD);
#undef LOAD
	}
	return is_there ? NULL : "libdw.so.1 is missing; install elfutils";
}

/* Greatest depth of nesting, which no compiler reaches. */
#define DEPTH_MAX 512u

/* Greatest length of a name for the C++ runtime. */
#define LINKAGE_MAX 8000u

struct function {
	uint64_t begin, end;
	Dwarf_Die die;
};

struct unit {
	Dwarf_Die die;
	bool is_listed;
	SYC_ARRAY(struct function) functions;
};

struct unit_range {
	uint64_t begin, end;
	size_t unit;
};

struct syc_lines_dwarf {
	SYC_ARRAY(struct unit) units;
	SYC_ARRAY(struct unit_range) ranges; /* ranges, sorted by start */
	uint64_t *ends; /* for each range, the greatest end of the ranges up to
	                 * the range */
};

/*
 * The function that contains an address, the inlined call in the function, and
 * further inlined calls, down to the smallest range.
 */
struct best {
	uint64_t address, len;
	size_t n; /* 0: no function contains the address */
	Dwarf_Die levels[DEPTH_MAX];
};

/* Return the length of the range of @die that contains @address, or 0. */
static uint64_t range_at(Dwarf_Die *die, uint64_t address)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = libdw.dwarf_ranges(die, at, &base, &begin, &end)) > 0)
		if (address >= begin && address < end)
			return end - begin;
	return 0;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct unit_range *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

static bool list_units(struct syc_lines_dwarf *lines, Dwarf *dwarf,
                       enum syc_dwarf_lack *lack)
{
	Dwarf_CU *cu = NULL;
	struct unit unit = { 0 };
	uint8_t type;

	while (libdw.dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit.die,
	                             NULL) == 0) {
		struct unit_range range = { .unit = lines->units.n };
		Dwarf_Addr base;
		ptrdiff_t at = 0;

		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (type == DW_UT_skeleton)
			*lack = SYC_DWARF_SPLIT;
		if (syc_array_push(&lines->units, unit) < 0)
			return false;
		while ((at = libdw.dwarf_ranges(&unit.die, at, &base,
		                                &range.begin, &range.end)) > 0)
			if (syc_array_push(&lines->ranges, range) < 0)
				return false;
	}
	if (lines->ranges.n == 0)
		return false;
	qsort(lines->ranges.items, lines->ranges.n, sizeof(struct unit_range),
	      compare_ranges);
	lines->ends = calloc(lines->ranges.n, sizeof(*lines->ends));
	if (lines->ends == NULL)
		return false;
	for (size_t i = 0; i < lines->ranges.n; i++) {
		lines->ends[i] = lines->ranges.items[i].end;
		if (i > 0 && lines->ends[i - 1] > lines->ends[i])
			lines->ends[i] = lines->ends[i - 1];
	}
	return true;
}

/* Return whether @alternative is the alternative file that the main file
 * names. */
static bool is_alternative(Dwarf *alternative, const void *id, ssize_t len)
{
	const void *found;

	return libdw.dwelf_elf_gnu_build_id(libdw.dwarf_getelf(alternative),
	                                    &found) == len &&
	       memcmp(found, id, (size_t)len) == 0;
}

struct syc_lines_dwarf *
syc_lines_dwarf_open(int fd,
                     int (*open_alternative)(void *data, const char *name),
                     void *data, enum syc_dwarf_lack *ret_lack)
{
	struct syc_lines_dwarf *lines = calloc(1, sizeof(*lines));
	Dwarf *dwarf = libdw.dwarf_begin(fd, DWARF_C_READ);
	Dwarf *alternative = NULL;
	const char *name;
	const void *id;
	ssize_t len;
	int other;

	*ret_lack = SYC_DWARF_WHOLE;
	if (lines == NULL || dwarf == NULL)
		return NULL;
	len = libdw.dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
	other = len > 0 ? open_alternative(data, name) : -1;
	if (other >= 0)
		alternative = libdw.dwarf_begin(other, DWARF_C_READ);
	if (alternative != NULL && is_alternative(alternative, id, len))
		libdw.dwarf_setalt(dwarf, alternative);
	else if (len > 0)
		*ret_lack = SYC_DWARF_NO_ALTERNATIVE;
	return list_units(lines, dwarf, ret_lack) ? lines : NULL;
}

/* List the functions inside @parent, which may be a function, class or
 * namespace. */
static void list_functions(struct unit *unit, Dwarf_Die *parent, unsigned depth)
{
	struct function function;
	Dwarf_Addr base;
	int r = libdw.dwarf_child(parent, &function.die);

	for (; r == 0 && depth < DEPTH_MAX;
	     r = libdw.dwarf_siblingof(&function.die, &function.die)) {
		ptrdiff_t at = 0;

		if (libdw.dwarf_tag(&function.die) == DW_TAG_subprogram)
			while ((at = libdw.dwarf_ranges(&function.die, at,
			                                &base, &function.begin,
			                                &function.end)) > 0)
				if (syc_array_push(&unit->functions, function) <
				    0)
					return;
		list_functions(unit, &function.die, depth + 1);
	}
}

/* Search inside @parent.  Lexical blocks around inlined functions need not have
 * ranges. */
static void look_inside(struct best *best, Dwarf_Die *path, size_t n,
                        Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;
	int r = libdw.dwarf_child(parent, &die);

	for (; r == 0 && depth < DEPTH_MAX && n < DEPTH_MAX;
	     r = libdw.dwarf_siblingof(&die, &die)) {
		const int tag = libdw.dwarf_tag(&die);
		uint64_t len;

		if (tag == DW_TAG_inlined_subroutine) {
			len = range_at(&die, best->address);
			path[n] = die;
			if (len > 0 && len <= best->len) {
				best->len = len;
				best->n = n + 1;
				memcpy(best->levels, path,
				       (n + 1) * sizeof(*path));
			}
			look_inside(best, path, n + 1, &die, depth + 1);
		} else if (tag == DW_TAG_lexical_block ||
		           tag == DW_TAG_try_block ||
		           tag == DW_TAG_catch_block ||
		           tag == DW_TAG_with_stmt) {
			look_inside(best, path, n, &die, depth + 1);
		}
	}
}

static void look_in_unit(struct unit *unit, struct best *best)
{
	Dwarf_Die path[DEPTH_MAX];
	const struct function *found = NULL;

	if (!unit->is_listed)
		list_functions(unit, &unit->die, 0);
	unit->is_listed = true;
	for (size_t i = 0; i < unit->functions.n; i++) {
		const struct function *function = &unit->functions.items[i];

		if (best->address >= function->begin &&
		    best->address < function->end &&
		    (found == NULL || function->end - function->begin <=
		                              found->end - found->begin))
			found = function;
	}
	if (found == NULL)
		return;
	best->n = 1;
	best->len = found->end - found->begin;
	best->levels[0] = path[0] = found->die;
	look_inside(best, path, 1, &path[0], 0);
}

/* Return the linkage name, which is more specific, or the plain name. */
static const char *name_of(Dwarf_Die *die)
{
	static const unsigned names[] = { DW_AT_linkage_name,
		                          DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *text = libdw.dwarf_formstring(
			libdw.dwarf_attr_integrate(die, names[i], &attribute));

		if (text != NULL && strlen(text) < LINKAGE_MAX)
			return text;
	}
	return "";
}

/* Store @path in the frame.  Relative paths are relative to the compiler's
 * working directory. */
static void set_file(Dwarf_Die *unit, const char *path,
                     struct syc_dwarf_frame *frame)
{
	Dwarf_Attribute attribute;
	const char *directory;

	if (path == NULL)
		return;
	frame->file = path;
	if (path[0] == '/')
		return;
	directory = libdw.dwarf_formstring(
		libdw.dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (directory != NULL)
		frame->directory = directory;
}

/* Store the position of the call of the inlined function @call. */
static void place_call(Dwarf_Die *unit, Dwarf_Die *call,
                       struct syc_dwarf_frame *frame)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word number, line;
	size_t n;

	if (libdw.dwarf_formudata(
		    libdw.dwarf_attr(call, DW_AT_call_line, &attribute),
		    &line) == 0 &&
	    line <= UINT32_MAX)
		frame->line = (uint32_t)line;
	if (libdw.dwarf_formudata(
		    libdw.dwarf_attr(call, DW_AT_call_file, &attribute),
		    &number) != 0 ||
	    libdw.dwarf_getsrcfiles(unit, &files, &n) != 0 || number >= n)
		return;
	set_file(unit, libdw.dwarf_filesrc(files, number, NULL, NULL), frame);
}

static bool place_address(Dwarf_Die *unit, uint64_t address,
                          struct syc_dwarf_frame *frame)
{
	Dwarf_Line *line = libdw.dwarf_getsrc_die(unit, address);
	int number;

	if (line == NULL)
		return false;
	set_file(unit, libdw.dwarf_linesrc(line, NULL, NULL), frame);
	if (libdw.dwarf_lineno(line, &number) == 0 && number > 0)
		frame->line = (uint32_t)number;
	return true;
}

static size_t find_in_unit(struct unit *unit, uint64_t address,
                           struct syc_dwarf_frame *frames, size_t most)
{
	const struct syc_dwarf_frame none = { "", "", "", 0 };
	struct best *best = calloc(1, sizeof(*best));
	bool has_line;
	size_t n;

	if (best == NULL)
		return 0;
	best->address = address;
	look_in_unit(unit, best);
	frames[0] = none;
	has_line = place_address(&unit->die, address, &frames[0]);
	n = best->n;
	if (n > most)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Die *die = &best->levels[n - 1 - i];

		frames[i].function = name_of(die);
		if (i + 1 == n)
			break;
		frames[i + 1] = none;
		place_call(&unit->die, die, &frames[i + 1]);
	}
	free(best);
	return n > 0 ? n : has_line;
}

size_t syc_lines_dwarf_find(struct syc_lines_dwarf *lines, uint64_t address,
                            struct syc_dwarf_frame *frames, size_t most)
{
	size_t low = 0, high = lines->ranges.n, n = 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (lines->ranges.items[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Examine the nearest range first.  Beyond the greatest end, no range
	 * contains the address. */
	while (n == 0 && low-- > 0 && lines->ends[low] > address)
		if (lines->ranges.items[low].end > address)
			n = find_in_unit(
				&lines->units
					 .items[lines->ranges.items[low].unit],
				address, frames, most);
	return n;
}

#else

const char *syc_lines_load_library(void)
{
	return "syscap was built without libdw (Debian: libdw-dev)";
}

struct syc_lines_dwarf *
syc_lines_dwarf_open(int fd,
                     int (*open_alternative)(void *data, const char *name),
                     void *data, enum syc_dwarf_lack *ret_lack)
{
	(void)fd;
	(void)open_alternative;
	(void)data;
	*ret_lack = SYC_DWARF_WHOLE;
	return NULL;
}

size_t syc_lines_dwarf_find(struct syc_lines_dwarf *lines, uint64_t address,
                            struct syc_dwarf_frame *frames, size_t most)
{
	(void)lines;
	(void)address;
	(void)frames;
	(void)most;
	return 0;
}

#endif
