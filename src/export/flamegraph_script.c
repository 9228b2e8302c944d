/* SPDX-License-Identifier: BSD-2-Clause */
/* flamegraph_script.c - flamegraph.js, which is written into each picture. */

extern const char sc_flamegraph_script[];

__asm__(".pushsection .rodata\n"
        ".globl sc_flamegraph_script\n"
        ".hidden sc_flamegraph_script\n"
        "sc_flamegraph_script:\n"
        ".incbin \"" SC_FLAMEGRAPH_SCRIPT "\"\n"
        ".byte 0\n"
        ".popsection\n");
