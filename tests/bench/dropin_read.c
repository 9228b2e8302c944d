/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dropin_read.c - reads of a large capture with two libraries, in turns.
 *
 * The file is unlinked before its first byte, so that no file is left behind.
 * The benchmark reads it from the page cache, to compare the readers, and cold,
 * from the disk.
 */
#define _GNU_SOURCE
#include "bench/dropin_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/format.h>

#include "bench/fail.h"
#include "bench/report.h"

#define ROUNDS 7u

static int open_scratch(char *ret_path, size_t size)
{
	const char *folder = getenv("BENCH_SCRATCH");
	char name[4096];

	if (folder == NULL)
		folder = getenv("TMPDIR");
	if (folder == NULL)
		folder = "/tmp";
	snprintf(name, sizeof(name), "%s/bench-dropin-XXXXXX", folder);
	const int fd = mkstemp(name);
	if (fd < 0)
		bench_fail("%s: %s", name, strerror(errno));
	unlink(name);
	snprintf(ret_path, size, "/proc/self/fd/%d", fd);
	return fd;
}

struct reading {
	int64_t ns[ROUNDS];
	struct dropin_seen seen;
	bool is_whole;
};

static void read_once(const struct dropin_ops *ops, const char *path,
                      int cold_fd, uint64_t n_frames, unsigned round,
                      struct reading *ret)
{
	if (cold_fd >= 0)
		posix_fadvise(cold_fd, 0, 0, POSIX_FADV_DONTNEED);
	const int64_t begin = bench_now_ns();

	if (!ops->read(path, &ret->seen))
		bench_fail("can't open what was written: %s", strerror(errno));
	ret->ns[round] = bench_now_ns() - begin;
	/* The writer's index frames are timestamps for readers, and not
	 * counted */
	for (unsigned i = 0; i < DROPIN_TYPES; i++)
		if (i != SYSCAP_FRAME_TIMESTAMP)
			n_frames -= ret->seen.frames[i];
	ret->is_whole = n_frames == 0;
}

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double at_rank(struct reading *reading, unsigned rank, uint64_t n_frames)
{
	qsort(reading->ns, ROUNDS, sizeof(reading->ns[0]), compare);
	return (double)reading->ns[rank] / (double)n_frames;
}

/* @rank: rank of the round to report; the fastest has rank 0. */
static int report(const char *what, double bound, unsigned rank,
                  struct reading *ours, struct reading *theirs,
                  uint64_t n_frames)
{
	const bool is_valid =
		ours->is_whole &&
		(theirs == NULL ||
	         (theirs->is_whole && ours->seen.sum == theirs->seen.sum));
	struct bench_row row = { .what = what,
		                 .median = at_rank(ours, rank, n_frames),
		                 .p999 = BENCH_NONE };

	if (theirs != NULL) {
		row.other = "reference";
		row.other_median = at_rank(theirs, rank, n_frames);
		row.other_p999 = BENCH_NONE;
		row.target = is_valid ? BENCH_RATIO_MOST : BENCH_REPORTED;
		row.bound = bound;
	}
	bench_report_row(&row);
	if (!is_valid)
		bench_report_note("INVALID: a reader did not see all frames");
	return !is_valid;
}

int dropin_read(const struct dropin_ops *ours, const struct dropin_ops *theirs)
{
	static struct reading readings[2][2]; /* cold, warm */
	const char *const text = getenv("BENCH_READ_MB");
	const uint64_t mb = text != NULL ? strtoull(text, NULL, 10) : 1024;
	char path[64];
	struct stat st;

	if (mb == 0)
		return 0;
	const int fd = open_scratch(path, sizeof(path));
	const uint64_t n_frames = ours->make(path, mb << 20);
	if (n_frames == 0 || fdatasync(fd) != 0 || fstat(fd, &st) != 0)
		bench_fail("can't write %" PRIu64 " MiB: %s", mb,
		           strerror(errno));
	/* The sides alternate in going first, as a disk may have its own
	 * cache */
	for (unsigned i = 0; i < 2 * ROUNDS * 2; i++) {
		const unsigned warm = i / (2 * ROUNDS), round = i / 2 % ROUNDS;
		const unsigned side = (i + round) % 2;
		const struct dropin_ops *const ops = side == 0 ? ours : theirs;

		if (ops != NULL)
			read_once(ops, path, warm ? -1 : fd, n_frames, round,
			          &readings[warm][side]);
	}
	close(fd);
	int failed = report("drop-in: read a frame, page cache", 0.6,
	                    ROUNDS / 2, &readings[1][0],
	                    theirs != NULL ? &readings[1][1] : NULL, n_frames);
	/* Disks are sometimes slow, but never fast by accident */
	failed |= report("drop-in: read a frame, cold, at best", 1.1, 0,
	                 &readings[0][0],
	                 theirs != NULL ? &readings[0][1] : NULL, n_frames);
	bench_report_note("%" PRIu64 " frames, %jd MB, in %.2f s, %u times",
	                  n_frames, (intmax_t)st.st_size / 1000000,
	                  (double)readings[1][0].ns[ROUNDS / 2] / 1e9, ROUNDS);
	return failed;
}
