/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscap.h - tell a profiler what your program is doing.
 *
 * Link libsyscap.a and say where time goes:
 *
 *	#include <syscap.h>
 *
 *	SYSCAP_COUNTER(frames_drawn, "demo", "frames", "Frames drawn so far",
 *		       SYSCAP_INT64);
 *
 *	void draw(void)
 *	{
 *		SYSCAP_SCOPE("demo", "draw");
 *		...
 *		SYSCAP_COUNTER_SET(frames_drawn, ++n);
 *		SYSCAP_LOG(SYSCAP_DEBUG, "demo", "drawn");
 *	}
 *
 * and run it under a recorder: `syscap record -- ./demo`, sysprof-cli, GNOME
 * Builder.  The recorder is found through SYSPROF_CONTROL_FD in the
 * environment.  Without one nothing is recorded, and every macro here is one
 * load and one branch not taken: no call, no clock read, and its arguments
 * are not evaluated.
 *
 * Words
 *	mark     something that happened, at a time or for a time
 *	counter  a number that changes
 *	log      a line of text with a severity
 *	ring     where a thread's events wait for the recorder
 *
 * What can be relied on
 *	No call blocks, aborts, allocates or locks.  An event that finds no
 *	room is dropped and counted, and the capture says so.  A thread's
 *	first event gets its ring: a few system calls, and at most 250 ms of
 *	waiting for a recorder that does not answer, once a thread.  When it
 *	has not for a second, new threads don't wait.
 *
 * Contexts: each function says which it is for.
 *	any-thread   any thread, at the same time as any other call
 *	signal-safe  also in a signal handler, even one that interrupted
 *	             another of these calls half-way; keeps errno
 *	setup        at start; may allocate
 *
 * Costs are measured by `cmake --workflow --preset bench`; the README shows
 * a run.
 *
 * Times are CLOCK_MONOTONIC in nanoseconds.  Texts are UTF-8 and copied; one
 * that is too long is cut between characters: group 23 bytes, name 39,
 * counter category and name 31, description 51, domain 31, metadata id 39,
 * message 65,431 (log and metadata 65,463).  NULL texts read as "".
 */
#ifndef SYSCAP_H
#define SYSCAP_H

#include <stdarg.h>

#include <syscap/emit.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SYSCAP_VERSION_MAJOR 0
#define SYSCAP_VERSION_MINOR 1
#define SYSCAP_VERSION_MICRO 0

#if defined(__GNUC__)
#define SYSCAP_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define SYSCAP_PRINTF(at, first)
#endif

/*
 * What is inline here is a function of libsyscap.so too.  A program that links
 * or loads that defines SYSCAP_NO_INLINE before it includes this: the inline
 * parts use what only the archive shows.
 */
#if defined(SYSCAP_NO_INLINE)
#define SYSCAP_INLINE extern
#elif !defined(SYSCAP_INLINE)
#define SYSCAP_INLINE static inline
#endif

/* ------------------------------------------------------------------ life */

/**
 * True while events may have somewhere to go.  The macros ask by themselves;
 * ask where preparing an event costs something.
 *
 * Context: any-thread, signal-safe.  One load.
 */
SYSCAP_INLINE bool syscap_is_active(void);

#if defined(SYSCAP_NO_INLINE)
#define SYC_ACTIVE() SYC_UNLIKELY(syscap_is_active())
#else
#define SYC_ACTIVE() \
	SYC_UNLIKELY(__atomic_load_n(&syc_active, __ATOMIC_RELAXED))
#endif

/**
 * Now, on the clock of the capture.  Uses the processor's time stamp counter
 * where the kernel does (error at most 5 us, told in the capture), else
 * clock_gettime().  Never goes back within a thread.
 *
 * Context: any-thread, signal-safe.
 */
SYSCAP_INLINE int64_t syscap_clock(void);

/**
 * The time at which something begins, for SYSCAP_MARK_SINCE(); 0 while
 * nothing is recorded.
 *
 * Context: any-thread, signal-safe.
 */
SYSCAP_INLINE int64_t syscap_begin(void);

