/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capture.h - reader and writer of capture files.  Link libsyscap-capture.a.
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
 * mapping and is valid until syscap_reader_close().  Malformed bytes never make
 * the reader read outside the file, loop or abort.  If the file is truncated
 * while it is open, accesses raise SIGBUS, as with any mapped file.  The reader
 * accepts both byte orders.
 *
 * Functions that can fail return 0 (or a count) or -errno, and fill @error if
 * it is not NULL.  Context of all functions: one thread at a time per reader;
 * allocates; not for signal handlers.
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
 * The reason of a failure.  The message is one sentence without the file's
 * name.  The offset is valid if the code is EBADMSG or EILSEQ.  With other
 * codes, such as ENOENT, the offset is 0.
 */
struct syscap_error {
	int code;        /* errno value */
	uint64_t offset; /* bytes from the start of the file */
	char message[200];
};

/** The file header, in host byte order. */
struct syscap_file_info {
	uint64_t size; /* bytes of the file and of the merged ring file */
	uint8_t version;
	bool foreign_order; /* the file's byte order is not the host's */
	char capture_time[65];
	int64_t begin; /* ns, header time */
	int64_t end;   /* ns, header end_time; 0: not finished */
	/* Content of the ring file, if a process that recorded itself died. */
	uint64_t merged_bytes, merged_frames;
	uint64_t merged_bad; /* unreadable frames or ends of rings */
	/* Reason that an existing ring file was not merged; "" if the ring
	 * file was merged, does not exist, or is still being written. */
	char not_merged[200];
};

