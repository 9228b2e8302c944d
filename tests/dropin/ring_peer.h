/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_peer.h - a test recorder of one program, for any client library.
 *
 * The program is this test program, run again to do one deed.  The deed finds
 * the control socket of this peer, which acts as a recorder.  The peer answers
 * requests with rings, and keeps the rings' content unchanged.  The peer uses
 * only the protocol: the test chooses the ring's size, and the header does not
 * name the reader.
 *
 * A deed may talk to the peer (deed_ask()), to synchronise both.
 */
#ifndef SYSCAP_RING_PEER_H
#define SYSCAP_RING_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RING_PEER_RINGS 512

/** Time after which a deed counts as hanging.  A sanitizer on a busy machine
 * makes deeds slow. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define RING_PEER_MS 40000
#else
#define RING_PEER_MS 5000
#endif

struct ring {
	unsigned char *map; /* header page, body, body again */
	uint32_t size;      /* size of the body */
	unsigned char *bytes;
	size_t n_bytes; /* number of drained bytes */
	size_t room;    /* size of @bytes */
};

struct ring_peer {
	/* Settings of the test before it runs the deed. */
	uint32_t pages;      /* size of a ring's body, in pages */
	bool is_silent;      /* reads requests without answering */
	bool is_lazy;        /* drains only on request */
	unsigned n_failures; /* number of first replies without a ring */

	int sock;   /* the peer's socket; -1: closed */
	int client; /* the program's end of the socket */
	int talk;
	pid_t pid;
	unsigned n_requests;
	unsigned n_rings;
	struct ring rings[RING_PEER_RINGS];
};

/** Requests of a deed; the reply is a number up to 255. */
enum {
	ASK_DRAIN = 'd', /* read all frames immediately */
	ASK_COUNT = 'n', /* return the number of requested rings */
	ASK_LEAVE = 'g'  /* the recorder ends */
};

/**
 * Run deed @name and play its recorder until it ends.  Returns waitpid()'s
 * status, or RING_PEER_HUNG after a kill.
 */
#define RING_PEER_HUNG (-1)
int ring_peer_run(struct ring_peer *peer, const char *name, const char *arg);

/**
 * Run deed @name without a recorder.  @control is the value of
 * SYSPROF_CONTROL_FD, or NULL.  @fd becomes fd @number of the deed; a
 * negative @fd means none.
 */
int ring_peer_run_alone(const char *name, const char *control, int fd,
                        int number);

void ring_peer_free(struct ring_peer *peer);

/** For the program that does a deed: settings of the deed, and requests to the
 * peer. */
const char *deed_arg(void);
unsigned deed_ask(char what);

#endif