struct syscap_stats {
	size_t size; /* set to sizeof before the call */
	bool is_active;
	char reason[120];   /* why it is on or off, one sentence */
	uint64_t n_dropped; /* events of this process that were not kept ... */
	uint64_t n_abandoned; /* ... of which begun and never finished */
	uint64_t n_untold;    /* dropped and not in the capture yet */
	uint32_t n_rings;     /* mapped now */
	bool clock_is_tsc;
	/* Bytes that the process wrote by itself: none where its events go into
	 * the capture of the one that forked it */
	uint64_t n_written;
	char output[1024]; /* the file of SYSCAP_OUTPUT or syscap_start() */
	/* Copies of the library, in the program and in libraries that it
	 * loaded, that act as one: one ring a thread, ids that never clash */
	uint32_t n_copies;
	char why_alone[120]; /* why this one does not; "" else */
};

/**
 * What became of this process' events.  Fields behind @stats->size are left
 * alone.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_get_stats(struct syscap_stats *stats);

/** Flags of syscap_start(). */
enum {
	SYSCAP_NO_THREAD = 1, /* the program calls syscap_drain() */
	/* Forked children share no memory with this process, but record into
	 * files of their own: for those that give up rights */
	SYSCAP_PRIVATE_CHILDREN = 2
};

/** What syscap_start() is to do.  All zero but size and output is good. */
struct syscap_options {
	size_t size;          /* set to sizeof before the call */
	const char *output;   /* name of the capture; %p pid, %n program, %% */
	uint64_t max_bytes;   /* of the capture: then recording stops; 0: any */
	uint32_t ring_kib;    /* each thread's ring; 0: 256 */
	uint32_t interval_ms; /* events wait this long at most; 0: 50 */
	uint32_t exit_flush_ms; /* exit() waits this long at most; 0: 250 */
	unsigned flags;         /* SYSCAP_NO_THREAD, SYSCAP_PRIVATE_CHILDREN */
	char message[1024];     /* set: the file's name, or why it failed */
};

/**
 * Record this process into a capture of its own, from here until
 * syscap_stop() or the end of the process.  docs/trace-yourself.md is the
 * guide.
 *
 * A file that exists is never touched: the name gets ".PID" appended, then
 * ".PID.2" and so on.  Forked children are recorded into the same
 * file, as long as this process lives; exec'ed images do not go on.  Comes before what the environment says; a
 * recorder gets no more events until syscap_stop().  Published events survive
 * the death of the process: `syscap recover`.
 *
 * Returns 0, and @options->message is the file's name; or a negative errno
 * and the message says why: -EALREADY, a recording that was started so runs
 * already; -EINVAL, the options; -EIO, the file can't be made.
 *
 * Context: setup, any-thread.  Allocates: it makes the drain thread.
 */
int syscap_start(struct syscap_options *options);

/**
 * End what syscap_start() began.  Events emitted before the call are in the
 * file when it returns 0.  Else a negative errno: -ENOENT, nothing was
 * started; -EFBIG, the size limit had been reached; -ENOSPC and the like: the
 * rest is in the ring file, for `syscap recover`; -ETIMEDOUT after 5 s.
 *
 * Context: setup, any-thread.
 */
int syscap_stop(void);

/**
 * Move what was emitted into the file or descriptor now.  With SYSCAP_THREAD=0
 * or SYSCAP_NO_THREAD call it from the main loop, often enough that no ring
 * fills up.  Does nothing under a recorder.
 *
 * Returns 0, or a negative errno: -EAGAIN, the sink was not ready within the
 * drain interval.
 *
 * Context: any-thread.
 */
int syscap_drain(void);

/**
 * Forget an emit of this thread that will never finish.
 *
 * An event that a signal handler left half-way by siglongjmp() is found and
 * repaired at the thread's next event, where both ran on the thread's own
 * stack.  Programs that switch stacks inside a signal handler (preemptive
 * coroutines) and never come back to the old one call this instead.  Not to
 * be called while an interrupted emit may still go on.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_thread_reset(void);

/* ----------------------------------------------------------------- marks */

/** A place in the source that makes marks.  Fields are zero-padded. */
struct syscap_mark_site {
	char group[24];
	char name[40];
};

