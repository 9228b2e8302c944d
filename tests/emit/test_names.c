/* SPDX-License-Identifier: BSD-2-Clause */
/* test_names.c - the addresses that represent names in stacks. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap/runtime.h>

#include "emit/sample.h"
#include "harness/test.h"

static uint64_t intern(const char *name)
{
	return syscap_jit_intern(name, strlen(name));
}

static uint64_t intern_number(const char *prefix, unsigned i)
{
	char name[40];
	const int n = snprintf(name, sizeof(name), "%s%u", prefix, i);

	return syscap_jit_intern(name, (size_t)n);
}

static void check_text(uint64_t address, const char *text, size_t len)
{
	uint32_t index;
	size_t known_len;

	CHECK(syc_names_index(address, &index));
	const char *const known = syc_names_text(index, &known_len);
	CHECK_EQ(known_len, len);
	CHECK_EQ(memcmp(known, text, len), 0);
	CHECK_EQ(known[len], '\0');
}

TEST(a_name_has_one_address_and_others_have_others)
{
	const uint64_t first = intern("first");
	const uint64_t second = intern("second");

	CHECK(first != second);
	CHECK_EQ(intern("first"), first);
	CHECK_EQ(intern("second"), second);
	CHECK_EQ(syscap_jit_intern("first and more", 5), first);
	check_text(first, "first", 5);
	check_text(second, "second", 6);
	CHECK_EQ(syc_names_lost(), 0);
}

TEST(an_address_is_the_mark_the_process_and_a_number)
{
	const uint64_t first = intern("first");
	const uint64_t second = intern("second");

	CHECK_EQ(first >> 32, 0xE0000000);
	CHECK_EQ(first >> 16, second >> 16);
	CHECK_EQ(first >> 16, syscap_jit_lost() >> 16);
	CHECK_EQ(first & 0xFFFF, 1);
	CHECK_EQ(second & 0xFFFF, 2);
	CHECK_EQ(syscap_jit_lost() & 0xFFFF, 0);
	/* Outside of the addresses of tables that count from 1 */
	CHECK((first >> 16 & 0xFFFF) >= 0x100);
}

TEST(nothing_was_named_until_something_is)
{
	CHECK(!syc_names_any());
	CHECK_EQ(syc_names_prepare(), 0);
	CHECK(!syc_names_any());
	intern("x");
	CHECK(syc_names_any());
}

TEST(addresses_of_others_are_not_ours)
{
	uint32_t index;
	const uint64_t address = intern("x");

	CHECK(syc_names_index(address, &index));
	CHECK(!syc_names_index(address + 1, &index));
	CHECK(!syc_names_index(address ^ 1 << 16, &index));
	CHECK(!syc_names_index(address & 0xFFFFFFFF, &index));
	CHECK(!syc_names_index(0xE000000000000000, &index));
	CHECK(!syc_names_index(0, &index));
	CHECK(!syc_names_index((uintptr_t)&index, &index));
	CHECK(syc_names_index(syscap_jit_lost(), &index));
	CHECK_EQ(index, 0);
}

/* All lengths of both parts, so that each byte takes each place of a word. */
TEST(two_parts_are_the_text_with_a_space_between)
{
	char a[40], b[40], whole[81];

	for (unsigned i = 0; i < 40; i++) {
		a[i] = (char)('a' + i % 26);
		b[i] = (char)('A' + i % 26);
	}
	for (unsigned n = 0; n < 40; n++)
		for (unsigned m = 0; m < 40; m++) {
			memcpy(whole, a, n);
			whole[n] = ' ';
			memcpy(whole + n + 1, b, m);
			const uint64_t address = syscap_jit_intern2(a, n, b, m);
			CHECK_EQ(address, syscap_jit_intern(whole, n + 1 + m));
			CHECK_EQ(address, syscap_jit_intern2(a, n, b, m));
			check_text(address, whole, n + 1 + m);
		}
	CHECK_EQ(syscap_jit_intern(a, 39) & 0xFFFF, 40 * 40 + 1);
}

