/* SPDX-License-Identifier: BSD-2-Clause */
/* naming_learn.c - mappings and names in the frames of a capture. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/naming.h"

int syc_naming_init(struct syc_naming *naming, struct syc_texts *texts,
                    struct syc_functions *functions,
                    const struct syscap_profile_options *options)
{
	struct syc_symbols_options wanted = {
		.root = options->root,
		.debug_dirs = options->debug_dirs,
		.n_debug_dirs = options->n_debug_dirs,
		.is_live = options->root == NULL,
		.code = syc_code_names_symbol,
	};
	int r;

	memset(naming, 0, sizeof(*naming));
	naming->texts = texts;
	naming->functions = functions;
	syc_sources_init(&naming->sources, texts, functions);
	if (options->no_lookup)
		return 0;
	if (options->root != NULL) {
		naming->root = strdup(options->root);
		if (naming->root == NULL)
			return -ENOMEM;
	}
	r = syc_code_names_new(&naming->code);
	if (r < 0)
		return r;
	wanted.code_data = naming->code;
	return syc_symbols_new(&wanted, &naming->symbols);
}

void syc_naming_fini(struct syc_naming *naming)
{
	syc_map_fini(&naming->by_jit);
	free(naming->jit_names.items);
	syc_join_symbols_fini(&naming->table);
	free(naming->chunks.bytes.items);
	syc_sources_fini(&naming->sources);
	free(naming->maps.items);
	syc_process_maps_fini(&naming->mapped);
	syc_symbols_free(naming->symbols);
	syc_code_names_free(naming->code);
	free(naming->root);
}

static int learn_map(struct syc_naming *naming, struct syc_processes *processes,
                     const struct syscap_frame *frame)
{
	const char *id = frame->map.build_id ? frame->map.build_id : "";
	const char *path = frame->map.filename;
	struct syscap_profile_map map = {
		.start = frame->map.start,
		.end = frame->map.end,
		.offset = frame->map.offset,
		.time = frame->time,
	};
	struct syc_process_map mapped = {
		.begin = frame->map.start,
		.end = frame->map.end,
		.offset = frame->map.offset,
		.time = frame->time,
		.build_id = "",
		.is_from_process = frame->cpu >= 0,
	};
	int r = syc_processes_get(processes, frame->pid, frame->time,
	                          &map.process);

	if (r == 0)
		r = syc_texts_keep(naming->texts, path, strlen(path),
		                   &map.path);
	if (r == 0)
		r = syc_texts_keep(naming->texts, id, strlen(id),
		                   &map.build_id);
	if (r < 0 || naming->maps.n >= SYSCAP_PROFILE_NONE - 1 ||
	    syc_array_push(&naming->maps, map) < 0)
		return -ENOMEM;
	mapped.path = map.path;
	mapped.found = (void *)(uintptr_t)naming->maps.n;
	return syc_process_maps_add(&naming->mapped, frame->pid, &mapped);
}

static int learn_jit(struct syc_naming *naming,
                     const struct syscap_reader *reader,
                     const struct syscap_frame *frame)
{
	size_t cursor = 0, number;
	const char *name;
	uint64_t address;

	while (syscap_frame_jit_name(reader, frame, &cursor, &address, &name)) {
		if (syc_texts_keep(naming->texts, name, strlen(name), &name) <
		            0 ||
		    syc_array_room(&naming->jit_names) < 0)
			return -ENOMEM;
		const int r = syc_map_put(&naming->by_jit, &address,
		                          sizeof(address), &number);
		if (r < 0)
			return r;
		if (r > 0)
			naming->jit_names.items[naming->jit_names.n++] = name;
		else
			naming->jit_names.items[number] = name;
	}
	return 0;
}

void syc_naming_forget_ahead(struct syc_naming *naming)
{
	if (!naming->is_ahead)
		return;
	syc_join_symbols_fini(&naming->table);
	memset(&naming->table, 0, sizeof(naming->table));
	naming->has_table = naming->is_ahead = false;
	naming->is_new = true;
}

static int take_table(struct syc_naming *naming, bool is_foreign)
{
	const bool is_big =
		is_foreign == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	unsigned char *bytes = naming->chunks.bytes.items;
	const size_t n = naming->chunks.bytes.n;
	uint64_t left_out = 0;

	memset(&naming->chunks, 0, sizeof(naming->chunks));
	if (n == 0 || !syc_join_symbols_fits(bytes, n, is_big)) {
		free(bytes);
		return 0;
	}
	naming->has_table = true;
	return syc_join_symbols_add(&naming->table, bytes, is_big, &left_out);
}

static int learn_chunk(struct syc_naming *naming,
                       const struct syscap_reader *reader,
                       const struct syscap_frame *frame)
{
	const char *path = frame->file_chunk.path;
	struct syscap_file_info info;
	int r;

	if (strcmp(path, SYC_LINE_TABLE_PATH) == 0)
		return syc_sources_learn(&naming->sources, frame);
	if (strcmp(path, SYC_JOIN_SYMBOLS_PATH) != 0)
		return 0;
	r = syc_chunks_add(&naming->chunks, frame);
	if (r <= 0)
		return r;
	syscap_reader_info(reader, &info);
	syc_naming_forget_ahead(naming);
	return take_table(naming, info.foreign_order);
}

int syc_naming_learn_ahead(struct syc_naming *naming,
                           const struct syscap_reader *reader,
                           const struct syscap_frame *frame)
{
	struct syscap_file_info info;
	int r = 0;

	if (frame->type == SYSCAP_FRAME_JITMAP && naming->is_ahead)
		return learn_jit(naming, reader, frame);
	if (frame->type != SYSCAP_FRAME_FILE_CHUNK || naming->has_table ||
	    strcmp(frame->file_chunk.path, SYC_JOIN_SYMBOLS_PATH) != 0)
		return 0;
	r = syc_chunks_add(&naming->chunks, frame);
	if (r <= 0)
		return r;
	syscap_reader_info(reader, &info);
	r = take_table(naming, info.foreign_order);
	naming->is_ahead = naming->has_table;
	naming->is_new = true;
	return r;
}

/* Collect data for the lookup in files. */
static int learn_for_lookup(struct syc_naming *naming,
                            const struct syscap_reader *reader,
                            const struct syscap_frame *frame)
{
	struct syscap_file_info info;
	int r;

	if (naming->symbols == NULL)
		return 0;
	if (!naming->has_begun) {
		syscap_reader_info(reader, &info);
		memcpy(naming->capture_time, info.capture_time,
		       sizeof(naming->capture_time));
		syc_symbols_begin(naming->symbols, naming->capture_time);
		naming->has_begun = true;
	}
	r = syc_symbols_learn_frame(naming->symbols, frame);
	return r == 0 ? syc_code_names_add(naming->code, frame) : r;
}

int syc_naming_learn(struct syc_naming *naming, struct syc_processes *processes,
                     const struct syscap_reader *reader,
                     const struct syscap_frame *frame)
{
	int r = learn_for_lookup(naming, reader, frame);

	if (r < 0)
		return r;
	switch (frame->type) {
	case SYSCAP_FRAME_MAP:
		naming->is_new = true;
		return frame->pid < 0 ? 0 : learn_map(naming, processes, frame);
	case SYSCAP_FRAME_FORK:
		return syc_process_maps_fork(&naming->mapped, frame->pid,
		                             frame->fork.child_pid,
		                             frame->time);
	case SYSCAP_FRAME_EXIT:
		return syc_process_maps_exit(&naming->mapped, frame->pid,
		                             frame->time);
	case SYSCAP_FRAME_METADATA:
		return syc_process_maps_unmap(&naming->mapped, frame);
	case SYSCAP_FRAME_JITMAP:
		naming->is_new = true;
		return learn_jit(naming, reader, frame);
	case SYSCAP_FRAME_FILE_CHUNK:
		naming->is_new = true;
		return learn_chunk(naming, reader, frame);
	default:
		return 0;
	}
}
