/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processes.c - processes and threads of a capture, and their sampling rates.
 *
 * METADATA frames have the sampling rate:
 *
 *	syscap.sampler	each thread 1000 times a second of its processor time,
 *			by signal 23		from the process
 *	syscap.sample	1000,auto		from the recorder
 */
#include "profile/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model.h"

#define NONE SYSCAP_PROFILE_NONE

#define SECOND  1000000000
#define MOST_HZ 1000000u

static bool begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Read a frequency.  Returns the text after the frequency, or NULL. */
static const char *read_hz(const char *text, int64_t *ret_period_ns)
{
	unsigned long hz;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return NULL;
	hz = strtoul(text, &end, 10);
	if (hz < 1 || hz > MOST_HZ)
		return NULL;
	*ret_period_ns = (int64_t)(SECOND / hz);
	return end;
}

static bool read_sampler(const char *text, enum syscap_profile_clock *clock,
                         int64_t *period_ns)
{
	static const char begin[] = "each thread ";

	if (!begins_with(text, begin))
		return false;
	text = read_hz(text + sizeof(begin) - 1, period_ns);
	if (text == NULL)
		return false;
	if (begins_with(text, " times a second of its processor time"))
		*clock = SYSCAP_CLOCK_CPU;
	else if (begins_with(text, " times a second, asleep or not"))
		*clock = SYSCAP_CLOCK_WALL;
	else
		return false;
	return true;
}

static bool read_sample(const char *text, enum syscap_profile_clock *clock,
                        int64_t *period_ns)
{
	text = read_hz(text, period_ns);
	if (text == NULL)
		return false;
	if (strcmp(text, ",wall") == 0)
		*clock = SYSCAP_CLOCK_WALL;
	else if (strcmp(text, ",auto") == 0 || strcmp(text, ",cpu") == 0 ||
	         strcmp(text, ",perf") == 0)
		*clock = SYSCAP_CLOCK_CPU;
	else
		return false;
	return true;
}

/* Returns false if this metadata is not a rate. */
static bool rate_read(const char *id, const char *value,
                      enum syscap_profile_clock *ret_clock,
                      int64_t *ret_period_ns)
{
	enum syscap_profile_clock clock;
	int64_t period_ns;
	bool is_good = false;

	if (strcmp(id, "syscap.sampler") == 0)
		is_good = read_sampler(value, &clock, &period_ns);
	else if (strcmp(id, "syscap.sample") == 0)
		is_good = read_sample(value, &clock, &period_ns);
	if (is_good) {
		*ret_clock = clock;
		*ret_period_ns = period_ns;
	}
	return is_good;
}

void syc_processes_init(struct syc_processes *processes)
{
	memset(processes, 0, sizeof(*processes));
	processes->last_process = NONE;
	processes->last_thread = NONE;
}

void syc_processes_fini(struct syc_processes *processes)
{
	syc_map_fini(&processes->by_pid);
	syc_map_fini(&processes->by_thread);
	free(processes->latest.items);
	free(processes->lives.items);
	free(processes->list.items);
	free(processes->threads.items);
	free(processes->called.items);
}

static uint32_t life_at(const struct syc_processes *processes, uint32_t life,
                        int64_t time)
{
	while (processes->lives.items[life].before != NONE &&
	       processes->lives.items[life].from > time)
		life = processes->lives.items[life].before;
	return life;
}

static int add_life(struct syc_processes *processes, int32_t pid, int64_t from,
                    uint32_t before, uint32_t *ret_process)
{
	const struct syc_life life = {
		.from = from,
		.exit = INT64_MAX,
		.command_time = INT64_MIN,
		.before = before,
		.next = NONE,
	};
	const struct syscap_profile_process process = {
		.pid = pid,
		.begin = from,
		.end = from,
		.command = "",
		.binary = "",
	};

	if (processes->lives.n >= NONE / 2 ||
	    syc_array_room(&processes->list) < 0 ||
	    syc_array_push(&processes->lives, life) < 0)
		return -ENOMEM;
	*ret_process = (uint32_t)processes->list.n;
	processes->list.items[processes->list.n++] = process;
	if (before != NONE)
		processes->lives.items[before].next = *ret_process;
	return 0;
}

