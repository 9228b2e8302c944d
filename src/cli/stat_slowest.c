/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_slowest.c - marks one by one, the slowest first: time, thread, duration,
 * waiting.
 *
 * Samples of processor time do not cover waiting.  The waiting time of a mark
 * is its duration minus the weight of its samples.  If the thread of a mark is
 * unknown, no thread of its process ran longer than the busiest thread, which
 * gives a lower bound.
 *
 * A sample represents all time since the thread's previous sample, which may
 * precede the mark.  So a waiting time has an error of the time between
 * samples, and a shorter mark has no waiting time.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stat_summary.h"
#include "cli/table.h"
#include "common/strings.h"

#define N_COLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))

/* Number of marks whose samples are searched. */
#define MOST_LOOKED 1000u

/* Size of the blocks of samples that are skipped if all times are outside. */
#define BLOCK 4096u

/* Weights that are distinguished. */
#define WEIGHTS 4096u

struct block {
	int64_t first, last;
};

struct slowest {
	const struct syc_stat_hot *hot;
	const struct syscap_profile_mark_name *names;
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	bool has_messages; /* a shown mark has a message */
	struct syscap_profile_span span;
	struct syscap_profile_samples samples;
	bool has_running; /* samples count the processor's time */
	uint32_t weight;  /* ticks of most samples */
	struct block *blocks;
	uint64_t *ticks; /* ticks of each thread during the current mark */
	size_t n_threads;
	size_t n;
};

static int find_blocks(struct slowest *slowest)
{
	const struct syscap_profile_samples *samples = &slowest->samples;

	slowest->blocks = calloc(samples->n / BLOCK + 1, sizeof(struct block));
	slowest->ticks = calloc(slowest->n_threads + 1, sizeof(uint64_t));
	if (slowest->blocks == NULL || slowest->ticks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < samples->n; i++) {
		struct block *const block = &slowest->blocks[i / BLOCK];

		if (i % BLOCK == 0 || samples->times[i] < block->first)
			block->first = samples->times[i];
		if (i % BLOCK == 0 || samples->times[i] > block->last)
			block->last = samples->times[i];
	}
	return 0;
}

/* Return the median of the samples' ticks.  Few samples of threads that blocked
 * the ticks have large weights. */
static uint32_t find_weight(const struct syscap_profile_samples *samples)
{
	size_t counts[WEIGHTS] = { 0 }, n = 0;
	uint32_t weight = 0;

	for (size_t i = 0; i < samples->n; i++)
		counts[samples->ticks[i] < WEIGHTS ? samples->ticks[i]
		                                   : WEIGHTS - 1]++;
	while (weight < WEIGHTS - 1 && 2 * (n + counts[weight]) < samples->n)
		n += counts[weight++];
	return weight > 0 ? weight : 1;
}

/* The time between two samples of the mark's thread. */
static int64_t resolution_of(const struct slowest *slowest,
                             const struct syscap_profile_mark *mark)
{
	return (int64_t)(slowest->weight *
	                 syscap_profile_tick(slowest->hot->profile,
	                                     mark->thread));
}

static int begin(struct slowest *slowest, const struct syc_stat_hot *hot)
{
	const struct syscap_profile *profile = hot->profile;
	size_t n;

	memset(slowest, 0, sizeof(*slowest));
	slowest->hot = hot;
	slowest->names = syscap_profile_mark_names(profile, &n);
	slowest->threads = syscap_profile_threads(profile, &slowest->n_threads);
	slowest->processes = syscap_profile_processes(profile, &n);
	syscap_profile_span(profile, &slowest->span);
	syscap_profile_samples(profile, &slowest->samples);
	slowest->has_running =
		hot->view->unit == SYSCAP_UNIT_CPU_NS && slowest->samples.n > 0;
	slowest->weight = find_weight(&slowest->samples);
	slowest->n = hot->view->n_marks < hot->n_rows ? hot->view->n_marks
	                                              : hot->n_rows;
	return find_blocks(slowest);
}

static void end(struct slowest *slowest)
{
	free(slowest->blocks);
	free(slowest->ticks);
}

/* The examined mark at @place, the slowest first. */
static struct syscap_profile_mark mark_at(const struct slowest *slowest,
                                          size_t place)
{
	return syscap_profile_mark(slowest->hot->profile,
	                           slowest->hot->view->marks[place]);
}

static int64_t end_of(const struct syscap_profile_mark *mark)
{
	int64_t end;

	return __builtin_add_overflow(mark->time, mark->duration, &end)
	               ? INT64_MAX
	               : end;
}

