/* SPDX-License-Identifier: BSD-2-Clause */
/* peer.c - a recorder for tests. */
#define _GNU_SOURCE
#include "harness/peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap/format.h>

#include "base/frame.h"
#include "harness/peer_arena.h"
#include "harness/test.h"

extern const struct child *const __start_syscap_children[]
	__attribute__((weak));
extern const struct child *const __stop_syscap_children[] __attribute__((weak));

/* The harness' main() calls this function first. */
void peer_become_child(void);
void peer_become_child(void)
{
	const char *const name = getenv("SYSCAP_TEST_CHILD");

	if (name == NULL)
		return;
	for (const struct child *const *c = __start_syscap_children;
	     c < __stop_syscap_children; c++)
		if (strcmp((*c)->name, name) == 0) {
			(*c)->run();
			exit(0);
		}
	fprintf(stderr, "no CHILD(%s)\n", name);
	_exit(99);
}

const char *peer_arg(void)
{
	const char *const arg = getenv("SYSCAP_TEST_ARG");

	return arg != NULL ? arg : "";
}

static void name_socket(int fd)
{
	struct stat st;
	char text[48];

	CHECK_EQ(fstat(fd, &st), 0);
	snprintf(text, sizeof(text), "%d:%ju", fd, (uintmax_t)st.st_ino);
	setenv("SYSCAP_CONTROL_INODE", text, 1);
}

static void start_inherited(struct peer *peer, const char *child,
                            const char *arg, uint32_t ring_size,
                            enum peer_kind kind)
{
	int pair[2];

	peer->ring_size = ring_size;
	peer->kind = kind;
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	peer->sock = pair[0];
	fflush(NULL);
	peer->pid = fork();
	if (peer->pid == 0) {
		char number[16];
		const int fd = dup(pair[1]); /* the copy lacks close-on-exec */

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		snprintf(number, sizeof(number), "%d", fd);
		setenv("SYSPROF_CONTROL_FD", number, 1);
		if (peer->takes_arenas)
			name_socket(fd);
		setenv("SYSCAP_TEST_CHILD", child, 1);
		setenv("SYSCAP_TEST_ARG", arg, 1);
		test_execute_itself(child);
		_exit(98);
	}
	close(pair[1]);
}

void peer_start_arg(struct peer *peer, const char *child, const char *arg,
                    uint32_t ring_size, enum peer_kind kind)
{
	memset(peer, 0, sizeof(*peer));
	start_inherited(peer, child, arg, ring_size, kind);
}

void peer_start(struct peer *peer, const char *child, uint32_t ring_size,
                enum peer_kind kind)
{
	peer_start_arg(peer, child, "", ring_size, kind);
}

void peer_listen(struct peer *peer)
{
	CHECK_EQ(listen(peer->listener, PEER_MAX_CONNECTIONS), 0);
}

