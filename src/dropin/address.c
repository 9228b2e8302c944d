/* SPDX-License-Identifier: BSD-2-Clause */
/* address.c - the markers that perf puts between the addresses of a stack. */
#include <stddef.h>

#include <sysprof-6/sysprof-address.h>

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
