/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * duktape.c - JavaScript functions in the sampler's stacks, for a program that
 * embeds Duktape.
 *
 *	SYSCAP_SAMPLE=1000 syscap record -- syscap-duktape FILE.js
 *
 * Only Duktape's API can read Duktape's stack.  So a tick's handler sets a
 * flag, and the script's next call of a native function (here now()) is the
 * safe point.  A script that does not call a native function for long is
 * sampled late.
 */
#include <duktape.h>
#include <stdio.h>
#include <time.h>

#include <syscap/runtime.h>

struct engine {
	duk_context *js;
	struct syscap_attachment *attachment;
	struct syscap_stack_sink *sink; /* valid while walk() runs */
	volatile int is_running;        /* set while safe points will come */
	volatile int is_due;
};

static struct engine engine;

/* Runs in a signal handler. */
static int request(void *data)
{
	struct engine *const e = data;

	if (!e->is_running)
		return -1;
	e->is_due = 1;
	return 0;
}

static duk_ret_t push_frames(duk_context *js, void *data)
{
	struct engine *const e = data;

	/* Level -1 is the native function that is the safe point */
	for (duk_int_t level = -2;; level--) {
		struct syscap_stack_frame frame = { .kind = SYSCAP_CALL_NAME };
		const char *name, *file;

		duk_inspect_callstack_entry(js, level);
		if (duk_is_undefined(js, -1))
			return 0;
		duk_get_prop_string(js, -1, "function");
		duk_get_prop_string(js, -1, "name");
		duk_get_prop_string(js, -2, "fileName");
		/* no duk_to_string(), which may call the script's functions */
		name = duk_get_string_default(js, -2, "");
		file = duk_get_string_default(js, -1, "native");
		duk_push_sprintf(js, "%s (%s)", *name ? name : "anonymous",
		                 file);
		size_t len;
		const char *const text = duk_get_lstring(js, -1, &len);
		frame.value = syscap_jit_intern(text, len);
		duk_pop_n(js, 5);
		if (!syscap_stack_push(e->sink, &frame))
			return 0;
	}
}

static int walk(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                void *data)
{
	struct engine *const e = data;

	(void)regs;
	e->sink = sink;
	/* An error such as no memory must not leave walk() by longjmp() */
	duk_safe_call(e->js, push_frames, e, 0, 1);
	duk_pop(e->js);
	return 0;
}

static const struct syscap_provider provider = {
	.size = sizeof(provider),
	.caps = SYSCAP_PROVIDER_SAFEPOINT,
	.name = "Duktape",
	.walk = walk,
	.request = request,
};

/* Each native function calls this function at its start. */
static void safe_point(void)
{
	if (engine.is_due) {
		engine.is_due = 0;
		syscap_safepoint(engine.attachment);
	}
}

static duk_ret_t now(duk_context *js)
{
	struct timespec time;

	safe_point();
	clock_gettime(CLOCK_MONOTONIC, &time);
	duk_push_number(js,
	                (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6);
	return 1;
}

static int run(duk_context *js, const char *file)
{
	char source[65536];
	FILE *const stream = fopen(file, "r");

	if (stream == NULL) {
		perror(file);
		return 1;
	}
	const size_t n = fread(source, 1, sizeof(source), stream);
	fclose(stream);
	duk_push_string(js, file);
	int failed = duk_pcompile_lstring_filename(js, 0, source, n);
	engine.is_running = 1;
	failed = failed || duk_pcall(js, 0);
	engine.is_running = 0;
	printf("%s\n", duk_safe_to_string(js, -1));
	return failed != 0;
}

int main(int argc, char **argv)
{
	duk_context *const js = duk_create_heap_default();

	if (js == NULL || argc < 2)
		return 2;
	duk_push_c_function(js, now, 0);
	duk_put_global_string(js, "now");
	engine.js = js;
	engine.attachment = syscap_attach_thread(&provider, &engine);
	const int status = run(js, argv[1]);
	syscap_detach_thread(engine.attachment);
	duk_destroy_heap(js);
	return status;
}
