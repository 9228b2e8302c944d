/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.cc - frames of V8's interpreter, for the sampler (frames.h).
 *
 * V8 tells the addresses of its frames, innermost first: of compiled code a
 * machine address, of interpreted functions one within their bytecode.  Code
 * that it compiles keeps frame pointers, so the sampler's own unwinder sees
 * those frames, in their places among C++'s; of an interpreted function it
 * sees the interpreter.  So we add the bytecode addresses, each with the place
 * of its interpreter's frame on the stack.
 *
 * While V8 collects garbage it tells nothing.  JavaScript waits meanwhile, so
 * its frames are taken when a collection begins, and kept until it ends.
 *
 * walk() runs in a signal handler.  What it calls of V8 is made for that:
 * v8-isolate.h and v8-unwinder.h say so.
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

/* V8 believes what it finds on the stack; no address of a program's is above */
constexpr uintptr_t kAddressEnd = uintptr_t{ 1 } << 47;
constexpr size_t kCodePagesMax = 256; /* x86-64 has one or two */

/* In the memory that the sampler lends us. */
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
 * Where the interpreter's frame that runs @bytecode keeps its position, from
 * @from outwards; 0: nowhere.  Two words of it are the bytecode array, as a
 * tagged pointer, and below that the offset, as a small integer in the upper
 * half of its word; V8 adds the two to what it tells us.
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
 * V8's frames into @work, and in @ret_is_gc whether it collects.  It says
 * nothing of an instant at which a frame is not whole yet, or not any more.
 * Then the caller's is: where it goes on stands on top, or behind the caller's
 * frame pointer.
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
		/* Of C++ that was called, V8 knows where it left */
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

/* The sampler's frames of V8's, each given to @push, until that is false. */
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
			/* Some are no bytecode: C++ that was called by
			 * JavaScript, which the unwinder sees */
			if (frame.sp != 0)
				from = frame.sp + 2 * sizeof(uint64_t);
			else if (!managed)
				continue;
			/* Readers take callers' addresses for those behind a
			 * call; this is where the call begins */
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
	/* Another stack than V8's own: nothing here holds */
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
	/* A tick finds all of them, or none */
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
