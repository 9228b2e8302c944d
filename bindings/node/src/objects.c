/* SPDX-License-Identifier: BSD-2-Clause */
/* objects.c - plain objects of JavaScript, made field by field (objects.h). */
#include "objects.h"

bool sn_define(napi_env env, napi_value object, const char *name,
               napi_callback function, void *data)
{
	napi_value value;

	return napi_create_function(env, name, NAPI_AUTO_LENGTH, function, data,
	                            &value) == napi_ok &&
	       napi_set_named_property(env, object, name, value) == napi_ok;
}

void sn_put_number(napi_env env, napi_value object, const char *name,
                   double number)
{
	napi_value value;

	if (napi_create_double(env, number, &value) == napi_ok)
		napi_set_named_property(env, object, name, value);
}

void sn_put_bool(napi_env env, napi_value object, const char *name, bool value)
{
	napi_value boolean;

	if (napi_get_boolean(env, value, &boolean) == napi_ok)
		napi_set_named_property(env, object, name, boolean);
}

void sn_put_text(napi_env env, napi_value object, const char *name,
                 const char *text)
{
	napi_value value;

	if (napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value) ==
	    napi_ok)
		napi_set_named_property(env, object, name, value);
}

napi_value sn_outcome(napi_env env, int error, const char *message)
{
	napi_value object = NULL;

	if (napi_create_object(env, &object) != napi_ok)
		return NULL;
	sn_put_number(env, object, "errno", error);
	sn_put_text(env, object, "message", message);
	return object;
}

double sn_number(napi_env env, napi_value value)
{
	double number = 0;

	napi_get_value_double(env, value, &number);
	return number;
}
