/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb_jit.c - reader of the list of images in GDB's JIT interface. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "capture/files.h"
#include "code/code_sources.h"
#include "common/containers.h"
#include "symbols/elf_symbols.h"

/* Read memory by /proc/PID/mem, for sandboxes that forbid
 * process_vm_readv(). */
static int read_by_file(int32_t pid, uint64_t addr, char *to, size_t size)
{
	size_t done = 0;
	char path[64];
	int fd, r = 0;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	while (r == 0 && done < size) {
		const ssize_t n =
			pread(fd, to + done, size - done, (off_t)(addr + done));

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			r = -ESRCH; /* the process and its memory have ended */
		else if (errno != EINTR)
			r = errno == EIO ? -EFAULT : -errno;
	}
	close(fd);
	return r;
}

/*
 * Copy @size bytes at @addr of @pid.  Returns 0, -EFAULT if not all bytes are
 * readable, -EPERM or -EACCES without permission, or -ESRCH if the process has
 * ended.
 */
static int remote_memory_read(int32_t pid, uint64_t addr, void *to, size_t size)
{
	size_t done = 0;

	if (addr > INT64_MAX || size > INT64_MAX - addr)
		return -EFAULT;
	while (done < size) {
		const struct iovec local = { (char *)to + done, size - done };
		const struct iovec remote = { (void *)(uintptr_t)(addr + done),
			                      size - done };
		const ssize_t n =
			process_vm_readv(pid, &local, 1, &remote, 1, 0);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && (errno == ENOSYS || errno == EPERM))
			return read_by_file(pid, addr, to, size);
		else if (n == 0 || errno != EINTR)
			return n == 0 ? -EFAULT : -errno;
	}
	return 0;
}

#define SYMBOL "__jit_debug_descriptor"

/*
 * Limit of a read part of a file, because all mapped files are searched while
 * the process runs.
 */
#define FILE_PART_MAX (UINT64_C(64) << 20)

static bool find_in(const struct syc_elf *elf,
                    const struct syc_elf_table *table, uint64_t *ret_value)
{
	struct syc_elf_symbol symbol;

	for (uint64_t i = 1; i < table->n; i++) {
		if (!syc_elf_table_get(elf, table, i, &symbol) ||
		    symbol.type != STT_OBJECT || symbol.section == SHN_UNDEF ||
		    strcmp(symbol.name, SYMBOL) != 0)
			continue;
		*ret_value = symbol.value;
		return true;
	}
	return false;
}

static int find_value(const struct syc_elf *elf, uint64_t *ret_value)
{
	struct syc_elf_table table;
	bool found = false;
	int r = 0;

	for (unsigned i = 0; r == 0 && !found; i++) {
		r = syc_elf_table_read(elf, i, &table);
		found = r == 0 && find_in(elf, &table, ret_value);
		syc_elf_table_fini(&table);
	}
	return r;
}

/*
 * Find the difference between addresses in memory and in the file.  The byte at
 * @offset is mapped at @mapped.
 */
static int find_bias(const struct syc_elf *elf, uint64_t mapped,
                     uint64_t offset, uint64_t *ret_bias)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct syc_elf_segment *s = &elf->segments[i];
		/* The mapping starts with the segment's page. */
		const uint64_t before = s->align > 1 ? s->offset % s->align : 0;

		if (s->type != PT_LOAD || (s->flags & PF_X) == 0 ||
		    offset < s->offset - before ||
		    offset - (s->offset - before) >= s->file_size + before)
			continue;
		*ret_bias = mapped - offset - (s->address - s->offset);
		return 0;
	}
	return -ENOENT;
}

int syc_gdb_jit_find(int fd, uint64_t mapped, uint64_t file_offset,
                     uint64_t *ret_descriptor)
{
	struct syc_elf_view view;
	uint64_t value, bias;
	struct syc_elf elf;
	int r = syc_elf_view_file(fd, &view);

	if (r < 0)
		return r;
	view.part_max = FILE_PART_MAX;
	r = syc_elf_open_view(&elf, &view);
	if (r < 0)
		return r;
	/* Accept only a file of this machine's class and byte order, which
	 * determine the list's layout. */
	r = elf.is_64 && !elf.is_big ? find_value(&elf, &value) : -ENOENT;
	if (r == 0)
		r = find_bias(&elf, mapped, file_offset, &bias);
	if (r == 0)
		*ret_descriptor = bias + value;
	syc_elf_close(&elf);
	return r;
}

/* Limit of a read part of an image. */
#define IMAGE_PART_MAX (UINT64_C(64) << 20)

struct taking {
	const struct syc_elf *elf;
	struct syc_code_table *table;
	int64_t from;
	struct syc_gdb_jit_cover *cover;
};

/*
 * Compute a symbol's address.  In relocatable images, symbols are relative to
 * their section, which the runtime has placed.  The last symbol of a section
 * may have no size.
 */