TEST(no_text_is_an_empty_name)
{
	const uint64_t empty = syscap_jit_intern("", 0);

	CHECK_EQ(syscap_jit_intern(NULL, 7), empty);
	check_text(empty, "", 0);
	CHECK_EQ(syscap_jit_intern2(NULL, 0, "b", 1), intern("b"));
	CHECK_EQ(syscap_jit_intern2("a", 1, NULL, 5), intern("a "));
	CHECK(intern("a") != empty);
}

TEST(long_names_are_cut_between_characters)
{
	char name[5000], other[5000];

	memset(name, 'n', sizeof(name));
	memset(other, 'n', sizeof(other));
	const uint64_t cut = syscap_jit_intern(name, 5000);
	check_text(cut, name, 4095);
	CHECK_EQ(syscap_jit_intern(name, 4095), cut);
	CHECK(syscap_jit_intern(name, 4094) != cut);
	CHECK_EQ(syscap_jit_intern2(name, 5000, "b", 1), cut);
	CHECK_EQ(syscap_jit_intern2(name, 4095, "b", 1), cut);
	memcpy(other + 4094, "\xC3\xB6", 2);
	check_text(syscap_jit_intern(other, 5000), other, 4094);
	/* The same place, in the second part */
	name[0] = 'a';
	name[1] = ' ';
	check_text(syscap_jit_intern2("a", 1, other + 2, 4998), name, 4094);
}

TEST(a_full_table_gives_the_lost_name_and_counts)
{
	const char *const text = "[name lost: table full]";

	for (unsigned i = 1; i < 65536; i++)
		CHECK_EQ(intern_number("name ", i) & 0xFFFF, i);
	CHECK_EQ(syc_names_lost(), 0);
	CHECK_EQ(intern("one more"), syscap_jit_lost());
	CHECK_EQ(intern("and one"), syscap_jit_lost());
	CHECK_EQ(syc_names_lost(), 2);
	check_text(syscap_jit_lost(), text, strlen(text));
	for (unsigned i = 1; i < 65536; i++)
		CHECK_EQ(intern_number("name ", i) & 0xFFFF, i);
	CHECK_EQ(syc_names_lost(), 2);
}

TEST(four_mebibytes_hold_1024_names_of_the_greatest_length)
{
	char name[4095];

	memset(name, 'n', sizeof(name));
	for (unsigned i = 0; i < 1024; i++) {
		memcpy(name + 100, &(uint16_t){ (uint16_t)(i + 0x2020) }, 2);
		CHECK_EQ(syscap_jit_intern(name, sizeof(name)) & 0xFFFF, i + 1);
		check_text(syscap_jit_intern(name, sizeof(name)), name, 4095);
	}
	CHECK_EQ(intern("one more"), syscap_jit_lost());
	CHECK_EQ(syc_names_lost(), 1);
}

/* ----------------------------------------------------------------- threads */

#define N_THREADS 8
#define N_SHARED  4000u

static uint64_t found[N_THREADS][N_SHARED];
static unsigned n_wrong;

static void check_again(int signal)
{
	static unsigned at;
	const unsigned i =
		__atomic_add_fetch(&at, 7919, __ATOMIC_RELAXED) % N_SHARED;

	(void)signal;
	if (intern_number("shared ", i) != intern_number("shared ", i))
		__atomic_add_fetch(&n_wrong, 1, __ATOMIC_RELAXED);
}

/* Each thread starts at another name, and also uses names of other threads. */
static void *intern_all(void *arg)
{
	const unsigned t = (unsigned)(uintptr_t)arg;

	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < N_SHARED; i++) {
			const unsigned k = (i * 31 + t * 3) % N_SHARED;
			const uint64_t address = intern_number("shared ", k);

			if (found[t][k] == 0)
				found[t][k] = address;
			else if (found[t][k] != address)
				__atomic_add_fetch(&n_wrong, 1,
				                   __ATOMIC_RELAXED);
			if (i % 16 == 0)
				raise(SIGUSR1);
		}
	return NULL;
}

