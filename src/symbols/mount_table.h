/* SPDX-License-Identifier: BSD-2-Clause */
/* mount_table.h - the lines of mountinfo and of /proc/mounts.  Pure. */
#ifndef SYC_SYMBOLS_MOUNT_TABLE_H
#define SYC_SYMBOLS_MOUNT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "data/array.h"

/** One mount; the texts are owned and unescaped. */
struct syc_mount {
	char *device; /* what is mounted */
	char *root;   /* the folder in it; "/" in /proc/mounts */
	char *point;  /* where it is mounted */
	char *type;
	char *options; /* of the file system: lowerdir=..., subvol=... */
};

/** In the order of the file: later ones cover earlier ones. */
struct syc_mount_table {
	SYC_ARRAY(struct syc_mount) array;
};

/** Lines that make no sense are left out.  0 or -ENOMEM. */
int syc_mount_table_parse_mountinfo(struct syc_mount_table *table,
                                    const char *text, size_t size);
int syc_mount_table_parse_mounts(struct syc_mount_table *table,
                                 const char *text, size_t size);

/** The mount that @path is in, or NULL. */
const struct syc_mount *
syc_mount_table_find(const struct syc_mount_table *table, const char *path);

/**
 * What of @path is below @folder: "" or "/...".  NULL: it is not in there.
 * "/" as the folder has all.
 */
const char *syc_mount_below(const char *folder, const char *path);

/**
 * Copy the value of option @name, "lowerdir", of @mount.  *@ret_value is NULL
 * where there is none.  0 or -ENOMEM.
 */
int syc_mount_option(const struct syc_mount *mount, const char *name,
                     char **ret_value);

void syc_mount_table_fini(struct syc_mount_table *table);

#endif
