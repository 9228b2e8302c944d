/* SPDX-License-Identifier: BSD-2-Clause */
/* session.c - recording and sampling of the process itself. */
#include <errno.h>

#include <syscap-glib/session.h>
#include <syscap.h>
#include <syscap/sampler.h>

G_STATIC_ASSERT((int)SYSCAP_GLIB_START_FLAGS_NO_THREAD ==
                (int)SYSCAP_NO_THREAD);
G_STATIC_ASSERT((int)SYSCAP_GLIB_SAMPLER_CLOCK_AUTO ==
                (int)SYSCAP_SAMPLER_AUTO);
G_STATIC_ASSERT((int)SYSCAP_GLIB_SAMPLER_CLOCK_PERF ==
                (int)SYSCAP_SAMPLER_PERF);

/* Not G_DEFINE_QUARK, whose name clang-format would take for a subtraction. */
GQuark syscap_glib_error_quark(void)
{
	return g_quark_from_static_string("syscap-glib-error-quark");
}

static const struct {
	int number;
	SyscapGlibError code;
} codes[] = {
	{ EALREADY, SYSCAP_GLIB_ERROR_RUNNING },
	{ EINVAL, SYSCAP_GLIB_ERROR_INVALID },
	{ EIO, SYSCAP_GLIB_ERROR_IO },
	{ EFBIG, SYSCAP_GLIB_ERROR_LIMIT },
	{ ENOSPC, SYSCAP_GLIB_ERROR_NO_SPACE },
	{ EDQUOT, SYSCAP_GLIB_ERROR_NO_SPACE },
	{ ETIMEDOUT, SYSCAP_GLIB_ERROR_TIMED_OUT },
	{ EAGAIN, SYSCAP_GLIB_ERROR_TIMED_OUT },
	{ EBUSY, SYSCAP_GLIB_ERROR_BUSY },
	{ EPERM, SYSCAP_GLIB_ERROR_NOT_PERMITTED },
	{ EACCES, SYSCAP_GLIB_ERROR_NOT_PERMITTED },
	{ ENOTSUP, SYSCAP_GLIB_ERROR_NOT_SUPPORTED },
};

/* Sets an error for @result, a negative errno, with the message @text. */
static void fail(GError **error, int result, const char *text)
{
	SyscapGlibError code = SYSCAP_GLIB_ERROR_FAILED;

	for (gsize i = 0; i < G_N_ELEMENTS(codes); i++)
		if (codes[i].number == -result)
			code = codes[i].code;
	g_set_error_literal(
		error, SYSCAP_GLIB_ERROR, code,
		text != NULL && text[0] != '\0' ? text : g_strerror(-result));
}

char *syscap_glib_start(const char *output,
                        const SyscapGlibStartOptions *options, GError **error)
{
	struct syscap_options core = { .size = sizeof(core) };
	int result;

	core.output = output;
	if (options != NULL) {
		core.max_bytes = options->max_bytes;
		core.ring_kib = options->ring_kib;
		core.interval_ms = options->interval_ms;
		core.exit_flush_ms = options->exit_flush_ms;
		core.flags = options->flags;
	}
	result = syscap_start(&core);
	if (result == 0)
		return g_strdup(core.message);
	fail(error, result, core.message);
	return NULL;
}

gboolean syscap_glib_stop(GError **error)
{
	const int result = syscap_stop();

	if (result == 0)
		return TRUE;
	if (result == -ENOENT)
		g_set_error_literal(error, SYSCAP_GLIB_ERROR,
		                    SYSCAP_GLIB_ERROR_NOT_RUNNING,
		                    "no recording was started");
	else if (result == -EFBIG)
		fail(error, result, "the capture had reached its size limit");
	else
		fail(error, result, NULL);
	return FALSE;
}

gboolean syscap_glib_drain(GError **error)
{
	const int result = syscap_drain();

	if (result == 0)
		return TRUE;
	fail(error, result, NULL);
	return FALSE;
}

char *syscap_glib_sampler_start(guint hz, SyscapGlibSamplerClock clock,
                                GError **error)
{
	struct syscap_sampler_options core = { .size = sizeof(core) };
	int result;

	core.hz = hz;
	core.clock = clock;
	result = syscap_sampler_start(&core);
	if (result == 0)
		return g_strdup(core.message);
	fail(error, result, core.message);
	return NULL;
}

gboolean syscap_glib_sampler_stop(GError **error)
{
	if (syscap_sampler_stop() == 0)
		return TRUE;
	g_set_error_literal(error, SYSCAP_GLIB_ERROR,
	                    SYSCAP_GLIB_ERROR_NOT_RUNNING,
	                    "no samples were taken");
	return FALSE;
}

guint64 syscap_glib_sampler_get_n_samples(void)
{
	struct syscap_sampler_stats stats = { .size = sizeof(stats) };

	syscap_sampler_get_stats(&stats);
	return stats.n_samples;
}

guint64 syscap_glib_get_n_dropped(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.n_dropped;
}

char *syscap_glib_get_reason(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return g_strdup(stats.reason);
}

char *syscap_glib_get_output(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.output[0] != '\0' ? g_strdup(stats.output) : NULL;
}
