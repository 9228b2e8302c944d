/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_frames.c - rules of `syscap check` about frames, processes and padding.
 *
 * The check reports a problem of one frame at that frame.  At the end, the
 * check reports problems that depend on the rest of the file, with the offset
 * of the first frame concerned.  An example is a pid without a PROCESS frame.
 *
 * Padding must be zero.  Readers skip padding, but other bytes in padding are
 * memory of the recorded program, and make equal recordings differ.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "base/loss_record.h"
#include "capture/frame.h"
#include "cli/check.h"
#include "common/frame_layout.h"
#include "common/strings.h"

/*
 * Flags in bytes that older readers treat as a gap: one byte of two, in
 * little-endian files.
 */
static const struct {
	uint8_t type, at;
} stack_flags[] = {
	{ SYSCAP_FRAME_SAMPLE, SYC_AT(sample, flags) },
	{ SYSCAP_FRAME_ALLOCATION, SYC_AT(allocation, padding) },
};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool is_clean_text(const unsigned char *bytes, size_t size)
{
	const size_t len = strnlen((const char *)bytes, size);

	return is_zero(bytes + len, size - len);
}

static bool is_padding2_clean(const struct syscap_frame *frame)
{
	if (frame->padding2 == 0)
		return true;
	switch (frame->type) {
	case SYSCAP_FRAME_TIMESTAMP:
		return frame->timestamp.is_index;
	case SYSCAP_FRAME_SAMPLE:
		return (frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) ==
		               SYSCAP_WEIGHT_TAG ||
		       !syc_sample_is_of_timer(frame->padding2);
	default: /* other types have a thread only in a tagged word */
		return syc_frame_shape(frame->type)->may_tell_tid &&
		       frame->tid > 0;
	}
}

static bool has_clean_texts(const struct syc_frame_text *text,
                            const unsigned char *bytes)
{
	for (; text->size != 0; text++)
		if (!is_clean_text(bytes + text->at, text->size))
			return false;
	return true;
}

static bool has_clean_counters(const struct syscap_frame *frame,
                               const struct syc_frame_shape *shape)
{
	const unsigned char *counter = frame->bytes + shape->size;

	for (unsigned i = 0; i < frame->ctrdef.n_counters; i++)
		if (!has_clean_texts(shape->item_texts,
		                     counter + i * shape->item_size))
			return false;
	return true;
}

/* The place of the first padding byte of the decoded @frame that is not
 * zero, in words; NULL: none. */
static const char *check_padding(const struct syscap_frame *frame)
{
	const struct syc_frame_shape *const shape =
		syc_frame_shape(frame->type);
	const unsigned char *bytes = frame->bytes;

	if (!is_zero(bytes + SYC_AT(frame, padding1),
	             SYC_SIZE(frame, padding1)))
		return "in padding1 of the frame header";
	if (!is_padding2_clean(frame))
		return "in padding2 of the frame header";
	if (!is_zero(bytes + shape->gap_at, shape->gap_size))
		return "between the fields";
	for (size_t i = 0; i < N_OF(stack_flags); i++)
		if (stack_flags[i].type == frame->type &&
		    (bytes[stack_flags[i].at] &
		     ~(SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED)) != 0)
			return "between the fields";
	if (!has_clean_texts(shape->texts, bytes))
		return "after the end of a text";
	if (frame->type == SYSCAP_FRAME_CTRDEF &&
	    !has_clean_counters(frame, shape))
		return "after the end of a counter's text";
	if (!is_zero(bytes + frame->used, (size_t)frame->len - frame->used))
		return "after the content";
	return NULL;
}

/* Frames of one process may be out of order by less than a second (in ns). */
#define SECOND INT64_C(1000000000)

/*
 * Addresses whose top half byte is E refer to JIT names.  Kernel addresses and
 * context markers lie above these addresses.
 */
static bool is_jit_address(uint64_t addr)
{
	return addr >> 60 == SYSCAP_JIT_MARK >> 60;
}

