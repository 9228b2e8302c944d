/* SPDX-License-Identifier: BSD-2-Clause */
/* texts.c - the texts of a page, each once. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

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
