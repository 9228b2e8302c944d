/* SPDX-License-Identifier: BSD-2-Clause */
/* logs.c - the logs page: log messages by time. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "common/strings.h"
#include "view/page_context.h"
#include "view/table.h"

enum {
	AT,
	SEVERITY,
	THREAD,
	DOMAIN,
	MESSAGE,
	N_COLUMNS
};

static const struct syc_column columns[N_COLUMNS] = {
	[AT] = { "at", 16, true, 2 },
	[SEVERITY] = { "severity", 8, false, 1 },
	[THREAD] = { "thread", 14, false, 4 },
	[DOMAIN] = { "domain", 14, false, 3 },
	[MESSAGE] = { "message", 0, false, 0 },
};

struct logs {
	SYC_ARRAY(uint32_t) lines;
	unsigned worst; /* less severe messages are omitted */
	bool has_begun;
	struct syc_list list;
	struct syc_columns columns;
};

static int by_time(const void *one, const void *other, void *data)
{
	const struct syscap_profile_log *items = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;

	if (items[a].time != items[b].time)
		return items[a].time < items[b].time ? -1 : 1;
	return (a > b) - (a < b);
}

static int renew(void *state, struct syc_page_context *context)
{
	struct logs *logs = state;
	const struct syscap_profile_log *items;
	size_t n;

	if (!logs->has_begun)
		logs->worst = SYC_SEVERITIES - 1;
	logs->has_begun = true;
	items = syscap_profile_logs(context->source->profile, &n);
	logs->lines.n = 0;
	for (size_t i = 0; i < n; i++)
		if (syscap_view_has(context->view, items[i].thread,
		                    items[i].time) &&
		    syc_severity_index(items[i].severity) <= logs->worst &&
		    syc_array_push(&logs->lines, (uint32_t)i) < 0)
			return -ENOMEM;
	if (logs->lines.n > 0)
		qsort_r(logs->lines.items, logs->lines.n, sizeof(uint32_t),
		        by_time, (void *)(uintptr_t)items);
	return 0;
}

static const char *message_of(const struct logs *logs,
                              struct syc_page_context *context, size_t line)
{
	const struct syscap_profile_log *items;
	const char *message;
	size_t n;

	items = syscap_profile_logs(context->source->profile, &n);
	message = syscap_profile_message(context->source->profile,
	                                 context->source->reader,
	                                 items[logs->lines.items[line]].offset);
	return message != NULL ? message : "";
}

static void draw_line(const struct logs *logs, struct syc_page_context *context,
                      size_t line, int y)
{
	const struct syc_columns *at = &logs->columns;
	const bool is_chosen = line == logs->list.chosen;
	const struct syscap_profile_log *log;
	struct syscap_profile_span span;
	struct syc_style style = syc_cells_begin(context, y, is_chosen);
	unsigned severity;
	char text[128];
	size_t n;

	log = &syscap_profile_logs(context->source->profile,
	                           &n)[logs->lines.items[line]];
	severity = syc_severity_index(log->severity);
	syscap_profile_span(context->source->profile, &span);
	syc_figures_moment(text, log->time, span.begin, context->is_exact);
	syc_columns_put(at, context->grid, AT, y, text, style);
	syc_columns_put(at, context->grid, SEVERITY, y,
	                syc_severity_name(severity),
	                severity <= 2 && !is_chosen ? SYC_STYLE_BAD : style);
	syc_page_context_thread_name(context, log->thread, text, sizeof(text));
	syc_columns_put(at, context->grid, THREAD, y, text, style);
	syc_columns_put(at, context->grid, DOMAIN, y, log->domain, style);
	syc_columns_put(at, context->grid, MESSAGE, y,
	                message_of(logs, context, line), style);
}

static void draw(void *state, struct syc_page_context *context)
{
	struct logs *logs = state;
	struct syc_list *list = &logs->list;

	syc_columns_fit(&logs->columns, columns, N_COLUMNS, context);
	syc_columns_titles(&logs->columns, context->grid, context->top, -1,
	                   false);
	syc_list_fit(list, logs->lines.n, context->top + 1,
	             context->bottom - context->top - 1);
	if (logs->lines.n == 0)
		syc_page_context_show_none(context, "no lines of logs");
	for (int i = 0; i < syc_list_lines(list); i++)
		draw_line(logs, context, list->top + (size_t)i, list->y + i);
	syc_page_context_say(context, "%zu of %zu lines · %s and worse",
	                     logs->lines.n > 0 ? list->chosen + 1 : 0,
	                     logs->lines.n, syc_severity_name(logs->worst));
}

static bool take(void *state, struct syc_page_context *context,
                 const struct syc_input_event *event)
{
	struct logs *logs = state;

	if (syc_list_take(&logs->list, event) != SYC_LIST_NOTHING)
		return true;
	if (event->key != SYC_KEY_CHARACTER ||
	    (event->point != 's' && event->point != 'S'))
		return false;
	logs->worst = (logs->worst + SYC_SEVERITIES -
	               (event->point == 's' ? 1u : SYC_SEVERITIES - 1u)) %
	              SYC_SEVERITIES;
	renew(logs, context);
	return true;
}

struct messages {
	struct logs *logs;
	struct syc_page_context *context;
};

static const char *get_message(void *data, size_t line)
{
	const struct messages *messages = data;

	return message_of(messages->logs, messages->context, line);
}

static enum syc_search_match find(void *state, struct syc_page_context *context,
                                  int direction)
{
	struct logs *logs = state;
	struct messages messages = { logs, context };

	return syc_search_find(&context->search, logs->lines.n, direction,
	                       get_message, &messages, &logs->list.chosen);
}

static void fini(void *state)
{
	struct logs *logs = state;

	free(logs->lines.items);
}

const struct syc_view_page syc_logs_page = {
	.name = "logs",
	.hints = "↑↓ move  s filter by severity  / search in messages",
	.size = sizeof(struct logs),
	.renew = renew,
	.draw = draw,
	.take = take,
	.find = find,
	.fini = fini,
};
