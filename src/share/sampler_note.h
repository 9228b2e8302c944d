/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler_note.h - an ELF note, by which it is seen from outside that an object (a
 * program, a library) has a sampler of its own.
 *
 * Section .note.syscap, name "syscap", type 1, and 4 bytes: 1, the version of
 * what SYSCAP_SAMPLE may hold.  Whoever brings a sampler with him, such as
 * the library that is preloaded, leaves sampling to an object that has one:
 * providers of runtimes' frames are attached to that.
 */
#ifndef SYC_SAMPLER_NOTE_H
#define SYC_SAMPLER_NOTE_H

#define SYC_SAMPLER_NOTE_TYPE 1

/* Once, in a file that is linked wherever the sampler is. */
#define SYC_SAMPLER_NOTE                                    \
	__asm__(".pushsection .note.syscap, \"a\", %note\n" \
	        "	.balign 4\n"                              \
	        "	.long 7, 4, 1\n"                          \
	        "	.asciz \"syscap\"\n"                      \
	        "	.balign 4\n"                              \
	        "	.long 1\n"                                \
	        "	.popsection\n")

#endif
