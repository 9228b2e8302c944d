/* SPDX-License-Identifier: BSD-2-Clause */
/* texts.c - JavaScript strings as C strings (texts.h). */
#include "texts.h"

#include <stdio.h>
#include <string.h>

static bool complain(napi_env env, napi_status status, const char *what)
{
	char text[80];

	if (status == napi_string_expected) {
		snprintf(text, sizeof(text), "syscap: %s must be a string",
		         what);
		napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", text);
	} else {
		napi_throw_error(env, NULL, "syscap: string can't be read");
	}
	return false;
}

bool sn_text(napi_env env, napi_value value, char *to, size_t size,
             const char *what)
{
	size_t n = 0;
	const napi_status status =
		napi_get_value_string_utf8(env, value, to, size, &n);

	if (status != napi_ok)
		return complain(env, status, what);
	for (char *nul = to; (nul = memchr(nul, 0, n - (size_t)(nul - to)));)
		*nul = ' ';
	return true;
}

bool sn_message(napi_env env, struct sn_env *self, napi_value value,
                const char **ret)
{
	napi_valuetype type;

	*ret = NULL;
	if (napi_typeof(env, value, &type) == napi_ok &&
	    (type == napi_undefined || type == napi_null))
		return true;
	*ret = self->text;
	return sn_text(env, value, self->text, sizeof(self->text), "message");
}
