/* SPDX-License-Identifier: BSD-2-Clause */
/* terminal.c - modes of the terminal, restored on every way out. */
#define _GNU_SOURCE
#include "view/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "capture/input_file.h"

/* Other screen, no cursor, lines that end at the edge, mouse, paste. */
#define TAKE                                            \
	"\33[?1049h\33[?25l\33[?7l\33[?1000h\33[?1006h" \
	"\33[?2004h\33[H\33[2J"
#define GIVE_BACK                                        \
	"\33[?2026l\33[0m\33[?2004l\33[?1006l\33[?1000l" \
	"\33[?7h\33[?25h\33[?1049l"
#define BEGIN_PICTURE "\33[?2026h"
#define END_PICTURE   "\33[?2026l"

#define STACK_SIZE 65536

/* Read by handlers: their data is complete before they are installed, and
 * is_ours states whether there is something to restore. */
static struct {
	int fd;
	struct termios before, ours;
	volatile sig_atomic_t is_ours;
	volatile sig_atomic_t is_resized;
	struct sigaction old[NSIG]; /* previous handlers */
	bool is_handled[NSIG];
	sigset_t mask; /* while it waits */
	bool is_gone;
	void *stack;
} terminal = { .fd = -1 };

static void write_all(const char *bytes, size_t n)
{
	while (n > 0) {
		const ssize_t done = write(terminal.fd, bytes, n);

		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (done > 0) {
			bytes += done;
			n -= (size_t)done;
		}
	}
}

/* In handlers, too. */
static void give_back(void)
{
	if (!terminal.is_ours)
		return;
	write_all(GIVE_BACK, sizeof(GIVE_BACK) - 1);
	tcsetattr(terminal.fd, TCSADRAIN, &terminal.before);
	/* Last: a signal before this repeats everything. */
	terminal.is_ours = 0;
}

static void take(void)
{
	/* First: a signal after this restores the terminal. */
	terminal.is_ours = 1;
	/* In the background this would stop us, or fail. */
	tcsetattr(terminal.fd, TCSADRAIN, &terminal.ours);
	write_all(TAKE, sizeof(TAKE) - 1);
	terminal.is_resized = 1;
}

/* Restore the terminal, then let the signal end the process. */
static void end_by(int signo, siginfo_t *info, void *context)
{
	const int kept = errno;

	(void)context;
	/* A SIGBUS of a truncated capture does not end the viewer; one that
	 * was sent does. */
	if (signo == SIGBUS && info->si_code > 0 &&
	    syc_mapping_mend(info->si_addr))
		return;
	give_back();
	sigaction(signo, &terminal.old[signo], NULL);
	/* The signal is sent again on return; a fault repeats itself. */
	raise(signo);
	errno = kept;
}

static void note_size(int signo)
{
	(void)signo;
	terminal.is_resized = 1;
}

/* Only while syc_terminal_wait() waits. */
static void stop_by(int signo)
{
	sigset_t unblocked, old;

	give_back();
	signal(signo, SIG_DFL);
	sigemptyset(&unblocked);
	sigaddset(&unblocked, signo);
	raise(signo);
	sigprocmask(SIG_UNBLOCK, &unblocked, &old);
	/* ... stopped; continues here. */
	sigprocmask(SIG_SETMASK, &old, NULL);
	sigaction(signo, &(struct sigaction){ .sa_handler = stop_by }, NULL);
	take();
}

static void handle(int signo, const struct sigaction *action)
{
	if (sigaction(signo, NULL, &terminal.old[signo]) != 0)
		return;
	if ((terminal.old[signo].sa_flags & SA_SIGINFO) == 0 &&
	    terminal.old[signo].sa_handler == SIG_IGN)
		return;
	terminal.is_handled[signo] = sigaction(signo, action, NULL) == 0;
}

