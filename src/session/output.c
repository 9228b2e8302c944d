/* SPDX-License-Identifier: BSD-2-Clause */
/* output.c - a capture file that this process alone writes. */
#define _GNU_SOURCE
#include "session/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <syscap/format.h>

#include "base/frame.h"
#include "base/text.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/signals.h"
#include "session/process_frames.h"
#include "session/trace.h"

#define LAST_SUFFIX 9999u

/* ---------------------------------------------------------------- names */

int syc_output_choose(struct syc_output_target *target, const char *pattern,
                      const char *runtime_dir, const char *program)
{
	struct syc_text text =
		syc_text_begin(target->pattern, sizeof(target->pattern));

	if (pattern == NULL || *pattern == '\0')
		return -EINVAL;
	for (const char *p = pattern; *p != '\0'; p++)
		if (*p == '%' && strchr("pn%", *++p) == NULL)
			return -EINVAL;
		else if (*p == '\0')
			return -EINVAL;
	if (*pattern != '/') {
		if (getcwd(target->pattern, sizeof(target->pattern)) == NULL)
			return -errno;
		text.at += strlen(target->pattern);
		/* a % in the directory's name would be read as an escape */
		if (strchr(target->pattern, '%') != NULL)
			return -EINVAL;
		syc_text_add(&text, "/");
	}
	if (strlen(pattern) >= (size_t)(text.end - text.at))
		return -ENAMETOOLONG;
	syc_text_add(&text, pattern);
	syc_text_field(target->program, sizeof(target->program), program);
	syc_text_field(target->runtime_dir, sizeof(target->runtime_dir),
	               runtime_dir);
	return 0;
}

static bool expand_name(struct syc_text *text,
                        const struct syc_output_target *target, int32_t pid)
{
	bool has_pid = false;
	char one[2] = { 0, 0 };

	for (const char *p = target->pattern; *p != '\0'; p++) {
		if (*p != '%') {
			one[0] = *p;
			syc_text_add(text, one);
			continue;
		}
		p++;
		if (*p == 'p') {
			syc_text_add_i64(text, pid);
			has_pid = true;
		} else {
			syc_text_add(text, *p == 'n' ? target->program : "%");
		}
	}
	return has_pid;
}

int syc_output_create(struct syc_output *output,
                      const struct syc_output_target *target, int32_t pid)
{
	struct syc_text text =
		syc_text_begin(output->path, SYC_OUTPUT_PATH_MAX);
	bool has_pid = expand_name(&text, target, pid);
	struct stat st;

	output->fd = -1;
	output->end = 0;
	output->max_bytes = target->max_bytes;
	if (text.at == text.end)
		return -ENAMETOOLONG;
	text.end = output->path + sizeof(output->path) - 1;
	char *const stem = text.at;
	for (uint32_t n = 1; n <= LAST_SUFFIX && output->fd < 0; n++) {
		output->fd = syc_fd_keep(syc_fd_open(
			output->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
			0666));
		if (output->fd >= 0)
			break;
		if (errno != EEXIST)
			return -errno;
		text.at = stem;
		if (!has_pid) { /* add the pid now */
			syc_text_add(&text, ".");
			syc_text_add_i64(&text, pid);
		}
		if (has_pid || n > 1) {
			syc_text_add(&text, ".");
			syc_text_add_u64(&text, has_pid ? n + 1 : n);
		}
	}
	if (output->fd < 0)
		return -EEXIST;
	if (fstat(output->fd, &st) != 0)
		return -errno;
	output->dev = st.st_dev;
	output->ino = st.st_ino;
	syc_output_hold(output);
	return 0;
}

void syc_output_hold(const struct syc_output *output)
{
	int64_t at = 1 + (int64_t)getpid();

	/* Without locks in the file system the commands can't test the lock
	 * either */
	(void)syc_record_fact_keep(output->fd, SYC_RECORD_TABLE, &at);
}

/* ------------------------------------------------------------ ring file */

/* Lock the ring file, so that no process recovers from the file.  The lock
 * belongs to the open file.  So the lock stays when a thread takes the fd into
 * its own fd table, and while any relative has the rings mapped. */
static int lock_rings(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : -errno;
}

static bool name_rings(struct syc_output *output,
                       const struct syc_output_target *target, int32_t pid,
                       enum syc_ring_place place, uint32_t n)
{
	struct syc_text text =
		syc_text_begin(output->ring_path, sizeof(output->ring_path));

