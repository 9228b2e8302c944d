/* SPDX-License-Identifier: BSD-2-Clause */
/* signalfds.c - the program's signalfds for whatever signal comes. */
#define _GNU_SOURCE
#include "sample/signalfds.h"

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "os/all_signals.h"
#include "os/folder.h"
#include "os/small_file.h"
#include "sample/signals.h"
#include "sample/unwatched.h"

#define FOLDER "/proc/self/fdinfo"
#define MASK   "\nsigmask:\t" /* 16 digits follow */

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

/* One that names few signals is the program's own choice.  Another thread may
 * close it, and open something else: then the kernel says EINVAL. */
static void leave_out(const char *number, int signal)
{
	const int fd = (int)read_number(number, 10);
	uint64_t set = read_set(number);

	if (!syc_signals_are_all(set) || (set & syc_signal_bit(signal)) == 0)
		return;
	set &= ~syc_signal_bit(signal);
	syscall(SYS_signalfd4, fd, &set, sizeof(set), 0);
}

static void leave_out_of_all(int signal)
{
	struct syc_folder_entry entry;
	struct syc_folder folder;
	const int dir = syc_folder_open(FOLDER);

	if (dir < 0)
		return;
	syc_folder_begin(&folder, dir);
	while (syc_folder_next(&folder, &entry))
		leave_out(entry.name, signal);
	syc_folder_close(dir);
}

/* A forked child inherits it, as it does the files. */
void syc_signalfds_note(void)
{
	__atomic_store_n(&syc_unwatched_before_ticks, leave_out_of_all,
	                 __ATOMIC_RELAXED);
}
