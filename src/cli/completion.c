/* SPDX-License-Identifier: BSD-2-Clause */
/* completion.c - what there is to complete, for all shells. */
#include "cli/completion.h"

#include <string.h>

const struct sc_command *const *sc_completion_commands;

enum sc_offer sc_completion_offer(const struct sc_option *option)
{
	if (option->choices != NULL)
		return SC_OFFER_CHOICES;
	if (option->value == NULL)
		return SC_OFFER_NOTHING;
	if (strcmp(option->value, "DIR") == 0)
		return SC_OFFER_FOLDERS;
	if (strcmp(option->value, "FILE") == 0 ||
	    strcmp(option->value, "OUTPUT") == 0)
		return SC_OFFER_FILES;
	return SC_OFFER_NOTHING;
}

void sc_completion_each(const struct sc_command *command,
                        void (*each)(const struct sc_command *command,
                                     const struct sc_option *option))
{
	const struct sc_option *const tables[] = {
		command->options,
		command->shared,
		sc_options_of_all,
	};

	for (unsigned i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct sc_option *option = tables[i];
		     option != NULL && option->name != NULL; option++)
			each(command, option);
}
