/* SPDX-License-Identifier: BSD-2-Clause */
/* page.c - what of a page is no data: page/, as join.cmake has joined it. */

extern const char syc_page_head[], syc_page_body[], syc_page_script[];

#define EMBED(symbol, file)                           \
	__asm__(".pushsection .rodata\n"              \
	        ".globl " #symbol "\n"                \
	        ".hidden " #symbol "\n" #symbol ":\n" \
	        ".incbin \"" file "\"\n"              \
	        ".byte 0\n"                           \
	        ".popsection\n")

EMBED(syc_page_head, SYC_PAGE_FOLDER "/head.html");
EMBED(syc_page_body, SYC_PAGE_FOLDER "/body.html");
EMBED(syc_page_script, SYC_PAGE_FOLDER "/script.js");