/**
 * Record that @site took @duration ns from @begin on (0: an instant).
 * @message may be NULL.
 *
 * Context: any-thread, signal-safe.
 */
SYSCAP_INLINE void syscap_mark_at(const struct syscap_mark_site *site,
                                  int64_t begin, int64_t duration,
                                  const char *message);

/**
 * The same with the texts given at the call: for callers without a fixed
 * place, such as other languages.  Costs two bounded copies more.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_mark(const char *group, const char *name, int64_t begin,
                 int64_t duration, const char *message);

/**
 * The same with a message made by vsnprintf().
 *
 * Context: any-thread; signal-safe as far as the C library's vsnprintf() is:
 * glibc's does not allocate for integers, strings and plain floating point,
 * and does for widths and precisions above some hundreds, for %ls and for
 * positional arguments.  What can't be formatted is an empty message.
 */
void syscap_mark_printf(const char *group, const char *name, int64_t begin,
                        int64_t duration, const char *format, ...)
	SYSCAP_PRINTF(5, 6);
void syscap_mark_vprintf(const char *group, const char *name, int64_t begin,
                         int64_t duration, const char *format, va_list args)
	SYSCAP_PRINTF(5, 0);

/**
 * A number for (@group, @name), the same for the same texts; 0 when the table
 * (4,096 sites) is full, or no memory could be mapped for it at the first call.
 * Keep it: looking it up costs more than a mark.  syscap_mark_by_id() does
 * nothing for a number it has not given out.
 *
 * Context: any-thread.  By id: signal-safe too.
 */
uint32_t syscap_mark_id(const char *group, const char *name);
void syscap_mark_by_id(uint32_t id, int64_t begin, int64_t duration,
                       const char *message);

static inline void syc_mark_since(const struct syscap_mark_site *site,
                                  int64_t begin, const char *message);

#define SYC_JOIN2(a, b) a##b
#define SYC_JOIN(a, b)  SYC_JOIN2(a, b)

/* @group_ and @name_ are literals: the linker sees finished templates. */
#define SYC_MARK_SITE(var, group_, name_)                              \
	SYSCAP_STATIC_ASSERT(sizeof(group_) <= 24, "group: 23 bytes"); \
	SYSCAP_STATIC_ASSERT(sizeof(name_) <= 40, "name: 39 bytes");   \
	static const struct syscap_mark_site var = { group_, name_ }

/** An instant, now.  @group and @name are string literals. */
#define SYSCAP_INSTANT(group, name, message)                                   \
	do {                                                                   \
		if (SYC_ACTIVE()) {                                            \
			SYC_MARK_SITE(syc_site, group, name);                  \
			syscap_mark_at(&syc_site, syscap_clock(), 0, message); \
		}                                                              \
	} while (0)

/** @duration ns from @begin on. */
#define SYSCAP_MARK(group, name, begin, duration, message)                   \
	do {                                                                 \
		if (SYC_ACTIVE()) {                                          \
			SYC_MARK_SITE(syc_site, group, name);                \
			syscap_mark_at(&syc_site, begin, duration, message); \
		}                                                            \
	} while (0)

/** From @begin, which syscap_begin() told, until now. */
#define SYSCAP_MARK_SINCE(group, name, begin, message)                         \
	do {                                                                   \
		if (SYC_ACTIVE()) {                                            \
			SYC_MARK_SITE(syc_site, group, name);                  \
			const int64_t syc_since = (begin);                     \
			if (SYC_LIKELY(syc_since != 0))                        \
				syc_mark_since(&syc_site, syc_since, message); \
		}                                                              \
	} while (0)

/** @duration ns from @begin on, with a message in printf's form. */
#define SYSCAP_MARK_PRINTF(group, name, begin, duration, ...)            \
	do {                                                             \
		if (SYC_ACTIVE())                                        \
			syscap_mark_printf(group, name, begin, duration, \
			                   __VA_ARGS__);                 \
	} while (0)

/* What SYSCAP_SCOPE keeps in the block. */
struct syc_scope {
	const struct syscap_mark_site *site;
	const char *message;
	int64_t begin;
};

