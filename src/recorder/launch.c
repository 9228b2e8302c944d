/* SPDX-License-Identifier: BSD-2-Clause */
/* launch.c - start of the command, and the first frames of the capture. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/counters.h"
#include "common/now.h"
#include "recorder/recorder.h"
#include "recorder/recording.h"

static const char clocksource[] =
	"/sys/devices/system/clocksource/clocksource0/current_clocksource";

/* Return the command line in one text, to be freed, or NULL if no memory is
 * left. */
static char *join_command(char *const argv[])
{
	size_t size = 1;
	char *text, *to;

	for (unsigned i = 0; argv[i] != NULL; i++)
		size += strlen(argv[i]) + 1;
	text = malloc(size);
	if (text == NULL)
		return NULL;
	to = text;
	for (unsigned i = 0; argv[i] != NULL; i++) {
		if (i > 0)
			*to++ = ' ';
		to = stpcpy(to, argv[i]);
	}
	*to = 0;
	return text;
}

/* Write the value of --counters, for example "cpu,memory,hz=10", as METADATA
 * "syscap.counters". */
static void write_counters(struct syc_writer *writer,
                           union syc_frame_buffer *frame, int64_t time,
                           const struct syc_record_options *options)
{
	char text[SYC_ASKED_TEXT];

	syc_asked_write(&options->counters, text);
	syc_compose_metadata(frame, time, "syscap.counters", text);
	syc_writer_add(writer, frame);
}

/* Write METADATA frames with ids "syscap.…". */
static void write_metadata(struct syc_writer *writer,
                           union syc_frame_buffer *frame, int64_t time,
                           const struct syc_record_options *options)
{
	const struct {
		const char *id, *value;
	} kinds[] = {
		{ "syscap.sample", options->sample },
		{ "syscap.memory", options->memory },
		{ "syscap.io", options->io },
		{ "syscap.stalls", options->stalls },
	};
	char *command =
		options->is_waiting ? NULL : join_command(options->argv);
	char text[256];
	struct utsname name;
	FILE *file;

	syc_compose_metadata(frame, time, "syscap.version", options->version);
	syc_writer_add(writer, frame);
	if (command != NULL) {
		syc_compose_metadata(frame, time, "syscap.command", command);
		syc_writer_add(writer, frame);
		free(command);
	}
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].value == NULL)
			continue;
		syc_compose_metadata(frame, time, kinds[i].id, kinds[i].value);
		syc_writer_add(writer, frame);
	}
	if (options->counters.groups != 0)
		write_counters(writer, frame, time, options);
	snprintf(text, sizeof(text), "%u", options->ring_kib);
	syc_compose_metadata(frame, time, "syscap.ring-kib", text);
	syc_writer_add(writer, frame);
	if (uname(&name) == 0) {
		snprintf(text, sizeof(text), "%s %s %s", name.sysname,
		         name.release, name.machine);
		syc_compose_metadata(frame, time, "syscap.kernel", text);
		syc_writer_add(writer, frame);
	}
	file = fopen(clocksource, "re");
	if (file == NULL) /* a container may hide /sys */
		return;
	if (fgets(text, sizeof(text), file) != NULL) {
		text[strcspn(text, "\n")] = 0;
		syc_compose_metadata(frame, time, "syscap.clocksource", text);
		syc_writer_add(writer, frame);
	}
	fclose(file);
}

/* Wanted limit of fds: a pidfd for each process, and a few fds for rings that
 * are being sent. */
#define FILES_WANTED 65536u

int syc_spawn_prepare(struct syc_spawn_saved *saved, int *ret_signal_fd)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
		                       SIGCHLD };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct sigaction standard = { .sa_handler = SIG_DFL };
	struct rlimit files;
	sigset_t mask;

	sigemptyset(&mask);
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&mask, signals[i]);
	if (sigprocmask(SIG_BLOCK, &mask, &saved->mask) != 0)
		return -errno;
	sigaction(SIGPIPE, &ignore, &saved->pipe);
	sigaction(SIGXFSZ, &ignore, &saved->xfsz);
	/* Restore SIGCHLD's default action.  If SIGCHLD were ignored, the
	 * kernel would reap the command. */
	sigaction(SIGCHLD, &standard, &saved->child);
	if (getrlimit(RLIMIT_NOFILE, &saved->files) != 0)
		return -errno;
	files = saved->files;
	if (files.rlim_cur < FILES_WANTED) {
		files.rlim_cur = files.rlim_max < FILES_WANTED ? files.rlim_max
		                                               : FILES_WANTED;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	*ret_signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return *ret_signal_fd < 0 ? -errno : 0;
}

