/* SPDX-License-Identifier: BSD-2-Clause */
/* completion_zsh.c - completions for zsh. */
#include <stdio.h>
#include <string.h>

#include "cli/completion.h"

/* In single quotes, and where brackets and colons end a part. */
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

static void print_value(const struct syc_option *option)
{
	if (option->value == NULL)
		return;
	printf(option->value[0] == '[' ? "::" : ":");
	print_escaped(option->value[0] == '[' ? "value" : option->value);
	switch (syc_completion_offer(option)) {
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

static void print_option(const struct syc_command *command,
                         const struct syc_option *option)
{
	const bool optional = option->value != NULL && option->value[0] == '[';
	const char *equals = option->value == NULL ? "" : optional ? "=-" : "=";

	(void)command;
	if (option->key < 256) {
		printf("\t\t\t'*-%c%s[", option->key, option->value ? "+" : "");
		print_escaped(option->help);
		putchar(']');
		print_value(option);
		puts("' \\");
	}
	printf("\t\t\t'*--%s%s[", option->name, equals);
	print_escaped(option->help);
	putchar(']');
	print_value(option);
	puts("' \\");
}

static void print_command(const struct syc_command *command)
{
	printf("\t%s)\n\t\t_arguments -s -S \\\n", command->name);
	syc_completion_each(command, print_option);
	if (command->operand == SYC_OPERAND_COMMAND)
		puts("\t\t\t'(-):command:_command_names -e' \\\n"
		     "\t\t\t'*::arguments:_normal'");
	else if (command->operand == SYC_OPERAND_WORD)
		printf("\t\t\t'1:which:(%s)'\n", command->words);
	else
		puts("\t\t\t'*:file:_files'");
	puts("\t\t;;");
}

void syc_completion_zsh(void)
{
	puts("#compdef syscap\n"
	     "# zsh completion for syscap, made by 'syscap completion zsh'\n"
	     "_syscap() {\n"
	     "\tlocal -a commands=(");
	for (size_t i = 0; syc_completion_commands[i] != NULL; i++) {
		printf("\t\t'%s:", syc_completion_commands[i]->name);
		print_escaped(syc_completion_commands[i]->summary);
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
	for (size_t i = 0; syc_completion_commands[i] != NULL; i++)
		print_command(syc_completion_commands[i]);
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
