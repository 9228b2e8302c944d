/* SPDX-License-Identifier: BSD-2-Clause */
/* who.c - the lives of processes, and their threads. */
#include "profile/who.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/rate.h"

#define NONE SYSCAP_PROFILE_NONE

void syc_who_init(struct syc_who *who)
{
	memset(who, 0, sizeof(*who));
	who->last_process = NONE;
	who->last_thread = NONE;
}

void syc_who_fini(struct syc_who *who)
{
	syc_map_fini(&who->by_pid);
	syc_map_fini(&who->by_thread);
	free(who->latest.items);
	free(who->lives.items);
	free(who->processes.items);
	free(who->threads.items);
	free(who->called.items);
}

static uint32_t life_at(const struct syc_who *who, uint32_t life, int64_t time)
{
	while (who->lives.items[life].before != NONE &&
	       who->lives.items[life].from > time)
		life = who->lives.items[life].before;
	return life;
}

static int add_life(struct syc_who *who, int32_t pid, int64_t from,
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

	if (who->lives.n >= NONE / 2 || syc_array_room(&who->processes) < 0 ||
	    syc_array_push(&who->lives, life) < 0)
		return -ENOMEM;
	*ret_process = (uint32_t)who->processes.n;
	who->processes.items[who->processes.n++] = process;
	if (before != NONE)
		who->lives.items[before].next = *ret_process;
	return 0;
}

int syc_who_process(struct syc_who *who, int32_t pid, int64_t time,
                    uint32_t *ret_process)
{
	const uint32_t last = who->last_process;
	size_t number;
	int r;

	if (last != NONE && who->processes.items[last].pid == pid &&
	    who->lives.items[last].before == NONE &&
	    who->lives.items[last].next == NONE) {
		*ret_process = last;
		return 0;
	}
	if (syc_array_room(&who->latest) < 0)
		return -ENOMEM;
	r = syc_map_put(&who->by_pid, &pid, sizeof(pid), &number);
	if (r < 0)
		return r;
	if (r > 0) {
		who->latest.items[who->latest.n++] = NONE;
		r = add_life(who, pid, time, NONE, ret_process);
		if (r < 0)
			return r;
		who->latest.items[number] = *ret_process;
	} else if (who->latest.items[number] == NONE) {
		return -ENOMEM; /* there was none when it was met first */
	}
	*ret_process = life_at(who, who->latest.items[number], time);
	who->last_process = *ret_process;
	return 0;
}

/* @pid is told of at @time: is it the one that we know? */
static int begin_life(struct syc_who *who, int32_t pid, int64_t time,
                      uint32_t *ret_process)
{
	uint32_t latest;
	size_t number;
	int r = syc_who_process(who, pid, time, ret_process);

	if (r < 0 || !syc_map_get(&who->by_pid, &pid, sizeof(pid), &number))
		return r;
	latest = who->latest.items[number];
	if (who->lives.items[latest].exit >= time)
		return 0;
	r = add_life(who, pid, time, latest, ret_process);
	if (r < 0)
		return r;
	who->latest.items[number] = *ret_process;
	who->last_process = *ret_process;
	return 0;
}

void syc_who_saw(struct syc_who *who, uint32_t number, int64_t begin,
                 int64_t end)
{
	struct syscap_profile_process *process = &who->processes.items[number];
	struct syc_life *life = &who->lives.items[number];

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

static int put_thread(struct syc_who *who, uint32_t process, int32_t tid,
                      int64_t begin, int64_t end, uint32_t *ret_thread)
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

	if (syc_array_room(&who->threads) < 0)
		return -ENOMEM;
	r = syc_map_put(&who->by_thread, &key, sizeof(key), &number);
	if (r > 0)
		who->threads.items[who->threads.n++] = thread;
	*ret_thread = (uint32_t)number;
	return r < 0 ? r : 0;
}

int syc_who_thread(struct syc_who *who, uint32_t process, int32_t tid,
                   int64_t begin, int64_t end, uint32_t *ret_thread)
{
	const struct syscap_profile_thread *last;
	int r = 0;

	tid = tid > 0 ? tid : -1;
	last = who->last_thread == NONE ? NULL
	                                : &who->threads.items[who->last_thread];
	if (last != NULL && last->process == process && last->tid == tid)
		*ret_thread = who->last_thread;
	else
		r = put_thread(who, process, tid, begin, end, ret_thread);
	if (r < 0)
		return r;
	extend(&who->threads.items[*ret_thread], begin, end);
	who->last_thread = *ret_thread;
	return 0;
}

static int learn_command(struct syc_who *who, struct syc_texts *texts,
                         const struct syscap_frame *frame, uint32_t number)
{
	struct syscap_profile_process *process = &who->processes.items[number];
	struct syc_life *life = &who->lives.items[number];
	const char *text = frame->process.cmdline;
	const size_t len = strlen(text), first = strcspn(text, " ");
	const char *name = text;
	int r;

	if (frame->time < life->command_time)
		return 0;
	life->command_time = frame->time;
	for (const char *p = text; p < text + first; p++)
		if (*p == '/')
			name = p + 1;
	r = syc_texts_keep(texts, text, len, &process->command);
	if (r == 0)
		r = syc_texts_keep(texts, name, (size_t)(text + first - name),
		                   &process->binary);
	return r;
}

