/* SPDX-License-Identifier: BSD-2-Clause */
/* spawn.h - run the command that is recorded. */
#ifndef SYC_RECORD_SPAWN_H
#define SYC_RECORD_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/types.h>

/** What the recorder changed for itself and the command gets back. */
struct syc_spawn_saved {
	sigset_t mask;
	struct sigaction pipe, xfsz, child;
	struct rlimit files;
	int error_fd; /* its standard error; 0: ours */
};

/**
 * Make the recorder's signals fit: SIGINT, SIGTERM, SIGHUP, SIGQUIT and
 * SIGCHLD come out of *@ret_signal_fd, SIGPIPE and SIGXFSZ do nothing, and
 * as many files may be open as the system allows.
 */
int syc_spawn_prepare(struct syc_spawn_saved *saved, int *ret_signal_fd);

struct syc_spawned {
	pid_t pid;
	bool running; /* it may be a zombie, but was not waited for */
	int status;   /* as exit status */
};

/** A variable for the command: a text, or a descriptor that it gets. */
struct syc_spawn_given {
	const char *variable;
	int fd;           /* -1: none */
	const char *text; /* NULL: the number of fd */
};

/**
 * Run @argv with what is @given, @n of them; with neither a text nor a
 * descriptor the variable stays as it is.  Returns once the command runs: 0, or -errno, where
 * *ret_executing tells whether it was the command that could not be run.
 */
int syc_spawn(char *const argv[], const struct syc_spawn_given *given,
              unsigned n, const struct syc_spawn_saved *saved,
              struct syc_spawned *ret_command, bool *ret_executing);

/** Take the command's status, if it has ended. */
void syc_command_reap(struct syc_spawned *command);

/** Pass a signal on that we got, unless the command got it like us. */
void syc_command_forward(const struct syc_spawned *command,
                         const struct signalfd_siginfo *info);

#endif
