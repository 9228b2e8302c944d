/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.h - the model of a capture, from which all commands compute their
 * results.
 *
 *	struct syscap_profile *profile;
 *	struct syscap_view *view;
 *	struct syscap_filter filter = { .thread = "worker" };
 *
 *	syscap_profile_new(NULL, &profile);
 *	syscap_profile_read(profile, reader, &error);
 *	syscap_profile_settle(profile);
 *	if (syscap_view_new(profile, &filter, &view, &error) == 0)
 *		for (size_t i = 0; i < view->n_sums && i < 10; i++)
 *			printf("%12llu %s\n",
 *			       (unsigned long long)view->sums[i].self,
 *			       syscap_profile_function(
 *				       profile, view->sums[i].function)->name);
 *	syscap_view_free(view);
 *	syscap_profile_free(profile);
 *
 * A program computes results in three steps.  *Read* walks over the frames
 * once, and makes one tree of the stacks and rows of numbers of the samples.
 * *Settle* resolves the functions of addresses and the lanes of marks.  *View*
 * applies a filter and its transforms, and builds a call tree with totals.  A
 * view walks over the rows and the tree, not over the file.
 *
 * If a capture grows: read, settle, query, read again (syscap_profile_read()
 * continues), and settle again.  Reading only adds items, whose numbers do not
 * change.  As an exception, settling may change the function of a location if
 * settling finds the address's name.  Pointers into the profile are valid until
 * the next read, settle or free.  A view does not change until it is freed, and
 * its numbers stay valid.  syscap_view_has() may be called until the next read.
 *
 * The profile owns copies of all texts, so the reader may be closed.  Texts are
 * valid UTF-8 without control characters.  Writers of other formats must escape
 * further characters themselves.
 *
 * A uint32_t is the index of an item in its array, or SYSCAP_PROFILE_NONE for
 * no item.  Times are ns of CLOCK_MONOTONIC, as in the capture.
 *
 * Memory in bytes, in addition to the mapping of the file:
 *	20	for a sample
 *	16-32	for a node of the tree and for a location; 12 more for each
 *		function inlined at the location
 *	24	for a mark; 56 more if it takes 4 s or longer or began before the
 *		recording; 128 more if it is part of an operation or an arrow
 *	24	for a kept value of a counter
 *	32	for a line of a log
 *	48	for an allocation; 32 more during settle
 * The profile keeps each text once, and no items of parts that the options
 * exclude.  syscap_profile_message() reads messages of marks and logs from the
 * file.
 *
 * Functions that can fail return 0 or -errno.  Context of all functions: one
 * thread at a time per profile; allocates; not for signal handlers.
 */
#ifndef SYSCAP_PROFILE_H
#define SYSCAP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#ifdef __cplusplus
/* Some functions have the name of the structure that they return */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#endif

#define SYSCAP_PROFILE_NONE UINT32_MAX

/* ------------------------------------------------- creation and reading */

struct syscap_profile;

/** Parts that a profile keeps, in addition to processes, threads and losses. */
enum syscap_profile_parts {
	SYSCAP_PROFILE_SAMPLES = 1,
	SYSCAP_PROFILE_MARKS = 2,
	SYSCAP_PROFILE_ALLOCATIONS = 4,
	SYSCAP_PROFILE_COUNTERS = 8, /* counters, with numbers of values */
	SYSCAP_PROFILE_LOGS = 16,
	/* Values of counters, with COUNTERS.  A walk also returns these values,
	 * and needs no memory for them. */
	SYSCAP_PROFILE_VALUES = 64,
	SYSCAP_PROFILE_BUT_VALUES = 31,
	SYSCAP_PROFILE_ALL = 95,
	/* Threads of events that are not kept */
	SYSCAP_PROFILE_THREADS = 32
};

/** Options of syscap_profile_new().  A zero selects a default. */
struct syscap_profile_options {
	unsigned parts; /* 0: all */
	/*
	 * Do not look up names in files.  By default, a capture without names
	 * gets names from files, as by `syscap symbolize` (docs/symbols.md).
	 */
	bool no_lookup;
	/* The caller reads and settles the capture once.  Settling frees the
	 * memory for further reading, and further reading returns -EINVAL. */
	bool is_once;
	const char *root; /* root of the recorded machine's files, or NULL */
	const char *const *debug_dirs; /* directories, as of --debug-dir */
	size_t n_debug_dirs;
};

