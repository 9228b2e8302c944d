/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_modules.c - libraries that are loaded and unloaded.
 *
 * Reads UNWIND_MODULES: a directory with module_small.so, module_large.so and
 * module_middle.so, built from module.c with several frame sizes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "unwind/registers.h"
#include "unwind/stack_walk.h"

struct module {
	void *handle;
	void (*call)(void (*call)(void));
	uintptr_t start; /* of that */
};

static struct walk walk;
static bool by_trap;

static void module_open(struct module *module, const char *name)
{
	const char *folder = getenv("UNWIND_MODULES");
	char path[4096];
	void *symbol;

	if (folder == NULL)
		SKIP("UNWIND_MODULES is not set");
	snprintf(path, sizeof(path), "%s/module_%s.so", folder, name);
	module->handle = dlopen(path, RTLD_NOW);
	if (module->handle == NULL)
		test_fail(__FILE__, __LINE__, "%s", dlerror());
	symbol = dlsym(module->handle, "module_call");
	CHECK(symbol != NULL);
	memcpy(&module->call, &symbol, sizeof(symbol));
	module->start = (uintptr_t)symbol;
}

CHAIN(called_back) static void called_back(void)
{
	if (by_trap)
		walk_trap();
	else
		walk_here(&walk, 512);
	CHAIN_END();
}

CHAIN(calls_module) static void calls_module(const struct module *module)
{
	module->call(called_back);
	CHAIN_END();
}

static void look(const struct module *module)
{
	struct walk_check check = walk_check(&walk);

	walk_next(&check, CHAIN_PART(called_back));
	if (walk.addrs[1] < module->start ||
	    walk.addrs[1] > module->start + 128)
		walk_fail(&walk, "1 is not in the library");
	check.at = 2;
	walk_next(&check, CHAIN_PART(calls_module));
	walk_ends_at_start(&check);
}

static void walk_through(const struct module *module)
{
	walk_on_trap(&walk, 512, false);
	for (int i = 0; i < 4; i++) {
		by_trap = i % 2 == 0;
		walk.n_taken = 0;
		calls_module(module);
		look(module);
	}
}

TEST(loaded_library)
{
	struct module module;

	walk_here(&walk, 512);
	module_open(&module, "small");
	walk_through(&module);
	dlclose(module.handle);
}

static const char *const names[] = { "small", "large", "middle" };

TEST(replacing_library_has_its_own_rules)
{
	unsigned n_same_place = 0;
	uintptr_t last = 0;

	for (unsigned i = 0; i < 60; i++) {
		struct module module;

		module_open(&module, names[i % 3]);
		n_same_place += module.start == last;
		last = module.start;
		syc_unwind_refresh();
		walk_through(&module);
		dlclose(module.handle);
	}
	if (n_same_place == 0)
		SKIP("no library was loaded at the address of another library");
}

/*
 * A walk that stops makes the unwinder doubt all rules, but less often after
 * many stops.  After these stops, half of the next interval is left.
 */
static void stop_being_doubted(void)
{
	volatile uintptr_t nothing[32] = { 1 };
	ucontext_t context;

	CHECK_EQ(getcontext(&context), 0);
	registers_set(&context, 1, (uintptr_t)nothing, 8);
	registers_set_link(&context, 0);
	for (unsigned i = 0; i < 1500; i++) {
		walk_from(&walk, &context, 512);
		CHECK_EQ(walk.unwind.flags, SYSCAP_STACK_STOPPED);
	}
}

/* The second library has the same pcs as the first, and larger frames. */
TEST(library_from_before_first_refresh_leaves_no_rules)
{
	struct module module;
	uintptr_t start;

	stop_being_doubted();
	module_open(&module, "middle");
	walk_through(&module);
	start = module.start;
	dlclose(module.handle);
	module_open(&module, "large");
	if (module.start != start)
		SKIP("no library was loaded at the address of another library");
	syc_unwind_refresh();
	walk_through(&module);
	dlclose(module.handle);
}

static bool is_right(void)
{
	return walk.unwind.n > 2 && walk.unwind.flags == 0 &&
	       walk_is_in(walk.addrs[2], CHAIN_PART(calls_module));
}

/*
 * The unwinder does not refresh its rules in this test.  The old rule may be
 * used for a pc that was in a stack of the other library, and for no other pc.
 */
TEST(new_pc_reveals_replacing_library)
{
	uint64_t seen[8];
	unsigned n_seen = 0, n_same_place = 0;
	uintptr_t last = 0;

	walk_on_trap(&walk, 512, false);
	for (unsigned i = 0; i < 60; i++) {
		struct module module;
		bool is_new = true;

		module_open(&module, names[i % 3]);
		n_same_place += module.start == last;
		last = module.start;
		by_trap = i % 2 == 0;
		calls_module(&module);
		walk_check(&walk);
		for (unsigned j = 0; j < n_seen; j++)
			is_new &= seen[j] != walk.addrs[1];
		if (is_new && !is_right())
			walk_fail(&walk, "the rules are of another library");
		if (is_new && n_seen < 8)
			seen[n_seen++] = walk.addrs[1];
		if (!is_right()) {
			syc_unwind_refresh();
			walk_through(&module);
		}
		dlclose(module.handle);
	}
	if (n_same_place == 0)
		SKIP("no library was loaded at the address of another library");
	CHECK(n_seen >= 2);
}

/* Another thread's stacks hold addresses of unloaded libraries. */
TEST(addresses_of_an_unloaded_library)
{
	volatile uintptr_t litter[64];
	struct module module;

	module_open(&module, "large");
	walk_through(&module);
	for (unsigned i = 0; i < 64; i++)
		litter[i] = module.start + i;
	dlclose(module.handle);

	ucontext_t context;

	CHECK_EQ(getcontext(&context), 0);
	registers_set(&context, litter[4], (uintptr_t)litter,
	              (uintptr_t)litter);
	walk_from(&walk, &context, 512);
	CHECK(walk.unwind.n >= 1 && walk.unwind.n <= 512);
	CHECK_EQ(walk.addrs[0], litter[4]);
}

static atomic_bool over;

static void *open_and_close(void *data)
{
	(void)data;
	for (unsigned i = 0; !atomic_load(&over); i++) {
		struct module module;

		module_open(&module, names[i % 3]);
		dlclose(module.handle);
	}
	return NULL;
}

TEST(walks_while_another_thread_loads_and_unloads)
{
	struct module module;
	pthread_t thread;

	module_open(&module, "small");
	CHECK_EQ(pthread_create(&thread, NULL, open_and_close, NULL), 0);
	for (unsigned i = 0; i < 3000; i++)
		walk_through(&module);
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	dlclose(module.handle);
}
