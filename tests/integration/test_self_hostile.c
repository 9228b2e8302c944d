/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_hostile.c - processes that record themselves without some resource
 * or right. The host is unharmed, the reason is reported, no file is torn, and
 * losses are counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static void emit(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		written_mark(0, i);
}

static void check_reason(const char *reason)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	if (strcmp(stats.reason, reason) != 0) {
		fprintf(stderr, "it says: %s\n", stats.reason);
		exit(1);
	}
}

/* ------------------------------------------------------- no such path */

CHILD(cannot_be_made)
{
	emit(10);
	CHECK(!syscap_is_active());
	check_reason(peer_arg());
	struct syscap_options options = { .size = sizeof(options),
		                          .output = "/nowhere/at/all" };
	CHECK_EQ(syscap_start(&options), -EIO);
	CHECK_STR(options.message, "no output: there is no such "
	                           "directory");
	options.output = "";
	CHECK_EQ(syscap_start(&options), -EINVAL);
	options.output = "%x";
	CHECK_EQ(syscap_start(&options), -EINVAL);
	CHECK(!syscap_is_active());
}

TEST(an_output_that_cannot_be_created_is_reported)
{
	const char *const nowhere[] = { "SYSCAP_OUTPUT=/nowhere/at/all", NULL };
	const char *const in_proc[] = { "SYSCAP_OUTPUT=/proc/syscap", NULL };
	const char *const pattern[] = { "SYSCAP_OUTPUT=/tmp/%z", NULL };

	written_run("cannot_be_made", "no output: there is no such directory",
	            nowhere, -1);
	written_run("cannot_be_made", "no output: there is no such directory",
	            in_proc, -1);
	written_run("cannot_be_made",
	            "the output's name is empty or has a % other than %p, %n "
	            "or %%",
	            pattern, -1);
}

/* --------------------------------------------------------------- mounts */

/* Enters its own namespace, in which every mount is allowed. */
static bool unshare_mounts(void)
{
	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0)
		return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void mount_tmpfs(const char *at, const char *options, unsigned long how)
{
	if (!unshare_mounts() || mount("tmpfs", at, "tmpfs", how, options) != 0)
		SKIP("nothing may be mounted here");
}

TEST(a_read_only_directory_is_reported)
{
	char *const dir = written_make_dir();
	char variable[400];
	const char *const env[] = { variable, NULL };

	mount_tmpfs(dir, "size=64k", MS_RDONLY);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	written_run("cannot_be_made", "no output: the file system is read-only",
	            env, -1);
	umount(dir);
	written_remove_dir(dir);
}

CHILD(fills_the_disk)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	for (unsigned i = 0; i < 20000; i++) {
		written_mark(0, i);
		if (i % 500 == 0)
			test_sleep_ms(5);
	}
	syscap_drain();
	check_reason("no space left: events are lost");
	CHECK(syscap_is_active());
	syscap_get_stats(&stats);
	CHECK(stats.n_dropped > 0);
	if (peer_arg()[0] == '/')
		CHECK_EQ(unlink(peer_arg()), 0);
}

/* The last losses are in the ring file, which recovery finds when there is
 * space again. */
TEST(a_full_disk_tears_no_file_and_all_losses_are_counted)
{
	char *const dir = written_make_dir();
	char path[300], ballast[300], variable[400];
	const char *const env[] = { variable, NULL };
	struct tally t;

	mount_tmpfs(dir, "size=1m", 0);
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(ballast, sizeof(ballast), "%s/ballast", dir);
	const int fd = open(ballast, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK_EQ(posix_fallocate(fd, 0, 600000), 0);
	close(fd);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("fills_the_disk", "", env, -1);
	CHECK_EQ(unlink(ballast), 0);
	written_tally(path, &t);
	CHECK_EQ(t.torn_at, 0);
	CHECK_EQ(t.doubles, 0);
	CHECK(t.lost > 0);
	CHECK_EQ(t.received + t.lost, 20000);
	written_remove_dir(dir);
}

TEST(a_recording_goes_on_when_the_disk_has_room_again)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = written_make_dir();
	char path[300], ballast[300];
	struct tally t;

	mount_tmpfs(dir, "size=4m", 0);
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(ballast, sizeof(ballast), "%s/ballast", dir);
	int fd = open(ballast, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK_EQ(posix_fallocate(fd, 0, 3500000), 0);
	close(fd);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	/* the child removes the ballast itself, so its exit writes every
	 * frame */
	written_run("fills_the_disk", ballast, env, fd);
	close(fd);
	written_tally(path, &t);
	CHECK_EQ(t.torn_at, 0);
	CHECK_EQ(t.doubles, 0);
	CHECK(t.lost > 0);
	CHECK_EQ(t.received + t.lost, 20000);
	written_remove_dir(dir);
}

CHILD(plain)
{
	emit(1000);
	test_sleep_ms(150);
	for (unsigned i = 1000; i < 2000; i++)
		written_mark(0, i);
}

static void check_plain(const char *path)
{
	struct tally t;

	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], 2000);
	CHECK_EQ(t.gaps + t.doubles + t.lost, 0);
	CHECK_EQ(t.torn_at, 0);
}

