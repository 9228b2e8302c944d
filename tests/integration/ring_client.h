/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_client.h - a client of the control socket, written from the protocol's
 * description for tests of the recorder. The client shares no code with the
 * library, waits if a ring is full, and lets the caller break the protocol.
 */
#ifndef SYSCAP_RING_CLIENT_H
#define SYSCAP_RING_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

struct ring_client {
	int sock;
	int fd;             /* file of the ring; -1: no ring */
	unsigned char *map; /* header page, body, body again */
	uint32_t page, size;
	int32_t pid, tid;
	bool never_waits; /* drops frames that do not fit */
};

/** The socket of SYSPROF_CONTROL_FD; exits if there is no socket. */
int ring_client_socket(void);

/** Request a ring, and wait for the answer.  False: no ring. */
bool ring_client_open(struct ring_client *client);

/** Fill in the client block, by which the recorder recognises the library. */
void ring_client_introduce(struct ring_client *client);

/** The client block's count of lost frames of @type; the range of the
 * losses. */
uint64_t *ring_client_lost(struct ring_client *client, unsigned type);
int64_t *ring_client_lost_range(struct ring_client *client);

/** Put and publish @size bytes, valid or not. */
void ring_client_put(struct ring_client *client, const void *bytes,
                     size_t size);

void ring_client_mark(struct ring_client *client, const char *group,
                      const char *name, const char *message);

void ring_client_define(struct ring_client *client, uint32_t id,
                        const char *name);
void ring_client_set(struct ring_client *client, uint32_t id, int64_t value);

/** Append the end marker. */
void ring_client_end(struct ring_client *client);

int64_t ring_client_now(void);

#endif
