/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mount_table.c - the lines of mountinfo and of /proc/mounts.
 *
 * mountinfo: id, parent, device number, root, point, options, any number of
 * optional fields, "-", type, device, options of the file system.
 * mounts: device, point, type, options, 0, 0.
 * Blanks and backslashes in a field are written as \ and three octal digits.
 */
#define _GNU_SOURCE
#include "symbols/mount_table.h"

#include <string.h>

#include "data/copy.h"

#define FIELDS_MAX 32u /* of a line: fewer than these are of use */

struct field {
	const char *text;
	size_t len;
};

static bool is_octal(const char *text)
{
	return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' &&
	       text[1] <= '7' && text[2] >= '0' && text[2] <= '7';
}

static char *unescape(const struct field *field)
{
	char *text = malloc(field->len + 1), *to = text;
	const char *from = field->text, *end = from + field->len;

	if (text == NULL)
		return NULL;
	while (from < end) {
		if (*from == '\\' && end - from >= 4 && is_octal(from + 1)) {
			*to++ = (char)((from[1] - '0') << 6 |
			               (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
	return text;
}

static size_t split(const char *line, size_t len, struct field *fields)
{
	const char *end = line + len;
	size_t n = 0;

	while (line < end && n < FIELDS_MAX) {
		const char *blank = memchr(line, ' ', (size_t)(end - line));
		const char *stop = blank ? blank : end;

		if (stop > line)
			fields[n++] =
				(struct field){ line, (size_t)(stop - line) };
		line = stop + 1;
	}
	return n;
}

static void free_mount(struct syc_mount *mount)
{
	free(mount->device);
	free(mount->root);
	free(mount->point);
	free(mount->type);
	free(mount->options);
}

static int add_mount(struct syc_mount_table *table, const struct field *device,
                     const struct field *root, const struct field *point,
                     const struct field *type, const struct field *options)
{
	struct syc_mount mount = {
		.device = unescape(device),
		.root = unescape(root),
		.point = unescape(point),
		.type = unescape(type),
		/* Options have commas of their own escaped; see there. */
		.options = syc_copy_text(options->text, options->len),
	};

	if (mount.device && mount.root && mount.point && mount.type &&
	    mount.options && syc_array_push(&table->array, mount) == 0)
		return 0;
	free_mount(&mount);
	return -ENOMEM;
}

static int parse_mountinfo_line(struct syc_mount_table *table,
                                const struct field *fields, size_t n)
{
	size_t dash = 6;

	while (dash < n &&
	       !(fields[dash].len == 1 && fields[dash].text[0] == '-'))
		dash++;
	if (dash + 3 >= n)
		return 0;
	return add_mount(table, &fields[dash + 2], &fields[3], &fields[4],
	                 &fields[dash + 1], &fields[dash + 3]);
}

static int parse_mounts_line(struct syc_mount_table *table,
                             const struct field *fields, size_t n)
{
	static const struct field root = { "/", 1 };

	if (n < 4)
		return 0;
	return add_mount(table, &fields[0], &root, &fields[1], &fields[2],
	                 &fields[3]);
}

static int parse(struct syc_mount_table *table, const char *text, size_t size,
                 int (*parse_line)(struct syc_mount_table *table,
                                   const struct field *fields, size_t n))
{
	const char *end = text + size;
	int r = 0;

	while (r == 0 && text < end) {
		struct field fields[FIELDS_MAX];
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;
		const size_t len = (size_t)(stop - text);

		/* A path with a NUL in it is none. */
		if (memchr(text, 0, len) == NULL)
			r = parse_line(table, fields, split(text, len, fields));
		text = stop + 1;
	}
	return r;
}

int syc_mount_table_parse_mountinfo(struct syc_mount_table *table,
                                    const char *text, size_t size)
{
	return parse(table, text, size, parse_mountinfo_line);
}

int syc_mount_table_parse_mounts(struct syc_mount_table *table,
                                 const char *text, size_t size)
{
	return parse(table, text, size, parse_mounts_line);
}

const char *syc_mount_below(const char *folder, const char *path)
{
	size_t len = strlen(folder);

	while (len > 0 && folder[len - 1] == '/')
		len--;
	if (strncmp(folder, path, len) != 0)
		return NULL;
	return path[len] == '/' || path[len] == 0 ? path + len : NULL;
}

const struct syc_mount *
syc_mount_table_find(const struct syc_mount_table *table, const char *path)
{
	const struct syc_mount *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < table->array.n; i++) {
		const struct syc_mount *mount = &table->array.items[i];
		const size_t len = strlen(mount->point);

		if (len >= best_len && syc_mount_below(mount->point, path)) {
			best = mount;
			best_len = len;
		}
	}
	return best;
}

int syc_mount_option(const struct syc_mount *mount, const char *name,
                     char **ret_value)
{
	const size_t len = strlen(name);
	const char *at = mount->options;

	*ret_value = NULL;
	while (*at != 0) {
		const size_t option = strcspn(at, ",");

		if (option > len && strncmp(at, name, len) == 0 &&
		    at[len] == '=') {
			const struct field value = { at + len + 1,
				                     option - len - 1 };

			*ret_value = unescape(&value);
			return *ret_value ? 0 : -ENOMEM;
		}
		at += option;
		at += *at == ',';
	}
	return 0;
}

void syc_mount_table_fini(struct syc_mount_table *table)
{
	for (size_t i = 0; i < table->array.n; i++)
		free_mount(&table->array.items[i]);
	free(table->array.items);
	memset(table, 0, sizeof(*table));
}
