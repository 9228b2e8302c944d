/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commands.c - the table of all commands, and `syscap completion`: scripts for
 * bash, zsh and fish.
 */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/error.h"

static const struct syc_command cmd_completion;

const struct syc_command *const syc_commands[] = {
	&syc_cmd_record,    &syc_cmd_ps,
	&syc_cmd_snapshot,  &syc_cmd_top,
	&syc_cmd_stat,      &syc_cmd_report,
	&syc_cmd_view,      &syc_cmd_flamegraph,
	&syc_cmd_diff,      &syc_cmd_export,
	&syc_cmd_import,    &syc_cmd_dump,
	&syc_cmd_check,     &syc_cmd_cat,
	&syc_cmd_cut,       &syc_cmd_recover,
	&syc_cmd_symbolize, &syc_cmd_files,
	&cmd_completion,    NULL,
};

/* Completions of a value or an operand. */
enum offer {
	SYC_OFFER_NOTHING,
	SYC_OFFER_FILES,
	SYC_OFFER_FOLDERS,
	SYC_OFFER_CHOICES,
};

static enum offer completion_offer(const struct syc_option *option)
{
	if (option->choices != NULL)
		return SYC_OFFER_CHOICES;
	if (option->value == NULL)
		return SYC_OFFER_NOTHING;
	if (strcmp(option->value, "DIR") == 0)
		return SYC_OFFER_FOLDERS;
	if (strcmp(option->value, "FILE") == 0 ||
	    strcmp(option->value, "OUTPUT") == 0)
		return SYC_OFFER_FILES;
	return SYC_OFFER_NOTHING;
}

/* Call @each with every option of the command, including -h. */
static void completion_each(const struct syc_command *command,
                            void (*each)(const struct syc_command *command,
                                         const struct syc_option *option))
{
	const struct syc_option *const tables[] = {
		command->options,
		command->shared,
		syc_options_of_all,
	};

	for (unsigned i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct syc_option *option = tables[i];
		     option != NULL && option->name != NULL; option++)
			each(command, option);
}

static void print_words(const struct syc_command *command,
                        const struct syc_option *option)
{
	(void)command;
	if (option->key < 256)
		printf(" -%c", option->key);
	printf(" --%s", option->name);
}

/*
 * Print the completion of a value.  For bash, "--output=" with a value is three
 * words, and "-o" is one word.
 */
static void print_bash_value(const struct syc_command *command,
                             const struct syc_option *option)
{
	(void)command;
	if (option->value == NULL || option->value[0] == '[')
		return;
	printf("\t\t");
	if (option->key < 256)
		printf("-%c|", option->key);
	printf("--%s) ", option->name);
	switch (completion_offer(option)) {
	case SYC_OFFER_CHOICES:
		printf("COMPREPLY=($(compgen -W '%s' -- \"$cur\"))",
		       option->choices);
		break;
	case SYC_OFFER_FILES:
		printf("COMPREPLY=($(compgen -f -- \"$cur\"))");
		break;
	case SYC_OFFER_FOLDERS:
		printf("COMPREPLY=($(compgen -d -- \"$cur\"))");
		break;
	case SYC_OFFER_NOTHING:
		printf("COMPREPLY=()");
		break;
	}
	puts("; return;;");
}

static void print_bash_command(const struct syc_command *command)
{
	printf("\t%s)\n\t\toptions='", command->name);
	completion_each(command, print_words);
	puts("'\n\t\tcase $prev in");
	completion_each(command, print_bash_value);
	puts("\t\tesac");
	if (command->operand == SYC_OPERAND_COMMAND)
		puts("\t\toperands=(-c)");
	else if (command->operand == SYC_OPERAND_WORD)
		printf("\t\toperands=(-W '%s')\n", command->words);
	puts("\t\t;;");
}

