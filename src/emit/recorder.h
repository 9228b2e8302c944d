/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.h - the recorder of this process: the source of the recorder's
 * rings, arenas that the process hands over, and sockets of the recorder.
 */
#ifndef SYC_EMIT_RECORDER_H
#define SYC_EMIT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "copies/copies.h"
#include "emit/ring_source.h"
#include "ring/arena.h"
#include "ring/ring_file.h"

struct sockaddr_un;

/** Longest wait of a thread for a recorder that has answered before. */
#define SYC_CONTROL_TIMEOUT_MS 250

/* ------------------------------------------------------------ recorder.c */

extern const struct syc_ring_source syc_recorder;

/** Release the slot of @ts, whose thread has unmapped its ring.  The recorder
 * may then give the slot to other threads.  Context: owner, or the thread that
 * finishes a dead thread's state. */
void syc_slot_end(const struct syc_state *ts);

/** Turn recording off if the recording is over.  Returns true if the recording
 * is over.  Context: any-thread, signal-safe. */
bool syc_slot_stop_if_over(void);

/** Head of the arena that counts losses without a slot, or NULL.  Context:
 * any-thread, signal-safe. */
struct syc_arena_head *syc_slot_arena_head(void);

/* -------------------------------------------------------- handed_arena.c */

/*
 * Syscap's recorder may request arenas (docs/protocol.md).  Then the process
 * makes its rings in one memfd, and sends the memfd in one message without an
 * answer.  The process's first event makes the arena.  If sending is impossible
 * at that time, events go into the arena, and later events try to send again,
 * at growing intervals.  A child that is forked after the sending also uses the
 * arena.  Any other child makes another arena.  When all slots are taken, the
 * process makes another arena, so most processes use little address space.
 */

/** State of an arena.  The holder of the arena's lock stores the state with
 * release. */
enum syc_handed {
	SYC_HANDED_NONE,
	SYC_HANDED_UNSENT, /* sending failed; slots may be claimed */
	SYC_HANDED_SENT,
	SYC_HANDED_LOST, /* never sent: threads request rings from now on */
	SYC_HANDED_IMPOSSIBLE
};

/** An arena that the process hands over, in memory that a child inherits. */
struct syc_handed_arena {
	/* The previous arena, whose slots are all taken, or NULL.  The pointer
	 * is set before other threads see this arena */
	struct syc_handed_arena *older;
	/* The next arena during its creation; other threads do not use this
	 * arena yet */
	struct syc_handed_arena *next;
	uint32_t lock; /* held to make this arena, to send this arena, or to
	                * make the next arena: os/threads.h */
	uint32_t phase;
	int32_t pid;     /* pid of the process that made this arena */
	bool is_told;    /* the recorder knows the arena */
	uint64_t pid_ns; /* namespace of pid; 0: unknown */
	int64_t began;   /* time of the process's first arena, ns */
	struct syc_arena arena;
	/* The memfd, until the send; fd 0: closed */
	struct syc_control_socket file;
	struct syc_control_socket connection; /* see syc_connection_send() */
	_Alignas(8) int64_t unsent_since, try_at; /* ns */
};

static inline uint32_t syc_handed_arena_phase(const struct syc_handed_arena *h)
{
	return __atomic_load_n(&h->phase, __ATOMIC_ACQUIRE);
}

static inline void syc_handed_arena_set_phase(struct syc_handed_arena *h,
                                              uint32_t phase)
{
	__atomic_store_n(&h->phase, phase, __ATOMIC_RELEASE);
}

/** The newest arena, or NULL.  Context: any-thread, signal-safe. */
static inline struct syc_handed_arena *syc_handed_arena_newest(void)
{
	return __atomic_load_n(&syc_block->hand_over, __ATOMIC_ACQUIRE);
}

/** Return whether the recorder requests arenas.  Context: any-thread,
 * signal-safe. */
bool syc_handed_arena_is_requested(void);

/**
 * Claim a slot for @pid in an arena.  Makes and sends an arena if necessary.
 * Returns 0; or -errno if there is no slot, and threads request rings.
 *
 * Context: any-thread, signal-safe, signals blocked.
 */
int syc_handed_arena_claim(int32_t pid, struct syc_slot *ret_slot);

/** Send @h if it is unsent.  If @at_exit, try for a limited time.  Context:
 * any-thread, signal-safe, signals blocked. */
void syc_handed_arena_try(struct syc_handed_arena *h, bool at_exit);

/** Keep the parent's arenas that this child may use, before the child's first
 * event.  Context: setup of the child, signal-safe. */
void syc_handed_arena_begin_child(void);

/* -------------------------------------------------------- ring_request.c */

/*
 * A thread requests a ring once, and waits for the answer.  After a timeout the
 * thread drops and counts events, and checks for the answer at growing
 * intervals.  If the recorder is silent for a second, threads request without
 * waiting until an answer comes.  Requests may get lost.  So one thread of the
 * process at a time repeats requests, at growing intervals.
 *
 * Requests use the inherited socket while the socket exists.  After that, each
 * request has its own connection to the recorder's name, if there is a name.
 *
 * A thread takes the first answer, because all answers are equivalent, and each
 * request has an answer.
 */