/**
 * Create an empty profile.  @options: NULL means all zero.  Returns 0 or
 * -ENOMEM.
 */
int syscap_profile_new(const struct syscap_profile_options *options,
                       struct syscap_profile **ret_profile);
/** Free a profile and all its items. */
void syscap_profile_free(struct syscap_profile *profile);

/** Add one frame that @reader has returned.  Returns 0 or -ENOMEM. */
int syscap_profile_add(struct syscap_profile *profile,
                       const struct syscap_reader *reader,
                       const struct syscap_frame *frame);

/**
 * Add all frames from the profile's position, which is the beginning at first,
 * to @reader's end.  @reader may be a new reader of the same file, which has
 * grown.  The call counts and omits malformed frames.
 *
 * Returns 0 or -ENOMEM.  -EBADMSG: earlier frames were added, and no frame can
 * begin at the offset in @error.
 */
int syscap_profile_read(struct syscap_profile *profile,
                        struct syscap_reader *reader,
                        struct syscap_error *error);

/**
 * Read as syscap_profile_read() does, but only frames of @n_bytes or somewhat
 * more, for callers with other work to do.
 *
 * Returns 1 if there are more frames, else as syscap_profile_read().  Before
 * the last piece, the profile does not search files for names, since a table at
 * the capture's end may have these names.  A function without a name, also from
 * syscap_profile_read_names(), is named by its place.
 */
int syscap_profile_read_on(struct syscap_profile *profile,
                           struct syscap_reader *reader, uint64_t n_bytes,
                           struct syscap_error *error);

/**
 * Read only the symbol table and the names after it, in the last @n_bytes of
 * @reader, for a picture of the first pieces with names.  The call does nothing
 * if the capture is smaller, has no table there, or has a damaged end.  The
 * reader's position is undefined afterwards.  Returns 0 or -ENOMEM.
 */
int syscap_profile_read_names(struct syscap_profile *profile,
                              struct syscap_reader *reader, uint64_t n_bytes);

/** Find the names, lanes and pairs of added frames.  Returns 0 or -ENOMEM. */
int syscap_profile_settle(struct syscap_profile *profile);

/* --------------------------------- processes and threads: stable from here */

/** The clock of the sampler's timer. */
enum syscap_profile_clock {
	SYSCAP_CLOCK_UNKNOWN, /* clock and period are unknown: ticks */
	SYSCAP_CLOCK_CPU,     /* processor time of the thread */
	SYSCAP_CLOCK_WALL
};

/**
 * A process.  Since pids are reused, a PROCESS frame after the EXIT of its pid
 * begins another process.  Data without a process, such as the load of the
 * machine, belongs to the process with the pid -1.
 */
struct syscap_profile_process {
	int32_t pid;
	int64_t begin, end;  /* times of its events; end: EXIT, if seen */
	const char *command; /* command line of its latest PROCESS, or "" */
	const char *binary;  /* the name of the program's file, or "" */
	bool has_ended;
	enum syscap_profile_clock clock; /* clock of its samples; UNKNOWN also
					  * if the clock changed while the
					  * process ran */
	int64_t period_ns;               /* time of a tick; 0: unknown */
};

/** A thread of one process. */
struct syscap_profile_thread {
	uint32_t process;
	int32_t tid; /* -1: events of the process whose thread is unknown */
	/* Latest name; "" if unknown.  If a process ran several programs, the
	 * name of its main thread is of the program with most samples. */
	const char *name;
	int64_t begin,
		end; /* start of the first event, end of the last event */
	uint64_t n_samples, n_marks, n_allocations;
	uint64_t n_values, n_logs;
	uint64_t ticks; /* sum of the samples' weights */
};

/** Get all processes or threads, by number. */
const struct syscap_profile_process *
syscap_profile_processes(const struct syscap_profile *profile, size_t *ret_n);
const struct syscap_profile_thread *
syscap_profile_threads(const struct syscap_profile *profile, size_t *ret_n);

/**
 * Get the number of an event's process or thread.  Callers that walk over the
 * capture themselves, such as streaming exporters, need these numbers.  Returns
 * NONE if the profile has no event of this process or thread.
 */
uint32_t syscap_profile_find_process(const struct syscap_profile *profile,
                                     int32_t pid, int64_t time);
uint32_t syscap_profile_find_thread(const struct syscap_profile *profile,
                                    int32_t pid, int32_t tid, int64_t time);

