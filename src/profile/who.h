/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * who.h - the lives of processes, and their threads.
 *
 * A pid is another process's when a PROCESS or FORK frame tells of it behind
 * its EXIT.  An event belongs to the latest life that had begun by its time,
 * else to the first.
 */
#ifndef SYC_PROFILE_WHO_H
#define SYC_PROFILE_WHO_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"
#include "profile/texts.h"

/** What a tick of a process's sampler is; period 0: not known. */
struct syc_rate {
	enum syscap_profile_clock clock;
	int64_t period_ns;
};

struct syc_life {
	int64_t from;          /* its events are from here on */
	int64_t exit;          /* INT64_MAX: none is known */
	int64_t command_time;  /* of the PROCESS frame that counts */
	uint32_t before, next; /* other lives of the pid; NONE */
	struct syc_rate rate;
	bool has_rate, has_rates; /* has_rates: of several kinds */
	bool has_events;
};

/** What a thread was called at a time. */
struct syc_called {
	const char *name;
	int64_t time;
	uint32_t process;
	int32_t tid;
};

struct syc_who {
	struct syc_map by_pid, by_thread;
	SYC_ARRAY(uint32_t) latest; /* life, of each pid */
	SYC_ARRAY(struct syc_life) lives;
	SYC_ARRAY(struct syscap_profile_process) processes; /* of each life */
	SYC_ARRAY(struct syscap_profile_thread) threads;
	SYC_ARRAY(struct syc_called) called;
	struct syc_rate asked; /* what the recorder asked for */
	/* Most events are where the one before was; NONE: none. */
	uint32_t last_process, last_thread;
};

void syc_who_init(struct syc_who *who);
void syc_who_fini(struct syc_who *who);

/** The life of @pid at @time, made when it is new.  0 or -ENOMEM. */
int syc_who_process(struct syc_who *who, int32_t pid, int64_t time,
                    uint32_t *ret_process);

/** Something happened in @process. */
void syc_who_saw(struct syc_who *who, uint32_t process, int64_t begin,
                 int64_t end);

/** The thread @tid of @process (-1: unknown), made when it is new. */
int syc_who_thread(struct syc_who *who, uint32_t process, int32_t tid,
                   int64_t begin, int64_t end, uint32_t *ret_thread);

/** PROCESS, FORK, EXIT and METADATA.  0 or -ENOMEM. */
int syc_who_learn(struct syc_who *who, struct syc_texts *texts,
                  const struct syscap_frame *frame);

/** Nothing is made: NONE where nothing is known. */
uint32_t syc_who_find_process(const struct syc_who *who, int32_t pid,
                              int64_t time);
uint32_t syc_who_find_thread(const struct syc_who *who, uint32_t process,
                             int32_t tid);

/** Clocks, periods and names of threads as the profile shows them. */
void syc_who_settle(struct syc_who *who);

#endif
