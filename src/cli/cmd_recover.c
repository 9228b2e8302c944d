/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_recover.c - `syscap recover`: repair of captures of processes that died,
 * and `syscap snapshot`: captures of processes in flight mode.
 *
 * `recover` repairs one file, or with --all every capture that a killed process
 * left.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/recover.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/table.h"
#include "common/strings.h"
#include "recorder/recorder.h"

struct recover_how {
	const char *command; /* argv[0]: "syscap recover" */
	bool dry;            /* change nothing, only report */
	bool quiet;          /* report only problems */
	bool discard;        /* remove rings without a capture */
};

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
		printf("%s: the capture is missing and %smade again, without "
		       "earlier frames\n",
		       file, would);
	if (r->frames != 0)
		printf("%s: %" PRIu64
		       " frame%s %smoved from the ring file into the capture\n",
		       file, r->frames, syc_plural(r->frames), would);
	else if (r->had_rings && r->bad == 0)
		printf("%s: the ring file has no more events and %s\n", file,
		       dry ? "would be removed" : "is removed");
	if (r->cut != 0)
		printf("%s: %" PRIu64 " byte%s of a torn frame %scut off at "
		       "byte %" PRIu64 "\n",
		       file, r->cut, syc_plural(r->cut), would, r->cut_at);
	if (r->made_end)
		printf("%s: the end time %sset\n", file, would);
	if (r->frames == 0 && !r->had_rings && r->cut == 0 && !r->made_end)
		printf("%s: nothing to recover\n", file);
}

/* Recover @file and report the result. Returns the exit status. */
static int recover_one(const struct recover_how *how, const char *file)
{
	const char *const command = how->command;
	struct syc_recovered recovered;
	struct syscap_error error;

	if (syc_recover(file, how->dry, &recovered, &error) < 0) {
		syc_cli_error_print(command, file, &error);
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
	        "%s: %s: kept the ring file, because %" PRIu64
	        " part%s cannot be read\n",
	        command, file, recovered.bad, syc_plural(recovered.bad));
	return SYC_EXIT_PROBLEM;
}

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
 * Handle a ring file whose capture was deleted, or is in another mount
 * namespace.  The command removes rings only on request, and makes no capture
 * in an unexpected place.
 */
static int recover_left(const struct recover_how *how, const char *file,
                        const struct syc_recovered *found,
                        struct counts *counts)
{
	struct syscap_error error;
	uint64_t frames = found->frames;

	if (!how->discard) {
		counts->kept++;
		fflush(stdout);
		fprintf(stderr,
		        "%s: %s: kept the ring file with %" PRIu64
		        " frame%s of a deleted capture; --discard removes it\n",
		        how->command, file, frames, syc_plural(frames));
		return SYC_EXIT_PROBLEM;
	}
	if (!how->dry && syc_recover_discard(file, &frames, &error) != 0) {
		syc_cli_error_print(how->command, file, &error);
		return SYC_EXIT_PROBLEM;
	}
	counts->discarded++;
	if (how->quiet)
		return SYC_EXIT_DONE;
	tell_capture(file, found->capture);
	printf("%s: the capture was deleted: %" PRIu64 " frame%s %sremoved\n",
	       file, frames, syc_plural(frames), how->dry ? "would be " : "");
	return SYC_EXIT_DONE;
}

static int recover_file(const struct recover_how *how, const char *file,
                        struct counts *counts)
{
	struct syc_recovered found;
	struct syscap_error error;
	const int r = syc_recover(file, true, &found, &error);

	if (r == -EBUSY) {
		counts->in_use++;
		return SYC_EXIT_DONE;
	}
	/*
	 * The process has ended since, or the file was not a ring file despite
	 * its name
	 */
	if (r == -ENOENT || (r != 0 && !found.is_rings))
		return SYC_EXIT_DONE;
	if (found.is_left && (r == 0 || r == -EEXIST))
		return recover_left(how, file, &found, counts);
	const int status = recover_one(how, file);
	if (status == SYC_EXIT_DONE)
		counts->done++;
	return status;
}

