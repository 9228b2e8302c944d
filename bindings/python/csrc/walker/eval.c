/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eval.c - addresses of the interpreter's loop (walker.h).
 *
 * The symbol's size gives the end.  The compiler's split part (".cold") only
 * calls functions that end the process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>

#include "walker/walker.h"

bool eval_find(uintptr_t *ret_low, uintptr_t *ret_high)
{
	const uintptr_t low = (uintptr_t)_PyEval_EvalFrameDefault;
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (dladdr1((void *)low, &info, (void **)&symbol, RTLD_DL_SYMENT) ==
	            0 ||
	    symbol == NULL || (uintptr_t)info.dli_saddr != low ||
	    symbol->st_size == 0) {
		PyErr_SetString(PyExc_ImportError,
		                "this build of Python does not show the "
		                "address of its interpreter's loop");
		return false;
	}
	*ret_low = low;
	*ret_high = low + symbol->st_size;
	return true;
}
