/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capture.h - read a capture file, and write one.  Link libsyscap-capture.a.
 *
 *	struct syscap_error error;
 *	struct syscap_reader *reader;
 *	struct syscap_frame frame;
 *	int r;
 *
 *	if (syscap_reader_open("app.syscap", &reader, &error) != 0) {
 *		fprintf(stderr, "app.syscap: %s\n", error.message);
 *		return 1;
 *	}
 *	while ((r = syscap_reader_next(reader, &frame, &error)) > 0)
 *		if (frame.type == SYSCAP_FRAME_MARK)
 *			printf("%s\n", frame.mark.name);
 *	if (r < 0)
 *		fprintf(stderr, "at byte %llu: %s\n",
 *			(unsigned long long)error.offset, error.message);
 *	syscap_reader_close(reader);
 *
 * The file is mapped, not copied: every pointer in a frame points into the
 * map and lives until syscap_reader_close().  Whatever the bytes are, the
 * reader does not read outside the file, loop, or abort; only a file that is
 * truncated by somebody while it is open raises SIGBUS, as any mapped file
 * does.  Both byte orders are read.
 *
 * Functions that can fail return 0 (or a count) or -errno, and fill @error
 * when it is not NULL.  Context of everything here: one thread at a time per
 * reader; allocates; not for signal handlers.
 */
#ifndef SYSCAP_CAPTURE_H
#define SYSCAP_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Why something failed.  The message is one sentence without the file's name,
 * which the caller knows.  The offset counts when the code is EBADMSG or
 * EILSEQ; with others, such as ENOENT, it is 0 and says nothing.
 */
struct syscap_error {
	int code;        /* errno value */
	uint64_t offset; /* bytes from the start of the file */
	char message[200];
};

/** The file header, in host byte order. */
struct syscap_file_info {
	uint64_t size; /* of the file, bytes, with what was merged */
	uint8_t version;
	bool foreign_order; /* the file's byte order is not the host's */
	char capture_time[65];
	int64_t begin; /* ns, header time */
	int64_t end;   /* ns, header end_time; 0: not finished */
	/* From the ring file of a process that recorded itself and died. */
	uint64_t merged_bytes, merged_frames;
	uint64_t merged_bad; /* frames, or ends of rings, not readable */
	/* Why a ring file that is there was not merged; "": it was, or there
	 * is none, or its process still writes. */
	char not_merged[200];
};

/** One frame, decoded.  Texts are NUL-terminated, in the file's map. */
struct syscap_frame {
	uint64_t offset;            /* in the file */
	const unsigned char *bytes; /* all of it, in file byte order */
	uint16_t len;
	int16_t cpu;
	int32_t pid;
	int32_t tid; /* own field or tagged padding2; -1: unknown */
	int64_t time;
	uint8_t type;      /* enum syscap_frame_type, or one not known */
	uint32_t padding2; /* the field's value, tagged or not */
	uint16_t used;     /* bytes of len that mean something; 0: -EILSEQ */
	union {
		struct {
			bool is_index;           /* a frame index, not a time */
			uint64_t previous_index; /* offset; 0: the first */
		} timestamp;
		struct {
			int64_t duration;
			const char *group, *name, *message;
		} mark;
		struct {
			uint16_t severity;
			const char *domain, *message;
		} log;
		struct {
			const char *id, *value;
		} metadata;
		struct {
			const char *cmdline;
		} process;
		struct {
			uint64_t start, end, offset, inode;
			const char *filename;
			const char *build_id; /* hex, or NULL */
		} map;
		struct {
			int32_t child_pid;
		} fork;
		struct { /* syscap_frame_counter() */
			uint16_t n_counters;
		} ctrdef;
		struct { /* syscap_frame_value(), syscap_frame_slot() */
			uint16_t n_values; /* used slots */
			uint16_t n_groups; /* 8 slots each */
			bool has_holes; /* an unused slot before a used one */
		} ctrset;
		struct { /* syscap_frame_addr(); SAMPLE and TRACE */
			uint16_t n_addrs;
			bool entering; /* TRACE */
		} sample;
		struct { /* syscap_frame_addr() */
			uint64_t addr;
			int64_t size;
			uint16_t n_addrs;
		} allocation;
		struct { /* syscap_frame_jit_name() */
			uint32_t n_names;
		} jitmap;
		struct {
			const char *path;
			const unsigned char *data;
			uint16_t len;
			bool is_last;
		} file_chunk;
		struct {
			uint8_t layer;
			const char *src, *dst;
		} overlay;
		struct {
			uint16_t bus_type, flags;
			const unsigned char *message;
			uint16_t message_len;
		} dbus_message;
	};
};

