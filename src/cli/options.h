/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.h - options of a command: parsing, --help, numbers with units,
 * suggestions.
 */
#ifndef SYC_CLI_OPTIONS_H
#define SYC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SYC_EXIT_DONE = 0,
	SYC_EXIT_PROBLEM = 1, /* a problem in the capture, in reading or in
	                       * writing */
	SYC_EXIT_MISUSE = 2
};

/**
 * Convert "1.5s", "20ms", "3us", "7ns" or "2" (seconds) into ns.  Returns false
 * if @text is invalid.
 */
bool syc_quantity_duration(const char *text, int64_t *ret_ns);

/**
 * Convert "5%" into 5, with decimals.  Returns false if the value is not from 0
 * to 100.
 */
bool syc_quantity_percent(const char *text, double *ret_percent);

/** Convert a text of digits only; the value is at least 1. */
bool syc_quantity_count(const char *text, uint64_t *ret_count);

struct syc_option {
	const char *name; /* long name; NULL ends a table */
	int key; /* character of the short option; above 255: no short option */
	/*
	 * Name of the value in --help; NULL: no value.  "[=HZ]": the value is
	 * optional.  FILE and OUTPUT are completed as files, DIR as
	 * directories.
	 */
	const char *value;
	const char *help;
	const char *choices; /* all possible values, or NULL */
};

/* Operands of a command, for completions. */
enum syc_operand {
	SYC_OPERAND_FILE,
	SYC_OPERAND_COMMAND,
	SYC_OPERAND_WORD, /* an operand that is one of `words` */
};

struct syc_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;  /* summary for the list of commands */
	const char *synopsis; /* the lines after the name */
	const char *about;
	const char *example;
	const char *status; /* text about the exit status */
	const struct syc_option *options;
	/*
	 * NULL, or a table of options that --help only names, with the place of
	 * their explanation.
	 */
	const struct syc_option *shared;
	const char *shared_title;
	enum syc_operand operand;
	const char *words; /* choices of the operand, or NULL */
};

/* Position in the command line. */
struct syc_words {
	const struct syc_command *command;
	int argc;
	char **argv;
	/* Options end at the first word that is not an option, the command. */
	bool stops;
	const char *value; /* value of the option, or NULL */
	/* After the last option: -1 to continue with argv[optind]; or the exit
	 * status, after help or a message. */
	int status;
};

/** The next option's key; 0 after the last option. */
int syc_options_next(struct syc_words *words);

/** -h, --help: for a caller that shows a command's whole table. */
extern const struct syc_option syc_options_of_all[];

/** Begin with @wanted set and all other members zero. */
struct syc_suggest {
	const char *wanted;
	const char *name; /* the nearest name so far; NULL: none */
	size_t distance;
};

/**
 * Consider @name.  A near name contains @wanted, or differs from @wanted by at
 * most a third of the characters, ignoring case.
 */
void syc_suggest_consider(struct syc_suggest *suggest, const char *name);

#endif