/**
 * Convert @text of a frame to the form of the profile's texts: valid UTF-8
 * without control characters.  The result is valid until the next call.
 * Returns NULL if there is no memory.
 */
const char *syscap_profile_clean(struct syscap_profile *profile,
                                 const char *text);

/* ----------------------------------------------- code: stable from here */

/** The kind of a function's code.  docs/profile.md has the rules. */
enum syscap_profile_category {
	SYSCAP_CATEGORY_APPLICATION,
	SYSCAP_CATEGORY_SYSTEM, /* a library in a system directory */
	SYSCAP_CATEGORY_JIT,    /* code or scripts that a runtime named */
	SYSCAP_CATEGORY_KERNEL,
	SYSCAP_CATEGORY_NOTE,     /* no code: the reason for the stack's end,
				   * or the sampler's "no tick came" */
	SYSCAP_CATEGORY_RECORDING /* syscap's own code in the program */
};

/**
 * A function, identified by its name, its binary and is_inlined.  A
 * function that is inlined into only some callers counts as two functions.
 */
struct syscap_profile_function {
	const char *name;   /* name, or "libfoo.so+0x1234", "0x7f..." */
	const char *binary; /* last part of the file's path; "": unknown */
	enum syscap_profile_category category;
	bool is_named;   /* false: the name is the address's place */
	bool is_inlined; /* the code is part of the caller's code */
};

/**
 * Numbers of functions for frames without code, the same in every profile.
 * Stacks that were cut or are incomplete are below CUT and STOPPED, so that
 * their outermost frame does not look like a root.
 */
#define SYSCAP_FUNCTION_ROOT    0u /* "": the root of all trees */
#define SYSCAP_FUNCTION_CUT     1u /* "[stack cut]" */
#define SYSCAP_FUNCTION_STOPPED 2u /* "[stack incomplete]" */
#define SYSCAP_FUNCTION_EMPTY   3u /* "[no stack]": a sample without a stack */
#define SYSCAP_FUNCTION_HIDDEN  4u /* "[system]": all frames were hidden */

/** One address of one process, in stacks. */
struct syscap_profile_location {
	uint64_t address;
	uint32_t process;  /* NONE: a note (CUT, ...), not an address */
	uint32_t function; /* number of its function, after settle */
	uint32_t map;      /* number of its mapped file; NONE: unknown */
	uint32_t source;   /* number of its source; NONE: unknown */
	uint64_t start;    /* address of its function; 0: unknown */
};

/**
 * The source of an address, in captures with source lines (--lines).  The first
 * item is the function that contains the code, at the line of its inlined call.
 * The following items are functions, each inlined into the previous one.  The
 * last item has the line of the address.
 */
struct syscap_profile_source {
	uint32_t function; /* in the first item: the location's function */
	uint32_t line; /* number of its struct syscap_profile_line, or NONE */
	uint32_t n_inlined; /* number of items after this one */
};

/** A line of a source file.  A profile has each line once. */
struct syscap_profile_line {
	const char *file;
	uint32_t line; /* 0: unknown */
};

/** A mapped file of a process. */
struct syscap_profile_map {
	uint32_t process;
	uint64_t start, end, offset;
	int64_t time;
	const char *path;
	const char *build_id; /* hex, or "" */
};

/**
 * The tree of all stacks, of samples and allocations.  Node i is at
 * locations[i] and is called by node parents[i] < i.  Node 0 is the root and
 * has no location and no parent (NONE).  A stack is the number of its innermost
 * frame's node.
 */
struct syscap_profile_stacks {
	size_t n;
	const uint32_t *parents, *locations;
};

/** Get all items of a kind by number, or one function. */
const struct syscap_profile_function *
syscap_profile_functions(const struct syscap_profile *profile, size_t *ret_n);
const struct syscap_profile_function *
syscap_profile_function(const struct syscap_profile *profile, uint32_t number);
const struct syscap_profile_location *
syscap_profile_locations(const struct syscap_profile *profile, size_t *ret_n);
const struct syscap_profile_source *
syscap_profile_sources(const struct syscap_profile *profile, size_t *ret_n);
const struct syscap_profile_line *
syscap_profile_lines(const struct syscap_profile *profile, size_t *ret_n);
const struct syscap_profile_map *
syscap_profile_maps(const struct syscap_profile *profile, size_t *ret_n);
void syscap_profile_stacks(const struct syscap_profile *profile,
                           struct syscap_profile_stacks *ret_stacks);

/* --------------------------------------------- samples: stable from here */

