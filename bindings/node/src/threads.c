/* SPDX-License-Identifier: BSD-2-Clause */
/* threads.c - the calling thread's name, which lib/thread.js chooses. */
#include <sys/prctl.h>

#include "objects.h"
#include "parts.h"
#include "texts.h"

#define NAME_MAX_SIZE 16 /* the kernel's */

/* nameThread(name) */
static napi_value name_thread(napi_env env, napi_callback_info info)
{
	napi_value args[1];
	char name[NAME_MAX_SIZE];

	(void)sn_env_args(env, info, 1, args);
	if (sn_text(env, args[0], name, sizeof(name), "name"))
		prctl(PR_SET_NAME, name);
	return NULL;
}

bool sn_define_threads(napi_env env, napi_value exports, struct sn_env *self)
{
	return sn_define(env, exports, "nameThread", name_thread, self);
}