static inline void syc_scope_end(struct syc_scope *scope)
{
	if (SYC_UNLIKELY(scope->begin != 0))
		syc_mark_since(scope->site, scope->begin, scope->message);
}

/**
 * A mark from here to the end of the block, however it is left (return,
 * goto, C++ exceptions with -fexceptions; not longjmp or thread exit).
 */
#define SYSCAP_SCOPE(group, name) SYSCAP_SCOPE_MESSAGE(group, name, NULL)

/** The same; @message must live as long as the block. */
#define SYSCAP_SCOPE_MESSAGE(group, name, message_)                    \
	SYC_MARK_SITE(SYC_JOIN(syc_site_, __LINE__), group, name);     \
	struct syc_scope SYC_JOIN(syc_scope_, __LINE__)                \
		__attribute__((cleanup(syc_scope_end), unused)) = {    \
			&SYC_JOIN(syc_site_, __LINE__), NULL, 0        \
		};                                                     \
	if (SYC_ACTIVE()) {                                            \
		SYC_JOIN(syc_scope_, __LINE__).message = (message_);   \
		SYC_JOIN(syc_scope_, __LINE__).begin = syscap_clock(); \
	}                                                              \
	struct syc_scope *SYC_JOIN(syc_scope_kept_, __LINE__)          \
		__attribute__((unused)) = &SYC_JOIN(syc_scope_, __LINE__)

/* -------------------------------------------------------------- counters */

enum {
	SYSCAP_INT64 = 0,
	SYSCAP_DOUBLE = 1
};

union syscap_value {
	int64_t i64;
	double f64;
};

/**
 * A counter.  Make one with SYSCAP_COUNTER, or fill the texts and the type
 * and leave the rest zero.  Must live until the process ends.
 */
struct syscap_counter {
	char category[32];
	char name[32];
	char description[52];
	uint32_t type;   /* SYSCAP_INT64 or SYSCAP_DOUBLE */
	uint32_t id;     /* given at first use */
	uint32_t index;  /* of the id in this process, from 1 */
	uint32_t losses; /* events lost when `last` was sent */
	uint64_t last;   /* bits of the last value sent by an update */
};

/** Define a static counter @var; texts are string literals. */
#define SYSCAP_COUNTER(var, category_, name_, description_, type_)           \
	SYSCAP_STATIC_ASSERT(sizeof(category_) <= 32, "category: 31 bytes"); \
	SYSCAP_STATIC_ASSERT(sizeof(name_) <= 32, "name: 31 bytes");         \
	SYSCAP_STATIC_ASSERT(sizeof(description_) <= 52,                     \
	                     "description: 51 bytes");                       \
	static struct syscap_counter var = { category_, name_, description_, \
		                             type_,     0,     0,            \
		                             0,         0 }

/**
 * Record a counter's value now.
 *
 * Context: any-thread, signal-safe.
 */
SYSCAP_INLINE void syscap_counter_set_bits(struct syscap_counter *counter,
                                           uint64_t bits);
SYSCAP_INLINE void syscap_counter_set_int64(struct syscap_counter *counter,
                                            int64_t value);
SYSCAP_INLINE void syscap_counter_set_double(struct syscap_counter *counter,
                                             double value);

/**
 * The same, but only when the value differs from the last one that an update
 * sent, or when an event was lost since.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_counter_update_int64(struct syscap_counter *counter, int64_t value);
void syscap_counter_update_double(struct syscap_counter *counter, double value);

/**
 * Record several values with one time.  @n above 5,456 is split.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_counters_set(struct syscap_counter *const *counters,
                         const union syscap_value *values, unsigned n);

/**
 * The counter with these texts and type, for callers that have no place for
 * a static one: the same for the same texts; NULL when the table (4,096) is
 * full, or no memory could be mapped for it at the first call.  It lives until
 * the process ends.
 *
 * Context: any-thread.
 */
struct syscap_counter *syscap_counter_get(const char *category,
                                          const char *name,
                                          const char *description,
                                          uint32_t type);