int syc_processes_get(struct syc_processes *processes, int32_t pid,
                      int64_t time, uint32_t *ret_process)
{
	const uint32_t last = processes->last_process;
	size_t number;
	int r;

	if (last != NONE && processes->list.items[last].pid == pid &&
	    processes->lives.items[last].before == NONE &&
	    processes->lives.items[last].next == NONE) {
		*ret_process = last;
		return 0;
	}
	if (syc_array_room(&processes->latest) < 0)
		return -ENOMEM;
	r = syc_map_put(&processes->by_pid, &pid, sizeof(pid), &number);
	if (r < 0)
		return r;
	if (r > 0) {
		processes->latest.items[processes->latest.n++] = NONE;
		r = add_life(processes, pid, time, NONE, ret_process);
		if (r < 0)
			return r;
		processes->latest.items[number] = *ret_process;
	} else if (processes->latest.items[number] == NONE) {
		return -ENOMEM; /* the first allocation failed */
	}
	*ret_process =
		life_at(processes, processes->latest.items[number], time);
	processes->last_process = *ret_process;
	return 0;
}

/* Begin a new life of @pid at @time, unless the latest life still lasts. */
static int begin_life(struct syc_processes *processes, int32_t pid,
                      int64_t time, uint32_t *ret_process)
{
	uint32_t latest;
	size_t number;
	int r = syc_processes_get(processes, pid, time, ret_process);

	if (r < 0 ||
	    !syc_map_get(&processes->by_pid, &pid, sizeof(pid), &number))
		return r;
	latest = processes->latest.items[number];
	if (processes->lives.items[latest].exit >= time)
		return 0;
	r = add_life(processes, pid, time, latest, ret_process);
	if (r < 0)
		return r;
	processes->latest.items[number] = *ret_process;
	processes->last_process = *ret_process;
	return 0;
}

void syc_processes_note_event(struct syc_processes *processes, uint32_t number,
                              int64_t begin, int64_t end)
{
	struct syscap_profile_process *process = &processes->list.items[number];
	struct syc_life *life = &processes->lives.items[number];

	if (!life->has_events || begin < process->begin)
		process->begin = begin;
	if (!process->has_ended && (!life->has_events || end > process->end))
		process->end = end;
	life->has_events = true;
}

static void extend(struct syscap_profile_thread *thread, int64_t begin,
                   int64_t end)
{
	if (begin < thread->begin)
		thread->begin = begin;
	if (end > thread->end)
		thread->end = end;
}

static int put_thread(struct syc_processes *processes, uint32_t process,
                      int32_t tid, int64_t begin, int64_t end,
                      uint32_t *ret_thread)
{
	const struct syscap_profile_thread thread = {
		.process = process,
		.tid = tid,
		.name = "",
		.begin = begin,
		.end = end,
	};
	const uint64_t key = (uint64_t)process << 32 | (uint32_t)tid;
	size_t number;
	int r;

	if (syc_array_room(&processes->threads) < 0)
		return -ENOMEM;
	r = syc_map_put(&processes->by_thread, &key, sizeof(key), &number);
	if (r > 0)
		processes->threads.items[processes->threads.n++] = thread;
	*ret_thread = (uint32_t)number;
	return r < 0 ? r : 0;
}

int syc_processes_get_thread(struct syc_processes *processes, uint32_t process,
                             int32_t tid, int64_t begin, int64_t end,
                             uint32_t *ret_thread)
{
	const struct syscap_profile_thread *last;
	int r = 0;

	tid = tid > 0 ? tid : -1;
	last = processes->last_thread == NONE
	               ? NULL
	               : &processes->threads.items[processes->last_thread];
	if (last != NULL && last->process == process && last->tid == tid)
		*ret_thread = processes->last_thread;
	else
		r = put_thread(processes, process, tid, begin, end, ret_thread);
	if (r < 0)
		return r;
	extend(&processes->threads.items[*ret_thread], begin, end);
	processes->last_thread = *ret_thread;
	return 0;
}

