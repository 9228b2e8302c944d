/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_client.h - a client of the control socket, written from the protocol's
 * description for tests of the recorder: it shares no code with the library,
 * waits where a ring is full, and lets the caller do what no client should.
 */
#ifndef SYSCAP_RING_CLIENT_H
#define SYSCAP_RING_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

struct ring_client {
	int sock;
	int fd;             /* of the ring, or -1: the recorder had none */
	unsigned char *map; /* header page, body, body again */
	uint32_t page, size;
	int32_t pid, tid;
	bool never_waits; /* what does not fit is not put */
};

/** The socket of SYSPROF_CONTROL_FD; exits where there is none. */
int ring_client_socket(void);

/** Ask for a ring and wait for the answer.  False: there is none. */
bool ring_client_open(struct ring_client *client);

/** Fill in the block by which our recorder knows a client of ours. */
void ring_client_introduce(struct ring_client *client);

/** Where the block counts losses of frames of @type; their range. */
uint64_t *ring_client_lost(struct ring_client *client, unsigned type);
int64_t *ring_client_lost_range(struct ring_client *client);

/** Put @size bytes, whatever they are, in and publish them. */
void ring_client_put(struct ring_client *client, const void *bytes,
                     size_t size);

void ring_client_mark(struct ring_client *client, const char *group,
                      const char *name, const char *message);

void ring_client_define(struct ring_client *client, uint32_t id,
                        const char *name);
void ring_client_set(struct ring_client *client, uint32_t id, int64_t value);

/** The end marker. */
void ring_client_end(struct ring_client *client);

int64_t ring_client_now(void);

#endif
