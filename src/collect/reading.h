/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading.h - one reading of all sources: their files, texts, values and
 * frames.
 *
 * Values are collected in the order of their calls.  The values of one process
 * form one CTRSET, or several for hundreds of values.  A counter is defined in
 * a frame before its first value.
 */
#ifndef SYC_COLLECT_READING_H
#define SYC_COLLECT_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <syscap/format.h>

#include "base/text.h"
#include "collect/counters.h"

/**
 * A file of /proc or /sys that is read repeatedly.  The file is opened once,
 * and opened again if its device was removed and came back.  Without permission
 * to keep fds the file is opened for each reading.  An all-zero struct is not a
 * file.
 */
struct syc_kept_file {
	int fd_1; /* the fd, plus 1 */
};

/** The buffer for successive files, and their open mode. */
struct syc_kept_place {
	const char *root; /* prefix of /proc and /sys: "" */
	bool keeps;       /* fds may stay open */
	char *buffer;
	size_t size;
};

void syc_kept_file_close(struct syc_kept_file *file);

/* Greatest numbers of definitions and of groups in one frame, which has less
 * than 4 KiB */
#define SYC_READING_DEFINED 31u
#define SYC_READING_GROUPS  42u

/* Greatest size of one file; with a thousand processors /proc/stat has 60
 * KiB */
#define SYC_READING_TEXT (UINT32_C(1) << 20)

/* A counter of the machine, or of the process. */
enum syc_reading_of {
	SYC_READING_SYSTEM,
	SYC_READING_PROCESS,
	SYC_READING_OF
};

enum syc_reading_type {
	SYC_READING_INT,
	SYC_READING_DOUBLE
};

/** Unwritten definitions and values. */
struct syc_reading_frames {
	unsigned n_counters, n_values;
	struct {
		struct syscap_wire_ctrdef ctrdef;
		struct syscap_wire_counter counters[SYC_READING_DEFINED];
	} definitions;
	struct {
		struct syscap_wire_ctrset ctrset;
		struct syscap_wire_values groups[SYC_READING_GROUPS];
	} values;
};

struct syc_reading {
	const struct syc_counters_options *options;
	int64_t now;
	int64_t before; /* time of the last reading; 0: none yet */
	uint64_t defined;
	struct syc_kept_file stat; /* /proc/stat, for two sources */
	const char *stat_text;
	bool has_stat;
	struct syc_kept_place place;      /* place of `text` */
	struct syc_kept_place stat_place; /* place of `of_stat` */
	struct syc_reading_frames frames[SYC_READING_OF];
	char text[SYC_READING_TEXT], of_stat[SYC_READING_TEXT];
};

struct syc_reading_counter {
	enum syc_reading_of of;
	enum syc_reading_type type;
	const char *category, *name, *description;
};

void syc_reading_init(struct syc_reading *reading,
                      const struct syc_counters_options *options);
void syc_reading_fini(struct syc_reading *reading);

/**
 * Define a counter.  Returns an id for its values; 0, which is not a counter,
 * if no id is left.
 */
uint32_t syc_reading_define(struct syc_reading *reading,
                            const struct syc_reading_counter *counter);

/** Set the present value of the counter @id; ignores 0. */
void syc_reading_set(struct syc_reading *reading, uint32_t id, int64_t value);
void syc_reading_set_double(struct syc_reading *reading, uint32_t id,
                            double value);
void syc_reading_set_process(struct syc_reading *reading, uint32_t id,
                             int64_t value);

/** The text of a file, valid until the next file is read; or NULL. */
const char *syc_reading_file(struct syc_reading *reading,
                             struct syc_kept_file *file, const char *path);

/** Read a file that contains a number. */
bool syc_reading_number(struct syc_reading *reading, struct syc_kept_file *file,
                        const char *path, int64_t *ret_number);

/** The text of /proc/stat, which is the same during one reading; or NULL. */
const char *syc_reading_stat(struct syc_reading *reading);

