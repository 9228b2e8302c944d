/* SPDX-License-Identifier: BSD-2-Clause */
/* completion.c - what there is to complete, for all shells. */
#include "cli/completion.h"

#include <string.h>

const struct syc_command *const *syc_completion_commands;

enum syc_offer syc_completion_offer(const struct syc_option *option)
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

void syc_completion_each(const struct syc_command *command,
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
