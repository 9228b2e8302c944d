/* SPDX-License-Identifier: BSD-2-Clause */
/* functions.c - the functions of a profile: a name in a binary is one. */
#define _GNU_SOURCE
#include "profile/functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const notes[] = {
	[SYSCAP_FUNCTION_ROOT] = "",
	[SYSCAP_FUNCTION_CUT] = "[stack cut]",
	[SYSCAP_FUNCTION_STOPPED] = "[stack incomplete]",
	[SYSCAP_FUNCTION_EMPTY] = "[no stack]",
	[SYSCAP_FUNCTION_HIDDEN] = "[system]",
};

#define N_NOTES (sizeof(notes) / sizeof(notes[0]))

int syc_functions_init(struct syc_functions *functions, struct syc_texts *texts)
{
	const char *none;
	int r = syc_texts_keep(texts, "", 0, &none);

	memset(functions, 0, sizeof(*functions));
	for (unsigned i = 0; r == 0 && i < N_NOTES; i++) {
		struct syscap_profile_function note = {
			.binary = none,
			.category = SYSCAP_CATEGORY_NOTE,
			.is_named = true,
		};
		uint32_t number;

		r = syc_texts_keep(texts, notes[i], strlen(notes[i]),
		                   &note.name);
		if (r == 0)
			r = syc_functions_put(functions, &note, &number);
	}
	return r;
}

void syc_functions_fini(struct syc_functions *functions)
{
	syc_map_fini(&functions->by_text);
	free(functions->items.items);
	free(functions->of_binary.items);
}

int syc_functions_put(struct syc_functions *functions,
                      const struct syscap_profile_function *function,
                      uint32_t *ret_number)
{
	/* A function called "[system]" is none of the notes. */
	const struct {
		const char *name, *binary;
		uint32_t is_note, is_inlined;
	} key = {
		function->name,
		function->binary,
		function->category == SYSCAP_CATEGORY_NOTE,
		function->is_inlined,
	};
	size_t number;
	int r;

	if (syc_array_room(&functions->items) < 0)
		return -ENOMEM;
	r = syc_map_put(&functions->by_text, &key, sizeof(key), &number);
	if (r > 0)
		functions->items.items[functions->items.n++] = *function;
	if (r >= 0)
		*ret_number = (uint32_t)number;
	return r < 0 ? r : 0;
}

static int put_binary(struct syc_functions *functions, struct syc_texts *texts,
                      uint32_t of, uint32_t *ret_number)
{
	struct syscap_profile_function binary = functions->items.items[of];
	const size_t len = strlen(binary.binary);
	char *text;
	int r;

	*ret_number = of;
	binary.is_inlined = false;
	if (binary.name[0] == '[' && strlen(binary.name) == len + 2 &&
	    memcmp(binary.name + 1, binary.binary, len) == 0)
		return 0; /* it is that */
	if (asprintf(&text, "[%s]", binary.binary) < 0)
		return -ENOMEM;
	r = syc_texts_keep(texts, text, strlen(text), &binary.name);
	free(text);
	return r == 0 ? syc_functions_put(functions, &binary, ret_number) : r;
}

int syc_functions_settle(struct syc_functions *functions,
                         struct syc_texts *texts)
{
	/* More come while this goes on: each stands for itself. */
	for (size_t i = functions->of_binary.n; i < functions->items.n; i++) {
		uint32_t number = (uint32_t)i;

		if (functions->items.items[i].binary[0] != 0 &&
		    put_binary(functions, texts, number, &number) < 0)
			return -ENOMEM;
		if (syc_array_push(&functions->of_binary, number) < 0)
			return -ENOMEM;
	}
	return 0;
}

enum syscap_profile_category syc_functions_category(const char *path)
{
	static const char *const folders[] = {
		"/usr/lib/",     "/usr/lib32/", "/usr/lib64/", "/usr/libx32/",
		"/usr/libexec/", "/lib/",       "/lib32/",     "/lib64/",
		"/libx32/",      "/app/lib/",   "[vdso]",
	};

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return SYSCAP_CATEGORY_SYSTEM;
	/* What `record` preloads stands before libc, wherever it is installed. */
	return strstr(path, "/syscap/libsyscap-") != NULL
	               ? SYSCAP_CATEGORY_SYSTEM
	               : SYSCAP_CATEGORY_APPLICATION;
}