static bool is_of(const struct slowest *slowest,
                  const struct syscap_profile_mark *mark, uint32_t thread)
{
	return thread == mark->thread ||
	       (slowest->threads[mark->thread].tid < 0 &&
	        slowest->threads[mark->thread].process ==
	                slowest->threads[thread].process);
}

/*
 * Weight of the samples of the mark's thread during @mark.  If the thread is
 * unknown, the busiest thread counts.
 */
static uint64_t running(const struct slowest *slowest,
                        const struct syscap_profile_mark *mark)
{
	const struct syscap_profile_samples *samples = &slowest->samples;
	const int64_t mark_end = end_of(mark);
	uint64_t most = 0;

	memset(slowest->ticks, 0, slowest->n_threads * sizeof(uint64_t));
	for (size_t i = 0; i < samples->n; i++) {
		const struct block *const block = &slowest->blocks[i / BLOCK];
		const uint32_t thread = samples->threads[i];

		if (block->last < mark->time || block->first >= mark_end) {
			i |= BLOCK - 1;
			continue;
		}
		if (samples->times[i] < mark->time ||
		    samples->times[i] >= mark_end ||
		    !is_of(slowest, mark, thread))
			continue;
		slowest->ticks[thread] += samples->ticks[i];
		if (slowest->ticks[thread] > most)
			most = slowest->ticks[thread];
	}
	return most * syscap_profile_tick(slowest->hot->profile, mark->thread);
}

static const char *message_of(const struct slowest *slowest,
                              const struct syscap_profile_mark *mark)
{
	return syscap_profile_message(slowest->hot->profile,
	                              slowest->hot->reader, mark->offset);
}

static bool has_messages(const struct slowest *slowest)
{
	for (size_t i = 0; i < slowest->n; i++) {
		const struct syscap_profile_mark mark = mark_at(slowest, i);

		if (message_of(slowest, &mark)[0] != 0)
			return true;
	}
	return false;
}

/* Add the waiting time.  @ran is -1 if the time on a processor is unknown. */
static void add_waiting(struct syc_table *table, const struct slowest *slowest,
                        const struct syscap_profile_mark *mark, int64_t ran)
{
	const bool is_least = slowest->threads[mark->thread].tid < 0;
	const int64_t error = resolution_of(slowest, mark);
	const int64_t waited = mark->duration - ran;
	char text[32];

	if (ran < 0 || mark->duration < error) {
		syc_table_add(table, "-");
		return;
	}
	if (waited >= error)
		syc_duration_format(waited, text, sizeof(text));
	else
		syc_duration_format(is_least ? 0 : error, text, sizeof(text));
	syc_table_add(table, "%s%s",
	              is_least          ? "≥ "
	              : waited >= error ? ""
	                                : "< ",
	              text);
}

static void add_row(struct syc_table *table, const struct slowest *slowest,
                    const struct syscap_profile_mark *mark, int64_t ran)
{
	const struct syscap_profile_thread *thread =
		&slowest->threads[mark->thread];
	const struct syscap_profile_mark_name *name =
		&slowest->names[mark->name];
	const double begin = (double)slowest->span.begin;

	syc_table_add_duration(table, mark->duration);
	add_waiting(table, slowest, mark, ran);
	syc_table_add(table, "%s%+.6f s", mark->began < mark->time ? "◂ " : "",
	              ((double)mark->time - begin) / 1e9);
	syc_table_add(table, "%" PRId32,
	              slowest->processes[thread->process].pid);
	if (thread->tid < 0)
		syc_table_add(table, "-");
	else
		syc_table_add(table, "%" PRId32, thread->tid);
	syc_table_add_text(table, name->group);
	syc_table_add_text(table, name->name);
	if (slowest->has_messages)
		syc_table_add_text(table, message_of(slowest, mark));
}

/* Sums of the examined marks, of which not all are shown. */
struct sums {
	size_t n;
	double duration, ran;
	double error;  /* the longest time between samples */
	bool is_least; /* a mark has no thread */
	bool is_short; /* a shown mark is shorter than its error */
};

static void print_waiting(const struct slowest *slowest,
                          const struct sums *sums)
{
	const double waited =
		sums->duration > sums->ran ? sums->duration - sums->ran : 0;
	/* Each mark's error is at most the time between samples.  Twice the
	 * deviation of the number of samples, in long marks and in short ones,
	 * may be less. */
	const double most = sums->error * (double)sums->n;
	const double error =
		fmin(most, 2 * sqrt(sums->error * fmin(most, sums->duration)));
	char one[32], other[32];

	if (!slowest->has_running || sums->n == 0)
		return;
	if (sums->is_short) {
		syc_duration_format((int64_t)sums->error, one, sizeof(one));
		printf("  no waiting time of marks below %s, the time between "
		       "samples\n",
		       one);
	}
	syc_duration_format((int64_t)waited, one, sizeof(one));
	syc_duration_format((int64_t)sums->duration, other, sizeof(other));
	printf("  the slowest %zu: ", sums->n);
	if (waited >= error) {
		printf("waiting %s%s of %s\n",
		       sums->is_least ? "at least " : "", one, other);
		return;
	}
	syc_duration_format((int64_t)error, one, sizeof(one));
	printf("%s; their waiting is within the samples' error of %s\n", other,
	       one);
}

