/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscap.h - marks, counters and logs for a profiler.
 *
 * Link libsyscap.a and mark the work of the program:
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
 * Then run the program under a recorder: `syscap record -- ./demo`, sysprof-cli
 * or GNOME Builder.  The recorder passes its socket in the environment variable
 * SYSPROF_CONTROL_FD.  Without a recorder, a macro records nothing and is one
 * load and one branch: no call, no clock read, no evaluation of arguments.
 *
 * Terms
 *	mark     an instant or an interval with a name
 *	counter  a number that changes
 *	log      a line of text with a severity
 *	ring     the memory in which a thread's events wait for the recorder
 *
 * Guarantees
 *	No call blocks, aborts, allocates or locks, except that a thread's
 *	first event may wait for its ring.  The first event takes a few system
 *	calls, and at most 250 ms if the recorder does not answer.  If the
 *	recorder stays silent for a second, new threads do not wait.  If a ring
 *	is full, the library drops and counts the event, and the capture
 *	reports the loss.  With a recorder other than syscap, the library keeps
 *	up to 16 MiB of events in memory until there is room.  Then exit() may
 *	take up to 1 s.  If a process records itself without a thread, some
 *	events write the rings: an event that fills a quarter of its ring, and
 *	the first event a drain interval after the last write.  Such an event
 *	takes as long as the disk takes, and checks the fd first.
 *
 * Contexts of the functions:
 *	any-thread   any thread, at the same time as any other call
 *	signal-safe  also in a signal handler, even if it interrupted one of
 *	             these calls; errno is kept
 *	setup        at start; may allocate
 *
 * `cmake --workflow --preset bench` measures the costs, and the README has
 * figures.
 *
 * Times are CLOCK_MONOTONIC in nanoseconds.  Texts are UTF-8, and NULL is the
 * empty text.  The library copies texts, and cuts longer texts between
 * characters.  Limits in bytes: group 23, name 39, message 65,431 (log and
 * metadata 65,463).  Further limits: counter category and name 31, description
 * 51, domain 31, metadata id 39.
 */
#ifndef SYSCAP_H
#define SYSCAP_H

#include <stdarg.h>