static void check_text(struct syc_checker *checker,
                       const struct syscap_frame *frame, const char *what,
                       const char *text)
{
	if (!syc_utf8_is_valid(text))
		syc_findings_problem(checker->findings, SYC_FINDING_TEXT,
		                     frame->offset,
		                     "%s frame: the %s is not valid UTF-8",
		                     syscap_frame_type_name(frame->type), what);
}

static int find_address(struct syc_checker *checker, uint64_t addr,
                        struct syc_check_address **ret_address)
{
	const struct syc_check_address address = { .addr = addr };
	size_t number;

	const int r =
		syc_map_put(&checker->by_addr, &addr, sizeof(addr), &number);
	if (r < 0 ||
	    (r > 0 && syc_array_push(&checker->addresses, address) < 0))
		return -ENOMEM;
	*ret_address = &checker->addresses.items[number];
	return 0;
}

static int check_stack(struct syc_checker *checker,
                       const struct syscap_frame *frame)
{
	struct syc_check_address *address;
	uint64_t addr;

	for (unsigned i = 0;
	     syscap_frame_addr(checker->reader, frame, i, &addr); i++) {
		if (!is_jit_address(addr))
			continue;
		if (find_address(checker, addr, &address) < 0)
			return -ENOMEM;
		if (address->used == 0)
			address->used = frame->offset;
	}
	return 0;
}

static int check_jit_names(struct syc_checker *checker,
                           const struct syscap_frame *frame)
{
	struct syc_check_address *address;
	size_t cursor = 0;
	const char *name;
	uint64_t addr;

	while (syscap_frame_jit_name(checker->reader, frame, &cursor, &addr,
	                             &name)) {
		check_text(checker, frame, "JIT name", name);
		if (!is_jit_address(addr))
			syc_findings_problem(checker->findings, SYC_FINDING_JIT,
			                     frame->offset,
			                     "a JITMAP frame names 0x%" PRIx64
			                     ", which is not a JIT address",
			                     addr);
		if (find_address(checker, addr, &address) < 0)
			return -ENOMEM;
		if (address->name && strcmp(address->name, name) != 0)
			syc_findings_problem(checker->findings, SYC_FINDING_JIT,
			                     frame->offset,
			                     "JIT address 0x%" PRIx64
			                     " has two names",
			                     addr);
		address->name = name;
	}
	return 0;
}

/*
 * After an exec, a process has a second command line.  The second line is later
 * than the process's earlier frames.  If the second line is earlier, a join did
 * not separate two processes with one pid.
 */
static int check_title(struct syc_checker *checker,
                       const struct syscap_frame *frame,
                       const struct syc_check_pid *pid)
{
	struct {
		int32_t pid;
		char cmdline[252];
	} key = { .pid = frame->pid };
	size_t unused;
	int r;

	snprintf(key.cmdline, sizeof(key.cmdline), "%s",
	         frame->process.cmdline);
	r = syc_map_put(&checker->titles, &key, sizeof(key), &unused);
	if (r > 0 && pid->has_process && frame->time < pid->latest - SECOND)
		syc_findings_note(
			checker->findings, SYC_FINDING_PID, frame->offset,
			"PROCESS frames of pid %" PRId32
			" are not in time order: if the kernel reused this "
			"pid, names of stacks may be wrong",
			frame->pid);
	return r < 0 ? r : 0;
}

static int check_pid(struct syc_checker *checker,
                     const struct syscap_frame *frame)
{
	const struct syc_check_pid pid = { .pid = frame->pid,
		                           .first = frame->offset,
		                           .latest = frame->time };
	size_t number;

	switch (frame->type) {
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_ALLOCATION:
	case SYSCAP_FRAME_EXIT:
	case SYSCAP_FRAME_PROCESS:
	case SYSCAP_FRAME_MAP:
		if (frame->pid < 0)
			syc_findings_problem(
				checker->findings, SYC_FINDING_PID,
				frame->offset,
				"%s frame has the invalid pid %" PRId32,
				syscap_frame_type_name(frame->type),
				frame->pid);
		break;
	case SYSCAP_FRAME_TIMESTAMP:
	case SYSCAP_FRAME_JITMAP: /* the frame's pid is the pid of its writer */
		return 0;
	default:
		break;
	}
	if (frame->pid <= 0) /* pid 0 is the kernel */
		return 0;

	const int r = syc_map_put(&checker->by_pid, &frame->pid,
	                          sizeof(frame->pid), &number);
	if (r < 0 || (r > 0 && syc_array_push(&checker->pids, pid) < 0))
		return -ENOMEM;
	struct syc_check_pid *const known = &checker->pids.items[number];
	if (frame->type == SYSCAP_FRAME_PROCESS &&
	    check_title(checker, frame, known) < 0)
		return -ENOMEM;
	known->has_process |= frame->type == SYSCAP_FRAME_PROCESS;
	if (frame->time > known->latest)
		known->latest = frame->time;
	return 0;
}

