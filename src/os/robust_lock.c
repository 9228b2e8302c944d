/* SPDX-License-Identifier: BSD-2-Clause */
/* robust_lock.c - a lock that the kernel releases when its holder dies. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/threads.h"

/* The kernel finds the lock's word at this distance from the list's node. */
static struct robust_list *node_of(const struct robust_list_head *list,
                                   uint32_t *word)
{
	return (struct robust_list *)(void *)((char *)word -
	                                      list->futex_offset);
}

/* Use the list that the C library made for this thread, or else @hold's own
 * list. */
static void announce(struct syc_robust_hold *hold)
{
	size_t size;

	hold->list = NULL;
	if (syscall(SYS_get_robust_list, 0, &hold->list, &size) != 0) {
		hold->list = NULL;
		return;
	}
	if (hold->list == NULL) {
		hold->own.list.next = &hold->own.list;
		hold->own.futex_offset = 0;
		hold->own.list_op_pending = NULL;
		if (syscall(SYS_set_robust_list, &hold->own,
		            sizeof(hold->own)) != 0)
			return;
		hold->list = &hold->own;
	}
	hold->before = hold->list->list_op_pending;
	__atomic_store_n(&hold->list->list_op_pending,
	                 node_of(hold->list, hold->lock), __ATOMIC_RELEASE);
}

static void withdraw(struct syc_robust_hold *hold)
{
	if (hold->list == NULL)
		return;
	__atomic_store_n(&hold->list->list_op_pending, hold->before,
	                 __ATOMIC_RELEASE);
	if (hold->list == &hold->own)
		syscall(SYS_set_robust_list, NULL, sizeof(hold->own));
}

/* Return whether a holder without a robust list has ended. */
static bool is_gone(uint32_t holder)
{
	return syscall(SYS_kill, (pid_t)holder, 0) != 0 && errno == ESRCH;
}

bool syc_robust_lock_try(uint32_t *word, struct syc_robust_hold *hold)
{
	uint32_t is = __atomic_load_n(word, __ATOMIC_RELAXED);
	const uint32_t holder = is & FUTEX_TID_MASK;

	if (holder != 0 && !is_gone(holder))
		return false;
	hold->lock = word;
	announce(hold);
	if (__atomic_compare_exchange_n(word, &is, (uint32_t)gettid(), false,
	                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	withdraw(hold);
	return false;
}

void syc_robust_lock_release(struct syc_robust_hold *hold)
{
	__atomic_store_n(hold->lock, 0, __ATOMIC_RELEASE);
	withdraw(hold);
}
