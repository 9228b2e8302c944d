/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mount_paths.c - translation of a recorded process' paths by mount tables.
 *
 * Fields of mountinfo: id, parent, device number, root, mount point, options,
 * any number of optional fields, "-", type, device, options of the file system.
 * Fields of /proc/mounts: device, mount point, type, options, 0, 0.  Blanks and
 * backslashes in a field are escaped as \ and three octal digits.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/strings.h"
#include "symbols/module_finder.h"

/* A mount.  The texts are owned and unescaped. */
struct syc_mount {
	char *device; /* the mounted device */
	char *root;   /* directory on the device; "/" in /proc/mounts */
	char *point;  /* mount point */
	char *type;
	/* Options of the file system: lowerdir=..., subvol=... */
	char *options;
};

/* Mounts in the order of the file, in which later mounts cover earlier
 * mounts. */
struct mount_table {
	SYC_ARRAY(struct syc_mount) array;
};

#define FIELDS_MAX 32u /* limit; later fields are not needed */

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

static int add_mount(struct mount_table *table, const struct field *device,
                     const struct field *root, const struct field *point,
                     const struct field *type, const struct field *options)
{
	struct syc_mount mount = {
		.device = unescape(device),
		.root = unescape(root),
		.point = unescape(point),
		.type = unescape(type),
		/* Commas inside an option stay escaped until mount_option() */
		.options = syc_copy_text(options->text, options->len),
	};

	if (mount.device && mount.root && mount.point && mount.type &&
	    mount.options && syc_array_push(&table->array, mount) == 0)
		return 0;
	free_mount(&mount);
	return -ENOMEM;
}

static int parse_mountinfo_line(struct mount_table *table,
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

static int parse_mounts_line(struct mount_table *table,
                             const struct field *fields, size_t n)
{
	static const struct field root = { "/", 1 };

	if (n < 4)
		return 0;
	return add_mount(table, &fields[0], &root, &fields[1], &fields[2],
	                 &fields[3]);
}

static int parse(struct mount_table *table, const char *text, size_t size,
                 int (*parse_line)(struct mount_table *table,
                                   const struct field *fields, size_t n))
{
	const char *end = text + size;
	int r = 0;

	while (r == 0 && text < end) {
		struct field fields[FIELDS_MAX];
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;
		const size_t len = (size_t)(stop - text);

		/* Skip lines with a NUL, which no path contains. */
		if (memchr(text, 0, len) == NULL)
			r = parse_line(table, fields, split(text, len, fields));
		text = stop + 1;
	}
	return r;
}

/* Parse mountinfo, without malformed lines.  Returns 0 or -ENOMEM. */
static int mount_table_parse_mountinfo(struct mount_table *table,
                                       const char *text, size_t size)
{
	return parse(table, text, size, parse_mountinfo_line);
}

static int mount_table_parse_mounts(struct mount_table *table, const char *text,
                                    size_t size)
{
	return parse(table, text, size, parse_mounts_line);
}

/*
 * Return the part of @path below @directory, "" or "/...", or NULL if @path is
 * not below.  Every path is below "/".
 */
static const char *mount_below(const char *directory, const char *path)
{
	size_t len = strlen(directory);

	while (len > 0 && directory[len - 1] == '/')
		len--;
	if (strncmp(directory, path, len) != 0)
		return NULL;
	return path[len] == '/' || path[len] == 0 ? path + len : NULL;
}

/* Return the mount that contains @path, or NULL. */
static const struct syc_mount *mount_table_find(const struct mount_table *table,
                                                const char *path)
{
	const struct syc_mount *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < table->array.n; i++) {
		const struct syc_mount *mount = &table->array.items[i];
		const size_t len = strlen(mount->point);

		if (len >= best_len && mount_below(mount->point, path)) {
			best = mount;
			best_len = len;
		}
	}
	return best;
}

/*
 * Copy the value of the option @name, such as "lowerdir", of @mount.
 * *@ret_value is NULL if the mount lacks the option.  Returns 0 or -ENOMEM.
 */
