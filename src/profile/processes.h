/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processes.h - processes and threads of a capture, and their sampling rates.
 *
 * A PROCESS or FORK frame of a pid after the pid's EXIT begins a new life of
 * the pid.  An event belongs to the latest life that began before the event,
 * otherwise to the first life.
 */
#ifndef SYC_PROFILE_PROCESSES_H
#define SYC_PROFILE_PROCESSES_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "common/containers.h"
#include "common/strings.h"
#include "profile/unsampled.h"

/** The sampling rate of a process; period 0: unknown. */
struct syc_rate {
	enum syscap_profile_clock clock;
	int64_t period_ns;
};

struct syc_life {
	int64_t from;          /* time of the first event */
	int64_t exit;          /* time of the exit; INT64_MAX: unknown */
	int64_t command_time;  /* time of the valid PROCESS frame */
	uint32_t before, next; /* other processes with the pid; NONE */
	struct syc_rate rate;
	bool has_rate, has_rates; /* has_rates: its threads have different
	                           * rates */
	bool has_events;
	/* Number of the present program.  A PROCESS frame with another command
	 * line begins the next program. */
	uint32_t image;
	/* The earlier program with most ticks of the main thread. */
	uint32_t busy_image;
	uint64_t busy_ticks;
	uint64_t image_ticks; /* ticks before the present program */
};

/** A thread's name at a time. */
struct syc_called {
	const char *name;
	int64_t time;
	uint32_t process;
	uint32_t image;
	int32_t tid;
};

/** Clocks of samplers. */
enum syc_clocks {
	SYC_CLOCKS_CPU = 1,
	SYC_CLOCKS_PERF = 2,
	SYC_CLOCKS_WALL = 4
};

struct syc_processes {
	struct syc_map by_pid, by_thread;
	SYC_ARRAY(uint32_t) latest; /* life, by number of the pid */
	SYC_ARRAY(struct syc_life) lives;
	SYC_ARRAY(struct syscap_profile_process) list; /* processes, by life */
	SYC_ARRAY(struct syscap_profile_thread) threads;
	SYC_ARRAY(struct syc_called) called;
	struct syc_rate asked; /* rate that the recorder requested */
	/* The recorder started the first process, so all processes began in the
	 * recording. */
	bool has_command;
	/* Beginning of the recording, before `syscap cut` removed its start. */
	int64_t begin;
	bool is_part;          /* `syscap cut` removed some time */
	bool is_cut;           /* `syscap cut` removed the end */
	bool is_begin_cut;     /* `syscap cut` removed the beginning */
	unsigned clocks;       /* enum syc_clocks of processes */
	unsigned asked_clocks; /* enum syc_clocks of the recorder's option */
	unsigned recorded;     /* options of record, see was_recorded() */
	uint64_t memory_bytes; /* bytes per sampled allocation; 0: all */
	struct syc_unsampled unsampled;
	bool is_flight;
	const char *incomplete; /* see syscap_profile_incomplete(); or NULL */
	/* A cache, since most events belong to the previous thread; NONE: no
	 * thread. */
	uint32_t last_process, last_thread;
};

void syc_processes_init(struct syc_processes *processes);

void syc_processes_fini(struct syc_processes *processes);

/** Find or create the life of @pid at @time.  Returns 0 or -ENOMEM. */
int syc_processes_get(struct syc_processes *processes, int32_t pid,
                      int64_t time, uint32_t *ret_process);

/** Record an event in @process. */
void syc_processes_note_event(struct syc_processes *processes, uint32_t process,
                              int64_t begin, int64_t end);

/** Find or create the thread @tid (-1: unknown) of @process. */
int syc_processes_get_thread(struct syc_processes *processes, uint32_t process,
                             int32_t tid, int64_t begin, int64_t end,
                             uint32_t *ret_thread);

/** Read a PROCESS, FORK, EXIT or METADATA frame.  Returns 0 or -ENOMEM. */
int syc_processes_learn(struct syc_processes *processes,
                        struct syc_texts *texts,
                        const struct syscap_frame *frame);

/**
 * Return whether @frame is a mark that begins before the recording, although
 * its process began in the recording.  The end of such a mark may be true.
 * Beginnings and ends of operations are not such marks.
 */
bool syc_processes_is_false_mark(const struct syc_processes *processes,
                                 const struct syscap_frame *frame);

/** Return whether METADATA states the option of record for these amounts. */
bool syc_processes_was_recorded(const struct syc_processes *processes,
                                enum syscap_view_of of);

/** Return the clocks of the samples, as enum syc_clocks; 0: unknown. */
unsigned syc_processes_clocks(const struct syc_processes *processes);

/** Set clocks, periods, and names of threads in the profile. */
void syc_processes_settle(struct syc_processes *processes);

#endif
