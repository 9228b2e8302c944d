/* SPDX-License-Identifier: BSD-2-Clause */
/* metadata.c - METADATA frames, and the PROCESS frame of this process. */
#define _GNU_SOURCE
#include "emit/metadata.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/event.h"
#include "emit/process.h"
#include "emit/unsampled.h"
#include "ring/clock.h"

#define METADATA_MAX \
	(SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_metadata) - 1)
#define CMDLINE_MAX 1024u

static void fill(unsigned char *frame, uint32_t len, const char *id,
                 const char *value, size_t n)
{
	struct syscap_wire_metadata *const metadata = (void *)frame;

	syc_text_field(metadata->id, sizeof(metadata->id), id);
	syc_store_word(frame + len - 8, 0);
	memcpy(metadata + 1, value, n);
}

void syscap_metadata(const char *id, const char *value)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_METADATA);
	volatile uintptr_t token;
	struct syc_event event;

	if (!syscap_is_active() || st == NULL)
		return;
	if (value == NULL)
		value = "";
	const size_t n = syc_text_cut(value, strnlen(value, METADATA_MAX + 1),
	                              METADATA_MAX);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_metadata), n);
	if (!syc_event_begin(&event, st, &token, len, SYSCAP_FRAME_METADATA,
	                     syc_clock(st)))
		return;
	fill(event.frame, len, id, value, n);
	syc_event_end(&event, st, &token,
	              event.tag_word | SYSCAP_FRAME_METADATA);
}

static size_t read_cmdline(char *buffer, size_t size)
{
	const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0) {
		n = read(fd, buffer, size - 1);
		close(fd);
	}
	if (n <= 0)
		return 0;
	while (n > 0 && buffer[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (buffer[i] == '\0')
			buffer[i] = ' ';
	buffer[n] = '\0';
	return syc_text_cut(buffer, (size_t)n, size - 2);
}

static bool announce_process(struct syc_thread *st)
{
	char cmdline[CMDLINE_MAX];
	const size_t n = read_cmdline(cmdline, sizeof(cmdline));
	const uint32_t len = syc_text_frame_len(SYC_HEAD_SIZE, n);
	unsigned char *const frame =
		syc_take(st, st->limit, len, syc_clock_kernel());

	if (frame == NULL)
		return false;
	syc_store_word(frame + len - 8, 0);
	memcpy(frame + SYC_HEAD_SIZE, cmdline, n);
	syc_commit(frame, SYSCAP_FRAME_PROCESS, 0);
	return true;
}

static bool announce_fact(struct syc_thread *st, const char *id,
                          const char *value, size_t n)
{
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_metadata), n);
	unsigned char *const frame =
		syc_take(st, st->limit, len, syc_clock_kernel());

	if (frame == NULL)
		return false;
	fill(frame, len, id, value, n);
	syc_commit(frame, SYSCAP_FRAME_METADATA, st->tid_tag);
	return true;
}

static bool announce_clock(struct syc_thread *st)
{
	char value[64];
	struct syc_text text = syc_text_begin(value, sizeof(value));

	syc_text_add(&text, syc_clock_is_tsc()
	                            ? "source=tsc error_ns="
	                            : "source=clock_gettime error_ns=");
	syc_text_add_u64(&text, syc_clock_is_tsc() ? SYC_CLOCK_ERROR_NS : 0);
	return announce_fact(st, "syscap.clock", value,
	                     (size_t)(text.at - value));
}

/* Who has a sampler says so when it begins; `syscap record` counts these. */
static bool announce_no_sampler(struct syc_thread *st)
{
	static const char value[] = "none: SYSCAP_SAMPLE is set, but no "
				    "sampler is linked";

	return !syc_unsampled_is() ||
	       announce_fact(st, "syscap.sampler", value, sizeof(value) - 1);
}

void syc_metadata_announce(struct syc_state *ts)
{
	if (__atomic_exchange_n(&syc_process->announced, 1, __ATOMIC_RELAXED))
		return;
	if ((ts->is_ours || announce_process(&ts->hot)) &&
	    announce_clock(&ts->hot) && announce_no_sampler(&ts->hot))
		return;
	/* did not fit: the next ring of the process tries again */
	__atomic_store_n(&syc_process->announced, 0, __ATOMIC_RELAXED);
}