/**
 * Request a ring.  Returns an fd, or -errno of syc_control_receive_ring();
 * -ETIMEDOUT: no answer yet.
 *
 * Context: owner, signal-safe, signals blocked.
 */
int syc_ring_request(struct syc_state *ts);

/**
 * Request a ring for no thread, before the process ends.  Waits until
 * @deadline.
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_ring_request_at_exit(int64_t deadline);

/** Return whether requests go to the recorder's name, because there is no
 * inherited socket (any more).  Context: any-thread, signal-safe. */
bool syc_ring_request_is_by_name(void);

/** Let another thread take the answer for @ts, whose thread ends.  Context:
 * owner. */
void syc_ring_request_leave(struct syc_state *ts);

/** Store that an answer was a ring, which is mapped.  Context: signal-safe. */
void syc_ring_request_note_ring(void);

/**
 * Store that @ts got no ring, because of @r.  Sets the time of the next
 * attempt, and turns recording off if the recorder has ended.
 *
 * Context: owner, signal-safe, signals blocked.
 */
void syc_ring_request_note_failure(struct syc_state *ts, int r);

/* --------------------------- the inherited socket: recorder_socket.c */

/*
 * The process shares this socket and its flags with its parent and children,
 * and never changes the flags.  The fd in the environment may refer to another
 * file.  So the library uses the fd only if it is an unnamed AF_UNIX stream
 * socket that the program has not made.  The library stops using the fd when
 * the fd refers to another file.
 */

/**
 * Check that @fd is a control socket.  Returns NULL and fills *@ret_socket,
 * which goes into the block; or returns the reason for the refusal.
 * @is_inherited: main() has not begun, so the process inherited all fds.  A
 * socket pair of this process then comes from the program before exec.
 *
 * Context: setup.
 */
const char *syc_control_adopt(int fd, bool is_inherited,
                              struct syc_control_socket *ret_socket);

/** Return whether the fd of @socket still is the same file. */
bool syc_control_is_same(const struct syc_control_socket *socket);

/**
 * Send a request for a ring over @socket, or receive a ring.  Both functions
 * wait until @deadline (ns; 0: not at all) without a lock.  Several threads may
 * wait at the same time.  All answers are alike, so any thread may receive any
 * answer, if no thread takes more answers than were requested.
 *
 * The functions return 0 and a close-on-exec fd, or
 *	-ESTALE     the fd refers to another file: never use the fd again
 *	-EPIPE      the recorder has ended, or has closed this connection
 *	-ETIMEDOUT  no space for the request, or no answer
 *	-EBADMSG    an answer without a ring
 *	other       a system call failed
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_control_send_request(const struct syc_control_socket *socket,
                             int64_t deadline);
int syc_control_receive_ring(const struct syc_control_socket *socket,
                             int64_t deadline);

/**
 * Send @message, of SYC_CONTROL_REQUEST_LEN bytes, with @fd (-1: without) in
 * one piece, without waiting.  Returns 0 or -errno: as above, or -EAGAIN.
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_control_send_message(const struct syc_control_socket *socket,
                             const char *message, int fd);

/* --------------------------------------- connections: recorder_socket.c */

/*
 * A process without an inherited control socket makes one connection for each
 * ring.  The process closes the connection after the answer.  One connection
 * with a late answer may be parked, for the next thread that checks.  The
 * library notices if the program closes or replaces the fd of the parked
 * connection.
 */

/**
 * Copy @path, of SYSCAP_RECORDER, to *@ret_address.  Returns false if the file
 * does not exist.
 *
 * Context: setup.
 */
bool syc_connection_adopt(const char *path, struct sockaddr_un *ret_address);

/**
 * Request a ring over a new connection, and wait for the ring until @deadline
 * (ns; 0: not at all).  The second function checks the parked connection for an
 * answer.
 *
 * The functions return a close-on-exec fd, or -errno; -ETIMEDOUT: no answer
 * yet.  -ENOENT of the second function: no connection is parked.  No error is
 * final.  The connection is in *noted during the call, for a forked child.
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_connection_request(struct syc_control_socket *noted, int64_t deadline);
int syc_connection_look(void);

/**
 * Send @message like syc_control_send_message(), over a new connection, which
 * is in *noted during the call.  -ECONNREFUSED: no process listens any more.
 * -ENOENT: the name leads to no socket in this namespace.  -EACCES: the socket
 * is of another user.
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_connection_send(struct syc_control_socket *noted, const char *message,
                        int fd);

/** Close the parent's *noted in a forked child, if it still is the same file.
 * Context: signal-safe. */
void syc_connection_drop(struct syc_control_socket *noted);

/** Close the connections of the parent's threads, and the parked connection, in
 * a forked child.  Context: signal-safe. */
void syc_connection_forget(void);

#endif