	switch (place) {
	case SYC_RING_PLACE_RUNTIME:
		if (target->runtime_dir[0] != '/')
			return false;
		syc_text_add(&text, target->runtime_dir);
		syc_text_add(&text, "/syscap");
		/* a failure is ignored: open() reports a missing directory */
		syscall(SYS_mkdirat, AT_FDCWD, output->ring_path, 0700);
		syc_text_add(&text, "/");
		break;
	case SYC_RING_PLACE_SHM:
		syc_text_add(&text, "/dev/shm/syscap-");
		break;
	default:
		syc_text_add(&text, output->path);
		if (n != 0)
			return false;
		syc_text_add(&text, ".rings");
		return true;
	}
	syc_text_add_i64(&text, pid);
	syc_text_add(&text, "-");
	syc_text_add_u64(&text, (uint64_t)output->ino);
	if (n != 0) { /* the name belongs to another, or an earlier, file */
		syc_text_add(&text, "-");
		syc_text_add_u64(&text, n);
	}
	syc_text_add(&text, ".rings");
	return true;
}

static bool is_in_memory(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_type == 0x01021994 /* tmpfs */ ||
	                                 fs.f_type == 0x858458f6 /* ramfs */);
}

int syc_output_create_rings(struct syc_output *output,
                            const struct syc_output_target *target, int32_t pid,
                            enum syc_ring_place place)
{
	struct stat st;
	int r = -ENODEV;
	int fd = -1;

