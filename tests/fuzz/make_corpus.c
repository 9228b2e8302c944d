/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_corpus.c - generator of the start corpus of fuzzing, which tests of the
 * command read, too:
 *
 *	make_corpus FOLDER DIRECTORY	those of fuzz/corpus/FOLDER
 *
 * A new case is a function and a line in the table of its directory.
 */
#include <stdio.h>
#include <string.h>

#include "corpus.h"

static const struct {
	const char *name;
	const struct corpus_case *cases;
} folders[] = {
	{ "reader", corpus_reader }, { "join", corpus_join },
	{ "elf", corpus_elf },       { "lines", corpus_lines },
	{ "dropin", corpus_dropin },
};

static int write_case(const char *directory, const struct corpus_case *of)
{
	struct make_capture bytes = { .big = of->is_big };
	char path[4096];
	FILE *out;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", directory, of->name);
	out = fopen(path, "wb");
	if (!out) {
		perror(path);
		return 1;
	}
	of->make(&bytes);
	n = fwrite(bytes.data, 1, bytes.size, out);
	if (fclose(out) != 0 || n != bytes.size) {
		perror(path);
		return 1;
	}
	make_free(&bytes);
	return 0;
}

int main(int argc, char **argv)
{
	const struct corpus_case *of = NULL;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (argc == 3 && strcmp(argv[1], folders[i].name) == 0)
			of = folders[i].cases;
	if (of == NULL) {
		fprintf(stderr, "Usage: make_corpus FOLDER DIRECTORY\n");
		return 2;
	}
	for (; of->name != NULL; of++)
		if (write_case(argv[2], of) != 0)
			return 1;
	return 0;
}
