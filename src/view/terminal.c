/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * terminal.c - the terminal: modes, which every exit restores, keys and mouse
 * events.
 */
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

#include "capture/files.h"
#include "common/strings.h"

/* Modes of the viewer: other screen, no cursor, lines that end at the edge,
 * mouse, paste. */
#define TAKE                                            \
	"\33[?1049h\33[?25l\33[?7l\33[?1000h\33[?1006h" \
	"\33[?2004h\33[H\33[2J"
#define GIVE_BACK                                        \
	"\33[?2026l\33[0m\33[?2004l\33[?1006l\33[?1000l" \
	"\33[?7h\33[?25h\33[?1049l"
#define BEGIN_PICTURE "\33[?2026h"
#define END_PICTURE   "\33[?2026l"

#define STACK_SIZE 65536

/*
 * Handlers read this data, which is complete before handlers are installed.
 * is_taken states whether the terminal must be restored.
 */
static struct {
	int fd;
	struct termios before, ours;
	volatile sig_atomic_t is_taken;
	volatile sig_atomic_t is_resized;
	struct sigaction old[NSIG]; /* the previous handlers */
	bool is_handled[NSIG];
	sigset_t mask; /* signal mask while the viewer waits */
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

/* This function also runs in handlers. */
static void give_back(void)
{
	if (!terminal.is_taken)
		return;
	write_all(GIVE_BACK, sizeof(GIVE_BACK) - 1);
	tcsetattr(terminal.fd, TCSADRAIN, &terminal.before);
	/*
	 * Clear is_taken last: a signal before this statement restores
	 * everything again.
	 */
	terminal.is_taken = 0;
}

static void take(void)
{
	/*
	 * Set is_taken first: a signal after this statement restores the
	 * terminal.
	 */
	terminal.is_taken = 1;
	/* In the background, this call would stop the viewer, or fail. */
	tcsetattr(terminal.fd, TCSADRAIN, &terminal.ours);
	write_all(TAKE, sizeof(TAKE) - 1);
	terminal.is_resized = 1;
}

/* Restore the terminal, then let the signal end the process. */
static void end_by(int signo, siginfo_t *info, void *context)
{
	const int kept = errno;

	(void)context;
	/*
	 * A SIGBUS of a truncated capture does not end the viewer, but a SIGBUS
	 * that was sent ends it.
	 */
	if (signo == SIGBUS && info->si_code > 0 &&
	    syc_mapping_mend(info->si_addr))
		return;
	give_back();
	sigaction(signo, &terminal.old[signo], NULL);
	/* A signal that was sent is sent again on return, and a fault repeats
	 * itself. */
	raise(signo);
	errno = kept;
}

static void note_size(int signo)
{
	(void)signo;
	terminal.is_resized = 1;
}

/* Stop the viewer; called only while syc_terminal_wait() waits. */
static void stop_by(int signo)
{
	sigset_t unblocked, old;

	give_back();
	signal(signo, SIG_DFL);
	sigemptyset(&unblocked);
	sigaddset(&unblocked, signo);
	raise(signo);
	sigprocmask(SIG_UNBLOCK, &unblocked, &old);
	/* The stopped process continues here. */
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

/* Handle all signals that end a process, unless ignored. */
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

/*
 * Make a stack for handlers, since an overflowed stack can't run the handler.
 */
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
	/* Messages of other processes need these flags. */
	terminal.ours.c_oflag |= OPOST | ONLCR;
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
	/* Stop the whole job, as the terminal does. */
	kill(0, SIGTSTP);
}

/* Keys and mouse events from the bytes that a terminal sends. */

#define ESC 27
#define DEL 127

/* Numbers of a control sequence; further numbers are ignored. */
#define N_NUMBERS 4

unsigned char *syc_input_room(struct syc_input *input, size_t *ret_size)
{
	*ret_size = sizeof(input->bytes) - input->n;
	return input->bytes + input->n;
}

static void consume(struct syc_input *input, size_t n)
{
	input->n -= n;
	memmove(input->bytes, input->bytes + n, input->n);
}

static enum syc_key key_of_letter(unsigned char letter)
{
	switch (letter) {
	case 'A':
		return SYC_KEY_UP;
	case 'B':
		return SYC_KEY_DOWN;
	case 'C':
		return SYC_KEY_RIGHT;
	case 'D':
		return SYC_KEY_LEFT;
	case 'H':
		return SYC_KEY_HOME;
	case 'F':
		return SYC_KEY_END;
	case 'Z':
		return SYC_KEY_BACK_TAB;
	case 'M':
		return SYC_KEY_ENTER;
	default:
		return SYC_KEY_NONE;
	}
}

static enum syc_key key_of_number(struct syc_input *input, unsigned number)
{
	switch (number) {
	case 1:
	case 7:
		return SYC_KEY_HOME;
	case 4:
	case 8:
		return SYC_KEY_END;
	case 5:
		return SYC_KEY_PAGE_UP;
	case 6:
		return SYC_KEY_PAGE_DOWN;
	case 200:
		input->is_paste = true;
		return SYC_KEY_NONE;
	case 201:
		input->is_paste = false;
		return SYC_KEY_NONE;
	default:
		return SYC_KEY_NONE;
	}
}

/* Handle presses of buttons, and the wheel. */
static void take_mouse(const unsigned *numbers, unsigned char last,
                       struct syc_input_event *event)
{
	event->x = (int)numbers[1] - 1;
	event->y = (int)numbers[2] - 1;
	if (last != 'M' || event->x < 0 || event->y < 0)
		return;
	switch (numbers[0] & ~28u) { /* button without the bits of Shift, Alt
	                              * and Control */
	case 0:
		event->key = SYC_KEY_CLICK;
		break;
	case 2:
		event->key = SYC_KEY_BACK_CLICK;
		break;
	case 64:
		event->key = SYC_KEY_WHEEL_UP;
		break;
	case 65:
		event->key = SYC_KEY_WHEEL_DOWN;
		break;
	}
}

/* Parse a control sequence.  Returns the length of the sequence; 0:
 * incomplete. */
static size_t take_sequence(struct syc_input *input,
                            struct syc_input_event *event)
{
	unsigned numbers[N_NUMBERS] = { 0 }, n = 0;
	const unsigned char *bytes = input->bytes;
	size_t at = 2;

