/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_script.c - what `perf script` prints.
 *
 *	COMM PID[/TID] [CPU] SECONDS.FRACTION: [PERIOD] EVENT:
 *		ADDRESS NAME+0xOFFSET (BINARY)
 *		...
 *
 * and an empty line, or all in one line where it recorded no stacks.  Addresses
 * are those in their files, so that names stand for them; each sample is a tick.
 */
#include <ctype.h>
#include <string.h>

#include "capture/error.h"
#include "data/map.h"
#include "import/lines.h"

struct head {
	int32_t pid, tid;
	int64_t time;
};

struct parser {
	struct syc_import *import;
	struct syscap_error *error;
	bool is_open; /* a sample was begun */
	struct head head;
	SYC_ARRAY(uint64_t) stack; /* the innermost first */
	struct syc_map threads;    /* pid and tid: those that have a name */
	struct syc_map processes;  /* pids */
	struct syc_map events;     /* by name */
};

static int refuse(const struct parser *parser, const char *what)
{
	return syc_error_set(parser->error, EBADMSG, 0, "%s", what);
}

/* ------------------------------------------------------------ the words */

/* Digits, at most INT32_MAX. */
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
	int64_t ns = 0, unit = 1000000000;

	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(ns, 10, &ns) ||
		    __builtin_add_overflow(ns, *p - '0', &ns))
			return false;
	if (p == *at || *p++ != '.' ||
	    __builtin_mul_overflow(ns, 1000000000, &ns))
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

/* What stands behind the name of the command. */
static bool read_head(const char *at, struct head *head, const char **ret_rest)
{
	if (!read_ids(&at, head))
		return false;
	/* The processor in brackets, and flags such as "d..2." */
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

/* The command may have blanks and digits in its name: the first place where the
 * rest fits ends it. */
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
	return false;
}

/* Cuts a suffix "+0x12" off. */
static void cut_offset(char *name)
{
	char *plus = strrchr(name, '+');

	if (plus != NULL && plus != name && plus[1] == '0' && plus[2] == 'x' &&
	    plus[3] != 0 && plus[3 + strspn(plus + 3, "0123456789abcdef")] == 0)
		*plus = 0;
}

/* The binary of "NAME (BINARY)", which is cut off; or NULL. */
static char *cut_binary(char *text)
{
	const size_t len = strlen(text);
	size_t depth = 0;

	if (len == 0 || text[len - 1] != ')')
		return NULL;
	/* One with brackets of its own: "/memfd:code (deleted)" */
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

static int end_sample(struct parser *parser)
{
	const struct syscap_writer_sample sample = {
		.pid = parser->head.pid,
		.tid = parser->head.tid,
		.ticks = 1,
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
	/* As stackcollapse-perf.pl does: "[libfoo.so]" */
	if (strcmp(name, "[unknown]") == 0 && binary != NULL &&
	    strcmp(binary, "[unknown]") != 0) {
		char *slash = strrchr(binary, '/');

		if (slash != NULL)
			binary = slash + 1;
		if (binary[0] == '[') {
			name = binary;
		} else {
			/* There is a '(' before it and was a ')' behind */
			name = binary - 1;
			name[0] = '[';
			strcat(name, "]");
		}
	}
	r = syscap_writer_add_name(parser->import->writer, parser->head.time,
	                           parser->head.pid, name, &address);
	return r == 0 ? syc_array_push(&parser->stack, address) : r;
}

/* " ADDRESS NAME"; 0: it is none. */
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

/* "[PERIOD] EVENT:" and, where there are no stacks, its frame. */
static int take_event(struct parser *parser, const char *rest)
{
	size_t n;
	int r;

	rest += strspn(rest, " \t");
	n = strspn(rest, "0123456789");
	if (n > 0 && rest[n] == ' ')
		rest += n + strspn(rest + n, " ");
	n = strcspn(rest, " \t");
	if (n < 2 || rest[n - 1] != ':')
		return refuse(parser, "expected an event behind the time");
	r = learn(&parser->events, rest, n);
	if (r < 0)
		return r;
	r = take_frame(parser, (char *)rest + n);
	return r < 0 ? r : 0;
}

static int take_line(struct parser *parser, char *line)
{
	const char *rest;
	int r = take_frame(parser, line);

	if (r != 0)
		return r < 0 ? r : 0;
	r = end_sample(parser);
	if (r < 0 || line[0] == 0 || line[0] == '#')
		return r;
	line += strspn(line, " \t");
	if (!split_head(line, &parser->head, &rest))
		return refuse(parser, "expected COMMAND PID TIME: EVENT:, or "
		                      "an address and a name");
	parser->is_open = true;
	parser->stack.n = 0;
	r = take_who(parser, line);
	return r == 0 ? take_event(parser, rest) : r;
}

int syc_import_perf_script(struct syc_import *import,
                           struct syscap_error *error)
{
	struct parser parser = { .import = import, .error = error };
	struct syc_line line = { 0 };
	int r;

	while ((r = syc_line_next(&line, import, error)) > 0) {
		r = take_line(&parser, line.text.items);
		if (r < 0)
			break;
	}
	if (r == 0)
		r = end_sample(&parser);
	if (r < 0 && r != -EBADMSG)
		syc_error_set(error, -r, 0, "%s", strerror(-r));
	import->n_events = parser.events.n;
	free(parser.stack.items);
	free(line.text.items);
	syc_map_fini(&parser.threads);
	syc_map_fini(&parser.processes);
	syc_map_fini(&parser.events);
	return r;
}
