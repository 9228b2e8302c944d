/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_top.c - `syscap top`: view of a recording in progress.
 *
 * A second process records the command.  The command has an empty standard
 * input, because the viewer reads the keyboard.  A file without a name has the
 * output of the command and of the recorder, which the viewer shows at the end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap/format.h>

#include "capture/files.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/view_query.h"
#include "recorder/recorder.h"

struct live_command {
	const char *command; /* command name of this process, for messages */
	const char *file;    /* name of the capture */
	pid_t recorder;
	bool has_ended;
	bool *has_stopped; /* in shared memory, set by the recorder: recording
	                    * stopped, with a message, and the command runs
	                    * on */
	int status;        /* the recorder's exit status */
	int output;        /* fd of output for the terminal; -1: none */
};

#define LOOK_NS     10000000L
#define FIRST_LOOKS 6000 /* number of checks in a minute */
/* Number of checks in 2 s, after which the reason of the delay is shown. */
#define TELL_LOOKS 200
#define SHOWN_MOST 65536

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
}

/* Keep the output in memory, since the disk may be full. */
static int make_output(void)
{
	return memfd_create("syscap-top", MFD_CLOEXEC);
}

/* Discard output that will not be shown. */
static void forget_output(const struct live_command *live)
{
	struct stat st;

	if (live->output >= 0 && fstat(live->output, &st) == 0 &&
	    st.st_blocks > 4 * SHOWN_MOST / 512)
		fallocate(live->output,
		          FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		          st.st_size - SHOWN_MOST);
}

/* Start of the part that is shown at the end. */
static off_t find_shown(const struct live_command *live, off_t *ret_size)
{
	struct stat st = { 0 };

	fstat(live->output, &st);
	*ret_size = st.st_size;
	return st.st_size > SHOWN_MOST ? st.st_size - SHOWN_MOST : 0;
}

/* This function runs in the child. */
static int record(const struct live_command *live,
                  const struct syc_record_options *options, pid_t parent)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int output = live->output >= 0 ? live->output : nothing;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || nothing < 0)
		return SYC_RECORD_FAILED;
	dup2(nothing, STDIN_FILENO);
	if (isatty(STDOUT_FILENO))
		dup2(output, STDOUT_FILENO);
	if (isatty(STDERR_FILENO))
		dup2(output, STDERR_FILENO);
	return syc_record_run(options);
}

static bool has_header(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 &&
	       st.st_size >= (off_t)sizeof(struct syscap_wire_file);
}

/* Return whether the recorder still runs. */
static bool recorder_goes_on(struct live_command *live)
{
	int status;

	forget_output(live);
	if (live->has_ended ||
	    waitpid(live->recorder, &status, WNOHANG) != live->recorder)
		return !live->has_ended;
	live->has_ended = true;
	live->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
	                                   : WEXITSTATUS(status);
	return false;
}

/* Start to record, and wait until the capture can be read.  Returns false
 * without a capture; live_command_finish() shows the recorder's message. */
static bool live_command_start(struct live_command *live,
                               const struct syc_record_options *options)
{
	const pid_t parent = getpid();
	struct stat before = { 0 }, st;

	live->file = options->output;
	live->output = make_output();
	if (stat(live->file, &before) != 0)
		before.st_ino = 0;
	fflush(NULL);
	live->recorder = fork();
	if (live->recorder < 0) {
		fprintf(stderr, "%s: cannot start a process: %s\n",
		        live->command, strerror(errno));
		live->has_ended = true;
		live->status = SYC_RECORD_FAILED;
		return false;
	}
	if (live->recorder == 0)
		exit(record(live, options, parent));
	for (int i = 0; i < FIRST_LOOKS; i++) {
		/* An existing file is truncated, or created again. */
		if (has_header(live->file) && stat(live->file, &st) == 0 &&
		    (st.st_ino != before.st_ino ||
		     st.st_mtim.tv_sec != before.st_mtim.tv_sec ||
		     st.st_mtim.tv_nsec != before.st_mtim.tv_nsec))
			return true;
		if (!recorder_goes_on(live))
			return has_header(live->file) &&
			       live->status != SYC_RECORD_FAILED &&
			       live->status != SYC_RECORD_CANNOT_RUN &&
			       live->status != SYC_RECORD_NOT_FOUND;
		wait_a_little();
	}
	return false;
}

