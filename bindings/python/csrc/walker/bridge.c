/* SPDX-License-Identifier: BSD-2-Clause */
/* bridge.c - access to the library in syscap._events (bridge.h). */
#include "walker/walker.h"

const struct bridge *bridge;

bool bridge_import(void)
{
	bridge = PyCapsule_Import(BRIDGE_NAME, 0);
	if (bridge == NULL)
		return false;
	if (bridge->size != sizeof(*bridge)) {
		PyErr_SetString(PyExc_ImportError,
		                "syscap._walker and syscap._events are of "
		                "different versions");
		return false;
	}
	return true;
}