/* An environment variable for the command, with a text or an fd as value. */
struct given {
	const char *variable;
	int fd;           /* -1: none */
	const char *text; /* NULL: the value is the number of fd */
};

/* Run the command's program, in the child.  Returns -errno. */
static int run_program(char *const argv[], const struct given *given,
                       unsigned n, const struct syc_spawn_saved *saved)
{
	char number[16];

	for (unsigned i = 0; i < n; i++) {
		if (given[i].text != NULL &&
		    setenv(given[i].variable, given[i].text, 1) != 0)
			return -errno;
		if (given[i].fd < 0)
			continue;
		snprintf(number, sizeof(number), "%d", given[i].fd);
		if (setenv(given[i].variable, number, 1) != 0 ||
		    fcntl(given[i].fd, F_SETFD, 0) != 0)
			return -errno;
	}
	sigaction(SIGPIPE, &saved->pipe, NULL);
	sigaction(SIGXFSZ, &saved->xfsz, NULL);
	sigaction(SIGCHLD, &saved->child, NULL);
	setrlimit(RLIMIT_NOFILE, &saved->files);
	if (saved->error_fd > 0 && dup2(saved->error_fd, STDERR_FILENO) < 0)
		return -errno;
	sigprocmask(SIG_SETMASK, &saved->mask, NULL);
	execvp(argv[0], argv);
	return -errno;
}

/*
 * Run @argv with the @n variables @given.  A variable with neither a text nor
 * an fd stays unchanged.  Returns 0 once the command runs, or -errno.  After
 * -errno, *ret_executing is whether the exec of the command failed.
 */
static int spawn_command(const struct syc_record_options *options,
                         const struct given *given, unsigned n,
                         const struct syc_spawn_saved *saved,
                         struct syc_spawned *ret_command, bool *ret_executing)
{
	int fds[2], error = 0;
	ssize_t got;
	pid_t pid;

	*ret_executing = false;
	/* The pipe reports an error of the child.  A successful exec closes the
	 * pipe. */
	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		error = -errno;
		close(fds[0]);
		close(fds[1]);
		return error;
	}
	if (pid == 0) {
		error = run_program(options->argv, given, n, saved);
		got = write(fds[1], &error, sizeof(error));
		_exit(got == (ssize_t)sizeof(error) ? 127 : 126);
	}
	close(fds[1]);
	do
		got = read(fds[0], &error, sizeof(error));
	while (got < 0 && errno == EINTR);
	close(fds[0]);
	if (got == 0) {
		*ret_command =
			(struct syc_spawned){ .pid = pid, .running = true };
		return 0;
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	*ret_executing = true;
	return got == (ssize_t)sizeof(error) ? error : -EIO;
}

/* Return whether the rings of many processes can be mapped at the same time. */
static bool has_address_space(void)
{
	struct rlimit addresses;

	return getrlimit(RLIMIT_AS, &addresses) != 0 ||
	       addresses.rlim_cur == RLIM_INFINITY;
}

static int report_cannot_run(const struct syc_record_options *options, int r)
{
	fprintf(stderr, "syscap record: cannot run '%s': %s\n",
	        options->argv[0], strerror(-r));
	return r == -ENOENT ? SYC_RECORD_NOT_FOUND : SYC_RECORD_CANNOT_RUN;
}

static uint32_t give_counter_id(void *context)
{
	const struct syc_recording *const recording = context;

	return syc_renumber_new_id(recording->renumber);
}

static bool add_counter_frame(void *context, const void *frame, uint32_t len)
{
	const struct syc_recording *const recording = context;

	(void)len;
	syc_writer_add(recording->writer, frame);
	return true;
}

static void begin_counters(struct syc_recording *recording)
{
	struct syc_counters_options sources = {
		.root = "",
		.keeps_files = true,
		.pid = (int32_t)(recording->options->is_waiting
		                         ? getpid()
		                         : recording->command.pid),
		.emit = add_counter_frame,
		.new_id = give_counter_id,
		.context = recording,
	};

	snprintf(sources.process, sizeof(sources.process), "%d", sources.pid);
	if (!syc_system_counters_begin(&recording->counters, recording->options,
	                               &sources, syc_now()))
		syc_console_print(&recording->console,
		                  "--counters: cannot read counters: %s",
		                  strerror(ENOMEM));
}

