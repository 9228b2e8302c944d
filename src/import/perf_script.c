/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_script.c - output of `perf script`.
 *
 *	COMM PID[/TID] [CPU] SECONDS.FRACTION: [PERIOD] EVENT:
 *		ADDRESS NAME+0xOFFSET (BINARY)
 *		...
 *
 * An empty line ends each sample.  Without stacks, a sample is one line.
 * Addresses are offsets in files, so the capture has names instead.
 *
 * The importer reads the text twice.  The first pass finds the unit of the
 * periods: a sample has as many ticks as its period has units.  If a sample has
 * no period, or if there are several events, each sample is one tick.  Periods
 * of cpu-clock and task-clock are ns of processor time, so ticks have a rate.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "capture/files.h"
#include "common/containers.h"
#include "import/import.h"

#define SECOND 1000000000
#define HZ_MAX 1000000

/* Maximum number of ticks of one sample frame (24 bits). */
#define TICKS_MAX UINT64_C(0xFFFFFF)

struct head {
	int32_t pid, tid;
	int64_t time;
	uint64_t period; /* period; 0: the line has no period */
};

struct parser {
	struct syc_import *import;
	struct syscap_error *error;
	bool is_open; /* a sample was begun */
	struct head head;
	SYC_ARRAY(uint64_t) stack; /* stack, the innermost first */
	struct syc_map threads;    /* pids and tids whose names were written */
	struct syc_map processes;  /* pids whose names were written */
	struct syc_map events;     /* events, by name */
	bool is_first_pass;
	bool lacks_period; /* some sample has no period */
	bool is_clock;     /* the event counts ns of processor time */
	uint32_t hz;       /* rate to be written; 0: none */
	uint64_t unit;     /* unit of the periods: in the first pass, their
	                    * common divisor */
	uint64_t longest;  /* longest period */
};

/* ------------------------------------------------------------ the words */

/* Read digits of a number, at most INT32_MAX. */
static bool read_number(const char **at, int32_t *ret_number)
{
	int64_t number = 0;
	const char *p = *at;

	for (; isdigit((unsigned char)*p) && number <= INT32_MAX; p++)
		number = number * 10 + (*p - '0');
	if (p == *at || number > INT32_MAX)
		return false;
	*at = p;
	*ret_number = (int32_t)number;
	return true;
}

/* "PID " or "PID/TID ". */
static bool read_ids(const char **at, struct head *head)
{
	const char *p = *at;

	if (!read_number(&p, &head->pid))
		return false;
	head->tid = head->pid;
	if (*p == '/') {
		p++;
		if (!read_number(&p, &head->tid))
			return false;
	}
	if (*p != ' ' && *p != '\t')
		return false;
	*at = p + strspn(p, " \t");
	return true;
}

/* "SECONDS.FRACTION:", in ns. */
static bool read_time(const char **at, int64_t *ret_ns)
{
	const char *p = *at;
	int64_t ns = 0, unit = SECOND;

	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(ns, 10, &ns) ||
		    __builtin_add_overflow(ns, *p - '0', &ns))
			return false;
	if (p == *at || *p++ != '.' || __builtin_mul_overflow(ns, SECOND, &ns))
		return false;
	for (; isdigit((unsigned char)*p); p++) {
		unit /= 10;
		if (__builtin_add_overflow(ns, (*p - '0') * unit, &ns))
			return false;
	}
	if (*p != ':')
		return false;
	*at = p + 1;
	*ret_ns = ns;
	return true;
}

/* The fields after the name of the command. */
static bool read_head(const char *at, struct head *head, const char **ret_rest)
{
	if (!read_ids(&at, head))
		return false;
	/* Skip the processor in brackets, and flags such as "d..2." */
	for (unsigned i = 0; i < 3; i++) {
		if (read_time(&at, &head->time)) {
			*ret_rest = at;
			return true;
		}
		if (isdigit((unsigned char)*at))
			return false;
		at += strcspn(at, " \t");
		at += strspn(at, " \t");
	}
	return false;
}

/*
 * A command name may be empty, or contain blanks and digits: the name ends at
 * the first place from which the rest parses.
 */
static bool split_head(char *line, struct head *head, const char **ret_rest)
{
	char *at = line + strcspn(line, " \t");

	for (; *at != 0; at += strcspn(at, " \t")) {
		char *end = at;

		at += strspn(at, " \t");
		if (!read_head(at, head, ret_rest))
			continue;
		*end = 0;
		return true;
	}
	if (!read_head(line, head, ret_rest))
		return false;
	*line = 0;
	return true;
}

/* Parse "[PERIOD] EVENT:".  *ret_n: length of the event's name. */
static bool read_event(const char **at, uint64_t *ret_period, size_t *ret_n)
{
	const char *rest = *at + strspn(*at, " \t");
	uint64_t period = 0;
	const size_t n = strspn(rest, "0123456789");

	if (n > 0 && rest[n] == ' ') {
		for (size_t i = 0; i < n; i++)
			if (__builtin_mul_overflow(period, 10, &period) ||
			    __builtin_add_overflow(period, rest[i] - '0',
			                           &period))
				return false;
		rest += n + strspn(rest + n, " ");
	}
	*ret_n = strcspn(rest, " \t");
	if (*ret_n < 2 || rest[*ret_n - 1] != ':')
		return false;
	*at = rest;
	*ret_period = period;
	return true;
}