static void tell_counts(const struct recover_how *how,
                        const struct counts *counts, size_t n_others)
{
	printf("%zu ring files %srecovered", counts->done,
	       how->dry ? "would be " : "");
	if (counts->in_use != 0)
		printf(", %zu in use not changed", counts->in_use);
	if (n_others != 0)
		printf(", %zu of other users not changed", n_others);
	if (counts->kept != 0)
		printf(", %zu without a capture kept", counts->kept);
	if (counts->discarded != 0)
		printf(", %zu without a capture %sremoved", counts->discarded,
		       how->dry ? "would be " : "");
	putchar('\n');
}

/*
 * Recover all ring files in the @n directories @dirs; 0: in the library's
 * directories.  Returns the exit status.
 */
static int recover_all(const struct recover_how *how, char *const *dirs, int n)
{
	struct syc_ring_files files = { .n_others = 0 };
	struct counts counts = { .done = 0 };
	struct syscap_error error;
	int status = SYC_EXIT_DONE;

	for (int i = 0; i < n; i++)
		if (syc_ring_files_add(&files, dirs[i], &error) != 0) {
			syc_cli_error_print(how->command, dirs[i], &error);
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

enum {
	DISCARD = 256
};

static int run_recover(int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_recover,
		                   .argc = argc,
		                   .argv = argv };
	struct recover_how how = { .command = argv[0] };
	bool all = false;
	int status = SYC_EXIT_DONE;
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (key == 'a')
			all = true;
		else if (key == DISCARD)
			how.discard = true;
		else if (key == 'n')
			how.dry = true;
		else if (key == 'q')
			how.quiet = true;
	}
	if (words.status >= 0)
		return words.status;
	if (how.discard && !all) {
		fprintf(stderr, "%s: --discard needs --all\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (optind == argc && !all) {
		fprintf(stderr,
		        "%s: no capture given; name one or more FILEs, or use "
		        "--all\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	/* A limit on file size is an error and must not kill the process */
	signal(SIGXFSZ, SIG_IGN);
	if (all)
		return syc_cli_error_finish_output(
			argv[0],
			recover_all(&how, argv + optind, argc - optind));
	for (int i = optind; i < argc; i++)
		if (syc_input_refuse_dash(
			    argv[0], argv[i],
			    "recover repairs files in place, not standard "
			    "input"))
			return syc_cli_error_misuse(argv[0]);
	for (int i = optind; i < argc; i++)
		if (recover_one(&how, argv[i]) != SYC_EXIT_DONE)
			status = SYC_EXIT_PROBLEM;
	return syc_cli_error_finish_output(argv[0], status);
}

const struct syc_command syc_cmd_recover = {
	.name = "recover",
	.run = run_recover,
	.summary = "complete captures of killed processes",
	.synopsis = "[-n] [-q] FILE...\n"
		    "--all [-n] [-q] [--discard] [DIR...]",
	.about = "Complete captures of killed processes: move the events "
		 "left in the ring file into the capture and cut off a torn "
		 "last frame.  FILE is a capture or a ring file.  Captures "
		 "in use are not changed.  If this command is killed, run it "
		 "again.",
	.example = "syscap recover app.syscap",
	.status = "0 if all files are complete; 1 if a file was not "
		  "recovered, or only in part; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "all", 'a', NULL,
	                  "recover all ring files in DIR (default "
	                  "$XDG_RUNTIME_DIR/syscap and /dev/shm), except "
	                  "those of running processes, other users and "
	                  "deleted captures",
	                  NULL },
			{ "discard", DISCARD, NULL,
	                  "with --all: remove ring files of deleted captures",
	                  NULL },
			{ "dry-run", 'n', NULL,
	                  "print the changes, and change nothing", NULL },
			{ "quiet", 'q', NULL, "print only errors", NULL },
			{ 0 },
		},
};

/* ---------------------------------------------------------------- snapshot */

struct snapshot {
	const char *command;
	const char *output;
	int32_t pid;
	bool force, quiet;
	struct syc_recovered taken;
	struct syscap_error error;
};

/* Take the snapshot if @path is the ring file of a process in flight mode.
 * Returns false to try another path. */
static bool take_snapshot(void *context, const char *path)
{
	struct snapshot *const how = context;
	char root[64], rings[SYC_RINGS_PATH];
	struct stat st;

	snprintf(root, sizeof(root), "/proc/%d/root", how->pid);
	snprintf(rings, sizeof(rings), "%s%s", root, path);
	const bool is_here = stat(rings, &st) != 0;

	return syc_snapshot_take(is_here ? path : rings, is_here ? "" : root,
	                         how->output, how->force, &how->taken,
	                         &how->error) != -ENOENT;
}

static int do_snapshot(struct snapshot *how)
{
	how->error.code = 0;
	const int r = syc_flight_find(how->pid, take_snapshot, how);

	if (r < 0) {
		fprintf(stderr, "%s: process %d: %s\n", how->command, how->pid,
		        strerror(-r));
		return SYC_EXIT_PROBLEM;
	}
	if (r == 0) {
		fprintf(stderr,
		        "%s: process %d is not in flight mode: start it with "
		        "SYSCAP_MODE=flight and SYSCAP_OUTPUT\n",
		        how->command, how->pid);
		return SYC_EXIT_PROBLEM;
	}
	if (how->error.code != 0) {
		syc_cli_error_print(how->command, how->output, &how->error);
		return SYC_EXIT_PROBLEM;
	}
	if (!how->quiet)
		printf("%s: %" PRIu64 " frame%s of process %d\n", how->output,
		       how->taken.frames, syc_plural(how->taken.frames),
		       how->pid);
	if (how->taken.bad == 0)
		return SYC_EXIT_DONE;
	fflush(stdout);
	fprintf(stderr, "%s: %" PRIu64 " ring%s could not be read\n",
	        how->command, how->taken.bad, syc_plural(how->taken.bad));
	return SYC_EXIT_PROBLEM;
}

enum {
	FORCE = 257
};

static int run_snapshot(int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_snapshot,
		                   .argc = argc,
		                   .argv = argv };
	struct snapshot how = { .command = argv[0] };
	const char *pid = NULL;
	char *end = NULL;
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (key == 'p')
			pid = words.value;
		else if (key == 'o')
			how.output = words.value;
		else if (key == FORCE)
			how.force = true;
		else if (key == 'q')
			how.quiet = true;
	}
	if (words.status >= 0)
		return words.status;
	const long number = pid != NULL ? strtol(pid, &end, 10) : 0;
	if (number <= 0 || number > INT32_MAX || *end != '\0' ||
	    how.output == NULL || optind != argc) {
		fprintf(stderr, "%s: expected -p PID and -o OUTPUT\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (strcmp(how.output, "-") == 0) {
		how.output = syc_output_file_stdout(argv[0]);
		how.quiet = true;
		if (how.output == NULL)
			return SYC_EXIT_PROBLEM;
	}
	how.pid = (int32_t)number;
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	return syc_cli_error_finish_output(argv[0], do_snapshot(&how));
}

const struct syc_command syc_cmd_snapshot = {
	.name = "snapshot",
	.run = run_snapshot,
	.summary = "copy the last events of a process in flight mode",
	.synopsis = "-p PID -o OUTPUT [--force] [-q]",
	.about =
		"Copy the last events of a running process into a new capture. "
		"The process must have been started with SYSCAP_MODE=flight, "
		"or have called syscap_start() with SYSCAP_FLIGHT. The process "
		"does nothing, and runs on.",
	.example = "syscap snapshot -p 4711 -o stutter.syscap",
	.status =
		"0 on success; 1 if the process is not in flight mode, or its "
		"events were not copied completely; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "pid", 'p', "PID", "the process", NULL },
			{ "output", 'o', "OUTPUT",
	                  "name of the new capture; - is standard output",
	                  NULL },
			{ "force", FORCE, NULL,
	                  "replace a file that is not a capture", NULL },
			{ "quiet", 'q', NULL, "print only errors", NULL },
			{ 0 },
		},
};