/* Return whether the recorder still runs and records. */
static bool live_command_records(struct live_command *live)
{
	return recorder_goes_on(live) &&
	       !__atomic_load_n(live->has_stopped, __ATOMIC_RELAXED);
}

/* Show the output, or only the end of a long output. */
static void show_output(const struct live_command *live)
{
	char bytes[4096];
	off_t size, at = find_shown(live, &size);
	ssize_t n;

	if (at > 0)
		fprintf(stderr,
		        "%s: last %d of %lld bytes of the command's output:\n",
		        live->command, SHOWN_MOST, (long long)size);
	while ((n = pread(live->output, bytes, sizeof(bytes), at)) > 0) {
		fwrite(bytes, 1, (size_t)n, stdout);
		at += n;
	}
	fflush(stdout);
}

/* End the recording, as by a SIGTERM, wait, and show the output.  During the
 * wait, Ctrl-C ends the recording, and the command continues. */
static void live_command_finish(struct live_command *live)
{
	struct sigaction before;

	/*
	 * SIGINT of the terminal also goes to the recorder, which leaves the
	 * command.
	 */
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = SIG_IGN },
	          &before);
	if (recorder_goes_on(live))
		kill(live->recorder, SIGTERM);
	for (int i = 0; recorder_goes_on(live); i++) {
		if (i == TELL_LOOKS)
			fprintf(stderr,
			        "%s: waiting for the command to end; Ctrl-C "
			        "leaves it running\n",
			        live->command);
		wait_a_little();
	}
	sigaction(SIGINT, &before, NULL);
	if (live->output < 0)
		return;
	show_output(live);
	close(live->output);
	live->output = -1;
}

#define RING_KIB 1024u

struct run {
	struct syc_view_options options;
	const char *output, *sample;
	bool is_command, force;
	char path[40]; /* fd of a capture that is not kept */
	int file;      /* fd of another process' recording, to detect its
	                * lock */
};

enum {
	SAMPLE = 256,
	FORCE,
};

/* Returns -1 to continue, or the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_top,
		                   .argc = argc,
		                   .argv = argv,
		                   .stops = true };
	int key;

	run->sample = syc_sample_option_read(argv[0], NULL);
	while ((key = syc_options_next(&words)) > 0) {
		bool good = true;

		if (key == SAMPLE) {
			run->sample =
				syc_sample_option_read(argv[0], words.value);
			good = run->sample != NULL;
		} else if (key == 'o') {
			run->output = words.value;
		} else if (key == FORCE) {
			run->force = true;
		} else {
			good = syc_view_options_take(&run->options, argv[0],
			                             key, words.value);
		}
		if (!good)
			return syc_cli_error_misuse(argv[0]);
	}
	if (words.status >= 0)
		return words.status;
	run->is_command = strcmp(argv[optind - 1], "--") == 0;
	if (argc == optind || (!run->is_command && argc - optind != 1)) {
		fprintf(stderr,
		        "%s: expected -- and a command, or one file that is "
		        "being recorded\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (!run->is_command && (run->output != NULL || run->force)) {
		fprintf(stderr, "%s: %s works only with a command\n", argv[0],
		        run->output != NULL ? "-o" : "--force");
		return syc_cli_error_misuse(argv[0]);
	}
	return -1;
}

/*
 * A capture that is not kept has no name, so the capture disappears when this
 * process ends for any reason.  The recorder inherits the fd, and opens the
 * file by the fd.  The fd is read-only: only the recorder writes.
 */
static bool make_unnamed(struct run *run, const char *command)
{
	const char *tmp = getenv("TMPDIR");
	char name[4096];
	int made, fd;

	snprintf(name, sizeof(name), "%s/syscap-top.XXXXXX",
	         tmp != NULL && tmp[0] != 0 ? tmp : "/tmp");
	made = mkostemp(name, O_CLOEXEC);
	if (made < 0) {
		fprintf(stderr, "%s: %s: %s\n", command, name, strerror(errno));
		return false;
	}
	fd = open(name, O_RDONLY | O_CLOEXEC);
	unlink(name);
	close(made);
	if (fd < 0) {
		fprintf(stderr, "%s: %s: %s\n", command, name, strerror(errno));
		return false;
	}
	snprintf(run->path, sizeof(run->path), "/proc/self/fd/%d", fd);
	run->output = run->path;
	return true;
}

