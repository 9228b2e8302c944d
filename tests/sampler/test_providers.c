/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_providers.c - stacks of native code and of runtimes of each kind, in the
 * order of calls.
 *
 * All tests have the same nest. host_run runs the function outer, which calls
 * the native function mid. Then mid runs inner, which calls the native function
 * leaf. leaf raises the signal whose handler takes the sample.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "sampler/compose.h"
#include "sampler/stacks.h"
#include "sampler/toy.h"
#include "unwind/unwind.h"

#define RING  (1u << 20)
#define AFTER __asm__ volatile("" ::: "memory") /* no tail call */

enum {
	SAMPLE = 2
};

static struct toy toy, second;
static struct syc_workspace *take;
static struct syc_sample_options options = { .max_depth = 512 };
static volatile int taken; /* result of syc_compose_tick() */

static void on_tick(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	taken = syc_compose_tick(take, &options, context, syscap_clock(), 1);
}

static struct syc_workspace *new_take(void)
{
	void *const memory =
		mmap(NULL, syc_workspace_size(), PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

NATIVE(native_leaf)
static void native_leaf(struct toy *t)
{
	(void)t;
	raise(SIGUSR1);
	AFTER;
}

NATIVE(native_call)
static void native_call(struct toy *t)
{
	toy_eval(t, t->next);
	AFTER;
}

static const struct toy_function leaf = { "leaf", NULL, native_leaf };
static const struct toy_function inner = { "inner", &leaf, NULL };
static const struct toy_function mid = { "mid", NULL, native_call };
static const struct toy_function outer = { "outer", &mid, NULL };

NATIVE(host_attach)
static void host_attach(struct toy *t)
{
	t->attachment = syscap_attach_thread(&t->provider, t);
	AFTER;
}

NATIVE(host_run)
static void host_run(struct toy *t)
{
	if (t->attachment == NULL)
		host_attach(t);
	t->next = &inner;
	toy_eval(t, &outer);
	AFTER;
}

static void begin(uint32_t caps)
{
	const struct sigaction sa = { .sa_sigaction = on_tick,
		                      .sa_flags = SA_SIGINFO };

	CHECK_EQ(syc_unwind_prepare(), 0);
	take = new_take();
	sigaction(SIGUSR1, &sa, NULL);
	toy_init(&toy, caps);
	toy_tell();
	NATIVE_TELL(native_leaf);
	NATIVE_TELL(native_call);
	NATIVE_TELL(host_attach);
	NATIVE_TELL(host_run);
}

static void check_run(const char *child, const char *arg, struct peer *peer)
{
	peer_start_arg(peer, child, arg, RING, PEER_OURS);
	CHECK_EQ(peer_finish(peer), 0);
	for (unsigned i = 0; i < peer->n_rings; i++)
		CHECK_EQ(peer_lost_total(&peer->rings[i]), 0);
}

/* ------------------------------------------------------------------- order */

CHILD(nests)
{
	begin((uint32_t)atoi(peer_arg()));
	host_run(&toy);
	CHECK(taken >= 0);
	CHECK_EQ(toy.n_walks, 1);
	/* Run the nest without the runtime's frames */
	options.stacks = SYSCAP_SAMPLER_NATIVE;
	host_run(&toy);
	CHECK_EQ(toy.n_walks, 1);
	options.stacks = SYSCAP_SAMPLER_MANAGED;
	host_run(&toy);
	native_leaf(&toy); /* the runtime is idle, so all frames are native */
	syscap_detach_thread(toy.attachment);
	options.stacks = SYSCAP_SAMPLER_MERGED;
	native_leaf(&toy);
	CHECK_EQ(toy.n_walks, 3);
}

static void check_nest(const char *caps, const char *merged)
{
	struct peer peer;

	check_run("nests", caps, &peer);
	CHECK_STR(stacks_nth(&peer, 0), merged);
	CHECK_STR(stacks_nth(&peer, 1), "native_leaf < toy_eval < native_call"
	                                " < toy_eval < host_run");
	CHECK_STR(stacks_nth(&peer, 2), "leaf < inner < mid < outer");
	CHECK_STR(stacks_nth(&peer, 3), "native_leaf");
	CHECK_STR(stacks_nth(&peer, 4), "native_leaf");
	CHECK_EQ(peer_count(&peer, SAMPLE), 5);
	peer_free(&peer);
}

TEST(frames_with_stack_pointers_are_merged_by_address)
{
	check_nest("9", /* SIGNAL | SP */
	           "native_leaf < toy_eval < leaf < inner < native_call < "
	           "toy_eval < mid < outer < host_run");
}

TEST(runs_with_entry_marks_replace_the_interpreter_loop)
{
	check_nest("17", /* SIGNAL | ENTRY */
	           "native_leaf < leaf < inner < native_call < mid < outer < "
	           "host_run");
}

TEST(runtime_without_addresses_is_inside_of_its_attacher)
{
	check_nest("1", /* SIGNAL */
	           "native_leaf < toy_eval < native_call < toy_eval < leaf < "
	           "inner < mid < outer < host_run");
}

/* A runtime in a runtime: mid's native code runs the second runtime. */
NATIVE(call_second)
static void call_second(struct toy *t)
{
	(void)t;
	if (second.attachment == NULL)
		host_attach(&second);
	toy_eval(&second, second.next);
	AFTER;
}

CHILD(has_two_runtimes)
{
	static const struct toy_function there = { "there", &leaf, NULL };
	static const struct toy_function here = { "here", NULL, call_second };
	static const struct toy_function main_function = { "main", &here,
		                                           NULL };
	const uint32_t caps = (uint32_t)atoi(peer_arg());

	begin(caps);
	NATIVE_TELL(call_second);
	toy_init(&second, SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_SP);
	second.next = &there;
	host_attach(&toy);
	toy_eval(&toy, &main_function);
	options.stacks = SYSCAP_SAMPLER_MANAGED;
	toy_eval(&toy, &main_function);
	syscap_detach_thread(toy.attachment);
	native_leaf(NULL);
	syscap_detach_thread(second.attachment);
}

TEST(several_runtimes_have_the_order_of_their_calls)
{
	struct peer peer;

	check_run("has_two_runtimes", "9", &peer);
	CHECK_STR(stacks_nth(&peer, 0),
	          "native_leaf < toy_eval < leaf < there < call_second < "
	          "toy_eval < here < main");
	CHECK_STR(stacks_nth(&peer, 1), "leaf < there < here < main");
	peer_free(&peer);
	check_run("has_two_runtimes", "1", &peer);
	CHECK_STR(stacks_nth(&peer, 1), "leaf < there < here < main");
	peer_free(&peer);
}

/* -------------------------------------------------------- results of walk() */

CHILD(returns_busy_and_gone)
{
	begin(SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_SP);
	toy.walk_says = SYSCAP_WALK_BUSY;
	host_run(&toy);
	toy.walk_says = 0;
	toy.flags = SYSCAP_CALL_PARTIAL;
	host_run(&toy);
	toy.walk_says = SYSCAP_WALK_GONE;
	host_run(&toy);
	toy.walk_says = 0;
	host_run(&toy);
	CHECK_EQ(toy.n_walks, 3);
	syscap_detach_thread(toy.attachment);
}

TEST(busy_and_gone_keep_the_native_stack_and_partial_is_flagged)
{
	const char *const native = "native_leaf < toy_eval < native_call < "
				   "toy_eval < host_run";
	struct peer peer;

	check_run("returns_busy_and_gone", "", &peer);
	const struct peer_frame partial = stacks_sample(&peer, 1);
	CHECK_STR(stacks_nth(&peer, 0), native);
	CHECK(strstr(stacks_text(&peer, &partial), "leaf < inner <") != NULL);
	CHECK(stacks_flags(&partial) & SYSCAP_STACK_STOPPED);
	CHECK_STR(stacks_nth(&peer, 2), native);
	CHECK_STR(stacks_nth(&peer, 3), native);
	peer_free(&peer);
}

/* Each call has its own run of the loop, so the native stack is deep, too. */
NATIVE(native_deeper)
static void native_deeper(struct toy *t)
{
	static const struct toy_function deeper = { "deeper", NULL,
		                                    native_deeper };

	if (t->depth < 1000)
		toy_eval(t, &deeper);
	else
		native_leaf(t);
	AFTER;
}

CHILD(is_deep)
{
	static const struct toy_function deep = { "deep", NULL, native_deeper };

	begin((uint32_t)atoi(peer_arg()));
	options.max_depth = 100;
	host_attach(&toy);
	NATIVE_TELL(native_deeper);
	toy.next = &deep;
	native_call(&toy);
	CHECK_EQ(taken & SYSCAP_STACK_CUT, SYSCAP_STACK_CUT);
	syscap_detach_thread(toy.attachment);
}

TEST(deep_stacks_are_cut_in_the_middle)
{
	static const char *const caps[] = { "1", "9", "17" };

	for (int i = 0; i < 3; i++) {
		struct peer peer;

		check_run("is_deep", caps[i], &peer);
		const struct peer_frame sample = stacks_sample(&peer, 0);
		const char *const text = stacks_text(&peer, &sample);
		CHECK_EQ(sample.len, 32 + 8 * 100);
		CHECK(stacks_flags(&sample) & SYSCAP_STACK_CUT);
		CHECK_EQ(strncmp(text, "native_leaf < native_deeper < ", 30),
		         0);
		CHECK(strstr(text, " < deeper < ") != NULL);
		/* Without SP and ENTRY, all runtime frames are outside of the
		 * native frames */
		const char *const end = i == 0 ? " < deeper" : " < native_call";
		CHECK_STR(text + strlen(text) - strlen(end), end);
		peer_free(&peer);
	}
}

/* ---------------------------------------------------------------- re-entry */

static volatile int nested;

static void on_nested(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	nested = syc_compose_tick(take, &options, context, 1, 1);
}

static void raise_again(struct toy *t)
{
	(void)t;
	raise(SIGUSR2);
}

static sigjmp_buf way_out;

static void jump_out(struct toy *t)
{
	(void)t;
	siglongjmp(way_out, 1);
}

CHILD(samples_in_a_sample)
{
	const struct sigaction sa = { .sa_sigaction = on_nested,
		                      .sa_flags = SA_SIGINFO };

	begin(SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_SP);
	sigaction(SIGUSR2, &sa, NULL);
	pthread_attr_t attr;
	void *low;
	size_t size;
	CHECK_EQ(pthread_getattr_np(pthread_self(), &attr), 0);
	CHECK_EQ(pthread_attr_getstack(&attr, &low, &size), 0);
	pthread_attr_destroy(&attr);
	options.low = (uintptr_t)low;
	options.high = (uintptr_t)low + size;
	toy.while_walking = raise_again;
	host_run(&toy);
	CHECK_EQ(nested, -EBUSY);
	/* A handler interrupts the tick's handler and never returns */
	toy.while_walking = jump_out;
	if (sigsetjmp(way_out, 1) == 0)
		host_run(&toy);
	toy.depth = 0;
	toy.while_walking = NULL;
	errno = ENOTTY;
	host_run(&toy);
	CHECK_EQ(errno, ENOTTY);
	CHECK(taken >= 0);
	syscap_detach_thread(toy.attachment);
}

TEST(nested_sample_is_refused_and_abandoned_sample_is_forgotten)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	check_run("samples_in_a_sample", "", &peer);
	CHECK_EQ(peer_count(&peer, SAMPLE), 2);
	CHECK_STR(stacks_nth(&peer, 1),
	          "native_leaf < toy_eval < leaf < inner < native_call < "
	          "toy_eval < mid < outer < host_run");
	peer_free(&peer);
}

/* ------------------------------------------------------------- safe points */

NATIVE(native_three)
static void native_three(struct toy *t)
{
	for (int i = 0; i < 3; i++)
		native_leaf(t);
	AFTER;
}

static const struct toy_function three = { "three", NULL, native_three };

CHILD(reaches_safe_points)
{
	begin(SYSCAP_PROVIDER_SAFEPOINT | SYSCAP_PROVIDER_SP);
	NATIVE_TELL(native_three);
	host_attach(&toy);
	toy_eval(&toy, &three);
	CHECK_EQ(toy.n_requests, 3);
	CHECK_EQ(toy.n_walks, 1);
	CHECK_EQ(toy.n_told, 3);
	CHECK_EQ(syscap_safepoint(toy.attachment), 0);
	/* no safe point follows, so the tick takes the sample */
	toy.is_idle = true;
	native_leaf(&toy);
	CHECK_EQ(toy.n_walks, 1);
	toy.is_idle = false;
	/* this tick is still due when the runtime detaches */
	native_leaf(&toy);
	syscap_detach_thread(toy.attachment);
	CHECK_EQ(toy.n_walks, 1);
}

TEST(ticks_wait_for_a_safe_point_and_add_their_weights)
{
	struct peer peer;

	check_run("reaches_safe_points", "", &peer);
	CHECK_EQ(peer_count(&peer, SAMPLE), 3);
	const struct peer_frame first = stacks_sample(&peer, 0);
	CHECK_STR(stacks_text(&peer, &first), "toy_eval < three");
	CHECK(stacks_is_in(&peer, &first, "toy_eval"));
	CHECK_EQ(stacks_weight(&first), 3);
	const struct peer_frame idle = stacks_sample(&peer, 1);
	CHECK_STR(stacks_text(&peer, &idle), "native_leaf");
	CHECK_EQ(stacks_weight(&idle), 1);
	const struct peer_frame last = stacks_sample(&peer, 2);
	CHECK_STR(stacks_text(&peer, &last), "");
	CHECK_EQ(stacks_weight(&last), 1);
	peer_free(&peer);
}

NATIVE(native_handles)
static void native_handles(struct toy *t)
{
	const uint64_t *handles;

	native_leaf(t);
	CHECK_EQ(t->n_walks, 1);
	CHECK_EQ(syscap_handles_pending(t->attachment, &handles), 2);
	CHECK_STR((const char *)(uintptr_t)handles[0], "unknown");
	CHECK_STR((const char *)(uintptr_t)handles[1], "handles");
	native_leaf(t);
	native_leaf(t);
	CHECK_EQ(t->n_walks, 1);
	CHECK_EQ(t->n_requests, 3);
	AFTER;
}

CHILD(has_handles)
{
	static const struct toy_function unknown = { "unknown", NULL,
		                                     native_handles };
	static const struct toy_function handles = { "handles", &unknown,
		                                     NULL };
	const uint64_t *none;

	begin(SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_HANDLES |
	      SYSCAP_PROVIDER_SP);
	NATIVE_TELL(native_handles);
	host_attach(&toy);
	toy_eval(&toy, &handles);
	CHECK_EQ(toy.n_told, 3);
	CHECK_EQ(syscap_handles_pending(toy.attachment, &none), 0);
	native_call(&toy); /* no function runs, so the runtime has no frames */
	toy.next = &inner;
	native_call(&toy);
	CHECK_EQ(toy.n_told, 4);
	toy.frames[0].name = "detached";
	toy.depth = 1;
	native_leaf(&toy);
	syscap_detach_thread(toy.attachment);
}

TEST(handles_are_named_at_a_safe_point)
{
	struct peer peer;

	check_run("has_handles", "", &peer);
	CHECK_EQ(peer_count(&peer, SAMPLE), 3);
	const struct peer_frame first = stacks_sample(&peer, 0);
	CHECK_STR(stacks_text(&peer, &first),
	          "native_leaf < native_handles < toy_eval < toy [unknown] < "
	          "handles");
	CHECK_EQ(stacks_weight(&first), 3);
	CHECK_STR(stacks_nth(&peer, 1), "native_leaf < toy_eval < leaf < inner"
	                                " < native_call");
	CHECK(strstr(stacks_nth(&peer, 2), "detached") != NULL);
	peer_free(&peer);
}

/* -------------------------------------------------------------------- push */

NATIVE(native_push)
static void native_push(struct toy *t)
{
	CHECK_EQ(syscap_sample_push(t->attachment, NULL, 5), 0);
	AFTER;
}

static void on_push(int signal, siginfo_t *info, void *context)
{
	struct syscap_regs regs = { .size = sizeof(regs),
		                    .in_signal = 1,
		                    .ucontext = context };

	(void)signal;
	(void)info;
	CHECK_EQ(syscap_sample_push(toy.attachment, &regs, 2), 0);
}

NATIVE(native_own_signal)
static void native_own_signal(struct toy *t)
{
	(void)t;
	raise(SIGUSR2);
	AFTER;
}

CHILD(pushes)
{
	static const struct toy_function own = { "own", NULL,
		                                 native_own_signal };
	static const struct toy_function pushing = { "pushing", &own,
		                                     native_push };
	const struct sigaction sa = { .sa_sigaction = on_push,
		                      .sa_flags = SA_SIGINFO };

	begin(SYSCAP_PROVIDER_PUSH | SYSCAP_PROVIDER_SP);
	sigaction(SIGUSR2, &sa, NULL);
	NATIVE_TELL(native_push);
	NATIVE_TELL(native_own_signal);
	host_attach(&toy);
	toy_eval(&toy, &pushing);
	CHECK_EQ(toy.n_walks, 2);
	native_leaf(&toy); /* the sampler's tick does not call walk() */
	CHECK_EQ(toy.n_walks, 2);
	CHECK_EQ(syscap_sample_push(NULL, NULL, 1), -EINVAL);
	syscap_detach_thread(toy.attachment);
}

TEST(runtime_pushes_samples)
{
	struct peer peer;

	check_run("pushes", "", &peer);
	const struct peer_frame first = stacks_sample(&peer, 0);
	CHECK_STR(stacks_text(&peer, &first),
	          "native_push < toy_eval < pushing");
	CHECK(stacks_is_in(&peer, &first, "native_push"));
	CHECK_EQ(stacks_weight(&first), 5);
	const struct peer_frame own = stacks_sample(&peer, 1);
	CHECK_STR(stacks_text(&peer, &own),
	          "native_own_signal < toy_eval < own < pushing");
	CHECK_EQ(stacks_weight(&own), 2);
	CHECK_STR(stacks_nth(&peer, 2), "native_leaf");
	peer_free(&peer);
}

/* ------------------------------------------- threads, fork, coming and
 * going */

static void *leave_without_detaching(void *arg)
{
	CHECK(syscap_attach_thread(&toy.provider, &toy) != NULL);
	return arg;
}

static void *only_tick(void *arg)
{
	native_leaf(NULL);
	return arg;
}

CHILD(leaves_without_detaching)
{
	begin(SYSCAP_PROVIDER_SIGNAL);
	for (int i = 0; i < 100; i++) {
		pthread_t thread;

		/* The next thread gets this thread's stack */
		pthread_create(&thread, NULL, leave_without_detaching, NULL);
		pthread_join(thread, NULL);
		pthread_create(&thread, NULL, only_tick, NULL);
		pthread_join(thread, NULL);
	}
	CHECK_EQ(toy.n_walks, 0);
}

TEST(thread_does_not_inherit_attachments_of_a_dead_one)
{
	struct peer peer;

	check_run("leaves_without_detaching", "", &peer);
	CHECK_EQ(peer_count(&peer, SAMPLE), 100);
	peer_free(&peer);
}

CHILD(forks)
{
	begin(SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_SP);
	host_run(&toy);
	for (int i = 0; i < 2; i++) {
		const pid_t pid = i == 0 ? fork() : _Fork();

		if (pid == 0) {
			host_run(&toy);
			syscap_detach_thread(toy.attachment);
			_exit(0);
		}
		int status;
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
	host_run(&toy);
	CHECK_EQ(toy.n_walks, 2);
}

TEST(forked_child_keeps_the_attachments_of_its_thread)
{
	struct peer peer;

	check_run("forks", "", &peer);
	CHECK_EQ(peer_count(&peer, SAMPLE), 4);
	for (unsigned i = 0; i < 4; i++)
		CHECK_STR(strstr(stacks_nth(&peer, i), "toy_eval < leaf"),
		          "toy_eval < leaf < inner < native_call < toy_eval < "
		          "mid < outer < host_run");
	peer_free(&peer);
}

CHILD(forks_while_ticks_wait)
{
	begin(SYSCAP_PROVIDER_SAFEPOINT | SYSCAP_PROVIDER_SP);
	host_attach(&toy);
	native_leaf(&toy);
	const pid_t pid = fork();
	if (pid == 0)
		_exit(syscap_safepoint(toy.attachment));
	int status;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(syscap_safepoint(toy.attachment), 1);
	syscap_detach_thread(toy.attachment);
}

TEST(waiting_ticks_are_recorded_by_the_parent_only)
{
	struct peer peer;

	check_run("forks_while_ticks_wait", "", &peer);
	CHECK_EQ(peer_count(&peer, SAMPLE), 1);
	peer_free(&peer);
}

TEST(ninth_attachment_is_refused_and_places_are_reused)
{
	struct syscap_attachment *attachments[8];

	toy_init(&toy, SYSCAP_PROVIDER_SIGNAL);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 8; i++) {
			attachments[i] =
				syscap_attach_thread(&toy.provider, &toy);
			CHECK(attachments[i] != NULL);
		}
		CHECK(syscap_attach_thread(&toy.provider, &toy) == NULL);
		for (int i = 0; i < 8; i++)
			syscap_detach_thread(attachments[(i * 3) % 8]);
	}
}

