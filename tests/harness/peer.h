/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peer.h - a recorder for tests, in the test's own process.
 *
 * The library decides at load time whether it records, so events come from a
 * second process: this test binary, started to run one CHILD.
 *
 *	CHILD(two_marks)
 *	{
 *		SYSCAP_INSTANT("test", "a", NULL);
 *		SYSCAP_INSTANT("test", "b", NULL);
 *	}
 *
 *	TEST(marks_arrive_in_order)
 *	{
 *		struct peer peer;
 *
 *		peer_start(&peer, "two_marks", 1 << 16, PEER_OURS);
 *		CHECK_EQ(peer_finish(&peer), 0);
 *		...
 *		peer_free(&peer);
 *	}
 *
 * The peer implements the description of the protocol and the frames, and
 * shares no code with the recorder.  So a mistake in the recorder hides no
 * mistake in the library.
 */
#ifndef SYSCAP_PEER_H
#define SYSCAP_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ring/ring.h"

/** Maximum number of fds in one answer. */
#define PEER_MAX_FDS 8

struct child {
	const char *name;
	void (*run)(void);
};

/**
 * A program that a test records.  A return from the function of the CHILD is
 * exit(0).
 */
#define CHILD(name)                                                      \
	static void child_##name(void);                                  \
	static const struct child child_entry_##name = { #name,          \
		                                         child_##name }; \
	static const struct child *const child_pointer_##name            \
		__attribute__((section("syscap_children"), used)) =      \
			&child_entry_##name;                             \
	static void child_##name(void)

enum peer_kind {
	PEER_OURS,  /* a peer that announces that it reads the client block */
	PEER_STOCK, /* a peer that uses 16 bytes of the header, like Sysprof */
};

struct peer_ring {
	struct syc_ring_header *header; /* a copy if the ring has ended */
	uint32_t size;
	uint32_t head;
	bool has_ended;       /* end marker read; ring unmapped */
	unsigned char *bytes; /* all drained bytes */
	size_t n_bytes;
	size_t n_walked; /* number of bytes searched for an end marker */
};

/** Connections to a peer that has a name. */
#define PEER_MAX_CONNECTIONS 64

struct peer_connection {
	int sock;
	bool has_asked; /* the connection's request has no answer yet */
};

/** An arena that a process has handed over (docs/protocol.md). */
struct peer_arena {
	int fd;
	pid_t sender; /* pid in the arena's facts */
	uint32_t page, body, n_slots;
	size_t size;
	unsigned char *front;
	unsigned *rings; /* per slot: 1 + index in peer's rings; 0: none */
};

#define PEER_MAX_ARENAS 64

struct peer {
	int sock;      /* socket of requests and replies */
	bool is_named; /* false: the child inherits a socket */
	int listener;
	char path[96];
	unsigned n_connections; /* number of connections so far */
	struct peer_connection connections[PEER_MAX_CONNECTIONS];
	pid_t pid;
	enum peer_kind kind;
	uint32_t ring_size;
	unsigned n_rings;
	unsigned n_allocated;
	unsigned n_requests;
	bool holds_replies; /* the peer reads requests, and does not answer */
	struct peer_ring *rings;
	bool takes_arenas;
	bool keeps_slots; /* the peer gives back no slot of an ended ring */
	unsigned n_arenas, n_late_arenas, n_lost_arenas;
	struct peer_arena arenas[PEER_MAX_ARENAS];
};

/** One frame as stored in the ring. */
struct peer_frame {
	uint16_t len;
	int16_t cpu;
	int32_t pid;
	int64_t time;
	uint8_t type;
	uint32_t padding2;
	const unsigned char *bytes;
};

/**
 * Start CHILD @child with rings of @ring_size bytes.  The child reads @arg by
 * peer_arg().
 */
void peer_start(struct peer *peer, const char *child, uint32_t ring_size,
                enum peer_kind kind);
void peer_start_arg(struct peer *peer, const char *child, const char *arg,
                    uint32_t ring_size, enum peer_kind kind);

/**
 * Start a child that has to find the peer by its name, in SYSCAP_RECORDER.
 * Unless @listens, the peer listens only after peer_listen().
 * SYSPROF_CONTROL_FD is a closed fd.
 */
void peer_start_named(struct peer *peer, const char *child, const char *arg,
                      bool listens);
void peer_listen(struct peer *peer);

/**
 * Start a child that hands over its rings of @body bytes to the peer over the
 * inherited socket.  With @by_name, the child uses a socket found by name.
 */
void peer_start_arena(struct peer *peer, const char *child, const char *arg,
                      uint32_t body, bool by_name);

/** In the child: the argument of peer_start_arg(), or "". */
const char *peer_arg(void);

/**
 * Run CHILD @child without a peer, with @control_fd as the value of
 * SYSPROF_CONTROL_FD (NULL: unset).  Returns the child's wait status.
 */
int peer_run_alone(const char *child, const char *arg, const char *control_fd);

/** Answer waiting requests.  Returns the number of requests. */
unsigned peer_serve(struct peer *peer);

/** Answer a held request with one new ring. */
void peer_reply(struct peer *peer);

/** Answer with these fds instead; the caller still owns the fds. */
void peer_send_fds(struct peer *peer, const int *fds, unsigned n);

/** Read all frames of all rings.  Returns the number of bytes. */
size_t peer_drain(struct peer *peer);

/** Serve and drain until the child has ended.  Returns the child's wait
 * status. */
int peer_finish(struct peer *peer);

/** Serve only until the child has ended, then drain once. */
int peer_finish_without_draining(struct peer *peer);

void peer_free(struct peer *peer);

/**
 * Step through the frames of a ring: true and a frame, false at the end.  @at
 * starts at 0.  An invalid frame fails the test: every ring that our library
 * fills must be well-formed (see check_frame()).
 */
bool peer_next(const struct peer_ring *ring, size_t *at,
               struct peer_frame *ret_frame);

/** Number of frames of @type, in all rings. */
unsigned peer_count(const struct peer *peer, uint8_t type);

/** Number of the program's METADATA frames in all rings, without the library's
 * own frames, such as the clock's error. */
unsigned peer_count_metadata(const struct peer *peer);

/** Number of marks of @group and @name, in all rings. */
unsigned peer_count_marks(const struct peer *peer, const char *group,
                          const char *name);

/** Returns whether @frame is a loss record.  For a loss record, *@ret_frames is
 * the number of lost frames. */
bool peer_is_loss(const struct peer_frame *frame, uint64_t *ret_frames);

/** Sum of the losses that loss records in @ring report. */
uint64_t peer_lost_told(const struct peer_ring *ring);

/** Number in "key=N" of a loss record's message; 0 if there is no such key. */
uint64_t peer_loss_value(const struct peer_frame *frame, const char *key);

/** Totals in the ring's client block. */
uint64_t peer_lost_total(const struct peer_ring *ring);

const char *peer_mark_group(const struct peer_frame *frame);
const char *peer_mark_name(const struct peer_frame *frame);
const char *peer_mark_message(const struct peer_frame *frame);

#endif