/** One frame, decoded.  Texts are NUL-terminated, in the file's mapping. */
struct syscap_frame {
	uint64_t offset;            /* offset in the file */
	const unsigned char *bytes; /* the whole frame, in file byte order */
	uint16_t len;
	int16_t cpu;
	int32_t pid;
	int32_t tid; /* from its field or tagged padding2; -1: unknown */
	int64_t time;
	uint8_t type;      /* enum syscap_frame_type, or an unknown type */
	uint32_t padding2; /* the field's value, tagged or not */
	uint16_t used;     /* bytes with content; 0 in a malformed frame */
	__extension__ union {
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
			bool has_holes; /* unused slots precede a used slot */
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

/**
 * One counter of a CTRDEF.  Texts are copies, since full fields have no NUL.
 */
struct syscap_counter_info {
	char category[33], name[33], description[53];
	uint32_t id;
	bool is_double;
	union {
		int64_t i64;
		double f64;
	} value;
};

/** A capture that is being read. */
struct syscap_reader;

/**
 * Open @path.  Returns -EBADMSG if the file is shorter than a header or not a
 * capture.  Returns -EISDIR or -EINVAL if the file is a directory, a pipe or a
 * device.  The reader ignores frames that a recorder appends later.
 *
 * A process that records itself names its ring file in the first frame.  If the
 * process was killed, the frames in the ring file follow the capture's frames,
 * at offsets beyond the capture's end (info.merged_frames).  `syscap recover`
 * moves these frames into the file.  If the process is alive, the reader omits
 * an unfinished last frame.  A ring file that was not merged is not an error,
 * and the info has the reason.
 *
 * If the file's header holds losses, the reader makes one loss record of these
 * losses.  This record follows the last frame, at the offset info.size, and the
 * size does not include the record.
 */
int syscap_reader_open(const char *path, struct syscap_reader **ret_reader,
                       struct syscap_error *error);

/**
 * Read a capture in memory.  The caller owns @data, which must outlive the
 * reader.
 */
int syscap_reader_open_memory(const void *data, size_t size,
                              struct syscap_reader **ret_reader,
                              struct syscap_error *error);

/** Close the file and free the reader. */
void syscap_reader_close(struct syscap_reader *reader);

/** Get the file's header. */
void syscap_reader_info(const struct syscap_reader *reader,
                        struct syscap_file_info *ret_info);

/**
 * Step to the next frame.
 *
 * Returns 1 and fills @ret_frame, or 0 at the end of the file.
 *
 * Returns -EBADMSG if no frame can begin here: the length is below 24, not a
 * multiple of 8, or beyond the end of the file.  The reader cannot find later
 * frames, so all further calls return the same error.  The call sets only the
 * offset and the length in @ret_frame.  If the file ends before the length,
 * @ret_frame->len is 0.
 *
 * Returns -EILSEQ if the length is valid and the content is invalid: a count
 * does not fit, or a text is not terminated.  The call decodes no fields, and
 * the next call continues after the frame.
 *
 * The call returns frames of unknown type like other frames, but undecoded.
 */
int syscap_reader_next(struct syscap_reader *reader,
                       struct syscap_frame *ret_frame,
                       struct syscap_error *error);

/** Go back to the first frame. */
void syscap_reader_rewind(struct syscap_reader *reader);

/**
 * Go to the frame at @offset, taken from a frame or syscap_reader_tell().
 * Returns 0, or -EINVAL if @offset is outside the file.
 */
int syscap_reader_seek(struct syscap_reader *reader, uint64_t offset);

/** Get the byte offset of the frame that the next call would return. */
uint64_t syscap_reader_tell(const struct syscap_reader *reader);

/**
 * Get an element of a decoded frame.  Returns false if @i is not below the
 * count in the frame.  @reader supplies the byte order.
 */
bool syscap_frame_counter(const struct syscap_reader *reader,
                          const struct syscap_frame *frame, unsigned i,
                          struct syscap_counter_info *ret_counter);
bool syscap_frame_value(const struct syscap_reader *reader,
                        const struct syscap_frame *frame, unsigned i,
                        uint32_t *ret_id, uint64_t *ret_bits);

/**
 * Get slot @slot of 8 * n_groups.  An unused slot has the id 0.  The call walks
 * frames with holes in linear time.
 */
bool syscap_frame_slot(const struct syscap_reader *reader,
                       const struct syscap_frame *frame, unsigned slot,
                       uint32_t *ret_id, uint64_t *ret_bits);

/** Get address @i of a stack.  Returns false if @i is not below the count. */
bool syscap_frame_addr(const struct syscap_reader *reader,
                       const struct syscap_frame *frame, unsigned i,
                       uint64_t *ret_addr);

/**
 * Get the next name of a JITMAP.  Returns false at the end.  Set *@cursor to 0
 * before the first call, and keep its value between calls.
 */
bool syscap_frame_jit_name(const struct syscap_reader *reader,
                           const struct syscap_frame *frame, size_t *cursor,
                           uint64_t *ret_addr, const char **ret_name);

/** Get a type's name, such as "mark"; NULL for an unknown type. */
const char *syscap_frame_type_name(uint8_t type);

/* ---------------------------------------------------------------- writing */

/**
 * A writer of data that another program recorded.  A program that records
 * itself uses <syscap.h>.
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
 * Times are ns of one clock for the whole file.  The capture begins at the time
 * of the first addition and ends at the latest time.  The writer copies texts,
 * makes texts valid UTF-8, and cuts texts that a frame cannot hold.  The file
 * contains whole frames only, also after a failure.
 *
 * After a failed write, all further calls return its error, so checking
 * syscap_writer_close() is enough.  The program must ignore SIGPIPE and
 * SIGXFSZ.  Only one thread at a time may use a writer.
 */
struct syscap_writer;

/**
 * Create the file, or empty an existing capture.  Returns -EEXIST if the file
 * exists and is not a capture, and -EBUSY if the capture is being written.
 */
int syscap_writer_open(const char *path, struct syscap_writer **ret_writer,
                       struct syscap_error *error);

/** Write the remaining data and free the writer, also if writing fails. */
int syscap_writer_close(struct syscap_writer *writer,
                        struct syscap_error *error);

/** Add the process @pid, with its command line from @time on. */
int syscap_writer_add_process(struct syscap_writer *writer, int64_t time,
                              int32_t pid, const char *cmdline);

/**
 * Set the rate of all samples: @hz times a second of processor time or of wall
 * time.  Without this call, readers count ticks.  Returns -EINVAL if @hz is 0
 * or above 1,000,000.
 */
int syscap_writer_add_rate(struct syscap_writer *writer, int64_t time,
                           uint32_t hz, bool is_wall);

/** Set the name of a thread from @time on. */
int syscap_writer_add_thread(struct syscap_writer *writer, int64_t time,
                             int32_t pid, int32_t tid, const char *name);

/**
 * Get an address for stacks that represents the function @name, if its real
 * address is unknown.  Equal names have equal addresses in the whole file.
 */
int syscap_writer_add_name(struct syscap_writer *writer, int64_t time,
                           int32_t pid, const char *name,
                           uint64_t *ret_address);

/** A sample for syscap_writer_add_sample(). */
struct syscap_writer_sample {
	int32_t pid, tid;
	uint64_t ticks;        /* weight of the sample in ticks */
	const uint64_t *addrs; /* addresses, the innermost first */
	size_t n_addrs;        /* a stack of more than 8187 addresses is cut */
	bool is_cut, is_stopped; /* outer frames are missing: the stack is too
				  * deep, or the unwinder stopped */
};

/** Add a stack.  Many ticks become several samples in the file. */
int syscap_writer_add_sample(struct syscap_writer *writer, int64_t time,
                             const struct syscap_writer_sample *sample);

#ifdef __cplusplus
}
#endif
#endif