static uint32_t find_thread(const struct syc_processes *processes,
                            uint32_t process, int32_t tid)
{
	const int32_t shown = tid > 0 ? tid : -1;
	const uint64_t key = (uint64_t)process << 32 | (uint32_t)shown;
	size_t number;

	if (process == NONE ||
	    !syc_map_get(&processes->by_thread, &key, sizeof(key), &number))
		return NONE;
	return (uint32_t)number;
}

/* Ticks of the main thread, the only thread that outlives an exec. */
static uint64_t count_main_ticks(const struct syc_processes *processes,
                                 uint32_t number)
{
	const int32_t pid = processes->list.items[number].pid;
	const uint32_t thread = find_thread(processes, number, pid);

	return thread != NONE ? processes->threads.items[thread].ticks : 0;
}

/* The process executes another program. */
static void begin_image(struct syc_processes *processes, uint32_t number)
{
	struct syc_life *life = &processes->lives.items[number];
	const uint64_t sum = count_main_ticks(processes, number);
	const uint64_t ticks = sum - life->image_ticks;

	if (ticks >= life->busy_ticks) {
		life->busy_image = life->image;
		life->busy_ticks = ticks;
	}
	life->image_ticks = sum;
	life->image++;
}

/* The program with the most ticks of the main thread. If several programs have
 * as many, the latest. */
static uint32_t busiest_image(const struct syc_processes *processes,
                              uint32_t number)
{
	const struct syc_life *life = &processes->lives.items[number];
	const uint64_t ticks =
		count_main_ticks(processes, number) - life->image_ticks;

	return ticks >= life->busy_ticks ? life->image : life->busy_image;
}

static int learn_command(struct syc_processes *processes,
                         struct syc_texts *texts,
                         const struct syscap_frame *frame, uint32_t number)
{
	struct syscap_profile_process *process = &processes->list.items[number];
	struct syc_life *life = &processes->lives.items[number];
	const char *text = frame->process.cmdline;
	const size_t len = strlen(text), first = strcspn(text, " ");
	const char *name = text, *before = process->command;
	int r;

	if (frame->time < life->command_time)
		return 0;
	life->command_time = frame->time;
	for (const char *p = text; p < text + first; p++)
		if (*p == '/')
			name = p + 1;
	r = syc_texts_keep(texts, text, len, &process->command);
	/* Equal texts are one text */
	if (r == 0 && before[0] != 0 && before != process->command)
		begin_image(processes, number);
	if (r == 0)
		r = syc_texts_keep(texts, name, (size_t)(text + first - name),
		                   &process->binary);
	return r;
}

/* The threads with events are known only at the end. */
static int learn_name(struct syc_processes *processes, struct syc_texts *texts,
                      const struct syscap_frame *frame)
{
	const char *name = frame->metadata.value;
	struct syc_called called = { .time = frame->time, .tid = frame->tid };
	int r;

	if (frame->pid < 0 || frame->tid <= 0)
		return 0;
	r = syc_processes_get(processes, frame->pid, frame->time,
	                      &called.process);
	if (r == 0)
		called.image = processes->lives.items[called.process].image;
	if (r == 0)
		r = syc_texts_keep(texts, name, strlen(name), &called.name);
	return r == 0 ? syc_array_push(&processes->called, called) : r;
}

/* Note that `syscap cut` removed times.  The frame has the part's first
 * time. */
static void learn_cut(struct syc_processes *processes, int64_t time,
                      const char *value)
{
	unsigned long long before, after;
	int64_t begin;

	if (sscanf(value, "before_ns %llu, after_ns %llu", &before, &after) !=
	    2)
		return;
	processes->is_part = true;
	processes->is_cut |= after > 0;
	processes->is_begin_cut |= before > 0;
	if (!__builtin_sub_overflow(time, before, &begin) &&
	    begin < processes->begin)
		processes->begin = begin;
}

/* The METADATA of an option of record, and an amount that the option records. */
static const struct {
	const char *id;
	enum syscap_view_of of;
} recordings[] = {
	{ "syscap.sample", SYSCAP_VIEW_SAMPLES },
	{ "syscap.memory", SYSCAP_VIEW_ALLOCATED },
	{ "syscap.io", SYSCAP_VIEW_BLOCKED },
	{ "syscap.stalls", SYSCAP_VIEW_STALLED },
};

