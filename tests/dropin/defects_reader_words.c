/* SPDX-License-Identifier: BSD-2-Clause */
/* defects_reader_words.c - a reader's result for a frame, as text. */
#define _GNU_SOURCE
#include "dropin/defects_reader_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dropin/defects_files.h"

void words_add(struct words *words, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(words->text + words->size,
	              sizeof(words->text) - words->size, format, args);
	va_end(args);
	NEED(n >= 0 && (size_t)n < sizeof(words->text) - words->size);
	words->size += (size_t)n;
}

void words_add_frame(struct words *words, const SysprofCaptureFrame *f)
{
	words_add(words, "type %d len %d cpu %d pid %d time %lld ", f->type,
	          f->len, f->cpu, f->pid, (long long)f->time);
}

static void add_stack(struct words *words, const SysprofCaptureAddress *addrs,
                      unsigned n)
{
	MUST(n <= 8);
	for (unsigned i = 0; i < n; i++) {
		SysprofCaptureAddress address;

		memcpy(&address, (const char *)addrs + 8 * i, 8);
		words_add(words, "%llx ", (unsigned long long)address);
	}
}

static bool add_names(SysprofCaptureReader *reader, struct words *words)
{
	const SysprofCaptureJitmap *const map =
		sysprof_capture_reader_read_jitmap(reader);
	SysprofCaptureJitmapIter iter;
	SysprofCaptureAddress address;
	const char *name;

	if (map == NULL)
		return false;
	words_add_frame(words, &map->frame);
	words_add(words, "n %u ", map->n_jitmaps);
	sysprof_capture_jitmap_iter_init(&iter, map);
	while (sysprof_capture_jitmap_iter_next(&iter, &address, &name))
		words_add(words, "%llx %s ", (unsigned long long)address, name);
	return true;
}

static bool add_definitions(SysprofCaptureReader *reader, struct words *words)
{
	const SysprofCaptureCounterDefine *const def =
		sysprof_capture_reader_read_counter_define(reader);

	if (def == NULL)
		return false;
	words_add_frame(words, &def->frame);
	for (unsigned i = 0; i < def->n_counters; i++) {
		const SysprofCaptureCounter *const c = &def->counters[i];

		MUST(i < 8);
		words_add(words, "%s %s %s %u %u %lld ", c->category, c->name,
		          c->description, c->id, c->type,
		          (long long)c->value.v64);
	}
	return true;
}

static bool add_values(SysprofCaptureReader *reader, struct words *words)
{
	const SysprofCaptureCounterSet *const set =
		sysprof_capture_reader_read_counter_set(reader);

	if (set == NULL)
		return false;
	words_add_frame(words, &set->frame);
	for (unsigned i = 0; i < set->n_values; i++) {
		MUST(i < 8);
		for (unsigned j = 0; j < 8; j++)
			words_add(words, "%u %lld ", set->values[i].ids[j],
			          (long long)set->values[i].values[j].v64);
	}
	return true;
}

static bool add_sample(SysprofCaptureReader *reader, struct words *words)
{
	const SysprofCaptureSample *const s =
		sysprof_capture_reader_read_sample(reader);

	if (s == NULL)
		return false;
	words_add_frame(words, &s->frame);
	words_add(words, "tid %d ", s->tid);
	add_stack(words, s->addrs, s->n_addrs);
	return true;
}

static bool add_allocation(SysprofCaptureReader *reader, struct words *words)
{
	const SysprofCaptureAllocation *const a =
		sysprof_capture_reader_read_allocation(reader);

	if (a == NULL)
		return false;
	words_add_frame(words, &a->frame);
	words_add(words, "tid %d addr %llx size %lld ", a->tid,
	          (unsigned long long)a->alloc_addr, (long long)a->alloc_size);
	add_stack(words, a->addrs, a->n_addrs);
	return true;
}

#if SYSPROF_CAPTURE_FRAME_LAST > 16

