/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handed_files.h - files that were open while they were mapped, and are kept
 * open: they are found whatever their paths name by now.
 *
 * Context of all: offline.
 */
#ifndef SYC_SYMBOLS_HANDED_FILES_H
#define SYC_SYMBOLS_HANDED_FILES_H

#include <sys/types.h>

#include "data/array.h"
#include "data/map.h"
#include "symbols/elf_file.h"
#include "symbols/symbol_files.h"

/** A file that is open already. */
struct syc_handed {
	int fd;
	dev_t dev;
	ino_t ino;
	char build_id[SYC_BUILD_ID_SIZE];
};

/** What a process calls one of them. */
struct syc_handed_name {
	size_t file; /* of handed */
	int32_t pid; /* -1: any */
	uint64_t inode;
	char *path;
};

/** All zero is none. */
struct syc_handed_files {
	SYC_ARRAY(struct syc_handed) opened;
	SYC_ARRAY(struct syc_handed_name) names;
	struct syc_map by_inode; /* of what is added, so that it is once */
	struct syc_map by_name;
};

/** 0, -ENOMEM, or what dup() and fstat() fail with. */
int syc_handed_files_add(struct syc_handed_files *files,
                         const struct syc_symbols_file *file);

/**
 * Step through those that may be what is meant by @wish, from *@at, which is 0
 * at first: the descriptor of one, which stays open; or -1.
 */
int syc_handed_files_next(const struct syc_handed_files *files,
                          const struct syc_symbols_wish *wish, size_t *at);

void syc_handed_files_fini(struct syc_handed_files *files);

#endif