/** One counter of a CTRDEF.  Texts are copies: the fields may be full. */
struct syscap_counter_info {
	char category[33], name[33], description[53];
	uint32_t id;
	bool is_double;
	union {
		int64_t i64;
		double f64;
	} value;
};

struct syscap_reader;

/**
 * Open @path.  Refused with -EBADMSG: shorter than a header, not a capture;
 * with -EISDIR or -EINVAL: a directory, a pipe or a device.  The frames that
 * are there now are read; what a recorder appends later is not.
 *
 * A process that records itself names its ring file in the first frame.
 * Where it was killed, the frames that it left there follow those of the
 * file, at offsets that go on behind its end (info.merged_frames; `syscap
 * recover` moves them into the file).  While it lives, frames that it is just
 * writing are left out, so that the file ends with a whole one.  What was not
 * merged, and why, is in the info, and is no error.
 */
int syscap_reader_open(const char *path, struct syscap_reader **ret_reader,
                       struct syscap_error *error);

/** Read a capture in memory; @data stays the caller's and must outlive it. */
int syscap_reader_open_memory(const void *data, size_t size,
                              struct syscap_reader **ret_reader,
                              struct syscap_error *error);

void syscap_reader_close(struct syscap_reader *reader);

void syscap_reader_info(const struct syscap_reader *reader,
                        struct syscap_file_info *ret_info);

/**
 * Step to the next frame.
 *
 * Returns 1 and fills @ret_frame; 0 at the end of the file; -EBADMSG where
 * no frame can begin (length below 24, not a multiple of 8, beyond the end
 * of the file): nothing behind that point can be found, and every further
 * call returns the same; of @ret_frame the offset is set, and the length that
 * stands there, or 0 where the file ends before it.
 *
 * A frame whose length is right and whose content is not (a count that does
 * not fit, a text without an end) is returned with -EILSEQ and no decoded
 * fields, and the next call goes on behind it.
 * Types that are not known are returned like any other, undecoded.
 */
int syscap_reader_next(struct syscap_reader *reader,
                       struct syscap_frame *ret_frame,
                       struct syscap_error *error);

/** Go back to the first frame. */
void syscap_reader_rewind(struct syscap_reader *reader);

/**
 * Go to the frame at @offset, which a frame or syscap_reader_tell() had.
 * 0, or -EINVAL: outside of the file.
 */
int syscap_reader_seek(struct syscap_reader *reader, uint64_t offset);

/** Byte offset of the frame that the next call would return. */
uint64_t syscap_reader_tell(const struct syscap_reader *reader);

/*
 * Elements of a decoded frame.  @i must be below the count in the frame:
 * false beyond it.  The reader is needed for the byte order.
 */
bool syscap_frame_counter(const struct syscap_reader *reader,
                          const struct syscap_frame *frame, unsigned i,
                          struct syscap_counter_info *ret_counter);
bool syscap_frame_value(const struct syscap_reader *reader,
                        const struct syscap_frame *frame, unsigned i,
                        uint32_t *ret_id, uint64_t *ret_bits);
/**
 * Slot @slot of 8 * n_groups, with id 0 where it is unused.  To walk frames
 * that have holes in linear time.
 */