/** Samples in file order, which is nearly time order. */
struct syscap_profile_samples {
	size_t n;
	const int64_t *times;
	const uint32_t *threads;
	const uint32_t *stacks;
	const uint32_t *ticks; /* weights in ticks of the timer */
};

/** Get all samples. */
void syscap_profile_samples(const struct syscap_profile *profile,
                            struct syscap_profile_samples *ret_samples);

/* ---------------------------------------------------------- the capture */

/** The time and content of the capture. */
struct syscap_profile_span {
	int64_t begin; /* start of the capture, from its header */
	int64_t end;   /* end of the latest event; never before begin */
	bool is_finished;
	uint64_t n_frames, n_damaged;
	bool has_names; /* the capture has names of functions */
	bool has_lines; /* the capture has source lines of some addresses */
	bool is_flight; /* of a process in flight mode: only last events */
};

/** Get the span. */
void syscap_profile_span(const struct syscap_profile *profile,
                         struct syscap_profile_span *ret_span);

/** An interval in which a thread lost events. */
struct syscap_profile_loss {
	uint32_t thread; /* thread; of tid -1 if several threads lost events */
	int64_t begin, end;
	uint64_t frames, samples, bytes;
};

/** Get all lost intervals. */
const struct syscap_profile_loss *
syscap_profile_losses(const struct syscap_profile *profile, size_t *ret_n);

/** The first reason of the capture for missing events that no loss counts: "a
 * child overwrote rings: events are lost".  NULL: there is none. */
const char *syscap_profile_incomplete(const struct syscap_profile *profile);

/** Threads and processor time of the whole capture that no sample represents. */
struct syscap_profile_unsampled {
	uint64_t n_threads; /* threads that the sampler could not sample */
	bool has_cpu;       /* the recorder compared the samples with @cpu_ns */
	uint64_t cpu_ns;    /* processor time of the command */
	uint64_t missing_ns; /* part of @cpu_ns without samples, 0 if small */
	/* The missing time forbids comparisons.  With such threads, 5 % or an
	 * unknown time is missing, else 40 %: the starts of short programs may
	 * already be 30 %. */
	bool is_misleading;
};

/** Get what no sample represents. */
void syscap_profile_unsampled(const struct syscap_profile *profile,
                              struct syscap_profile_unsampled *ret_unsampled);

/**
 * Describe @unsampled, such as "4 threads and 644 of 650 ms of processor time
 * could not be sampled".  If every thread has samples, and little time is
 * missing, @text is empty.
 */
void syscap_profile_describe_unsampled(
	const struct syscap_profile_unsampled *unsampled, char *text,
	size_t size);

/* ------------------------------------------------- filter: stable from here */

/** The data of a view. */
enum syscap_view_of {
	SYSCAP_VIEW_SAMPLES,   /* time, or ticks */
	SYSCAP_VIEW_ALLOCATED, /* bytes of all allocations */
	SYSCAP_VIEW_LEAKED,    /* bytes of allocations never freed */
	SYSCAP_VIEW_TEMPORARY, /* bytes freed before the thread's next
				* allocation */
	SYSCAP_VIEW_BLOCKED,   /* time of calls that blocked */
	SYSCAP_VIEW_STALLED,   /* time of stalled loops */
	SYSCAP_VIEW_PEAK       /* bytes in use at the maximum */
};

/**
 * A selection of a profile.  A zeroed filter selects all data, except stacks
 * that end in syscap's own code.
 */
struct syscap_filter {
	enum syscap_view_of of;
	/* Keep stacks that end in syscap's own code (docs/profile.md).  A view
	 * always omits syscap's frames that call a frame of the program. */
	bool with_recording;

	/* Conditions on samples.  All conditions that are set must hold. */
	bool has_from, has_to;
	int64_t from, to;     /* from <= time < to */
	int32_t pid;          /* 0: any; all processes with this pid */
	const char *thread;   /* thread's name, or tid in digits; NULL: any */
	const char *function; /* regex: a function of the stack matches */
	const uint32_t *threads; /* numbers in the profile; n_threads 0: any.
				  * The threads do not change the choice of
				  * the slowest marks */
	size_t n_threads;

