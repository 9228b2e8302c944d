/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leaking_server.c - a server under load: leaking_server SOCKET CLIENTS
 *
 * A client sends "hello", gets an answer, and sends "bye" or hangs up.  The
 * server keeps the session of a client that hangs up forever.  A random third
 * of the clients leak.  The last line has the number and size of kept sessions:
 * "667 sessions, 2048 bytes".
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE 16

struct session {
	int client;
	char history[2048 - sizeof(int)];
};

static struct sockaddr_un name = { .sun_family = AF_UNIX };
static struct session *sessions[AT_ONCE];
static unsigned n_kept;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

__attribute__((noinline)) struct session *open_session(int client)
{
	struct session *const session = malloc(sizeof(*session));

	if (session == NULL)
		fail("malloc");
	session->client = client;
	return session;
}

static void end_session(struct session **session, int says_bye)
{
	close((*session)->client);
	if (says_bye)
		free(*session);
	else
		n_kept++;
	*session = NULL;
}

__attribute__((noinline)) void answer(struct session **session)
{
	char *const reply = malloc(64);
	const ssize_t n = recv((*session)->client, (*session)->history,
	                       sizeof((*session)->history) - 1, 0);

	if (n > 0 && (*session)->history[0] == 'h') {
		snprintf(reply, 64, "hello, %d", (*session)->client);
		send((*session)->client, reply, strlen(reply), MSG_NOSIGNAL);
	} else {
		end_session(session, n > 0);
	}
	free(reply);
}

static void serve(int listener, unsigned n_clients)
{
	struct pollfd fds[AT_ONCE + 1];
	unsigned n_done = 0, n_open = 0;

	while (n_done < n_clients) {
		for (int i = 0; i < AT_ONCE; i++)
			fds[i] = (struct pollfd){ sessions[i] != NULL
				                          ? sessions[i]->client
				                          : -1,
				                  POLLIN, 0 };
		fds[AT_ONCE] =
			(struct pollfd){ n_open < AT_ONCE ? listener : -1,
			                 POLLIN, 0 };
		if (poll(fds, AT_ONCE + 1, 60000) <= 0)
			fail("poll");
		for (int i = 0; i < AT_ONCE; i++)
			if (fds[i].revents != 0) {
				answer(&sessions[i]);
				n_done += sessions[i] == NULL;
				n_open -= sessions[i] == NULL;
			}
		for (int i = 0; fds[AT_ONCE].revents != 0 && i < AT_ONCE; i++)
			if (sessions[i] == NULL) {
				sessions[i] = open_session(
					accept(listener, NULL, NULL));
				n_open++;
				break;
			}
	}
}

static void be_client(unsigned number)
{
	char reply[64];
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (connect(fd, (struct sockaddr *)&name, sizeof(name)) != 0 ||
	    send(fd, "hello", 5, 0) != 5 || recv(fd, reply, 64, 0) <= 0)
		_exit(1);
	if (number * 2654435761u % 3 != 0)
		send(fd, "bye", 3, 0);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 3 || strlen(argv[1]) >= sizeof(name.sun_path))
		return 2;
	strcpy(name.sun_path, argv[1]);
	const unsigned n_clients = (unsigned)atoi(argv[2]);
	const int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	if (bind(listener, (struct sockaddr *)&name, sizeof(name)) != 0 ||
	    listen(listener, 64) != 0)
		fail(argv[1]);
	/* The load: four simultaneous processes */
	for (unsigned i = 0; i < 4; i++)
		if (fork() == 0) {
			for (unsigned n = i; n < n_clients; n += 4)
				be_client(n);
			_exit(0);
		}
	serve(listener, n_clients);
	for (int status = 0; wait(&status) > 0;)
		if (status != 0)
			return 1;
	printf("%u sessions, %zu bytes\n", n_kept, sizeof(struct session));
	return 0;
}
