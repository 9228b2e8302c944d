/* SPDX-License-Identifier: BSD-2-Clause */
/* pin.c - keeps a loaded object where it is. */
#define _GNU_SOURCE
#include "os/pin.h"

#include <dlfcn.h>
#include <stddef.h>

/* Static dlopen() needs libraries at run time, and a static program can't
 * be unloaded: take it only where it is there. */
#pragma weak dlopen
#pragma weak dladdr

bool syc_pin_object(const void *address)
{
	Dl_info info;

	if (dlopen == NULL || dladdr == NULL)
		return true;
	if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
		return false;
	void *const handle =
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	if (handle != NULL)
		dlclose(handle);
	return handle != NULL;
}