/** Set @counter (of SYSCAP_COUNTER) to @value, of the counter's type. */
#define SYSCAP_COUNTER_SET(counter, value)                                  \
	do {                                                                \
		if (SYC_ACTIVE()) {                                         \
			if ((counter).type == SYSCAP_DOUBLE)                \
				syscap_counter_set_double(&(counter),       \
				                          (double)(value)); \
			else                                                \
				syscap_counter_set_int64(&(counter),        \
				                         (int64_t)(value)); \
		}                                                           \
	} while (0)

/** The same, sent only when it has changed. */
#define SYSCAP_COUNTER_UPDATE(counter, value)                                  \
	do {                                                                   \
		if (SYC_ACTIVE()) {                                            \
			if ((counter).type == SYSCAP_DOUBLE)                   \
				syscap_counter_update_double(&(counter),       \
				                             (double)(value)); \
			else                                                   \
				syscap_counter_update_int64(&(counter),        \
				                            (int64_t)(value)); \
		}                                                              \
	} while (0)

/* ------------------------------------------------------- logs, metadata */

/** GLib's log levels. */
enum syscap_severity {
	SYSCAP_ERROR = 4,
	SYSCAP_CRITICAL = 8,
	SYSCAP_WARNING = 16,
	SYSCAP_MESSAGE = 32,
	SYSCAP_INFO = 64,
	SYSCAP_DEBUG = 128
};

/**
 * Record a line of text.  @severity: one of the levels above.
 *
 * Context: any-thread, signal-safe (printf forms as syscap_mark_printf()).
 */
void syscap_log(unsigned severity, const char *domain, const char *message);
void syscap_log_printf(unsigned severity, const char *domain,
                       const char *format, ...) SYSCAP_PRINTF(3, 4);
void syscap_log_vprintf(unsigned severity, const char *domain,
                        const char *format, va_list args) SYSCAP_PRINTF(3, 0);

static inline void syc_log(unsigned severity, const char *domain,
                           const char *message);

#define SYSCAP_LOG(severity, domain, message)               \
	do {                                                \
		if (SYC_ACTIVE())                           \
			syc_log(severity, domain, message); \
	} while (0)

#define SYSCAP_LOG_PRINTF(severity, domain, ...)                          \
	do {                                                              \
		if (SYC_ACTIVE())                                         \
			syscap_log_printf(severity, domain, __VA_ARGS__); \
	} while (0)

/**
 * Record a fact about the run, such as a version.  Ids that begin with
 * "syscap." are ours.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_metadata(const char *id, const char *value);

#define SYSCAP_METADATA(id, value)                  \
	do {                                        \
		if (SYC_ACTIVE())                   \
			syscap_metadata(id, value); \
	} while (0)

/* ------------------------------------------------- stacks, allocations */

/**
 * Record that @size bytes were allocated at @address, or with a @size of 0
 * that they were freed, and from where: @backtrace fills up to @n_addrs (512)
 * of @addrs with code addresses, the innermost first, and returns how many;
 * less than 0 is none.  NULL: no stack.
 *
 * @backtrace is called once, in this call, and not while nothing is recorded.
 * It may write up to two addresses in front of @addrs: unwinders that begin
 * with themselves so drop two frames, their own and this function's.  It may
 * emit, and leave by siglongjmp(); then nothing is recorded.
 *
 * For use inside of malloc(): allocates nothing by itself.  Where @backtrace
 * does, the wrapper sees to it that this does not go round for ever.
 *
 * Context: any-thread, signal-safe as far as @backtrace is.
 */
void syscap_allocation(uint64_t address, int64_t size,
                       int (*backtrace)(uint64_t *addrs, unsigned n_addrs,
                                        void *user),
                       void *user);

/**
 * Record where this thread is now.  @backtrace as for syscap_allocation().
 *
 * Context: any-thread, signal-safe as far as @backtrace is.
 */
void syscap_sample(int (*backtrace)(uint64_t *addrs, unsigned n_addrs,
                                    void *user),
                   void *user);

#define SYSCAP_ALLOCATION(address, size, backtrace, user)                  \
	do {                                                               \
		if (SYC_ACTIVE())                                          \
			syscap_allocation(address, size, backtrace, user); \
	} while (0)

