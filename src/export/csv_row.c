/* SPDX-License-Identifier: BSD-2-Clause */
/* csv_row.c - what rows of csv tables are made of. */
#define _GNU_SOURCE
#include "export/csv_row.h"

#include <string.h>

#include "data/digits.h"

void syc_csv_text(FILE *out, const char *text)
{
	putc_unlocked('"', out);
	for (;;) {
		const size_t run = (size_t)(strchrnul(text, '"') - text);

		fwrite_unlocked(text, 1, run, out);
		text += run;
		if (*text == 0)
			break;
		fputs_unlocked("\"\"", out);
		text++;
	}
	putc_unlocked('"', out);
}

static void write_digits(FILE *out, int64_t value)
{
	char text[SYC_DIGITS_SIZE], *const end = text + sizeof(text);
	const char *first = syc_digits_signed(end, value);

	fwrite_unlocked(first, 1, (size_t)(end - first), out);
}

void syc_csv_integer(FILE *out, int64_t value, const char *behind)
{
	write_digits(out, value);
	fputs_unlocked(behind, out);
}

void syc_csv_thread(const struct syc_export *export, uint32_t number)
{
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	size_t ignored;

	threads = syscap_profile_threads(export->profile, &ignored);
	processes = syscap_profile_processes(export->profile, &ignored);
	const int32_t pid = processes[threads[number].process].pid;

	if (pid >= 0)
		write_digits(export->out, pid);
	putc_unlocked(',', export->out);
	if (threads[number].tid >= 0)
		write_digits(export->out, threads[number].tid);
	putc_unlocked(',', export->out);
}