static void check_texts(struct syc_checker *checker,
                        const struct syscap_frame *frame)
{
	const struct syc_frame_shape *const shape =
		syc_frame_shape(frame->type);
	const struct syc_frame_text *text = shape->texts;
	const char *const bytes = (const char *)frame->bytes;

	for (; text->size != 0; text++)
		check_text(checker, frame, text->name, bytes + text->at);
	if (shape->last_text != NULL)
		check_text(checker, frame, shape->last_text,
		           bytes + shape->size);
	if (frame->type == SYSCAP_FRAME_OVERLAY) {
		check_text(checker, frame, "source", frame->overlay.src);
		check_text(checker, frame, "target", frame->overlay.dst);
	}
}

static void check_mark(struct syc_checker *checker,
                       const struct syscap_frame *frame)
{
	struct syc_loss loss;

	check_texts(checker, frame);
	if (frame->mark.duration < 0)
		syc_findings_note(
			checker->findings, SYC_FINDING_DURATION, frame->offset,
			"the mark has a negative duration, %" PRId64 " ns",
			frame->mark.duration);
	if (!syc_loss_record_is(frame->mark.group, frame->mark.name))
		return;
	if (syc_loss_record_parse(frame->mark.message, &loss))
		syc_findings_note(checker->findings, SYC_FINDING_LOSS,
		                  frame->offset, "lost: %s",
		                  frame->mark.message);
	else
		syc_findings_problem(checker->findings, SYC_FINDING_LOSS,
		                     frame->offset,
		                     "a loss record has no readable numbers");
}

static int check_counter_texts(struct syc_checker *checker,
                               const struct syscap_frame *frame)
{
	struct syscap_counter_info info;

	for (unsigned i = 0;
	     syscap_frame_counter(checker->reader, frame, i, &info); i++) {
		check_text(checker, frame, "category", info.category);
		check_text(checker, frame, "name", info.name);
		check_text(checker, frame, "description", info.description);
	}
	return syc_checker_counters(checker, frame);
}

static int check_frame(struct syc_checker *checker,
                       const struct syscap_frame *frame)
{
	struct syc_findings *findings = checker->findings;

	checker->n_frames++;
	checker->last = frame->offset;
	if (frame->type == 0 || frame->type == SYSCAP_FRAME_RING_END) {
		syc_findings_problem(
			findings, SYC_FINDING_TYPE, frame->offset,
			"frame of type %u, which only rings may contain",
			frame->type);
		return 0;
	}
	if (!syscap_frame_type_name(frame->type)) {
		syc_findings_note(findings, SYC_FINDING_TYPE, frame->offset,
		                  "the frame has the unknown type %u",
		                  frame->type);
		return 0;
	}

	const char *dirt = check_padding(frame);
	if (dirt)
		syc_findings_note(findings, SYC_FINDING_PADDING, frame->offset,
		                  "%s frame with nonzero bytes %s",
		                  syscap_frame_type_name(frame->type), dirt);
	if (check_pid(checker, frame) < 0)
		return -ENOMEM;

	switch (frame->type) {
	case SYSCAP_FRAME_MARK:
		check_mark(checker, frame);
		return 0;
	case SYSCAP_FRAME_JITMAP:
		return check_jit_names(checker, frame);
	case SYSCAP_FRAME_CTRDEF:
	case SYSCAP_FRAME_CTRSET:
		return check_counter_texts(checker, frame);
	case SYSCAP_FRAME_FILE_CHUNK:
		syc_check_lines_note(checker, frame);
		check_texts(checker, frame);
		return 0;
	default:
		check_texts(checker, frame);
		return check_stack(checker, frame);
	}
}

