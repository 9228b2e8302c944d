/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.cc - frames of V8's interpreter, for the sampler (frames.h).
 *
 * V8 returns the addresses of its frames, innermost first: machine addresses of
 * compiled code, and addresses within the bytecode of interpreted functions.
 * Compiled code keeps frame pointers, so the sampler's own unwinder finds its
 * frames among C++ frames.  For an interpreted function, the unwinder finds
 * only the interpreter.  So this provider adds the bytecode addresses, each
 * with the stack address of its interpreter's frame.
 *
 * During a garbage collection, JavaScript waits and V8 returns no frames.  So
 * the provider takes the frames at the start of a collection, and keeps these
 * frames until the collection's end.
 *
 * walk() runs in a signal handler.  V8 allows the called functions in handlers
 * (v8-isolate.h, v8-unwinder.h).
 */
#include "frames.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <v8-unwinder.h>

namespace syscap_v8
{
namespace
{

/* V8 trusts values on the stack.  A program's addresses are below this limit */
constexpr uintptr_t kAddressEnd = uintptr_t{ 1 } << 47;
/* x86-64 has one or two ranges of machine code */
constexpr size_t kCodePagesMax = 256;

/* Layout of the sampler's scratch memory. */
struct Work {
	void *frames[kFramesMax];
	v8::MemoryRange pages[kCodePagesMax];
};

bool is_within(const void *at, const void *start, size_t size)
{
	return reinterpret_cast<uintptr_t>(at) -
	               reinterpret_cast<uintptr_t>(start) <
	       size;
}

bool is_machine_code(const Frames *self, const Work *work, size_t n_pages,
                     const void *at)
{
	if (is_within(at, self->embedded, self->embedded_size))
		return true;
	for (size_t i = 0; i < n_pages; i++)
		if (is_within(at, work->pages[i].start,
		              work->pages[i].length_in_bytes))
			return true;
	return false;
}

/*
 * Finds the interpreter's frame that runs @bytecode, from @from outwards, and
 * returns the address of the frame's position; 0: none.  Two words of that
 * frame are the bytecode array, as a tagged pointer, and below the offset, as a
 * small integer in the upper half of its word.  V8 returns the sum of the
 * array's address and the offset.
 */
uintptr_t find_interpreter(uintptr_t from, uintptr_t high, uintptr_t bytecode)
{
	uint64_t offset = ~UINT64_C(0);

	for (uintptr_t at = from; at < high; at += sizeof(uint64_t)) {
		uint64_t word;

		std::memcpy(&word, reinterpret_cast<const void *>(at),
		            sizeof(word));
		if ((word & 3) == 1 && (offset & UINT32_MAX) == 0 &&
		    word + (offset >> 32) == bytecode)
			return at - sizeof(uint64_t);
		offset = word;
	}
	return 0;
}

/*
 * Gets V8's frames into @work; @ret_is_gc: V8 collects.  While a frame is
 * incomplete, V8 returns no frames.  The caller's frame is then complete, and
 * its return address is on top of the stack, or after the caller's frame
 * pointer.
 */
size_t ask(const Frames *self, const struct syscap_regs *regs, Work *work,
           size_t n_pages, bool *ret_is_gc)
{
	v8::SampleInfo info;

	std::memset(&info, 0, sizeof(info));
	for (unsigned behind = 0; behind <= 2; behind++) {
		v8::RegisterState registers;
		uintptr_t sp = regs->sp, pc = regs->pc;

		if (behind != 0) {
			sp += behind * sizeof(uintptr_t);
			if (sp >= self->stack_high)
				break;
			std::memcpy(
				&pc,
				reinterpret_cast<const void *>(sp - sizeof(pc)),
				sizeof(pc));
		}
		/* V8 has recorded the call of a C++ function as the exit from
		 * JavaScript */
		if (behind != 0 &&
		    !is_machine_code(self, work, n_pages,
		                     reinterpret_cast<const void *>(pc)))
			continue;
		registers.pc = reinterpret_cast<void *>(pc);
		registers.sp = reinterpret_cast<void *>(sp);
		registers.fp = reinterpret_cast<void *>(regs->fp);
		registers.lr = reinterpret_cast<void *>(regs->lr);
		self->isolate->GetStackSample(registers, work->frames,
		                              kFramesMax, &info);
		*ret_is_gc = info.vm_state == v8::GC;
		if (info.frames_count != 0 || *ret_is_gc)
			break;
	}
	return info.frames_count;
}

/* Converts V8's frames to the sampler's, and calls @push for each, until @push
 * returns false. */
template <typename Push>
void place(const Frames *self, const Work *work, size_t n_pages, size_t n,
           uintptr_t from, Push push)
{
	const bool managed = self->functions->is_managed() != 0;

	for (size_t i = 0; i < n; i++) {
		struct syscap_stack_frame frame = {};

		frame.kind = SYSCAP_CALL_PC;
		frame.value = reinterpret_cast<uintptr_t>(work->frames[i]);
		if (frame.value >= kAddressEnd)
			break;
		if (!is_machine_code(self, work, n_pages, work->frames[i])) {
			frame.sp = find_interpreter(from, self->stack_high,
			                            frame.value);
			/* Some addresses belong to C++ that JavaScript called:
			 * the unwinder finds such frames */
			if (frame.sp != 0)
				from = frame.sp + 2 * sizeof(uint64_t);
			else if (!managed)
				continue;
			/* Readers expect callers' addresses after the call,
			 * and this address is the call's start */
			if (i != 0 || !managed)
				frame.value++;
		} else if (!managed) {
			continue;
		}
		if (!push(&frame))
			break;
	}
}

int walk(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
         void *thread_data)
{
	const Frames *const self = static_cast<const Frames *>(thread_data);
	bool is_gc = false;
	size_t size;
	Work *const work = static_cast<Work *>(
		self->functions->stack_scratch(sink, &size));

	static_assert(sizeof(Work) <= 16384, "that is what is lent");
	/* The stack is not V8's own, so no assumption holds */
	if (regs->sp >= self->stack_high ||
	    self->stack_high - regs->sp > (UINT64_C(1) << 30))
		return SYSCAP_WALK_BUSY;
	const size_t n_pages =
		self->isolate->CopyCodePages(kCodePagesMax, work->pages);
	if (n_pages > kCodePagesMax)
		return SYSCAP_WALK_BUSY;
	const size_t n = ask(self, regs, work, n_pages, &is_gc);
	if (is_gc) {
		const size_t n_kept = self->n_kept;

		for (size_t i = 0; i < n_kept; i++)
			if (!self->functions->stack_push(sink, &self->kept[i]))
				break;
		return 0;
	}
	place(self, work, n_pages, n, (regs->sp + 7) & ~uintptr_t{ 7 },
	      [&](const struct syscap_stack_frame *frame) {
		      return self->functions->stack_push(sink, frame) != 0;
	      });
	return 0;
}

void on_gc_begin(v8::Isolate *, v8::GCType, v8::GCCallbackFlags, void *data)
{
	Frames *const self = static_cast<Frames *>(data);
	struct syscap_regs here = {};
	Work work;
	bool is_gc;
	size_t n_kept = 0;

	here.fp = here.sp =
		reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
	here.pc = reinterpret_cast<uintptr_t>(&on_gc_begin);
	const size_t n_pages =
		self->isolate->CopyCodePages(kCodePagesMax, work.pages);
	if (n_pages > kCodePagesMax)
		return;
	const size_t n = ask(self, &here, &work, n_pages, &is_gc);
	place(self, &work, n_pages, n, here.sp,
	      [&](const struct syscap_stack_frame *frame) {
		      self->kept[n_kept++] = *frame;
		      return n_kept < kFramesMax;
	      });
	/* A tick must find all frames, or none */
	std::atomic_signal_fence(std::memory_order_seq_cst);
	self->n_kept = n_kept;
}

void on_gc_end(v8::Isolate *, v8::GCType, v8::GCCallbackFlags, void *data)
{
	static_cast<Frames *>(data)->n_kept = 0;
}

bool find_stack(uintptr_t *ret_high)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return false;
	const int error = pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	*ret_high = reinterpret_cast<uintptr_t>(low) + size;
	return error == 0;
}

} // namespace

bool attach(Frames *frames)
{
	struct syscap_provider provider = {};

	if (!find_stack(&frames->stack_high))
		return false;
	frames->isolate->GetEmbeddedCodeRange(&frames->embedded,
	                                      &frames->embedded_size);
	provider.size = sizeof(provider);
	provider.caps = SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_SP;
	provider.name = "v8";
	provider.walk = walk;
	frames->attachment =
		frames->functions->attach_thread(&provider, frames);
	if (frames->attachment == nullptr)
		return false;
	frames->isolate->AddGCPrologueCallback(on_gc_begin, frames);
	frames->isolate->AddGCEpilogueCallback(on_gc_end, frames);
	return true;
}

void detach(Frames *frames)
{
	if (frames->attachment == nullptr)
		return;
	frames->functions->detach_thread(frames->attachment);
	frames->attachment = nullptr;
	frames->isolate->RemoveGCPrologueCallback(on_gc_begin, frames);
	frames->isolate->RemoveGCEpilogueCallback(on_gc_end, frames);
}

} // namespace syscap_v8
