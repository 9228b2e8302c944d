/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 07_provider.c - functions of an interpreter in the sampler's stacks.
 *
 *	syscap record --sample -- 07_provider
 *	syscap stat capture.syscap
 *
 * The interpreter keeps a list of its frames.  A tick's handler may read the
 * list between any two instructions.  The signal fences keep the compiler from
 * moving or omitting the stores to the list.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <syscap/runtime.h>

struct frame {
	struct frame *caller;
	const char *name;
};

struct vm {
	struct frame *top;
};

static struct vm vm;
static volatile unsigned result;

/* Completes a frame before publishing the frame, and before the function's
 * work. */
static void enter(struct frame *frame, const char *name)
{
	*frame = (struct frame){ .caller = vm.top, .name = name };
	atomic_signal_fence(memory_order_seq_cst);
	vm.top = frame;
	atomic_signal_fence(memory_order_seq_cst);
}

static void leave(const struct frame *frame)
{
	atomic_signal_fence(memory_order_seq_cst);
	vm.top = frame->caller;
	atomic_signal_fence(memory_order_seq_cst);
}

/* Runs in a signal handler: only reads, and calls signal-safe functions. */
static int walk(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                void *data)
{
	const struct vm *const of = data;

	(void)regs;
	for (const struct frame *f = of->top; f != NULL; f = f->caller) {
		const struct syscap_stack_frame frame = {
			.kind = SYSCAP_CALL_NAME,
			.value = syscap_jit_intern(f->name, strlen(f->name)),
			.sp = (uintptr_t)f,
		};

		if (!syscap_stack_push(sink, &frame))
			break;
	}
	return 0;
}

static const struct syscap_provider provider = {
	.size = sizeof(provider),
	.caps = SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_SP,
	.name = "example",
	.walk = walk,
};

/* A function of the interpreted program. */
static void run(const char *name, unsigned steps)
{
	struct frame frame;

	enter(&frame, name);
	for (unsigned i = 0; i < steps; i++)
		result += i;
	leave(&frame);
}

int main(void)
{
	struct syscap_attachment *const attachment =
		syscap_attach_thread(&provider, &vm);
	struct frame frame;

	enter(&frame, "script");
	while (clock() < CLOCKS_PER_SEC / 2) {
		run("parse", 100000);
		run("draw", 300000);
	}
	leave(&frame);
	if (attachment != NULL)
		syscap_detach_thread(attachment);
	return 0;
}
