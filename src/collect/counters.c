/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - counters of the kernel as counters of a capture, and requests for
 * them as text. */
#define _GNU_SOURCE
#include "collect/counters.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "base/frame.h"
#include "base/text.h"
#include "collect/reading.h"

/* Several chunks fit into the smallest ring of a process that records
 * itself. */
#define CHUNK 8192u

static void embed_as(struct syc_reading *reading, const char *from,
                     const char *path, int64_t now)
{
	_Alignas(8) unsigned char buffer[CHUNK];
	const struct syc_file_chunks chunks = {
		.path = path,
		.time = now,
		.buffer = buffer,
		.size = sizeof(buffer),
		.emit = reading->options->emit,
		.context = reading->options->context,
	};
	struct syc_kept_file file = { 0 };
	const char *const text = syc_reading_file(reading, &file, from);

	if (text != NULL && *text != '\0')
		syc_file_chunks_emit(&chunks, text, strlen(text));
	syc_kept_file_close(&file);
}

static void embed_machine(struct syc_reading *reading, int64_t now)
{
	char from[SYC_PATH_MAX], path[SYC_PATH_MAX], pid[16];
	struct syc_text text = syc_text_begin(pid, sizeof(pid));

	embed_as(reading, "/proc/cpuinfo", "/proc/cpuinfo", now);
	embed_as(reading, "/proc/mounts", "/proc/mounts", now);
	embed_as(reading, "/etc/os-release", "/etc/os-release", now);
	if (reading->options->pid <= 0)
		return;
	syc_text_add_i64(&text, reading->options->pid);
	syc_path_make(path,
	              (const char *[]){ "/proc/", pid, "/mountinfo", NULL });
	syc_path_make(from,
	              (const char *[]){ "/proc/", reading->options->process,
	                                "/mountinfo", NULL });
	embed_as(reading, from, path, now);
}

/* The sources, in the order of `names` */
static const struct syc_counter_source *const sources[] = {
	&syc_source_cpu,   &syc_source_memory, &syc_source_disk,
	&syc_source_net,   &syc_source_energy, &syc_source_battery,
	&syc_source_sched, &syc_source_psi,
};

_Static_assert(sizeof(sources) / sizeof(sources[0]) == SYC_COUNTERS_GROUPS,
               "a bit each");

struct syc_counter_groups {
	struct syc_counters_options options;
	struct syc_reading reading;
	void *states[SYC_COUNTERS_GROUPS]; /* NULL: not requested */
	unsigned empty;
	/* The states */
};

static size_t align_up(size_t n)
{
	return (n + 15) & ~(size_t)15;
}

/* Size of the memory, which includes groups that are not requested, because
 * unused pages cost nothing. */
static size_t whole_size(void)
{
	size_t size = align_up(sizeof(struct syc_counter_groups));

	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++)
		size += align_up(sources[i]->size);
	return size;
}

struct syc_counter_groups *
syc_counters_new(const struct syc_counters_options *options)
{
	const size_t size = whole_size();
	struct syc_counter_groups *const counters =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (counters == MAP_FAILED)
		return NULL;
	madvise(counters, size, MADV_DONTFORK);
	counters->options = *options;
	syc_reading_init(&counters->reading, &counters->options);
	counters->empty = options->groups;

	char *at = (char *)counters + align_up(sizeof(*counters));
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++) {
		if ((options->groups & 1u << i) != 0)
			counters->states[i] = at;
		at += align_up(sources[i]->size);
	}
	return counters;
}

void syc_counters_free(struct syc_counter_groups *counters)
{
	if (counters == NULL)
		return;
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++)
		if (counters->states[i] != NULL)
			sources[i]->fini(counters->states[i]);
	syc_reading_fini(&counters->reading);
	munmap(counters, whole_size());
}

void syc_counters_embed(struct syc_counter_groups *counters, int64_t now)
{
	embed_machine(&counters->reading, now);
}

void syc_counters_read(struct syc_counter_groups *counters, int64_t now)
{
	struct syc_reading *const reading = &counters->reading;

	syc_reading_begin(reading, now);
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++) {
		const uint64_t before = reading->defined;

		if (counters->states[i] == NULL)
			continue;
		sources[i]->read(counters->states[i], reading);
		if (reading->defined > before)
			counters->empty &= ~(1u << i);
	}
	syc_reading_end(reading);
}

unsigned syc_counters_empty(const struct syc_counter_groups *counters)
{
	return counters->empty;
}

static const char *const names[SYC_COUNTERS_GROUPS] = {
	"cpu", "memory", "disk", "net", "energy", "battery", "sched", "psi",
};

static bool read_hz(const char *word, size_t len, unsigned *ret_hz)
{
	uint64_t hz;

	if (len < 4 || len > 6 || memcmp(word, "hz=", 3) != 0 ||
	    syc_text_take(word + 3, 10, &hz) != word + len || hz < 1 ||
	    hz > SYC_COUNTERS_HZ_MAX)
		return false;
	*ret_hz = (unsigned)hz;
	return true;
}

static unsigned find_group(const char *word, size_t len)
{
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++)
		if (syc_text_is(word, len, names[i]))
			return 1u << i;
	return 0;
}

const char *syc_asked_read(const char *text, struct syc_asked *ret_asked,
                           size_t *ret_len)
{
	struct syc_asked asked = { .hz = SYC_COUNTERS_HZ };

	for (const char *word = text; word != NULL;) {
		const size_t len = strcspn(word, ",");
		const unsigned group = find_group(word, len);

		asked.groups |= group;
		if (group == 0 && !read_hz(word, len, &asked.hz)) {
			*ret_len = len;
			return word;
		}
		word = word[len] != '\0' ? word + len + 1 : NULL;
	}
	if (asked.groups == 0)
		asked.groups = SYC_COUNTERS_ALL;
	*ret_asked = asked;
	return NULL;
}

void syc_asked_names(unsigned groups, const char *between, char *text)
{
	struct syc_text to = syc_text_begin(text, SYC_ASKED_TEXT);
	const char *before = "";

	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++) {
		if ((groups & 1u << i) == 0)
			continue;
		syc_text_add(&to, before);
		syc_text_add(&to, names[i]);
		before = between;
	}
}

void syc_asked_write(const struct syc_asked *asked, char *text)
{
	syc_asked_names(asked->groups, ",", text);

	const size_t n = strlen(text);
	struct syc_text to = syc_text_begin(text + n, SYC_ASKED_TEXT - n);

	syc_text_add(&to, n > 0 ? ",hz=" : "hz=");
	syc_text_add_u64(&to, asked->hz);
}