static void completion_bash(void)
{
	puts("# bash completion for syscap, made by 'syscap completion bash'\n"
	     "_syscap()\n"
	     "{\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} options operands=(-f)\n"
	     "\tlocal prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tcompopt -o filenames 2>/dev/null\n"
	     "\tif [[ $cur == '=' ]]; then\n"
	     "\t\tcur=\n"
	     "\telif [[ $prev == '=' ]]; then\n"
	     "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	     "\tfi\n"
	     "\tif ((COMP_CWORD == 1)); then\n"
	     "\t\tCOMPREPLY=($(compgen -W '--help --version help");
	for (size_t i = 0; syc_commands[i] != NULL; i++)
		printf("\t\t\t%s\n", syc_commands[i]->name);
	puts("\t\t' -- \"$cur\"))\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tcase ${COMP_WORDS[1]} in");
	for (size_t i = 0; syc_commands[i] != NULL; i++)
		print_bash_command(syc_commands[i]);
	printf("\thelp)\n\t\toperands=(-W '");
	for (size_t i = 0; syc_commands[i] != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", syc_commands[i]->name);
	puts("')\n\t\t;;\n"
	     "\tesac\n"
	     "\tif [[ $cur == -* ]]; then\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	     "\telse\n"
	     "\t\tCOMPREPLY=($(compgen \"${operands[@]}\" -- \"$cur\"))\n"
	     "\tfi\n"
	     "}\n"
	     "complete -F _syscap syscap");
}

/*
 * Print @text in single quotes, in which only the quote and the backslash are
 * special.
 */
static void print_quoted(const char *text)
{
	putchar('\'');
	for (; *text != 0; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void print_fish_option(const struct syc_command *command,
                              const struct syc_option *option)
{
	printf("complete -c syscap -n '__fish_seen_subcommand_from %s'",
	       command->name);
	if (option->key < 256)
		printf(" -s %c", option->key);
	printf(" -l %s", option->name);
	if (option->value != NULL && option->value[0] != '[')
		printf(" -r");
	switch (completion_offer(option)) {
	case SYC_OFFER_CHOICES:
		printf(" -f -a ");
		print_quoted(option->choices);
		break;
	case SYC_OFFER_FILES:
		printf(" -F");
		break;
	case SYC_OFFER_FOLDERS:
		printf(" -f -a '(__fish_complete_directories)'");
		break;
	case SYC_OFFER_NOTHING:
		break;
	}
	printf(" -d ");
	print_quoted(option->help);
	putchar('\n');
}

static void print_fish_command(const struct syc_command *command)
{
	printf("complete -c syscap -n __fish_use_subcommand -f -a %s -d ",
	       command->name);
	print_quoted(command->summary);
	putchar('\n');
	completion_each(command, print_fish_option);
	if (command->operand == SYC_OPERAND_FILE)
		return;
	printf("complete -c syscap -n '__fish_seen_subcommand_from %s' -f -a ",
	       command->name);
	if (command->operand == SYC_OPERAND_COMMAND)
		puts("'(__fish_complete_subcommand --fcs-skip=2)'");
	else
		printf("'%s'\n", command->words);
}

static void completion_fish(void)
{
	puts("# fish completion for syscap, made by 'syscap completion fish'\n"
	     "complete -c syscap -n __fish_use_subcommand -f -s h -l help "
	     "-d 'list the commands'\n"
	     "complete -c syscap -n __fish_use_subcommand -f -s V -l version "
	     "-d 'print the version'");
	for (size_t i = 0; syc_commands[i] != NULL; i++)
		print_fish_command(syc_commands[i]);
}

/* Print @text inside single quotes.  Escape brackets and colons, too, because
 * the characters end a part. */
static void print_escaped(const char *text)
{
	for (; *text != 0; text++) {
		if (*text == '\'')
			printf("'\\'");
		else if (strchr("[]:\\", *text) != NULL)
			putchar('\\');
		putchar(*text);
	}
}

static void print_zsh_value(const struct syc_option *option)
{
	if (option->value == NULL)
		return;
	printf(option->value[0] == '[' ? "::" : ":");
	print_escaped(option->value[0] == '[' ? "value" : option->value);
	switch (completion_offer(option)) {
	case SYC_OFFER_CHOICES:
		printf(":(%s)", option->choices);
		break;
	case SYC_OFFER_FILES:
		printf(":_files");
		break;
	case SYC_OFFER_FOLDERS:
		printf(":_files -/");
		break;
	case SYC_OFFER_NOTHING:
		printf(": ");
		break;
	}
}

static void print_zsh_option(const struct syc_command *command,
                             const struct syc_option *option)
{
	const bool optional = option->value != NULL && option->value[0] == '[';
	const char *equals = option->value == NULL ? "" : optional ? "=-" : "=";

	(void)command;
	if (option->key < 256) {
		printf("\t\t\t'*-%c%s[", option->key, option->value ? "+" : "");
		print_escaped(option->help);
		putchar(']');
		print_zsh_value(option);
		puts("' \\");
	}
	printf("\t\t\t'*--%s%s[", option->name, equals);
	print_escaped(option->help);
	putchar(']');
	print_zsh_value(option);
	puts("' \\");
}

static void print_zsh_command(const struct syc_command *command)
{
	printf("\t%s)\n\t\t_arguments -s -S \\\n", command->name);
	completion_each(command, print_zsh_option);
	if (command->operand == SYC_OPERAND_COMMAND)
		puts("\t\t\t'(-):command:_command_names -e' \\\n"
		     "\t\t\t'*::arguments:_normal'");
	else if (command->operand == SYC_OPERAND_WORD)
		printf("\t\t\t'1:which:(%s)'\n", command->words);
	else
		puts("\t\t\t'*:file:_files'");
	puts("\t\t;;");
}

static void completion_zsh(void)
{
	puts("#compdef syscap\n"
	     "# zsh completion for syscap, made by 'syscap completion zsh'\n"
	     "_syscap() {\n"
	     "\tlocal -a commands=(");
	for (size_t i = 0; syc_commands[i] != NULL; i++) {
		printf("\t\t'%s:", syc_commands[i]->name);
		print_escaped(syc_commands[i]->summary);
		puts("'");
	}
	puts("\t)\n"
	     "\tif ((CURRENT == 2)); then\n"
	     "\t\t_describe command commands\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tlocal command=$words[2]\n"
	     "\tshift words\n"
	     "\t((CURRENT--))\n"
	     "\tcase $command in");
	for (size_t i = 0; syc_commands[i] != NULL; i++)
		print_zsh_command(syc_commands[i]);
	puts("\thelp)\n"
	     "\t\t_describe command commands\n"
	     "\t\t;;\n"
	     "\tesac\n"
	     "}\n"
	     "if [[ $funcstack[1] == _syscap ]]; then\n"
	     "\t_syscap \"$@\"\n"
	     "else\n"
	     "\tcompdef _syscap syscap\n"
	     "fi");
}

static const struct {
	const char *name;
	void (*print)(void);
} shells[] = {
	{ "bash", completion_bash },
	{ "zsh", completion_zsh },
	{ "fish", completion_fish },
};

static int run_completion(int argc, char **argv)
{
	struct syc_words words = { .command = &cmd_completion,
		                   .argc = argc,
		                   .argv = argv };

	while (syc_options_next(&words) > 0)
		;
	if (words.status >= 0)
		return words.status;
	for (unsigned i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (argc - optind == 1 &&
		    strcmp(argv[optind], shells[i].name) == 0) {
			shells[i].print();
			return syc_cli_error_finish_output(argv[0],
			                                   SYC_EXIT_DONE);
		}
	fprintf(stderr, "%s: expected one shell: bash, zsh or fish\n", argv[0]);
	return syc_cli_error_misuse(argv[0]);
}

static const struct syc_command cmd_completion = {
	.name = "completion",
	.run = run_completion,
	.summary = "print a completion script for a shell",
	.synopsis = "bash|zsh|fish",
	.about = "Print a script that completes syscap's commands, options and "
		 "files.  Installing syscap also installs the three scripts.",
	.example = ". <(syscap completion bash)",
	.status = "0 on success; 1 if the output is unwritable; 2 for wrong "
		  "use.",
	.operand = SYC_OPERAND_WORD,
	.words = "bash zsh fish",
};