#include <syscap/emit.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
extern "C" {
#endif

/** The version of this header. */
#define SYSCAP_VERSION_MAJOR 0
#define SYSCAP_VERSION_MINOR 1
#define SYSCAP_VERSION_MICRO 0

#if defined(__GNUC__)
#define SYSCAP_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define SYSCAP_PRINTF(at, first)
#endif

/*
 * libsyscap.so also exports the inline functions.  A program that links or
 * loads libsyscap.so defines SYSCAP_NO_INLINE before it includes this header.
 * The inline parts use symbols of the archive only.
 */
/*
 * A program that defines SYSCAP_DISABLE before it includes this header has no
 * instrumentation.  The macros compile to nothing.  Their arguments must still
 * be valid, but are never evaluated.  syscap_is_active() is false, and
 * syscap_clock() and syscap_begin() return 0.  A program that calls functions
 * directly, without macros, still needs the library.
 */
#if defined(SYSCAP_DISABLE)
#define SYSCAP_INLINE static inline
#elif defined(SYSCAP_NO_INLINE)
#define SYSCAP_INLINE extern
#elif !defined(SYSCAP_INLINE)
#define SYSCAP_INLINE static inline
#endif

/* -------------------------------------------------- state and recording */

/**
 * Returns true while events may be recorded.  The macros test this state.  Call
 * this function before the expensive preparation of an event.
 *
 * Context: any-thread, signal-safe.  One load.
 */
SYSCAP_INLINE bool syscap_is_active(void);

#if defined(SYSCAP_NO_INLINE) && !defined(SYSCAP_DISABLE)
#define SYC_ACTIVE() SYC_UNLIKELY(syscap_is_active())
#else
#define SYC_ACTIVE() SYC_UNLIKELY(SYC_ACTIVE_WORD())
#endif

/**
 * Get the time in ns on the capture's clock, which never goes back within a
 * thread.
 *
 * If the kernel's clock reads the processor's time stamp counter, this function
 * reads the counter, too.  The error is at most 5 us, unless the kernel's clock
 * is slewed by more than 500 ppm.  The capture states a larger error.  Without
 * the counter, this function reads the kernel's clock.
 *
 * Context: any-thread, signal-safe.
 */
SYSCAP_INLINE int64_t syscap_clock(void);

/**
 * Get the time for SYSCAP_MARK_SINCE() at the beginning of an interval; 0 while
 * nothing is recorded.
 *
 * Context: any-thread, signal-safe.
 */
SYSCAP_INLINE int64_t syscap_begin(void);

/** Statistics of this process's events. */
struct syscap_stats {
	size_t size; /* set to sizeof before the call */
	bool is_active;
	char reason[120];     /* a sentence: the reason for is_active */
	uint64_t n_dropped;   /* lost events of this process */
	uint64_t n_abandoned; /* part of n_dropped: events never finished */
	uint64_t n_untold;    /* losses that the capture does not have yet */
	uint32_t n_rings;     /* rings that are mapped now */
	bool clock_is_tsc;
	/* Bytes that this process wrote; 0 if its events go into its parent's
	 * capture */
	uint64_t n_written;
	char output[1024]; /* the file of SYSCAP_OUTPUT or syscap_start() */
	/* Copies of the library in this process that share rings and ids, in
	 * the program and in loaded libraries */
	uint32_t n_copies;
	char why_alone[120]; /* reason that this copy does not share, or "" */
};

/**
 * Get statistics on this process's events.  The call does not write fields
 * beyond @stats->size.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_get_stats(struct syscap_stats *stats);

/** Flags of syscap_start(). */
enum {
	SYSCAP_NO_THREAD = 1, /* only syscap_drain() and exit() write */
	/* Forked children share no memory with this process and record into
	 * files of their own: for children that drop privileges */
	SYSCAP_PRIVATE_CHILDREN = 2,
	/* Keep only the last ring_kib KiB of events of each thread in memory,
	 * until syscap_stop(), exit() or a snapshot; docs/flight.md.
	 * Implies SYSCAP_NO_THREAD and SYSCAP_PRIVATE_CHILDREN */
	SYSCAP_FLIGHT = 4
};

/** Options of syscap_start().  Set size and output.  A zero selects a
 * default. */
struct syscap_options {
	size_t size;          /* set to sizeof before the call */
	const char *output;   /* name of the capture; %p pid, %n program, %% */
	uint64_t max_bytes;   /* recording stops at this size; 0: no limit */
	uint32_t ring_kib;    /* size of each thread's ring; 0: 256, or 512,
	                       * the least, with SYSCAP_FLIGHT */
	uint32_t interval_ms; /* drain interval while events come; 0: default */
	uint32_t exit_flush_ms; /* longest wait of exit(); 0: 250 */
	unsigned flags;         /* SYSCAP_NO_THREAD and others, see above */
	char message[1024];     /* out: the file's name, or the error */
};

/**
 * Record this process into a capture of its own, until syscap_stop() or the end
 * of the process.  docs/trace-yourself.md is the guide.
 *
 * The call never changes an existing file: it appends ".PID" to the name, then
 * ".PID.2" and so on.  Forked children record into the same file.  Recording
 * stops at exec.  The options override the environment variables, and a
 * recorder gets no events until syscap_stop().  Published events survive the
 * death of the process, see syscap-recover(1).
 *
 * Returns 0 and stores the file's name in @options->message, or returns a
 * negative errno and stores the reason.  -EALREADY: a recording of this
 * process is running.  -EINVAL: invalid options.  -EIO: the file cannot be
 * created.
 *
 * Context: setup, any-thread.  Allocates if the call makes a thread.
 */
int syscap_start(struct syscap_options *options);

/**
 * Let `syscap record -p` and other recorders of the same user begin and end a
 * recording of this process, as SYSCAP_ATTACH=1 does.  docs/attach.md is the
 * guide.  Until then, events cost as much as without this call.
 *
 * Returns 0; or -ENOMEM.
 *
 * Context: setup, any-thread.
 */
int syscap_allow_attach(void);

/**
 * Stop the recording of syscap_start().
 *
 * Returns 0 if all events emitted before the call are in the file, else a
 * negative errno.  -ENOENT: no recording of syscap_start() is running.  -EFBIG:
 * the size limit was reached.  -ETIMEDOUT: the call took 5 s.  Other errors,
 * such as -ENOSPC: the remaining events are in the ring file, for
 * syscap-recover(1).
 *
 * Context: setup, any-thread.
 */
int syscap_stop(void);

/**
 * Write all emitted events to the file or fd now.  With SYSCAP_THREAD=0 or
 * SYSCAP_NO_THREAD, call this function from the main loop, often enough that no
 * ring fills up.  The call has no effect under a recorder.
 *
 * Returns 0 or a negative errno.  -EAGAIN: the output was not ready within the
 * interval.  -EPERM: this thread has a new seccomp filter, which may kill
 * the process at a write.
 *
 * Context: any-thread.
 */
int syscap_drain(void);

/**
 * Write the events that this process keeps in flight mode into a new capture,
 * like syscap-snapshot(1).  The recording goes on, and other threads emit
 * meanwhile.  docs/flight.md is the guide.
 *
 * @path is like the output of syscap_start(), with %p, %n and %%.  If the name
 * is taken, the new name ends with ".PID", ".PID.2" and so on.
 *
 * Returns 0 or a negative errno.  -ENODATA: the process is not in flight mode,
 * or has not emitted an event.  -EINVAL, -ENAMETOOLONG: invalid @path.  -EPERM:
 * this thread has a new seccomp filter.  -ESTALE: the output of the recording is
 * gone.  -EAGAIN: the capture is complete, except that a thread emitted faster
 * than its events were copied.  After other errors, there is no new file.
 *
 * Context: any-thread, signal-safe.  The call lasts until the capture is
 * written.
 */
int syscap_snapshot(const char *path);

/**
 * Abandon an event of this thread that will never be finished.
 *
 * If a signal handler leaves an event by siglongjmp(), the thread's next event
 * repairs this event, if both events run on the thread's own stack.  Programs
 * that switch stacks inside a signal handler (preemptive coroutines) and never
 * return to the old stack must call this function.  Do not call this function
 * while an interrupted event may still continue.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_thread_reset(void);

/* ----------------------------------------------------------------- marks */

/** A place in the source that emits marks.  Fields are zero-padded. */
struct syscap_mark_site {
	char group[24];
	char name[40];
};

/**
 * Record a mark of @site that begins at @begin and lasts @duration ns (0: an
 * instant).  @message may be NULL.
 *
 * Context: any-thread, signal-safe.
 */
SYSCAP_INLINE void syscap_mark_at(const struct syscap_mark_site *site,
                                  int64_t begin, int64_t duration,
                                  const char *message);

/**
 * Record a mark as syscap_mark_at() does, with texts as arguments, for callers
 * without a fixed place, such as other languages.  The call costs two more
 * bounded copies.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_mark(const char *group, const char *name, int64_t begin,
                 int64_t duration, const char *message);

/**
 * Record a mark as syscap_mark() does, with a message formatted by vsnprintf().
 * If formatting fails, the message is empty.
 *
 * Context: any-thread; signal-safe if the C library's vsnprintf() is. glibc's
 * vsnprintf() does not allocate for integers, strings and plain floating point.
 * glibc's vsnprintf() allocates for widths and precisions above some hundreds,
 * for %ls and for positional arguments.
 */
void syscap_mark_printf(const char *group, const char *name, int64_t begin,
                        int64_t duration, const char *format, ...)
	SYSCAP_PRINTF(5, 6);
void syscap_mark_vprintf(const char *group, const char *name, int64_t begin,
                         int64_t duration, const char *format, va_list args)
	SYSCAP_PRINTF(5, 0);

/**
 * Get the number of (@group, @name).  Equal texts have equal numbers.  Returns
 * 0 if the table (4,096 sites) is full, or if its memory could not be mapped at
 * the first call.  Keep the number: a look-up costs more than a mark.
 * syscap_mark_by_id() ignores numbers that this function did not return.
 *
 * Context: any-thread; syscap_mark_by_id() is also signal-safe.
 */
uint32_t syscap_mark_id(const char *group, const char *name);
void syscap_mark_by_id(uint32_t id, int64_t begin, int64_t duration,
                       const char *message);

static inline void syc_mark_since(const struct syscap_mark_site *site,
                                  int64_t begin, const char *message);

#define SYC_JOIN2(a, b) a##b
#define SYC_JOIN(a, b)  SYC_JOIN2(a, b)

/* @group_ and @name_ are literals, so the site is complete at link time. */
#define SYC_MARK_SITE(var, group_, name_)                              \
	SYSCAP_STATIC_ASSERT(sizeof(group_) <= 24, "group: 23 bytes"); \
	SYSCAP_STATIC_ASSERT(sizeof(name_) <= 40, "name: 39 bytes");   \
	static const struct syscap_mark_site var = { group_, name_ }

/** Record an instant, now.  @group and @name are string literals. */
#define SYSCAP_INSTANT(group, name, message)                                   \
	do {                                                                   \
		if (SYC_ACTIVE()) {                                            \
			SYC_MARK_SITE(syc_site, group, name);                  \
			syscap_mark_at(&syc_site, syscap_clock(), 0, message); \
		}                                                              \
	} while (0)

/** Record a mark of @duration ns from @begin on. */
#define SYSCAP_MARK(group, name, begin, duration, message)                   \
	do {                                                                 \
		if (SYC_ACTIVE()) {                                          \
			SYC_MARK_SITE(syc_site, group, name);                \
			syscap_mark_at(&syc_site, begin, duration, message); \
		}                                                            \
	} while (0)

/** Record a mark from @begin, a result of syscap_begin(), until now. */
#define SYSCAP_MARK_SINCE(group, name, begin, message)                         \
	do {                                                                   \
		if (SYC_ACTIVE()) {                                            \
			SYC_MARK_SITE(syc_site, group, name);                  \
			const int64_t syc_since = (begin);                     \
			if (SYC_LIKELY(syc_since != 0))                        \
				syc_mark_since(&syc_site, syc_since, message); \
		}                                                              \
	} while (0)

/** Record a mark of @duration ns from @begin on, with a printf message. */
#define SYSCAP_MARK_PRINTF(group, name, begin, duration, ...)            \
	do {                                                             \
		if (SYC_ACTIVE())                                        \
			syscap_mark_printf(group, name, begin, duration, \
			                   __VA_ARGS__);                 \
	} while (0)

/* The state of SYSCAP_SCOPE in the block. */
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
 * Record a mark from here to the end of the block.  The block may end by
 * return, goto or a C++ exception (with -fexceptions), but not by longjmp or
 * thread exit.
 */
#define SYSCAP_SCOPE(group, name) SYSCAP_SCOPE_MESSAGE(group, name, NULL)

/** Record as SYSCAP_SCOPE, with @message, which must outlive the block. */
#if defined(SYSCAP_DISABLE)
#define SYSCAP_SCOPE_MESSAGE(group, name, message_)                            \
	SYSCAP_STATIC_ASSERT(sizeof(group) <= 24, "group: 23 bytes");          \
	SYSCAP_STATIC_ASSERT(sizeof(name) <= 40, "name: 39 bytes");            \
	const char *SYC_JOIN(syc_message_, __LINE__) __attribute__((unused)) = \
		NULL;                                                          \
	if (SYC_ACTIVE())                                                      \
	SYC_JOIN(syc_message_, __LINE__) = (message_)
#else
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
#endif

/* -------------------------------------------------------------- counters */

/** Types of counters. */
enum {
	SYSCAP_INT64 = 0,
	SYSCAP_DOUBLE = 1
};

/** A counter's value. */
union syscap_value {
	int64_t i64;
	double f64;
};

/**
 * A counter.  Define a counter with SYSCAP_COUNTER, or set the texts and the
 * type and leave the rest zero.  A counter must exist until the process ends.
 */
struct syscap_counter {
	char category[32];
	char name[32];
	char description[52];
	uint32_t type;   /* SYSCAP_INT64 or SYSCAP_DOUBLE */
	uint32_t id;     /* assigned at first use */
	uint32_t index;  /* index of the id in this process, from 1 */
	uint32_t losses; /* number of lost events when `last` was sent */
	uint64_t last;   /* bits of the last value sent by an update */
};

/** Define a static counter @var.  Texts are string literals. */
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
 * Record a counter's value now if the value differs from the last recorded
 * update, or if an event was lost since that update.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_counter_update_int64(struct syscap_counter *counter, int64_t value);
void syscap_counter_update_double(struct syscap_counter *counter, double value);

/**
 * Add @n to a counter, and record the sum.  The addition also takes place
 * without a recording.  Threads and handlers may add at the same time: after
 * the last addition the newest recorded value is the sum.  Do not set or update
 * a counter to which you add.
 *
 * syscap_counter_add() takes a whole number for a counter of either type.  The
 * counter of syscap_counter_add_double() must have the type SYSCAP_DOUBLE.
 *
 * Context: any-thread, signal-safe.  The additional cost over an update is that
 * of an atomic addition.  While other threads add, the call may record several
 * sums.
 */
void syscap_counter_add(struct syscap_counter *counter, int64_t n);
void syscap_counter_add_double(struct syscap_counter *counter, double n);

/**
 * Record several values with one time.  More than 5,456 values become several
 * events.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_counters_set(struct syscap_counter *const *counters,
                         const union syscap_value *values, unsigned n);

/**
 * Get the counter with these texts and type, for callers without a static
 * counter.  Equal texts have one counter, which exists until the process ends.
 * Returns NULL if the table (4,096 counters) is full, or if its memory could
 * not be mapped at the first call.
 *
 * Context: any-thread.
 */
struct syscap_counter *syscap_counter_get(const char *category,
                                          const char *name,
                                          const char *description,
                                          uint32_t type);

/* A conversion without a warning of C++ compilers */
#ifdef __cplusplus
#define SYC_TO(type, value) static_cast<type>(value)
#else
#define SYC_TO(type, value) ((type)(value))
#endif

/** Set @counter (of SYSCAP_COUNTER) to @value, converted to its type. */
#define SYSCAP_COUNTER_SET(counter, value)                                   \
	do {                                                                 \
		if (SYC_ACTIVE()) {                                          \
			if ((counter).type == SYSCAP_DOUBLE)                 \
				syscap_counter_set_double(                   \
					&(counter), SYC_TO(double, value));  \
			else                                                 \
				syscap_counter_set_int64(                    \
					&(counter), SYC_TO(int64_t, value)); \
		}                                                            \
	} while (0)

/** Set @counter to @value, but only if the value has changed. */
#define SYSCAP_COUNTER_UPDATE(counter, value)                                \
	do {                                                                 \
		if (SYC_ACTIVE()) {                                          \
			if ((counter).type == SYSCAP_DOUBLE)                 \
				syscap_counter_update_double(                \
					&(counter), SYC_TO(double, value));  \
			else                                                 \
				syscap_counter_update_int64(                 \
					&(counter), SYC_TO(int64_t, value)); \
		}                                                            \
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
 * Context: any-thread, signal-safe (printf forms: see syscap_mark_printf()).
 */
void syscap_log(unsigned severity, const char *domain, const char *message);
void syscap_log_printf(unsigned severity, const char *domain,
                       const char *format, ...) SYSCAP_PRINTF(3, 4);
void syscap_log_vprintf(unsigned severity, const char *domain,
                        const char *format, va_list args) SYSCAP_PRINTF(3, 0);

static inline void syc_log(unsigned severity, const char *domain,
                           const char *message);

/**
 * Record a line of text.  The macro evaluates its arguments only during a
 * recording.
 */
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
 * "syscap." are reserved.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_metadata(const char *id, const char *value);

/** Call syscap_metadata().  The macro evaluates its arguments only during a
 * recording. */
#define SYSCAP_METADATA(id, value)                  \
	do {                                        \
		if (SYC_ACTIVE())                   \
			syscap_metadata(id, value); \
	} while (0)

/* ------------------------------------------------- stacks, allocations */

/**
 * Record an allocation of @size bytes at @address, or a free if @size is 0.
 *
 * @backtrace stores at most @n_addrs (512) code addresses at @addrs, the
 * innermost first, and returns their number.  If @backtrace is NULL or returns
 * a negative number, the event has no stack.  @backtrace is called once, during
 * this call, and only while events are recorded.  @backtrace may write up to
 * two addresses before @addrs, so that unwinders can drop their own frame and
 * this function's.  @backtrace may emit.  If @backtrace leaves by siglongjmp(),
 * the call records no event.
 *
 * This call does not allocate, so malloc() can use it.  If @backtrace
 * allocates, the caller must prevent endless recursion.
 *
 * Context: any-thread, signal-safe as far as @backtrace is.
 */
void syscap_allocation(uint64_t address, int64_t size,
                       int (*backtrace)(uint64_t *addrs, unsigned n_addrs,
                                        void *user),
                       void *user);

/**
 * Record this thread's stack.  syscap_allocation() describes @backtrace.
 *
 * Context: any-thread, signal-safe as far as @backtrace is.
 */
void syscap_sample(int (*backtrace)(uint64_t *addrs, unsigned n_addrs,
                                    void *user),
                   void *user);

/** Call syscap_allocation() or syscap_sample().  The macros evaluate their
 * arguments only during a recording. */
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

/* --------------------------------------------- operations and arrows */

/** Role of a mark among the marks with its id. docs/marks.md is the guide. */
enum syscap_link {
	SYSCAP_LINK_WHOLE, /* an operation lasts as long as the mark */
	SYSCAP_LINK_BEGIN, /* an operation begins at the mark's time */
	SYSCAP_LINK_STEP,  /* a step of an operation, at the mark's time */
	SYSCAP_LINK_END,   /* an operation ends at the mark's time */
	SYSCAP_LINK_OUT,   /* an arrow starts at the mark's end */
	SYSCAP_LINK_IN     /* an arrow arrives at the mark's beginning */
};

/**
 * Record an instant, now, as the part @link of the operation or arrow @id.
 *
 * Operations may overlap, even on one thread, and may end on another thread.
 * All parts of an operation have the same group and @id, which no other
 * operation of the process may use until the end.  If the program knows the
 * beginning at the end, record one mark for the whole operation.  One mark
 * costs half as much as a `begin` and an `end` mark, and cannot be lost in
 * part.
 *
 * An arrow leads from an OUT to the following INs with the same group and @id,
 * in any thread and process.
 *
 * The capture has @link as text before @message.  If @link is not in the enum,
 * the call records no mark.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_linked(const char *group, const char *name, unsigned link,
                   uint64_t id, const char *message);

/**
 * Record a part as syscap_linked() does, for @site, from @begin, for @duration
 * ns.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_linked_at(const struct syscap_mark_site *site, unsigned link,
                      uint64_t id, int64_t begin, int64_t duration,
                      const char *message);

/* Record a part that has no duration. */
#define SYC_LINKED(group, name, link, id, message)                            \
	do {                                                                  \
		if (SYC_ACTIVE()) {                                           \
			SYC_MARK_SITE(syc_site, group, name);                 \
			syscap_linked_at(&syc_site, link, id, syscap_clock(), \
			                 0, message);                         \
		}                                                             \
	} while (0)

/** Record an operation of @duration ns from @begin on. */
#define SYSCAP_ASYNC(group, name, id, begin, duration, message)            \
	do {                                                               \
		if (SYC_ACTIVE()) {                                        \
			SYC_MARK_SITE(syc_site, group, name);              \
			syscap_linked_at(&syc_site, SYSCAP_LINK_WHOLE, id, \
			                 begin, duration, message);        \
		}                                                          \
	} while (0)

/** Record an operation from @begin, a result of syscap_begin(), until now. */
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

/** Record a part of an operation, now.  A step has its own name. */
#define SYSCAP_ASYNC_BEGIN(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_BEGIN, id, message)
#define SYSCAP_ASYNC_STEP(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_STEP, id, message)
#define SYSCAP_ASYNC_END(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_END, id, message)

/** Record the start of an arrow, now. */
#define SYSCAP_FLOW_OUT(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_OUT, id, message)
/** Record the end of an arrow, now. */
#define SYSCAP_FLOW_IN(group, name, id, message) \
	SYC_LINKED(group, name, SYSCAP_LINK_IN, id, message)

/* -------------------------------------------------------- embedded files */

/**
 * Embed a file in the capture: @size bytes at @data (NULL only if @size is 0),
 * under the name @path of 1 to 255 bytes.
 *
 * Unlike an event, this call waits if the ring is full.  The call waits up to
 * 250 ms for each part of some kilobytes, and 250 ms more if a sink is slow.
 * After this time the call omits the rest, and the embedded file has no end.
 * Send each @path once, and never from two threads at a time, since readers use
 * the parts of a path up to the first end.
 *
 * Returns 0, also if nothing is recorded, or -EINVAL or -ENAMETOOLONG.
 * -ENOBUFS: there was no room.  -ECANCELED: recording stopped or changed its
 * destination, or the process forked, during the call.
 *
 * Context: any-thread.  This call is not a cancellation point.
 */
int syscap_file(const char *path, const void *data, size_t size);

/**
 * Embed the content of @fd, from its position to its end, as syscap_file()
 * does.  If read() fails, returns its negative errno.  If the first read()
 * fails, the call embeds nothing.  The call does not read @fd while nothing is
 * recorded.
 *
 * Context: any-thread.  This call is not a cancellation point.
 */
int syscap_file_fd(const char *path, int fd);

/* ----------------------------------------------------- the inline bodies */

#if defined(SYSCAP_NO_INLINE) && !defined(SYSCAP_DISABLE)

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
	return SYC_ACTIVE_WORD() != 0;
}

SYSCAP_INLINE int64_t syscap_clock(void)
{
#if defined(SYSCAP_DISABLE)
	return 0;
#else
	const int active = SYC_ACTIVE_WORD();

	return syc_clock_of(syc_thread_of(active));
#endif
}

SYSCAP_INLINE int64_t syscap_begin(void)
{
#if defined(SYSCAP_DISABLE)
	return 0;
#else
	const int active = SYC_ACTIVE_WORD();

	return SYC_UNLIKELY(active != 0) ? syc_clock_of(syc_thread_of(active))
	                                 : 0;
#endif
}

/* Slow paths: long messages, counters that the ring does not define, and nested
 * emits (syscap/emit.h). */
void syc_mark_slow(const struct syscap_mark_site *site, int64_t begin,
                   int64_t duration, const char *message, size_t len,
                   const void *cfa);
void syc_counter_slow(struct syscap_counter *counter, uint64_t bits,
                      int64_t now, const void *cfa);

/** Returns true if the ring of @st has @counter's definition. */
static inline bool syc_counter_is_defined(const struct syc_thread *st,
                                          const struct syscap_counter *counter)
{
	const uint32_t index =
		__atomic_load_n(&counter->index, __ATOMIC_ACQUIRE);

	return index < SYC_DEFINED_MAX &&
	       (st->defined[index / 64] >> index % 64 & 1) != 0;
}

/** Longest message of an inline mark. */
#define SYC_INLINE_MESSAGE 1024u

/* Length of a CTRSET of one group. */
#define SYC_CTRSET_LEN \
	(sizeof(struct syscap_wire_ctrset) + sizeof(struct syscap_wire_values))

/* Copy the message to the end of a frame.  If a variable length is known to be
 * small, gcc turns memcpy() into string instructions, which take as long as the
 * rest of the event.  The asm hides the length from gcc. */
static inline __attribute__((always_inline)) void
syc_message_fill(unsigned char *at, const char *message, size_t n)
{
	if (!__builtin_constant_p(n))
		__asm__("" : "+r"(n));
	if (n != 0)
		memcpy(at, message, n);
}

/* Fill a mark after its header, without the message.  The bytes after the
 * message are zero. */
static inline __attribute__((always_inline)) void
syc_mark_fill(unsigned char *frame, uint32_t len,
              const struct syscap_mark_site *site, int64_t duration)
{
	syc_store_word(frame + SYC_AT(mark, duration), (uint64_t)duration);
	memcpy(frame + SYC_AT(mark, group), site, sizeof(*site));
	syc_store_word(frame + len - 8, 0);
}

/* Fill a CTRSET of one counter, after its header. */
static inline __attribute__((always_inline)) void
syc_counter_fill(unsigned char *frame, uint32_t id, uint64_t bits)
{
	unsigned char *const group = frame + sizeof(struct syscap_wire_ctrset);

	syc_store_word(frame + SYC_AT(ctrset, n_groups),
	               SYC_WORD(ctrset, n_groups, 1));
	syc_store_word(group + SYC_AT(values, ids),
	               SYC_WORD(values, ids[0], id));
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
	syc_store_head(frame, begin,
	               place.tag_word |
	                       SYC_WORD(frame, type, SYSCAP_FRAME_MARK));
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
	syc_store_head(place.frame, now,
	               place.tag_word |
	                       SYC_WORD(frame, type, SYSCAP_FRAME_CTRSET));
	syc_counter_fill(place.frame,
	                 __atomic_load_n(&counter->id, __ATOMIC_RELAXED), bits);
	syc_end(st, &token, &place);
}

/* Record a log line.  The call is fastest if @domain is a literal. */
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
	syc_store_head(frame, now,
	               place.tag_word |
	                       SYC_WORD(frame, type, SYSCAP_FRAME_LOG));
	syc_store_word(frame + SYC_AT(log, severity),
	               SYC_WORD(log, severity, (uint16_t)severity));
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
#pragma GCC diagnostic pop
#endif
#endif
