/* SPDX-License-Identifier: BSD-2-Clause */
/* signalfds.c - the program's signalfds for whatever signal comes. */
#define _GNU_SOURCE
#include "sample/signalfds.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "os/directory.h"
#include "os/fd.h"
#include "os/signals.h"
#include "sample/signals.h"
#include "sample/unwatched.h"

#define FOLDER "/proc/self/fdinfo"
#define MASK   "\nsigmask:\t" /* 16 digits follow */

#define MADE_MAX 16u
#define LOOK_MAX 1024u

/* The kernel's digits, in lower case; ends at what is none. */
static uint64_t read_number(const char *at, unsigned base)
{
	uint64_t value = 0;

	for (;; at++) {
		const unsigned char c = (unsigned char)*at;

		if (c >= '0' && c <= '9')
			value = value * base + (c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			value = value * base + (c - 'a' + 10u);
		else
			return value;
	}
}

/* The set of the signalfd of that number.  0: it is none. */
static uint64_t read_set(const char *number)
{
	char path[sizeof(FOLDER) + 16], about[512];
	struct syc_text text = syc_text_begin(path, sizeof(path));

	syc_text_add(&text, FOLDER "/");
	syc_text_add(&text, number);
	if (syc_small_file_read(path, about, sizeof(about)) == 0)
		return 0;
	const char *const at = strstr(about, MASK);
	return at != NULL ? read_number(at + strlen(MASK), 16) : 0;
}

/* It may be something else by now: then the kernel says EINVAL, or EBADF. */
static bool set_signals(int fd, uint64_t set)
{
	return syscall(SYS_signalfd4, fd, &set, sizeof(set), 0) == fd;
}

/* One that names few signals is the program's own choice. */
static void leave_out(const char *number, int signal)
{
	const uint64_t set = read_set(number);

	if (syc_signals_are_all(set) && (set & syc_signal_bit(signal)) != 0)
		set_signals((int)read_number(number, 10),
		            set & ~syc_signal_bit(signal));
}

/* Numbers that were closed may have had another one for the same: look at
 * those that are there, but not at more than a program has, mostly. */
static void leave_out_of_all(int signal)
{
	struct syc_directory_entry entry;
	struct syc_directory folder;
	const int dir = syc_directory_open(FOLDER);

	if (dir < 0)
		return;
	syc_directory_begin(&folder, dir);
	for (unsigned n = 0;
	     n < LOOK_MAX && syc_directory_next(&folder, &entry); n++)
		leave_out(entry.name, signal);
	syc_directory_close(dir);
}

/* Those that this process made.  Relaxed: threads that make the same number one
 * at a time know what they do. */
static struct {
	int32_t pid;
	bool is_full;
	struct {
		int32_t number; /* 1 + that; 0: free */
		uint64_t set;
	} made[MADE_MAX];
} known;

static void leave_out_of_known(int signal)
{
	bool are_gone = known.is_full;

	if (known.pid != getpid())
		return;
	for (unsigned i = 0; i < MADE_MAX; i++) {
		const int32_t number = __atomic_load_n(&known.made[i].number,
		                                       __ATOMIC_RELAXED);
		const uint64_t set =
			__atomic_load_n(&known.made[i].set, __ATOMIC_RELAXED) &
			~syc_signal_bit(signal);

		if (number != 0 && syc_signals_are_all(set) &&
		    !set_signals(number - 1, set))
			are_gone = true;
	}
	if (are_gone)
		leave_out_of_all(signal);
}

/* False: it is neither there nor free. */
static bool note_at(unsigned i, int32_t number, uint64_t set)
{
	int32_t before = 0;

	if (!__atomic_compare_exchange_n(&known.made[i].number, &before, number,
	                                 false, __ATOMIC_RELAXED,
	                                 __ATOMIC_RELAXED) &&
	    before != number)
		return false;
	__atomic_store_n(&known.made[i].set, set, __ATOMIC_RELAXED);
	return true;
}

void syc_signalfds_note(int fd, uint64_t set)
{
	const int32_t pid = getpid();

	if (known.pid != pid) {
		if (known.pid != 0) /* a forked child, which has one thread */
			memset(&known, 0, sizeof(known));
		known.pid = pid;
	}
	__atomic_store_n(&syc_unwatched_before_ticks, leave_out_of_known,
	                 __ATOMIC_RELAXED);
	for (unsigned i = 0; i < MADE_MAX; i++)
		if (note_at(i, fd + 1, set))
			return;
	known.is_full = true;
}