/* Which of its threads has events is known at the end. */
static int learn_name(struct syc_who *who, struct syc_texts *texts,
                      const struct syscap_frame *frame)
{
	const char *name = frame->metadata.value;
	struct syc_called called = { .time = frame->time, .tid = frame->tid };
	int r;

	if (frame->pid < 0 || frame->tid <= 0)
		return 0;
	r = syc_who_process(who, frame->pid, frame->time, &called.process);
	if (r == 0)
		r = syc_texts_keep(texts, name, strlen(name), &called.name);
	return r == 0 ? syc_array_push(&who->called, called) : r;
}

static int learn_metadata(struct syc_who *who, struct syc_texts *texts,
                          const struct syscap_frame *frame)
{
	struct syc_rate rate;
	struct syc_life *life;
	uint32_t process;
	int r;

	if (strcmp(frame->metadata.id, "syscap.thread") == 0)
		return learn_name(who, texts, frame);
	if (!syc_rate_read(frame->metadata.id, frame->metadata.value,
	                   &rate.clock, &rate.period_ns))
		return 0;
	if (frame->pid < 0) {
		who->asked = rate;
		return 0;
	}
	r = syc_who_process(who, frame->pid, frame->time, &process);
	if (r < 0)
		return r;
	life = &who->lives.items[process];
	life->has_rates |=
		life->has_rate && (life->rate.clock != rate.clock ||
	                           life->rate.period_ns != rate.period_ns);
	life->has_rate = true;
	life->rate = rate;
	return 0;
}

static void learn_exit(struct syc_who *who, uint32_t number, int64_t time)
{
	struct syscap_profile_process *process = &who->processes.items[number];

	who->lives.items[number].exit = time;
	process->has_ended = true;
	process->end = time;
}

int syc_who_learn(struct syc_who *who, struct syc_texts *texts,
                  const struct syscap_frame *frame)
{
	uint32_t number;
	int r = 0;

	switch (frame->type) {
	case SYSCAP_FRAME_PROCESS:
		if (frame->pid < 0)
			return 0;
		r = begin_life(who, frame->pid, frame->time, &number);
		return r == 0 ? learn_command(who, texts, frame, number) : r;
	case SYSCAP_FRAME_FORK:
		if (frame->fork.child_pid < 0)
			return 0;
		return begin_life(who, frame->fork.child_pid, frame->time,
		                  &number);
	case SYSCAP_FRAME_EXIT:
		if (frame->pid < 0)
			return 0;
		r = syc_who_process(who, frame->pid, frame->time, &number);
		if (r == 0)
			learn_exit(who, number, frame->time);
		return r;
	case SYSCAP_FRAME_METADATA:
		return learn_metadata(who, texts, frame);
	default:
		return 0;
	}
}

uint32_t syc_who_find_process(const struct syc_who *who, int32_t pid,
                              int64_t time)
{
	size_t number;

	if (!syc_map_get(&who->by_pid, &pid, sizeof(pid), &number) ||
	    who->latest.items[number] == NONE)
		return NONE;
	return life_at(who, who->latest.items[number], time);
}

uint32_t syc_who_find_thread(const struct syc_who *who, uint32_t process,
                             int32_t tid)
{
	const int32_t shown = tid > 0 ? tid : -1;
	const uint64_t key = (uint64_t)process << 32 | (uint32_t)shown;
	size_t number;

	if (process == NONE ||
	    !syc_map_get(&who->by_thread, &key, sizeof(key), &number))
		return NONE;
	return (uint32_t)number;
}

static int by_time(const void *left, const void *right)
{
	const struct syc_called *a = left, *b = right;

	return (a->time > b->time) - (a->time < b->time);
}

/* The latest name holds. */
static void name_threads(struct syc_who *who)
{
	if (who->called.n > 0)
		qsort(who->called.items, who->called.n,
		      sizeof(*who->called.items), by_time);
	for (size_t i = 0; i < who->called.n; i++) {
		const struct syc_called *called = &who->called.items[i];
		const uint32_t thread =
			syc_who_find_thread(who, called->process, called->tid);

		if (thread != NONE)
			who->threads.items[thread].name = called->name;
	}
}

void syc_who_settle(struct syc_who *who)
{
	const struct syc_rate unknown = { SYSCAP_CLOCK_UNKNOWN, 0 };

	for (size_t i = 0; i < who->processes.n; i++) {
		const struct syc_life *life = &who->lives.items[i];
		const struct syc_rate rate = life->has_rates  ? unknown
		                             : life->has_rate ? life->rate
		                                              : who->asked;

		who->processes.items[i].clock = rate.clock;
		who->processes.items[i].period_ns = rate.period_ns;
	}
	name_threads(who);
}
