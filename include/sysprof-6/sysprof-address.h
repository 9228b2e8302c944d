/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-address.h - addresses of a stack, and markers between them that state
 * the context of the following addresses.
 */
#ifndef SYSPROF_ADDRESS_H
#define SYSPROF_ADDRESS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "sysprof-macros.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/** An address in a stack. */
typedef uint64_t SysprofAddress;

/** Contexts of addresses. */
typedef enum SysprofAddressContext {
	SYSPROF_ADDRESS_CONTEXT_NONE = 0,
	SYSPROF_ADDRESS_CONTEXT_HYPERVISOR,
	SYSPROF_ADDRESS_CONTEXT_KERNEL,
	SYSPROF_ADDRESS_CONTEXT_USER,
	SYSPROF_ADDRESS_CONTEXT_GUEST,
	SYSPROF_ADDRESS_CONTEXT_GUEST_KERNEL,
	SYSPROF_ADDRESS_CONTEXT_GUEST_USER,
} SysprofAddressContext;

/**

 * Returns true if @address is one of perf's context markers.  Stores the
 * context of @address, or NONE, in *@context, unless @context is NULL.
 *
 * Context: any-thread, signal-safe.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_address_is_context_switch(SysprofAddress address,
                                       SysprofAddressContext *context);

/**
 * Get a static text such as "- - kernel - -".
 *
 * Context: any-thread, signal-safe.
 */
SYSPROF_AVAILABLE_IN_ALL
const char *sysprof_address_context_to_string(SysprofAddressContext context);

/** Compare two addresses: -1, 0 or 1. */
static inline int sysprof_address_compare(SysprofAddress a, SysprofAddress b)
{
	return (a > b) - (a < b);
}

SYSPROF_END_DECLS

#endif