static void start_named(struct peer *peer, const char *child, const char *arg,
                        bool listens)
{
	peer->is_named = true;
	peer->sock = -1;
	peer->ring_size = 1 << 16;
	peer->kind = PEER_OURS;
	peer->listener = socket(
		AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	CHECK(peer->listener >= 0);
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	snprintf(peer->path, sizeof(peer->path), "/tmp/syscap-peer-%d",
	         getpid());
	snprintf(name.sun_path, sizeof(name.sun_path), "%s", peer->path);
	unlink(peer->path);
	CHECK_EQ(bind(peer->listener, (struct sockaddr *)&name, sizeof(name)),
	         0);
	if (listens)
		peer_listen(peer);
	fflush(NULL);
	peer->pid = fork();
	if (peer->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setenv("SYSPROF_CONTROL_FD", "99", 1);
		setenv("SYSCAP_RECORDER", peer->path, 1);
		setenv("SYSCAP_TEST_CHILD", child, 1);
		setenv("SYSCAP_TEST_ARG", arg, 1);
		test_execute_itself(child);
		_exit(98);
	}
}

void peer_start_named(struct peer *peer, const char *child, const char *arg,
                      bool listens)
{
	memset(peer, 0, sizeof(*peer));
	start_named(peer, child, arg, listens);
}

void peer_start_arena(struct peer *peer, const char *child, const char *arg,
                      uint32_t body, bool by_name)
{
	char text[16];

	memset(peer, 0, sizeof(*peer));
	peer->takes_arenas = true;
	snprintf(text, sizeof(text), "%u", body);
	setenv("SYSCAP_ARENA", text, 1);
	if (by_name)
		start_named(peer, child, arg, true);
	else
		start_inherited(peer, child, arg, 1 << 16, PEER_OURS);
	unsetenv("SYSCAP_ARENA");
}

int peer_run_alone(const char *child, const char *arg, const char *control_fd)
{
	int status;

	fflush(NULL);
	const pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (control_fd != NULL)
			setenv("SYSPROF_CONTROL_FD", control_fd, 1);
		else
			unsetenv("SYSPROF_CONTROL_FD");
		setenv("SYSCAP_TEST_CHILD", child, 1);
		setenv("SYSCAP_TEST_ARG", arg, 1);
		test_execute_itself(child);
		_exit(98);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

struct peer_ring *peer_add_ring(struct peer *peer)
{
	if (peer->n_rings == peer->n_allocated) {
		peer->n_allocated = peer->n_allocated * 2 + 16;
		peer->rings = realloc(peer->rings,
		                      peer->n_allocated * sizeof(*peer->rings));
		CHECK(peer->rings != NULL);
	}
	struct peer_ring *const ring = &peer->rings[peer->n_rings++];
	memset(ring, 0, sizeof(*ring));
	return ring;
}

static int make_ring(struct peer *peer)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	const uint32_t pages = (peer->ring_size + page - 1) / page;
	const int fd = memfd_create("test-ring", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, (off_t)page * (1 + pages)), 0);
	struct peer_ring *const ring = peer_add_ring(peer);
	CHECK_EQ(syc_ring_map(fd, &ring->header, &ring->size), 0);
	ring->header->offset = page;
	ring->header->size = ring->size;
	if (peer->kind == PEER_OURS) {
		ring->header->recorder_version = 1;
		ring->header->recorder_magic = SYC_RING_RECORDER_MAGIC;
	}
	return fd;
}

