/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb_jit.c - read the list that a runtime keeps for GDB's JIT interface. */
#define _GNU_SOURCE
#include "code/gdb_jit.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "capture/error.h"
#include "code/gdb_jit_image.h"
#include "code/remote_memory.h"
#include "data/array.h"
#include "data/map.h"

#define MOST_ENTRIES (1u << 16)
#define MOST_IMAGE   (64u << 20)
/* Of all images of one look. */
#define MOST_BYTES (UINT64_C(256) << 20)
#define MOST_TRIES 4u
/* Pairs of images that are compared when some are gone. */
#define MOST_COMPARED (UINT64_C(1) << 24)

/* As they lie in the other process. */
struct descriptor {
	uint32_t version, action;
	uint64_t relevant, first;
};

struct remote_entry {
	uint64_t next, previous;
	uint64_t image, size;
};

struct jit_entry {
	uint64_t addr; /* of the entry; the key */
	uint64_t image, size;
	bool is_new;          /* its functions are not in the table yet */
	unsigned char *bytes; /* of one that is new, or NULL */
	/* What its functions cover. */
	uint64_t low, last;
};

struct jit_entries {
	SYC_ARRAY(struct jit_entry) entries;
};

struct syc_gdb_jit {
	int32_t pid;
	uint64_t addr;
	bool any;
	struct descriptor seen;
	struct jit_entries list; /* sorted by addr */
};

int syc_gdb_jit_new(int32_t pid, uint64_t descriptor,
                    struct syc_gdb_jit **ret_jit)
{
	struct syc_gdb_jit *jit = calloc(1, sizeof(*jit));

	if (jit == NULL)
		return -ENOMEM;
	jit->pid = pid;
	jit->addr = descriptor;
	*ret_jit = jit;
	return 0;
}

static void free_list(struct jit_entries *list)
{
	for (size_t i = 0; i < list->entries.n; i++)
		free(list->entries.items[i].bytes);
	free(list->entries.items);
	memset(list, 0, sizeof(*list));
}

void syc_gdb_jit_free(struct syc_gdb_jit *jit)
{
	if (jit == NULL)
		return;
	free_list(&jit->list);
	free(jit);
}