/* Cut a suffix "+0x12" off the name. */
static void cut_offset(char *name)
{
	char *plus = strrchr(name, '+');

	if (plus != NULL && plus != name && plus[1] == '0' && plus[2] == 'x' &&
	    plus[3] != 0 && plus[3 + strspn(plus + 3, "0123456789abcdef")] == 0)
		*plus = 0;
}

/* Cut "(BINARY)" off "NAME (BINARY)".  Returns the binary, or NULL. */
static char *cut_binary(char *text)
{
	const size_t len = strlen(text);
	size_t depth = 0;

	if (len == 0 || text[len - 1] != ')')
		return NULL;
	/* A name that contains brackets: "/memfd:code (deleted)" */
	for (size_t i = len; i-- > 0;) {
		depth += text[i] == ')';
		if (text[i] != '(' || --depth > 0)
			continue;
		if (i == 0 || text[i - 1] != ' ')
			return NULL;
		text[len - 1] = 0;
		text[i - 1] = 0;
		return text + i + 1;
	}
	return NULL;
}

/* ---------------------------------------------------------- the samples */

static uint64_t count_ticks(const struct parser *parser)
{
	const uint64_t period = parser->head.period;

	if (parser->unit == 0)
		return 1;
	return period < parser->unit ? 1 : period / parser->unit;
}

static int end_sample(struct parser *parser)
{
	const struct syscap_writer_sample sample = {
		.pid = parser->head.pid,
		.tid = parser->head.tid,
		.ticks = count_ticks(parser),
		.addrs = parser->stack.items,
		.n_addrs = parser->stack.n,
	};

	if (!parser->is_open)
		return 0;
	parser->is_open = false;
	parser->import->n_samples++;
	return syscap_writer_add_sample(parser->import->writer,
	                                parser->head.time, &sample);
}

static int add_name(struct parser *parser, char *name)
{
	char *binary = cut_binary(name);
	uint64_t address;
	int r;

	cut_offset(name);
	/* A name "[libfoo.so]", as stackcollapse-perf.pl writes */
	if (strcmp(name, "[unknown]") == 0 && binary != NULL &&
	    strcmp(binary, "[unknown]") != 0) {
		char *slash = strrchr(binary, '/');

		if (slash != NULL)
			binary = slash + 1;
		if (binary[0] == '[') {
			name = binary;
		} else {
			/* A '(' precedes the name, and a ')' followed the
			 * name */
			name = binary - 1;
			name[0] = '[';
			strcat(name, "]");
		}
	}
	r = syscap_writer_add_name(parser->import->writer, parser->head.time,
	                           parser->head.pid, name, &address);
	return r == 0 ? syc_array_push(&parser->stack, address) : r;
}

/* Parse " ADDRESS NAME".  Returns 0 if the line has another form. */
static int take_frame(struct parser *parser, char *line)
{
	char *at = line + strspn(line, " \t");
	const size_t n = strspn(at, "0123456789abcdef");
	int r;

	if (!parser->is_open || at == line || n == 0 || n > 16 || at[n] != ' ')
		return 0;
	at += n + strspn(at + n, " ");
	if (at[0] == 0)
		return 0;
	r = add_name(parser, at);
	return r < 0 ? r : 1;
}

static int learn(struct syc_map *map, const void *key, size_t size)
{
	size_t ignored;

	return syc_map_put(map, key, size, &ignored);
}