static void place(const struct syc_elf *elf, struct syc_elf_symbol *symbol)
{
	const struct syc_elf_section *section;
	const uint64_t value = symbol->value;

	if (elf->type != ET_REL || symbol->section >= elf->n_sections)
		return;
	section = &elf->sections[symbol->section];
	symbol->value += section->address;
	if (symbol->size == 0 && value < section->size)
		symbol->size = section->size - value;
}

static int take_symbol(const struct taking *taking,
                       const struct syc_elf_symbol *symbol)
{
	struct syc_gdb_jit_cover *cover = taking->cover;
	const uint64_t last = symbol->value + symbol->size - 1;
	const int r = syc_code_table_add(taking->table, taking->from,
	                                 symbol->value, symbol->size,
	                                 symbol->name, strlen(symbol->name));

	if (r == -EINVAL)
		return 0;
	if (r < 0)
		return r;
	if (!cover->any || symbol->value < cover->low)
		cover->low = symbol->value;
	if (!cover->any || last > cover->last)
		cover->last = last;
	cover->any = true;
	return 0;
}

static int take_table(const struct taking *taking,
                      const struct syc_elf_table *table)
{
	struct syc_elf_symbol symbol;
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < table->n; i++) {
		if (!syc_elf_table_get(taking->elf, table, i, &symbol) ||
		    symbol.type != STT_FUNC || symbol.section == SHN_UNDEF)
			continue;
		place(taking->elf, &symbol);
		r = take_symbol(taking, &symbol);
	}
	return r;
}

int syc_gdb_jit_take_image(const void *bytes, size_t size, int64_t from,
                           struct syc_code_table *table,
                           struct syc_gdb_jit_cover *ret_cover)
{
	struct syc_elf_table symbols;
	struct syc_elf_view view;
	struct syc_elf elf;
	const struct taking taking = { &elf, table, from, ret_cover };
	int r;

	memset(ret_cover, 0, sizeof(*ret_cover));
	syc_elf_view_memory(bytes, size, &view);
	view.part_max = IMAGE_PART_MAX;
	r = syc_elf_open_view(&elf, &view);
	if (r < 0)
		return r;
	for (unsigned i = 0; r == 0; i++) {
		r = syc_elf_table_read(&elf, i, &symbols);
		if (r == 0 && symbols.section->type == SHT_SYMTAB)
			r = take_table(&taking, &symbols);
		syc_elf_table_fini(&symbols);
	}
	syc_elf_close(&elf);
	return r == -ENOENT ? 0 : r;
}

#define MOST_ENTRIES (1u << 16)
#define MOST_IMAGE   (64u << 20)
/* Limit of the bytes of all images of one check. */
#define MOST_BYTES (UINT64_C(256) << 20)
#define MOST_TRIES 4u
/* Limit of comparisons between removed and present images. */
#define MOST_COMPARED (UINT64_C(1) << 24)

/* Layout of the list's head in the other process. */
struct descriptor {
	uint32_t version, action;
	uint64_t relevant, first;
};

struct remote_entry {
	uint64_t next, previous;
	uint64_t image, size;
};

struct jit_entry {
	uint64_t addr; /* address of the entry, which is the key */
	uint64_t image, size;
	bool is_new;          /* the table lacks the image's functions */
	unsigned char *bytes; /* bytes of a new entry's image, or NULL */
	/* The bounds of the image's functions. */
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

/* Copy the image of @entry, if its size is plausible. */
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
	r = remote_memory_read(jit->pid, entry->image, entry->bytes,
	                       entry->size);
	if (r == 0)
		return 0;
	free(entry->bytes);
	entry->bytes = NULL;
	return r == -EFAULT ? 0 : r;
}

/* Read the list from @head on, with new images.  Returns 0 or -errno. */
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
		if (r == 0) /* the list is circular */
			break;
		if (r > 0)
			r = remote_memory_read(jit->pid, addr, &remote,
			                       sizeof(remote));
		if (r < 0)
			break;
		entry.image = remote.image;
		entry.size = remote.size;
		known = find_entry(&jit->list, addr);
		/* Do not trust the newest entry, which may have the address of
		 * a removed entry. */
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
	return remote_memory_read(jit->pid, jit->addr, ret_descriptor,
	                          sizeof(*ret_descriptor));
}

/* Read the list.  Returns 1, or 0 if the list changed during the read. */
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

/* Add new functions to the table.  Returns 0, -ENOMEM or -ENOSPC. */
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
 * End the code of removed entries, but not newer code at the same addresses.
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
		return syc_error_set(
			error, EOPNOTSUPP, 0,
			"the list has the unknown version %u, not 1",
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
	/* Free the remaining images of a full table.  Entries are copied
	 * between lists, but each image has one owner. */
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
	                             r == -ENOSPC
	                                     ? "the list has too many names"
	                                     : strerror(-r))
	             : 0;
}
