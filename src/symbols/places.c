/* SPDX-License-Identifier: BSD-2-Clause */
/* places.c - where the files that a recorded process names are here. */
#define _GNU_SOURCE
#include "symbols/places.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbols/mount_table.h"

struct overlay {
	uint8_t layer;
	char *from, *to;
};

/* What one process sees. */
struct view {
	int32_t pid;
	SYC_ARRAY(struct overlay) overlays; /* the lower layers first */
	struct syc_mount_table mounts;
};

struct syc_places {
	char *root; /* without a slash at its end */
	bool is_live;
	struct syc_map by_pid;
	SYC_ARRAY(struct view *) views;
	struct syc_mount_table machine;
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
		syc_mount_table_fini(&view->mounts);
		free(view);
	}
	free(places->views.items);
	syc_map_fini(&places->by_pid);
	syc_mount_table_fini(&places->machine);
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
	/* Room first, so that the map never knows more than the array. */
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
	syc_mount_table_fini(&view->mounts);
	return syc_mount_table_parse_mountinfo(&view->mounts, text, size);
}

int syc_places_add_mounts(struct syc_places *places, const char *text,
                          size_t size)
{
	syc_mount_table_fini(&places->machine);
	return syc_mount_table_parse_mounts(&places->machine, text, size);
}

/* Add @a, @b and @c in one, once. */
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
		const char *rest = syc_mount_below(overlay->to, path);

		if (rest != NULL)
			r = add_path(paths, places->root, overlay->from, rest);
	}
	return r;
}

/* The folders of an overlay file system: "/a:/b", the upper ones first. */
static int add_layers(const struct syc_places *places,
                      const struct syc_mount *mount, const char *option,
                      const char *rest, struct syc_paths *paths)
{
	char *value, *next, *folder;
	int r = syc_mount_option(mount, option, &value);

	if (r < 0 || value == NULL)
		return r;
	next = value;
	while (r == 0 && (folder = strsep(&next, ":")) != NULL)
		if (folder[0] == '/')
			r = add_path(paths, places->root, folder, rest);
	free(value);
	return r;
}

/*
 * A bind mount, or another disk: the machine has the same device somewhere.
 * A subvolume of btrfs is named in the roots, and in the machine's options.
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
		r = syc_mount_option(there, "subvol", &volume);
		if (r < 0)
			return r;
		inner = volume ? syc_mount_below(volume, root) : NULL;
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
	const struct syc_mount *mount =
		syc_mount_table_find(&view->mounts, path);
	const char *rest;
	int r;

	if (mount == NULL)
		return 0;
	rest = syc_mount_below(mount->point, path);
	if (strcmp(mount->type, "overlay") == 0) {
		r = add_layers(places, mount, "upperdir", rest, paths);
		if (r == 0)
			r = add_layers(places, mount, "lowerdir", rest, paths);
		return r;
	}
	r = add_device(places, mount, rest, paths);
	/* Of the same machine, and its roots are what they seem to be. */
	if (r == 0 && strcmp(mount->root, "/") != 0)
		r = add_path(paths, places->root, mount->root, rest);
	return r;
}

int syc_places_list(const struct syc_places *places, int32_t pid,
                    const char *path, struct syc_paths *paths)
{
	/* While a sandbox is set up, its root is still below this. */
	const char *inner = syc_mount_below("/newroot", path);
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
