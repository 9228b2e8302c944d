/* SPDX-License-Identifier: BSD-2-Clause */
/* platform.c - files in memory, pages, and perf's markers in stacks. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sysprof-6/sysprof-address.h>
#include <sysprof-6/sysprof-platform.h>

size_t sysprof_getpagesize(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int open_nameless(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR, 0600);

	if (fd >= 0 || snprintf(path, sizeof(path), "%s/sysprof-XXXXXX", dir) >=
	                       (int)sizeof(path))
		return fd;
	fd = mkstemp(path);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int sysprof_memfd_create(const char *desc)
{
	/* The fd is not close-on-exec, because children are meant to inherit
	 * the file */
	int fd = memfd_create(desc != NULL ? desc : "[sysprof]", 0);

	/* The name is too long, or a sandbox refuses the call */
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("[sysprof]", 0);
	if (fd >= 0)
		return fd;
	const char *const dir = secure_getenv("TMPDIR");
	if (dir != NULL && *dir != '\0')
		fd = open_nameless(dir);
	return fd >= 0 ? fd : open_nameless("/tmp");
}

/* Negative numbers of <linux/perf_event.h>, PERF_CONTEXT_*. */
static const struct {
	int64_t marker;
	SysprofAddressContext context;
} markers[] = {
	{ -32, SYSPROF_ADDRESS_CONTEXT_HYPERVISOR },
	{ -128, SYSPROF_ADDRESS_CONTEXT_KERNEL },
	{ -512, SYSPROF_ADDRESS_CONTEXT_USER },
	{ -2048, SYSPROF_ADDRESS_CONTEXT_GUEST },
	{ -2176, SYSPROF_ADDRESS_CONTEXT_GUEST_KERNEL },
	{ -2560, SYSPROF_ADDRESS_CONTEXT_GUEST_USER },
};

bool sysprof_address_is_context_switch(SysprofAddress address,
                                       SysprofAddressContext *context)
{
	SysprofAddressContext found = SYSPROF_ADDRESS_CONTEXT_NONE;

	for (unsigned i = 0; i < sizeof(markers) / sizeof(markers[0]); i++)
		if (address == (uint64_t)markers[i].marker)
			found = markers[i].context;
	if (context != NULL)
		*context = found;
	return found != SYSPROF_ADDRESS_CONTEXT_NONE;
}

const char *sysprof_address_context_to_string(SysprofAddressContext context)
{
	switch (context) {
	case SYSPROF_ADDRESS_CONTEXT_HYPERVISOR:
		return "- - hypervisor - -";
	case SYSPROF_ADDRESS_CONTEXT_KERNEL:
		return "- - kernel - -";
	case SYSPROF_ADDRESS_CONTEXT_USER:
		return "- - user - -";
	case SYSPROF_ADDRESS_CONTEXT_GUEST:
		return "- - guest - -";
	case SYSPROF_ADDRESS_CONTEXT_GUEST_KERNEL:
		return "- - guest kernel - -";
	case SYSPROF_ADDRESS_CONTEXT_GUEST_USER:
		return "- - guest user - -";
	case SYSPROF_ADDRESS_CONTEXT_NONE:
		break;
	}
	return "- - unknown - -";
}
