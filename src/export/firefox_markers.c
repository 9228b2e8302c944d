/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_markers.c - markers of a Firefox profile: marks, logs and lost
 * intervals.
 *
 * The writer writes a table column by column, and therefore walks each table
 * several times.  The profile has no messages of marks, so the writer reads
 * messages again from the capture.
 */
#include <errno.h>

#include "common/strings.h"
#include "export/firefox.h"

enum {
	PHASE_INSTANT = 0,
	PHASE_INTERVAL = 1
};

/* A row of the table: a mark, a log line or a loss. */
struct event {
	bool is_mark;
	struct syscap_profile_mark mark;
	const struct syscap_profile_log *log;
	const struct syscap_profile_loss *loss;
};

static struct event event_of(const struct syc_firefox_markers *markers,
                             uint32_t row)
{
	const struct syscap_view *view = markers->export->view;

	if (row < markers->n_marks)
		return (struct event){
			.is_mark = true,
			.mark = syscap_profile_mark(markers->export->profile,
			                            row),
		};
	row -= (uint32_t)markers->n_marks;
	if (row < markers->n_logs)
		return (struct event){ .log = &markers->logs[row] };
	row -= (uint32_t)markers->n_logs;
	return (struct event){ .loss = &markers->losses[view->losses[row]] };
}

static int64_t begin_of(const struct event *event)
{
	return event->is_mark       ? event->mark.time
	       : event->log != NULL ? event->log->time
	                            : event->loss->begin;
}

static int64_t end_of(const struct event *event)
{
	int64_t end;

	if (!event->is_mark)
		return event->log != NULL ? event->log->time : event->loss->end;
	return __builtin_add_overflow(event->mark.time, event->mark.duration,
	                              &end)
	               ? INT64_MAX
	               : end;
}

static bool is_interval(const struct event *event)
{
	return event->loss != NULL ||
	       (event->is_mark && event->mark.duration > 0);
}

static uint32_t group_of(const void *data, uint32_t row)
{
	const struct syc_firefox_markers *markers = data;
	const struct event event = event_of(markers, row);
	uint32_t thread;

	if (event.loss != NULL) /* losses in the view pass the filter */
		return event.loss->thread;
	if (event.is_mark && event.mark.is_end)
		return SYSCAP_PROFILE_NONE;
	thread = event.is_mark ? event.mark.thread : event.log->thread;
	return syscap_view_has_mark(markers->export->view, thread,
	                            begin_of(&event),
	                            event.is_mark ? event.mark.duration : 0)
	               ? thread
	               : SYSCAP_PROFILE_NONE;
}

static int by_time(const void *one, const void *other, void *data)
{
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const struct event event_a = event_of(data, a);
	const struct event event_b = event_of(data, b);

	if (begin_of(&event_a) != begin_of(&event_b))
		return begin_of(&event_a) < begin_of(&event_b) ? -1 : 1;
	return (a > b) - (a < b);
}

int syc_firefox_markers_init(struct syc_firefox_markers *markers,
                             const struct syc_export *export,
                             const struct syc_firefox_tables *tables)
{
	struct syc_group_rows rows = { .group_of = group_of,
		                       .compare = by_time,
		                       .data = markers };
	size_t n;

	*markers = (struct syc_firefox_markers){ .export = export,
		                                 .tables = tables };
	markers->n_marks = syscap_profile_n_marks(export->profile);
	markers->logs = syscap_profile_logs(export->profile, &markers->n_logs);
	markers->losses = syscap_profile_losses(export->profile, &n);
	syscap_profile_threads(export->profile, &rows.n_groups);
	rows.n = markers->n_marks + markers->n_logs + export->view->n_losses;
	return syc_group_init(&markers->by_thread, &rows);
}

void syc_firefox_markers_fini(struct syc_firefox_markers *markers)
{
	syc_group_fini(&markers->by_thread);
}

/* -------------------------------------------------------------- schema */

struct field {
	const char *key, *label, *format;
};

static const struct schema {
	const char *name, *label; /* text shown beside the name in tables and
	                           * charts */
	struct field fields[4];   /* fields; a NULL key ends the list */
} schemas[] = {
	{ "syscap-mark",
	  "{marker.data.message}",
	  { { "message", "Message", "string" } } },
	{ "syscap-log",
	  "{marker.data.message}",
	  { { "severity", "Severity", "string" },
	    { "domain", "Domain", "string" },
	    { "message", "Message", "string" } } },
	{ "syscap-lost",
	  "{marker.data.frames} frames",
	  { { "frames", "Lost frames", "integer" },
	    { "samples", "... of them samples", "integer" },
	    { "bytes", "Lost bytes", "bytes" } } },
};

enum {
	SCHEMA_MARK,
	SCHEMA_LOG,
	SCHEMA_LOST
};

