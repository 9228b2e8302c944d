/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_elf.c - search for functions in any bytes that may be an ELF file.
 *
 * For any bytes, the functions are disjoint and in order, their names are
 * printable, and a look-up finds each function.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "symbols/demangle.h"
#include "symbols/module_finder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

static void demand(bool condition)
{
	if (!condition)
		abort();
}

/* The C++ runtime's demangler is not tested here. */
static bool is_cxx(const char *name)
{
	char text[SYC_DEMANGLE_MAX];

	return strncmp(name, "_Z", 2) == 0 &&
	       !syc_demangle_rust_legacy(name, text, sizeof(text));
}

static void touch_name(const struct syc_range *range)
{
	char *name;

	if (range->name == NULL || is_cxx(range->name))
		return;
	name = syc_readable_name(range->name, range->is_plt);
	demand(name != NULL && syc_utf8_is_valid(name) &&
	       strlen(name) < SYC_READABLE_MAX);
	for (const char *p = name; *p != 0; p++)
		demand((unsigned char)*p >= 0x20);
	sink += strlen(name);
	free(name);
}

static void touch_ranges(const struct syc_ranges *ranges, bool has_names)
{
	uint64_t end = 0;

	for (size_t i = 0; i < ranges->array.n; i++) {
		const struct syc_range *range = &ranges->array.items[i];

		demand(range->begin < range->end && range->begin >= end);
		end = range->end;
		demand(syc_ranges_find(ranges, range->begin) == range);
		demand(syc_ranges_find(ranges, range->end - 1) == range);
		/* Enough for every kind of name. */
		if (has_names && i < 1000)
			touch_name(range);
	}
}

static void touch_places(const struct syc_module *module, size_t size)
{
	const uint64_t places[] = { 0, 1, size / 2, size, UINT64_MAX };
	uint64_t address;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (syc_module_address(module, places[i], places[i], &address))
			sink += syc_ranges_find(&module->functions, address) !=
			        NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct syc_debug_files files = { 0 };
	const struct syc_debug_wish wish = {
		.pid = -1, .build_id = "", .path = "", .found = ""
	};
	struct syc_places *places;
	struct syc_module module;
	struct syc_elf elf;
	void *copy = malloc(size ? size : 1);

	if (copy == NULL)
		return 0;
	/* Exactly this size, so that ASan sees a read beyond. */
	memcpy(copy, data, size);
	if (syc_elf_open_memory(&elf, copy, size) < 0)
		return 0;
	demand(strlen(elf.build_id) < sizeof(elf.build_id));
	/* Build-ids of captures and files are used in paths. */
	demand(strspn(elf.build_id, "0123456789abcdef") ==
	       strlen(elf.build_id));
	memset(elf.build_id, 0, sizeof(elf.build_id));
	if (syc_places_new("/proc/self/none", false, &places) < 0)
		abort();
	files.places = places;
	if (syc_module_load(&module, &elf, &files, wish) < 0)
		abort();
	touch_ranges(&module.functions, true);
	touch_ranges(&module.signals, false);
	touch_places(&module, size);
	module.is_debug_only = true;
	touch_places(&module, size);
	syc_module_fini(&module);
	syc_places_free(places);
	return 0;
}