bool syc_processes_was_recorded(const struct syc_processes *processes,
                                enum syscap_view_of of)
{
	if (of == SYSCAP_VIEW_LEAKED || of == SYSCAP_VIEW_TEMPORARY ||
	    of == SYSCAP_VIEW_PEAK)
		of = SYSCAP_VIEW_ALLOCATED;
	return (processes->recorded & 1u << of) != 0;
}

unsigned syc_processes_clocks(const struct syc_processes *processes)
{
	return processes->clocks != 0 ? processes->clocks
	                              : processes->asked_clocks;
}

/* Note the value of an option of `syscap record`. */
static void learn_option(struct syc_processes *processes, const char *id,
                         const char *value)
{
	static const char units[] = "KMG";
	const char *unit;
	double bytes;
	char *end;

	for (size_t i = 0; i < sizeof(recordings) / sizeof(*recordings); i++)
		if (strcmp(id, recordings[i].id) == 0)
			processes->recorded |= 1u << recordings[i].of;
	if (strcmp(id, "syscap.command") == 0) {
		processes->has_command = true;
	} else if (strcmp(id, "syscap.memory") == 0) {
		/* The value is all, 512K or 512K,mmap. */
		bytes = strtod(value, &end);
		unit = *end != 0 ? strchr(units, *end) : NULL;
		if (unit != NULL)
			bytes *=
				(double)(INT64_C(1) << 10 * (unit - units + 1));
		if (bytes > 1 && bytes < 0x1p63)
			processes->memory_bytes = (uint64_t)bytes;
	}
}

static const char *why_incomplete(const char *id)
{
	if (strcmp(id, "syscap.damaged") == 0)
		return "a child overwrote rings: events are lost";
	if (strcmp(id, "syscap.emptied") == 0)
		return "another library emptied the capture: earlier data is "
		       "lost";
	if (strcmp(id, "syscap.stopped") == 0)
		return "the size limit was reached: later events are lost";
	if (strcmp(id, "syscap.unfinished") == 0)
		return "the capture was not finished: later events may be missing";
	return NULL;
}

static unsigned clock_bit(const struct syc_rate *rate, const char *value)
{
	if (rate->clock == SYSCAP_CLOCK_WALL)
		return SYC_CLOCKS_WALL;
	return strstr(value, "perf") != NULL ? SYC_CLOCKS_PERF : SYC_CLOCKS_CPU;
}

static int learn_metadata(struct syc_processes *processes,
                          struct syc_texts *texts,
                          const struct syscap_frame *frame)
{
	struct syc_rate rate;
	struct syc_life *life;
	uint32_t process;
	int r;

	if (strcmp(frame->metadata.id, "syscap.thread") == 0)
		return learn_name(processes, texts, frame);
	if (frame->pid < 0 && strcmp(frame->metadata.id, "syscap.cut") == 0)
		learn_cut(processes, frame->time, frame->metadata.value);
	else if (frame->pid < 0)
		learn_option(processes, frame->metadata.id,
		             frame->metadata.value);
	processes->is_flight |= strcmp(frame->metadata.id, "syscap.mode") == 0;
	if (processes->incomplete == NULL)
		processes->incomplete = why_incomplete(frame->metadata.id);
	syc_unsampled_take(&processes->unsampled, frame->metadata.id,
	                   frame->metadata.value);
	if (!rate_read(frame->metadata.id, frame->metadata.value, &rate.clock,
	               &rate.period_ns))
		return 0;
	if (frame->pid < 0) {
		processes->asked = rate;
		processes->asked_clocks |=
			clock_bit(&rate, frame->metadata.value);
		return 0;
	}
	processes->clocks |= clock_bit(&rate, frame->metadata.value);
	r = syc_processes_get(processes, frame->pid, frame->time, &process);
	if (r < 0)
		return r;
	life = &processes->lives.items[process];
	life->has_rates |=
		life->has_rate && (life->rate.clock != rate.clock ||
	                           life->rate.period_ns != rate.period_ns);
	life->has_rate = true;
	life->rate = rate;
	return 0;
}

