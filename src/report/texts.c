/* SPDX-License-Identifier: BSD-2-Clause */
/* texts.c - the texts of a page, each once. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

/* Whose home a folder is in is nobody's business: that becomes "~". */
char *syc_page_without_homes(const char *text)
{
	static const char homes[] = "/home";
	char *clean = malloc(strlen(text) + 1), *end = clean;

	while (clean != NULL && *text != 0) {
		size_t n = 0;

		if (strncmp(text, homes, 5) == 0 && text[5] == '/')
			n = 6 + strcspn(text + 6, "/: ;,()'\"");
		else if (strncmp(text, "/root", 5) == 0 &&
		         strchr("/: ;,()'\"", text[5]) != NULL)
			n = 5;
		if (n > 0) {
			*end++ = '~';
			text += n;
		} else {
			*end++ = *text++;
		}
	}
	if (clean != NULL)
		*end = 0;
	return clean;
}

uint32_t syc_page_text(struct syc_page *page, const char *text)
{
	char *clean = NULL;
	size_t number = 0;
	int r;

	if (page->report->redact) {
		clean = syc_page_without_homes(text);
		if (clean == NULL)
			page->error = -ENOMEM;
		text = clean != NULL ? clean : "";
	}
	r = syc_map_put(&page->texts, text, strlen(text) + 1, &number);
	if (r > 0)
		page->n_text_bytes += strlen(text) + 1;
	else if (r < 0)
		page->error = -ENOMEM;
	free(clean);
	return (uint32_t)number;
}

int syc_page_write_texts(struct syc_page *page, const char *name)
{
	const size_t from = page->n_texts_written;
	const size_t n = page->texts.n - from;
	const char **texts = malloc((n + 1) * sizeof(*texts));
	int r;

	if (texts == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		texts[i] = page->texts.keys[from + i].bytes;
	r = syc_column_write_texts(&page->pack, name, n, texts);
	page->n_texts_written = page->texts.n;
	page->n_text_bytes = 0;
	free(texts);
	return r;
}
