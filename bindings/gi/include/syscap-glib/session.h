/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - recording without a recorder, sampling, and counts of events.
 *
 * Any thread may call these functions.  All functions may allocate and wait,
 * except syscap_glib_get_n_dropped().
 */
#ifndef SYSCAP_GLIB_SESSION_H
#define SYSCAP_GLIB_SESSION_H

#include <glib-object.h>

G_BEGIN_DECLS

#define SYSCAP_GLIB_ERROR (syscap_glib_error_quark())

/**
 * SyscapGlibError:
 * @SYSCAP_GLIB_ERROR_FAILED: another error
 * @SYSCAP_GLIB_ERROR_RUNNING: already started
 * @SYSCAP_GLIB_ERROR_NOT_RUNNING: not started
 * @SYSCAP_GLIB_ERROR_INVALID: an option is out of its bounds
 * @SYSCAP_GLIB_ERROR_IO: the file cannot be created or written
 * @SYSCAP_GLIB_ERROR_LIMIT: the capture reached the size limit
 * @SYSCAP_GLIB_ERROR_NO_SPACE: the disk is full
 * @SYSCAP_GLIB_ERROR_TIMED_OUT: the file was not ready in time
 * @SYSCAP_GLIB_ERROR_BUSY: all usable signals are in use
 * @SYSCAP_GLIB_ERROR_NOT_PERMITTED: the kernel does not allow the clock
 * @SYSCAP_GLIB_ERROR_NOT_SUPPORTED: this machine is not supported
 *
 * Reason of a failure.
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
 * @SYSCAP_GLIB_START_FLAGS_NONE: the default
 * @SYSCAP_GLIB_START_FLAGS_NO_THREAD: the program calls syscap_glib_drain()
 *
 * Flags of a recording.
 */
typedef enum /*< flags >*/ {
	SYSCAP_GLIB_START_FLAGS_NONE = 0,
	SYSCAP_GLIB_START_FLAGS_NO_THREAD = 1 << 0
} SyscapGlibStartFlags;

/**
 * SyscapGlibStartOptions:
 * @max_bytes: size at which recording stops; 0: never
 * @ring_kib: memory for each thread's events; 0: 256
 * @interval_ms: time between writes while events come; 0: as syscap_start()
 * @exit_flush_ms: longest wait of the process's end; 0: 250
 * @flags: flags of the recording
 *
 * Options of syscap_glib_start().  All zero are the defaults.
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
 * @SYSCAP_GLIB_SAMPLER_CLOCK_WALL: wall time; wakes sleeping threads
 * @SYSCAP_GLIB_SAMPLER_CLOCK_PERF: processor time at any rate, if the kernel
 *   allows perf
 *
 * Clock of the sampler.
 */
typedef enum {
	SYSCAP_GLIB_SAMPLER_CLOCK_AUTO,
	SYSCAP_GLIB_SAMPLER_CLOCK_CPU,
	SYSCAP_GLIB_SAMPLER_CLOCK_WALL,
	SYSCAP_GLIB_SAMPLER_CLOCK_PERF
} SyscapGlibSamplerClock;

/**
 * syscap_glib_start:
 * @output: (type filename): name of the capture; %p is the process id, %n the
 * program's name
 * @options: (nullable): options, or the defaults
 * @error: reason of a failure
 *
 * Records this process into its own capture, until syscap_glib_stop() or the
 * end of the process.  The call never changes an existing file, but chooses
 * another name.  A recorder gets no more events until syscap_glib_stop().
 *
 * Returns: (transfer full) (type filename): the name of the file
 */
char *syscap_glib_start(const char *output,
                        const SyscapGlibStartOptions *options, GError **error);

/**
 * syscap_glib_stop:
 * @error: reason of a failure, or of an incomplete file
 *
 * Ends the recording of syscap_glib_start().  Afterwards all events are in the
 * file.
 *
 * Returns: %TRUE if the file is complete
 */
gboolean syscap_glib_stop(GError **error);

/**
 * syscap_glib_drain:
 * @error: reason of a failure
 *
 * Moves recorded events into the file now.  Programs need this call only with
 * %SYSCAP_GLIB_START_FLAGS_NO_THREAD.  Under a recorder, the call does nothing.
 *
 * Returns: %TRUE if all events are in the file
 */
gboolean syscap_glib_drain(GError **error);

/**
 * syscap_glib_sampler_start:
 * @hz: samples per second, 1 to 20,000; 0: 1,000
 * @clock: clock of the sampler
 * @error: reason of a failure
 *
 * Takes the stack of every thread of this process, until
 * syscap_glib_sampler_stop().  Samples go to the same capture as events.
 *
 * Returns: (transfer full): a sentence that describes the sampling
 */
char *syscap_glib_sampler_start(guint hz, SyscapGlibSamplerClock clock,
                                GError **error);

/**
 * syscap_glib_sampler_stop:
 * @error: reason of a failure
 *
 * Ends sampling.  No sample is taken after this call.
 *
 * Returns: %TRUE, or %FALSE if the sampler was not running
 */
gboolean syscap_glib_sampler_stop(GError **error);

/**
 * syscap_glib_sampler_get_n_samples:
 *
 * Gets the number of samples since the process began.
 *
 * Returns: the number
 */
guint64 syscap_glib_sampler_get_n_samples(void);

/**
 * syscap_glib_get_n_dropped:
 *
 * Gets the number of this process's events lost because a ring was full.
 *
 * Returns: the number
 */
guint64 syscap_glib_get_n_dropped(void);

/**
 * syscap_glib_get_reason:
 *
 * Gets the reason for the recording of this process, or for its absence.
 *
 * Returns: (transfer full): a sentence
 */
char *syscap_glib_get_reason(void);

/**
 * syscap_glib_get_output:
 *
 * Gets the file of this process's own recording.
 *
 * Returns: (transfer full) (nullable) (type filename): the file's name; %NULL
 *   without an own recording
 */
char *syscap_glib_get_output(void);

G_END_DECLS

#endif
