/* SPDX-License-Identifier: BSD-2-Clause */
/* toy.c - a language runtime small enough to read. */
#define _GNU_SOURCE
#include "sampler/toy.h"

#include <string.h>

#include "harness/test.h"
#include "sampler/stacks.h"

/* Address range of the loop, from NATIVE() */
extern const char __start_native_toy_eval[], __stop_native_toy_eval[];

static int walk(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                void *thread_data)
{
	struct toy *const toy = thread_data;
	const uint32_t caps = toy->provider.caps;

	(void)regs;
	toy->n_walks++;
	for (unsigned i = toy->depth; i-- != 0;) {
		const struct toy_frame *const f = &toy->frames[i];
		struct syscap_stack_frame frame = {
			.kind = SYSCAP_CALL_NAME,
			.sp = (caps & SYSCAP_PROVIDER_SP) != 0 ? f->sp : 0,
			.flags = f->is_entry ? SYSCAP_CALL_ENTRY : 0,
		};

		if ((caps & SYSCAP_PROVIDER_HANDLES) != 0) {
			frame.kind = SYSCAP_CALL_HANDLE;
			frame.value = (uintptr_t)f->name;
		} else {
			frame.value =
				syscap_jit_intern(f->name, strlen(f->name));
		}
		if (i + 1 == toy->depth)
			frame.flags |= toy->flags;
		if (!syscap_stack_push(sink, &frame))
			break;
	}
	if (toy->while_walking != NULL)
		toy->while_walking(toy);
	return toy->walk_says;
}

static int request(void *thread_data)
{
	struct toy *const toy = thread_data;

	toy->n_requests++;
	if (toy->is_idle)
		return -1;
	toy->is_asked = true;
	return 0;
}

static int resolve(uint64_t handle, char *name, size_t size, void *thread_data)
{
	const char *const text = (const char *)(uintptr_t)handle;
	const size_t n = strlen(text);

	(void)thread_data;
	if (strcmp(text, "unknown") == 0 || n > size)
		return -1;
	memcpy(name, text, n);
	return (int)n;
}

void toy_init(struct toy *toy, uint32_t caps)
{
	memset(toy, 0, sizeof(*toy));
	toy->provider = (struct syscap_provider){
		.size = sizeof(toy->provider),
		.caps = caps,
		.name = "toy",
		.eval_low = (uintptr_t)__start_native_toy_eval,
		.eval_high = (uintptr_t)__stop_native_toy_eval,
		.walk = walk,
		.request = request,
		.resolve = resolve,
	};
}

NATIVE(toy_eval)
void toy_eval(struct toy *toy, const struct toy_function *function)
{
	/* Each function has a place in this machine frame, callers at higher
	 * addresses */
	volatile char places[64];
	const unsigned depth = toy->depth;
	bool is_entry = true;

	for (unsigned i = 0; function != NULL; i++) {
		CHECK(toy->depth < TOY_DEPTH);
		toy->frames[toy->depth] = (struct toy_frame){
			function->name,
			(uintptr_t)&places[63 - (i < 64 ? i : 63)],
			is_entry,
		};
		is_entry = false;
		toy->depth++;
		if (function->native != NULL)
			function->native(toy);
		if (toy->is_asked) {
			toy->is_asked = false;
			toy->n_told += syscap_safepoint(toy->attachment);
		}
		function = function->calls;
	}
	toy->depth = depth;
}

void toy_tell(void)
{
	NATIVE_TELL(toy_eval);
}
