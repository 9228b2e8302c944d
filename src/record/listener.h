/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listener.h - the socket by which a recorder is found by name.
 *
 * It is in a folder of its own, mode 0700, where other users can't reach it.
 * The folder is removed when its recorder ends; what a killed one leaves is
 * removed by the next.
 */
#ifndef SYC_RECORD_LISTENER_H
#define SYC_RECORD_LISTENER_H

#include <sys/un.h>

struct syc_listener {
	int fd; /* -1: there is none */
	struct sockaddr_un name;
};

/**
 * Make the folder, in $XDG_RUNTIME_DIR, else in $TMPDIR or /tmp, and listen.
 * 0 or -errno, with nothing left behind.
 */
int syc_listener_open(struct syc_listener *ret_listener);

/** Nobody connects any more: the name and its folder are removed. */
void syc_listener_close(struct syc_listener *listener);

#endif