	/*
	 * If any of these fields is set, only samples inside matching marks
	 * are selected (begin <= time < end).  The mark must be of the
	 * sample's thread, or of its process if the mark's thread is unknown
	 * (view->n_threadless_marks).  A mark matches if it passes the other
	 * conditions, lasts at least longer_than, and is among the slowest of
	 * these marks.  Equally slow marks are in the order of time.
	 */
	const char *mark_group; /* NULL: any group */
	const char *mark_name;  /* NULL: all marks of the group */
	int64_t longer_than;    /* ns; 0: any */
	uint64_t slowest;       /* number of marks; 0: all */
	double slowest_percent; /* share of marks, rounded up; 0: all */
	/* Numbers of the matching marks, as in view->marks, instead of the
	 * conditions above; NULL: the conditions choose. */
	const uint32_t *marks;
	size_t n_marks;

	/*
	 * Transforms of each stack, in this order, from the outermost to the
	 * innermost frame.  Regexes are POSIX extended regexes of up to 4,096
	 * bytes and match anywhere in the name.  Regexes do not match the notes
	 * with fixed numbers ([stack cut]), which stay outermost.
	 */
	bool no_inlines;   /* no frames of inlined functions: their amounts are
	                   * charged to the function that contains their code */
	const char *drop;  /* regex: omit samples with a matching function */
	const char *focus; /* regex: stacks begin at the outermost matching
	                    * frame; samples without a match are omitted */
	bool hide_system;  /* omit frames of SYSTEM and KERNEL; their amounts
	                    * belong to their callers.  A stack without other
	                    * frames becomes [system] */
	const char *collapse_library; /* glob of binaries: successive frames of
				       * one binary become one frame, called
				       * "[BINARY]" */
	bool collapse_recursion;      /* successive frames of a function become
				       * one frame */
	bool reverse; /* the innermost frame becomes the outermost; sums of
	               * functions do not change */

	bool by_line; /* nodes are functions at lines: view->lines */
};

/* --------------------------------------------------- view: stable from here */

/** The unit of a view's numbers. */
enum syscap_view_unit {
	SYSCAP_UNIT_TICKS, /* ticks, if a period is unknown */
	SYSCAP_UNIT_CPU_NS,
	SYSCAP_UNIT_WALL_NS,
	SYSCAP_UNIT_MIXED_NS, /* processor time of some samples, wall time of
			       * other samples */
	SYSCAP_UNIT_BYTES
};

/** The sums of one function.  Shares are of the view's total. */
struct syscap_view_sum {
	uint32_t function;
	uint64_t self;  /* sum of stacks with the function innermost */
	uint64_t total; /* sum of stacks with the function, once per stack */
};

/**
 * A filtered, transformed tree of functions.  Node i is function functions[i],
 * called by node parents[i] < i.  Node 0 is the root.  Siblings are different
 * functions.  The caller owns the view and must not change it.
 */
struct syscap_view {
	enum syscap_view_unit unit;
	uint64_t total; /* sum of all passed samples, in units */
	/* Sum of the samples that end in syscap's own code and pass all other
	 * conditions.  @total includes @recording only if with_recording is
	 * set; @whole always includes @recording. */
	uint64_t recording, whole;
	uint64_t recording_memory;   /* part of @recording below allocator
	                              * calls, which --memory observes */
	uint64_t ticks;              /* total in ticks (allocations: 0) */
	uint64_t n_passed;           /* passed samples, allocations or waits */
	uint64_t n_looked;           /* n_passed without a filter */
	size_t n_marks;              /* marks that the filter uses */
	const uint32_t *marks;       /* indices of marks, the slowest first */
	uint64_t n_threadless_marks; /* used marks without a thread */

	size_t n_nodes;
	const uint32_t *parents, *functions;
	const uint64_t *selfs, *totals; /* without and with callees */
	/* With by_line, in captures with lines: the line of node i, or NONE.
	 * Siblings then differ by function or line.  Otherwise, lines is
	 * NULL. */
	const uint32_t *lines;

	size_t n_sums; /* sorted: the largest self first, then total, then by
		        * name */
	const struct syscap_view_sum *sums;

	/*
	 * Data for exporters that write sample by sample.  nodes[s] is the node
	 * of stack s of the profile, or NONE if the stack is omitted.  Sample i
	 * passed if its bit is set: passed[i / 64] >> i % 64 & 1.
	 */
	const uint32_t *nodes;
	const uint64_t *passed;

	/* Losses within the filter's times and threads */
	size_t n_losses;
	const uint32_t *losses;
};

/**
 * Create a view of a settled @profile through @filter (NULL: all samples).
 *
 * Returns 0 or -ENOMEM.  -EINVAL, with the reason in @error: a regex is
 * invalid, or the filter's mark does not exist.
 */
