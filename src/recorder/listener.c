/* SPDX-License-Identifier: BSD-2-Clause */
/* listener.c - socket by which processes find a recorder by name. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/ring_requests.h"

#define FOLDER "syscap-record-"
#define SOCKET "socket"
/*
 * Limit of waiting connections.  Callers beyond the limit must try again.  The
 * system may allow fewer.
 */
#define BACKLOG 4096

/*
 * Return whether all processes have closed the socket.  The function connects a
 * socket of another type.  The error shows whether the listener is dead, and a
 * live listener does not notice the attempt.
 */
static bool is_dead(const struct sockaddr_un *name)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const bool refused = fd >= 0 &&
	                     connect(fd, (const struct sockaddr *)name,
	                             sizeof(*name)) != 0 &&
	                     errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	return refused;
}

static void remove_name(struct sockaddr_un *name)
{
	unlink(name->sun_path);
	*strrchr(name->sun_path, '/') = '\0';
	rmdir(name->sun_path);
}

static void sweep_one(const char *parent, const char *folder)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct stat st;
	const int n = snprintf(name.sun_path, sizeof(name.sun_path),
	                       "%s/%s/" SOCKET, parent, folder);

	if ((size_t)n < sizeof(name.sun_path) &&
	    lstat(name.sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    st.st_uid == geteuid() && is_dead(&name))
		remove_name(&name);
}

static void sweep_leftovers(const char *parent)
{
	DIR *const dir = opendir(parent);
	const struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (strncmp(entry->d_name, FOLDER, strlen(FOLDER)) == 0)
			sweep_one(parent, entry->d_name);
	closedir(dir);
}

static int listen_at(struct syc_listener *listener)
{
	const int on = 1;

	listener->fd = socket(AF_UNIX,
	                      SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/*
	 * Connections inherit SO_PASSCRED, which reports the sender of each
	 * message
	 */
	if (listener->fd < 0 ||
	    setsockopt(listener->fd, SOL_SOCKET, SO_PASSCRED, &on,
	               sizeof(on)) != 0 ||
	    bind(listener->fd, (const struct sockaddr *)&listener->name,
	         sizeof(listener->name)) != 0 ||
	    listen(listener->fd, BACKLOG) != 0)
		return -errno;
	return 0;
}

static int make_folder(struct syc_listener *listener, const char *parent)
{
	char *const path = listener->name.sun_path;
	const size_t size = sizeof(listener->name.sun_path);
	const int n = snprintf(path, size, "%s/" FOLDER "XXXXXX", parent);

	if ((size_t)n + sizeof("/" SOCKET) > size) {
		*path = '\0';
		return -ENAMETOOLONG;
	}
	if (mkdtemp(path) == NULL) {
		*path = '\0';
		return -errno;
	}
	memcpy(path + n, "/" SOCKET, sizeof("/" SOCKET));
	return 0;
}

static int open_in(struct syc_listener *listener, const char *parent)
{
	int r;

	*listener = (struct syc_listener){ .fd = -1,
		                           .name = { .sun_family = AF_UNIX } };
	r = make_folder(listener, parent);
	if (r == 0)
		r = listen_at(listener);
	if (r != 0)
		syc_listener_close(listener);
	return r;
}

int syc_listener_open(struct syc_listener *ret_listener)
{
	const char *const parents[] = { getenv("XDG_RUNTIME_DIR"),
		                        getenv("TMPDIR"), "/tmp" };
	int r = -ENOENT;

	for (unsigned i = 0; i < 3 && r != 0; i++) {
		if (parents[i] == NULL || *parents[i] != '/')
			continue;
		sweep_leftovers(parents[i]);
		r = open_in(ret_listener, parents[i]);
	}
	return r;
}

void syc_listener_close(struct syc_listener *listener)
{
	if (listener->name.sun_path[0] != '\0')
		remove_name(&listener->name);
	if (listener->fd >= 0)
		close(listener->fd);
	*listener = (struct syc_listener){ .fd = -1 };
}