	for (uint32_t n = 0; fd < 0; n++) {
		if (!name_rings(output, target, pid, place, n))
			return n == 0 ? -ENODEV : -EEXIST;
		fd = syc_fd_keep(syc_fd_open(
			output->ring_path,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
		if (fd < 0 && errno != EEXIST)
			return -errno;
		if (fd < 0 && n == LAST_SUFFIX)
			return -EEXIST;
	}
	if (fstat(fd, &st) != 0)
		return -errno;
	output->ring_fd = fd;
	output->ring_dev = st.st_dev;
	output->ring_ino = st.st_ino;
	output->is_on_disk = !is_in_memory(fd);
	if (!output->is_on_disk || place == SYC_RING_PLACE_BESIDE)
		r = lock_rings(fd);
	if (r != 0)
		syc_output_drop_rings(output);
	return r;
}

/* The program may have closed the fd, and have a file of its own with this
 * number. */
static void close_fd(int *fd, uint64_t dev, uint64_t ino)
{
	if (*fd >= 0 && syc_fd_is_file(*fd, dev, ino))
		syc_fd_close(*fd);
	*fd = -1;
}

static void close_rings(struct syc_output *output)
{
	close_fd(&output->ring_fd, output->ring_dev, output->ring_ino);
}

void syc_output_drop_rings(struct syc_output *output)
{
	if (output->ring_fd >= 0)
		unlink(output->ring_path);
	close_rings(output);
}

/* ------------------------------------------------------------- the facts */

static void write_facts(struct syc_output *output, struct syc_ring_file *facts,
                        const struct syc_arena *arena, int32_t pid, int64_t now)
{
	struct syc_fork_identity us = { .pid = pid };

	facts->version = SYC_RING_FILE_VERSION;
	facts->front = syc_ring_file_front(arena->page);
	facts->page_size = arena->page;
	facts->body_size = arena->body;
	facts->n_slots = arena->n_slots;
	facts->pid = pid;
	facts->began = now;
	syc_fork_identity_is_running(&us);
	facts->start_ticks = us.start_ticks;
	facts->pid_ns = syc_pid_namespace_id();
	const size_t n =
		syc_small_file_read("/proc/sys/kernel/random/boot_id",
	                            facts->boot_id, sizeof(facts->boot_id));
	if (n != 0 && facts->boot_id[n - 1] == '\n')
		facts->boot_id[n - 1] = '\0';
	/* Write only the path's bytes: an untouched page takes no memory */
	memcpy(facts->capture, output->path, strlen(output->path) + 1);
	/* Store the owner of the rings.  Until this store another process may
	 * have owned the rings */
	__atomic_store_n(&facts->capture_dev, output->dev, __ATOMIC_RELEASE);
	__atomic_store_n(&facts->capture_ino, output->ino, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	memcpy(facts->magic, SYC_RING_FILE_MAGIC, sizeof(facts->magic));
}

struct beginning {
	struct syc_output *output;
	int32_t pid;
	int64_t now;
	int result;
};

/* Write the header, the writer's PROCESS frame and the ring file's name, all or
 * nothing.  So even a process that is killed right after the write has a
 * name. */
static bool write_beginning(void *data, const void *process, uint32_t len)
{
	struct beginning *const b = data;
	struct syc_output *const output = b->output;
	struct {
		struct syscap_wire_file header;
		unsigned char frames[SYC_OUTPUT_PATH_MAX + 2048];
	} bytes;
	uint64_t size = sizeof(bytes.header) + len, done;

	syc_file_header_fill(&bytes.header, b->now);
	memcpy(bytes.frames, process, len);
	size += syc_describe_metadata(bytes.frames + len, b->pid, b->now,
	                              SYC_RING_FILE_ID, output->ring_path);
	if (output->max_bytes != 0 && size > output->max_bytes) {
		b->result = -EFBIG;
		return false;
	}
	b->result = syc_write_at(output->fd, &bytes, size, 0, &done);
	if (b->result == 0)
		output->end = done;
	return b->result == 0;
}

int syc_output_begin(struct syc_output *output, void *front,
                     const struct syc_arena *arena, int32_t pid, int64_t now)
{
	struct beginning beginning = { output, pid, now, 0 };

	output->journal =
		(struct syc_ring_journal *)(void *)((char *)front +
	                                            syc_ring_file_journal(
							    arena->page));
	if (strlen(output->path) >=
	    sizeof(((struct syc_ring_file *)0)->capture))
		return -ENAMETOOLONG;
	/* A long path takes one more page than the arena has in front */
	if (syc_arena_provide(front, offsetof(struct syc_ring_file, capture) +
	                                     strlen(output->path) + 1) != 0)
		return -ENOSPC;
	write_facts(output, front, arena, pid, now);
	syc_describe_process(pid, now, write_beginning, &beginning);
	/* The facts name us as the owner: other processes may read the rings
	 * again */
	if (beginning.result == 0)
		syscall(SYS_flock, output->ring_fd, LOCK_UN);
	return beginning.result;
}

/* --------------------------------------------------------------- batches */

static void patch_end_time(const struct syc_output *output, int64_t now)
{
	/* A failure does no harm: the frames show the end, too */
	if (syc_fd_pwrite(output->fd, &now, sizeof(now),
	                  offsetof(struct syscap_wire_file, end_time)) < 0)
		return;
}

/* Prepare for a batch.  Returns 0, or the error why a failed batch can't be
 * undone now. */
static int prepare_journal(struct syc_output *output, unsigned n_parts)
{
	struct syc_ring_journal *const journal = output->journal;

	/* Usually there are few parts, which take one page */
	if (syc_arena_provide(journal,
	                      offsetof(struct syc_ring_journal, parts) +
	                              n_parts * sizeof(journal->parts[0])) != 0)
		return -ENOSPC;
	if (journal->state == SYC_JOURNAL_NOTHING)
		return 0;
	if (ftruncate(output->fd, (off_t)output->end) != 0)
		return -errno;
	syc_output_commit(output);
	return 0;
}

int syc_output_write(struct syc_output *output, struct syc_batch *batch)
{
	struct syc_ring_journal *const journal = output->journal;
	int r = prepare_journal(output, batch->n_parts);

	if (r != 0)
		return r;
	memcpy(journal->parts, batch->parts,
	       batch->n_parts * sizeof(journal->parts[0]));
	journal->n = batch->n_parts;
	journal->offset = output->end;
	journal->length = batch->size;
	__atomic_store_n(&journal->state, SYC_JOURNAL_UNDER_WAY,
	                 __ATOMIC_RELEASE);
	r = syc_write_at(output->fd, batch->frames, batch->size, output->end,
	                 &output->fits);
	if (r != 0) {
		/* Cut off the written part, so that the file stays whole.  If
		 * even the cut fails, the recovery cuts. */
		if (output->fits == 0 ||
		    ftruncate(output->fd, (off_t)output->end) == 0)
			syc_output_commit(output);
		return r;
	}
	output->end += batch->size;
	batch->done = batch->size;
	patch_end_time(output, batch->now);
	return 0;
}

void syc_output_close(struct syc_output *output, bool is_whole)
{
	if (is_whole && output->ring_fd >= 0)
		unlink(output->ring_path);
	close_rings(output);
	close_fd(&output->fd, output->dev, output->ino);
}