int syscap_view_new(const struct syscap_profile *profile,
                    const struct syscap_filter *filter,
                    struct syscap_view **ret_view, struct syscap_error *error);
/** Free a view. */
void syscap_view_free(struct syscap_view *view);

/**
 * Returns true if an event of @thread at @time passes the filter's times, pid
 * and threads.  Use this function for events without a stack: values and log
 * lines.
 */
bool syscap_view_has(const struct syscap_view *view, uint32_t thread,
                     int64_t time);
/** Returns true if a mark passes as in syscap_view_has(): the mark overlaps the
 * filter's times. */
bool syscap_view_has_mark(const struct syscap_view *view, uint32_t thread,
                          int64_t time, int64_t duration);

/**
 * Get the line with the largest amount of each function, by the function's
 * number, in a @view by line; NONE if unknown.  Returns 0 or -ENOMEM.
 */
int syscap_view_hottest_lines(const struct syscap_profile *profile,
                              const struct syscap_view *view,
                              uint32_t *ret_lines);

/**
 * Describe view->recording in one sentence, such as "40.9 % of the processor
 * time was syscap itself, 39.2 % for --memory".  Without such a sample, @text
 * is empty.  The call cuts longer texts.
 */
void syscap_view_describe_recording(const struct syscap_view *view, char *text,
                                    size_t size);

/** Get the name of @n stacks of @of, such as "samples". */
const char *syscap_view_of_name(enum syscap_view_of of, uint64_t n);

/** Get a unit's name for titles and axes, such as "processor time". */
const char *syscap_view_unit_name(enum syscap_view_unit unit);

/**
 * Get the value of one tick of @thread in the unit of @profile: ns, or 1.
 */
uint64_t syscap_profile_tick(const struct syscap_profile *profile,
                             uint32_t thread);

/* -------------------------------------------------- marks: may still change */

/**
 * A mark that is not a loss record.  Marks in one lane of a thread are nested
 * or disjoint.  If a mark began before the recording, @time and @duration are
 * of the part in the recording.  A profile omits marks that ended before the
 * recording or begin before their process (docs/marks.md).
 */
struct syscap_profile_mark {
	int64_t time, duration; /* a negative duration counts as 0 */
	int64_t began;   /* time in the file; below @time if the mark was cut */
	uint64_t offset; /* frame's offset, for syscap_profile_message() */
	uint32_t thread;
	uint32_t name;  /* number of its struct syscap_profile_mark_name */
	uint32_t lane;  /* lane 0, 1, ... of its thread, until the next settle.
	                * NONE: a whole operation */
	uint32_t depth; /* depth in its lane */
	uint32_t part;  /* number of its struct syscap_profile_part, or NONE */
	bool is_end;    /* tables omit this mark: the begin mark of its
	                 * operation has the whole duration, or the operation
	                 * ended before the recording */
};

/** Group and name of marks. */
struct syscap_profile_mark_name {
	const char *group, *name;
};

/** Get the number of marks. */
size_t syscap_profile_n_marks(const struct syscap_profile *profile);

/**
 * Get the mark @number, below syscap_profile_n_marks().  Marks are in file
 * order, which is nearly time order.  Returns a copy, since marks are stored in
 * a packed form.
 */
struct syscap_profile_mark
syscap_profile_mark(const struct syscap_profile *profile, size_t number);

/**
 * Describe marks from before the recording: the number of cut marks, and the
 * number of omitted marks.  Without such marks, @text is empty.
 */
void syscap_profile_describe_early_marks(const struct syscap_profile *profile,
                                         char *text, size_t size);

/** Prefetch a mark for a syscap_profile_mark() that follows soon. */
void syscap_profile_mark_soon(const struct syscap_profile *profile,
                              size_t number);

/** Sort numbers of marks by time, then by duration, the longest first, then by
 * number.  So enclosing marks precede inner marks. */
void syscap_profile_order_marks(const struct syscap_profile *profile,
                                uint32_t *numbers, size_t n);

/** Get the names of marks, by number. */
const struct syscap_profile_mark_name *
syscap_profile_mark_names(const struct syscap_profile *profile, size_t *ret_n);

/**
 * Get the message of the mark or log whose frame is at @offset.  @reader must
 * have the same file open.  The call changes the reader's position.  Returns ""
 * if the frame has no message, NULL if there is no memory.  The result is valid
 * until the next call and until @reader is closed.
 */
