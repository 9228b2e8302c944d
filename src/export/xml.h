/* SPDX-License-Identifier: BSD-2-Clause */
/* xml.h - texts of a capture in XML: text they stay, whatever is in them. */
#ifndef SYC_EXPORT_XML_H
#define SYC_EXPORT_XML_H

#include <stddef.h>
#include <stdio.h>

/**
 * Write at most @most characters of @text, the last one of which is "…" where
 * there are more.  What has a meaning in XML is escaped; what XML cannot hold,
 * and what turns the direction of writing, is shown as its number.
 */
void syc_xml_text(FILE *out, const char *text, size_t most);

#endif
