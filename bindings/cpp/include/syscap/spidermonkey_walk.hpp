/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spidermonkey_walk.hpp - the part of spidermonkey.hpp that runs in the
 * sampler's signal handler.  Do not include this internal header directly.
 *
 * No function allocates, locks, or calls the engine, except the engine's
 * functions for samplers.  Other functions of the engine may read data that the
 * interrupted code has half changed.
 */
#ifndef SYSCAP_SPIDERMONKEY_WALK_HPP
#define SYSCAP_SPIDERMONKEY_WALK_HPP

#include <js/ProfilingFrameIterator.h>
#include <js/ProfilingStack.h>
#include <js/RootingAPI.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <syscap/runtime.h>

namespace syscap::spidermonkey::detail
{

/** The registers at an entry from C++ into the engine's machine code. */
struct native_entry {
	std::uintptr_t pc, sp, fp, lr;
};

/** Maximum number of nested entries that the unwinder follows. */
constexpr unsigned entries_max = 256;

/** Maximum number of frames of machine code in a walk. */
constexpr unsigned visits_max = 4096;

/** Maximum size of the range with a process's machine code. */
constexpr std::uintptr_t code_range = std::uintptr_t(1) << 31;

struct state {
	JSContext *cx;
	/* stack of the attachment; NULL: uses the program's stack */
	ProfilingStack *stack;
	bool enabled_here;
	syscap_attachment *attachment;
	std::uintptr_t code; /* a known address in machine code, or 0 */

	/* Data of the last tick with a walk() */
	const void *ucontext;
	std::int64_t time;
	unsigned n_entries, entry;
	native_entry entries[entries_max];
};

using iterator = JS::ProfilingFrameIterator;

inline std::uintptr_t word(const void *address) noexcept
{
	return reinterpret_cast<std::uintptr_t>(address);
}

/** Content of syscap_stack_scratch(). */
struct scratch {
	iterator::Frame inlined[64]; /* the engine's own limit */
	char name[4096];
};

struct name {
	const char *text[2];
	std::size_t length[2];
};

inline void set_name(name *n, const char *a, const char *b) noexcept
{
	const std::size_t most = 4095;

	n->text[0] = a != nullptr ? a : "";
	n->text[1] = b != nullptr ? b : "";
	for (int i = 0; i < 2; i++)
		n->length[i] = strnlen(n->text[i], most);
}

inline std::uint64_t intern(const name &n) noexcept
{
	if (n.length[0] == 0 || n.length[1] == 0) {
		const int i = n.length[0] == 0;

		return syscap_jit_intern(n.text[i], n.length[i]);
	}
	return syscap_jit_intern2(n.text[0], n.length[0], n.text[1],
	                          n.length[1]);
}

/** The frames of machine code, from the innermost on. */
class machine_frames
{
      public:
	machine_frames(state *s, const iterator::RegisterState &regs,
	               scratch *scratch) noexcept
	    : state_(s), frames_(scratch->inlined), at_(s->cx, regs)
	{
		read();
	}

	bool done() const noexcept
	{
		return i_ == n_;
	}

	std::uintptr_t sp() const noexcept
	{
		return word(frames_[i_].stackAddress);
	}

	void get(syscap_stack_frame *frame) const noexcept
	{
		name n;

		set_name(&n, frames_[i_].label, nullptr);
		if (n.length[0] == 0)
			set_name(&n, "(JavaScript)", nullptr);
		frame->value = intern(n);
		frame->sp = sp();
		frame->flags = i_ + 1 < n_ ? SYSCAP_CALL_INLINED : 0;
	}

	void next() noexcept
	{
		if (++i_ < n_)
			return;
		++at_;
		read();
	}

	/** Skips frames without space, which the unwinder only passes. */
	void skip_rest() noexcept
	{
		i_ = n_ = 0;
		while (!at_.done() && may_visit()) {
			++at_;
			note_entry();
		}
	}