const char *syscap_profile_message(struct syscap_profile *profile,
                                   struct syscap_reader *reader,
                                   uint64_t offset);

/* ---------------------------------- operations and arrows: may still change */

/** Role of a mark among the marks of its group with its id. */
enum syscap_profile_phase {
	SYSCAP_PHASE_WHOLE, /* a whole operation */
	SYSCAP_PHASE_BEGIN,
	SYSCAP_PHASE_STEP,
	SYSCAP_PHASE_END,
	SYSCAP_PHASE_OUT, /* an arrow starts at the mark's end */
	SYSCAP_PHASE_IN   /* an arrow arrives at the mark's time */
};

/** A mark's part in an operation or arrow (docs/marks.md). */
struct syscap_profile_part {
	uint64_t id;
	uint32_t mark;
	enum syscap_profile_phase phase;
	uint32_t operation; /* valid until the next settle; NONE: a step without
	                     * an operation, or an arrow's end */
};

/** An operation, which may span threads. */
struct syscap_profile_operation {
	uint64_t id;
	int64_t from, to;    /* the capture's times, if an end is missing */
	uint32_t begin, end; /* marks; NONE: missing; equal: one mark */
	uint32_t name;       /* name of the `begin` mark, else of the `end`
	                      * mark */
	uint32_t process;
};

/** An arrow from the end of one mark to the beginning of another. */
struct syscap_profile_arrow {
	uint32_t out, in;
};

/** Get all parts in the order of groups, ids and times, or all operations, or
 * all arrows.  The result is valid until the next settle. */
const struct syscap_profile_part *
syscap_profile_parts(const struct syscap_profile *profile, size_t *ret_n);
const struct syscap_profile_operation *
syscap_profile_operations(const struct syscap_profile *profile, size_t *ret_n);
const struct syscap_profile_arrow *
syscap_profile_arrows(const struct syscap_profile *profile, size_t *ret_n);

/* ------------------------------------------ counters and logs: may change */

/**
 * One counter id of a process that defines the id, sets the id, or both.  If
 * the process does not define the id, texts and type come from the latest
 * definition in any process, after settle (docs/format.md).
 */
struct syscap_profile_counter {
	const char *category, *name, *description; /* "": undefined */
	uint32_t process;
	uint32_t id;
	uint32_t shown_as; /* number of the counter whose definition is used:
			    * its own; for undefined ids, the first counter with
			    * the id */
	uint64_t n_values; /* number of values */
	bool is_defined;   /* the process defined the id */
	bool is_double;
};

/** Values of counters, if the part VALUES is kept, in file order, which is
 * nearly time order. */
struct syscap_profile_values {
	size_t n;
	const int64_t *times;
	const uint64_t *bits; /* bits of an int64_t, or of a double */
	const uint32_t *counters;
	const uint32_t *threads;
};

/** Get all counters, by number, or all values. */
const struct syscap_profile_counter *
syscap_profile_counters(const struct syscap_profile *profile, size_t *ret_n);
void syscap_profile_values(const struct syscap_profile *profile,
                           struct syscap_profile_values *ret_values);

/** A log line. */
struct syscap_profile_log {
	int64_t time;
	uint64_t offset; /* frame's offset, for syscap_profile_message() */
	const char *domain;
	uint32_t thread;
	uint16_t severity; /* GLib's level bits */
};

/** Get all log lines. */
const struct syscap_profile_log *
syscap_profile_logs(const struct syscap_profile *profile, size_t *ret_n);

/* --------------------------------------- walk over events: may still change */

/**
 * A walk over a capture's events in file order, with the profile's numbers of
 * their threads and counters.  Use a walk in programs that write or sum up each
 * event and keep no events.
 *
 *	syscap_profile_walk_new(profile, reader, &walk);
 *	while (syscap_profile_walk_value(walk, &value) > 0)
 *		if (syscap_view_has(view, value.thread, value.time))
 *			...
 *	syscap_profile_walk_free(walk);
 */
struct syscap_profile_walk;

/** An event of a walk. */
struct syscap_profile_event {
	const struct syscap_frame *frame; /* MARK, LOG, CTRSET, SAMPLE,
	                                   * ALLOCATION */
	uint32_t thread;
	bool is_loss; /* the MARK is a loss record */
};

/** A counter's value in a walk. */
struct syscap_profile_value {
	int64_t time;
	uint64_t bits; /* bits of an int64_t, or of a double */
	uint32_t counter, thread;
};

