/* SPDX-License-Identifier: BSD-2-Clause */
/* flamegraph_script.c - flamegraph.js, which is written into each picture. */

extern const char syc_flamegraph_script[];

__asm__(".pushsection .rodata\n"
        ".globl syc_flamegraph_script\n"
        ".hidden syc_flamegraph_script\n"
        "syc_flamegraph_script:\n"
        ".incbin \"" SYC_FLAMEGRAPH_SCRIPT "\"\n"
        ".byte 0\n"
        ".popsection\n");
