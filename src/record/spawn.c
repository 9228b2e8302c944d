/* SPDX-License-Identifier: BSD-2-Clause */
/* spawn.c - run the command that is recorded. */
#define _GNU_SOURCE
#include "record/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A pidfd for each process, and a few for rings on their way. */
#define FILES_WANTED 65536u

int syc_spawn_prepare(struct syc_spawn_saved *saved, int *ret_signal_fd)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct sigaction standard = { .sa_handler = SIG_DFL };
	struct rlimit files;
	sigset_t mask;

	sigemptyset(&mask);
	for (unsigned i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		sigaddset(&mask, ours[i]);
	if (sigprocmask(SIG_BLOCK, &mask, &saved->mask) != 0)
		return -errno;
	sigaction(SIGPIPE, &ignore, &saved->pipe);
	sigaction(SIGXFSZ, &ignore, &saved->xfsz);
	/* Ignored, it would reap the command before us. */
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

/* In the child.  Returns -errno. */
static int run_program(char *const argv[], const struct syc_spawn_given *given,
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

int syc_spawn(char *const argv[], const struct syc_spawn_given *given,
              unsigned n, const struct syc_spawn_saved *saved,
              struct syc_spawned *ret_command, bool *ret_executing)
{
	int fds[2], error = 0;
	ssize_t got;
	pid_t pid;

	*ret_executing = false;
	/* A successful exec closes it without a word. */
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
		error = run_program(argv, given, n, saved);
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

void syc_command_reap(struct syc_spawned *command)
{
	int status;

	if (!command->running ||
	    waitpid(command->pid, &status, WNOHANG) != command->pid)
		return;
	command->running = false;
	command->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
	                                      : WEXITSTATUS(status);
}

/*
 * The terminal's signals go to its whole foreground group: the command has
 * them already, unless it made a group of its own.
 */
void syc_command_forward(const struct syc_spawned *command,
                         const struct signalfd_siginfo *info)
{
	const bool has_it = info->ssi_code == SI_KERNEL &&
	                    getpgid(command->pid) == getpgrp();

	/* Not reaped yet, so that the number is still the command's. */
	if (command->running && !has_it)
		kill(command->pid, (int)info->ssi_signo);
}