static int compare_entries(const void *a, const void *b)
{
	const struct jit_entry *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

static struct jit_entry *find_entry(const struct jit_entries *list,
                                    uint64_t addr)
{
	const struct jit_entry key = { .addr = addr };

	return list->entries.n == 0
	               ? NULL
	               : bsearch(&key, list->entries.items, list->entries.n,
	                         sizeof(key), compare_entries);
}

/* Copy the image of @entry, if it is sane. */
static int fetch(struct syc_gdb_jit *jit, struct jit_entry *entry,
                 uint64_t *left)
{
	int r;

	if (entry->size < sizeof(Elf64_Ehdr) || entry->size > MOST_IMAGE ||
	    entry->size > *left)
		return 0;
	*left -= entry->size;
	entry->bytes = malloc(entry->size);
	if (entry->bytes == NULL)
		return -ENOMEM;
	r = syc_remote_memory_read(jit->pid, entry->image, entry->bytes,
	                           entry->size);
	if (r == 0)
		return 0;
	free(entry->bytes);
	entry->bytes = NULL;
	return r == -EFAULT ? 0 : r;
}

/* The list from @head on, with images that are new.  0 or -errno. */
static int walk_list(struct syc_gdb_jit *jit, const struct descriptor *head,
                     struct jit_entries *list)
{
	uint64_t addr = head->first, left = MOST_BYTES;
	struct syc_map met = { 0 };
	int r = 0;

	while (r == 0 && addr != 0 && list->entries.n < MOST_ENTRIES) {
		struct jit_entry entry = { .addr = addr };
		struct remote_entry remote;
		const struct jit_entry *known;
		size_t number;

		r = syc_map_put(&met, &addr, sizeof(addr), &number);
		if (r == 0) /* it goes round */
			break;
		if (r > 0)
			r = syc_remote_memory_read(jit->pid, addr, &remote,
			                           sizeof(remote));
		if (r < 0)
			break;
		entry.image = remote.image;
		entry.size = remote.size;
		known = find_entry(&jit->list, addr);
		/* The one that was registered last may be another one at the
		 * address of one that is gone. */
		if (known != NULL && known->image == remote.image &&
		    known->size == remote.size && addr != head->relevant) {
			entry = *known;
		} else {
			entry.is_new = true;
			r = fetch(jit, &entry, &left);
		}
		if (r == 0)
			r = syc_array_push(&list->entries, entry);
		if (r < 0)
			free(entry.bytes);
		addr = remote.next;
	}
	syc_map_fini(&met);
	return r;
}

static int read_descriptor(const struct syc_gdb_jit *jit,
                           struct descriptor *ret_descriptor)
{
	return syc_remote_memory_read(jit->pid, jit->addr, ret_descriptor,
	                              sizeof(*ret_descriptor));
}

/* Returns 1 with a list that did hold still, 0 when there was none. */
static int walk_still(struct syc_gdb_jit *jit, struct descriptor *head,
                      struct jit_entries *list)
{
	for (unsigned i = 0; i < MOST_TRIES; i++) {
		struct descriptor after;
		int r = walk_list(jit, head, list);

		if (r == 0 || r == -EFAULT) {
			const int again = read_descriptor(jit, &after);

			if (again < 0)
				return again;
			if (r == 0 && memcmp(head, &after, sizeof(after)) == 0)
				return 1;
			*head = after;
		} else {
			return r;
		}
		free_list(list);
	}
	return 0;
}

/* Put what is new into the table.  0, -ENOMEM or -ENOSPC. */
static int take_entry(struct jit_entry *entry, int64_t from,
                      struct syc_code_table *table)
{
	struct syc_gdb_jit_cover cover = { 0 };
	int r = 0;

	if (entry->bytes != NULL)
		r = syc_gdb_jit_take_image(entry->bytes, entry->size, from,
		                           table, &cover);
	free(entry->bytes);
	entry->bytes = NULL;
	entry->low = cover.low;
	entry->last = cover.last;
	return r == -ENOMEM || r == -ENOSPC ? r : 0;
}

static bool overlap(const struct jit_entry *a, const struct jit_entry *b)
{
	return a->low < b->last && b->low < a->last;
}

/*
 * What is not in the list any more ends.  Unless something else is (partly)
 * there: that took its place when it came, and must not end too.
 */
static int end_gone(const struct jit_entries *old,
                    const struct jit_entries *fresh, int64_t now,
                    struct syc_code_table *table)
{
	uint64_t left = MOST_COMPARED;

	for (size_t i = 0; i < old->entries.n; i++) {
		const struct jit_entry *entry = &old->entries.items[i];
		const struct jit_entry *still = find_entry(fresh, entry->addr);
		bool is_free = true;
		int r;

		if (entry->low == entry->last ||
		    (still != NULL && !still->is_new))
			continue;
		if (left < fresh->entries.n)
			return 0;
		left -= fresh->entries.n;
		for (size_t k = 0; is_free && k < fresh->entries.n; k++)
			is_free = !overlap(entry, &fresh->entries.items[k]);
		if (!is_free)
			continue;
		r = syc_code_table_remove(table, now, entry->low,
		                          entry->last - entry->low + 1);
		if (r < 0)
			return r;
	}
	return 0;
}

int syc_gdb_jit_look(struct syc_gdb_jit *jit, int64_t from, int64_t now,
                     struct syc_code_table *table, struct syscap_error *error)
{
	struct descriptor head;
	struct jit_entries list = { 0 };
	int r = read_descriptor(jit, &head);

	if (r < 0)
		goto fail;
	if (jit->any && memcmp(&head, &jit->seen, sizeof(head)) == 0)
		return 0;
	if (head.version != 1)
		return syc_error_set(error, EOPNOTSUPP, 0,
		                     "the version of the list is %u and not 1",
		                     head.version);
	r = walk_still(jit, &head, &list);
	if (r < 0)
		goto fail;
	if (r == 0)
		return 0;
	if (list.entries.n > 0)
		qsort(list.entries.items, list.entries.n,
		      sizeof(struct jit_entry), compare_entries);
	r = 0;
	for (size_t i = 0; r == 0 && i < list.entries.n; i++)
		if (list.entries.items[i].is_new)
			r = take_entry(&list.entries.items[i], from, table);
	if (r == 0)
		r = end_gone(&jit->list, &list, now, table);
	/* A full table leaves images that nobody took: entries are copied from
	 * list to list, their bytes must not be. */
	for (size_t i = 0; i < list.entries.n; i++) {
		list.entries.items[i].is_new = false;
		free(list.entries.items[i].bytes);
		list.entries.items[i].bytes = NULL;
	}
	free_list(&jit->list);
	jit->list = list;
	jit->seen = head;
	jit->any = true;
	memset(&list, 0, sizeof(list));
fail:
	free_list(&list);
	return r < 0 ? syc_error_set(error, -r, 0, "%s",
	                             r == -ENOSPC ? "it has too many names"
	                                          : strerror(-r))
	             : 0;
}