void peer_send_fds(struct peer *peer, const int *fds, unsigned n)
{
	char byte = 0;
	union {
		char bytes[CMSG_SPACE(PEER_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	CHECK(n <= PEER_MAX_FDS);
	memset(&control, 0, sizeof(control));
	if (n != 0) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		struct cmsghdr *const c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	/* a killed child has closed its end */
	if (sendmsg(peer->sock, &msg, MSG_NOSIGNAL) != 1)
		CHECK(errno == EPIPE || errno == ECONNRESET);
}

/* Select the first waiting connection.  Returns false if none waits. */
static bool choose_connection(struct peer *peer)
{
	if (!peer->is_named)
		return true;
	for (int i = 0; i < PEER_MAX_CONNECTIONS; i++)
		if (peer->connections[i].has_asked) {
			peer->connections[i].has_asked = false;
			peer->sock = peer->connections[i].sock;
			return true;
		}
	return false;
}

void peer_reply(struct peer *peer)
{
	if (!choose_connection(peer))
		return;
	const int fd = make_ring(peer);

	peer_send_fds(peer, &fd, 1);
	close(fd);
}

static void accept_one(struct peer *peer)
{
	const int sock = accept4(peer->listener, NULL, NULL, SOCK_CLOEXEC);
	int i = 0;

	if (sock < 0)
		return;
	peer->n_connections++;
	while (peer->connections[i].sock > 0)
		CHECK(++i < PEER_MAX_CONNECTIONS);
	peer->connections[i].sock = sock;
}

/* Receive like recv().  A message about an arena also counts as 10 bytes, with
 * *@ret_is_ring false. */
static ssize_t receive(struct peer *peer, int sock, bool *ret_is_ring)
{
	char request[11];
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = request,
		             .iov_len = peer->is_named ? 11 : 10 };
	struct msghdr msg = { .msg_iov = &iov,
		              .msg_iovlen = 1,
		              .msg_control = &control,
		              .msg_controllen = sizeof(control) };
	/* Tests replace recvmsg() */
	const ssize_t r = syscall(SYS_recvmsg, sock, &msg,
	                          MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *const c = r > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	int fd = -1;

	if (c != NULL)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	if (r > 0)
		CHECK_EQ(r, 10);
	*ret_is_ring = r > 0 && memcmp(request, "CreatRing", 10) == 0;
	if (r > 0 && !*ret_is_ring && memcmp(request, "GaveArena", 10) == 0)
		peer->n_late_arenas--;
	if (r > 0 && !*ret_is_ring &&
	    (memcmp(request, "TakeArena", 10) == 0 ||
	     memcmp(request, "GaveArena", 10) == 0))
		peer_arena_take(peer, fd);
	else if (r > 0 && !*ret_is_ring &&
	         memcmp(request, "LostArena", 10) == 0)
		peer->n_lost_arenas++;
	else if (r > 0 && !*ret_is_ring &&
	         memcmp(request, "HaveArena", 10) == 0)
		peer->n_late_arenas++;
	else if (r > 0)
		CHECK(*ret_is_ring && fd < 0);
	return r;
}

/* Serve one connection.  Returns the number of requests. */
static unsigned serve_one(struct peer *peer, struct peer_connection *connection)
{
	bool is_ring;
	const ssize_t r = receive(peer, connection->sock, &is_ring);

	if (r > 0 && !is_ring)
		return 0;
	if (r == 10) {
		connection->has_asked = true;
		peer->n_requests++;
		return 1;
	}
	CHECK(r <= 0);
	if (r == 0 || errno == ECONNRESET) {
		close(connection->sock);
		*connection = (struct peer_connection){ 0 };
	}
	return 0;
}

static unsigned serve_connections(struct peer *peer)
{
	unsigned n = 0;

	accept_one(peer);
	for (int i = 0; i < PEER_MAX_CONNECTIONS; i++)
		if (peer->connections[i].sock > 0)
			n += serve_one(peer, &peer->connections[i]);
	for (unsigned i = 0; i < n && !peer->holds_replies; i++)
		peer_reply(peer);
	return n;
}

unsigned peer_serve(struct peer *peer)
{
	unsigned n = 0;

	if (peer->is_named)
		return serve_connections(peer);
	for (;;) {
		bool is_ring;

		if (receive(peer, peer->sock, &is_ring) <= 0)
			return n;
		if (!is_ring)
			continue;
		peer->n_requests++;
		n++;
		if (!peer->holds_replies)
			peer_reply(peer);
	}
}

/* No frame follows the end marker: keep the header's values, not the
 * mapping. */
static void end_ring(struct peer_ring *ring)
{
	struct syc_ring_header *const kept = malloc(sizeof(*kept));

	CHECK(kept != NULL);
	memcpy(kept, ring->header, sizeof(*kept));
	syc_ring_unmap(ring->header, ring->size);
	ring->header = kept;
	ring->has_ended = true;
}

/* Step through the new frames; peer_next() reports bad frames. */
static bool has_end_marker(struct peer_ring *ring)
{
	while (ring->n_bytes - ring->n_walked >= 24) {
		const unsigned char *const b = ring->bytes + ring->n_walked;
		uint16_t len;

		memcpy(&len, b, sizeof(len));
		if (len < 24 || len > ring->n_bytes - ring->n_walked)
			return false;
		if (b[16] == 255)
			return true;
		ring->n_walked += len;
	}
	return false;
}

static size_t drain_ring(struct peer_ring *ring)
{
	if (ring->has_ended)
		return 0;
	const unsigned char *const body =
		(unsigned char *)ring->header + ring->header->offset;
	const uint32_t tail =
		__atomic_load_n(&ring->header->tail, __ATOMIC_ACQUIRE);

	CHECK(tail < ring->size && tail % 8 == 0);
	const uint32_t n = tail >= ring->head ? tail - ring->head
	                                      : tail + ring->size - ring->head;
	if (n == 0)
		return 0;
	ring->bytes = realloc(ring->bytes, ring->n_bytes + n);
	CHECK(ring->bytes != NULL);
	memcpy(ring->bytes + ring->n_bytes, body + ring->head, n);
	ring->n_bytes += n;
	ring->head = tail;
	__atomic_store_n(&ring->header->head, tail, __ATOMIC_RELEASE);
	if (has_end_marker(ring))
		end_ring(ring);
	return n;
}

size_t peer_drain(struct peer *peer)
{
	size_t n = 0;

	peer_arena_find_rings(peer);
	for (unsigned i = 0; i < peer->n_rings; i++)
		n += drain_ring(&peer->rings[i]);
	peer_arena_give_back(peer);
	return n;
}

/*
 * A thread that requests a ring waits 250 ms, and then loses events.  If twenty
 * processes share the processor, this peer's answer could take 250 ms, too.  So
 * the peer raises its own priority, if allowed.  The peer sleeps most of the
 * time, so other processes are not delayed.
 */
static int go_first(int priority)
{
	const int before = getpriority(PRIO_PROCESS, 0);

	(void)setpriority(PRIO_PROCESS, 0, priority);
	return before;
}

static int finish(struct peer *peer, bool draining)
{
	const int priority = go_first(-20);
	int status;

	for (;;) {
		const pid_t pid = waitpid(peer->pid, &status, WNOHANG);

		CHECK(pid >= 0);
		struct pollfd pfd = { .fd = peer->is_named ? peer->listener
			                                   : peer->sock,
			              .events = POLLIN };
		const unsigned n_served = peer_serve(peer);
		const size_t n = draining ? peer_drain(peer) : 0;
		if (pid == peer->pid)
			break;
		if (n_served == 0 && n == 0)
			poll(&pfd, 1, 1);
	}
	peer_drain(peer);
	go_first(priority);
	return status;
}

int peer_finish(struct peer *peer)
{
	return finish(peer, true);
}

int peer_finish_without_draining(struct peer *peer)
{
	return finish(peer, false);
}

void peer_free(struct peer *peer)
{
	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct peer_ring *const ring = &peer->rings[i];

		if (ring->has_ended)
			free(ring->header);
		else
			syc_ring_unmap(ring->header, ring->size);
		free(ring->bytes);
	}
	free(peer->rings);
	peer_arena_free(peer);
	for (int i = 0; i < PEER_MAX_CONNECTIONS; i++)
		if (peer->connections[i].sock > 0)
			close(peer->connections[i].sock);
	if (peer->is_named) {
		close(peer->listener);
		unlink(peer->path);
	} else {
		close(peer->sock);
	}
}

/* ----------------------------------------------------------------- frames */

static bool is_text(const unsigned char *field, size_t size)
{
	const unsigned char *const end = memchr(field, 0, size);

	if (end == NULL)
		return false;
	for (size_t i = (size_t)(end - field); i < size; i++)
		if (field[i] != 0) /* stale bytes after the text */
			return false;
	return true;
}

static bool is_chunk_right(const struct peer_frame *f)
{
	uint16_t flags, n;

	if (f->len < 288)
		return false;
	memcpy(&flags, f->bytes + 24, 2);
	memcpy(&n, f->bytes + 26, 2);
	if ((flags & ~SYC_FRAME_FLAG) != 0 ||
	    f->len != ((284u + n + 7) & ~7u) || !is_text(f->bytes + 28, 256))
		return false;
	for (size_t i = 284u + n; i < f->len; i++)
		if (f->bytes[i] != 0)
			return false;
	return true;
}

/* The frame consists of names, each with a NUL, and then less than 8 zero
 * bytes. */
static bool is_jitmap_right(const struct peer_frame *f)
{
	size_t at = 28;
	uint32_t n;

	if (f->len < at || f->padding2 != 0)
		return false;
	memcpy(&n, f->bytes + 24, 4);
	for (uint32_t i = 0; i < n; i++) {
		if (at + 9 > f->len)
			return false;
		const unsigned char *const nul =
			memchr(f->bytes + at + 8, 0, f->len - at - 8);
		if (nul == NULL)
			return false;
		at = (size_t)(nul - f->bytes) + 1;
	}
	if (n != 0 && f->len - at >= 8) /* a filler has no names */
		return false;
	while (at < f->len && f->bytes[at] == 0)
		at++;
	return at == f->len;
}

static bool is_weight(uint32_t padding2)
{
	return padding2 == 0 ||
	       ((padding2 & SYSCAP_WEIGHT_TAG_MASK) == SYSCAP_WEIGHT_TAG &&
	        (padding2 & ~SYSCAP_WEIGHT_TAG_MASK) > 1);
}

static bool is_content_right(const struct peer_frame *f)
{
	const unsigned char *const b = f->bytes;
	uint16_t n = 0;

	if (f->len > 24)
		memcpy(&n, b + 24, 2);
	switch (f->type) {
	case 1: /* Sysprof's readers may stop at a longer frame */
		return f->len == 24 && f->padding2 == 0;
	case 2:
		return f->len == 32 + 8 * n && b[26] < 8 && b[27] == 0 &&
		       is_weight(f->padding2);
	case 4:
		return f->len > 24 && is_text(b + 24, f->len - 24u);
	case 7:
		return is_jitmap_right(f);
	case 8:
		return f->len == 32 + 128 * n && is_text(b + 32, 32) &&
		       is_text(b + 64, 32) && is_text(b + 96, 52);
	case 9:
		return f->len == 32 + 96 * n;
	case 10:
		return f->len > 96 && is_text(b + 32, 24) &&
		       is_text(b + 56, 40) && is_text(b + 96, f->len - 96u);
	case 11:
		return f->len > 64 && is_text(b + 24, 40) &&
		       is_text(b + 64, f->len - 64u);
	case 12:
		return f->len > 64 && is_text(b + 32, 32) &&
		       is_text(b + 64, f->len - 64u);
	case 13:
		return is_chunk_right(f);
	case 14:
		if (f->len < 48)
			return false;
		memcpy(&n, b + 44, 2);
		return f->len == 48 + 8 * n && (b[46] & ~2) == 0 &&
		       b[47] == 0 && f->padding2 == 0;
	case 255:
		return f->len == 24;
	default:
		return false;
	}
}

bool peer_next(const struct peer_ring *ring, size_t *at,
               struct peer_frame *ret_frame)
{
	struct peer_frame f = { 0 };
	const unsigned char *const b = ring->bytes + *at;

	if (*at == ring->n_bytes)
		return false;
	CHECK(ring->n_bytes - *at >= 24);
	memcpy(&f.len, b, 2);
	memcpy(&f.cpu, b + 2, 2);
	memcpy(&f.pid, b + 4, 4);
	memcpy(&f.time, b + 8, 8);
	f.type = b[16];
	memcpy(&f.padding2, b + 20, 4);
	f.bytes = b;
	if (f.len < 24 || f.len % 8 != 0 || f.len > ring->n_bytes - *at)
		test_fail(__FILE__, __LINE__,
		          "no frame at byte %zu of a ring: len %u", *at, f.len);
	if (b[17] != 0 || b[18] != 0 || b[19] != 0 || !is_content_right(&f))
		test_fail(__FILE__, __LINE__,
		          "bad frame at byte %zu of a ring: type %u len %u",
		          *at, f.type, f.len);
	*at += f.len;
	*ret_frame = f;
	return true;
}

const char *peer_mark_group(const struct peer_frame *frame)
{
	return (const char *)frame->bytes + 32;
}

const char *peer_mark_name(const struct peer_frame *frame)
{
	return (const char *)frame->bytes + 56;
}

const char *peer_mark_message(const struct peer_frame *frame)
{
	return (const char *)frame->bytes + 96;
}

unsigned peer_count(const struct peer *peer, uint8_t type)
{
	unsigned n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct peer_frame frame;
		size_t at = 0;

		while (peer_next(&peer->rings[i], &at, &frame))
			n += frame.type == type;
	}
	return n;
}

unsigned peer_count_metadata(const struct peer *peer)
{
	unsigned n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct peer_frame frame;
		size_t at = 0;

		while (peer_next(&peer->rings[i], &at, &frame))
			n += frame.type == 11 &&
			     strncmp((const char *)frame.bytes + 24, "syscap.",
			             7) != 0;
	}
	return n;
}

