/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demo.c - a program that counts the words in all files below a directory, with
 * four threads, and records its use of time by <syscap.h>.
 *
 *	syscap record --sample -o demo.syscap -- syscap-demo FOLDER
 *	syscap stat demo.syscap
 *
 * Workers take files from a list.  "read" is the time in the kernel, "scan" the
 * time over the bytes, and "merge" the time with the lock of the common table.
 * The main thread draws a status line 60 times a second, as a program with a
 * window would: "frame", and "sort" within it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#define N_WORKERS 4
#define MAX_FILES 20000
#define MAX_BYTES (4 << 20) /* maximum size of one file */
#define N_SLOTS   (1 << 17)
#define WORD_MAX  24
#define N_TOP     5

SYSCAP_COUNTER(files_done, "demo", "files", "Files counted so far",
               SYSCAP_INT64);
SYSCAP_COUNTER(bytes_done, "demo", "bytes", "Bytes read so far", SYSCAP_INT64);
SYSCAP_COUNTER(busy, "demo", "load", "Share of workers at work", SYSCAP_DOUBLE);

struct word {
	char text[WORD_MAX];
	uint64_t count;
};

struct table {
	/* hash table with open addressing, of N_SLOTS slots */
	struct word *slots;
	size_t n_used;
};

static char *files[MAX_FILES];
static size_t n_files;
static size_t next_file; /* atomic */
static size_t n_done;    /* atomic */
static int64_t n_bytes;  /* atomic */
static int n_busy;       /* atomic */
static struct table all_words;
static pthread_mutex_t all_words_lock = PTHREAD_MUTEX_INITIALIZER;

static void count_word(struct table *table, const char *text, size_t len,
                       uint64_t count)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	for (uint32_t i = hash;; i++) {
		struct word *const word = &table->slots[i % N_SLOTS];

		if (word->count == 0) {
			if (table->n_used > N_SLOTS / 2)
				return; /* the table is half full */
			memcpy(word->text, text, len);
			table->n_used++;
		} else if (memcmp(word->text, text, len) != 0 ||
		           word->text[len] != '\0') {
			continue;
		}
		word->count += count;
		return;
	}
}

static void scan(struct table *table, const char *bytes, size_t size)
{
	size_t begin = 0;

	SYSCAP_SCOPE("demo", "scan");
	for (size_t i = 0; i <= size; i++) {
		if (i < size &&
		    (isalnum((unsigned char)bytes[i]) || bytes[i] == '_'))
			continue;
		if (i - begin >= 3 && i - begin < WORD_MAX)
			count_word(table, bytes + begin, i - begin, 1);
		begin = i + 1;
	}
}

static ssize_t read_file(const char *path, char *buffer)
{
	const int64_t begin = syscap_begin();
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1, size = 0;

	if (fd >= 0) {
		while (size < MAX_BYTES &&
		       (n = read(fd, buffer + size,
		                 (size_t)(MAX_BYTES - size))) > 0)
			size += n;
		close(fd);
	}
	SYSCAP_MARK_SINCE("demo", "read", begin, path);
	if (n < 0) {
		SYSCAP_LOG_PRINTF(SYSCAP_WARNING, "demo", "%s: %m", path);
		return -1;
	}
	return size;
}

static void merge(struct table *table)
{
	SYSCAP_SCOPE("demo", "merge");
	pthread_mutex_lock(&all_words_lock);
	for (size_t i = 0; i < N_SLOTS; i++) {
		const struct word *const word = &table->slots[i];

		if (word->count != 0)
			count_word(&all_words, word->text, strlen(word->text),
			           word->count);
	}
	pthread_mutex_unlock(&all_words_lock);
	memset(table->slots, 0, N_SLOTS * sizeof(*table->slots));
	table->n_used = 0;
}

