/* SPDX-License-Identifier: BSD-2-Clause */
/* completion_fish.c - completions for fish. */
#include <stdio.h>

#include "cli/completion.h"

/* In single quotes only the quote and the backslash are special. */
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

static void print_option(const struct syc_command *command,
                         const struct syc_option *option)
{
	printf("complete -c syscap -n '__fish_seen_subcommand_from %s'",
	       command->name);
	if (option->key < 256)
		printf(" -s %c", option->key);
	printf(" -l %s", option->name);
	if (option->value != NULL && option->value[0] != '[')
		printf(" -r");
	switch (syc_completion_offer(option)) {
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

static void print_command(const struct syc_command *command)
{
	printf("complete -c syscap -n __fish_use_subcommand -f -a %s -d ",
	       command->name);
	print_quoted(command->summary);
	putchar('\n');
	syc_completion_each(command, print_option);
	if (command->operand == SYC_OPERAND_FILE)
		return;
	printf("complete -c syscap -n '__fish_seen_subcommand_from %s' -f -a ",
	       command->name);
	if (command->operand == SYC_OPERAND_COMMAND)
		puts("'(__fish_complete_subcommand --fcs-skip=2)'");
	else
		printf("'%s'\n", command->words);
}

void syc_completion_fish(void)
{
	puts("# fish completion for syscap, made by 'syscap completion fish'\n"
	     "complete -c syscap -n __fish_use_subcommand -f -s h -l help "
	     "-d 'list the commands'\n"
	     "complete -c syscap -n __fish_use_subcommand -f -s V -l version "
	     "-d 'print the version'");
	for (size_t i = 0; syc_completion_commands[i] != NULL; i++)
		print_command(syc_completion_commands[i]);
}
