/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interpose.c - functions of the C library that the preloaded library replaces
 * to notify the sampler (sampler/interposed.h).
 *
 * Each function calls the next function of the same name with the same
 * arguments, and returns the result (real_call.h).  A thread begins in library
 * code (sampler/interposed.h).  No function here allocates or locks.  The
 * program may call the functions before the library's constructors.
 *
 * The library's own calls bypass these functions (--wrap), so library threads
 * are not sampled.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "os/seccomp_state.h"
#include "preload/real_call.h"
#include "preload/tick_stack.h"
#include "sampler/interposed.h"
#include "unwind/memory.h"

/* Headers declare some of these functions, depending on their version */
sighandler_t bsd_signal(int number, sighandler_t handler);
sighandler_t sigset(int number, sighandler_t handler);
#ifndef SIG_HOLD
#define SIG_HOLD ((sighandler_t)2)
#endif

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*run)(void *), void *arg);
int __wrap_sigaction(int number, const struct sigaction *action,
                     struct sigaction *before);
int __wrap_dlclose(void *library);

#define EXPORTED __attribute__((visibility("default")))

/* Return the real function.  During another lookup syc_real_call_get() returns
 * no function, but an allocator in dlsym() may need one of the functions
 * below. */
static uintptr_t next_function(struct syc_real_call *call)
{
	uintptr_t address = __atomic_load_n(&call->next, __ATOMIC_RELAXED);

	if (address == 0) {
		address = (uintptr_t)dlsym(RTLD_NEXT, call->name);
		__atomic_store_n(&call->next, address, __ATOMIC_RELAXED);
	}
	return address;
}

#define NEXT_OF(name, type)           \
	((type) __extension__({       \
		SYC_REAL_CALL(#name); \
		next_function(&call); \
	}))
#define NEXT(name) NEXT_OF(name, __typeof__(&(name)))

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*run)(void *), void *arg)
{
	return NEXT(pthread_create)(thread, attr, run, arg);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                            void *(*run)(void *), void *arg)
{
	struct syc_thread_start birth = { run, arg };
	pthread_attr_t roomy;
	bool is_small;

	syc_seccomp_note_new_thread();
	syc_interposed_on_thread();
	syc_tick_mask_update(0);
	const pthread_attr_t *const with =
		syc_stack_size_for_thread(attr, &roomy, &is_small);
	const bool is_prepared = syc_thread_start_prepare(&birth, is_small);
	const int r = NEXT(pthread_create)(
		thread, is_prepared || syc_stack_size_is_raised ? with : attr,
		birth.run, birth.arg);
	if (is_prepared && r != 0)
		syc_thread_start_cancel(&birth);
	return r;
}

EXPORTED int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
	/* Library code jumps to the start function, so the function returns to
	 * its usual caller */
	struct syc_thread_start birth = { (void *(*)(void *))(uintptr_t)run,
		                          arg };

	syc_seccomp_note_new_thread();
	syc_interposed_on_thread();
	const bool is_prepared = syc_thread_start_prepare(&birth, false);
	const int r = NEXT(thrd_create)(
		thread, (thrd_start_t)(uintptr_t)birth.run, birth.arg);
	if (is_prepared && r != thrd_success)
		syc_thread_start_cancel(&birth);
	return r;
}

int __wrap_sigaction(int number, const struct sigaction *action,
                     struct sigaction *before)
{
	return NEXT(sigaction)(number, action, before);
}

static bool is_handler(sighandler_t handler)
{
	return handler != SIG_DFL && handler != SIG_IGN;
}

/* Report a handler, after which ticks may use another signal. */
static void notify_handler(int number)
{
	syc_interposed_on_handler(number);
	syc_tick_mask_update(0);
}

/* Return whether the action of crashes takes the place of SIG_DFL. */
static bool is_crash_caught(int number)
{
	return __atomic_load_n(&syc_crash_action.sa_sigaction,
	                       __ATOMIC_ACQUIRE) != NULL &&
	       (number == SIGSEGV || number == SIGBUS || number == SIGABRT ||
	        number == SIGILL || number == SIGFPE);
}

/* Programs pass crashes on to an action that they found, or install no action of
 * their own beside it. */
static void hide_crash_action(int number, struct sigaction *action)
{
	if (is_crash_caught(number) &&
	    action->sa_sigaction == syc_crash_action.sa_sigaction)
		memset(action, 0, sizeof(*action)); /* SIG_DFL */
}

static int change_action(int number, const struct sigaction *action,
                         struct sigaction *before)
{
	const bool is_handled =
		action != NULL && is_handler(action->sa_handler);
	const bool is_reset = action != NULL && !is_handled;
	struct sigaction copy;
	int added;

