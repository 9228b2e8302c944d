/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover_rings.c - move what is left in a ring file into its capture.
 *
 * By the journal, as the process did: ring/ring_file.h.  All changes are
 * system calls, and between any two of them we may be killed.
 */
#define _GNU_SOURCE
#include "capture/recover_rings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/error.h"
#include "capture/rest_load.h"

#define PATH_SIZE 4096u

static int store_state(struct syc_rest *rest, uint32_t state)
{
	rest->journal.state = state;
	return syc_recover_write_at(
		       rest->fd, &state, sizeof(state),
		       syc_rest_journal_at(rest) +
			       offsetof(struct syc_ring_journal, state))
	               ? 0
	               : -errno;
}

static int store_heads(const struct syc_rest *rest,
                       const struct syc_ring_journal_part *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!syc_recover_write_at(
			    rest->fd, &parts[i].to, sizeof(parts[i].to),
			    syc_rest_slot_at(rest, parts[i].slot) +
				    offsetof(struct syc_ring_header, head)))
			return -errno;
	return 0;
}

/* What the process had begun, or an earlier recovery: end it or undo it. */
static int settle_journal(struct syc_rest *rest, struct syc_recover_file *file)
{
	int r = 0;

	if (rest->journal.state == SYC_JOURNAL_UNDER_WAY) {
		if (rest->batch_is_in)
			r = store_heads(rest, rest->journal.parts,
			                rest->journal.n);
		else if (ftruncate(file->fd, (off_t)rest->capture_size) != 0)
			r = -errno;
		if (r == 0)
			r = store_state(rest, SYC_JOURNAL_NOTHING);
	} else if (rest->capture_size < file->size &&
	           ftruncate(file->fd, (off_t)rest->capture_size) != 0) {
		r = -errno;
	}
	return r;
}

static int move_frames(struct syc_rest *rest, struct syc_recover_file *file)
{
	struct syc_ring_journal *const j = &rest->journal;
	int r;

	if (rest->n_bytes == 0 && rest->n_parts == 0)
		return 0;
	j->state = SYC_JOURNAL_NOTHING;
	j->n = rest->n_parts;
	j->offset = rest->capture_size;
	j->length = rest->n_bytes;
	memcpy(j->parts, rest->parts, rest->n_parts * sizeof(j->parts[0]));
	if (!syc_recover_write_at(rest->fd, j, sizeof(*j),
	                          syc_rest_journal_at(rest)))
		return -errno;
	r = store_state(rest, SYC_JOURNAL_UNDER_WAY);
	if (r != 0)
		return r;
	if (!syc_recover_write_at(file->fd, rest->bytes, rest->n_bytes,
	                          rest->capture_size)) {
		r = -errno;
		/* The disk is full: the capture stays as it was */
		if (ftruncate(file->fd, (off_t)rest->capture_size) == 0)
			(void)store_state(rest, SYC_JOURNAL_NOTHING);
		return r;
	}
	r = store_heads(rest, rest->parts, rest->n_parts);
	return r != 0 ? r : store_state(rest, SYC_JOURNAL_NOTHING);
}

/*
 * What is added behind something that is no frame is not found again.  And
 * what is cut off must be what the journal, or a torn frame, accounts for.
 */
static int check_capture(struct syc_rest *rest,
                         const struct syc_recover_file *file,
                         struct syc_recovered *recovered,
                         struct syscap_error *error)
{
	const struct syc_ring_journal *const j = &rest->journal;
	const uint64_t size = rest->capture_size;
	int64_t last;
	const uint64_t end = syc_recover_file_walk(file, size, &last);
	uint64_t whole = SYC_RECOVER_HEADER; /* frames end here, or later */

	if (j->state == SYC_JOURNAL_UNDER_WAY)
		whole = rest->batch_is_in ? j->offset + j->length : j->offset;
	if (end < whole)
		return syc_error_set(error, EBADMSG, end,
		                     "the capture is damaged here; nothing was "
		                     "changed");
	if (end != size) {
		const int r = syc_recover_file_check_tail(file, end, error);
		if (r != 0)
			return r;
		recovered->cut = size - end;
		recovered->cut_at = end;
		rest->capture_size = end;
	} else if (size < file->size &&
	           !syc_rest_is_torn_batch(rest, file->data + size,
	                                   file->size - size)) {
		return syc_error_set(error, EBADMSG, size,
		                     "what follows is not what the journal of "
		                     "the ring file says; nothing was changed");
	}
	return 0;
}

int syc_recover_rings(struct syc_rest *rest, struct syc_recover_file *file,
                      struct syc_recovered *recovered,
                      struct syscap_error *error)
{
	int r = syc_rest_load(rest, file->data, file->size, error);

	if (r == 0)
		r = check_capture(rest, file, recovered, error);
	if (r != 0)
		return r;
	recovered->frames = rest->n_frames;
	recovered->bad = rest->n_bad;
	if (file->dry)
		return 0;
	r = settle_journal(rest, file);
	if (r == 0)
		r = move_frames(rest, file);
	if (r != 0) {
		errno = -r;
		return syc_recover_fail(error,
		                        "cannot move what is in the ring file");
	}
	return 0;
}

int syc_recover_rings_remove(const struct syc_rest *rest, const char *path,
                             struct syscap_error *error)
{
	char folder[PATH_SIZE] = ".";
	const char *const slash = strrchr(path, '/');
	const char *const name = slash != NULL ? slash + 1 : path;
	struct stat st;
	int r = 0;

	if (slash != NULL) {
		const size_t n = slash == path ? 1 : (size_t)(slash - path);

		if (n >= sizeof(folder))
			return syc_error_set(error, ENAMETOOLONG, 0, "%s",
			                     strerror(ENAMETOOLONG));
		memcpy(folder, path, n);
		folder[n] = '\0';
	}
	/* Whoever owns the folder may have put another file there */
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    (st.st_dev == rest->dev && st.st_ino == rest->ino &&
	     unlinkat(fd, name, 0) != 0))
		r = errno == ENOENT ? 0 : syc_recover_fail(error, path);
	if (fd >= 0)
		close(fd);
	return r;
}