#define SYSCAP_SAMPLE(backtrace, user)                  \
	do {                                            \
		if (SYC_ACTIVE())                       \
			syscap_sample(backtrace, user); \
	} while (0)

/* ----------------------------------------- marks that belong together */

/** What a mark is to the others with its id.  docs/marks.md tells more. */
enum syscap_link {
	SYSCAP_LINK_WHOLE, /* an operation, from begin for duration */
	SYSCAP_LINK_BEGIN, /* it begins at the mark's time ... */
	SYSCAP_LINK_STEP,
	SYSCAP_LINK_END,
	SYSCAP_LINK_OUT, /* an arrow leaves from the mark's end ... */
	SYSCAP_LINK_IN   /* ... and arrives at the mark's beginning */
};

/**
 * Record an instant, now, that is the part @link of what has the number @id.
 *
 * Operations may overlap, also on one thread, and end on another thread than
 * they began on.  The parts of one have the same group and @id, by which one
 * operation of the process is meant until its end.  Where the program knows
 * at the end when the operation began, one mark for the whole is better: half
 * the cost, and no part can be lost.
 *
 * An arrow shows what leads to what: from an OUT to the INs that follow it
 * with the same group and @id, in any thread and process.
 *
 * @link is said in front of @message, as text.  Other numbers than those
 * above record nothing.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_linked(const char *group, const char *name, unsigned link,
                   uint64_t id, const char *message);

/**
 * The same for a fixed place and a time of its own.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_linked_at(const struct syscap_mark_site *site, unsigned link,
                      uint64_t id, int64_t begin, int64_t duration,
                      const char *message);

/* A part that has no duration. */
#define SYC_LINKED(group, name, link, id, message)                            \
	do {                                                                  \
		if (SYC_ACTIVE()) {                                           \
			SYC_MARK_SITE(syc_site, group, name);                 \
			syscap_linked_at(&syc_site, link, id, syscap_clock(), \
			                 0, message);                         \
		}                                                             \
	} while (0)

/** An operation of @duration ns from @begin on. */
#define SYSCAP_ASYNC(group, name, id, begin, duration, message)            \
	do {                                                               \
		if (SYC_ACTIVE()) {                                        \
			SYC_MARK_SITE(syc_site, group, name);              \
			syscap_linked_at(&syc_site, SYSCAP_LINK_WHOLE, id, \
			                 begin, duration, message);        \
		}                                                          \
	} while (0)

/** An operation from @begin, which syscap_begin() told, until now. */
#define SYSCAP_ASYNC_SINCE(group, name, id, begin, message)                    \
	do {                                                                   \
		if (SYC_ACTIVE()) {                                            \
			SYC_MARK_SITE(syc_site, group, name);                  \
			const int64_t syc_since = (begin);                     \
			if (SYC_LIKELY(syc_since != 0))                        \
				syscap_linked_at(&syc_site, SYSCAP_LINK_WHOLE, \
				                 id, syc_since,                \
				                 syscap_clock() - syc_since,   \
				                 message);                     \
		}                                                              \
	} while (0)

/** Its parts, now, where nobody knows the whole.  A step has its own name. */
#define SYSCAP_ASYNC_BEGIN(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_BEGIN, id, message)
#define SYSCAP_ASYNC_STEP(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_STEP, id, message)
#define SYSCAP_ASYNC_END(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_END, id, message)

/** An arrow, from here, now. */
#define SYSCAP_FLOW_OUT(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_OUT, id, message)
/** To here, now. */
#define SYSCAP_FLOW_IN(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_IN, id, message)

/* -------------------------------------------------------- embedded files */

/**
 * Put a file into the capture: @size bytes at @data (NULL only with 0), named
 * @path, of 1 to 255 bytes.
 *
 * Unlike an event this waits where the ring is full: each part of some
 * kilobytes up to 250 ms, and as much again where a sink is slow.  Then the
 * rest is not sent, and the capture has a file without an end, which can't be
 * sent again: readers take of a path what comes up to the first end.  So send
 * a path once, and never from two threads at a time.
 *
 * Returns 0, also where nothing is recorded; or a negative errno: -EINVAL,
 * -ENAMETOOLONG; -ENOBUFS, there was no room; -ECANCELED, recording stopped
 * or went elsewhere meanwhile, or the process forked.
 *
 * Context: any-thread.  Not a cancellation point.
 */
