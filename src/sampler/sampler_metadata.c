/* SPDX-License-Identifier: BSD-2-Clause */
/* sampler_metadata.c - the sampler's events that describe the process. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "base/text.h"
#include "emit/event.h"
#include "emit/recorder.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/signals.h"
#include "sampler/sampler.h"
#include "sampler/state.h"
#include "session/process_frames.h"

static const char *clock_text(uint32_t clock)
{
	switch (clock) {
	case SYSCAP_SAMPLER_WALL:
		return " times a second, asleep or not";
	case SYSCAP_SAMPLER_PERF:
		return " times a second of its processor time, by perf events";
	default:
		return " times a second of its processor time";
	}
}

void syc_sampler_metadata_describe(char *message, size_t size)
{
	const struct syc_sampler *const s = syc_sampler;
	const uint32_t n_without =
		__atomic_load_n(&s->n_unsampled, __ATOMIC_RELAXED);
	struct syc_text text = syc_text_begin(message, size);

	syc_text_add(&text, "each thread ");
	/* Another thread may already have restarted sampling */
	syc_text_add_u64(&text, __atomic_load_n(&s->hz, __ATOMIC_RELAXED));
	syc_text_add(&text,
	             clock_text(__atomic_load_n(&s->clock, __ATOMIC_RELAXED)));
	syc_text_add(&text, ", by signal ");
	syc_text_add_i64(&text, __atomic_load_n(&s->signal, __ATOMIC_RELAXED));
	if (n_without != 0) {
		syc_text_add(&text,
		             "; threads that block it or got no timer: ");
		syc_text_add_u64(&text, n_without);
	}
	*text.at = '\0';
}

/* Return whether to delay the report.  A first event makes an arena of rings,
 * and the recorder then reads this process in /proc.  In a process that ends
 * before its first tick, the arena and the reads are most of the cost. */
static bool gains_by_waiting(void)
{
	return syc_destination_sink() == SYC_SINK_CONTROL &&
	       syc_handed_arena_is_requested();
}

void syc_sampler_metadata_begin(bool may_wait)
{
	__atomic_store_n(&syc_sampler->is_unreported, 1, __ATOMIC_RELAXED);
	/* If the process records itself, the report, and not a tick in a
	 * handler, makes the session */
	if (!may_wait || !gains_by_waiting())
		syc_sampler_metadata_flush();
}

/* Report the start of sampling.  The function is not inlined, because a tick
 * after the report must not reserve stack for the text. */
static __attribute__((noinline)) void tell_of_sampling(void)
{
	char message[sizeof(((struct syscap_sampler_options *)0)->message)];

	syc_sampler_metadata_describe(message, sizeof(message));
	syscap_metadata("syscap.sampler", message);
}

void syc_sampler_metadata_flush(void)
{
	struct syc_sampler *const s = syc_sampler;

	/* A vfork() child shares the memory of its parent */
	if (s != NULL &&
	    __atomic_load_n(&s->is_unreported, __ATOMIC_RELAXED) != 0 &&
	    __atomic_load_n(&s->pid, __ATOMIC_RELAXED) == getpid() &&
	    __atomic_exchange_n(&s->is_unreported, 0, __ATOMIC_RELAXED) != 0)
		tell_of_sampling();
}

static bool may_tell(const struct syc_sampler *s)
{
	/* Under a filter a thread without a ring must not request a ring */
	return !syc_state_has_filter(s) || syc_self != NULL;
}

/* Report the number of threads that began without a timer. */
static void tell_unsampled(const struct syc_sampler *s)
{
	const struct {
		const char *word;
		uint32_t n;
	} reasons[] = {
		{ ", blocked ",
		  __atomic_load_n(&s->n_blocked, __ATOMIC_RELAXED) },
		{ ", asleep ",
		  __atomic_load_n(&s->n_asleep, __ATOMIC_RELAXED) },
		{ ", small ", __atomic_load_n(&s->n_small, __ATOMIC_RELAXED) },
		{ ", filtered ",
		  __atomic_load_n(&s->n_filtered, __ATOMIC_RELAXED) },
		{ ", limited ",
		  __atomic_load_n(&s->n_limited, __ATOMIC_RELAXED) },
	};
	char message[128];
	struct syc_text text = syc_text_begin(message, sizeof(message));
	const char *const begin = text.at;

	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (reasons[i].n == 0)
			continue;
		syc_text_add(&text, reasons[i].word + (text.at == begin) * 2);
		syc_text_add_u64(&text, reasons[i].n);
	}
	*text.at = '\0';
	if (text.at == begin || !may_tell(s))
		return;
	syc_sampler_metadata_flush();
	syscap_metadata("syscap.sampler.unsampled", message);
}