	for (; at < input->n && bytes[at] < 0x40; at++) {
		if (bytes[at] < 0x20)
			return at; /* the sequence was broken off */
		if (bytes[at] == ';')
			n++;
		else if (bytes[at] >= '0' && bytes[at] <= '9' &&
		         n < N_NUMBERS && numbers[n] < 100000)
			numbers[n] = numbers[n] * 10 + bytes[at] - '0';
	}
	if (at == input->n)
		return at == sizeof(input->bytes) ? at : 0;
	if (bytes[2] == '<')
		take_mouse(numbers, bytes[at], event);
	else if (bytes[at] == '~')
		event->key = key_of_number(input, numbers[0]);
	else
		event->key = key_of_letter(bytes[at]);
	return at + 1;
}

static size_t take_escape(struct syc_input *input,
                          struct syc_input_event *event)
{
	if (input->n == 1)
		return 0;
	if (input->bytes[1] == '[')
		return input->n == 2 ? 0 : take_sequence(input, event);
	if (input->bytes[1] == 'O') {
		if (input->n == 2)
			return 0;
		event->key = key_of_letter(input->bytes[2]);
		return 3;
	}
	event->key = SYC_KEY_ESCAPE;
	return 1;
}

static size_t take_character(struct syc_input *input, bool is_late,
                             struct syc_input_event *event)
{
	char text[5] = { 0 };
	uint32_t point;
	size_t len;

	memcpy(text, input->bytes, input->n < 4 ? input->n : 4);
	len = syc_utf8_next(text, &point);
	if (len == 0) {
		/* The bytes may be the beginning of a key. */
		if (point == input->n && input->n < 4 && !is_late)
			return 0;
		return point;
	}
	event->key = SYC_KEY_CHARACTER;
	event->point = point;
	return len;
}

static size_t take_control(unsigned char byte, struct syc_input_event *event)
{
	if (byte == '\r' || byte == '\n') {
		event->key = SYC_KEY_ENTER;
	} else if (byte == '\t') {
		event->key = SYC_KEY_TAB;
	} else if (byte == DEL || byte == '\b') {
		event->key = SYC_KEY_BACKSPACE;
	} else if (byte >= 1 && byte <= 26) {
		event->key = SYC_KEY_CONTROL;
		event->point = 'a' + byte - 1u;
	}
	return 1;
}

bool syc_input_next(struct syc_input *input, bool is_late,
                    struct syc_input_event *ret_event)
{
	struct syc_input_event event = { .key = SYC_KEY_NONE };
	size_t n;

	if (input->n == 0)
		return false;
	if (input->bytes[0] == ESC) {
		n = take_escape(input, &event);
		if (n == 0 && is_late) {
			event.key = SYC_KEY_ESCAPE;
			n = 1;
		}
	} else if (input->bytes[0] < ' ' || input->bytes[0] == DEL) {
		n = take_control(input->bytes[0], &event);
	} else {
		n = take_character(input, is_late, &event);
	}
	if (n == 0)
		return false;
	consume(input, n);
	/* Pasted bytes are text, even if they look like keys. */
	if (input->is_paste)
		event.key = event.key == SYC_KEY_CHARACTER ? SYC_KEY_PASTED
		                                           : SYC_KEY_NONE;
	*ret_event = event;
	return true;
}
