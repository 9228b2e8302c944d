/* SPDX-License-Identifier: BSD-2-Clause */
/* test_robust_lock.c - a lock whose holder ends in any way is free again. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/threads.h"

static uint32_t *make_word(void)
{
	uint32_t *const word = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(word != MAP_FAILED);
	return word;
}

static bool is_free(uint32_t *word)
{
	struct syc_robust_hold hold;

	if (!syc_robust_lock_try(word, &hold))
		return false;
	syc_robust_lock_release(&hold);
	CHECK_EQ(*word, 0);
	return true;
}

TEST(a_held_lock_is_refused_and_a_released_one_is_free)
{
	uint32_t *const word = make_word();
	struct syc_robust_hold hold;

	CHECK(is_free(word));
	CHECK(syc_robust_lock_try(word, &hold));
	CHECK_EQ(*word, (uint32_t)gettid());
	CHECK(!is_free(word));
	const pid_t pid = fork();
	if (pid == 0)
		_exit(is_free(word));
	int status;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	syc_robust_lock_release(&hold);
	CHECK(is_free(word));
}

enum end {
	KILLED,
	EXITS,
	EXECS,
	THREAD_LEAVES,
	RAW_CLONE,
	ENDS
};

static void *leave(void *word)
{
	struct syc_robust_hold hold;

	CHECK(syc_robust_lock_try(word, &hold));
	syscall(SYS_exit, 0);
	return NULL;
}

static void hold_and_end(uint32_t *word, enum end end)
{
	struct syc_robust_hold hold;
	pthread_t thread;

	if (end == THREAD_LEAVES) {
		if (pthread_create(&thread, NULL, leave, word) != 0)
			_exit(1);
		while ((__atomic_load_n(word, __ATOMIC_ACQUIRE) &
		        FUTEX_OWNER_DIED) == 0)
			usleep(100);
		pause();
	}
	if (!syc_robust_lock_try(word, &hold))
		_exit(1);
	if (end == KILLED)
		raise(SIGKILL);
	if (end == EXECS)
		execl("/bin/sleep", "sleep", "10", (char *)NULL);
	_exit(0);
}

/* The ids of ended processes may belong to others: the kernel marks the
 * lock. */
TEST(the_kernel_marks_the_lock_of_a_holder_that_ends)
{
	for (unsigned end = 0; end < ENDS; end++) {
		uint32_t *const word = make_word();
		const pid_t pid = end == RAW_CLONE
		                          ? (pid_t)syscall(SYS_clone, SIGCHLD,
		                                           NULL, NULL, NULL, 0)
		                          : fork();

		if (pid == 0)
			hold_and_end(word, (enum end)end);
		while ((__atomic_load_n(word, __ATOMIC_ACQUIRE) &
		        FUTEX_OWNER_DIED) == 0)
			usleep(100);
		CHECK(is_free(word));
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
}

TEST(a_lock_of_a_thread_without_a_robust_list_is_free_after_its_end)
{
	uint32_t *const word = make_word();
	const pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	*word = (uint32_t)pid;
	CHECK(is_free(word));
}

/* The list of the C library's own robust mutexes stays in use. */
TEST(robust_mutexes_of_the_program_work_beside_the_lock)
{
	uint32_t *const word = make_word();
	pthread_mutex_t *const mutex = (void *)(word + 64);
	struct syc_robust_hold hold;
	pthread_mutexattr_t attr;

	CHECK_EQ(pthread_mutexattr_init(&attr), 0);
	CHECK_EQ(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST), 0);
	CHECK_EQ(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED),
	         0);
	CHECK_EQ(pthread_mutex_init(mutex, &attr), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		if (pthread_mutex_lock(mutex) != 0 ||
		    !syc_robust_lock_try(word, &hold))
			_exit(1);
		raise(SIGKILL);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_EQ(pthread_mutex_lock(mutex), EOWNERDEAD);
	CHECK_EQ(pthread_mutex_consistent(mutex), 0);
	CHECK_EQ(pthread_mutex_unlock(mutex), 0);
	CHECK(is_free(word));
}
