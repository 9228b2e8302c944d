/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module_finder.h - files that MAP frames describe, with their paths, debug
 * files and functions.
 *
 * Context of all functions: offline.
 */
#ifndef SYC_SYMBOLS_MODULE_FINDER_H
#define SYC_SYMBOLS_MODULE_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/containers.h"
#include "symbols/elf_file.h"
#include "symbols/elf_symbols.h"
#include "symbols/limited_child.h"

/*
 * Paths of a recorded process, translated to paths on this machine.
 *
 * A process in a container sees another file system.  While the process exists,
 * /proc/PID/root shows the process' file system.  Later, or on another machine,
 * OVERLAY frames and embedded mount tables of the process and its machine help.
 * The user may name the root directory of the machine's files.  All results are
 * guesses, so the caller checks each opened file.
 */

/** Owned paths.  A zero-initialized struct has none. */
struct syc_paths {
	SYC_ARRAY(char *) array;
};

void syc_paths_fini(struct syc_paths *paths);

struct syc_places;

/**
 * Create translations.  @root is the directory on this machine with the
 * recorded machine's files, or NULL or "" for "/".  Returns 0 or -ENOMEM.
 */
int syc_places_new(const char *root, bool is_live,
                   struct syc_places **ret_places);

void syc_places_free(struct syc_places *places);

/**
 * Record that the directory @to of @pid is the directory @from of the machine.
 * Returns 0 or -ENOMEM.
 */
int syc_places_add_overlay(struct syc_places *places, int32_t pid,
                           uint8_t layer, const char *from, const char *to);

/** Add @text, the content of /proc/PID/mountinfo.  Returns 0 or -ENOMEM. */
int syc_places_add_mountinfo(struct syc_places *places, int32_t pid,
                             const char *text, size_t size);

/** Add @text, the content of /proc/mounts.  Returns 0 or -ENOMEM. */
int syc_places_add_mounts(struct syc_places *places, const char *text,
                          size_t size);

/**
 * Add to @paths the paths that @path of the process may have on this machine,
 * the likeliest first, each once.  Returns 0 or -ENOMEM.
 */
int syc_places_list(const struct syc_places *places, int32_t pid,
                    const char *path, struct syc_paths *paths);

/** Return whether two processes may see different files at one path. */
bool syc_places_differ(const struct syc_places *places, int32_t pid);

/*
 * Search for the debug file of a stripped file.
 *
 * The search by build-id tries DIRECTORY/.build-id/ab/cdef.debug.  The search
 * by the name and checksum in .gnu_debuglink tries the file's directory, its
 * subdirectory .debug, and DIRECTORY with the file's path.
 */

/** Options of the download of debug files from the servers in DEBUGINFOD_URLS.
 * A zero-initialized struct downloads nothing. */
struct syc_debuginfod_options {
	int64_t time_limit; /* ns, for all downloads together */
	/* Called several times per second, with @all 0 for an unknown size, or
	 * NULL. */
	void (*progress)(void *data, uint64_t done, uint64_t all);
	void *data;
};

/**
 * Return NULL if debug files can be downloaded, or the reason for a failure.
 * Sends nothing.
 */
const char *syc_debuginfod_check(void);

/** Download of debug files.  A zero-initialized struct downloads nothing. */
struct syc_debuginfod {
	struct syc_debuginfod_options options;
	struct syc_limited_child child;
	int64_t deadline;       /* end of all downloads, or 0 before these */
	struct syc_map missing; /* build-ids without a file */
	uint64_t n;             /* number of files that were found */
	const char *why;        /* reason for the end of downloads, or NULL */
};

/**
 * Return the path of the debug file with @build_id in the cache of debuginfod's
 * clients, after its download, from malloc().  Returns NULL without a file.
 */
char *syc_debuginfod_find(struct syc_debuginfod *server, const char *build_id);

void syc_debuginfod_fini(struct syc_debuginfod *server);