static void *work(void *unused)
{
	struct table table = { .slots = calloc(N_SLOTS, sizeof(struct word)) };
	char *const buffer = malloc(MAX_BYTES);
	size_t i;

	if (table.slots == NULL || buffer == NULL)
		exit(1);
	__atomic_add_fetch(&n_busy, 1, __ATOMIC_RELAXED);
	while ((i = __atomic_fetch_add(&next_file, 1, __ATOMIC_RELAXED)) <
	       n_files) {
		const ssize_t size = read_file(files[i], buffer);

		if (size > 0)
			scan(&table, buffer, (size_t)size);
		if (table.n_used > N_SLOTS / 8)
			merge(&table);
		__atomic_add_fetch(&n_bytes, size > 0 ? size : 0,
		                   __ATOMIC_RELAXED);
		__atomic_add_fetch(&n_done, 1, __ATOMIC_RELAXED);
	}
	merge(&table);
	__atomic_sub_fetch(&n_busy, 1, __ATOMIC_RELAXED);
	free(table.slots);
	free(buffer);
	return unused;
}

static void sort_top(const struct word **top)
{
	SYSCAP_SCOPE("demo", "sort");
	memset(top, 0, N_TOP * sizeof(*top));
	pthread_mutex_lock(&all_words_lock);
	for (size_t i = 0; i < N_SLOTS; i++) {
		const struct word *word = &all_words.slots[i];

		for (int j = 0; j < N_TOP && word->count != 0; j++) {
			if (top[j] != NULL && top[j]->count >= word->count)
				continue;
			const struct word *const rest = top[j];
			top[j] = word;
			word = rest;
			if (word == NULL)
				break;
		}
	}
	pthread_mutex_unlock(&all_words_lock);
}

static void draw_frame(char *line, size_t size)
{
	const struct word *top[N_TOP];
	const size_t done = __atomic_load_n(&n_done, __ATOMIC_RELAXED);

	SYSCAP_SCOPE("demo", "frame");
	SYSCAP_COUNTER_SET(files_done, done);
	SYSCAP_COUNTER_SET(bytes_done,
	                   __atomic_load_n(&n_bytes, __ATOMIC_RELAXED));
	SYSCAP_COUNTER_UPDATE(busy, __atomic_load_n(&n_busy, __ATOMIC_RELAXED) /
	                                    (double)N_WORKERS);
	sort_top(top);
	int at = snprintf(line, size, "%zu files, most used:", done);
	for (int i = 0; i < N_TOP && top[i] != NULL; i++)
		at += snprintf(line + at, size - (size_t)at, " %s (%llu)",
		               top[i]->text, (unsigned long long)top[i]->count);
}

static int add_file(const char *path, const struct stat *st, int kind,
                    struct FTW *ftw)
{
	(void)st;
	if (kind == FTW_D && ftw->level > 0 && path[ftw->base] == '.')
		return FTW_SKIP_SUBTREE;
	if (kind == FTW_F && n_files < MAX_FILES)
		files[n_files++] = strdup(path);
	return FTW_CONTINUE;
}

int main(int argc, char **argv)
{
	static char line[1024];
	pthread_t threads[N_WORKERS];

	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	const int64_t begin = syscap_begin();
	if (nftw(argv[1], add_file, 32, FTW_PHYS | FTW_ACTIONRETVAL) != 0) {
		perror(argv[1]);
		return 1;
	}
	SYSCAP_MARK_SINCE("demo", "find files", begin, argv[1]);
	SYSCAP_LOG_PRINTF(SYSCAP_MESSAGE, "demo", "%zu files to read", n_files);
	SYSCAP_METADATA("demo.folder", argv[1]);
	all_words.slots = calloc(N_SLOTS, sizeof(struct word));
	if (all_words.slots == NULL)
		return 1;
	for (int i = 0; i < N_WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	do {
		draw_frame(line, sizeof(line));
		nanosleep(&(struct timespec){ .tv_nsec = 16000000 }, NULL);
	} while (__atomic_load_n(&n_done, __ATOMIC_RELAXED) < n_files);
	for (int i = 0; i < N_WORKERS; i++)
		pthread_join(threads[i], NULL);
	draw_frame(line, sizeof(line));
	puts(line);
	for (size_t i = 0; i < n_files; i++)
		free(files[i]);
	free(all_words.slots);
	return 0;
}
