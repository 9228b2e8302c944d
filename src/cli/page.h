/* SPDX-License-Identifier: BSD-2-Clause */
/* page.h - make the HTML page of a capture: for `report`, and for `record`
 * when it has one made at its end. */
#ifndef SYC_CLI_PAGE_H
#define SYC_CLI_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/filter_options.h"
#include "cli/out_file.h"

struct syc_page_request {
	const char *command; /* for messages */
	const char *file;
	const char *other; /* a file that it is compared with; or NULL */
	struct syc_out_file output;
	struct syc_filter_options filter;
	unsigned max_mib; /* of the page; 0: as many as is usual */
	bool redact;
	bool quiet; /* say nothing where all is well */
};

/** Whether a page may take the place of what has @name, which nobody gave: an
 * older page, or nothing; else false, with a message. */
bool syc_page_may_replace(const char *command, const char *name);

/** The exit status; failures are told. */
int syc_page_make(struct syc_page_request *request);

/** Show the page @file in whatever browser there is; false, with a message. */
bool syc_page_open(const char *command, const char *file);

#endif
