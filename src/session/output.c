/* SPDX-License-Identifier: BSD-2-Clause */
/* output.c - a capture file that this process and its forked children write. */
#define _GNU_SOURCE
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
#include "session/sink.h"

#define LAST_SUFFIX 9999u
/* Greatest size of a batch */
#define BATCH_MAX (UINT64_C(1) << 20)

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
		/* The C library's function may allocate */
		if (syscall(SYS_getcwd, target->pattern,
		            sizeof(target->pattern)) < 0)
			return -errno;
		if (target->pattern[0] != '/') /* "(unreachable)" */
			return -ENOENT;
		text.at += strlen(target->pattern);
		/* A % in the directory's name would count as an escape */
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

/* Take the lock that shows the capture's writer to other processes. */
static void hold(const struct syc_output *output)
{
	int64_t at = 1 + (int64_t)getpid();

	/* If the file system lacks locks, the commands can't test the lock
	 * either */
	(void)syc_record_fact_keep(output->fd, SYC_RECORD_TABLE, &at);
}

int syc_output_create(struct syc_output *output,
                      const struct syc_output_target *target, int32_t pid)
{
	struct syc_text text =
		syc_text_begin(output->path, SYC_OUTPUT_PATH_MAX);
	bool has_pid = expand_name(&text, target, pid);
	struct stat st;

	output->fd = -1;
	output->max_bytes = target->max_bytes;
	if (text.at == text.end)
		return -ENAMETOOLONG;
	text.end = output->path + sizeof(output->path) - 1;
	char *const stem = text.at;
	for (uint32_t n = 1; n <= LAST_SUFFIX && output->fd < 0; n++) {
		output->fd = syc_fd_keep(syc_fd_open(
			output->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
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
	hold(output);
	return 0;
}

/* ------------------------------------------------------------ ring file */

/* Lock the ring file, so that no process recovers from the file.  The lock
 * belongs to the open file.  So the lock remains when a thread takes the fd
 * into its own fd table, and while a related process has the rings mapped. */
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
		/* Ignore a failure: open() reports a missing directory */
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
	if (n != 0) { /* another or an earlier capture has this name */
		syc_text_add(&text, "-");
		syc_text_add_u64(&text, n);
	}
	syc_text_add(&text, ".rings");
	return true;
}

static bool is_in_memory(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 &&
	       ((uint32_t)fs.f_type == 0x01021994 /* tmpfs */ ||
	        (uint32_t)fs.f_type == 0x858458f6 /* ramfs */);
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

/* Close an fd, unless the program has closed the fd and reused its number. */
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

/* -------------------------------------------------------------- facts */

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
	/* Write only the path's bytes, because an untouched page takes no
	 * memory */
	memcpy(facts->capture, output->path, strlen(output->path) + 1);
	/* Store the owner of the rings.  Before this store another process may
	 * have owned the rings */
	__atomic_store_n(&facts->capture_dev, output->dev, __ATOMIC_RELEASE);
	__atomic_store_n(&facts->capture_ino, output->ino, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	memcpy(facts->magic, SYC_RING_FILE_MAGIC, sizeof(facts->magic));
}

/* Open the path again if the inherited fd now refers to another file. */
static int open_same(int fd, const char *path, int flags, dev_t dev, ino_t ino)
{
	if (syc_fd_is_file(fd, dev, ino))
		return fd;
	fd = syc_fd_keep(syc_fd_open(path, flags | O_NOFOLLOW, 0));
	if (!syc_fd_is_file(fd, dev, ino)) {
		syc_fd_close(fd); /* fails if there is no fd */
		fd = -1;
	}
	return fd;
}

/* Find the capture, even if the program has closed the fd and reused its
 * number.  Returns 0 and the size; or -ESTALE: the capture can't be found. */
static int find_file(struct syc_output *output, uint64_t *ret_size)
{
	struct stat st;
	const int fd = open_same(output->fd, output->path, O_RDWR, output->dev,
	                         output->ino);

	if (fd != output->fd) {
		output->fd = fd;
		hold(output);
	}
	/* Another program may have cut the file */
	if (fstat(fd, &st) != 0 || (uint64_t)st.st_size < output->known_end)
		return -ESTALE;
	*ret_size = (uint64_t)st.st_size;
	return 0;
}

struct beginning {
	struct syc_output *output;
	struct syc_ring_journal *journal;
	int32_t pid;
	int64_t now;
	unsigned char *scratch;
	bool is_flight;
	int result;
};

/* Write the header, the writer's PROCESS frame, the ring file's name and the mode
 * in one piece, or nothing.  So even a process that is killed right after the
 * write has a name. */
static bool write_beginning(void *data, const void *process, uint32_t len)
{
	struct beginning *const b = data;
	struct syc_output *const output = b->output;
	struct syscap_wire_file *const header = (void *)b->scratch;
	unsigned char *const frames = b->scratch + sizeof(*header);
	uint64_t size = sizeof(*header) + len, done;

	syc_file_header_fill(header, b->now);
	memcpy(frames, process, len);
	size += syc_describe_metadata(frames + len, b->pid, b->now,
	                              SYC_RING_FILE_ID, output->ring_path);
	if (b->is_flight)
		size += syc_describe_metadata(b->scratch + size, b->pid, b->now,
		                              "syscap.mode", "flight");
	if (output->max_bytes != 0 && size > output->max_bytes) {
		b->result = -EFBIG;
		return false;
	}
	/* Since the open the program may have reused the fd's number */
	b->result = find_file(output, &done);
	if (b->result == 0)
		b->result =
			syc_write_at(output->fd, b->scratch, size, 0, &done);
	if (b->result == 0)
		b->journal->end = output->known_end = done;
	return b->result == 0;
}

int syc_output_begin(struct syc_output *output, void *front,
                     const struct syc_arena *arena, int32_t pid, int64_t now,
                     unsigned char *scratch, bool is_flight)
{
	struct syc_ring_journal *const journal =
		(struct syc_ring_journal *)(void *)((char *)front +
	                                            syc_ring_file_journal(
							    arena->page));
	struct beginning beginning = { output,  journal,   pid, now,
		                       scratch, is_flight, 0 };

	if (strlen(output->path) >=
	    sizeof(((struct syc_ring_file *)0)->capture))
		return -ENAMETOOLONG;
	/* A long path takes one page more than the front of the arena */
	if (syc_pages_provide(front, offsetof(struct syc_ring_file, capture) +
	                                     strlen(output->path) + 1) != 0)
		return -ENOSPC;
	write_facts(output, front, arena, pid, now);
	syc_describe_process(pid, now, write_beginning, &beginning);
	return beginning.result;
}

int syc_output_join(struct syc_output *output)
{
	output->fd = open_same(output->fd, output->path, O_RDWR, output->dev,
	                       output->ino);
	/* Only claims of rings without mremap() need this fd */
	output->ring_fd = open_same(output->ring_fd, output->ring_path, O_RDWR,
	                            output->ring_dev, output->ring_ino);
	if (output->fd < 0)
		return -ESTALE;
	hold(output);
	return 0;
}

/* --------------------------------------------------------------- batches */

static void patch_end_time(const struct syc_output *output, int64_t now)
{
	/* The batch may have waited for the disk, and the program may have
	 * reused the fd's number meanwhile.  Ignore a failure: the frames show
	 * the end, too */
	if (!syc_fd_is_file(output->fd, output->dev, output->ino) ||
	    syc_fd_pwrite(output->fd, &now, sizeof(now),
	                  offsetof(struct syscap_wire_file, end_time)) < 0)
		return;
}

static int cut(const struct syc_output *output, uint64_t end)
{
	return ftruncate(output->fd, (off_t)end) == 0 ? 0 : -errno;
}

/* Return whether a batch can have the offset @end.  A related process may have
 * overwritten the journal. */
static bool is_end(const struct syc_output *output, uint64_t end, uint64_t size)
{
	return end % 8 == 0 && end >= output->known_end && end <= size &&
	       end >= sizeof(struct syscap_wire_file);
}

int syc_output_write(struct syc_output *output, struct syc_batch *batch)
{
	struct syc_ring_journal *const journal = batch->journal;
	uint64_t size, end = journal->end;
	int r = find_file(output, &size);

	if (r != 0)
		return r;
	if (!is_end(output, end, size)) {
		output->is_journal_damaged = true;
		end = size;
	} else if (end != size) /* bytes of another program */
		r = cut(output, end);
	if (r != 0)
		return r;
	syc_journal_begin(batch, end);
	r = syc_write_at(output->fd, batch->frames, batch->size, end,
	                 &output->fits);
	if (r != 0) {
		/* Cut off the written part, so that the file stays complete.
		 * If even the cut fails, the next batch or a recovery cuts. */
		if (output->fits == 0 || cut(output, end) == 0)
			__atomic_store_n(&journal->state, SYC_JOURNAL_NOTHING,
			                 __ATOMIC_RELEASE);
		return r;
	}
	journal->end = output->known_end = end + batch->size;
	batch->done = batch->size;
	patch_end_time(output, batch->now);
	return 0;
}

int syc_output_repair(struct syc_output *output,
                      struct syc_ring_journal *journal, bool *ret_is_in)
{
	const uint64_t offset = journal->offset, length = journal->length;
	uint64_t size;
	const int r = find_file(output, &size);

	*ret_is_in = false;
	if (r != 0)
		return r;
	if (!is_end(output, offset, size) || length > BATCH_MAX) {
		journal->end = size;
		return -EUCLEAN;
	}
	*ret_is_in = size - offset >= length;
	journal->end = offset + (*ret_is_in ? length : 0);
	return *ret_is_in ? 0 : cut(output, offset);
}

void syc_output_close(struct syc_output *output, bool is_whole)
{
	if (is_whole && output->ring_path[0] != '\0')
		unlink(output->ring_path);
	close_rings(output);
	close_fd(&output->fd, output->dev, output->ino);
}