/*
 * Return ASAN_OPTIONS for programs with their own __asan_default_options().
 * AddressSanitizer's shared runtime ends a program that has loaded a library
 * before the runtime.  The preloaded libraries disable the check
 * (preload/preload.c), but a program's own __asan_default_options() comes
 * first.
 */
static char *name_asan_options(void)
{
	const char *const there = getenv("ASAN_OPTIONS");
	const bool is_set = there != NULL && there[0] != 0;
	char *text;

	return asprintf(&text, "%s%sverify_asan_link_order=0",
	                is_set ? there : "", is_set ? ":" : "") < 0
	               ? NULL
	               : text;
}

/* Run the command, and write the beginning of the capture. */
int syc_launch_command(struct syc_recording *recording)
{
	const struct syc_record_options *options = recording->options;
	struct syscap_error error;
	char *command;
	bool executing;
	int r;

	char socket[48], arena[16];
	struct stat st;

	if (fstat(recording->child_end, &st) != 0)
		return SYC_RECORD_FAILED;
	snprintf(socket, sizeof(socket), "%d:%ju", recording->child_end,
	         (uintmax_t)st.st_ino);
	snprintf(arena, sizeof(arena), "%u",
	         has_address_space() ? recording->rings.body : 0);
	char *const asan =
		recording->preload != NULL ? name_asan_options() : NULL;
	const struct given given[] = {
		{ recording->trace.variable, recording->trace.fd, NULL },
		{ recording->gjs.variable, recording->gjs.fd, NULL },
		{ "SYSPROF_CONTROL_FD", recording->child_end, NULL },
		{ "SYSCAP_CONTROL_INODE", -1, socket },
		{ "SYSCAP_ARENA", -1, arena },
		{ "SYSCAP_RECORDER", -1, recording->listener.name.sun_path },
		{ "SYSCAP_SAMPLE", -1, options->sample },
		{ "SYSCAP_MEMORY", -1, options->memory },
		{ "SYSCAP_IO", -1, options->io },
		{ "SYSCAP_STALLS", -1, options->stalls },
		{ "SYSCAP_LOGS", -1, options->logs },
		{ "SYSCAP_CRASHES", -1, options->crashes },
		{ "LD_PRELOAD", -1, recording->preload },
		{ "ASAN_OPTIONS", -1, asan },
	};
	/* gjs needs both variables */
	if (options->gjs && setenv("GJS_ENABLE_PROFILER", "1", 1) != 0)
		return SYC_RECORD_FAILED;
	recording->saved.error_fd = recording->stderr_log.tee.given;
	recording->command.running = true;
	r = options->is_waiting
	            ? 0
	            : spawn_command(options, given,
	                            sizeof(given) / sizeof(given[0]),
	                            &recording->saved, &recording->command,
	                            &executing);
	free(asan);
	close(recording->child_end);
	recording->child_end = -1;
	/*
	 * The tee ends after all processes have closed this fd
	 */
	if (recording->stderr_log.is_on)
		close(recording->stderr_log.tee.given);
	recording->stderr_log.tee.given = -1;
	if (r != 0 && executing)
		return report_cannot_run(options, r);
	if (r != 0) {
		fprintf(stderr,
		        "syscap record: cannot start a process for the "
		        "command: %s\n",
		        strerror(-r));
		return SYC_RECORD_FAILED;
	}
	/* Ignore a failure, because the writer keeps the failure, which is
	 * printed like later failures. */
	syc_writer_begin(recording->writer, recording->began, &error);
	if (stat(options->output, &recording->output) != 0)
		memset(&recording->output, 0, sizeof(recording->output));
	recording->intake.command = (int32_t)recording->command.pid;
	recording->stderr_log.pid = (int32_t)recording->command.pid;
	recording->stderr_log.writer = recording->writer;
	write_metadata(recording->writer, &recording->intake.frame,
	               recording->began, options);
	if (!options->is_waiting) {
		command = join_command(options->argv);
		syc_processes_command(
			recording->processes, (int32_t)recording->command.pid,
			command != NULL ? command : options->argv[0]);
		free(command);
	}
	begin_counters(recording);
	return 0;
}