int syscap_file(const char *path, const void *data, size_t size);

/**
 * The same with what read() gives from @fd, from where it stands to its end;
 * or a negative errno that read() gave.  At the first read nothing is sent
 * yet.  Does not read while nothing is recorded.
 *
 * Context: any-thread.  Not a cancellation point.
 */
int syscap_file_fd(const char *path, int fd);

/* ----------------------------------------------------- the inline bodies */

#if defined(SYSCAP_NO_INLINE)

static inline void syc_mark_since(const struct syscap_mark_site *site,
                                  int64_t begin, const char *message)
{
	syscap_mark_at(site, begin, syscap_clock() - begin, message);
}

static inline void syc_log(unsigned severity, const char *domain,
                           const char *message)
{
	syscap_log(severity, domain, message);
}

#else

SYSCAP_INLINE bool syscap_is_active(void)
{
	return __atomic_load_n(&syc_active, __ATOMIC_RELAXED) != 0;
}

SYSCAP_INLINE int64_t syscap_clock(void)
{
	struct syc_thread *st = syc_self;

	return SYC_LIKELY(st != NULL) ? syc_clock(st) : syc_clock_slow(NULL);
}

SYSCAP_INLINE int64_t syscap_begin(void)
{
	return SYC_ACTIVE() ? syscap_clock() : 0;
}

/* Out of line: long messages, counters not known to the ring, emits that are
 * not alone. */
void syc_mark_slow(const struct syscap_mark_site *site, int64_t begin,
                   int64_t duration, const char *message, size_t len,
                   const void *cfa);
void syc_counter_slow(struct syscap_counter *counter, uint64_t bits,
                      int64_t now, const void *cfa);

/** The ring of @st carries @counter's definition. */
static inline bool syc_counter_is_defined(const struct syc_thread *st,
                                          const struct syscap_counter *counter)
{
	const uint32_t index =
		__atomic_load_n(&counter->index, __ATOMIC_ACQUIRE);

	return index < SYC_DEFINED_MAX &&
	       (st->defined[index / 64] >> index % 64 & 1) != 0;
}

/** Longest message that the inline mark takes. */
#define SYC_INLINE_MESSAGE 1024u

/* A CTRSET of one group. */
#define SYC_CTRSET_LEN \
	(sizeof(struct syscap_wire_ctrset) + sizeof(struct syscap_wire_values))

/* The message that ends a frame.  Where gcc knows that a length is small, and
 * not which it is, it makes string instructions of memcpy(), which take as long
 * as all the rest: so it is not to know. */
static inline __attribute__((always_inline)) void
syc_message_fill(unsigned char *at, const char *message, size_t n)
{
	if (!__builtin_constant_p(n))
		__asm__("" : "+r"(n));
	if (n != 0)
		memcpy(at, message, n);
}

/* A mark behind its header, but for the message; room for which ends in
 * zeroes. */
static inline __attribute__((always_inline)) void
syc_mark_fill(unsigned char *frame, uint32_t len,
              const struct syscap_mark_site *site, int64_t duration)
{
	syc_store_word(frame + SYC_AT(mark, duration), (uint64_t)duration);
	memcpy(frame + SYC_AT(mark, group), site, sizeof(*site));
	syc_store_word(frame + len - 8, 0);
}

/* A CTRSET of one counter, behind its header. */
static inline __attribute__((always_inline)) void
syc_counter_fill(unsigned char *frame, uint32_t id, uint64_t bits)
{
	unsigned char *const group = frame + sizeof(struct syscap_wire_ctrset);

	syc_store_word(frame + SYC_AT(ctrset, n_groups), 1);
	syc_store_word(group + SYC_AT(values, ids), id);
	memset(group + SYC_AT(values, ids[2]), 0, 6 * sizeof(uint32_t));
	syc_store_word(group + SYC_AT(values, values), bits);
	memset(group + SYC_AT(values, values[1]), 0, 7 * sizeof(uint64_t));
}

