/* SPDX-License-Identifier: BSD-2-Clause */
/* live_command.c - a command that is recorded while somebody looks on. */
#define _GNU_SOURCE
#include "cli/live_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap/format.h>

#include "record/recorder.h"

#define LOOK_NS     10000000L
#define FIRST_LOOKS 6000 /* a minute */
#define TELL_LOOKS  200  /* who waits for 2 s is told what for */
#define SHOWN_MOST  65536

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
}

/* In memory: a disk that is full is what it may have to tell. */
static int make_output(void)
{
	return memfd_create("syscap-top", MFD_CLOEXEC);
}

/* What nobody will be shown goes. */
static void forget_output(const struct syc_live_command *live)
{
	struct stat st;

	if (live->output >= 0 && fstat(live->output, &st) == 0 &&
	    st.st_blocks > 4 * SHOWN_MOST / 512)
		fallocate(live->output,
		          FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		          st.st_size - SHOWN_MOST);
}

/* Where what is shown in the end begins. */
static off_t find_shown(const struct syc_live_command *live, off_t *ret_size)
{
	struct stat st = { 0 };

	fstat(live->output, &st);
	*ret_size = st.st_size;
	return st.st_size > SHOWN_MOST ? st.st_size - SHOWN_MOST : 0;
}

/* In the child. */
static int record(const struct syc_live_command *live,
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

/* Whether the recorder still runs. */
static bool recorder_goes_on(struct syc_live_command *live)
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

bool syc_live_command_start(struct syc_live_command *live,
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
		/* What was there is emptied, or made anew. */
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

bool syc_live_command_records(struct syc_live_command *live)
{
	static const char stops[] = "; recording stops, the command goes on";
	char *bytes;
	off_t at, size;
	ssize_t n = 0;

	if (!recorder_goes_on(live))
		return false;
	bytes = live->output < 0 || live->has_stopped ? NULL
	                                              : malloc(SHOWN_MOST);
	if (bytes != NULL) {
		at = find_shown(live, &size);
		n = pread(live->output, bytes, SHOWN_MOST, at);
		live->has_stopped = n > 0 && memmem(bytes, (size_t)n, stops,
		                                    sizeof(stops) - 1) != NULL;
	}
	free(bytes);
	return !live->has_stopped;
}

/* The end of it, if it is long. */
static void show_output(const struct syc_live_command *live)
{
	char bytes[4096];
	off_t size, at = find_shown(live, &size);
	ssize_t n;

	if (at > 0)
		fprintf(stderr,
		        "%s: the last %d of %lld bytes that were written:\n",
		        live->command, SHOWN_MOST, (long long)size);
	while ((n = pread(live->output, bytes, sizeof(bytes), at)) > 0) {
		fwrite(bytes, 1, (size_t)n, stdout);
		at += n;
	}
	fflush(stdout);
}

void syc_live_command_finish(struct syc_live_command *live)
{
	struct sigaction before;

	/* The terminal's goes to the recorder too, which leaves the command. */
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = SIG_IGN },
	          &before);
	if (recorder_goes_on(live))
		kill(live->recorder, SIGTERM);
	for (int i = 0; recorder_goes_on(live); i++) {
		if (i == TELL_LOOKS)
			fprintf(stderr,
			        "%s: waiting for the command to end; Ctrl-C "
			        "leaves it\n",
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