      private:
	bool may_visit() noexcept
	{
		return n_visits_++ < visits_max;
	}

	void read() noexcept
	{
		i_ = n_ = 0;
		for (; !at_.done() && may_visit(); ++at_) {
			n_ = at_.extractStack(frames_, 0, 64);
			note_entry();
			if (n_ == 0)
				continue;
			if (frames_->kind !=
			    iterator::Frame_BaselineInterpreter)
				state_->code = word(frames_->returnAddress());
			return;
		}
	}

	void note_entry() noexcept
	{
		if (at_.done() || state_->n_entries == entries_max)
			return;
		const auto regs = at_.getCppEntryRegisters();
		if (regs.isNothing())
			return;
		state_->entries[state_->n_entries++] =
			native_entry{ word(regs->pc), word(regs->sp),
			              word(regs->fp), word(regs->lr) };
	}

	state *state_;
	iterator::Frame *frames_;
	iterator at_;
	std::uint32_t i_ = 0, n_ = 0;
	unsigned n_visits_ = 0;
};

/**
 * Labels and interpreted functions, from the innermost outwards.
 *
 * An interpreted function has no address, but its run of the interpreter has an
 * address, in a marker on the outer side of the function.  After the marker
 * comes a frame "js::RunScript" that is no function.
 */
class engine_frames
{
      public:
	engine_frames(const ProfilingStack *stack, scratch *scratch) noexcept
	    : frames_(stack->frames), name_(scratch->name)
	{
		n_ = stack->stackSize();
		if (n_ > stack->stackCapacity())
			n_ = stack->stackCapacity();
		place_ = n_;
		is_suppressed_ = look_suppressed();
		settle();
	}

	/** True while frames of machine code are unavailable, since the engine
	 * collects or changes data that the iterator reads. */
	bool is_suppressed() const noexcept
	{
		return is_suppressed_;
	}

	bool done() const noexcept
	{
		return n_ == 0;
	}

	std::uintptr_t sp() noexcept
	{
		for (; place_ >= n_ || frames_[place_].isJsFrame(); place_--)
			if (place_ == 0)
				return 0;
		return word(frames_[place_].stackAddress());
	}

	void get(syscap_stack_frame *frame) noexcept
	{
		const js::ProfilingStackFrame &f = frames_[n_ - 1];
		name n;

		set_name(&n, f.label(), f.dynamicString());
		apply_template(f.flags(), &n);
		frame->value = intern(n);
		frame->sp = sp();
		frame->flags = f.isLabelFrame() ? SYSCAP_CALL_LABEL : 0;
	}

	void next() noexcept
	{
		n_--;
		settle();
	}

      private:
	using flags = js::ProfilingStackFrame::Flags;

	bool look_suppressed() const noexcept
	{
		for (std::uint32_t i = n_; i != 0; i--) {
			const js::ProfilingStackFrame &f = frames_[i - 1];

			if (f.isJsFrame() && f.rawScript() != nullptr)
				return f.script() == nullptr;
		}
		return false;
	}

	bool tells(const js::ProfilingStackFrame &f) const noexcept
	{
		if (f.isSpMarkerFrame())
			return false;
		if (!f.isJsFrame())
			return true;
		const char *const function = f.dynamicString();
		if (function == nullptr || *function == 0)
			return false;
		/* The function continues as machine code, which the iterator
		 * reports */
		return !f.isOSRFrame() || is_suppressed_;
	}

	void settle() noexcept
	{
		while (n_ != 0 && !tells(frames_[n_ - 1]))
			n_--;
	}

