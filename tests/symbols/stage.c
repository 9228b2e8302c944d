/* SPDX-License-Identifier: BSD-2-Clause */
/* stage.c - a directory with ELF files, and a capture that names them. */
#define _GNU_SOURCE
#include "stage.h"

#include <elf.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"

void stage_begin(struct stage *stage)
{
	memset(stage, 0, sizeof(*stage));
	snprintf(stage->folder, sizeof(stage->folder),
	         "/tmp/syscap-symbols-XXXXXX");
	CHECK(mkdtemp(stage->folder) != NULL);
	make_begin(&stage->capture, false, 1000, 9000);
	/* Later than all files. */
	stage_set_time(stage, "2100-01-01T00:00:00Z");
}

void stage_set_time(struct stage *stage, const char *text)
{
	memset(stage->capture.data + 8, 0, 64);
	memcpy(stage->capture.data + 8, text, strlen(text));
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void stage_end(struct stage *stage)
{
	syscap_reader_close(stage->reader);
	make_free(&stage->capture);
	nftw(stage->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *stage_path(const struct stage *stage, const char *name)
{
	static char buffers[4][256];
	static unsigned turn;
	char *buffer = buffers[turn++ % 4];

	snprintf(buffer, sizeof(buffers[0]), "%s/%s", stage->folder, name);
	return buffer;
}

struct elf_spec stage_spec(const struct elf_symbol *symtab, size_t n)
{
	return (struct elf_spec){
		.is_64 = true,
		.machine = EM_X86_64,
		.symtab = symtab,
		.n_symtab = n,
		.build_id = (const unsigned char *)"\x01\x23\x45\x67"
						   "\x89\xab\xcd\xef",
		.build_id_size = 8,
	};
}

void stage_elf(const struct stage *stage, const char *name,
               const struct elf_spec *spec)
{
	char *path = strdup(stage_path(stage, name));

	CHECK(path != NULL);
	for (char *p = path + strlen(stage->folder) + 1; *p != 0; p++)
		if (*p == '/') {
			*p = 0;
			mkdir(path, 0700);
			*p = '/';
		}
	make_elf_file(spec, path);
	free(path);
}

void stage_map(struct stage *stage, int32_t pid, int64_t time, uint64_t start,
               const char *path, const char *id, uint64_t inode)
{
	make_frame(&stage->capture, SYSCAP_FRAME_MAP, -1, pid, time, 0);
	make_u64(&stage->capture, start);
	make_u64(&stage->capture, start + 0x1000);
	make_u64(&stage->capture, 0);
	make_u64(&stage->capture, inode);
	make_text(&stage->capture, path);
	if (id != NULL) {
		make_u8(&stage->capture, '@');
		make_text(&stage->capture, id);
	}
	make_end(&stage->capture);
}

void stage_read(struct stage *stage)
{
	struct syscap_error error;

	CHECK_EQ(syscap_reader_open_memory(stage->capture.data,
	                                   stage->capture.size, &stage->reader,
	                                   &error),
	         0);
}
