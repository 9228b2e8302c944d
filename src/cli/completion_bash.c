/* SPDX-License-Identifier: BSD-2-Clause */
/* completion_bash.c - completions for bash. */
#include <stdio.h>

#include "cli/completion.h"

static void print_words(const struct syc_command *command,
                        const struct syc_option *option)
{
	(void)command;
	if (option->key < 256)
		printf(" -%c", option->key);
	printf(" --%s", option->name);
}

/* "--output=" is three words for bash, "-o" one. */
static void print_value(const struct syc_command *command,
                        const struct syc_option *option)
{
	(void)command;
	if (option->value == NULL || option->value[0] == '[')
		return;
	printf("\t\t");
	if (option->key < 256)
		printf("-%c|", option->key);
	printf("--%s) ", option->name);
	switch (syc_completion_offer(option)) {
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

static void print_command(const struct syc_command *command)
{
	printf("\t%s)\n\t\toptions='", command->name);
	syc_completion_each(command, print_words);
	puts("'\n\t\tcase $prev in");
	syc_completion_each(command, print_value);
	puts("\t\tesac");
	if (command->operand == SYC_OPERAND_COMMAND)
		puts("\t\toperands=(-c)");
	else if (command->operand == SYC_OPERAND_WORD)
		printf("\t\toperands=(-W '%s')\n", command->words);
	puts("\t\t;;");
}

void syc_completion_bash(void)
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
	for (size_t i = 0; syc_completion_commands[i] != NULL; i++)
		printf("\t\t\t%s\n", syc_completion_commands[i]->name);
	puts("\t\t' -- \"$cur\"))\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tcase ${COMP_WORDS[1]} in");
	for (size_t i = 0; syc_completion_commands[i] != NULL; i++)
		print_command(syc_completion_commands[i]);
	printf("\thelp)\n\t\toperands=(-W '");
	for (size_t i = 0; syc_completion_commands[i] != NULL; i++)
		printf("%s%s", i > 0 ? " " : "",
		       syc_completion_commands[i]->name);
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
