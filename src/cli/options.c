/* SPDX-License-Identifier: BSD-2-Clause */
/* options.c - a command's words: read them, and print --help. */
#define _GNU_SOURCE
#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit_status.h"
#include "cli/fault.h"

#define COLUMNS  79
#define MOST     64 /* options of a command, letters included */
#define LEFT_MAX 25

const struct syc_option syc_options_of_all[] = {
	{ "help", 'h', NULL, "show this text", NULL },
	{ 0 },
};

/* -------------------------------------------------------------- printing */

/* Words that are broken into lines between two margins. */
struct fold {
	FILE *out;
	int column, left;
	bool has_word; /* in this line */
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
	putc('\n', out);
	fold_text(&fold, "Exit status:");
	fold_text(&fold, command->status);
	end_fold(&fold);
}

/* --------------------------------------------------------------- reading */

struct getopt_tables {
	struct option longs[MOST + 1];
	char letters[3 * MOST + 2];
	unsigned n;
	char *at; /* in letters */
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
		words->status =
			syc_fault_finish_output(words->argv[0], SYC_EXIT_DONE);
	} else if (key == '?') {
		words->status = syc_fault_misuse(words->argv[0]);
	}
	return key == -1 || words->status >= 0 ? 0 : key;
}