/**
 * Begin a walk.  @reader reads the file that @profile has read, and belongs to
 * the walk until the walk is freed.  The caller must not read @profile further
 * during the walk.  Returns 0 or -ENOMEM.
 */
int syscap_profile_walk_new(const struct syscap_profile *profile,
                            struct syscap_reader *reader,
                            struct syscap_profile_walk **ret_walk);

/** End a walk. */
void syscap_profile_walk_free(struct syscap_profile_walk *walk);

/**
 * Get the next event of the profile's parts, or with SYSCAP_PROFILE_THREADS of
 * all parts.  The event is valid until the next call.  Returns 1, 0 at the end,
 * or -ENOMEM.
 */
int syscap_profile_walk_event(struct syscap_profile_walk *walk,
                              struct syscap_profile_event *ret_event);

/** Get the next value of a counter, of the part COUNTERS. */
int syscap_profile_walk_value(struct syscap_profile_walk *walk,
                              struct syscap_profile_value *ret_value);

/* -------------------------------------------------- waits: may still change */

/**
 * A stack that no timer requested, kept with the part SAMPLES.  If is_stall is
 * false, the stack is of a blocking call that began at @time and took @duration,
 * as its mark did.  If the mark was lost, @duration is rounded down to µs.
 * Otherwise, the stack is of a loop that was stalled for @duration since the
 * previous stack.
 */
struct syscap_profile_wait {
	int64_t time, duration;
	uint32_t thread, stack;
	bool is_stall;
};

/** Get all waits. */
const struct syscap_profile_wait *
syscap_profile_waits(const struct syscap_profile *profile, size_t *ret_n);

/* ------------------------------------------------ crashes: may still change */

/**
 * A thread that crashed, with its log message of the domain "syscap.crash".
 * The part SAMPLES keeps the stack.  The innermost frame of the stack has the
 * name of the signal, as in "crashed by SIGSEGV".
 */
struct syscap_profile_crash {
	int64_t time;
	uint32_t thread;
	uint32_t stack;      /* SYSCAP_PROFILE_NONE: no stack */
	const char *message; /* "" if the message was lost */
};

/** Get all crashes, in file order. */
const struct syscap_profile_crash *
syscap_profile_crashes(const struct syscap_profile *profile, size_t *ret_n);

/**
 * Store the first @max functions of @stack, innermost first, in @ret_functions.
 * Returns the number of all functions of the stack, with inlined functions.
 */
size_t syscap_profile_stack_functions(const struct syscap_profile *profile,
                                      uint32_t stack, uint32_t *ret_functions,
                                      size_t max);

/**
 * Describe the first crash, for example "process 12 crashed by SIGSEGV at
 * address 0x10 after 3.20 s of the recording".  @text is empty if the capture has
 * no crash.
 */
void syscap_profile_describe_crash(const struct syscap_profile *profile,
                                   char *text, size_t size);

/* -------------------------------------------- allocations: may still change */

/**
 * An allocation (size above 0) or a free.  An allocation ends with its free or,
 * if the free was lost, with another allocation at its address.
 */
struct syscap_profile_allocation {
	int64_t time;
	uint64_t address;
	int64_t size;
	uint32_t thread, stack;
	uint32_t ended_by; /* number of the ending event, or NONE; by settle */
	bool is_temporary; /* freed before its thread allocated again */
};

/** Sums over all processes, after settle. */
struct syscap_profile_heap {
	uint64_t n_allocations, bytes;
	uint64_t n_frees;
	uint64_t n_leaked, leaked;
	uint64_t n_temporary, temporary;
	/* Maximum of recorded bytes in use.  The end of a process takes its
	 * leaked memory. */
	uint64_t peak;
	int64_t peak_time;
	/* One allocation per this many bytes is recorded, and represents these
	 * bytes; 0: all. */
	uint64_t sample_bytes;
	/* `syscap cut` removed the end of the recording, and with it frees of
	 * memory that counts as leaked. */
	bool is_cut;
	/* `syscap cut` removed the beginning of the recording, and with it
	 * allocations, which @peak omits. */
	bool is_begin_cut;
};

/** Get all allocations and frees, by number, or their sums. */
const struct syscap_profile_allocation *
syscap_profile_allocations(const struct syscap_profile *profile, size_t *ret_n);
void syscap_profile_heap(const struct syscap_profile *profile,
                         struct syscap_profile_heap *ret_heap);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
#endif