static inline __attribute__((always_inline)) void
syc_mark(struct syc_thread *st, const struct syscap_mark_site *site,
         int64_t begin, int64_t duration, const char *message)
{
	const size_t n = message != NULL ? strlen(message) : 0;
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), n);
	volatile uintptr_t token;
	struct syc_place place;

	if (SYC_UNLIKELY(n > SYC_INLINE_MESSAGE ||
	                 !syc_begin(st, &token, len, &place))) {
		syc_mark_slow(site, begin, duration, message, n,
		              __builtin_dwarf_cfa());
		return;
	}
	unsigned char *const frame = place.frame;
	syc_store_head(frame, begin, place.tag_word | SYSCAP_FRAME_MARK);
	syc_mark_fill(frame, len, site, duration);
	syc_message_fill(frame + sizeof(struct syscap_wire_mark), message, n);
	syc_end(st, &token, &place);
}

SYSCAP_INLINE void syscap_mark_at(const struct syscap_mark_site *site,
                                  int64_t begin, int64_t duration,
                                  const char *message)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);

	if (SYC_LIKELY(st != NULL))
		syc_mark(st, site, begin, duration, message);
}

static inline void syc_mark_since(const struct syscap_mark_site *site,
                                  int64_t begin, const char *message)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);

	if (SYC_LIKELY(st != NULL))
		syc_mark(st, site, begin, syc_clock(st) - begin, message);
}

SYSCAP_INLINE void syscap_counter_set_bits(struct syscap_counter *counter,
                                           uint64_t bits)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_CTRSET);
	volatile uintptr_t token;
	struct syc_place place;

	if (SYC_UNLIKELY(st == NULL))
		return;
	const int64_t now = syc_clock(st);
	if (SYC_UNLIKELY(!syc_counter_is_defined(st, counter) ||
	                 !syc_begin(st, &token, SYC_CTRSET_LEN, &place))) {
		syc_counter_slow(counter, bits, now, __builtin_dwarf_cfa());
		return;
	}
	syc_store_head(place.frame, now, place.tag_word | SYSCAP_FRAME_CTRSET);
	syc_counter_fill(place.frame,
	                 __atomic_load_n(&counter->id, __ATOMIC_RELAXED), bits);
	syc_end(st, &token, &place);
}

/* Where the domain is a literal: else its length must be counted first. */
static inline void syc_log(unsigned severity, const char *domain,
                           const char *message)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_LOG);
	volatile uintptr_t token;
	struct syc_place place;

	if (SYC_UNLIKELY(st == NULL))
		return;
	const size_t n = message != NULL ? strlen(message) : 0;
	const size_t n_domain = domain != NULL ? strlen(domain) : 0;
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_log), n);
	const int64_t now = syc_clock(st);
	if (SYC_UNLIKELY(n > SYC_INLINE_MESSAGE || n_domain > 31 ||
	                 !syc_begin(st, &token, len, &place))) {
		syscap_log(severity, domain, message);
		return;
	}
	unsigned char *const frame = place.frame;
	syc_store_head(frame, now, place.tag_word | SYSCAP_FRAME_LOG);
	syc_store_word(frame + SYC_AT(log, severity), (uint16_t)severity);
	memset(frame + SYC_AT(log, domain), 0, 32);
	if (n_domain != 0)
		memcpy(frame + SYC_AT(log, domain), domain, n_domain);
	syc_store_word(frame + len - 8, 0);
	syc_message_fill(frame + sizeof(struct syscap_wire_log), message, n);
	syc_end(st, &token, &place);
}

SYSCAP_INLINE void syscap_counter_set_int64(struct syscap_counter *counter,
                                            int64_t value)
{
	syscap_counter_set_bits(counter, (uint64_t)value);
}

SYSCAP_INLINE void syscap_counter_set_double(struct syscap_counter *counter,
                                             double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	syscap_counter_set_bits(counter, bits);
}

#endif /* SYSCAP_NO_INLINE */

#ifdef __cplusplus
}
#endif
#endif