TEST(without_a_tmpfs_the_rings_lie_beside_the_capture)
{
	char *const dir = written_make_dir();
	char path[300], variable[400], runtime[400];
	const char *const env[] = { variable, runtime, NULL };

	if (!unshare_mounts() ||
	    mount("/proc", "/dev/shm", NULL, MS_BIND, NULL) != 0)
		SKIP("nothing may be mounted here");
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", dir);
	written_run("plain", "", env, -1);
	check_plain(path);
	written_remove_dir(dir);
}

TEST(a_tmpfs_without_room_for_rings_is_passed_over)
{
	char *const dir = written_make_dir();
	char path[300], variable[400];
	const char *const env[] = { variable, NULL };

	if (!unshare_mounts() ||
	    mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=128k") != 0)
		SKIP("nothing may be mounted here");
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("plain", "", env, -1);
	check_plain(path);
	written_remove_dir(dir);
}

/* -------------------------------------------------------------- seccomp */

static void forbid(const int *calls, unsigned n, int error)
{
	struct sock_filter filter[64];
	struct sock_fprog program = { .filter = filter };
	unsigned at = 0;

	filter[at++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < n; i++) {
		filter[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
		filter[at++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error);
	}
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
	                                            SECCOMP_RET_ALLOW);
	program.len = (unsigned short)at;
	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static const int not_needed[] = {
	SYS_membarrier, SYS_close_range,      SYS_memfd_create,
	SYS_unshare,    SYS_process_vm_readv, SYS_fallocate,
	SYS_fchmod,     SYS_rt_sigtimedwait,  SYS_getdents64,
	SYS_prctl,      SYS_tgkill,
};

static void run_filtered(const char *child, int error)
{
	static const char *const trace_env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = written_make_dir();
	char path[300], variable[400], link[64];
	const char *const env[] = { variable, NULL };
	const int fd = memfd_create("trace", MFD_CLOEXEC);

	forbid(not_needed, sizeof(not_needed) / sizeof(not_needed[0]), error);
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run(child, "", env, -1);
	check_plain(path);
	written_run(child, "", trace_env, fd);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	check_plain(link);
	close(fd);
	unlink(path);
	rmdir(dir);
	free(dir);
}

TEST(seccomp_that_forbids_optional_calls_changes_nothing)
{
	run_filtered("plain", EPERM);
}

TEST(an_old_kernel_changes_nothing)
{
	run_filtered("plain", ENOSYS);
}

CHILD(no_threads)
{
	const int calls[] = { SYS_clone, SYS_clone3 };

	/* A program that installs a filter itself would not write */
	if (getenv("REFUSED") == NULL) {
		CHECK_EQ(setenv("REFUSED", "1", 1), 0);
		forbid(calls, 2, EAGAIN);
		execl("/proc/self/exe", "child", (char *)NULL);
	}
	emit(2000);
	CHECK(syscap_is_active());
}

TEST(without_a_drain_thread_exit_writes_the_rings)
{
	char *const dir = written_make_dir();
	char path[300], variable[400];
	const char *const env[] = { variable, NULL };

	if (test_is_sanitized())
		SKIP("sanitizers need threads");
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("no_threads", "", env, -1);
	check_plain(path);
	written_remove_dir(dir);
}

CHILD(little_memory)
{
	const struct rlimit limit = { 200 << 20, 200 << 20 };

	CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
	emit(2000);
}

TEST(a_limit_on_address_space_means_fewer_rings)
{
	char *const dir = written_make_dir();
	char path[300], variable[400];
	const char *const env[] = { variable, NULL };

	if (test_is_sanitized())
		SKIP("sanitizers need address space");
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("little_memory", "", env, -1);
	check_plain(path);
	written_remove_dir(dir);
}

/* Opens another file at the number of each fd. */
CHILD(reuses_numbers)
{
	const char reason[] = "the descriptor of the capture was closed";
	struct syscap_stats stats = { .size = sizeof(stats) };

	emit(1000);
	written_wait_until_out(0, 1000);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	for (int i = 0; i < 400; i++)
		CHECK(open(peer_arg(), O_RDWR | O_CREAT, 0600) >= 0);
	do {
		test_sleep_ms(1);
		written_mark(1, 0);
		syscap_get_stats(&stats);
	} while (strcmp(stats.reason, reason) != 0);
}

TEST(a_file_with_the_number_of_a_closed_descriptor_is_not_written)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = written_make_dir();
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	char victim[300], link[64];
	struct stat st;
	struct tally t;

	snprintf(victim, sizeof(victim), "%s/victim", dir);
	written_run("reuses_numbers", victim, env, fd);
	CHECK_EQ(stat(victim, &st), 0);
	CHECK_EQ(st.st_size, 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	written_tally(link, &t);
	CHECK_EQ(t.emitters[0], 1000);
	CHECK_EQ(t.torn_at, 0);
	close(fd);
	written_remove_dir(dir);
}
