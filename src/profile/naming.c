/* SPDX-License-Identifier: BSD-2-Clause */
/* naming.c - the function of each location. */
#include "profile/naming.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/code_names.h"

#define NONE SYSCAP_PROFILE_NONE

/* Prefix of unnamed code in the symbol table. */
#define IN_FILE "In File "

struct job {
	struct syc_naming *naming;
	const struct syc_processes *processes;
	struct syc_stacks *stacks;
	const struct syscap_profile_location *location;
	const struct syc_location_facts *place;
	const struct syscap_profile_map
		*map; /* map that contains the location; NULL: unknown */
	bool is_signal, may_vary;
	uint64_t start; /* start of the function; 0: unknown */
};

static const char *last_part(const char *path, size_t *ret_len)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	size_t len = strlen(name);

	if (len > sizeof(deleted) - 1 &&
	    strcmp(name + len - (sizeof(deleted) - 1), deleted) == 0)
		len -= sizeof(deleted) - 1;
	*ret_len = len;
	return name;
}

/* An empty name is replaced by the address. */
static int put(struct job *job, const char *name, const char *binary,
               size_t binary_len, enum syscap_profile_category category,
               bool is_named, uint32_t *ret_function)
{
	struct syc_naming *naming = job->naming;
	struct syscap_profile_function function = {
		.category = category,
		.is_named = is_named && name[0] != 0,
	};
	char text[32];
	int r;

	if (name[0] == 0) {
		snprintf(text, sizeof(text), "0x%" PRIx64,
		         job->location->address);
		name = text;
	}
	r = syc_texts_keep(naming->texts, name, strlen(name), &function.name);
	if (r == 0)
		r = syc_texts_keep(naming->texts, binary, binary_len,
		                   &function.binary);
	if (r == 0 && category <= SYSCAP_CATEGORY_SYSTEM &&
	    syc_functions_is_recording(function.name, function.binary))
		function.category = SYSCAP_CATEGORY_RECORDING;
	return r == 0 ? syc_functions_put(naming->functions, &function,
	                                  ret_function)
	              : r;
}

/* A name for code in the map, or in the binary @nick. */
static int put_code(struct job *job, const char *name, const char *nick,
                    bool is_named, uint32_t *ret_function)
{
	size_t len = strlen(nick);

	if (job->map != NULL && job->map->path[0] != 0) {
		const char *binary = last_part(job->map->path, &len);

		return put(job, name, binary, len,
		           syc_functions_category(job->map->path), is_named,
		           ret_function);
	}
	return put(job, name, nick, len,
	           len > 0 ? SYSCAP_CATEGORY_SYSTEM : SYSCAP_CATEGORY_JIT,
	           is_named, ret_function);
}

/* Return whether the sampler has put this name into a stack instead of code. */
static bool is_explanation(const char *name)
{
	return strcmp(name, "no tick came") == 0 ||
	       strcmp(name, "signals blocked") == 0;
}

static int name_by_jit(struct job *job, uint32_t *ret_function)
{
	const struct syc_naming *naming = job->naming;
	const uint64_t address = job->location->address;
	const char *name = "";
	size_t number;

	if (syc_map_get(&naming->by_jit, &address, sizeof(address), &number))
		name = naming->jit_names.items[number];
	return put(job, name, "", 0,
	           is_explanation(name) ? SYSCAP_CATEGORY_NOTE
	                                : SYSCAP_CATEGORY_JIT,
	           true, ret_function);
}

/* The last range of the process that begins at or before the address. */
static const struct syc_join_symbol *find_symbol(const struct job *job)
{
	const struct syc_join_symbols *table = &job->naming->table;
	const uint64_t address = job->location->address;
	const uint32_t pid =
		(uint32_t)job->processes->list.items[job->location->process]
			.pid;
	const struct syc_join_symbol *symbol;
	size_t low = 0, high = table->sorted.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		symbol = &table->sorted.items[middle];
		if (symbol->pid < pid ||
		    (symbol->pid == pid && symbol->begin <= address))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	symbol = &table->sorted.items[low - 1];
	/* Old tables have one-address ranges whose ends are equal. */
	if (symbol->pid != pid ||
	    (symbol->begin != address && symbol->end <= address))
		return NULL;
	return symbol;
}

/* "In File /usr/lib/libx.so+0x12" becomes "libx.so+0x12". */
static int put_symbol(struct job *job, const char *name, const char *nick,
                      uint32_t *ret_function)
{
	size_t len;

	if (strncmp(name, IN_FILE, sizeof(IN_FILE) - 1) != 0)
		return put_code(job, name, nick, true, ret_function);
	return put_code(job, last_part(name + sizeof(IN_FILE) - 1, &len), nick,
	                false, ret_function);
}