struct syc_debug_files {
	const struct syc_places *places;
	/* Directories that the user named.  The search then tries
	 * /usr/lib/debug and /app/lib/debug of the process. */
	struct syc_paths directories;
	bool keeps_open; /* keep a file with debug information open */
	/* Servers to ask for a file that is in no directory, or NULL. */
	struct syc_debuginfod *server;
};

/**
 * Properties of the file that a MAP frame describes, for
 * syc_debug_files_find().
 */
struct syc_debug_wish {
	int32_t pid;
	const char *build_id; /* build-id in hex, or "" if unknown */
	/*
	 * The stripped file, or NULL.  @path is the file's path in the process,
	 * and @found the path on this machine.  Either is "" if unknown.
	 */
	const struct syc_elf *elf;
	const char *path, *found;
};

/**
 * Open only a regular file, because opening a device or a FIFO may have
 * effects.  Returns an fd or -errno.
 */
int syc_debug_files_open(const char *path);

/**
 * Find the debug file.  Returns 0 with the headers of the file and *@ret_path
 * from malloc(), -ENOENT without a debug file, or -ENOMEM.
 */
int syc_debug_files_find(const struct syc_debug_files *files,
                         const struct syc_debug_wish *wish,
                         struct syc_elf *ret_elf, char **ret_path);

/* Functions of one ELF file and its debug file, and a cache of files. */

struct syc_module {
	struct syc_elf elf;
	/* Only the debug file was found.  The debug file's segments convert
	 * offsets in the missing file. */
	bool is_debug_only;
	struct syc_elf_symbols symbols;
	struct syc_ranges functions; /* disjoint ranges of functions */
	struct syc_ranges signals;   /* disjoint ranges of signal trampolines */
	char *debug_path;            /* owned path, or NULL without another
	                              * file */
	bool is_unpacked;            /* includes symbols of .gnu_debugdata */
	int unpack_error;            /* 0, or the reason as -errno */
	/*
	 * The fd of the file with debug information, if requested, or -1.
	 */
	int debug_fd;
};

/**
 * Read all functions of @elf, and take ownership of @elf, even on failure.
 * @wish describes the debug file.  The function sets wish->elf.  Returns 0 or
 * -ENOMEM.
 */
int syc_module_load(struct syc_module *module, struct syc_elf *elf,
                    const struct syc_debug_files *files,
                    struct syc_debug_wish wish);

/**
 * Find the link-time address of the byte at @offset of the file, which is
 * @in_map bytes after the start of a mapping.
 */
bool syc_module_address(const struct syc_module *module, uint64_t offset,
                        uint64_t in_map, uint64_t *ret_address);

void syc_module_fini(struct syc_module *module);

struct syc_loaded {
	struct syc_module module;
	char **names; /* names of the module's functions, filled on demand */
};

struct syc_loaded_files {
	struct syc_map by_key;
	/* Files, by the number of their key. */
	SYC_ARRAY(struct syc_loaded *) files;
};

/**
 * Find the file with the identity @key.  The first call reads the file from
 * @elf.  Every call takes ownership of @elf.  Returns 0 or -ENOMEM.
 */
int syc_loaded_get(struct syc_loaded_files *files, const char *key,
                   struct syc_elf *elf,
                   const struct syc_debug_files *debug_files,
                   struct syc_debug_wish wish, struct syc_loaded **ret_loaded);

/**
 * Return the name of the function @range, or the position @offset in @path of a
 * function without a name.  Returns NULL if no memory is left.
 */
const char *syc_loaded_name(struct syc_loaded *loaded,
                            const struct syc_range *range, const char *path,
                            uint64_t offset);

void syc_loaded_fini(struct syc_loaded_files *files);

/**
 * A mapped file that the caller keeps open, so that the finder finds the file
 * even if its path now names another file, or none.
 *
 * A MAP with a build-id takes the file with the same build-id.  A MAP without a
 * build-id takes the file with the same @pid and path, " (deleted)" included.
 * If both files have an inode, the inodes must be equal.
 */