static void write_fields(struct syc_json *json, const struct schema *schema)
{
	const struct field *end = schema->fields + 4;

	syc_json_key(json, "fields");
	syc_json_begin_array(json);
	for (const struct field *field = schema->fields;
	     field < end && field->key != NULL; field++) {
		syc_json_begin_object(json);
		syc_json_member_text(json, "key", field->key);
		syc_json_member_text(json, "label", field->label);
		syc_json_member_text(json, "format", field->format);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}

void syc_firefox_markers_schema(struct syc_json *json)
{
	static const char *const places[] = { "marker-chart", "marker-table",
		                              "timeline-overview" };

	syc_json_begin_array(json);
	for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++) {
		syc_json_begin_object(json);
		syc_json_member_text(json, "name", schemas[i].name);
		syc_json_member_text(json, "tooltipLabel", "{marker.name}");
		syc_json_member_text(json, "tableLabel", schemas[i].label);
		syc_json_member_text(json, "chartLabel", schemas[i].label);
		syc_json_key(json, "display");
		syc_json_begin_array(json);
		for (size_t k = 0; k < sizeof(places) / sizeof(*places); k++)
			syc_json_text(json, places[k]);
		syc_json_end_array(json);
		write_fields(json, &schemas[i]);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}

/* --------------------------------------------------------------- table */

/* Returns 0 or -ENOMEM. */
static int write_message(const struct syc_firefox_markers *markers,
                         struct syc_json *json, uint64_t offset)
{
	const char *message = syscap_profile_message(
		markers->export->profile, markers->export->reader, offset);

	if (message == NULL)
		return -ENOMEM;
	if (message[0] != 0)
		syc_json_member_text(json, "message", message);
	return 0;
}

static int write_data(const struct syc_firefox_markers *markers,
                      struct syc_json *json, const struct event *event)
{
	const struct syscap_profile_loss *loss = event->loss;
	int r = 0;

	syc_json_begin_object(json);
	if (loss != NULL) {
		syc_json_member_text(json, "type", schemas[SCHEMA_LOST].name);
		syc_json_member_unsigned(json, "frames", loss->frames);
		syc_json_member_unsigned(json, "samples", loss->samples);
		syc_json_member_unsigned(json, "bytes", loss->bytes);
	} else if (event->log != NULL) {
		syc_json_member_text(json, "type", schemas[SCHEMA_LOG].name);
		syc_json_member_text(json, "severity",
		                     syc_severity_name(syc_severity_index(
					     event->log->severity)));
		syc_json_member_text(json, "domain", event->log->domain);
		r = write_message(markers, json, event->log->offset);
	} else {
		syc_json_member_text(json, "type", schemas[SCHEMA_MARK].name);
		r = write_message(markers, json, event->mark.offset);
	}
	syc_json_end_object(json);
	return r;
}

/* The string of the marker's name. */
static size_t name_of(const struct syc_firefox_markers *markers,
                      const struct event *event)
{
	const struct syc_firefox_tables *tables = markers->tables;

	if (event->is_mark)
		return tables->mark_names + event->mark.name;
	return tables->other_names + (event->log != NULL
	                                      ? SYC_FIREFOX_NAME_LOG
	                                      : SYC_FIREFOX_NAME_LOST);
}

enum column {
	DATA,
	NAME,
	START_TIME,
	END_TIME,
	PHASE,
	CATEGORY,
	N_COLUMNS
};

static int write_cell(const struct syc_firefox_markers *markers,
                      struct syc_json *json, enum column column, int64_t begin,
                      const struct event *event)
{
	switch (column) {
	case DATA:
		return write_data(markers, json, event);
	case NAME:
		syc_json_unsigned(json, name_of(markers, event));
		return 0;
	case START_TIME:
		syc_firefox_time(json, begin, begin_of(event));
		return 0;
	case END_TIME:
		if (is_interval(event))
			syc_firefox_time(json, begin, end_of(event));
		else
			syc_json_null(json);
		return 0;
	case PHASE:
		syc_json_unsigned(json, is_interval(event) ? PHASE_INTERVAL
		                                           : PHASE_INSTANT);
		return 0;
	default:
		syc_json_unsigned(json, event->is_mark ? SYC_FIREFOX_MARK
		                        : event->log != NULL
		                                ? SYC_FIREFOX_LOG
		                                : SYC_FIREFOX_LOST);
		return 0;
	}
}

int syc_firefox_markers_write(const struct syc_firefox_markers *markers,
                              struct syc_json *json, uint32_t thread)
{
	static const char *const keys[N_COLUMNS] = {
		[DATA] = "data",
		[NAME] = "name",
		[START_TIME] = "startTime",
		[END_TIME] = "endTime",
		[PHASE] = "phase",
		[CATEGORY] = "category",
	};
	const struct syc_group *group = &markers->by_thread;
	const size_t from = group->begins[thread];
	const size_t end = group->begins[thread + 1];
	struct syscap_profile_span span;
	int r = 0;

	syscap_profile_span(markers->export->profile, &span);
	syc_json_begin_object(json);
	for (unsigned column = 0; column < N_COLUMNS; column++) {
		syc_json_key(json, keys[column]);
		syc_json_begin_array(json);
		for (size_t i = from; r == 0 && i < end; i++) {
			const struct event event =
				event_of(markers, group->rows[i]);

			r = write_cell(markers, json, (enum column)column,
			               span.begin, &event);
		}
		syc_json_end_array(json);
	}
	syc_json_member_unsigned(json, "length", end - from);
	syc_json_end_object(json);
	return r;
}

void syc_firefox_time(struct syc_json *json, int64_t begin, int64_t time)
{
	int64_t since;

	if (__builtin_sub_overflow(time, begin, &since))
		since = time < begin ? INT64_MIN : INT64_MAX;
	syc_json_fixed(json, since, 6);
}