static int name_by_file(struct job *job, uint32_t *ret_function)
{
	const struct syc_symbol_query query = {
		.pid = job->processes->list.items[job->location->process].pid,
		.time = job->place->time,
		.address = job->location->address,
		.is_return = job->place->kind == SYC_STEP_RETURN,
	};
	struct syc_symbol symbol;
	int r = syc_symbols_find(job->naming->symbols, &query, &symbol);

	job->may_vary = !symbol.is_always;
	if (r <= 0)
		return r;
	job->is_signal = symbol.is_signal;
	job->start = symbol.is_named ? symbol.begin : 0;
	r = put_symbol(job, symbol.name, symbol.nick, ret_function);
	return r < 0 ? r : 1;
}

/* Without a name, the position in the file is the name. */
static int name_by_place(struct job *job, uint32_t *ret_function)
{
	const uint64_t address = job->location->address;
	char text[400];
	size_t len;

	if (job->map == NULL || job->map->path[0] == 0) {
		const bool is_kernel = syc_stacks_is_kernel(address);
		const char *binary = is_kernel ? "[kernel]" : "";

		return put(job, "", binary, strlen(binary),
		           is_kernel ? SYSCAP_CATEGORY_KERNEL
		                     : SYSCAP_CATEGORY_APPLICATION,
		           false, ret_function);
	}
	const char *name = last_part(job->map->path, &len);
	snprintf(text, sizeof(text), "%.*s+0x%" PRIx64,
	         (int)(len < 300 ? len : 300), name,
	         address - job->map->start + job->map->offset);
	return put_code(job, text, "", false, ret_function);
}

/* Return whether to read files: only if the capture has no symbol table. */
static bool asks_files(const struct syc_naming *naming)
{
	return naming->symbols != NULL && !naming->has_table &&
	       !naming->is_partial;
}

static int name_one(struct job *job, uint32_t *ret_function)
{
	const struct syc_join_symbol *symbol;
	int r = 0;

	if (syc_stacks_is_name(job->location->address))
		return name_by_jit(job, ret_function);
	symbol = find_symbol(job);
	if (symbol != NULL) {
		job->start = symbol->begin;
		return put_symbol(job, symbol->name, symbol->tag, ret_function);
	}
	if (asks_files(job->naming) &&
	    !syc_stacks_is_kernel(job->location->address))
		r = name_by_file(job, ret_function);
	return r == 0 ? name_by_place(job, ret_function) : r;
}

static uint32_t find_map(const struct job *job)
{
	const int32_t pid =
		job->processes->list.items[job->location->process].pid;
	const struct syc_process_map *map;
	bool is_always;

	map = syc_process_maps_find(&job->naming->mapped, pid,
	                            job->location->address, job->place->time,
	                            &is_always);
	return map != NULL ? (uint32_t)((uintptr_t)map->found - 1) : NONE;
}

static int name_location(struct job *job, size_t number)
{
	struct syc_stacks *stacks = job->stacks;
	uint32_t function;
	uint32_t map;
	int r;

	job->location = &stacks->locations.items[number];
	job->place = &stacks->places.items[number];
	job->is_signal = false;
	job->may_vary = false;
	job->start = 0;
	if (job->place->kind == SYC_STEP_NOTE)
		return 0;
	map = syc_stacks_is_name(job->location->address) ? NONE : find_map(job);
	job->map = map == NONE ? NULL : &job->naming->maps.items[map];
	r = name_one(job, &function);
	if (r < 0)
		return r;
	stacks->locations.items[number].map = map;
	stacks->locations.items[number].function = function;
	stacks->locations.items[number].start = job->start;
	stacks->locations.items[number].source = NONE;
	stacks->places.items[number].is_signal = job->is_signal;
	stacks->places.items[number].may_vary = job->may_vary;
	return job->map == NULL
	               ? 0
	               : syc_sources_find(&job->naming->sources,
	                                  &stacks->locations.items[number],
	                                  job->map,
	                                  job->place->kind == SYC_STEP_RETURN);
}

/* The function of @location at @time, if it varies.  Returns 0 or -ENOMEM. */
static int naming_ask(struct syc_naming *naming,
                      const struct syc_processes *processes,
                      struct syc_stacks *stacks, uint32_t location,
                      int64_t time, uint32_t *ret_function)
{
	struct syc_location_facts place = stacks->places.items[location];
	struct job job = {
		.naming = naming,
		.processes = processes,
		.stacks = stacks,
		.location = &stacks->locations.items[location],
		.place = &place,
	};
	uint32_t map;

	place.time = time;
	map = find_map(&job);
	job.map = map == NONE ? NULL : &naming->maps.items[map];
	return name_one(&job, ret_function);
}

/*
 * Give each frame interrupted by a signal a separate location.  The signal
 * trampoline calls the frame, whose address is exact.
 */
static int exact_interrupted(struct job *job)
{
	struct syc_stacks *stacks = job->stacks;
	const size_t n = stacks->locations.n;

	for (size_t node = 1; node < stacks->nodes.n; node++) {
		const uint32_t location = stacks->nodes.items[node];
		const uint32_t parent = stacks->parents.items[node];

		if (parent != 0 && stacks->places.items[location].is_signal &&
		    syc_stacks_make_exact(stacks, parent) < 0)
			return -ENOMEM;
	}
	for (size_t i = n; i < stacks->locations.n; i++)
		if (name_location(job, i) < 0)
			return -ENOMEM;
	return 0;
}

