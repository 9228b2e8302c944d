/* SPDX-License-Identifier: BSD-2-Clause */
/* module.c - registration of the addon's functions in an environment. */
#include "parts.h"

/* Later versions of node_api.h define this function by a macro. */
NAPI_MODULE_EXPORT int32_t node_api_module_get_api_version_v1(void);

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */)
{
	napi_value buffer;
	struct sn_env *const self = sn_env_new(env, &buffer);

	if (self == NULL)
		return NULL;
	if (napi_set_named_property(env, exports, "buffer", buffer) !=
	            napi_ok ||
	    !sn_define_marks(env, exports, self) ||
	    !sn_define_events(env, exports, self) ||
	    !sn_define_recording(env, exports, self) ||
	    !sn_define_sampling(env, exports, self) ||
	    !sn_define_threads(env, exports, self))
		return NULL;
	return exports;
}
