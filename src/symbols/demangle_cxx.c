/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle_cxx.c - C++ names, demangled by the C++ runtime in a child.
 *
 * The child is made at the first name and again after it was ended by its
 * limits.  A message to it is a name; its answer is a byte that tells whether
 * there is one, and the text.
 */
#define _GNU_SOURCE
#include "symbols/demangle_cxx.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/copy.h"

#define MANGLED_MAX 8192u
#define ANSWER_MAX  8192u
#define MEMORY_MAX  (256ul << 20) /* more than the child has from us */
#define SECONDS_MAX 1             /* of a processor, for one name */
#define DEATHS_MAX  20u           /* then all other names stay mangled */

/* abi::__cxa_demangle() of the Itanium C++ ABI. */
typedef char *(*cxa_demangle)(const char *name, char *buffer, size_t *len,
                              int *status);

static struct {
	bool is_tried;
	cxa_demangle demangle; /* NULL: no library has it */
	pid_t child;           /* 0: none */
	int fd;                /* to it */
	unsigned deaths;
} cxx;

static void load(void)
{
	static const char *const libraries[] = { "libstdc++.so.6",
		                                 "libc++abi.so.1",
		                                 "libc++.so.1" };

	cxx.is_tried = true;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		void *const library =
			dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
		void *const symbol =
			library ? dlsym(library, "__cxa_demangle") : NULL;

		if (symbol != NULL) {
			memcpy(&cxx.demangle, &symbol, sizeof(symbol));
			return;
		}
		if (library != NULL)
			dlclose(library);
	}
}

/* What it has already does not count, whatever a sanitizer took. */
static void limit_memory(void)
{
	unsigned long data = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	struct rlimit limit;

	if (file != NULL) {
		if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &data) != 1)
			data = 0;
		fclose(file);
	}
	limit.rlim_cur = limit.rlim_max =
		data * (unsigned long)sysconf(_SC_PAGESIZE) + MEMORY_MAX;
	setrlimit(RLIMIT_DATA, &limit);
}

/* The child; it ends when we close our end, or do. */
__attribute__((noreturn)) static void serve(int fd)
{
	const struct itimerval limit = { .it_value.tv_sec = SECONDS_MAX };
	char name[MANGLED_MAX], answer[ANSWER_MAX];
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPROF, SIG_DFL);
	limit_memory();
	while ((n = recv(fd, name, sizeof(name) - 1, 0)) > 0) {
		size_t len = 1;
		char *text;
		int status;

		name[n] = 0;
		setitimer(ITIMER_PROF, &limit, NULL);
		text = cxx.demangle(name, NULL, NULL, &status);
		answer[0] = text != NULL;
		if (text != NULL) {
			len = strnlen(text, sizeof(answer) - 1);
			memcpy(answer + 1, text, len);
			len++;
		}
		free(text);
		if (send(fd, answer, len, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

static bool start_server(void)
{
	sigset_t all, old;
	int fds[2];

	if (cxx.deaths >= DEATHS_MAX ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		return false;
	/* No handler of ours may run in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	cxx.child = fork();
	if (cxx.child == 0) {
		sigdelset(&all, SIGPROF);
		pthread_sigmask(SIG_SETMASK, &all, NULL);
		close(fds[0]);
		serve(fds[1]);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(fds[1]);
	cxx.fd = fds[0];
	if (cxx.child > 0)
		return true;
	close(fds[0]);
	cxx.child = 0;
	return false;
}

void syc_demangle_cxx_stop(void)
{
	if (cxx.child == 0)
		return;
	close(cxx.fd);
	kill(cxx.child, SIGKILL);
	while (waitpid(cxx.child, NULL, 0) < 0 && errno == EINTR)
		continue;
	cxx.child = 0;
}

/* Length of the answer, or what is not above 0: the child is gone. */
static ssize_t ask(const char *name, char *answer)
{
	ssize_t n;

	do
		n = send(cxx.fd, name, strlen(name), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return n;
	do
		n = recv(cxx.fd, answer, ANSWER_MAX, 0);
	while (n < 0 && errno == EINTR);
	return n;
}

char *syc_demangle_cxx(const char *name)
{
	char answer[ANSWER_MAX];
	ssize_t n;

	if (strnlen(name, MANGLED_MAX - 1) == MANGLED_MAX - 1)
		return NULL;
	if (!cxx.is_tried)
		load();
	if (cxx.demangle == NULL || (cxx.child == 0 && !start_server()))
		return NULL;
	n = ask(name, answer);
	if (n > 0)
		return answer[0] ? syc_copy_text(answer + 1, (size_t)n - 1)
		                 : NULL;
	syc_demangle_cxx_stop();
	cxx.deaths++;
	return NULL;
}

bool syc_demangle_cxx_is_missing(void)
{
	return cxx.is_tried && cxx.demangle == NULL;
}