/* All signals that end a process, unless they are ignored. */
static void handle_signals(void)
{
	static const int harmless[] = { SIGCHLD,  SIGCONT, SIGURG,
		                        SIGWINCH, SIGKILL, SIGSTOP,
		                        SIGTSTP,  SIGTTIN, SIGTTOU };
	const struct sigaction ends = { .sa_sigaction = end_by,
		                        .sa_flags = SA_SIGINFO | SA_ONSTACK };
	const struct sigaction resizes = { .sa_handler = note_size };
	const struct sigaction stops = { .sa_handler = stop_by };
	sigset_t waited_for;
	bool is_harmless[NSIG] = { false };

	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		is_harmless[harmless[i]] = true;
	for (int signo = 1; signo < NSIG; signo++)
		if (!is_harmless[signo])
			handle(signo, &ends);
	sigemptyset(&waited_for);
	sigaddset(&waited_for, SIGWINCH);
	sigaddset(&waited_for, SIGTSTP);
	sigprocmask(SIG_BLOCK, &waited_for, &terminal.mask);
	handle(SIGWINCH, &resizes);
	handle(SIGTSTP, &stops);
}

static void forget_signals(void)
{
	for (int signo = 1; signo < NSIG; signo++)
		if (terminal.is_handled[signo])
			sigaction(signo, &terminal.old[signo], NULL);
	memset(terminal.is_handled, 0, sizeof(terminal.is_handled));
	sigprocmask(SIG_SETMASK, &terminal.mask, NULL);
}

/* An overflowed stack can't run the handler. */
static void make_stack(void)
{
	terminal.stack = malloc(STACK_SIZE);
	if (terminal.stack != NULL)
		sigaltstack(&(stack_t){ .ss_sp = terminal.stack,
		                        .ss_size = STACK_SIZE },
		            NULL);
}

int syc_terminal_open(void)
{
	int r;

	terminal.fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (terminal.fd < 0)
		return -ENOTTY;
	if (tcgetattr(terminal.fd, &terminal.before) != 0) {
		r = -errno;
		close(terminal.fd);
		terminal.fd = -1;
		return r;
	}
	terminal.ours = terminal.before;
	cfmakeraw(&terminal.ours);
	terminal.ours.c_oflag |= OPOST | ONLCR; /* messages of others */
	terminal.is_gone = false;
	make_stack();
	handle_signals();
	atexit(give_back);
	take();
	return 0;
}

void syc_terminal_close(void)
{
	if (terminal.fd < 0)
		return;
	give_back();
	forget_signals();
	sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
	free(terminal.stack);
	close(terminal.fd);
	terminal.fd = -1;
}

void syc_terminal_size(int *ret_width, int *ret_height)
{
	struct winsize size;

	*ret_width = 80;
	*ret_height = 24;
	if (ioctl(terminal.fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
	    size.ws_row > 0) {
		*ret_width = size.ws_col;
		*ret_height = size.ws_row;
	}
}

unsigned syc_terminal_wait(int timeout_ms)
{
	struct pollfd look = { .fd = terminal.fd, .events = POLLIN };
	const struct timespec timeout = { timeout_ms / 1000,
		                          timeout_ms % 1000 * 1000000L };
	unsigned found = 0;
	int n = 0;

	if (!terminal.is_resized)
		n = ppoll(&look, 1, timeout_ms < 0 ? NULL : &timeout,
		          &terminal.mask);
	if (terminal.is_resized) {
		terminal.is_resized = 0;
		found |= SYC_TERMINAL_RESIZED;
	}
	if (terminal.is_gone ||
	    (n > 0 && (look.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0))
		found |= SYC_TERMINAL_GONE;
	else if (n > 0)
		found |= SYC_TERMINAL_INPUT;
	return found;
}

long syc_terminal_read(unsigned char *bytes, size_t size)
{
	const ssize_t n = read(terminal.fd, bytes, size);

	if (n == 0 || (n < 0 && errno == EIO))
		terminal.is_gone = true;
	return n < 0 ? -errno : n;
}

int syc_terminal_write(const char *bytes, size_t n)
{
	write_all(BEGIN_PICTURE, sizeof(BEGIN_PICTURE) - 1);
	write_all(bytes, n);
	write_all(END_PICTURE, sizeof(END_PICTURE) - 1);
	return 0;
}

void syc_terminal_stop(void)
{
	/* The whole job, as the terminal would have. */
	kill(0, SIGTSTP);
}
