/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.c - a thread's frames at any of its instructions (walker.h).
 *
 * Frames of callers are valid.  The innermost run may be invalid:
 *
 * - Up to 3.12, a call of the loop publishes its cframe before the cframe is
 *   initialised.  For some six instructions of each call, the two fields have
 *   old content of the stack.
 * - A compiler may store the pointer to the innermost frame before the fields
 * of
 *   the frame.
 * - A removed frame is still the innermost for some instructions after the
 *   release of its code.
 *
 * So a first walk over the innermost run follows only its links and checks that
 * each page is readable.  If the walk does not end at the start of the next
 * run, the tick gets a native stack.
 */
#include <string.h>

#include "walker/walker.h"

/* A longer run, a recursion without native calls, is checked frame by frame. */
#define RUN_MAX 4096

/* The loop's calls with arguments on the stack move its sp by less.  A
 * function's frame is larger. */
#define SP_SLACK 48

/* A test builds this file without the checks, to show that they are needed. */
#ifdef SYSCAP_WALKER_UNCHECKED
#define CHECKED 0
#else
#define CHECKED 1
#endif

static uintptr_t eval_low, eval_high;

/* Distance from the loop's sp to the anchor on the C stack (below). */
static uintptr_t loop_distance = UINTPTR_MAX;

void walk_set_eval(uintptr_t low, uintptr_t high)
{
	eval_low = low;
	eval_high = high;
}

/* Pages that an earlier check found readable. */
struct pages {
	uintptr_t known[8];
};

static bool page_is_readable(struct pages *pages, uintptr_t address)
{
	const uintptr_t page = address >> 12;
	uintptr_t *const known = &pages->known[page % 8];

	if (page == 0) /* the value of an empty entry */
		return false;
	if (*known == page)
		return true;
	if (!bridge->readable((const void *)address, 1))
		return false;
	*known = page;
	return true;
}

static bool is_readable(struct pages *pages, const void *at, size_t n)
{
	const uintptr_t address = (uintptr_t)at;

	return (address & 7) == 0 && page_is_readable(pages, address) &&
	       page_is_readable(pages, address + n - 1);
}

struct stack {
	PyThreadState *thread;
	_PyInterpreterFrame *top;
	/* address on the C stack of the innermost published call of the loop;
	 * 0: unknown */
	uintptr_t anchor;
	bool careful; /* check each object of a frame */
};

/* True if the frame is above the data stack's end, and so removed. */
static bool is_gone(const PyThreadState *thread,
                    const _PyInterpreterFrame *frame)
{
	const uintptr_t address = (uintptr_t)frame;

	return address >= (uintptr_t)thread->datastack_top &&
	       address < (uintptr_t)thread->datastack_limit &&
	       address > (uintptr_t)thread->datastack_chunk;
}

#if HAS_CFRAME
static bool find_top(struct stack *stack, struct pages *pages)
{
	const _PyCFrame *const cframe = stack->thread->cframe;

	(void)pages;
	if (cframe == &stack->thread->root_cframe)
		return true; /* nothing runs */
	stack->top = cframe->current_frame;
	stack->anchor = (uintptr_t)cframe;
	return stack->top != NULL;
}

static bool is_linked(const struct stack *stack, struct pages *pages,
                      const _PyInterpreterFrame *end)
{
	const _PyCFrame *const outer = stack->thread->cframe->previous;

	return is_readable(pages, outer, sizeof(*outer)) &&
	       end->previous == outer->current_frame;
}
#else
static bool find_top(struct stack *stack, struct pages *pages)
{
	(void)pages;
	stack->top = stack->thread->current_frame;
	return true;
}

static bool is_linked(struct stack *stack, struct pages *pages,
                      const _PyInterpreterFrame *end)
{
	stack->anchor = (uintptr_t)end;
	return end->previous == NULL ||
	       is_readable(pages, end->previous, FRAME_SIZE);
}
#endif

static bool is_sound(struct stack *stack)
{
	struct pages pages;
	const _PyInterpreterFrame *frame;

	memset(&pages, 0, sizeof(pages));
	if (!find_top(stack, &pages))
		return false;
	frame = stack->top;
	if (frame == NULL)
		return true;
	for (int n = 0; n < RUN_MAX; n++) {
		if (!is_readable(&pages, frame, FRAME_SIZE) ||
		    is_gone(stack->thread, frame))
			return false;
		if (frame_ends_run(frame))
			return is_linked(stack, &pages, frame);
		frame = frame->previous;
	}
	stack->careful = true;
	return true;
}

/*
 * True if the thread is in the loop's own code, in a call that is not yet or no
 * longer published.  One native frame then has no run.  In all other calls, the
 * loop's sp and the anchor have the same distance, the smallest possible.
 */
static bool has_untold_call(const struct stack *stack,
                            const struct syscap_regs *regs)
{
	if (!regs->in_signal || regs->pc < eval_low || regs->pc >= eval_high ||
	    stack->careful)
		return false;
	if (stack->top == NULL)
		return true;
	if (stack->anchor < regs->sp)
		return false;
	const uintptr_t distance = stack->anchor - regs->sp;
	uintptr_t least = __atomic_load_n(&loop_distance, __ATOMIC_RELAXED);
	while (distance < least &&
	       !__atomic_compare_exchange_n(&loop_distance, &least, distance,
	                                    true, __ATOMIC_RELAXED,
	                                    __ATOMIC_RELAXED))
		;
	return distance > least && distance - least > SP_SLACK;
}

/* Pushes the loop itself, for a run without a frame. */
static int push_loop(struct syscap_stack_sink *sink)
{
	const struct syscap_stack_frame frame = {
		.kind = SYSCAP_CALL_PC,
		.flags = SYSCAP_CALL_ENTRY,
		.value = eval_low,
	};

	return bridge->push(sink, &frame);
}

/* Returns 0 if there is no more space, less than 0 without a valid frame. */
static int push_frame(struct syscap_stack_sink *sink,
                      const _PyInterpreterFrame *frame, bool careful)
{
	struct syscap_stack_frame out = { .kind = SYSCAP_CALL_NAME };
	size_t size;
	char *const name = bridge->scratch(sink, &size);
	const int n = frame_name(frame, careful, name, size);

	if (n < 0)
		return -1;
	out.value = bridge->intern(name, (size_t)n);
	if (frame_is_entry(frame))
		out.flags = SYSCAP_CALL_ENTRY;
	return bridge->push(sink, &out);
}

int walk_thread(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                PyThreadState *thread)
{
	struct stack stack = { .thread = thread };
	bool is_top = CHECKED;

	if (!CHECKED)
		stack.top = thread_top(thread);
	else if (!is_sound(&stack))
		return SYSCAP_WALK_BUSY;
	else if (has_untold_call(&stack, regs) && !push_loop(sink))
		return 0;
	/* The loop will return, and has only the shim */
	if (stack.top != NULL && frame_is_shim(stack.top) && !push_loop(sink))
		return 0;
	for (const _PyInterpreterFrame *frame = stack.top; frame != NULL;
	     frame = frame->previous) {
		if (frame_is_shim(frame))
			continue;
		const int pushed =
			push_frame(sink, frame, is_top || stack.careful);
		if (pushed < 0)
			return SYSCAP_WALK_BUSY;
		if (pushed == 0)
			break;
		is_top = false;
	}
	return 0;
}