/* Report the outcome of the ticks of all threads.  Returns false if no tick
 * came. */
static bool tell_delivered(const struct syc_sampler *s)
{
	struct syc_target sum = { .n_samples = 0 };
	char message[192];
	struct syc_text text = syc_text_begin(message, sizeof(message));

	for (uint32_t i = 0; i < syc_target_count(); i++) {
		const struct syc_target *const t = syc_target_at(i);

		sum.n_samples +=
			__atomic_load_n(&t->n_samples, __ATOMIC_RELAXED);
		sum.n_due += __atomic_load_n(&t->n_due, __ATOMIC_RELAXED);
		sum.n_skipped +=
			__atomic_load_n(&t->n_skipped, __ATOMIC_RELAXED);
		sum.n_cramped +=
			__atomic_load_n(&t->n_cramped, __ATOMIC_RELAXED);
		sum.n_refused +=
			__atomic_load_n(&t->n_refused, __ATOMIC_RELAXED);
		sum.taken_ns += __atomic_load_n(&t->taken_ns, __ATOMIC_RELAXED);
	}
	if (sum.n_samples + sum.n_refused + sum.n_cramped == 0 || !may_tell(s))
		return false;
	syc_text_add(&text, "samples ");
	syc_text_add_u64(&text, sum.n_samples);
	syc_text_add(&text, ", ticks ");
	syc_text_add_u64(&text, sum.n_due);
	syc_text_add(&text, ", skipped ");
	syc_text_add_u64(&text, sum.n_skipped);
	syc_text_add(&text, ", refused ");
	syc_text_add_u64(&text, sum.n_refused);
	syc_text_add(&text, ", cramped ");
	syc_text_add_u64(&text, sum.n_cramped);
	syc_text_add(&text, ", took_us ");
	syc_text_add_u64(&text, sum.taken_ns / 1000);
	*text.at = '\0';
	syscap_metadata("syscap.sampler.delivered", message);
	return true;
}

bool syc_sampler_metadata_end(void)
{
	tell_unsampled(syc_sampler);
	return tell_delivered(syc_sampler);
}

/* Return whether the recorder has not read /proc yet.  The recorder stores a
 * word after the read. */
static bool is_unseen(void)
{
	const struct syc_arena_head *const head = syc_slot_arena_head();

	return head != NULL &&
	       __atomic_load_n(&head->reader, __ATOMIC_ACQUIRE) == 0;
}

bool syc_process_maps_emit(void *unused, const void *frame, uint32_t len)
{
	const struct syscap_wire_frame *const header = frame;
	const size_t n = sizeof(*header);
	struct syc_thread *const st = syc_thread_get(header->type);
	volatile uintptr_t token;

	(void)unused;
	if (st == NULL)
		return false;
	/* Use the slow path, because this event is rare */
	const struct syc_slow_event event =
		syc_event_begin_slow(st, &token, len, header->type,
	                             header->time, __builtin_dwarf_cfa());

	if (event.frame == NULL)
		return false;
	memcpy(event.frame + n, (const unsigned char *)frame + n, len - n);
	syc_event_end_slow(st, &token, event.frame,
	                   (event.tag_word & SYC_IS_OUTERMOST) != 0,
	                   SYC_WORD(frame, type, header->type));
	return true;
}

void syc_process_maps_report(void)
{
	struct syc_undisturbed before;
	struct syc_described *described;

	if (!is_unseen())
		return;
	described = mmap(NULL, sizeof(*described), PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (described == MAP_FAILED)
		return;
	syc_undisturbed_begin(&before);
	syc_map_frames_write(described, getpid(), syscap_clock(), false,
	                     syc_process_maps_emit, NULL);
	syc_undisturbed_end(&before);
	munmap(described, sizeof(*described));
}
