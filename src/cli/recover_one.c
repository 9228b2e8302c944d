/* SPDX-License-Identifier: BSD-2-Clause */
/* recover_one.c - `syscap recover FILE`: one file, and what is told of it. */
#include "cli/recover_one.h"

#include <inttypes.h>
#include <stdio.h>

#include "capture/recover.h"
#include "cli/cmd.h"
#include "cli/fault.h"
#include "cli/printable.h"

static void tell_recovered(const char *file, const struct syc_recovered *r,
                           bool dry)
{
	const char *const would = dry ? "would be " : "";

	if (r->capture[0] != '\0') {
		printf("%s: of ", file);
		syc_printable_write(stdout, r->capture, false);
		putchar('\n');
	}
	if (r->made_capture)
		printf("%s: that is missing, and %smade anew: what was in it "
		       "is gone\n",
		       file, would);
	if (r->frames != 0)
		printf("%s: %" PRIu64 " frames %smoved into it from the ring "
		       "file\n",
		       file, r->frames, would);
	else if (r->had_rings && r->bad == 0)
		printf("%s: nothing is left in the ring file, which %s\n", file,
		       dry ? "would be removed" : "is removed");
	if (r->cut != 0)
		printf("%s: %" PRIu64 " bytes of a torn frame %scut off at "
		       "byte %" PRIu64 "\n",
		       file, r->cut, would, r->cut_at);
	if (r->made_end)
		printf("%s: its end time %sset\n", file, would);
	if (r->frames == 0 && !r->had_rings && r->cut == 0 && !r->made_end)
		printf("%s: nothing to recover\n", file);
}

int syc_recover_one(const struct syc_recover_how *how, const char *file)
{
	const char *const command = how->command;
	struct syc_recovered recovered;
	struct syscap_error error;

	if (syc_recover(file, how->dry, &recovered, &error) < 0) {
		syc_fault_print(command, file, &error);
		return SYC_EXIT_PROBLEM;
	}
	if (!how->quiet)
		tell_recovered(file, &recovered, how->dry);
	if (recovered.left_alone[0] != '\0') {
		fflush(stdout);
		fprintf(stderr, "%s: %s: note: ", command, file);
		syc_printable_write(stderr, recovered.left_alone, false);
		putc('\n', stderr);
	}
	if (recovered.bad == 0)
		return SYC_EXIT_DONE;
	fflush(stdout);
	fprintf(stderr,
	        "%s: %s: places in the ring file that can't be read: %" PRIu64
	        "; it is kept\n",
	        command, file, recovered.bad);
	return SYC_EXIT_PROBLEM;
}
