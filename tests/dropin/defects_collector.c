/* SPDX-License-Identifier: BSD-2-Clause */
/* defects_collector.c - selector of the requested check or deed. */
#define _GNU_SOURCE
#include "dropin/defects_collector.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sysprof-capture.h>

#define SKIPPED 77

static const struct defect *const all_defects[] = {
	defects_of_frames, defects_of_texts,     defects_of_losses,
	defects_of_waits,  defects_of_processes, defects_of_copies,
	defects_of_stacks,
};
static const struct deed *const all_deeds[] = {
	deeds_of_frames,    deeds_of_texts,  deeds_of_losses, deeds_of_waits,
	deeds_of_processes, deeds_of_copies, deeds_of_stacks,
};

/* Ring sizes of existing recorders, in pages. */
static const uint32_t ring_pages[] = { 32, 63 };

void defect_shows(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	dprintf(STDERR_FILENO, "%s\n", line);
	_exit(1);
}

void defect_broken(const char *what)
{
	dprintf(STDERR_FILENO, "the test itself failed: %s: %s\n", what,
	        strerror(errno));
	_exit(2);
}

void ended_well(const char *deed, int status)
{
	if (status == RING_PEER_HUNG)
		defect_shows("the program hangs: %s", deed);
	if (WIFSIGNALED(status))
		defect_shows("the program dies of signal %d, %s: %s",
		             WTERMSIG(status), strsignal(WTERMSIG(status)),
		             deed);
	if (WEXITSTATUS(status) == 1) /* the deed has printed the defect */
		_exit(1);
	errno = 0;
	NEED(WEXITSTATUS(status) != 2 && WEXITSTATUS(status) != NOT_RUN);
	if (WEXITSTATUS(status) != 0)
		defect_shows("the program ends with %d: %s",
		             WEXITSTATUS(status), deed);
}

void record(struct ring_peer *peer, uint32_t pages, const char *deed,
            const char *arg)
{
	memset(peer, 0, sizeof(*peer));
	peer->pages = pages;
	ended_well(deed, ring_peer_run(peer, deed, arg));
}

void mark(const char *name, const char *message)
{
	sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 0, "defect", name,
	                       message);
}

char *text_of(size_t n)
{
	char *const text = malloc(n + 1);

	NEED(text != NULL);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)('a' + i % 23);
	text[n] = '\0';
	return text;
}

void sleep_ms(int ms)
{
	struct timespec left = { .tv_sec = ms / 1000,
		                 .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

int64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static int run_deed(const char *name)
{
	for (size_t i = 0; i < sizeof(all_deeds) / sizeof(*all_deeds); i++)
		for (const struct deed *d = all_deeds[i]; d->name != NULL; d++)
			if (strcmp(d->name, name) == 0) {
				d->run();
				return 0;
			}
	errno = 0;
	defect_broken(name);
}

static const struct defect *find(const char *id)
{
	for (size_t i = 0; i < sizeof(all_defects) / sizeof(*all_defects); i++)
		for (const struct defect *d = all_defects[i]; d->id != NULL;
		     d++)
			if (strcmp(d->id, id) == 0)
				return d;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	if (argc == 2 && strcmp(argv[0], "deed") == 0)
		return run_deed(argv[1]);
	const struct defect *const defect = argc > 1 ? find(argv[1]) : NULL;
	if (defect == NULL) {
		fprintf(stderr, "usage: %s DEFECT\n", argv[0]);
		return 2;
	}
	if (defect->check == NULL)
		return SKIPPED;
	unsetenv("SYSPROF_TRACE_FD");
	unsetenv("SYSCAP_OUTPUT");
	for (size_t i = 0; i < sizeof(ring_pages) / sizeof(*ring_pages); i++)
		defect->check(ring_pages[i]);
	return 0;
}