TEST(threads_and_their_handlers_agree_on_every_name)
{
	static bool is_taken[65536];
	pthread_t threads[N_THREADS];
	uint32_t highest = 0;

	signal(SIGUSR1, check_again);
	for (uintptr_t t = 0; t < N_THREADS; t++)
		CHECK_EQ(pthread_create(&threads[t], NULL, intern_all,
		                        (void *)t),
		         0);
	for (int t = 0; t < N_THREADS; t++)
		pthread_join(threads[t], NULL);
	CHECK_EQ(n_wrong, 0);
	for (unsigned i = 0; i < N_SHARED; i++) {
		const uint32_t number = found[0][i] & 0xFFFF;
		char name[40];

		for (int t = 1; t < N_THREADS; t++)
			CHECK_EQ(found[t][i], found[0][i]);
		CHECK(!is_taken[number]);
		is_taken[number] = true;
		highest = number > highest ? number : highest;
		check_text(
			found[0][i], name,
			(size_t)snprintf(name, sizeof(name), "shared %u", i));
	}
	CHECK_EQ(syc_names_lost(), 0);
	/* Numbers of lost races go to other names: at the end at most one spare
	 * per thread and handler is left */
	CHECK(highest <= N_SHARED + 2 * N_THREADS);
}

static uint32_t n_full;

static void *intern_too_many(void *arg)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < 66000; i++)
		n += intern_number("many ", i) == syscap_jit_lost();
	__atomic_add_fetch(&n_full, n, __ATOMIC_RELAXED);
	return arg;
}

TEST(threads_that_fill_the_table_share_one_lost_name)
{
	static bool is_taken[65536];
	pthread_t threads[4];
	unsigned n_named = 0;

	for (int t = 0; t < 4; t++)
		pthread_create(&threads[t], NULL, intern_too_many, NULL);
	for (int t = 0; t < 4; t++)
		pthread_join(threads[t], NULL);
	CHECK_EQ(syc_names_lost(), n_full);
	for (unsigned i = 0; i < 66000; i++) {
		const uint64_t address = intern_number("many ", i);

		if (address == syscap_jit_lost())
			continue;
		CHECK(!is_taken[address & 0xFFFF]);
		is_taken[address & 0xFFFF] = true;
		n_named++;
	}
	CHECK(n_named <= 65535);
	CHECK(n_named >= 65535 - 16);
}

static pthread_barrier_t barrier;

static void *intern_first(void *arg)
{
	pthread_barrier_wait(&barrier);
	*(uint64_t *)arg = intern("the first of all");
	return NULL;
}

TEST(threads_that_are_first_make_one_table)
{
	for (int i = 0; i < 50; i++) {
		const pid_t pid = fork();

		if (pid == 0) {
			uint64_t a[4];
			pthread_t threads[4];

			pthread_barrier_init(&barrier, NULL, 4);
			for (int t = 0; t < 4; t++)
				pthread_create(&threads[t], NULL, intern_first,
				               &a[t]);
			for (int t = 0; t < 4; t++)
				pthread_join(threads[t], NULL);
			_exit(a[0] != a[1] || a[0] != a[2] || a[0] != a[3] ||
			      a[0] != intern("the first of all"));
		}
		int status;
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
}

/* -------------------------------------------------------------------- fork */

TEST(a_forked_child_keeps_addresses_and_has_its_own_for_new_names)
{
	const uint64_t before = intern("before");
	uint64_t of_child[2];
	int fds[2];

	CHECK_EQ(pipe(fds), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		const uint64_t tell[2] = { intern("before"), intern("after") };

		check_text(tell[1], "after", 5);
		CHECK_EQ(syscap_jit_lost() >> 16, before >> 16);
		CHECK_EQ(write(fds[1], tell, sizeof(tell)), sizeof(tell));
		_exit(0);
	}
	CHECK_EQ(read(fds[0], of_child, sizeof(of_child)), sizeof(of_child));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	close(fds[0]);
	close(fds[1]);
	CHECK_EQ(of_child[0], before);
	CHECK(of_child[1] >> 16 != before >> 16);
	CHECK_EQ(of_child[1] >> 32, 0xE0000000);
	CHECK_EQ(intern("before"), before);
	CHECK_EQ(intern("after") >> 16, before >> 16);
}

TEST(errno_is_kept)
{
	errno = ENOTTY;
	intern("x");
	CHECK_EQ(errno, ENOTTY);
}
