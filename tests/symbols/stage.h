/* SPDX-License-Identifier: BSD-2-Clause */
/* stage.h - a directory with ELF files, and a capture that names them. */
#ifndef SYSCAP_TEST_STAGE_H
#define SYSCAP_TEST_STAGE_H

#include <stdint.h>

#include <syscap/capture.h>

#include "harness/make_capture.h"
#include "make_elf.h"

/** The build-id of stage_spec(), as text, as in MAP frames. */
#define STAGE_ID "0123456789abcdef"

struct stage {
	char folder[64]; /* without a slash at its end */
	struct make_capture capture;
	struct syscap_reader *reader; /* after stage_read() */
};

/** Make the directory; the capture begins at 1000 ns. */
void stage_begin(struct stage *stage);

/** Set the capture's start: "2020-01-01T00:00:00Z". */
void stage_set_time(struct stage *stage, const char *text);

/** Remove the directory and the capture. */
void stage_end(struct stage *stage);

/** The path of @name in the directory, in one of a few buffers in turn. */
const char *stage_path(const struct stage *stage, const char *name);

/** An x86-64 file with a build-id; symbols belong to the caller. */
struct elf_spec stage_spec(const struct elf_symbol *symtab, size_t n);

/** Make the ELF file @name in the directory, with any subdirectories. */
void stage_elf(const struct stage *stage, const char *name,
               const struct elf_spec *spec);

/** Add a MAP of the whole file @path at @start; @id and @inode may be NULL and
 * 0. */
void stage_map(struct stage *stage, int32_t pid, int64_t time, uint64_t start,
               const char *path, const char *id, uint64_t inode);

/** Open the capture made so far. */
void stage_read(struct stage *stage);

#endif
