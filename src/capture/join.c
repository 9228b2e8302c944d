/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join.c - join captures into one: what is in them.
 *
 * The first of two walks over each input.  It finds what cannot be known when
 * a frame is written: names and definitions that stand further down, and
 * files that other inputs have too.  join_settle.c decides about the latter;
 * join_write.c is the second walk.
 */
#include "capture/join.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/join_state.h"

#define PROGRESS_BYTES  (UINT64_C(1) << 20)
#define DAMAGED_SHOWN   20u
#define NANOSECONDS_DAY (INT64_C(86400) * 1000000000)

static void tell_user(struct sc_join *join, struct sc_join_message *message,
                      const char *format, va_list arguments)
{
	char text[1024];

	join->totals.problems += message->is_problem;
	if (join->options.tell == NULL)
		return;
	vsnprintf(text, sizeof(text), format, arguments);
	message->text = text;
	join->options.tell(join->options.data, message);
}

void sc_join_tell(struct sc_join *join, const struct sc_join_input *input,
                  bool is_problem, const char *format, ...)
{
	struct sc_join_message message = {
		.input = input ? input->name : NULL,
		.is_problem = is_problem,
	};
	va_list arguments;

	va_start(arguments, format);
	tell_user(join, &message, format, arguments);
	va_end(arguments);
}

/* The same with a place in the file. */
static void tell_error(struct sc_join *join, const struct sc_join_input *input,
                       const struct syscap_error *error)
{
	const struct sc_join_message message = {
		.input = input->name,
		.text = error->message,
		.is_problem = true,
		.has_offset = true,
		.offset = error->offset,
	};

	join->totals.problems++;
	if (join->options.tell != NULL)
		join->options.tell(join->options.data, &message);
}

bool sc_join_advance(struct sc_join *join, uint64_t bytes)
{
	join->done += bytes;
	if (join->done < join->next_progress)
		return false;
	join->next_progress = join->done + PROGRESS_BYTES;
	if (join->options.progress != NULL)
		join->options.progress(join->options.data, join->done,
		                       join->all);
	return true;
}

int sc_join_new(const struct sc_join_options *options,
                struct sc_join **ret_join)
{
	struct sc_join *join = calloc(1, sizeof(*join));

	if (join == NULL)
		return -ENOMEM;
	join->options = *options;
	join->totals.last_counter_id = options->last_counter_id;
	join->totals.last_jit_address = options->last_jit_address;
	*ret_join = join;
	return 0;
}

static void free_input(struct sc_join_input *input)
{
	if (input == NULL)
		return;
	sc_join_counters_fini(&input->counters);
	sc_join_jit_fini(&input->jit);
	sc_join_pids_fini(&input->pids);
	sc_join_files_fini(&input->files);
	free(input->name);
	free(input);
}

void sc_join_free(struct sc_join *join)
{
	if (join == NULL)
		return;
	for (size_t i = 0; i < join->inputs.n; i++)
		free_input(join->inputs.items[i]);
	free(join->inputs.items);
	sc_join_paths_fini(&join->paths);
	free(join->symbols);
	free(join);
}

/* As `syscap stat` has it: what only describes does not make it longer. */
static void extend(struct sc_join_input *input,
                   const struct syscap_frame *frame)
{
	int64_t end = frame->time;

	switch (frame->type) {
	case SYSCAP_FRAME_MARK:
		if (frame->mark.duration > 0 &&
		    __builtin_add_overflow(frame->time, frame->mark.duration,
		                           &end))
			end = INT64_MAX;
		break;
	case SYSCAP_FRAME_TIMESTAMP:
	case SYSCAP_FRAME_JITMAP:
	case SYSCAP_FRAME_CTRDEF:
	case SYSCAP_FRAME_METADATA:
	case SYSCAP_FRAME_FILE_CHUNK:
	case SYSCAP_FRAME_OVERLAY:
		return;
	default:
		if (syscap_frame_type_name(frame->type) == NULL)
			return;
	}
	if (end > input->end)
		input->end = end;
}

static int scan_frame(struct sc_join *join, struct sc_join_input *input,
                      const struct syscap_frame *frame)
{
	const int r = sc_join_pids_scan(&input->pids, frame);

	if (r < 0)
		return r;
	extend(input, frame);
	switch (frame->type) {
	case SYSCAP_FRAME_JITMAP:
		return sc_join_jit_scan(&input->jit, frame, input->big,
		                        &join->totals.last_jit_address);
	case SYSCAP_FRAME_CTRDEF:
	case SYSCAP_FRAME_CTRSET:
		return sc_join_counters_scan(&input->counters, frame,
		                             input->big,
		                             &join->totals.last_counter_id);
	case SYSCAP_FRAME_FILE_CHUNK:
		return sc_join_files_scan(&input->files, &join->paths, frame);
	default:
		return 0;
	}
}