static void learn_exit(struct syc_processes *processes, uint32_t number,
                       int64_t time)
{
	struct syscap_profile_process *process = &processes->list.items[number];

	processes->lives.items[number].exit = time;
	process->has_ended = true;
	process->end = time;
}

int syc_processes_learn(struct syc_processes *processes,
                        struct syc_texts *texts,
                        const struct syscap_frame *frame)
{
	uint32_t number;
	int r = 0;

	switch (frame->type) {
	case SYSCAP_FRAME_PROCESS:
		if (frame->pid < 0)
			return 0;
		r = begin_life(processes, frame->pid, frame->time, &number);
		return r == 0 ? learn_command(processes, texts, frame, number)
		              : r;
	case SYSCAP_FRAME_FORK:
		if (frame->fork.child_pid < 0)
			return 0;
		return begin_life(processes, frame->fork.child_pid, frame->time,
		                  &number);
	case SYSCAP_FRAME_EXIT:
		if (frame->pid < 0)
			return 0;
		r = syc_processes_get(processes, frame->pid, frame->time,
		                      &number);
		if (r == 0)
			learn_exit(processes, number, frame->time);
		return r;
	case SYSCAP_FRAME_METADATA:
		return learn_metadata(processes, texts, frame);
	default:
		return 0;
	}
}

static uint32_t find_process(const struct syc_processes *processes, int32_t pid,
                             int64_t time)
{
	size_t number;

	if (!syc_map_get(&processes->by_pid, &pid, sizeof(pid), &number) ||
	    processes->latest.items[number] == NONE)
		return NONE;
	return life_at(processes, processes->latest.items[number], time);
}

bool syc_processes_is_false_mark(const struct syc_processes *processes,
                                 const struct syscap_frame *frame)
{
	struct syscap_profile_part part;
	uint32_t process;

	if (frame->type != SYSCAP_FRAME_MARK || !processes->has_command ||
	    frame->time >= processes->begin ||
	    (syc_async_part_read(frame->mark.message, &part) &&
	     (part.phase == SYSCAP_PHASE_BEGIN ||
	      part.phase == SYSCAP_PHASE_END)))
		return false;
	process = find_process(processes, frame->pid, frame->time);
	return process != NONE &&
	       processes->lives.items[process].from >= processes->begin;
}

static int by_time(const void *left, const void *right)
{
	const struct syc_called *a = left, *b = right;

	return (a->time > b->time) - (a->time < b->time);
}

/*
 * The latest name is valid.  The main thread may have run several programs.  The
 * name is of the program with most of its samples.
 */
static void name_threads(struct syc_processes *processes)
{
	if (processes->called.n > 0)
		qsort(processes->called.items, processes->called.n,
		      sizeof(*processes->called.items), by_time);
	for (size_t i = 0; i < processes->called.n; i++) {
		const struct syc_called *called = &processes->called.items[i];
		const uint32_t thread =
			find_thread(processes, called->process, called->tid);
		const int32_t pid = processes->list.items[called->process].pid;

		if (thread == NONE)
			continue;
		if (called->tid != pid ||
		    processes->threads.items[thread].name[0] == 0 ||
		    called->image == busiest_image(processes, called->process))
			processes->threads.items[thread].name = called->name;
	}
}

void syc_processes_settle(struct syc_processes *processes)
{
	const struct syc_rate unknown = { SYSCAP_CLOCK_UNKNOWN, 0 };

	for (size_t i = 0; i < processes->list.n; i++) {
		const struct syc_life *life = &processes->lives.items[i];
		const struct syc_rate rate = life->has_rates ? unknown
		                             : life->has_rate
		                                     ? life->rate
		                                     : processes->asked;

		processes->list.items[i].clock = rate.clock;
		processes->list.items[i].period_ns = rate.period_ns;
	}
	name_threads(processes);
}

uint32_t syscap_profile_find_process(const struct syscap_profile *profile,
                                     int32_t pid, int64_t time)
{
	return find_process(&profile->processes, pid, time);
}

uint32_t syscap_profile_find_thread(const struct syscap_profile *profile,
                                    int32_t pid, int32_t tid, int64_t time)
{
	return find_thread(&profile->processes,
	                   find_process(&profile->processes, pid, time), tid);
}
