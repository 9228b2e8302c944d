/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stderr_log.c - tee process and LOG frames for the command's standard error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "common/now.h"
#include "recorder/recording.h"

#define BUFFER   (1 << 20) /* size of the socket's buffer, if permitted */
#define PATIENCE 100       /* ms */
#define LAST     2000      /* ms to report completion */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* ----------------------------------------------------------- the process */

/* The tee's fds; -1: closed. */
struct pumping {
	int from, socket, resized;
	bool is_late; /* the recorder did not answer in time */
	struct syc_stderr_tee_piece piece;
	uint64_t lost;
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Write all bytes.  Returns false if no receiver of the bytes is left. */
static bool write_all(const char *bytes, size_t n)
{
	while (n > 0) {
		const ssize_t done = write(STDERR_FILENO, bytes, n);

		if (done > 0) {
			bytes += done;
			n -= (size_t)done;
		} else if (done < 0 && errno == EAGAIN) {
			struct pollfd room = { .fd = STDERR_FILENO,
				               .events = POLLOUT };

			poll(&room, 1, -1);
		} else if (done < 0 && errno == EPIPE) {
			return false;
		} else if (done < 0 && errno != EINTR) {
			return true; /* the next bytes may fit on a full disk */
		}
	}
	return true;
}

/* Send one piece.  Returns 0 or -errno. */
static int send_piece(struct pumping *tee, size_t n)
{
	tee->piece.lost = tee->lost;
	if (send(tee->socket, &tee->piece, SYC_STDERR_TEE_HEAD + n,
	         MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return -errno;
	tee->lost = 0;
	tee->is_late = false;
	return 0;
}

static bool has_no_room(int r)
{
	return r == -EAGAIN || r == -ENOBUFS;
}

/*
 * Send a piece, and wait for space only after a failure, because poll() reports
 * a socket as full too early.
 */
static void send_when_there_is_room(struct pumping *tee, size_t n, int patience)
{
	struct pollfd room = { .fd = tee->socket, .events = POLLOUT };
	int r;

	if (tee->socket < 0)
		return;
	r = send_piece(tee, n);
	if (has_no_room(r) && patience != 0) {
		tee->is_late = poll(&room, 1, patience) == 0;
		r = send_piece(tee, n);
	}
	if (has_no_room(r))
		tee->lost += n;
	else if (r != 0)
		close_end(&tee->socket);
}

/* Move one piece.  Returns true if more bytes may be available without a
 * wait. */
static bool move_piece(struct pumping *tee)
{
	const ssize_t n =
		read(tee->from, tee->piece.bytes, SYC_STDERR_TEE_PIECE);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return errno == EINTR;
	/* The error is EIO if all writers have closed the pseudo terminal */
	if (n <= 0) {
		close_end(&tee->from);
		return false;
	}
	tee->piece.time = syc_now();
	/*
	 * Wait only once for a busy recorder, so that a stopped recorder blocks
	 * no writer
	 */
	send_when_there_is_room(tee, (size_t)n, tee->is_late ? 0 : PATIENCE);
	/* After a failure, close the input, so that writers get an error,
	 * too */
	if (!write_all(tee->piece.bytes, (size_t)n))
		close_end(&tee->from);
	return tee->from >= 0;
}

/*
 * Report completion by a piece without bytes, with the number of bytes lost
 * since the last piece.  After the last writer's end, no process waits for the
 * tee.
 */
static void end_telling(struct pumping *tee)
{
	tee->piece.time = syc_now();
	send_when_there_is_room(tee, 0, tee->from < 0 ? -1 : LAST);
	close_end(&tee->socket);
}

/* Handle the end of the recording. */
static void report_the_rest(struct pumping *tee)
{
	while (tee->from >= 0 && move_piece(tee))
		;
	end_telling(tee);
}

static void copy_size(int from, int to)
{
	struct winsize size;

	if (ioctl(from, TIOCGWINSZ, &size) == 0)
		ioctl(to, TIOCSWINSZ, &size);
}

static void take_resize(struct pumping *tee)
{
	struct signalfd_siginfo info;

	while (read(tee->resized, &info, sizeof(info)) > 0)
		copy_size(STDERR_FILENO, tee->from);
}

__attribute__((noreturn)) static void run_pump(struct pumping *tee)
{
	while (tee->from >= 0) {
		struct pollfd fds[] = {
			{ .fd = tee->from, .events = POLLIN },
			{ .fd = tee->socket, .events = POLLIN },
			{ .fd = tee->resized, .events = POLLIN },
		};

		if (poll(fds, 3, -1) < 0)
			continue;
		if (fds[2].revents != 0)
			take_resize(tee);
		if (fds[0].revents != 0)
			move_piece(tee);
		if (fds[1].revents != 0)
			report_the_rest(tee);
	}
	end_telling(tee);
	_exit(0);
}

static void close_between(int first, int last)
{
	struct rlimit files;

	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	    (rlim_t)last > files.rlim_cur)
		last = (int)files.rlim_cur;
	for (; first <= last; first++) /* for Linux before 5.9, without
	                                * close_range() */
		close(first);
}

/*
 * Close all fds except the two needed fds, because other processes wait for the
 * ends of the other fds.
 */
static void keep_only(int first, int second)
{
	const int low = first < second ? first : second;
	const int high = first < second ? second : first;

	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close_between(STDERR_FILENO + 1, low - 1);
	close_between(low + 1, high - 1);
	close_between(high + 1, INT_MAX);
}

__attribute__((noreturn)) static void begin_pump(int from, int socket)
{
	static struct pumping tee;
	sigset_t all, resized;

	/* Block all signals, because the tee ends with the last writer,
	 * regardless of the terminal */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "syscap-stderr");
	tee.from = from;
	tee.socket = socket;
	tee.resized = -1;
	keep_only(from, socket);
	if (isatty(STDERR_FILENO)) {
		sigemptyset(&resized);
		sigaddset(&resized, SIGWINCH);
		tee.resized =
			signalfd(-1, &resized, SFD_CLOEXEC | SFD_NONBLOCK);
	}
	run_pump(&tee);
}

/* ---------------------------------------------------------- the recorder */

/* Make a pseudo terminal that neither translates nor echoes. */
static int make_terminal(int ends[2])
{
	struct termios how;
	int r;

	ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (ends[0] < 0)
		return -errno;
	if (unlockpt(ends[0]) != 0)
		goto fail;
	ends[1] = ioctl(ends[0], TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (ends[1] < 0)
		goto fail;
	if (tcgetattr(STDERR_FILENO, &how) == 0) {
		how.c_oflag &= ~(tcflag_t)OPOST;
		how.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | TOSTOP);
		tcsetattr(ends[1], TCSANOW, &how);
	}
	copy_size(STDERR_FILENO, ends[1]);
	return 0;
fail:
	r = -errno;
	close(ends[0]);
	return r;
}

static int make_way(int ends[2])
{
	int r = 0;

	if (isatty(STDERR_FILENO))
		r = make_terminal(ends);
	else if (pipe2(ends, O_CLOEXEC) != 0)
		r = -errno;
	if (r == 0)
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return r;
}

int syc_stderr_tee_start(struct syc_stderr_tee *tee)
{
	const int size = BUFFER;
	int way[2], sockets[2], r;

	if (fcntl(STDERR_FILENO, F_GETFD) < 0)
		return -errno;
	r = make_way(way);
	if (r != 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) !=
	    0) {
		r = -errno;
		goto fail;
	}
	setsockopt(sockets[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	tee->pid = fork();
	if (tee->pid == 0)
		begin_pump(way[0], sockets[1]);
	r = tee->pid < 0 ? -errno : 0;
	close(sockets[1]);
	if (r != 0) {
		close(sockets[0]);
		goto fail;
	}
	close(way[0]);
	fcntl(sockets[0], F_SETFL, O_NONBLOCK);
	tee->socket = sockets[0];
	tee->given = way[1];
	return 0;
fail:
	close(way[0]);
	close(way[1]);
	return r;
}

#define MS       INT64_C(1000000)
#define WAIT_MAX (2000 * MS) /* longest wait for a stopped terminal */

#define AT_ONCE 64 /* pieces, so that many lines do not delay the rings */

#define SEVERITY_MESSAGE 32

int syc_stderr_log_begin(struct syc_stderr_log *log)
{
	const int r = syc_stderr_tee_start(&log->tee);

	log->is_on = r == 0;
	return r;
}

/* Write the line as a LOG frame.  A zero byte does not end the line. */
static void write_line(struct syc_stderr_log *log)
{
	union syc_frame_buffer frame;
	size_t n = log->n;

	if (n > 0 && log->line[n - 1] == '\r')
		n--;
	for (size_t i = 0; i < n; i++)
		if (log->line[i] == '\0')
			/* Readers show the byte 0xFF as unreadable. */
			log->line[i] = '\xFF';
	log->line[n] = '\0';
	syc_compose_log(&frame, log->pid, 0, log->time, SEVERITY_MESSAGE,
	                "stderr", log->line);
	syc_writer_add(log->writer, &frame);
	log->n = 0;
}

/*
 * Return the number of bytes in whole characters.  The first byte of a cut
 * character is one of the last three bytes.
 */
static size_t whole_characters(const char *text, size_t n)
{
	size_t end = n;

	while (end > 0 && n - end < 4 && (text[end - 1] & 0xC0) == 0x80)
		end--;
	if (end > 0 && (text[end - 1] & 0xC0) == 0xC0 && n - end < 3)
		return end - 1;
	return n;
}

static void cut_line(struct syc_stderr_log *log)
{
	char rest[8];
	const size_t whole = whole_characters(log->line, log->n);
	const size_t left = log->n - whole;

	memcpy(rest, log->line + whole, left);
	log->n = whole;
	write_line(log);
	memcpy(log->line, rest, left);
	log->n = left;
}

static void take_bytes(struct syc_stderr_log *log, int64_t time,
                       const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (log->n == 0)
			log->time = time;
		if (bytes[i] == '\n') {
			write_line(log);
			continue;
		}
		log->line[log->n++] = bytes[i];
		if (log->n == sizeof(log->line) - 1)
			cut_line(log);
	}
}

/* Process a piece, and replace missing bytes by a mark in the text. */
static void take_piece(struct syc_stderr_log *log,
                       const struct syc_stderr_tee_piece *piece, size_t n)
{
	char text[64];

	if (piece->lost != 0) {
		log->lost += piece->lost;
		snprintf(text, sizeof(text),
		         "\n(syscap did not record %llu bytes)\n",
		         (unsigned long long)piece->lost);
		take_bytes(log, piece->time, log->n > 0 ? text : text + 1,
		           strlen(log->n > 0 ? text : text + 1));
	}
	take_bytes(log, piece->time, piece->bytes, n);
}

bool syc_stderr_log_take(struct syc_stderr_log *log)
{
	struct syc_stderr_tee_piece piece;

	for (unsigned i = 0; i < AT_ONCE && !log->has_ended; i++) {
		const ssize_t n =
			recv(log->tee.socket, &piece, sizeof(piece), 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n >= (ssize_t)SYC_STDERR_TEE_HEAD)
			take_piece(log, &piece,
			           (size_t)n - SYC_STDERR_TEE_HEAD);
		log->has_all |= n == (ssize_t)SYC_STDERR_TEE_HEAD;
		log->has_ended = n <= 0;
	}
	return !log->has_ended;
}

bool syc_stderr_log_end(struct syc_stderr_log *log)
{
	const int64_t until = syc_now() + WAIT_MAX;
	struct pollfd more = { .fd = log->tee.socket, .events = POLLIN };

	if (!log->is_on)
		return true;
	shutdown(log->tee.socket, SHUT_WR);
	while (!log->has_ended && syc_now() < until) {
		poll(&more, 1, 100);
		syc_stderr_log_take(log);
	}
	if (log->n > 0)
		write_line(log);
	return log->has_all && log->lost == 0;
}

void syc_stderr_log_free(struct syc_stderr_log *log)
{
	if (!log->is_on)
		return;
	close(log->tee.socket);
	if (log->tee.given >= 0)
		close(log->tee.given);
	waitpid(log->tee.pid, NULL, WNOHANG);
}