static int scan(struct sc_join *join, struct sc_join_input *input)
{
	struct syscap_error error;
	struct syscap_frame frame;
	uint64_t foreign = 0;
	int r;

	while ((r = syscap_reader_next(input->reader, &frame, &error)) != 0) {
		if (r == -EBADMSG) {
			tell_error(join, input, &error);
			break;
		}
		sc_join_advance(join, frame.len);
		if (r == -EILSEQ) {
			if (input->damaged++ < DAMAGED_SHOWN)
				tell_error(join, input, &error);
			continue;
		}
		if (r < 0)
			return r;
		foreign += input->big &&
		           syscap_frame_type_name(frame.type) == NULL;
		r = scan_frame(join, input, &frame);
		if (r < 0)
			return r;
	}
	if (input->damaged > DAMAGED_SHOWN)
		sc_join_tell(
			join, input, true,
			"%llu more frames do not fit their content",
			(unsigned long long)(input->damaged - DAMAGED_SHOWN));
	if (foreign > 0)
		sc_join_tell(join, input, false,
		             "big-endian, and the content of %llu %s of "
		             "unknown type is left as it is",
		             (unsigned long long)foreign,
		             foreign == 1 ? "frame" : "frames");
	return sc_join_counters_settle(&input->counters,
	                               &join->totals.last_counter_id);
}

int sc_join_add(struct sc_join *join, const char *name,
                struct syscap_reader *reader)
{
	struct sc_join_input *input = calloc(1, sizeof(*input));

	if (input == NULL)
		return -ENOMEM;
	input->name = strdup(name);
	if (input->name == NULL || sc_array_push(&join->inputs, input) < 0) {
		free_input(input);
		return -ENOMEM;
	}
	input->reader = reader;
	syscap_reader_info(reader, &input->info);
	input->big = input->info.foreign_order; /* the host is little-endian */
	input->files.big = input->big;
	input->end = input->info.begin;
	if (input->info.end > input->end)
		input->end = input->info.end;
	/* Twice: scanned and written. */
	join->all += 2 * input->info.size;
	syscap_reader_rewind(reader);
	return scan(join, input);
}

/* "YYYY-MM-DDTHH:MM:SSZ" sorts as text; other texts have no order. */
static bool is_time(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00Z";

	if (strlen(text) != strlen(form))
		return false;
	for (const char *p = form; *p; p++, text++)
		if (*p == '0' ? *text < '0' || *text > '9' : *text != *p)
			return false;
	return true;
}

static void tell_distance(struct sc_join *join)
{
	for (size_t i = 0; i < join->inputs.n; i++) {
		const struct sc_join_input *a = join->inputs.items[i];
		const struct sc_join_input *nearest = NULL;
		int64_t least = INT64_MAX, gap;

		for (size_t j = 0; j < i; j++) {
			const struct sc_join_input *b = join->inputs.items[j];
			const int64_t from = a->end < b->end ? a->end : b->end;
			const int64_t to = a->info.begin > b->info.begin
			                           ? a->info.begin
			                           : b->info.begin;

			if (__builtin_sub_overflow(to, from, &gap))
				gap = to > from ? INT64_MAX : INT64_MIN;
			if (nearest == NULL || gap < least) {
				nearest = b;
				least = gap;
			}
		}
		if (nearest != NULL && least > NANOSECONDS_DAY)
			sc_join_tell(join, a, false,
			             "its times are more than a day away from "
			             "%s's: clocks of different boots cannot "
			             "be compared",
			             nearest->name);
	}
}

int sc_join_settle(struct sc_join *join, struct sc_join_span *ret_span)
{
	struct sc_join_span span = { .begin = INT64_MAX, .end = INT64_MIN };

	for (size_t i = 0; i < join->inputs.n; i++) {
		const struct sc_join_input *input = join->inputs.items[i];
		const char *text = input->info.capture_time;
		const bool is_better =
			is_time(text) && (!is_time(span.capture_time) ||
		                          strcmp(text, span.capture_time) < 0);

		if (input->info.begin < span.begin)
			span.begin = input->info.begin;
		if (input->end > span.end)
			span.end = input->end;
		if (is_better || span.capture_time[0] == 0)
			memcpy(span.capture_time, text,
			       sizeof(span.capture_time));
	}
	tell_distance(join);
	*ret_span = span;
	const int r = sc_join_settle_pids(join);
	return r < 0 ? r : sc_join_settle_files(join);
}

void sc_join_totals(const struct sc_join *join,
                    struct sc_join_totals *ret_totals)
{
	*ret_totals = join->totals;
}
