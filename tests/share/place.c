/* SPDX-License-Identifier: BSD-2-Clause */
/* place.c - something where copies of the library meet; see place.h. */
#define _GNU_SOURCE
#include "share/place.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/siphash.h"
#include "share/parts.h"

static void put(int fd, int protection)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;

	CHECK(mmap(PARTS_PLACE, page, protection, flags | MAP_FIXED_NOREPLACE,
	           fd, 0) == PARTS_PLACE);
}

static void put_bytes(const void *bytes, size_t size, bool is_cut)
{
	const int fd = memfd_create("place", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, sysconf(_SC_PAGESIZE)), 0);
	CHECK_EQ(pwrite(fd, bytes, size, 0), (long)size);
	put(fd, PROT_READ);
	if (is_cut)
		CHECK_EQ(ftruncate(fd, 0), 0);
	close(fd);
}

void place_take(const char *with_what)
{
	static const uint64_t forged[] = { 0x0000706163737973,
		                           SYC_COPIES_NUMBER,
		                           0x1122334455667788,
		                           0x99AABBCCDDEEFF00 };
	static const char text[] = "somebody else's";

	if (strcmp(with_what, "file") == 0)
		put_bytes(text, sizeof(text), false);
	else if (strcmp(with_what, "zero") == 0)
		put(-1, PROT_READ);
	else if (strcmp(with_what, "nothing") == 0)
		put(-1, PROT_NONE);
	else if (strcmp(with_what, "cut") == 0)
		put_bytes(forged, sizeof(forged), true);
	else if (strcmp(with_what, "forged") == 0)
		put_bytes(forged, sizeof(forged), false);
	else
		test_fail(__FILE__, __LINE__, "%s?", with_what);
}

void place_publish(const struct syc_block *block, bool is_right)
{
	const unsigned char *const key =
		(const unsigned char *)getauxval(AT_RANDOM);
	const uint64_t mask[2] = { 1, 0 };
	const uint64_t check[2] = { 2, (uintptr_t)block };
	uint64_t content[4] = { 0x0000706163737973, SYC_COPIES_NUMBER };

	content[2] = (uintptr_t)block ^ syc_siphash(key, mask, sizeof(mask));
	content[3] = syc_siphash(key, check, sizeof(check)) ^ !is_right;
	put_bytes(content, sizeof(content), false);
}

/* @number fails with @error; with @bit of its fourth argument, if not 0. */
static void forbid(unsigned number, unsigned bit, unsigned error)
{
	const struct sock_filter any[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, args[3])),
		/* no bit: whatever stands there */
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bit, 0, bit != 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(any) / sizeof(any[0]),
		.filter = (struct sock_filter *)any,
	};

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

void place_forbid(const char *what)
{
	const struct rlimit none = { 0, 0 };

	if (strcmp(what, "mmap_einval") == 0)
		forbid(SYS_mmap, MAP_FIXED_NOREPLACE, EINVAL);
	else if (strcmp(what, "mmap_eopnotsupp") == 0)
		forbid(SYS_mmap, MAP_FIXED_NOREPLACE, EOPNOTSUPP);
	else if (strcmp(what, "memfd_create") == 0)
		forbid(SYS_memfd_create, 0, EPERM);
	else if (strcmp(what, "pipe2") == 0)
		forbid(SYS_pipe2, 0, EPERM);
	else if (strcmp(what, "mincore") == 0)
		forbid(SYS_mincore, 0, ENOSYS);
	else if (strcmp(what, "fsize") == 0)
		CHECK_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
	else
		test_fail(__FILE__, __LINE__, "%s?", what);
}
