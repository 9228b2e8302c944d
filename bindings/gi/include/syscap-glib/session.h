/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - recording without a recorder, sampling, and what became of the
 * events.
 *
 * These functions may be called in any thread, and may allocate and wait;
 * but for syscap_glib_get_n_dropped(), which does neither.
 */
#ifndef SYSCAP_GLIB_SESSION_H
#define SYSCAP_GLIB_SESSION_H

#include <glib-object.h>

G_BEGIN_DECLS

#define SYSCAP_GLIB_ERROR (syscap_glib_error_quark())

/**
 * SyscapGlibError:
 * @SYSCAP_GLIB_ERROR_FAILED: something else
 * @SYSCAP_GLIB_ERROR_RUNNING: it has been started already
 * @SYSCAP_GLIB_ERROR_NOT_RUNNING: it has not been started
 * @SYSCAP_GLIB_ERROR_INVALID: an option is out of its bounds
 * @SYSCAP_GLIB_ERROR_IO: the file can't be made or written
 * @SYSCAP_GLIB_ERROR_LIMIT: the size limit had been reached
 * @SYSCAP_GLIB_ERROR_NO_SPACE: the disk is full
 * @SYSCAP_GLIB_ERROR_TIMED_OUT: the file was not ready in time
 * @SYSCAP_GLIB_ERROR_BUSY: every signal that may be used is taken
 * @SYSCAP_GLIB_ERROR_NOT_PERMITTED: the kernel does not allow it
 * @SYSCAP_GLIB_ERROR_NOT_SUPPORTED: not on this machine
 *
 * Why something can't be done.
 */
typedef enum {
	SYSCAP_GLIB_ERROR_FAILED,
	SYSCAP_GLIB_ERROR_RUNNING,
	SYSCAP_GLIB_ERROR_NOT_RUNNING,
	SYSCAP_GLIB_ERROR_INVALID,
	SYSCAP_GLIB_ERROR_IO,
	SYSCAP_GLIB_ERROR_LIMIT,
	SYSCAP_GLIB_ERROR_NO_SPACE,
	SYSCAP_GLIB_ERROR_TIMED_OUT,
	SYSCAP_GLIB_ERROR_BUSY,
	SYSCAP_GLIB_ERROR_NOT_PERMITTED,
	SYSCAP_GLIB_ERROR_NOT_SUPPORTED
} SyscapGlibError;

GQuark syscap_glib_error_quark(void);

/**
 * SyscapGlibStartFlags:
 * @SYSCAP_GLIB_START_FLAGS_NONE: nothing out of the ordinary
 * @SYSCAP_GLIB_START_FLAGS_NO_THREAD: the program calls syscap_glib_drain()
 *
 * How to record.
 */
typedef enum /*< flags >*/ {
	SYSCAP_GLIB_START_FLAGS_NONE = 0,
	SYSCAP_GLIB_START_FLAGS_NO_THREAD = 1 << 0
} SyscapGlibStartFlags;

/**
 * SyscapGlibStartOptions:
 * @max_bytes: size at which recording stops; 0: never
 * @ring_kib: memory for each thread's events; 0: 256
 * @interval_ms: events wait this long at most; 0: 50
 * @exit_flush_ms: the end of the process waits this long at most; 0: 250
 * @flags: how to record
 *
 * What syscap_glib_start() can be told.  All zero is good.
 */
typedef struct _SyscapGlibStartOptions {
	guint64 max_bytes;
	guint ring_kib;
	guint interval_ms;
	guint exit_flush_ms;
	SyscapGlibStartFlags flags;

	/*< private >*/
	guint64 reserved[4];
} SyscapGlibStartOptions;

/**
 * SyscapGlibSamplerClock:
 * @SYSCAP_GLIB_SAMPLER_CLOCK_AUTO: as @SYSCAP_GLIB_SAMPLER_CLOCK_CPU
 * @SYSCAP_GLIB_SAMPLER_CLOCK_CPU: a thread's own processor time
 * @SYSCAP_GLIB_SAMPLER_CLOCK_WALL: all the time; wakes threads that sleep
 * @SYSCAP_GLIB_SAMPLER_CLOCK_PERF: processor time at any rate, where the
 *   kernel allows it
 *
 * What makes a sample due.
 */
typedef enum {
	SYSCAP_GLIB_SAMPLER_CLOCK_AUTO,
	SYSCAP_GLIB_SAMPLER_CLOCK_CPU,
	SYSCAP_GLIB_SAMPLER_CLOCK_WALL,
	SYSCAP_GLIB_SAMPLER_CLOCK_PERF
} SyscapGlibSamplerClock;

/**
 * syscap_glib_start:
 * @output: (type filename): name of the capture; %p in it stands for the
 *   process' number, %n for the program's name
 * @options: (nullable): how
 * @error: why not
 *
 * Records this process into a capture of its own, until syscap_glib_stop() or
 * the end of the process.  A file that exists is never touched: then another
 * name is used.  A recorder gets no more events until syscap_glib_stop().
 *
 * Returns: (transfer full) (type filename): the name of the file
 */
char *syscap_glib_start(const char *output,
                        const SyscapGlibStartOptions *options, GError **error);

/**
 * syscap_glib_stop:
 * @error: why not, or why the file is not complete
 *
 * Ends what syscap_glib_start() began.  All events are in the file then.
 *
 * Returns: %TRUE if that is so
 */
gboolean syscap_glib_stop(GError **error);

/**
 * syscap_glib_drain:
 * @error: why not
 *
 * Moves what was recorded into the file now.  Only needed with
 * %SYSCAP_GLIB_START_FLAGS_NO_THREAD; does nothing under a recorder.
 *
 * Returns: %TRUE if it is there
 */
gboolean syscap_glib_drain(GError **error);

/**
 * syscap_glib_sampler_start:
 * @hz: how often, 1 to 20,000 times a second; 0: 1,000
 * @clock: of what
 * @error: why not
 *
 * Takes the stack of every thread of this process, until
 * syscap_glib_sampler_stop().  Samples go where all events go.
 *
 * Returns: (transfer full): a sentence that says what is sampled how
 */
char *syscap_glib_sampler_start(guint hz, SyscapGlibSamplerClock clock,
                                GError **error);

/**
 * syscap_glib_sampler_stop:
 * @error: why not
 *
 * Takes no more samples.
 *
 * Returns: %TRUE, or %FALSE if none were taken
 */
gboolean syscap_glib_sampler_stop(GError **error);

/**
 * syscap_glib_sampler_get_n_samples:
 *
 * How many samples were taken since the process began.
 *
 * Returns: the number
 */
guint64 syscap_glib_sampler_get_n_samples(void);

/**
 * syscap_glib_get_n_dropped:
 *
 * How many events of this process were lost, because a ring was full.
 *
 * Returns: the number
 */
guint64 syscap_glib_get_n_dropped(void);

/**
 * syscap_glib_get_reason:
 *
 * Why something is recorded, or why not.
 *
 * Returns: (transfer full): a sentence
 */
char *syscap_glib_get_reason(void);

/**
 * syscap_glib_get_output:
 *
 * The file that this process writes by itself.
 *
 * Returns: (transfer full) (nullable) (type filename): its name; %NULL if a
 *   recorder or nobody gets the events
 */
char *syscap_glib_get_output(void);

G_END_DECLS

#endif
