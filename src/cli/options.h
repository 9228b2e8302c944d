/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.h - the words of a command, described once: from its table they are
 * read, --help is printed and completions for shells are made.
 *
 *	struct syc_words words = { .command = &syc_cmd_stat, ... };
 *	int key;
 *
 *	while ((key = syc_options_next(&words)) > 0)
 *		if (key == 'o')
 *			output = words.value;
 *	if (words.status >= 0)
 *		return words.status;
 *
 * -h and --help are in no table: every command has them.
 */
#ifndef SYC_CLI_OPTIONS_H
#define SYC_CLI_OPTIONS_H

#include <stdbool.h>

struct syc_option {
	const char *name; /* the long one; NULL ends a table */
	int key;          /* its letter, or above 255: it has none */
	/* What --help calls its value; NULL: it takes none.  "[=HZ]": it may
	 * be left out.  FILE and OUTPUT are completed as files, DIR as
	 * folders. */
	const char *value;
	const char *help;
	const char *choices; /* all values there are, or NULL */
};

/* What a command's operands are, for completions. */
enum syc_operand {
	SYC_OPERAND_FILE,
	SYC_OPERAND_COMMAND,
	SYC_OPERAND_WORD, /* one of `words` */
};

struct syc_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;  /* for the list of commands */
	const char *synopsis; /* behind the name; lines */
	const char *about;
	const char *status; /* the exit status */
	const struct syc_option *options;
	/* A table that several commands have, told by its names only; and
	 * where it is explained.  Or NULL. */
	const struct syc_option *shared;
	const char *shared_title;
	enum syc_operand operand;
	const char *words; /* the operand's choices, or NULL */
};

/* Where reading the command line is. */
struct syc_words {
	const struct syc_command *command;
	int argc;
	char **argv;
	/* Options end at the first word that is none: it is a command. */
	bool stops;
	const char *value; /* of the option, or NULL */
	/* Behind the last one: -1 to go on with argv[optind], or the exit
	 * status, help or a complaint being printed. */
	int status;
};

/** The next option's key; 0 behind the last. */
int syc_options_next(struct syc_words *words);

/** -h, --help: for a caller that shows a command's whole table. */
extern const struct syc_option syc_options_of_all[];

#endif