/* Read perf maps and jitdumps of processes that are new. */
static int read_code_files(struct syc_naming *naming,
                           const struct syc_processes *processes)
{
	const struct syc_code_files_options options = { 0 };
	struct syc_code_files files;
	int r = 0;

	/* Files of this machine differ from files of the recorded machine. */
	if (naming->root != NULL)
		return syc_code_names_settle(naming->code);
	syc_code_files_open(&files, naming->code, naming->capture_time,
	                    &options);
	for (size_t i = naming->n_files; r == 0 && i < processes->list.n; i++)
		r = syc_code_files_process(&files,
		                           processes->list.items[i].pid);
	for (size_t i = 0; r == 0 && i < naming->maps.n; i++) {
		const struct syscap_profile_map *map = &naming->maps.items[i];

		if (map->process >= naming->n_files)
			r = syc_code_files_map(
				&files, processes->list.items[map->process].pid,
				map->path);
	}
	naming->n_files = processes->list.n;
	syc_code_files_close(&files);
	return r == 0 ? syc_code_names_settle(naming->code) : r;
}

int syc_naming_settle(struct syc_naming *naming,
                      const struct syc_processes *processes,
                      struct syc_stacks *stacks)
{
	struct job job = {
		.naming = naming,
		.processes = processes,
		.stacks = stacks,
	};
	const size_t first = naming->is_new ? 0 : naming->n_named;
	const size_t n = stacks->locations.n;
	const bool is_looked_up = asks_files(naming);
	int r = syc_process_maps_settle(&naming->mapped);

	if (r == 0 && is_looked_up && naming->is_new && n > 0)
		r = syc_symbols_learned(naming->symbols);
	if (r == 0 && is_looked_up && naming->is_new && n > 0)
		r = read_code_files(naming, processes);
	if (first == 0)
		syc_sources_restart(&naming->sources);
	for (size_t i = first; r == 0 && i < n; i++)
		r = name_location(&job, i);
	if (r == 0 && is_looked_up)
		r = exact_interrupted(&job);
	naming->n_named = stacks->locations.n;
	naming->is_new = naming->is_partial;
	return r;
}

/*
 * A location is named after the code at its address at its first time.  Later,
 * the address may have another function: JIT compilers reuse memory, and
 * libraries are unloaded.  So stacks with varying locations are resolved again
 * at the time of each stack, and use other locations if the function differs.
 */

int syc_timed_names_begin(struct syc_timed_names *timed,
                          struct syc_naming *naming,
                          const struct syc_processes *processes,
                          struct syc_stacks *stacks)
{
	const size_t n = stacks->nodes.n;

	memset(timed, 0, sizeof(*timed));
	timed->naming = naming;
	timed->processes = processes;
	timed->stacks = stacks;
	if (naming->symbols == NULL || naming->has_table || naming->is_partial)
		return 0;
	timed->varies = calloc(n, 1);
	if (timed->varies == NULL)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++) {
		const struct syc_location_facts *place =
			&stacks->places.items[stacks->nodes.items[i]];

		timed->varies[i] = timed->varies[stacks->parents.items[i]] ||
		                   place->may_vary;
		if (timed->varies[i])
			timed->n = n;
	}
	return 0;
}

void syc_timed_names_end(struct syc_timed_names *timed)
{
	free(timed->varies);
	free(timed->path.items);
}

/* Collect the nodes of @stack, innermost first. */
static int collect_path(struct syc_timed_names *timed, uint32_t stack)
{
	timed->path.n = 0;
	for (; stack != 0; stack = timed->stacks->parents.items[stack])
		if (syc_array_push(&timed->path, stack) < 0)
			return -ENOMEM;
	return 0;
}

static int go_on(struct syc_timed_names *timed, struct syc_way *way,
                 uint32_t node, int64_t time)
{
	struct syc_stacks *stacks = timed->stacks;
	const uint32_t location = stacks->nodes.items[node];
	uint32_t function = stacks->locations.items[location].function;

	if (stacks->places.items[location].may_vary &&
	    naming_ask(timed->naming, timed->processes, stacks, location, time,
	               &function) < 0)
		return -ENOMEM;
	return syc_stacks_go_on(stacks, way, node, function, time);
}

int syc_timed_names_apply(struct syc_timed_names *timed, uint32_t *stack,
                          int64_t time)
{
	struct syc_way way = { 0 };

	if (*stack >= timed->n || !timed->varies[*stack])
		return 0;
	if (collect_path(timed, *stack) < 0)
		return -ENOMEM;
	for (size_t i = timed->path.n; i-- > 0;)
		if (go_on(timed, &way, timed->path.items[i], time) < 0)
			return -ENOMEM;
	*stack = way.node;
	return 0;
}
