/* SPDX-License-Identifier: BSD-2-Clause */
/* permanent_map.c - large tables mapped at their first use, pages of shared
 * mappings, and loaded objects pinned in memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/process.h"

void *syc_lazy_map_get(void *place, size_t size)
{
	void **const at = place;
	void *there = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	const int saved = errno;

	if (there != NULL)
		return there;
	void *const memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		errno = saved;
		return NULL;
	}
	if (__atomic_compare_exchange_n(at, &there, memory, false,
	                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		there = memory;
	else /* another thread, or a handler on this thread, has mapped the
	      * table first */
		munmap(memory, size);
	errno = saved;
	return there;
}

/* Linux 5.14 */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

int syc_pages_provide(void *from, size_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t low = (uintptr_t)from & ~(page - 1);
	const uintptr_t high =
		((uintptr_t)from + size + page - 1) & ~(page - 1);

	/* EINVAL: an old kernel, so the file has all its blocks already */
	if (madvise((void *)low, high - low, MADV_POPULATE_WRITE) == 0 ||
	    errno == EINVAL)
		return 0;
	/* EFAULT: an access would raise SIGBUS */
	return errno == EFAULT || errno == ENOMEM ? -ENOSPC : -errno;
}

#ifdef __GLIBC__

/* Linkers warn if an object of a static program names dlopen(), but glibc has
 * dlopen() in each static program.  So dlsym() looks up dlopen().  With musl no
 * pin is needed, because musl unloads nothing. */
#pragma weak dl_iterate_phdr
#pragma weak dlsym

struct name_search {
	uintptr_t address;
	char name[PATH_MAX];
};

/* The loader's lock protects @from, and ThreadSanitizer does not track it. */
__attribute__((no_sanitize("thread"))) static void
copy_string(char *to, const volatile char *from, size_t size)
{
	size_t n = 0;

	while (n < size - 1 && from[n] != 0) {
		to[n] = from[n];
		n++;
	}
	to[n] = 0;
}

/* Copy the name under the loader's lock, because another thread may unload the
 * object. */
static int copy_name(struct dl_phdr_info *object, size_t size, void *data)
{
	struct name_search *const search = data;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &object->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD ||
		    search->address - object->dlpi_addr - segment->p_vaddr >=
		            segment->p_memsz)
			continue;
		copy_string(search->name, object->dlpi_name,
		            sizeof(search->name));
		return 1;
	}
	return 0;
}

bool syc_pin_object(const void *address)
{
	void *(*open)(const char *, int);
	struct name_search search;

	search.address = (uintptr_t)address;
	if (dl_iterate_phdr == NULL || dlsym == NULL)
		return true;
	/* The program has no name in this list, and is never unloaded. */
	if (dl_iterate_phdr(copy_name, &search) == 0 || search.name[0] == 0)
		return false;
	*(void **)&open = dlsym(RTLD_DEFAULT, "dlopen");
	/* The loader opens the file to check that the file is the loaded
	 * object */
	const unsigned held = syc_fd_hold();
	void *const handle =
		open(search.name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	syc_fd_release(held, -1);
	if (handle != NULL)
		dlclose(handle);
	return handle != NULL;
}

#else

bool syc_pin_object(const void *address)
{
	(void)address;
	return true;
}

#endif