	if (is_handled)
		notify_handler(number);
	const int hidden = syc_tick_mask_get(number);
	const struct sigaction *passed =
		syc_tick_mask_add(action, &copy, &added);
	/* Under a filter, no crash is recorded */
	if (is_reset && action->sa_handler == SIG_DFL &&
	    is_crash_caught(number) && !syc_seccomp_has_filter())
		passed = &syc_crash_action;
	const int r = NEXT(sigaction)(number, passed, before);
	if (r != 0)
		return r;
	if (is_handled || is_reset)
		syc_tick_mask_note(number, added);
	if (is_reset)
		syc_interposed_on_reset(number);
	if (before != NULL) {
		syc_tick_mask_hide(before, hidden);
		syc_interposed_on_query(number, before);
		hide_crash_action(number, before);
	}
	return 0;
}

EXPORTED int sigaction(int number, const struct sigaction *action,
                       struct sigaction *before)
{
	return change_action(number, action, before);
}

static sighandler_t query_handler(int number, sighandler_t before)
{
	struct sigaction action = { .sa_handler = before };

	if (before == SIG_ERR)
		return before;
	syc_interposed_on_query(number, &action);
	hide_crash_action(number, &action);
	return action.sa_handler;
}

static sighandler_t reset_crash_action(int number)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	struct sigaction before;

	return change_action(number, &by_default, &before) == 0
	               ? before.sa_handler
	               : SIG_ERR;
}

#define PLAIN(name)                                                      \
	EXPORTED sighandler_t name(int number, sighandler_t handler)     \
	{                                                                \
		if (handler == SIG_DFL && is_crash_caught(number))       \
			return reset_crash_action(number);               \
		if (is_handler(handler))                                 \
			notify_handler(number);                          \
		const sighandler_t before = NEXT(name)(number, handler); \
		if (before != SIG_ERR)                                   \
			syc_tick_mask_note(number, 0);                   \
		if (before != SIG_ERR && !is_handler(handler))           \
			syc_interposed_on_reset(number);                 \
		return query_handler(number, before);                    \
	}

PLAIN(signal)
PLAIN(bsd_signal)
PLAIN(ssignal)
PLAIN(sysv_signal)
PLAIN(__sysv_signal)

EXPORTED sighandler_t sigset(int number, sighandler_t handler)
{
	if (is_handler(handler) && handler != SIG_HOLD)
		notify_handler(number);
	const sighandler_t before =
		NEXT_OF(sigset, __typeof__(&signal))(number, handler);
	if (before != SIG_ERR && handler != SIG_HOLD)
		syc_tick_mask_note(number, 0);
	if (before != SIG_ERR && !is_handler(handler))
		syc_interposed_on_reset(number);
	return query_handler(number, before);
}

/* Wait for a signal of @set, and skip ticks, which are not awaited signals. */
static int wait_for(const sigset_t *set, siginfo_t *info,
                    const struct timespec *timeout)
{
	const struct timespec *const asked = timeout;
	const int64_t began = syscap_clock();
	struct timespec left;
	siginfo_t own;
	sigset_t copy;

	if (info == NULL)
		info = &own;
	for (;;) {
		const int r = NEXT(sigtimedwait)(
			syc_interposed_on_wait(set, &copy), info, timeout);

		if (r <= 0 || !syc_interposed_is_tick(info))
			return r;
		if (asked != NULL) {
			left = syc_time_left(asked, began);
			timeout = &left;
		}
	}
}

EXPORTED int sigwait(const sigset_t *set, int *number)
{
	int r;

	do
		r = wait_for(set, NULL, NULL);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return errno;
	*number = r;
	return 0;
}

EXPORTED int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return wait_for(set, info, NULL);
}

EXPORTED int sigtimedwait(const sigset_t *set, siginfo_t *info,
                          const struct timespec *timeout)
{
	return wait_for(set, info, timeout);
}

EXPORTED int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t copy = { { 0 } }, again;
	const sigset_t *passed = syc_interposed_on_wait(set, &copy);
	const int r = NEXT(signalfd)(fd, passed, flags);

	if (r < 0)
		return r;
	syc_interposed_on_signalfd(r, passed);
	/* The signal of ticks may have changed during the call */
	passed = syc_interposed_on_wait(set, &again);
	if (passed != set && memcmp(&copy, &again, sizeof(copy)) != 0)
		NEXT(signalfd)(r, passed, flags);
	return r;
}