static bool goes_on(void *context)
{
	return live_command_records(context);
}

/*
 * Return whether a process writes the file: the process holds a lock, or has
 * the file open.
 */
static bool is_written(void *context)
{
	const struct run *run = context;

	return syc_file_lock_is_held(run->file) ||
	       syc_file_lock_opener(run->file) > 0;
}

static int look(struct syc_app_options *app)
{
	struct syscap_error error;

	if (syscap_reader_open(app->file, &app->reader, &error) < 0) {
		syc_cli_error_print(app->command, app->file, &error);
		return SYC_EXIT_PROBLEM;
	}
	app->is_live = app->goes_on == NULL || app->goes_on(app->context);
	return syc_view_run(app);
}

static int look_at_command(struct run *run, char **argv)
{
	void *const shared = mmap(NULL, sizeof(bool), PROT_READ | PROT_WRITE,
	                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct syc_record_options options = {
		.output = run->output,
		.force = run->force,
		.version = SYSCAP_VERSION,
		.ring_kib = RING_KIB,
		.maps = true,
		.symbols = true,
		.quiet = true,
		.sample = run->sample,
		.has_stopped = shared,
		.argv = argv,
	};
	struct syc_app_options *app = &run->options.app;
	struct live_command live = { .command = app->command,
		                     .has_stopped = shared };
	int status = SYC_EXIT_DONE;

	if (shared == MAP_FAILED) {
		syc_cli_error_no_memory(app->command);
		return SYC_RECORD_FAILED;
	}

	app->file = run->output;
	app->goes_on = goes_on;
	app->context = &live;
	if (live_command_start(&live, &options))
		status = look(app);
	live_command_finish(&live);
	return status != SYC_EXIT_DONE ? status : live.status;
}

static int look_at_file(struct run *run, const char *file)
{
	struct syc_app_options *app = &run->options.app;
	int status;

	app->file = file;
	app->context = run;
	run->file = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (run->file >= 0)
		app->goes_on = is_written;
	status = look(app);
	if (run->file >= 0)
		close(run->file);
	return status;
}

static int run_top(int argc, char **argv)
{
	struct run run = { 0 };
	struct syc_app_options *app = &run.options.app;
	int status = parse(&run, argc, argv);

	if (status >= 0)
		return status;
	if (!syc_view_options_settle(&run.options, argv[0], true))
		return SYC_EXIT_MISUSE;
	if (app->page == NULL)
		app->page = "functions";
	if (!run.is_command)
		return look_at_file(&run, argv[optind]);
	if (run.output == NULL) {
		app->title = argv[optind];
		if (!make_unnamed(&run, argv[0]))
			return SYC_EXIT_PROBLEM;
	}
	return look_at_command(&run, argv + optind);
}

const struct syc_command syc_cmd_top = {
	.name = "top",
	.run = run_top,
	.summary = "watch a recording live in the terminal",
	.synopsis = "[OPTION]... [FILTER]... -- COMMAND [ARGUMENT]...\n"
		    "[OPTION]... [FILTER]... FILE",
	.about = "Record COMMAND with samples, or follow the recording that "
		 "writes FILE, and show it as syscap view does, updated once "
		 "a second.",
	.example = "syscap top -- ./app",
	.status =
		"that of COMMAND, as with syscap record; with FILE 0, or 1 "
		"if FILE is unreadable; 2 for wrong use or without a terminal.",
	.options =
		(const struct syc_option[]){
			{ "output", 'o', "FILE", "keep the capture in FILE",
	                  NULL },
			{ "force", FORCE, NULL,
	                  "overwrite FILE even if it is not a capture", NULL },
			{ "sample", SAMPLE, "[=HZ,CLOCK]",
	                  "sample as syscap record does (default 1000,cpu)",
	                  NULL },
			SYC_VIEW_OPTIONS,
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters (see syscap-stat(1)):",
	.operand = SYC_OPERAND_COMMAND,
};
