/* SPDX-License-Identifier: BSD-2-Clause */
/* test_trace_fd.c - accepted and refused trace fds. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "session/trace_frames.h"

static struct frames_writer writer, other;
static struct frames_seen seen;

/* Checks that adoption refuses @fd with the reason @why, and does not change
 * @fd. */
static void check_refused(int fd, const char *why)
{
	struct syc_trace_target target = { .number = 77 };
	const char *const said = syc_trace_adopt(fd, &target);

	CHECK(said != NULL);
	if (strstr(said, why) == NULL)
		CHECK_STR(said, why);
	CHECK_EQ(target.number, 77);
	if (fd >= 0)
		close(fd);
}

static int file_with(const void *bytes, size_t size, int flags)
{
	const int fd = frames_make_file(O_RDWR);
	char path[64];

	CHECK_EQ(write(fd, bytes, size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int again = open(path, flags | O_CLOEXEC);
	CHECK(again >= 0);
	close(fd);
	return again;
}

/* -------------------------------------------------------------- refused */

TEST(a_closed_or_read_only_fd_is_refused)
{
	check_refused(-1, "not an open descriptor");
	check_refused(999, "not an open descriptor");
	check_refused(frames_make_file(O_RDONLY), "not open for writing");
	check_refused(open("/tmp", O_PATH), "not open for writing");
	check_refused(open("/tmp", O_RDONLY), "not open for writing");
}

TEST(devices_and_files_of_the_kernel_are_refused)
{
	check_refused(open("/dev/null", O_RDWR), "neither a file nor");
	check_refused(open("/dev/ptmx", O_RDWR | O_NOCTTY),
	              "neither a file nor");
	check_refused(open("/proc/self/oom_score_adj", O_WRONLY), "kernel");
	check_refused(eventfd(0, 0), "neither a file nor");
}

TEST(a_log_file_is_refused_and_untouched)
{
	static const char text[] = "Nov 21 something happened\n";
	static const int flags[] = { O_WRONLY, O_RDWR, O_WRONLY | O_APPEND };

	for (unsigned i = 0; i < 3; i++) {
		const int fd = file_with(text, sizeof(text), flags[i]);
		struct syc_trace_target target;
		struct stat before, after;

		CHECK_EQ(fstat(fd, &before), 0);
		CHECK(strstr(syc_trace_adopt(fd, &target), "neither empty"));
		CHECK_EQ(fstat(fd, &after), 0);
		CHECK_EQ(after.st_size, sizeof(text));
		CHECK_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
		CHECK_EQ(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
		CHECK_EQ(lseek(fd, 0, SEEK_CUR), 0);
		close(fd);
	}
}

TEST(short_files_and_captures_of_another_byte_order_are_refused)
{
	struct syscap_wire_file header = { .magic = SYSCAP_MAGIC,
		                           .version = 1,
		                           .little_endian =
		                                   !SYC_TRACE_IS_LITTLE };

	check_refused(file_with("\x5E", 1, O_RDWR), "neither empty");
	check_refused(file_with("\x5E\x97\xCA", 3, O_RDWR), "neither empty");
	check_refused(file_with(&header, sizeof(header), O_RDWR), "byte order");
}

TEST(sockets_must_be_connected_streams)
{
	int ends[2];

	CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	check_refused(ends[0], "stream socket");
	close(ends[1]);
	check_refused(socket(AF_UNIX, SOCK_STREAM, 0), "not connected");
}

/* ------------------------------------------------------------- reused fds */

TEST(an_fd_reused_before_the_start_is_not_changed)
{
	const int fd = frames_make_file(O_RDWR);
	const int victim = frames_make_file(O_RDWR);
	struct syc_trace_target target;
	static struct syc_trace trace;

	CHECK_STR(syc_trace_adopt(fd, &target), NULL);
	CHECK_EQ(dup2(victim, fd), fd);
	errno = 12345;
	CHECK_EQ(syc_trace_open(&trace, &target), -ESTALE);
	CHECK_EQ(errno, 12345);
	CHECK_EQ(trace.fd, -1);
	CHECK_EQ(frames_size(victim), 0);
	close(fd);
	CHECK_EQ(syc_trace_open(&trace, &target), -ESTALE);
	syc_trace_close(&trace);
	close(victim);
}

TEST(a_number_that_is_reused_after_the_start_changes_nothing)
{
	const int fd = frames_make_file(O_WRONLY);
	const int again = dup(fd);
	const int victim = frames_make_file(O_RDWR);

	frames_open(&writer, 1, fd);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	CHECK_EQ(dup2(victim, fd), fd);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	CHECK_EQ(frames_size(victim), 0);
	frames_look_whole(again, &seen);
	CHECK_EQ(seen.writers[1], 10);
	syc_trace_close(&writer.trace);
	close(fd);
	close(again);
	close(victim);
}

TEST(a_closed_fd_reused_by_the_program_is_not_changed)
{
	const int fd = frames_make_file(O_RDWR);
	const int victim = frames_make_file(O_RDWR);

	frames_open(&writer, 1, fd);
	const int ours = writer.trace.fd;
	CHECK_EQ(dup2(victim, ours), ours);
	CHECK_EQ(frames_write(&writer, 5, 0), -ESTALE);
	CHECK_EQ(frames_size(victim), 0);
	CHECK_EQ(frames_size(fd), 0);
	syc_trace_close(&writer.trace);
	CHECK(fcntl(ours, F_GETFD) >= 0);
	close(ours);
	frames_open(&writer, 1, fd);
	close(writer.trace.fd);
	CHECK_EQ(frames_write(&writer, 5, 0), -ESTALE);
	syc_trace_close(&writer.trace);
	close(fd);
	close(victim);
}

TEST(our_number_is_none_that_programs_count_on)
{
	const int fd = frames_make_file(O_RDWR);
	struct rlimit few = { 20, 20 };

	close(STDIN_FILENO);
	frames_open(&writer, 1, fd);
	CHECK(writer.trace.fd >= 100);
	CHECK_EQ(fcntl(writer.trace.fd, F_GETFD), FD_CLOEXEC);
	syc_trace_close(&writer.trace);
	setrlimit(RLIMIT_NOFILE, &few);
	frames_open(&writer, 1, fd);
	CHECK(writer.trace.fd > STDERR_FILENO);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	syc_trace_close(&writer.trace);
	CHECK_EQ(open("/dev/null", O_RDONLY), STDIN_FILENO);
	close(fd);
}

/* ----------------------------------------------------------------- locks */

/* A child that holds the lock until it is killed. */
static pid_t hold_lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	int ready[2];
	char byte;

	CHECK_EQ(pipe(ready), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		CHECK_EQ(fcntl(fd, F_SETLKW, &lock), 0);
		CHECK_EQ(write(ready[1], "x", 1), 1);
		pause();
	}
	CHECK_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

TEST(waiting_for_the_lock_ends_at_the_deadline)
{
	const int fd = frames_make_file(O_RDWR);

	frames_open(&writer, 1, fd);
	const pid_t pid = hold_lock(fd);
	const int64_t before = frames_in_ms(0);
	CHECK_EQ(frames_write(&writer, 5, 30), -EAGAIN);
	CHECK(frames_in_ms(0) - before >= 30 * INT64_C(1000000));
	CHECK(frames_in_ms(0) - before < 5000 * INT64_C(1000000));
	CHECK_EQ(writer.next, 0);
	CHECK_EQ(frames_size(fd), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.total, 5);
	syc_trace_close(&writer.trace);
	close(fd);
}

static void on_alarm(int number)
{
	(void)number;
}

TEST(signals_don_t_end_the_wait_for_the_lock)
{
	const struct itimerval often = { { 0, 700 }, { 0, 700 } };
	struct sigaction action = { .sa_handler = on_alarm };
	const int fd = frames_make_file(O_RDWR);

	frames_open(&writer, 1, fd);
	const pid_t pid = hold_lock(fd);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	CHECK_EQ(frames_write(&writer, 5, 50), -EAGAIN);
	kill(pid, SIGKILL);
	CHECK_EQ(frames_write(&writer, 5, -1), 0);
	for (int i = 0; i < 200; i++)
		CHECK_EQ(frames_write(&writer, 500, 0), 0);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.total, 100005);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	syc_trace_close(&writer.trace);
	close(fd);
}

/* Makes fcntl(2) fail as on a file system without locks */
static void take_locks_away(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_GETLK, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_SETLK, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_GETLK, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(code[0]),
		                            code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		SKIP("seccomp filters are unavailable here");
}

TEST(nothing_is_written_without_file_locks)
{
	const int fd = frames_make_file(O_RDWR);
	struct syc_trace_target target;

	frames_open(&writer, 1, fd);
	take_locks_away();
	CHECK_EQ(frames_write(&writer, 5, 0), -ENOLCK);
	CHECK_STR(syc_trace_adopt(fd, &target), NULL);
	CHECK_EQ(syc_trace_open(&other.trace, &target), -ENOLCK);
	CHECK_EQ(frames_size(fd), 0);
	syc_trace_close(&writer.trace);
	close(fd);
}