EXPORTED int sigaltstack(const stack_t *stack, stack_t *before)
{
	const bool is_small =
		stack != NULL &&
		!syc_memory_is_bad((uintptr_t)stack, sizeof(*stack)) &&
		syc_stack_size_is_small(stack);

	if (is_small) /* report the stack before a tick can use the stack */
		syc_interposed_on_room(true);
	const int r = NEXT(sigaltstack)(stack, before);
	if (stack != NULL && is_small != (r == 0)) /* large stack, or refused */
		syc_interposed_on_room(false);
	return r;
}

/*
 * Each wrapper ends in a tail call, so that a late tick's stack has no frame of
 * the library (sampler/tick.c).
 */
#define MASK(name)                                                        \
	EXPORTED int name(int how, const sigset_t *set, sigset_t *before) \
	{                                                                 \
		if (set != NULL && how != SIG_BLOCK)                      \
			syc_interposed_on_unblock();                      \
		return NEXT(name)(how, set, before);                      \
	}

MASK(pthread_sigmask)
MASK(sigprocmask)

#define EXEC(name, params, args)          \
	EXPORTED int name params          \
	{                                 \
		syc_interposed_on_exec(); \
		return NEXT(name) args;   \
	}

EXEC(execve, (const char *path, char *const argv[], char *const envp[]),
     (path, argv, envp))
EXEC(execv, (const char *path, char *const argv[]), (path, argv))
EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]),
     (file, argv, envp))
EXEC(fexecve, (int fd, char *const argv[], char *const envp[]),
     (fd, argv, envp))
EXEC(execveat,
     (int fd, const char *path, char *const argv[], char *const envp[],
      int flags),
     (fd, path, argv, envp, flags))

/*
 * Copy the arguments to the stack, as in the C library, because the process may
 * share its memory with a waiting process (vfork).  @next is the C library's
 * function, because a program's own execv() may call execl().  @more reads
 * further arguments.
 */
#define EXEC_LIST(name, next, more, ...)                             \
	EXPORTED int name(const char *path, const char *first, ...)  \
	{                                                            \
		size_t n = 1;                                        \
		va_list list;                                        \
                                                                     \
		va_start(list, first);                               \
		for (const char *it = first; it != NULL;             \
		     it = va_arg(list, char *))                      \
			n++;                                         \
		va_end(list);                                        \
		const char **const argv = alloca(n * sizeof(*argv)); \
		va_start(list, first);                               \
		argv[0] = first;                                     \
		for (size_t i = 1; i < n; i++)                       \
			argv[i] = va_arg(list, char *);              \
		more;                                                \
		va_end(list);                                        \
		syc_interposed_on_exec();                            \
		return NEXT(next)(path, __VA_ARGS__);                \
	}

EXEC_LIST(execl, execv, (void)0, syc_unconst(argv))
EXEC_LIST(execlp, execvp, (void)0, syc_unconst(argv))
EXEC_LIST(execle, execve, char *const *const envp = va_arg(list, char **),
          syc_unconst(argv), envp)

int __wrap_dlclose(void *library)
{
	return NEXT(dlclose)(library);
}

EXPORTED int dlclose(void *library)
{
	syc_unloads_look();
	const int r = NEXT(dlclose)(library);
	syc_unloads_look();
	syc_interposed_on_unload();
	return r;
}

/* Lookup of the C library's functions that this library wraps. */

#define NONE ((uintptr_t)1)

/* Start and end of the section, set by the linker */
extern struct syc_real_call calls_begin[] __asm__("__start_syc_real_calls")
	__attribute__((visibility("hidden")));
extern struct syc_real_call calls_end[] __asm__("__stop_syc_real_calls")
	__attribute__((visibility("hidden")));

/*
 * dlsym() may allocate, and a preloaded allocator may then read its settings.
 * During the lookup the allocator finds no settings.
 */
static _Thread_local volatile bool is_looking
	__attribute__((tls_model("initial-exec")));

/* Look the function up.  The function is not inlined, because each bypass below
 * would contain this code. */
__attribute__((noinline)) uintptr_t
syc_real_call_look_up(struct syc_real_call *call)
{
	uintptr_t next;

	if (is_looking)
		return 0;
	is_looking = true;
	next = (uintptr_t)dlsym(RTLD_NEXT, call->name);
	is_looking = false;
	__atomic_store_n(&call->next, next != 0 ? next : NONE,
	                 __ATOMIC_RELAXED);
	return next;
}

/*
 * Look all calls up, before all other constructors, because a tick that
 * interrupts a lookup does not find later functions.
 */
__attribute__((constructor(101))) static void look_up_calls(void)
{
	for (struct syc_real_call *call = calls_begin; call < calls_end; call++)
		syc_real_call_get(call);
}