TEST(provider_without_capabilities_is_refused)
{
	CHECK(syscap_attach_thread(NULL, NULL) == NULL);
	toy_init(&toy, 0);
	CHECK(syscap_attach_thread(&toy.provider, &toy) == NULL);
	toy_init(&toy, SYSCAP_PROVIDER_SAFEPOINT);
	toy.provider.request = NULL;
	CHECK(syscap_attach_thread(&toy.provider, &toy) == NULL);
	toy_init(&toy, SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_HANDLES);
	toy.provider.resolve = NULL;
	CHECK(syscap_attach_thread(&toy.provider, &toy) == NULL);
	toy_init(&toy, SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_ENTRY);
	toy.provider.eval_high = toy.provider.eval_low;
	CHECK(syscap_attach_thread(&toy.provider, &toy) == NULL);
	/* With the size of an older header, later fields count as absent */
	toy_init(&toy, SYSCAP_PROVIDER_SIGNAL);
	toy.provider.size = offsetof(struct syscap_provider, request);
	toy.attachment = syscap_attach_thread(&toy.provider, &toy);
	CHECK(toy.attachment != NULL);
	syscap_detach_thread(toy.attachment);
}

#if defined(__x86_64__)

static volatile bool may_walk;

static void check_allowed(struct toy *t)
{
	(void)t;
	CHECK(may_walk);
}

static void come_and_go(void)
{
	may_walk = true;
	toy.attachment = syscap_attach_thread(&toy.provider, &toy);
	syscap_detach_thread(toy.attachment);
	may_walk = false;
}

static void tick(void)
{
	raise(SIGUSR1);
}

CHILD(comes_and_goes)
{
	struct stepper stepper;
	long k = 1;

	begin(SYSCAP_PROVIDER_SIGNAL);
	toy.while_walking = check_allowed;
	stepper_install(false);
	come_and_go();
	tick();
	while (stepper_run(&stepper, k, come_and_go, tick)) {
		CHECK(!may_walk);
		tick();
		k += test_is_sanitized() ? 371 : 53;
	}
	CHECK(toy.n_walks > 0);
}

TEST(ticks_see_whole_attachments_only)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	check_run("comes_and_goes", "", &peer);
	CHECK(peer_count(&peer, SAMPLE) > 10);
	peer_free(&peer);
}

#endif
