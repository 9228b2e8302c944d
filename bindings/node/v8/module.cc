/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.cc - the addon for V8's frames, for one major version of Node.
 *
 * v8/index.js loads this Node-API module only into the version for which the
 * module was built: the file's name contains NODE_MODULE_VERSION.
 */
#define NAPI_VERSION 8
#include <node_api.h>
#include <v8.h>

#include <new>

#include "code.h"
#include "frames.h"

using syscap_v8::Frames;

namespace
{

Frames *frames_of(napi_env env)
{
	void *data = nullptr;

	napi_get_instance_data(env, &data);
	return static_cast<Frames *>(data);
}

void end(void *data)
{
	Frames *const frames = static_cast<Frames *>(data);

	syscap_v8::forget_code(frames->isolate);
	syscap_v8::tell_kept();
	syscap_v8::detach(frames);
}

void release(napi_env, void *data, void *)
{
	delete static_cast<Frames *>(data);
}

/* attach(functions): false if this isolate cannot be sampled */
napi_value attach(napi_env env, napi_callback_info info)
{
	Frames *const frames = frames_of(env);
	napi_value arg, result = nullptr;
	size_t n = 1;
	void *table = nullptr;

	napi_get_cb_info(env, info, &n, &arg, nullptr, nullptr);
	napi_get_value_external(env, arg, &table);
	const auto *const functions =
		static_cast<const struct sn_functions *>(table);
	if (functions == nullptr || functions->size != sizeof(*functions)) {
		napi_throw_error(env, nullptr,
		                 "syscap: addons of different versions");
		return nullptr;
	}
	frames->functions = functions;
	if (frames->attachment == nullptr)
		syscap_v8::attach(frames);
	napi_get_boolean(env, frames->attachment != nullptr, &result);
	return result;
}

/* detach() */
napi_value detach(napi_env env, napi_callback_info)
{
	end(frames_of(env));
	return nullptr;
}

/* tellCode() */
napi_value tell_code(napi_env env, napi_callback_info)
{
	Frames *const frames = frames_of(env);

	syscap_v8::forget_code(frames->isolate);
	syscap_v8::tell_code(frames->isolate, frames->functions);
	return nullptr;
}

/* tellKept() */
napi_value tell_kept(napi_env, napi_callback_info)
{
	syscap_v8::tell_kept();
	return nullptr;
}

/* lost() */
napi_value lost(napi_env env, napi_callback_info)
{
	napi_value result = nullptr;

	napi_create_double(env, static_cast<double>(syscap_v8::n_code_lost()),
	                   &result);
	return result;
}

bool define(napi_env env, napi_value exports, const char *name,
            napi_callback function)
{
	napi_value value;

	return napi_create_function(env, name, NAPI_AUTO_LENGTH, function,
	                            nullptr, &value) == napi_ok &&
	       napi_set_named_property(env, exports, name, value) == napi_ok;
}

} // namespace

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */)
{
	Frames *const frames = new (std::nothrow) Frames();

	if (frames == nullptr)
		return nullptr;
	frames->isolate = v8::Isolate::GetCurrent();
	napi_set_instance_data(env, frames, release, nullptr);
	napi_add_env_cleanup_hook(env, end, frames);
	if (!define(env, exports, "attach", attach) ||
	    !define(env, exports, "detach", detach) ||
	    !define(env, exports, "tellCode", tell_code) ||
	    !define(env, exports, "tellKept", tell_kept) ||
	    !define(env, exports, "lost", lost))
		return nullptr;
	return exports;
}