bool syscap_frame_slot(const struct syscap_reader *reader,
                       const struct syscap_frame *frame, unsigned slot,
                       uint32_t *ret_id, uint64_t *ret_bits);
bool syscap_frame_addr(const struct syscap_reader *reader,
                       const struct syscap_frame *frame, unsigned i,
                       uint64_t *ret_addr);
/** @cursor: 0 at first, kept by the caller between calls. */
bool syscap_frame_jit_name(const struct syscap_reader *reader,
                           const struct syscap_frame *frame, size_t *cursor,
                           uint64_t *ret_addr, const char **ret_name);

/** "mark", "ctrset", ...; NULL for a type that is not known. */
const char *syscap_frame_type_name(uint8_t type);

/* ---------------------------------------------------------------- writing */

/*
 * Write a capture of what something else has recorded (a program that records
 * itself uses <syscap.h>):
 *
 *	struct syscap_writer *writer;
 *	uint64_t stack[2];
 *
 *	if (syscap_writer_open("other.syscap", &writer, &error) != 0)
 *		return 1;
 *	syscap_writer_add_process(writer, 1000, 42, "/usr/bin/other --fast");
 *	syscap_writer_add_name(writer, 1000, 42, "leaf", &stack[0]);
 *	syscap_writer_add_name(writer, 1000, 42, "main", &stack[1]);
 *	syscap_writer_add_sample(writer, 2000, &(struct syscap_writer_sample){
 *		.pid = 42, .tid = 42, .ticks = 1,
 *		.addrs = stack, .n_addrs = 2 });
 *	if (syscap_writer_close(writer, &error) != 0)
 *		fprintf(stderr, "other.syscap: %s\n", error.message);
 *
 * Times are ns, of one clock for all of a file, which begins at the time of the
 * first thing that is added and ends at the latest.  Texts are copied, made
 * valid UTF-8, and cut where a frame can't hold them; nothing that is handed in
 * is kept.  What is written are whole frames, also after a failure.
 *
 * A failure of the file is kept: all further calls return it, and so does
 * syscap_writer_close(), which is the one place where it has to be looked at.
 * SIGPIPE and SIGXFSZ should be ignored.  One thread at a time per writer.
 */
struct syscap_writer;

/**
 * Make the file, or empty it if it is a capture.  -EEXIST: it is something
 * else; -EBUSY: it is being written.
 */
int syscap_writer_open(const char *path, struct syscap_writer **ret_writer,
                       struct syscap_error *error);

/** Write out the rest and free the writer, whatever is returned. */
int syscap_writer_close(struct syscap_writer *writer,
                        struct syscap_error *error);

/** The process @pid, and what it runs from @time on. */
int syscap_writer_add_process(struct syscap_writer *writer, int64_t time,
                              int32_t pid, const char *cmdline);

/** What a thread is called from @time on. */
int syscap_writer_add_thread(struct syscap_writer *writer, int64_t time,
                             int32_t pid, int32_t tid, const char *name);

/**
 * An address for stacks that stands for a function of this name, where none is
 * known.  The same name has the same one, in all of the file.
 */
int syscap_writer_add_name(struct syscap_writer *writer, int64_t time,
                           int32_t pid, const char *name,
                           uint64_t *ret_address);

struct syscap_writer_sample {
	int32_t pid, tid;
	uint64_t ticks;          /* how many of its sampler it stands for */
	const uint64_t *addrs;   /* the innermost first */
	size_t n_addrs;          /* more than 8187: the stack is cut */
	bool is_cut, is_stopped; /* outer frames are missing: there were too
	                          * many; the unwinder could not go on */
};

/** A stack.  Many ticks are several samples in the file. */
int syscap_writer_add_sample(struct syscap_writer *writer, int64_t time,
                             const struct syscap_writer_sample *sample);

#ifdef __cplusplus
}
#endif
#endif