static int print_slowest(const struct slowest *slowest, struct syc_table *table)
{
	const struct syc_stat_hot *hot = slowest->hot;
	struct sums sums = { .n = 0 };
	bool has_cut = false;
	int r;

	for (size_t i = 0; i < hot->view->n_marks && i < MOST_LOOKED; i++) {
		const struct syscap_profile_mark mark = mark_at(slowest, i);
		const int64_t error = resolution_of(slowest, &mark);
		const uint64_t ran =
			slowest->has_running ? running(slowest, &mark) : 0;

		if (i < slowest->n) {
			add_row(table, slowest, &mark,
			        !slowest->has_running ? -1
			        : ran > INT64_MAX     ? INT64_MAX
			                              : (int64_t)ran);
			has_cut |= mark.began < mark.time;
			sums.is_short |= mark.duration < error;
		}
		sums.n++;
		sums.duration += (double)mark.duration;
		sums.ran += (double)ran;
		sums.error = fmax(sums.error, (double)error);
		sums.is_least |= slowest->threads[mark.thread].tid < 0;
	}
	for (size_t k = sums.n; k < slowest->n; k++) {
		const struct syscap_profile_mark mark = mark_at(slowest, k);

		add_row(table, slowest, &mark, -1);
		has_cut |= mark.began < mark.time;
	}
	r = syc_table_print(table, stdout);
	if (has_cut)
		puts("  ◂ began before the recording; the duration is "
		     "measured from the recording's start");
	if (hot->view->n_marks > slowest->n)
		printf("  … and %zu more: --all\n",
		       hot->view->n_marks - slowest->n);
	print_waiting(slowest, &sums);
	return r;
}

int syc_stat_slowest_text(const struct syc_stat_hot *hot)
{
	static const struct syc_table_column columns[] = {
		{ "duration", true }, { "waiting", true },  { "at", true },
		{ "pid", true },      { "tid", true },      { "group", false },
		{ "name", false },    { "message", false },
	};
	struct slowest slowest;
	struct syc_table table;
	int r;

	if (hot->view->n_marks == 0)
		return 0;
	r = begin(&slowest, hot);
	if (r == 0) {
		if (hot->filter->mark_group != NULL)
			syc_table_heading(stdout, "Slowest marks");
		else
			syc_table_heading(stdout,
			                  "Slowest marks of all kinds (--mark="
			                  "GROUP/NAME: of one)");
		slowest.has_messages = has_messages(&slowest);
		syc_table_init(&table, columns,
		               N_COLUMNS(columns) - !slowest.has_messages);
		r = print_slowest(&slowest, &table);
		syc_table_fini(&table);
	}
	end(&slowest);
	return r;
}

int syc_stat_slowest_json(struct syc_json *json, const struct syc_stat_hot *hot)
{
	struct slowest slowest;
	const int r = begin(&slowest, hot);

	if (r < 0) {
		end(&slowest);
		return r;
	}
	syc_json_key(json, "slowest_marks");
	syc_json_begin_array(json);
	for (size_t i = 0; i < slowest.n; i++) {
		const struct syscap_profile_mark mark = mark_at(&slowest, i);
		const struct syscap_profile_thread *thread =
			&slowest.threads[mark.thread];

		syc_json_begin_object(json);
		syc_json_member_text(json, "group",
		                     slowest.names[mark.name].group);
		syc_json_member_text(json, "name",
		                     slowest.names[mark.name].name);
		syc_json_member_text(json, "message",
		                     message_of(&slowest, &mark));
		syc_json_member_integer(json, "time_ns", mark.time);
		syc_json_member_integer(json, "began_ns", mark.began);
		syc_json_member_integer(json, "duration_ns", mark.duration);
		syc_json_key(json, "running_ns");
		if (slowest.has_running && i < MOST_LOOKED)
			syc_json_unsigned(json, running(&slowest, &mark));
		else
			syc_json_null(json);
		syc_json_member_integer(json, "pid",
		                        slowest.processes[thread->process].pid);
		syc_json_member_tid(json, thread->tid);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
	end(&slowest);
	return 0;
}