static bool add_trace(SysprofCaptureReader *reader, struct words *words)
{
	const SysprofCaptureTrace *const t =
		sysprof_capture_reader_read_trace(reader);

	if (t == NULL)
		return false;
	words_add_frame(words, &t->frame);
	words_add(words, "tid %d entering %d ", t->tid, t->entering);
	add_stack(words, t->addrs, t->n_addrs);
	return true;
}

static bool add_message(SysprofCaptureReader *reader, struct words *words)
{
	const SysprofCaptureDBusMessage *const m =
		sysprof_capture_reader_read_dbus_message(reader);

	if (m == NULL)
		return false;
	words_add_frame(words, &m->frame);
	words_add(words, "bus %d flags %d len %d %.*s ", m->bus_type, m->flags,
	          m->message_len, m->message_len, (const char *)m->message);
	return true;
}

#endif

/* Adds frames with little more than a header, and texts. */
static bool add_other(SysprofCaptureReader *reader, struct words *words,
                      unsigned type)
{
	const SysprofCaptureOverlay *overlay;
	const SysprofCaptureFileChunk *file;
	const SysprofCaptureFrame *f = NULL;

	switch (type) {
	case 1:
		f = (const void *)sysprof_capture_reader_read_timestamp(reader);
		break;
	case 3: {
		const SysprofCaptureMap *const m =
			sysprof_capture_reader_read_map(reader);

		if (m)
			words_add(words, "%llx %llx %llx %llu %s ",
			          (unsigned long long)m->start,
			          (unsigned long long)m->end,
			          (unsigned long long)m->offset,
			          (unsigned long long)m->inode, m->filename);
		f = (const void *)m;
		break;
	}
	case 4:
		f = (const void *)sysprof_capture_reader_read_process(reader);
		break;
	case 5: {
		const SysprofCaptureFork *const fork =
			sysprof_capture_reader_read_fork(reader);

		if (fork)
			words_add(words, "child %d ", fork->child_pid);
		f = (const void *)fork;
		break;
	}
	case 6:
		f = (const void *)sysprof_capture_reader_read_exit(reader);
		break;
	case 10: {
		const SysprofCaptureMark *const m =
			sysprof_capture_reader_read_mark(reader);

		if (m)
			words_add(words, "%lld %s %s %s ",
			          (long long)m->duration, m->group, m->name,
			          m->message);
		f = (const void *)m;
		break;
	}
	case 11:
		f = (const void *)sysprof_capture_reader_read_metadata(reader);
		break;
	case 12: {
		const SysprofCaptureLog *const log =
			sysprof_capture_reader_read_log(reader);

		if (log)
			words_add(words, "%d %s %s ", log->severity,
			          log->domain, log->message);
		f = (const void *)log;
		break;
	}
	case 13:
		file = sysprof_capture_reader_read_file(reader);
		if (file)
			words_add(words, "%s last %d len %d ", file->path,
			          file->is_last, file->len);
		f = (const void *)file;
		break;
	case 15:
		overlay = sysprof_capture_reader_read_overlay(reader);
		if (overlay)
			words_add(words, "%d %d %d %s %s ", overlay->layer,
			          overlay->src_len, overlay->dst_len,
			          overlay->data,
			          overlay->data + overlay->src_len + 1);
		f = (const void *)overlay;
		break;
	default:
		break;
	}
	if (f)
		words_add_frame(words, f);
	return f != NULL;
}

bool words_add_next(SysprofCaptureReader *reader, struct words *words,
                    unsigned type)
{
	switch (type) {
	case 2:
		return add_sample(reader, words);
	case 7:
		return add_names(reader, words);
	case 8:
		return add_definitions(reader, words);
	case 9:
		return add_values(reader, words);
	case 14:
		return add_allocation(reader, words);
#if SYSPROF_CAPTURE_FRAME_LAST > 16
	case 16:
		return add_trace(reader, words);
	case 17:
		return add_message(reader, words);
#endif
	default:
		return add_other(reader, words, type);
	}
}
