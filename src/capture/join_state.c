/* SPDX-License-Identifier: BSD-2-Clause */
/* join_state.c - what the parts of a join share: its life, and what it tells
 * whoever joins. */
#include "capture/join_state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define PROGRESS_BYTES (UINT64_C(1) << 20)

int syc_join_new(const struct syc_join_options *options,
                 struct syc_join **ret_join)
{
	struct syc_join *join = calloc(1, sizeof(*join));

	if (join == NULL)
		return -ENOMEM;
	join->options = *options;
	join->totals.last_counter_id = options->last_counter_id;
	join->totals.last_jit_address = options->last_jit_address;
	*ret_join = join;
	return 0;
}

static void free_input(struct syc_join_input *input)
{
	if (input == NULL)
		return;
	syc_join_counters_fini(&input->counters);
	syc_join_jit_fini(&input->jit);
	syc_join_pids_fini(&input->pids);
	syc_join_files_fini(&input->files);
	free(input->name);
	free(input);
}

void syc_join_free(struct syc_join *join)
{
	if (join == NULL)
		return;
	for (size_t i = 0; i < join->inputs.n; i++)
		free_input(join->inputs.items[i]);
	free(join->inputs.items);
	syc_join_paths_fini(&join->paths);
	free(join->symbols);
	free(join->lines);
	free(join);
}

static void tell_user(struct syc_join *join, struct syc_join_message *message,
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

void syc_join_tell(struct syc_join *join, const struct syc_join_input *input,
                   bool is_problem, const char *format, ...)
{
	struct syc_join_message message = {
		.input = input ? input->name : NULL,
		.is_problem = is_problem,
	};
	va_list arguments;

	va_start(arguments, format);
	tell_user(join, &message, format, arguments);
	va_end(arguments);
}

void syc_join_advance(struct syc_join *join, uint64_t bytes)
{
	join->done += bytes;
	if (join->done < join->next_progress)
		return;
	join->next_progress = join->done + PROGRESS_BYTES;
	if (join->options.progress != NULL)
		join->options.progress(join->options.data, join->done,
		                       join->all);
}

void syc_join_totals(const struct syc_join *join,
                     struct syc_join_totals *ret_totals)
{
	*ret_totals = join->totals;
}
