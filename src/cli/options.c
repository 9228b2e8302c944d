/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.c - options of a command: parsing, --help, numbers with units,
 * suggestions.
 */
#define _GNU_SOURCE
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/error.h"

#define MOST_NS 9e18

/* Read a plain decimal number, without "inf", "0x" and leading blanks. */
static bool read_number(const char *text, double *number, const char **end)
{
	const size_t n = strspn(text, "0123456789.");
	char *stop;

	if (n == 0)
		return false;
	*number = strtod(text, &stop);
	*end = text + n;
	return stop == *end && isfinite(*number);
}

bool syc_quantity_duration(const char *text, int64_t *ret_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e9 },     { "s", 1e9 },         { "ms", 1e6 },
		{ "us", 1e3 },   { "\xC2\xB5s", 1e3 }, { "ns", 1 },
		{ "min", 60e9 },
	};
	const char *unit;
	double number;

	if (!read_number(text, &number, &unit))
		return false;
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const double ns = number * units[i].ns;

		if (strcmp(unit, units[i].name) != 0)
			continue;
		if (ns > MOST_NS)
			return false;
		*ret_ns = (int64_t)llround(ns);
		return true;
	}
	return false;
}

bool syc_quantity_percent(const char *text, double *ret_percent)
{
	const char *unit;
	double number;

	if (!read_number(text, &number, &unit) || strcmp(unit, "%") != 0 ||
	    number > 100)
		return false;
	*ret_percent = number;
	return true;
}

bool syc_quantity_count(const char *text, uint64_t *ret_count)
{
	char *end;
	uint64_t count;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	count = strtoull(text, &end, 10);
	if (*end != 0 || errno != 0 || count == 0)
		return false;
	*ret_count = count;
	return true;
}

#define COLUMNS  79
#define MOST     64 /* options of a command, with short forms */
#define LEFT_MAX 25

const struct syc_option syc_options_of_all[] = {
	{ "help", 'h', NULL, "print this help", NULL },
	{ 0 },
};

/* -------------------------------------------------------------- printing */

/* Words wrapped into lines between two margins. */
struct fold {
	FILE *out;
	int column, left;
	bool has_word; /* the line has a word */
};

static void fold_word(struct fold *fold, const char *word, int len)
{
	if (fold->has_word && fold->column + 1 + len > COLUMNS) {
		fprintf(fold->out, "\n%*s", fold->left, "");
		fold->column = fold->left;
		fold->has_word = false;
	}
	fprintf(fold->out, "%s%.*s", fold->has_word ? " " : "", len, word);
	fold->column += len + fold->has_word;
	fold->has_word = true;
}

static void fold_text(struct fold *fold, const char *text)
{
	while (*text != 0) {
		const int len = (int)strcspn(text, " ");

		fold_word(fold, text, len);
		text += len;
		text += strspn(text, " ");
	}
}

static void end_fold(struct fold *fold)
{
	putc('\n', fold->out);
	fold->column = 0;
	fold->has_word = false;
}

static void spell(char *text, size_t size, const struct syc_option *option)
{
	const char *value = option->value ? option->value : "";
	const char *equals = value[0] != 0 && value[0] != '[' ? "=" : "";

	if (option->key > 255)
		snprintf(text, size, "    --%s%s%s", option->name, equals,
		         value);
	else
		snprintf(text, size, "-%c, --%s%s%s", option->key, option->name,
		         equals, value);
}

static int widest(const struct syc_option *option)
{
	char text[80];
	int width = 0;

	for (; option != NULL && option->name != NULL; option++) {
		spell(text, sizeof(text), option);
		if ((int)strlen(text) > width)
			width = (int)strlen(text);
	}
	return width;
}

static void print_table(FILE *out, const struct syc_option *option, int width)
{
	char text[80];

	for (; option != NULL && option->name != NULL; option++) {
		struct fold fold = { .out = out, .left = width + 4 };

		spell(text, sizeof(text), option);
		fold.column = fprintf(out, "  %-*s  ", width, text);
		fold_text(&fold, option->help);
		if (option->choices != NULL) {
			fold_text(&fold, "One of:");
			fold_text(&fold, option->choices);
		}
		end_fold(&fold);
	}
}

static void print_shared(FILE *out, const struct syc_command *command)
{
	struct fold fold = { .out = out, .left = 2 };
	const struct syc_option *option = command->shared;

	if (option == NULL)
		return;
	fold_text(&fold, command->shared_title);
	for (; option->name != NULL; option++) {
		char text[80];

		spell(text, sizeof(text), option);
		fold_word(&fold, strstr(text, "--"),
		          (int)strlen(strstr(text, "--")));
	}
	end_fold(&fold);
}