static int take_who(struct parser *parser, const char *command)
{
	const struct head *head = &parser->head;
	const int32_t ids[2] = { head->pid, head->tid };
	struct syscap_writer *writer = parser->import->writer;
	int r = learn(&parser->processes, &head->pid, sizeof(head->pid));

	if (r > 0)
		r = syscap_writer_add_process(writer, head->time, head->pid,
		                              command);
	if (r >= 0)
		r = learn(&parser->threads, ids, sizeof(ids));
	if (r > 0)
		r = syscap_writer_add_thread(writer, head->time, head->pid,
		                             head->tid, command);
	return r < 0 ? r : 0;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Return whether the event, of @n bytes, is a clock, such as "cpu-clock:u:". */
static bool is_clock_event(const char *name, size_t n)
{
	const size_t length = strcspn(name, ":");

	return length < n && ((length == sizeof("cpu-clock") - 1 &&
	                       memcmp(name, "cpu-clock", length) == 0) ||
	                      (length == sizeof("task-clock") - 1 &&
	                       memcmp(name, "task-clock", length) == 0));
}

/*
 * Store the period of a sample in the first pass.  @event is the name of the
 * sample's event, of @n bytes.
 */
static void note_period(struct parser *parser, const char *event, size_t n)
{
	const uint64_t period = parser->head.period;

	parser->is_clock = is_clock_event(event, n);
	parser->lacks_period |= period == 0;
	parser->unit = common_divisor(period, parser->unit);
	if (period > parser->longest)
		parser->longest = period;
}

/* Add the rate, before the first sample. */
static int add_rate(struct parser *parser)
{
	const uint32_t hz = parser->hz;

	parser->hz = 0;
	return hz == 0 ? 0
	               : syscap_writer_add_rate(parser->import->writer,
	                                        parser->head.time, hz, false);
}

/* Returns 1: a sample begins here; 0: no sample begins here; or -errno. */
static int take_head(struct parser *parser, char *line)
{
	struct head head;
	const char *rest;
	size_t n;
	int r;

	line += strspn(line, " ");
	if (line[0] == '\t' || !split_head(line, &head, &rest) ||
	    !read_event(&rest, &head.period, &n))
		return 0;
	r = end_sample(parser);
	if (r < 0)
		return r;
	parser->head = head;
	r = learn(&parser->events, rest, n);
	if (r >= 0 && parser->is_first_pass) {
		note_period(parser, rest, n);
		return 1;
	}
	parser->is_open = true;
	parser->stack.n = 0;
	if (r >= 0)
		r = add_rate(parser);
	if (r >= 0)
		r = take_who(parser, line);
	/* Without stacks, the frame is in the line of the event */
	if (r == 0)
		r = take_frame(parser, syc_unconst(rest + n));
	return r < 0 ? r : 1;
}

static void skip_line(struct parser *parser)
{
	struct syc_import *const import = parser->import;

	if (import->n_skipped++ == 0)
		import->first_skipped = import->line;
}

static int take_line(struct parser *parser, char *line)
{
	int r;

	if (line[0] == 0 || line[0] == '#')
		return end_sample(parser);
	/* A command may be a hexadecimal number, and look like an address */
	r = take_head(parser, line);
	if (r == 0 && !parser->is_first_pass) {
		r = take_frame(parser, line);
		if (r == 0)
			skip_line(parser);
	}
	return r < 0 ? r : 0;
}

static int read_lines(struct parser *parser)
{
	struct syc_line line = { 0 };
	int r;

	parser->import->line = 0;
	while ((r = syc_line_next(&line, parser->import, parser->error)) > 0) {
		r = take_line(parser, line.text.items);
		if (r < 0)
			break;
	}
	free(line.text.items);
	return r == 0 ? end_sample(parser) : r;
}

/* The first pass computes the unit of the second pass. */
static void choose_unit(struct parser *parser)
{
	if (parser->lacks_period || parser->events.n != 1) {
		parser->unit = 0;
		return;
	}
	if (parser->longest / parser->unit > TICKS_MAX)
		parser->unit = parser->longest / TICKS_MAX + 1;
	else if (parser->is_clock && parser->unit >= SECOND / HZ_MAX &&
	         parser->unit <= SECOND &&
	         SECOND / (SECOND / parser->unit) == parser->unit)
		parser->hz = (uint32_t)(SECOND / parser->unit);
}

/*
 * The input at its beginning, or a copy of an input that cannot be rewound;
 * NULL on failure.
 */
static FILE *make_seekable(FILE *in)
{
	char bytes[65536];
	size_t n;

	if (fseeko(in, 0, SEEK_CUR) == 0)
		return in;
	FILE *const copy = tmpfile();
	while (copy != NULL && (n = fread(bytes, 1, sizeof(bytes), in)) > 0)
		if (fwrite(bytes, 1, n, copy) != n)
			break;
	if (copy != NULL && !ferror(in) && fflush(copy) == 0) {
		rewind(copy);
		return copy;
	}
	if (copy != NULL)
		fclose(copy);
	return NULL;
}

int syc_import_perf_script(struct syc_import *import,
                           struct syscap_error *error)
{
	struct parser parser = { .import = import,
		                 .error = error,
		                 .is_first_pass = true };
	FILE *const in = import->in;
	int r;

	import->in = make_seekable(in);
	if (import->in == NULL) {
		import->in = in;
		r = -(errno != 0 ? errno : EIO);
	} else {
		const off_t start = ftello(import->in);

		r = read_lines(&parser);
		choose_unit(&parser);
		parser.is_first_pass = false;
		if (r == 0 && fseeko(import->in, start, SEEK_SET) != 0)
			r = -errno;
		if (r == 0)
			r = read_lines(&parser);
	}
	if (r < 0 && r != -EBADMSG)
		syc_error_set(error, -r, 0, "%s", strerror(-r));
	else if (r == 0 && import->n_samples == 0 && import->n_skipped != 0) {
		import->line = import->first_skipped;
		r = syc_error_set(
			error, EBADMSG, 0,
			"expected COMMAND PID TIME: EVENT:, or an address and "
			"a name, on the line");
	}
	import->n_events = parser.events.n;
	if (import->in != in) {
		fclose(import->in);
		import->in = in;
	}
	free(parser.stack.items);
	syc_map_fini(&parser.threads);
	syc_map_fini(&parser.processes);
	syc_map_fini(&parser.events);
	return r;
}