unsigned peer_count_marks(const struct peer *peer, const char *group,
                          const char *name)
{
	unsigned n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct peer_frame frame;
		size_t at = 0;

		while (peer_next(&peer->rings[i], &at, &frame))
			n += frame.type == 10 &&
			     strcmp(peer_mark_group(&frame), group) == 0 &&
			     strcmp(peer_mark_name(&frame), name) == 0;
	}
	return n;
}

uint64_t peer_loss_value(const struct peer_frame *frame, const char *key)
{
	const size_t n = strlen(key);

	for (const char *at = peer_mark_message(frame); *at != '\0';) {
		if (strncmp(at, key, n) == 0 && at[n] == '=')
			return strtoull(at + n + 1, NULL, 10);
		at = strchr(at, ' ');
		if (at == NULL)
			return 0;
		at++;
	}
	return 0;
}

bool peer_is_loss(const struct peer_frame *frame, uint64_t *ret_frames)
{
	if (frame->type != 10 ||
	    strcmp(peer_mark_group(frame), "syscap") != 0 ||
	    strcmp(peer_mark_name(frame), "lost") != 0)
		return false;
	*ret_frames = peer_loss_value(frame, "frames");
	return true;
}

uint64_t peer_lost_told(const struct peer_ring *ring)
{
	struct peer_frame frame;
	uint64_t sum = 0, n;
	size_t at = 0;

	while (peer_next(ring, &at, &frame))
		if (peer_is_loss(&frame, &n))
			sum += n;
	return sum;
}

uint64_t peer_lost_total(const struct peer_ring *ring)
{
	uint64_t sum = 0;

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		sum += __atomic_load_n(&ring->header->lost.frames[i],
		                       __ATOMIC_RELAXED);
	return sum;
}