static int mount_option(const struct syc_mount *mount, const char *name,
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

static void mount_table_fini(struct mount_table *table)
{
	for (size_t i = 0; i < table->array.n; i++)
		free_mount(&table->array.items[i]);
	free(table->array.items);
	memset(table, 0, sizeof(*table));
}

struct overlay {
	uint8_t layer;
	char *from, *to;
};

/* The file system in the view of one process. */
struct view {
	int32_t pid;
	SYC_ARRAY(struct overlay) overlays; /* lower layers first */
	struct mount_table mounts;
};

struct syc_places {
	char *root; /* path without a trailing slash */
	bool is_live;
	struct syc_map by_pid;
	SYC_ARRAY(struct view *) views;
	struct mount_table machine;
};

void syc_paths_fini(struct syc_paths *paths)
{
	for (size_t i = 0; i < paths->array.n; i++)
		free(paths->array.items[i]);
	free(paths->array.items);
	memset(paths, 0, sizeof(*paths));
}

int syc_places_new(const char *root, bool is_live,
                   struct syc_places **ret_places)
{
	struct syc_places *places = calloc(1, sizeof(*places));
	size_t len;

	if (places == NULL)
		return -ENOMEM;
	places->root = strdup(root ? root : "");
	if (places->root == NULL) {
		free(places);
		return -ENOMEM;
	}
	len = strlen(places->root);
	while (len > 0 && places->root[len - 1] == '/')
		places->root[--len] = 0;
	places->is_live = is_live;
	*ret_places = places;
	return 0;
}

void syc_places_free(struct syc_places *places)
{
	if (places == NULL)
		return;
	for (size_t i = 0; i < places->views.n; i++) {
		struct view *view = places->views.items[i];

		for (size_t j = 0; j < view->overlays.n; j++) {
			free(view->overlays.items[j].from);
			free(view->overlays.items[j].to);
		}
		free(view->overlays.items);
		mount_table_fini(&view->mounts);
		free(view);
	}
	free(places->views.items);
	syc_map_fini(&places->by_pid);
	mount_table_fini(&places->machine);
	free(places->root);
	free(places);
}

static struct view *find_view(const struct syc_places *places, int32_t pid)
{
	size_t number;

	if (!syc_map_get(&places->by_pid, &pid, sizeof(pid), &number) ||
	    number >= places->views.n)
		return NULL;
	return places->views.items[number];
}

static struct view *make_view(struct syc_places *places, int32_t pid)
{
	struct view *view = find_view(places, pid);
	size_t number;

	if (view != NULL)
		return view;
	view = calloc(1, sizeof(*view));
	if (view == NULL)
		return NULL;
	view->pid = pid;
	/* Reserve space first, so that the map never has more elements than the
	 * array. */
	if (syc_array_room(&places->views) < 0 ||
	    syc_map_put(&places->by_pid, &pid, sizeof(pid), &number) < 0) {
		free(view);
		return NULL;
	}
	places->views.items[places->views.n++] = view;
	return view;
}

int syc_places_add_overlay(struct syc_places *places, int32_t pid,
                           uint8_t layer, const char *from, const char *to)
{
	struct view *view = make_view(places, pid);
	struct overlay overlay = { .layer = layer };
	size_t i;

	if (view == NULL || syc_array_room(&view->overlays) < 0)
		return -ENOMEM;
	overlay.from = strdup(from);
	overlay.to = strdup(to);
	if (overlay.from == NULL || overlay.to == NULL) {
		free(overlay.from);
		free(overlay.to);
		return -ENOMEM;
	}
	for (i = view->overlays.n++;
	     i > 0 && view->overlays.items[i - 1].layer > layer; i--)
		view->overlays.items[i] = view->overlays.items[i - 1];
	view->overlays.items[i] = overlay;
	return 0;
}

int syc_places_add_mountinfo(struct syc_places *places, int32_t pid,
                             const char *text, size_t size)
{
	struct view *view = make_view(places, pid);

	if (view == NULL)
		return -ENOMEM;
	mount_table_fini(&view->mounts);
	return mount_table_parse_mountinfo(&view->mounts, text, size);
}

int syc_places_add_mounts(struct syc_places *places, const char *text,
                          size_t size)
{
	mount_table_fini(&places->machine);
	return mount_table_parse_mounts(&places->machine, text, size);
}

/* Add the concatenation of @a, @b and @c, if the path is new. */
static int add_path(struct syc_paths *paths, const char *a, const char *b,
                    const char *c)
{
	char *path;

	if (strlen(a) + strlen(b) + strlen(c) >= PATH_MAX)
		return 0;
	if (asprintf(&path, "%s%s%s", a, b, c) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < paths->array.n; i++)
		if (strcmp(paths->array.items[i], path) == 0) {
			free(path);
			return 0;
		}
	if (syc_array_push(&paths->array, path) < 0) {
		free(path);
		return -ENOMEM;
	}
	return 0;
}

static int add_overlays(const struct syc_places *places,
                        const struct view *view, const char *path,
                        struct syc_paths *paths)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < view->overlays.n; i++) {
		const struct overlay *overlay = &view->overlays.items[i];
		const char *rest = mount_below(overlay->to, path);

		if (rest != NULL)
			r = add_path(paths, places->root, overlay->from, rest);
	}
	return r;
}