void syc_reading_begin(struct syc_reading *reading, int64_t now);

/** Write the remaining definitions, then the values. */
void syc_reading_end(struct syc_reading *reading);

/* The recorded process: /proc/PID/stat. */

struct syc_own_process {
	int64_t minor_faults, major_faults;
	int64_t threads;
	int64_t resident; /* pages */
};

/** False: no such process, or it has ended. */
bool syc_own_process_read(struct syc_kept_file *file,
                          struct syc_reading *reading,
                          struct syc_own_process *ret_process);

/**
 * Define a counter of the command, in the category "Process".  Returns its id.
 */
uint32_t syc_own_process_define(struct syc_reading *reading, const char *name,
                                const char *description);

/* The source of a group of counters. */

struct syc_counter_source {
	size_t size; /* size of its state, all zero at first */
	void (*read)(void *state, struct syc_reading *reading);
	void (*fini)(void *state);
};

extern const struct syc_counter_source syc_source_cpu, syc_source_memory,
	syc_source_disk, syc_source_net, syc_source_energy, syc_source_battery,
	syc_source_sched, syc_source_psi;

/*
 * Words and numbers in texts of the kernel, and names of its files.
 */

/** The line after the line of @text, or NULL. */
static inline const char *syc_lines_next(const char *text)
{
	const char *const end = strchr(text, '\n');

	return end != NULL && end[1] != '\0' ? end + 1 : NULL;
}

static inline const char *syc_lines_blank(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/** Parse the next number; returns the text after the number.  NULL: no
 * number. */
static inline const char *syc_lines_take(const char *at, int64_t *ret_number)
{
	uint64_t number;
	bool is_negative;

	if (at == NULL)
		return NULL;
	at = syc_lines_blank(at);
	is_negative = *at == '-';
	const char *const end = syc_text_take(at + is_negative, 10, &number);
	if (end == at + is_negative)
		return NULL;
	*ret_number = is_negative ? -(int64_t)number : (int64_t)number;
	return end;
}

/**
 * Copy the next word, up to a blank, a line's end or @end, into @size bytes.
 * Returns the text after the word.  NULL: no word, or the word does not fit.
 */
static inline const char *syc_lines_word(const char *at, char end, char *word,
                                         size_t size)
{
	size_t n = 0;

	if (at == NULL)
		return NULL;
	for (at = syc_lines_blank(at);
	     *at != '\0' && *at != ' ' && *at != '\n' && *at != end && n < size;
	     at++)
		word[n++] = *at;
	if (n == 0 || n == size)
		return NULL;
	word[n] = '\0';
	return at;
}

/** Skip @n words. */
static inline const char *syc_lines_skip(const char *at, unsigned n)
{
	while (at != NULL && n-- > 0) {
		at = syc_lines_blank(at);
		if (*at == '\0' || *at == '\n')
			return NULL;
		at += strcspn(at, " \t\n");
	}
	return at;
}

/** Find the number after @key, which is at the beginning of a line of @text. */
static inline bool syc_lines_number(const char *text, const char *key,
                                    int64_t *ret_number)
{
	const size_t len = strlen(key);

	while (text != NULL && strncmp(text, key, len) != 0)
		text = syc_lines_next(text);
	return text != NULL && syc_lines_take(text + len, ret_number) != NULL;
}

#define SYC_PATH_MAX 192u

/**
 * Join @parts, up to NULL, into SYC_PATH_MAX bytes.  False: the parts do not
 * fit.
 */
static inline bool syc_path_make(char *path, const char *const *parts)
{
	struct syc_text text = syc_text_begin(path, SYC_PATH_MAX);
	size_t len = 0;

	for (; *parts != NULL; parts++) {
		len += strlen(*parts);
		syc_text_add(&text, *parts);
	}
	return len < SYC_PATH_MAX;
}

#endif