static void check_header(struct syc_checker *checker)
{
	struct syc_findings *findings = checker->findings;
	struct syscap_file_info info;

	syscap_reader_info(checker->reader, &info);
	if (info.version != 1)
		syc_findings_note(
			findings, SYC_FINDING_HEADER,
			offsetof(struct syscap_wire_file, version),
			"the header has the unknown format version %u",
			info.version);
	if (info.end == 0)
		syc_findings_note(
			findings, SYC_FINDING_HEADER,
			offsetof(struct syscap_wire_file, end_time),
			"the capture has no end time: the recording did not "
			"finish");
	else if (info.end < info.begin)
		syc_findings_problem(
			findings, SYC_FINDING_HEADER,
			offsetof(struct syscap_wire_file, end_time),
			"the capture ends %" PRId64 " ns, before "
			"it begins at %" PRId64,
			info.end, info.begin);
}

/* Report that the walk ended before the end of the file. */
static void tell_end(struct syc_checker *checker, unsigned len,
                     const struct syscap_error *error)
{
	struct syscap_file_info info;

	syscap_reader_info(checker->reader, &info);
	const uint64_t left = info.size - error->offset;
	const bool is_torn = syc_frame_is_torn(len, left);

	if (is_torn && checker->last)
		syc_findings_problem(
			checker->findings, SYC_FINDING_TORN, error->offset,
			"torn: %" PRIu64
			" byte%s after the last whole frame at offset %" PRIu64,
			left, syc_plural(left), checker->last);
	else if (is_torn)
		syc_findings_problem(
			checker->findings, SYC_FINDING_TORN, error->offset,
			"torn: %" PRIu64 " byte%s after the header", left,
			syc_plural(left));
	else
		syc_findings_problem(checker->findings, SYC_FINDING_LENGTH,
		                     error->offset, "%s (%" PRIu64 " byte%s)",
		                     error->message, left, syc_plural(left));
}

static void tell_rest(struct syc_checker *checker)
{
	for (size_t i = 0; i < checker->pids.n; i++) {
		const struct syc_check_pid *pid = &checker->pids.items[i];

		if (!pid->has_process)
			syc_findings_problem(checker->findings, SYC_FINDING_PID,
			                     pid->first,
			                     "pid %" PRId32 " has no PROCESS "
			                     "frame",
			                     pid->pid);
	}
	syc_checker_counters_end(checker);
	for (size_t i = 0; i < checker->addresses.n; i++) {
		const struct syc_check_address *address =
			&checker->addresses.items[i];

		if (!address->name)
			syc_findings_problem(checker->findings, SYC_FINDING_JIT,
			                     address->used,
			                     "JIT address 0x%" PRIx64
			                     " has no name",
			                     address->addr);
	}
}

int syc_checker_run(struct syc_checker *checker)
{
	struct syscap_error error;
	struct syscap_frame frame;
	int r;

	check_header(checker);
	while ((r = syscap_reader_next(checker->reader, &frame, &error)) != 0) {
		if (r == -EILSEQ) {
			checker->n_frames++;
			checker->last = frame.offset;
			syc_findings_problem(checker->findings,
			                     SYC_FINDING_CONTENT, error.offset,
			                     "%s", error.message);
		} else if (r < 0) {
			tell_end(checker, frame.len, &error);
			break;
		} else if (check_frame(checker, &frame) < 0) {
			return -ENOMEM;
		}
	}
	tell_rest(checker);
	return syc_check_lines_end(checker);
}

void syc_checker_fini(struct syc_checker *checker)
{
	syc_map_fini(&checker->by_pid);
	syc_map_fini(&checker->titles);
	syc_map_fini(&checker->by_counter);
	syc_map_fini(&checker->by_id);
	syc_map_fini(&checker->by_addr);
	free(checker->pids.items);
	free(checker->counters.items);
	free(checker->definitions.items);
	free(checker->addresses.items);
}
