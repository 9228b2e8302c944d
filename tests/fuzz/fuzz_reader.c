/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_reader.c - reads of any bytes as a capture, through every accessor.
 *
 * The target touches every byte that the reader returns, so that a sanitizer
 * sees pointers outside of the input, and checks the reader's promises.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/capture.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void touch_text(const struct syscap_frame *frame, const char *text)
{
	const char *bytes = (const char *)frame->bytes;

	demand(text != NULL);
	demand(text >= bytes && text + strlen(text) < bytes + frame->len);
	sink += strlen(text);
}

static void touch_bytes(const struct syscap_frame *frame,
                        const unsigned char *bytes, size_t size)
{
	demand(bytes >= frame->bytes &&
	       bytes + size <= frame->bytes + frame->len);
	for (size_t i = 0; i < size; i++)
		sink += bytes[i];
}

static void touch_texts(const struct syscap_frame *frame)
{
	switch (frame->type) {
	case SYSCAP_FRAME_MAP:
		touch_text(frame, frame->map.filename);
		if (frame->map.build_id)
			touch_text(frame, frame->map.build_id);
		break;
	case SYSCAP_FRAME_PROCESS:
		touch_text(frame, frame->process.cmdline);
		break;
	case SYSCAP_FRAME_MARK:
		touch_text(frame, frame->mark.group);
		touch_text(frame, frame->mark.name);
		touch_text(frame, frame->mark.message);
		demand(strlen(frame->mark.group) < 24);
		demand(strlen(frame->mark.name) < 40);
		break;
	case SYSCAP_FRAME_METADATA:
		touch_text(frame, frame->metadata.id);
		touch_text(frame, frame->metadata.value);
		break;
	case SYSCAP_FRAME_LOG:
		touch_text(frame, frame->log.domain);
		touch_text(frame, frame->log.message);
		break;
	case SYSCAP_FRAME_FILE_CHUNK:
		touch_text(frame, frame->file_chunk.path);
		touch_bytes(frame, frame->file_chunk.data,
		            frame->file_chunk.len);
		break;
	case SYSCAP_FRAME_OVERLAY:
		touch_text(frame, frame->overlay.src);
		touch_text(frame, frame->overlay.dst);
		break;
	case SYSCAP_FRAME_DBUS_MESSAGE:
		touch_bytes(frame, frame->dbus_message.message,
		            frame->dbus_message.message_len);
		break;
	default:
		break;
	}
}

/* Returns the number of elements from all accessors together. */
static size_t touch_items(const struct syscap_reader *reader,
                          const struct syscap_frame *frame)
{
	struct syscap_counter_info info;
	size_t cursor = 0, n = 0;
	uint64_t number;
	const char *name;
	unsigned i;
	uint32_t id;

	for (i = 0; syscap_frame_counter(reader, frame, i, &info); i++)
		sink += strlen(info.category) + strlen(info.name) +
		        strlen(info.description);
	n += i;
	for (i = 0; syscap_frame_slot(reader, frame, i, &id, &number); i++)
		n += id != 0;
	/* At most 64, as holes make this loop quadratic. */
	for (i = 0;
	     i < 64 && syscap_frame_value(reader, frame, i, &id, &number); i++)
		demand(id != 0);
	for (i = 0; syscap_frame_addr(reader, frame, i, &number); i++)
		sink += number;
	n += i;
	for (i = 0;
	     syscap_frame_jit_name(reader, frame, &cursor, &number, &name); i++)
		touch_text(frame, name);
	return n + i;
}

static size_t count_items(const struct syscap_frame *frame)
{
	switch (frame->type) {
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_TRACE:
		return frame->sample.n_addrs;
	case SYSCAP_FRAME_ALLOCATION:
		return frame->allocation.n_addrs;
	case SYSCAP_FRAME_CTRDEF:
		return frame->ctrdef.n_counters;
	case SYSCAP_FRAME_CTRSET:
		return frame->ctrset.n_values;
	case SYSCAP_FRAME_JITMAP:
		return frame->jitmap.n_names;
	default:
		return 0;
	}
}

/* Checks the loss record for the header's losses, after the last frame. */
static void check_losses(const struct syscap_reader *reader,
                         const struct syscap_frame *frame, const uint8_t *data)
{
	demand(memcmp(data + 96, "SCLOST01", 8) == 0);
	demand(frame->type == SYSCAP_FRAME_MARK);
	demand(strcmp(frame->mark.group, "syscap") == 0 &&
	       strcmp(frame->mark.name, "lost") == 0);
	demand(syscap_reader_tell(reader) == frame->offset + frame->len);
	touch_texts(frame);
}

static size_t walk(struct syscap_reader *reader, const uint8_t *data,
                   size_t size)
{
	struct syscap_error error;
	struct syscap_frame frame;
	uint64_t at = 256;
	size_t n = 0;
	int r;

	while ((r = syscap_reader_next(reader, &frame, &error)) != 0) {
		demand(frame.offset == at);
		if (r == -EBADMSG) {
			demand(error.offset == at &&
			       syscap_reader_tell(reader) == at);
			demand(syscap_reader_next(reader, &frame, NULL) == r);
			break;
		}
		demand(r == 1 || r == -EILSEQ);
		if (at == size) {
			demand(r == 1);
			check_losses(reader, &frame, data);
			demand(syscap_reader_next(reader, &frame, NULL) == 0);
			break;
		}
		demand(frame.len >= 24 && frame.len % 8 == 0);
		demand(frame.bytes == data + at);
		demand(frame.used <= frame.len);
		at += frame.len;
		demand(at <= size && syscap_reader_tell(reader) == at);
		if (r == 1)
			touch_texts(&frame);
		else
			demand(error.offset == frame.offset && frame.used == 0);
		demand(touch_items(reader, &frame) == count_items(&frame));
		n++;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct syscap_error error = { 0 };
	struct syscap_file_info info;
	struct syscap_reader *reader;

	const int r = syscap_reader_open_memory(data, size, &reader, &error);
	if (r < 0) {
		demand(r == -EBADMSG && error.code == EBADMSG);
		demand(error.message[0] != '\0');
		return 0;
	}
	syscap_reader_info(reader, &info);
	demand(info.size == size);
	sink += strlen(info.capture_time);

	const size_t n = walk(reader, data, size);
	syscap_reader_rewind(reader);
	demand(walk(reader, data, size) == n);
	syscap_reader_close(reader);
	return 0;
}