struct syc_symbols_file {
	int fd;           /* fd of the caller, which the finder duplicates */
	int32_t pid;      /* pid, or -1 for any process */
	const char *path; /* path in the MAP, or NULL to match only by
	                   * build-id */
	uint64_t inode;   /* inode, or 0 if unknown */
};

/** The description of a file in a MAP.  The texts must outlive the finder. */
struct syc_symbols_wish {
	int32_t pid;
	const char *path;
	const char *build_id; /* build-id, or "" */
	uint64_t inode;       /* 0: none */
};

enum syc_symbols_state {
	SYC_SYMBOLS_USED,
	SYC_SYMBOLS_UNNAMED, /* the file was read, and has no names */
	SYC_SYMBOLS_MISSING, /* no file is at the path */
	SYC_SYMBOLS_OTHER,   /* the file at the path has another build-id or
	                      * inode */
	/* The file has no build-id, and is newer than the recording's start. */
	SYC_SYMBOLS_NEWER,
	SYC_SYMBOLS_BAD /* unreadable, or no ELF file */
};

/** A file in which addresses were looked up. */
struct syc_symbols_use {
	const char *path;     /* path in the MAP */
	const char *build_id; /* build-id in the MAP, or NULL */
	const char *found;    /* path of the file or its debug file, or "" */
	const char *why;      /* details of the state, or "" */
	enum syc_symbols_state state;
	uint64_t n_asked; /* addresses looked up */
	uint64_t n_named;
	/* Addresses without a name, counted once per stack that contains the
	 * address (symbol_table.h). */
	uint64_t n_unnamed_in_stacks;
};

/** A file that was handed over open. */
struct syc_handed {
	int fd;
	dev_t dev;
	ino_t ino;
	char build_id[SYC_BUILD_ID_SIZE];
};

/** Path of an open file in a process. */
struct syc_handed_name {
	size_t file; /* index of the file in handed */
	int32_t pid; /* pid, or -1 for any process */
	uint64_t inode;
	char *path;
};

/** Files that were handed over open.  A zero-initialized struct has none. */
struct syc_handed_files {
	SYC_ARRAY(struct syc_handed) opened;
	SYC_ARRAY(struct syc_handed_name) names;
	struct syc_map by_inode; /* index, so that each file is kept once */
	struct syc_map by_name;
};

/** Add a file.  Returns 0, -ENOMEM, or an errno of dup() or fstat(). */
int syc_handed_files_add(struct syc_handed_files *files,
                         const struct syc_symbols_file *file);

/**
 * A file that a MAP describes, searched once.  The search accepts only the
 * mapped file, whose build-id equals that of the MAP.  If the MAP has no
 * build-id, the inodes must be equal.  If the MAP has no inode either, the
 * file must be older than the recording.
 */
struct syc_found {
	struct syc_symbols_wish wish;
	struct syc_symbols_use use;
	/* File in the finder's cache, or NULL. */
	struct syc_loaded *loaded;
	const char *nick;
	char *found, *why; /* owned texts, to which @use points */
};

struct syc_finder {
	struct syc_debuginfod server;
	struct syc_debug_files
		debug_files; /* search settings, whose places the caller owns */
	/* Start of the recording, seconds since 1970, or 0 if unknown. */
	int64_t begin;
	/* Files that are searched before any path. */
	struct syc_handed_files handed;
	struct syc_loaded_files loaded;
	struct syc_map by_wish;
	SYC_ARRAY(struct syc_found *) found;
};

/**
 * Find the file, or the reason why it is missing.  The result is valid as long
 * as the finder.
 */
int syc_finder_find(struct syc_finder *finder,
                    const struct syc_symbols_wish *wish,
                    struct syc_found **ret_found);

/**
 * Return the name, demangled and displayable, of the function @range of @found,
 * which begins at @offset in the file.  A very long name is cut.  Returns NULL
 * if no memory is left.
 */
const char *syc_found_name(struct syc_found *found,
                           const struct syc_range *range, uint64_t offset);

void syc_finder_fini(struct syc_finder *finder);

#endif
