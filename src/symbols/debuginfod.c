/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debuginfod.c - download of debug files by elfutils' libdebuginfod.
 *
 * The library runs in a child process (limited_child.h).  So a server that
 * hangs cannot stop the caller, Ctrl-C ends only the downloads, and the caller
 * does not load the library's many dependencies.  The child first sends a
 * struct answer with DONE or LACKS.  The parent sends build-ids.  For each
 * build-id, the child sends any number of PROGRESS, and then DONE or FAILED.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/now.h"
#include "symbols/module_finder.h"

#define SECOND     INT64_C(1000000000)
#define MEMORY_MAX (512ul << 20) /* the downloaded bytes go into a file */
/* Limits of one wait: for the library, and for the next byte of a server. */
#define START_MAX (20 * SECOND)
#define STALL_MAX (15 * SECOND)

struct answer {
	enum {
		PROGRESS,
		DONE,
		FAILED,
		LACKS
	} kind;
	uint64_t done, all;
	char path[4096];
};

/* Functions of libdebuginfod, as its header declares these. */
struct library {
	void *(*begin)(void);
	void (*set_progressfn)(void *client,
	                       int (*progress)(void *client, long done,
	                                       long all));
	int (*find_debuginfo)(void *client, const unsigned char *build_id,
	                      int len, char **path);
};

static bool load(struct library *library, void **ret_client)
{
	static const char *const names[] = { "debuginfod_begin",
		                             "debuginfod_set_progressfn",
		                             "debuginfod_find_debuginfo" };
	void *const file = dlopen("libdebuginfod.so.1", RTLD_LAZY);
	void *symbols[3];

	for (size_t i = 0; i < 3; i++) {
		symbols[i] = file ? dlsym(file, names[i]) : NULL;
		if (symbols[i] == NULL)
			return false;
	}
	memcpy(&library->begin, &symbols[0], sizeof(void *));
	memcpy(&library->set_progressfn, &symbols[1], sizeof(void *));
	memcpy(&library->find_debuginfo, &symbols[2], sizeof(void *));
	*ret_client = library->begin();
	return *ret_client != NULL;
}

static int child_fd; /* in the child */

static bool send_answer(const struct answer *answer)
{
	return send(child_fd, answer, sizeof(*answer), MSG_NOSIGNAL) > 0;
}

/* Pass the progress on, at most every quarter of a second. */
static int pass_progress(void *client, long done, long all)
{
	static int64_t next;
	const int64_t now = syc_now();
	struct answer answer = { .kind = PROGRESS,
		                 .done = done > 0 ? (uint64_t)done : 0,
		                 .all = all > 0 ? (uint64_t)all : 0 };

	(void)client;
	if (now < next)
		return 0;
	next = now + SECOND / 4;
	return !send_answer(&answer);
}