	/* "label.dynamic", preceded by "get " or "set " if flagged. */
	void apply_template(std::uint32_t bits, name *n) noexcept
	{
		const auto has = [bits](flags flag) {
			return (bits & static_cast<std::uint32_t>(flag)) != 0;
		};
		const char *before = "";
		std::size_t length = 0;

		if (has(flags::STRING_TEMPLATE_GETTER))
			before = "get ";
		else if (has(flags::STRING_TEMPLATE_SETTER))
			before = "set ";
		else if (!has(flags::STRING_TEMPLATE_METHOD))
			return;
		const auto add = [this, &length](const char *text,
		                                 std::size_t size) {
			if (size > sizeof(scratch::name) - length)
				size = sizeof(scratch::name) - length;
			std::memcpy(name_ + length, text, size);
			length += size;
		};
		add(before, std::strlen(before));
		add(n->text[0], n->length[0]);
		if (n->length[1] != 0)
			add(".", 1);
		add(n->text[1], n->length[1]);
		*n = name{ { name_, "" }, { length, 0 } };
	}

	const js::ProfilingStackFrame *frames_;
	char *name_;
	std::uint32_t n_;     /* index of the next frame, plus 1 */
	std::uint32_t place_; /* index for sp(), if below n_ */
	bool is_suppressed_;
};

inline iterator::RegisterState registers(const syscap_regs *regs) noexcept
{
	iterator::RegisterState r;

	r.pc = reinterpret_cast<void *>(regs->pc);
	r.sp = reinterpret_cast<void *>(regs->sp);
	r.fp = reinterpret_cast<void *>(regs->fp);
	r.lr = reinterpret_cast<void *>(regs->lr);
	return r;
}

/* Pushes one frame for running JavaScript whose names are unavailable. */
inline void push_unknown(syscap_stack_sink *sink) noexcept
{
	syscap_stack_frame frame = {};

	frame.kind = SYSCAP_CALL_NAME;
	frame.value = syscap_jit_intern("(JavaScript)", 12);
	frame.flags = SYSCAP_CALL_PARTIAL;
	syscap_stack_push(sink, &frame);
}

inline int walk(syscap_stack_sink *sink, const syscap_regs *regs,
                void *data) noexcept
{
	state *const s = static_cast<state *>(data);
	std::size_t size;
	void *const memory = syscap_stack_scratch(sink, &size);

	s->n_entries = s->entry = 0;
	s->ucontext = regs->ucontext;
	s->time = regs->time;
	const ProfilingStack *const stack =
		js::GetContextProfilingStackIfEnabled(s->cx);
	if (stack == nullptr || size < sizeof(scratch))
		return SYSCAP_WALK_BUSY;
	auto *const room = static_cast<scratch *>(memory);
	engine_frames engine(stack, room);
	machine_frames machine(s, registers(regs), room);
	bool partial = engine.is_suppressed();

	while (!engine.done() || !machine.done()) {
		syscap_stack_frame frame = {};

		frame.kind = SYSCAP_CALL_NAME;
		if (engine.done() ||
		    (!machine.done() && machine.sp() <= engine.sp())) {
			machine.get(&frame);
			machine.next();
		} else {
			engine.get(&frame);
			engine.next();
		}
		if (partial)
			frame.flags |= SYSCAP_CALL_PARTIAL;
		partial = false;
		if (!syscap_stack_push(sink, &frame)) {
			machine.skip_rest();
			break;
		}
	}
	if (partial)
		push_unknown(sink);
	return 0;
}

/** Steps out of the engine's machine code, which has no unwind tables. */
inline int step_out(syscap_regs *regs, void *data) noexcept
{
	state *const s = static_cast<state *>(data);

	if (regs->ucontext != s->ucontext || regs->time != s->time)
		return -1;
	if (s->code != 0 && regs->pc - s->code >= code_range &&
	    s->code - regs->pc >= code_range)
		return -1;
	while (s->entry < s->n_entries && s->entries[s->entry].sp <= regs->sp)
		s->entry++;
	if (s->entry == s->n_entries)
		return -1;
	const native_entry &e = s->entries[s->entry];
	regs->pc = e.pc;
	regs->sp = e.sp;
	regs->fp = e.fp;
	regs->lr = e.lr;
	return SYSCAP_STEP_TOLD;
}

} /* namespace syscap::spidermonkey::detail */

#endif