/* Add the layers of an overlay file system: "/a:/b", upper layers first. */
static int add_layers(const struct syc_places *places,
                      const struct syc_mount *mount, const char *option,
                      const char *rest, struct syc_paths *paths)
{
	char *value, *next, *directory;
	int r = mount_option(mount, option, &value);

	if (r < 0 || value == NULL)
		return r;
	next = value;
	while (r == 0 && (directory = strsep(&next, ":")) != NULL)
		if (directory[0] == '/')
			r = add_path(paths, places->root, directory, rest);
	free(value);
	return r;
}

/*
 * Add the paths on a bind mount, or on another disk, whose device this machine
 * has mounted at some path.  The root and this machine's mount options name a
 * subvolume of btrfs.
 */
static int add_device(const struct syc_places *places,
                      const struct syc_mount *mount, const char *rest,
                      struct syc_paths *paths)
{
	const char *root = strcmp(mount->root, "/") == 0 ? "" : mount->root;
	int r = 0;

	for (size_t i = 0; r == 0 && i < places->machine.array.n; i++) {
		const struct syc_mount *there = &places->machine.array.items[i];
		const char *point =
			strcmp(there->point, "/") == 0 ? "" : there->point;
		const char *inner;
		char *volume, *whole;

		if (strcmp(there->device, mount->device) != 0 ||
		    strcmp(there->type, mount->type) != 0)
			continue;
		r = mount_option(there, "subvol", &volume);
		if (r < 0)
			return r;
		inner = volume ? mount_below(volume, root) : NULL;
		free(volume);
		if (asprintf(&whole, "%s%s", places->root, point) < 0)
			return -ENOMEM;
		if (inner != NULL)
			r = add_path(paths, whole, inner, rest);
		if (r == 0)
			r = add_path(paths, whole, root, rest);
		free(whole);
	}
	return r;
}

static int add_mounted(const struct syc_places *places, const struct view *view,
                       const char *path, struct syc_paths *paths)
{
	const struct syc_mount *mount = mount_table_find(&view->mounts, path);
	const char *rest;
	int r;

	if (mount == NULL)
		return 0;
	rest = mount_below(mount->point, path);
	if (strcmp(mount->type, "overlay") == 0) {
		r = add_layers(places, mount, "upperdir", rest, paths);
		if (r == 0)
			r = add_layers(places, mount, "lowerdir", rest, paths);
		return r;
	}
	r = add_device(places, mount, rest, paths);
	/* On the same machine, the root of the mount is a valid path. */
	if (r == 0 && strcmp(mount->root, "/") != 0)
		r = add_path(paths, places->root, mount->root, rest);
	return r;
}

int syc_places_list(const struct syc_places *places, int32_t pid,
                    const char *path, struct syc_paths *paths)
{
	/* During its set-up, a sandbox has its root below /newroot. */
	const char *inner = mount_below("/newroot", path);
	const struct view *view = find_view(places, pid);
	int r = 0;

	if (path[0] != '/')
		return 0;
	if (places->is_live && pid > 0) {
		char root[64];

		snprintf(root, sizeof(root), "/proc/%d/root", pid);
		r = add_path(paths, root, path, "");
	}
	if (r == 0 && view != NULL)
		r = add_overlays(places, view, path, paths);
	if (r == 0 && view != NULL)
		r = add_mounted(places, view, path, paths);
	if (r == 0)
		r = add_path(paths, places->root, path, "");
	if (r == 0 && inner != NULL && inner[0] == '/')
		r = syc_places_list(places, pid, inner, paths);
	return r;
}

bool syc_places_differ(const struct syc_places *places, int32_t pid)
{
	return places->is_live || find_view(places, pid) != NULL;
}