static void serve(void *data, int fd)
{
	struct library library = { 0 };
	struct answer answer = { .kind = LACKS };
	char build_id[SYC_BUILD_ID_SIZE];
	void *client = NULL;
	sigset_t set;
	ssize_t n;

	(void)data;
	/*
	 * Ctrl-C ends this process, but not the caller, which may block SIGINT.
	 */
	signal(SIGINT, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	child_fd = fd;
	if (load(&library, &client)) {
		library.set_progressfn(client, pass_progress);
		answer.kind = DONE;
	}
	if (!send_answer(&answer) || answer.kind != DONE)
		return;
	while ((n = recv(fd, build_id, sizeof(build_id) - 1, 0)) > 0) {
		char *path = NULL;
		int r;

		build_id[n] = 0;
		memset(&answer, 0, sizeof(answer));
		r = library.find_debuginfo(
			client, (const unsigned char *)build_id, 0, &path);
		answer.kind = r >= 0 && path != NULL ? DONE : FAILED;
		if (answer.kind == DONE)
			snprintf(answer.path, sizeof(answer.path), "%s", path);
		if (r >= 0)
			close(r);
		free(path);
		if (!send_answer(&answer))
			return;
	}
}

/* Wait for an answer until @deadline.  Returns 1, 0 at the deadline, or -EPIPE
 * if the child has ended. */
static int wait_answer(const struct syc_debuginfod *server, int64_t deadline,
                       struct answer *answer)
{
	struct pollfd fds = { .fd = server->child.fd, .events = POLLIN };
	int64_t left;
	ssize_t n;

	while ((left = deadline - syc_now()) > 0) {
		const int ms =
			left > 10 * SECOND ? 10000 : (int)(left / 1000000) + 1;
		const int r = poll(&fds, 1, ms);

		if (r < 0 && errno != EINTR)
			return -EPIPE;
		if (r <= 0)
			continue;
		n = recv(fds.fd, answer, sizeof(*answer), 0);
		if (n < 0 && errno == EINTR)
			continue;
		answer->path[sizeof(answer->path) - 1] = 0;
		return n == (ssize_t)sizeof(*answer) ? 1 : -EPIPE;
	}
	return 0;
}

static const char *start(struct syc_debuginfod *server)
{
	static const struct syc_limited_child_work work = {
		.memory = MEMORY_MAX,
		.serve = serve,
	};
	struct answer answer;

	if (!syc_limited_child_start(&server->child, &work))
		return "no process for libdebuginfod";
	switch (wait_answer(server, syc_now() + START_MAX, &answer)) {
	case 1:
		if (answer.kind == DONE)
			return NULL;
		return "libdebuginfod.so.1 is missing (Debian: libdebuginfod1)";
	default:
		return "libdebuginfod.so.1 does not start";
	}
}

const char *syc_debuginfod_check(void)
{
	const char *const urls = getenv("DEBUGINFOD_URLS");
	struct syc_debuginfod server = { 0 };
	const char *why;

	if (urls == NULL || urls[strspn(urls, " ")] == 0)
		return "DEBUGINFOD_URLS names no server; set it, for example "
		       "to https://debuginfod.debian.net";
	why = start(&server);
	syc_limited_child_stop(&server.child);
	return why;
}

/* End all downloads.  Returns NULL. */
static char *give_up(struct syc_debuginfod *server, const char *why)
{
	server->why = why;
	syc_limited_child_stop(&server->child);
	return NULL;
}

static void report_progress(const struct syc_debuginfod *server, uint64_t done,
                            uint64_t all)
{
	if (server->options.progress != NULL)
		server->options.progress(server->options.data, done, all);
}

/* Wait for the path of the file whose build-id was sent. */
static char *wait_path(struct syc_debuginfod *server)
{
	int64_t stall = syc_now() + STALL_MAX;
	struct answer answer;
	uint64_t done = 0;

	for (;;) {
		const bool is_late = server->deadline < stall;

		switch (wait_answer(server, is_late ? server->deadline : stall,
		                    &answer)) {
		case 1:
			break;
		case 0:
			return give_up(server,
			               is_late ? "the time limit was reached"
			                       : "the server does not answer");
		default:
			return give_up(server, "they were interrupted");
		}
		if (answer.kind == DONE)
			return strdup(answer.path);
		if (answer.kind != PROGRESS)
			return NULL;
		if (answer.done != done)
			stall = syc_now() + STALL_MAX;
		done = answer.done;
		report_progress(server, done, answer.all);
	}
}

char *syc_debuginfod_find(struct syc_debuginfod *server, const char *build_id)
{
	char *path;
	size_t index;

	if (server == NULL || server->options.time_limit == 0 ||
	    server->why != NULL ||
	    syc_map_get(&server->missing, build_id, strlen(build_id), &index))
		return NULL;
	if (server->deadline == 0)
		server->deadline = syc_now() + server->options.time_limit;
	if (server->child.pid == 0) {
		const char *const why = start(server);

		if (why != NULL)
			return give_up(server, why);
	}
	if (send(server->child.fd, build_id, strlen(build_id), MSG_NOSIGNAL) <
	    0)
		return give_up(server, "they were interrupted");
	report_progress(server, 0, 0);
	path = wait_path(server);
	if (path == NULL)
		syc_map_put(&server->missing, build_id, strlen(build_id),
		            &index);
	else
		server->n++;
	return path;
}

void syc_debuginfod_fini(struct syc_debuginfod *server)
{
	syc_limited_child_stop(&server->child);
	syc_map_fini(&server->missing);
}
