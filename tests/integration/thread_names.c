/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_names.c CAPTURE - threads whose names thread_names.sh looks for.
 *
 * One thread ends before a reader can see its name. Another thread gets its
 * last name late, and runs until that name is in the capture.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

static const char *capture;

static void *run_short(void *data)
{
	pthread_setname_np(pthread_self(), data);
	syscap_log(SYSCAP_INFO, "names", "short");
	return NULL;
}

static bool has_text(const char *text)
{
	static char piece[1 << 20];
	const int fd = open(capture, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : read(fd, piece, sizeof(piece));

	close(fd);
	return n > 0 && memmem(piece, (size_t)n, text, strlen(text)) != NULL;
}

static void *run_renamed(void *data)
{
	(void)data;
	pthread_setname_np(pthread_self(), "first-name");
	syscap_log(SYSCAP_INFO, "names", "renamed");
	pthread_setname_np(pthread_self(), "last name");
	/* The caller has a time limit */
	while (capture != NULL && !has_text("last name"))
		usleep(10000);
	return NULL;
}

int main(int argc, char **argv)
{
	static char *names[] = { "worker 1", "worker 2", "\xc3\xa4\xff\x1b;",
		                 "fifteen-bytes-\xc3\xa4" };
	pthread_t threads[5];

	if (argc > 1 && argv[1][0] != 0)
		capture = argv[1];
	syscap_log(SYSCAP_INFO, "names", "main");
	for (unsigned i = 0; i < 4; i++) {
		names[i] = strndup(names[i], 15);
		pthread_create(&threads[i], NULL, run_short, names[i]);
	}
	pthread_create(&threads[4], NULL, run_renamed, NULL);
	for (unsigned i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
