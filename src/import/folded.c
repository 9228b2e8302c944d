/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folded.c - stacks as lines, "outermost;...;innermost COUNT", and the line
 * reader.
 *
 * The format has no times, processes or threads: samples are 1 ns apart, on one
 * thread. The annotations that `syscap export` adds to names are converted
 * back.
 */
#define _GNU_SOURCE
#include <string.h>

#include "capture/files.h"
#include "import/import.h"

/* Deep stacks with long names make long lines. A line above the limit is not
 * text. */
#define LONGEST (UINT32_C(16) << 20)

static int fail(struct syc_import *import, int code, const char *what,
                struct syscap_error *error)
{
	if (code != EBADMSG)
		import->line = 0;
	return syc_error_set(error, code, 0, "%s", what);
}

int syc_line_next(struct syc_line *line, struct syc_import *import,
                  struct syscap_error *error)
{
	int c;

	line->text.n = 0;
	import->line++;
	errno = 0;
	while ((c = getc_unlocked(import->in)) != EOF && c != '\n') {
		if (line->text.n == LONGEST)
			return fail(import, EBADMSG, "the line is too long",
			            error);
		if (syc_array_push(&line->text, (char)(c == 0 ? 0xFF : c)) < 0)
			return fail(import, ENOMEM, "out of memory", error);
	}
	if (c == EOF && ferror(import->in) != 0)
		return fail(import, errno != 0 ? errno : EIO,
		            strerror(errno != 0 ? errno : EIO), error);
	if (c == EOF && line->text.n == 0)
		return 0;
	if (line->text.n > 0 && line->text.items[line->text.n - 1] == '\r')
		line->text.n--;
	if (syc_array_push(&line->text, '\0') < 0)
		return fail(import, ENOMEM, "out of memory", error);
	return 1;
}

#define PID 1

/*
 * A sample has at most 2^24 - 1 ticks.  More ticks become several samples, with
 * a stack each.  The number of additional samples is bounded for the whole
 * file.
 */
#define MOST       (UINT64_C(1) << 44)
#define TICKS      ((UINT64_C(1) << 24) - 1)
#define MOST_EXTRA (UINT64_C(256) << 20)

struct parser {
	struct syc_import *import;
	struct syscap_error *error;
	SYC_ARRAY(uint64_t) stack; /* frames, the outermost first */
	struct syscap_writer_sample sample;
	/* Bytes of all samples, except the first sample of each line. */
	uint64_t extra;
};

static int refuse(const struct parser *parser, const char *what)
{
	return syc_error_set(parser->error, EBADMSG, 0, "%s", what);
}

/* Cut the count off the line. */
static int take_count(struct parser *parser, char *line)
{
	char *blank = strrchr(line, ' ');
	uint64_t count = 0;

	if (blank == NULL || blank[1] == 0 ||
	    blank[1 + strspn(blank + 1, "0123456789")] != 0)
		return refuse(
			parser,
			"expected a stack, a blank and a count on the line");
	for (const char *p = blank + 1; *p != 0; p++) {
		count = count * 10 + (uint64_t)(*p - '0');
		if (count > MOST)
			return refuse(
				parser,
				"the count is above 2^44; divide all counts");
	}
	*blank = 0;
	parser->sample.ticks = count;
	return 0;
}

static int64_t time_of(const struct parser *parser)
{
	return (int64_t)parser->import->n_samples;
}

static int take_frame(struct parser *parser, const char *name)
{
	uint64_t address;
	int r;

	if (name[0] == 0)
		return refuse(parser, "a function of the stack has no name");
	if (parser->stack.n == 0 && strcmp(name, "[stack cut]") == 0) {
		parser->sample.is_cut = true;
		return 0;
	}
	if (parser->stack.n == 0 && strcmp(name, "[stack incomplete]") == 0) {
		parser->sample.is_stopped = true;
		return 0;
	}
	if (parser->stack.n == 0 && strcmp(name, "[no stack]") == 0)
		return 0;
	r = syscap_writer_add_name(parser->import->writer, time_of(parser), PID,
	                           name, &address);
	return r == 0 ? syc_array_push(&parser->stack, address) : r;
}

static void reverse(uint64_t *items, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		const uint64_t item = items[i];

		items[i] = items[n - 1 - i];
		items[n - 1 - i] = item;
	}
}

static int bound_samples(struct parser *parser)
{
	const uint64_t more = parser->sample.ticks / TICKS;
	const uint64_t each = 32 + 8 * (uint64_t)parser->stack.n;

	if (more > (MOST_EXTRA - parser->extra) / each)
		return refuse(
			parser,
			"the counts make more than 256 MiB of samples; divide "
			"all counts");
	parser->extra += more * each;
	return 0;
}

static int take_line(struct parser *parser, char *line)
{
	int r;

	if (line[0] == 0)
		return 0;
	parser->sample = (struct syscap_writer_sample){ PID, PID,   0,    NULL,
		                                        0,   false, false };
	parser->stack.n = 0;
	r = take_count(parser, line);
	for (char *name = line; r == 0 && name != NULL;) {
		char *end = strchr(name, ';');

		if (end != NULL)
			*end++ = 0;
		r = take_frame(parser, name);
		name = end;
	}
	if (r == 0)
		r = bound_samples(parser);
	if (r < 0)
		return r;
	reverse(parser->stack.items, parser->stack.n);
	parser->sample.addrs = parser->stack.items;
	parser->sample.n_addrs = parser->stack.n;
	r = syscap_writer_add_sample(parser->import->writer, time_of(parser),
	                             &parser->sample);
	parser->import->n_samples++;
	return r;
}

int syc_import_folded(struct syc_import *import, struct syscap_error *error)
{
	struct parser parser = { .import = import, .error = error };
	struct syc_line line = { 0 };
	int r = syscap_writer_add_process(import->writer, 0, PID, "folded");

	while (r == 0 && (r = syc_line_next(&line, import, error)) > 0)
		r = take_line(&parser, line.text.items);
	if (r < 0 && r != -EBADMSG)
		syc_error_set(error, -r, 0, "%s", strerror(-r));
	free(parser.stack.items);
	free(line.text.items);
	return r;
}
