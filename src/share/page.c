/* SPDX-License-Identifier: BSD-2-Clause */
/* page.c - the page by which copies find each other; see page.h. */
#define _GNU_SOURCE
#include "share/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/peek.h"
#include "os/siphash.h"
#include "share/addresses.h"
#include "share/number.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#if defined(__x86_64__) || defined(__aarch64__)
#define PLACE SYC_PLACE_OF_PAGE(SYC_COPIES_NUMBER)
#endif

/* What the page begins with; the rest is zero. */
struct content {
	char magic[8];
	uint64_t number;
	uint64_t block; /* its address, masked */
	uint64_t check; /* a hash of the address */
};

enum {
	USE_MASK = 1,
	USE_CHECK = 2
};

#ifdef PLACE
/* One use of the key each: nothing that is seen tells of the other. */
static bool compose_content(struct content *content, uint64_t block)
{
	const unsigned char *const key =
		(const unsigned char *)getauxval(AT_RANDOM);
	const struct {
		uint64_t use, value;
	} mask = { USE_MASK, 0 }, check = { USE_CHECK, block };

	if (key == NULL)
		return false;
	memset(content, 0, sizeof(*content));
	memcpy(content->magic, "syscap\0", 8);
	content->number = SYC_COPIES_NUMBER;
	content->block = block ^ syc_siphash(key, &mask, sizeof(mask));
	content->check = syc_siphash(key, &check, sizeof(check));
	return true;
}

/* @is_mapped: surely; else what can't be read may as well be nothing. */
static int read_place(struct content *ret_content, bool is_mapped)
{
	struct syc_peek peek;
	int r = syc_peek_open(&peek);

	if (r != 0)
		return r;
	r = syc_peek_copy(&peek, ret_content, PLACE, sizeof(*ret_content));
	syc_peek_close(&peek);
	if (r == -EFAULT)
		return is_mapped ? -EADDRINUSE : -ENOENT;
	return r;
}

int syc_page_find(struct syc_block **ret_block)
{
	unsigned char is_resident;
	struct content found, expected;

	const bool is_mapped = mincore((void *)PLACE, 1, &is_resident) == 0;
	if (!is_mapped && errno == ENOMEM)
		return -ENOENT;
	const int r = read_place(&found, is_mapped);
	if (r != 0)
		return r;
	if (!compose_content(&expected, 0))
		return -ENOTSUP;
	const uint64_t block = found.block ^ expected.block;
	compose_content(&expected, block);
	if (memcmp(&found, &expected, sizeof(found)) != 0)
		return -EADDRINUSE;
	*ret_block = (struct syc_block *)(uintptr_t)block;
	return 0;
}

/* A file of one page that nobody can change any more. */
static int make_file(const struct content *content, size_t page)
{
	struct rlimit limit;
	int fd;

	/* Beyond it a write raises SIGXFSZ */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < page)
		return -EFBIG;
	fd = (int)syscall(SYS_memfd_create, "syscap",
	                  MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL) /* Linux < 6.3 */
		fd = (int)syscall(SYS_memfd_create, "syscap",
		                  MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)page) != 0 ||
	    pwrite(fd, content, sizeof(*content), 0) != sizeof(*content)) {
		const int r = errno != 0 ? -errno : -EIO;
		close(fd);
		return r;
	}
	(void)fcntl(fd, F_ADD_SEALS,
	            F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	return fd;
}

int syc_page_publish(const struct syc_block *block)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct content content;
	int r = 0;

	if (!compose_content(&content, (uintptr_t)block))
		return -ENOTSUP;
	const int fd = make_file(&content, page);
	if (fd < 0)
		return fd;
	void *const got = mmap((void *)PLACE, page, PROT_READ,
	                       MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	if (got == MAP_FAILED) {
		r = -errno;
	} else if (got != (void *)PLACE) {
		/* Linux < 4.17 took the place for a wish, and it is taken */
		munmap(got, page);
		r = -EEXIST;
	}
	close(fd);
	return r;
}
#else
int syc_page_find(struct syc_block **ret_block)
{
	(void)ret_block;
	return -ENOTSUP;
}

int syc_page_publish(const struct syc_block *block)
{
	(void)block;
	return -ENOTSUP;
}
#endif