static void print_synopsis(FILE *out, const struct syc_command *command)
{
	const char *line = command->synopsis;

	for (const char *begin = "Usage:"; line != NULL; begin = "      ") {
		const char *end = strchr(line, '\n');

		fprintf(out, "%s syscap %s %.*s\n", begin, command->name,
		        end ? (int)(end - line) : (int)strlen(line), line);
		line = end ? end + 1 : NULL;
	}
}

static void print_help(FILE *out, const struct syc_command *command)
{
	struct fold fold = { .out = out };
	int width = widest(command->options);

	if (width < widest(syc_options_of_all))
		width = widest(syc_options_of_all);
	if (width > LEFT_MAX)
		width = LEFT_MAX;
	print_synopsis(out, command);
	fold_text(&fold, command->about);
	end_fold(&fold);
	putc('\n', out);
	print_table(out, command->options, width);
	print_table(out, syc_options_of_all, width);
	print_shared(out, command);
	fprintf(out, "Example: %s\n", command->example);
	fold_text(&fold, "Exit status:");
	fold_text(&fold, command->status);
	end_fold(&fold);
}

/* --------------------------------------------------------------- reading */

struct getopt_tables {
	struct option longs[MOST + 1];
	char letters[3 * MOST + 2];
	unsigned n;
	char *at; /* end of the list of short options */
};

static void add_table(struct getopt_tables *tables,
                      const struct syc_option *option)
{
	for (; option != NULL && option->name != NULL; option++) {
		const int takes = option->value == NULL     ? no_argument
		                  : option->value[0] == '[' ? optional_argument
		                                            : required_argument;

		if (tables->n == MOST)
			return;
		tables->longs[tables->n++] =
			(struct option){ option->name, takes, NULL,
			                 option->key };
		if (option->key > 255)
			continue;
		*tables->at++ = (char)option->key;
		for (int i = 0; i < takes; i++)
			*tables->at++ = ':';
	}
}

int syc_options_next(struct syc_words *words)
{
	const struct syc_command *command = words->command;
	struct getopt_tables tables = { .at = tables.letters };
	int key;

	if (words->stops)
		*tables.at++ = '+';
	add_table(&tables, command->options);
	add_table(&tables, command->shared);
	add_table(&tables, syc_options_of_all);
	*tables.at = 0;
	tables.longs[tables.n] = (struct option){ 0 };

	words->status = -1;
	key = getopt_long(words->argc, words->argv, tables.letters,
	                  tables.longs, NULL);
	words->value = optarg;
	if (key == 'h') {
		print_help(stdout, command);
		words->status = syc_cli_error_finish_output(words->argv[0],
		                                            SYC_EXIT_DONE);
	} else if (key == '?') {
		words->status = syc_cli_error_misuse(words->argv[0]);
	}
	return key == -1 || words->status >= 0 ? 0 : key;
}

/* Longer names are not compared, since users do not type long names. */
#define MOST_BYTES 64

static bool differ(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b, size_t c)
{
	const size_t less = a < b ? a : b;

	return less < c ? less : c;
}

/*
 * Number of insertions, deletions, changes, and exchanges of two neighbours
 * (optimal string alignment).
 */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][MOST_BYTES + 1];

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		const size_t *const two_above = rows[(i + 1) % 3];
		const size_t *const above = rows[(i + 2) % 3];
		size_t *const row = rows[i % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = least(above[j] + 1, row[j - 1] + 1,
			               above[j - 1] +
			                       differ(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) &&
			    !differ(a[i - 2], b[j - 1]) &&
			    two_above[j - 2] + 1 < row[j])
				row[j] = two_above[j - 2] + 1;
		}
	}
	return rows[a_len % 3][b_len];
}

void syc_suggest_consider(struct syc_suggest *suggest, const char *name)
{
	const size_t a = strlen(suggest->wanted), b = strlen(name);
	const size_t most = a / 3, apart = a > b ? a - b : b - a;
	size_t far;

	if (a == 0 || a > MOST_BYTES || b > MOST_BYTES)
		return;
	if (strcasestr(name, suggest->wanted) != NULL)
		far = 0;
	else if (apart <= most)
		far = distance(suggest->wanted, a, name, b);
	else
		return;
	if (far > most || (suggest->name != NULL && far >= suggest->distance))
		return;
	suggest->name = name;
	suggest->distance = far;
}
