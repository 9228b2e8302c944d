/* SPDX-License-Identifier: BSD-2-Clause */
/* recover_all.c - `syscap recover --all`: whatever processes left. */
#include "cli/recover_all.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "capture/recover.h"
#include "capture/recover_dir.h"
#include "cli/cmd.h"
#include "cli/fault.h"
#include "cli/printable.h"

struct counts {
	size_t done, in_use, kept, discarded;
};

static void tell_capture(const char *file, const char *capture)
{
	printf("%s: of ", file);
	syc_printable_write(stdout, capture, false);
	putchar('\n');
}

/*
 * Whoever deleted the capture wanted no more of it, or the ring file comes
 * from another mount namespace.  Nothing is thrown away unless it is asked
 * for, and no capture is made where nobody expects one.
 */
static int recover_left(const struct syc_recover_how *how, const char *file,
                        const struct syc_recovered *found,
                        struct counts *counts)
{
	struct syscap_error error;
	uint64_t frames = found->frames;

	if (!how->discard) {
		counts->kept++;
		fflush(stdout);
		fprintf(stderr,
		        "%s: %s: its capture is gone, %" PRIu64
		        " frames are left: kept, see --discard\n",
		        how->command, file, frames);
		return SYC_EXIT_PROBLEM;
	}
	if (!how->dry && syc_recover_discard(file, &frames, &error) != 0) {
		syc_fault_print(how->command, file, &error);
		return SYC_EXIT_PROBLEM;
	}
	counts->discarded++;
	if (how->quiet)
		return SYC_EXIT_DONE;
	tell_capture(file, found->capture);
	printf("%s: that is gone: %" PRIu64 " frames %sthrown away\n", file,
	       frames, how->dry ? "would be " : "");
	return SYC_EXIT_DONE;
}

static int recover_file(const struct syc_recover_how *how, const char *file,
                        struct counts *counts)
{
	struct syc_recovered found;
	struct syscap_error error;
	const int r = syc_recover(file, true, &found, &error);

	if (r == -EBUSY) {
		counts->in_use++;
		return SYC_EXIT_DONE;
	}
	/* It has ended meanwhile; or was none, whatever its name says */
	if (r == -ENOENT || (r != 0 && !found.is_rings))
		return SYC_EXIT_DONE;
	if (found.is_left && (r == 0 || r == -EEXIST))
		return recover_left(how, file, &found, counts);
	const int status = syc_recover_one(how, file);
	if (status == SYC_EXIT_DONE)
		counts->done++;
	return status;
}

static void tell_counts(const struct syc_recover_how *how,
                        const struct counts *counts, size_t n_others)
{
	printf("%zu ring files %srecovered", counts->done,
	       how->dry ? "would be " : "");
	if (counts->in_use != 0)
		printf(", %zu in use by processes left alone", counts->in_use);
	if (n_others != 0)
		printf(", %zu of other users left alone", n_others);
	if (counts->kept != 0)
		printf(", %zu without a capture kept", counts->kept);
	if (counts->discarded != 0)
		printf(", %zu without a capture %sremoved", counts->discarded,
		       how->dry ? "would be " : "");
	putchar('\n');
}

int syc_recover_all(const struct syc_recover_how *how, char *const *dirs, int n)
{
	struct syc_ring_files files = { .n_others = 0 };
	struct counts counts = { .done = 0 };
	struct syscap_error error;
	int status = SYC_EXIT_DONE;

	for (int i = 0; i < n; i++)
		if (syc_ring_files_add(&files, dirs[i], &error) != 0) {
			syc_fault_print(how->command, dirs[i], &error);
			status = SYC_EXIT_PROBLEM;
		}
	if (n == 0 && syc_ring_files_add_usual(&files, &error) != 0) {
		fprintf(stderr, "%s: %s\n", how->command, error.message);
		status = SYC_EXIT_PROBLEM;
	}
	for (size_t i = 0; i < files.paths.n; i++)
		if (recover_file(how, files.paths.items[i], &counts) !=
		    SYC_EXIT_DONE)
			status = SYC_EXIT_PROBLEM;
	if (!how->quiet)
		tell_counts(how, &counts, files.n_others);
	syc_ring_files_free(&files);
	return status;
}
