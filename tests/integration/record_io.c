/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_io.c - a program that blocks in one call after the other, and prints
 * one line "CALL WHAT" per call: the call and its object.
 *
 *	record_io DIR main|thread|odd|strict|bad
 *
 * Another thread ends each wait, 5 ms after it has seen this thread asleep.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *dir;
static int sleeper; /* thread id of the blocking thread */
static char fifo[256], file[256];

static void need(bool is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "record_io: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Uses bare system calls, which are not recorded. */
static void nap(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	syscall(SYS_nanosleep, &time, NULL);
}

static void wait_until_asleep(void)
{
	char name[64], text[512], *end;
	int in_a_row = 0;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat",
	         __atomic_load_n(&sleeper, __ATOMIC_RELAXED));
	while (in_a_row < 3) {
		const int fd =
			(int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY, 0);
		const long n = syscall(SYS_read, fd, text, sizeof(text) - 1);

		syscall(SYS_close, fd);
		text[n > 0 ? n : 0] = 0;
		end = strrchr(text, ')');
		in_a_row = end != NULL && end[2] == 'S' ? in_a_row + 1 : 0;
		nap(1);
	}
	nap(5);
}

struct deed {
	void (*run)(int fd);
	int fd;
};

static void *run_deed(void *context)
{
	const struct deed *const deed = context;

	wait_until_asleep();
	deed->run(deed->fd);
	return NULL;
}

static pthread_t helper;
static struct deed deed;

static void later(void (*run)(int fd), int fd)
{
	deed = (struct deed){ run, fd };
	need(pthread_create(&helper, NULL, run_deed, &deed) == 0, "thread");
}

static void done(void)
{
	need(pthread_join(helper, NULL) == 0, "join");
}

static void write_line(int fd)
{
	syscall(SYS_write, fd, "line\n", 5);
}

static void read_all(int fd)
{
	static char sink[1 << 17];
	struct pollfd one = { .fd = fd, .events = POLLIN };

	while (syscall(SYS_poll, &one, 1, 20) == 1)
		syscall(SYS_read, fd, sink, sizeof(sink));
}

static int other_end;

static void open_other_end(int flags)
{
	other_end = (int)syscall(SYS_openat, AT_FDCWD, fifo, flags, 0);
}

/* Makes the next open() of the fifo block again. */
static void close_both(int fd)
{
	close(fd);
	close(other_end);
}

static void connect_there(int fd)
{
	struct sockaddr_un name;
	socklen_t n = sizeof(name);

	syscall(SYS_getsockname, fd, &name, &n);
	const int other = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
	syscall(SYS_connect, other, &name, n);
}

static void unlock(int fd)
{
	flock(fd, LOCK_UN);
}

static void say(const char *call, const char *what)
{
	printf("%s %s\n", call, what);
}

static void say_fd(const char *call, int fd)
{
	char name[64], path[256];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	const long n =
		syscall(SYS_readlinkat, AT_FDCWD, name, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	say(call, path);
}

/* Fills a pipe. */
static void fill(int fd)
{
	static char text[4096];
	const int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	while (syscall(SYS_write, fd, text, sizeof(text)) > 0)
		;
	fcntl(fd, F_SETFL, flags);
}

static void block_on_pipes(void)
{
	char line[16], *grown = NULL;
	struct iovec part = { line, sizeof(line) };
	size_t room = 0;
	int p[2];

	need(pipe(p) == 0, "pipe");
	later(write_line, p[1]);
	need(read(p[0], line, sizeof(line)) == 5, "read");
	done();
	say_fd("read", p[0]);
	later(write_line, p[1]);
	need(readv(p[0], &part, 1) == 5, "readv");
	done();
	say_fd("readv", p[0]);
	fill(p[1]);
	later(read_all, p[0]);
	need(write(p[1], "x", 1) == 1, "write");
	done();
	say_fd("write", p[1]);
	read_all(p[0]);

	FILE *const in = fdopen(p[0], "r"), *const out = fdopen(p[1], "w");
	need(in != NULL && out != NULL, "fdopen");
	later(write_line, p[1]);
	need(fgets(line, sizeof(line), in) != NULL, "fgets");
	done();
	say_fd("fgets", p[0]);
	later(write_line, p[1]);
	need(getdelim(&grown, &room, '\n', in) == 5, "getdelim");
	done();
	say_fd("getdelim", p[0]);
	later(write_line, p[1]);
	need(fread(line, 1, 5, in) == 5, "fread");
	done();
	say_fd("fread", p[0]);
	fill(p[1]);
	fputs("x", out);
	later(read_all, p[0]);
	need(fflush(out) == 0, "fflush");
	done();
	say_fd("fflush", p[1]);
	free(grown);
	fclose(in);
	fclose(out);
}

static void block_on_sockets(void)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	char text[16];
	struct iovec part = { text, sizeof(text) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int s[2];

	need(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0, "socketpair");
	later(write_line, s[1]);
	need(recv(s[0], text, sizeof(text), 0) == 5, "recv");
	done();
	say_fd("recv", s[0]);
	later(write_line, s[1]);
	need(recvfrom(s[0], text, sizeof(text), 0, NULL, NULL) == 5,
	     "recvfrom");
	done();
	say_fd("recvfrom", s[0]);
	later(write_line, s[1]);
	need(recvmsg(s[0], &message, 0) == 5, "recvmsg");
	done();
	say_fd("recvmsg", s[0]);
	fill(s[1]);
	later(read_all, s[0]);
	need(send(s[1], "x", 1, 0) == 1, "send");
	done();
	say_fd("send", s[1]);
	close(s[0]);
	close(s[1]);

	const int door = socket(AF_UNIX, SOCK_STREAM, 0);
	need(bind(door, (void *)&any, sizeof(sa_family_t)) == 0 &&
	             listen(door, 1) == 0,
	     "listen");
	later(connect_there, door);
	need(accept(door, NULL, NULL) >= 0, "accept");
	done();
	say_fd("accept", door);
	close(door);
}

static void block_on_files(void)
{
	int fd;

	later(open_other_end, O_WRONLY);
	fd = open(fifo, O_RDONLY);
	need(fd >= 0, "open");
	done();
	say("open", fifo);
	close_both(fd);
	const int folder = open(dir, O_RDONLY | O_DIRECTORY);
	later(open_other_end, O_WRONLY);
	fd = openat(folder, "fifo", O_RDONLY);
	need(fd >= 0, "openat");
	done();
	say("openat", fifo);
	close_both(fd);
	later(open_other_end, O_RDONLY);
	FILE *const out = fopen(fifo, "w");
	need(out != NULL, "fopen");
	done();
	say("fopen", fifo);
	close_both(fileno(out));

	const int one = open(file, O_RDWR | O_CREAT, 0600),
		  two = open(file, O_RDWR);
	need(flock(one, LOCK_EX) == 0, "lock");
	later(unlock, one);
	need(flock(two, LOCK_EX) == 0, "flock");
	done();
	say("flock", file);
	close(one);
	close(two);
}

static void block_in_waits(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	const int many = epoll_create1(0);
	fd_set set;
	int p[2];

	need(pipe(p) == 0 && epoll_ctl(many, EPOLL_CTL_ADD, p[0], &event) == 0,
	     "pipe");
	struct pollfd one = { .fd = p[0], .events = POLLIN };
	later(write_line, p[1]);
	need(poll(&one, 1, -1) == 1, "poll");
	done();
	say("poll", "");
	read_all(p[0]);
	later(write_line, p[1]);
	need(ppoll(&one, 1, NULL, NULL) == 1, "ppoll");
	done();
	say("ppoll", "");
	read_all(p[0]);
	later(write_line, p[1]);
	need(epoll_wait(many, &event, 1, -1) == 1, "epoll_wait");
	done();
	say("epoll_wait", "");
	read_all(p[0]);
	later(write_line, p[1]);
	FD_ZERO(&set);
	FD_SET(p[0], &set);
	need(select(p[0] + 1, &set, NULL, NULL, NULL) == 1, "select");
	done();
	say("select", "");
}

static void *block_everywhere(void *nothing)
{
	sleeper = gettid();
	block_on_pipes();
	block_on_sockets();
	block_on_files();
	block_in_waits();
	return nothing;
}

/* --- unexpected places */

static int odd_pipe[2];
static sigjmp_buf back;

static void *read_for_ever(void *nothing)
{
	char byte;

	sleeper = gettid();
	read(odd_pipe[0], &byte, 1);
	return nothing;
}

static void cancel_it(void)
{
	pthread_t thread;
	void *result;

	sleeper = 0;
	need(pthread_create(&thread, NULL, read_for_ever, NULL) == 0, "thread");
	while (__atomic_load_n(&sleeper, __ATOMIC_RELAXED) == 0)
		nap(1);
	wait_until_asleep();
	pthread_cancel(thread);
	need(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED,
	     "a thread that is cancelled in read()");
	sleeper = getpid();
}

static void handle(int number)
{
	const int saved = errno;
	char text[8];

	/* This handler runs on a small alternate stack */
	if (number == SIGUSR1)
		need(read(odd_pipe[0], text, sizeof(text)) == 5, "in handler");
	if (number == SIGUSR2)
		siglongjmp(back, 1);
	errno = saved;
}

/* Strings without a final NUL, and NULL streams */
static void ask_for_odd_names(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *volatile none = NULL;
	volatile size_t nothing = 0;
	char name[] = "/proc/self/exe", byte = 'x';
	char *const at = pages + page - sizeof(name), *volatile to = at;

	need(pages != MAP_FAILED && munmap(pages + page, page) == 0, "pages");
	/* readlink() overwrites its name with a longer name without NUL */
	for (int i = 0; i < 1000; i++) {
		memcpy(at, name, sizeof(name));
		need(readlink(at, to, sizeof(name)) == sizeof(name),
		     "a link that is read to its name");
	}
	need(fread(&byte, 1, nothing, none) == 0 &&
	             fwrite(&byte, 1, nothing, none) == 0,
	     "nothing of no stream");
	need(fgets(&byte, 1, none) == &byte && byte == '\0',
	     "no line of no stream");
}

/* Strict seccomp only allows read(), write(), exit() and sigreturn() */
static void be_strict(void)
{
	need(poll(NULL, 0, 1) == 0 && poll(NULL, 0, 1) == 0, "poll");
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0, "seccomp");
	for (volatile unsigned i = 0; i < 300000000; i++)
		continue;
	syscall(SYS_exit, write(1, "strict\n", 7) == 7 ? 3 : 4);
}

static void interrupt(int number)
{
	syscall(SYS_tgkill, getpid(), getpid(), number);
}

static void be_odd(void)
{
	static char small[12288];
	const stack_t stack = { .ss_sp = small, .ss_size = sizeof(small) };
	struct sigaction action = { .sa_handler = handle,
		                    .sa_flags = SA_ONSTACK };
	char text[8];
	int status;

	sleeper = getpid();
	need(pipe(odd_pipe) == 0, "pipe");
	cancel_it();

	/* A failed call keeps its errno */
	need(sigaction(SIGALRM, &action, NULL) == 0, "sigaction");
	later(interrupt, SIGALRM);
	errno = 0;
	need(read(odd_pipe[0], text, 1) == -1 && errno == EINTR, "EINTR");
	done();
	say_fd("read", odd_pipe[0]);

	need(sigaltstack(&stack, NULL) == 0 &&
	             sigaction(SIGUSR1, &action, NULL) == 0,
	     "sigaltstack");
	later(write_line, odd_pipe[1]);
	raise(SIGUSR1);
	done();
	say("read", "");

	/* A handler leaves read() by siglongjmp() */
	sigaction(SIGUSR2, &action, NULL);
	if (sigsetjmp(back, 1) == 0) {
		later(interrupt, SIGUSR2);
		read(odd_pipe[0], text, 1);
		need(false, "a jump");
	}
	done();

	const pid_t shared = vfork();
	if (shared == 0) {
		/* The parent is suspended, so a nap of this child makes the
		 * call late enough */
		nap(5);
		_exit(read(-1, text, 1) == -1 && errno == EBADF ? 3 : 4);
	}
	need(waitpid(shared, &status, 0) == shared && status == 3 << 8,
	     "vfork");

	const pid_t child = fork();
	if (child == 0) {
		sleeper = gettid();
		later(write_line, odd_pipe[1]);
		need(read(odd_pipe[0], text, sizeof(text)) == 5, "in a child");
		done();
		_exit(0);
	}
	need(waitpid(child, &status, 0) == child && status == 0, "fork");
	say_fd("read", odd_pipe[0]);
}

static void *volatile bad = (void *)8;

static void need_fault(long r, const char *what)
{
	need(r == -1 && errno == EFAULT, what);
	errno = 0;
}

/* Calls with unreadable pointers fail with EFAULT, also if recorded. */
static void give_bad_pointers(void)
{
	struct epoll_event event;
	siginfo_t info;
	int signal;

	need_fault(open(bad, O_RDONLY), "open");
	need_fault(rename(bad, file), "rename");
	need_fault(mkdirat(3, bad, 0700), "mkdirat");
	need_fault(connect(socket(AF_UNIX, SOCK_STREAM, 0), bad, 16),
	           "connect");
	need_fault(sendmsg(socket(AF_UNIX, SOCK_DGRAM, 0), bad, 0), "sendmsg");
	need_fault(writev(1, bad, 1), "writev");
	need_fault(poll(bad, 1, 1), "poll");
	need_fault(sigaltstack(bad, NULL), "sigaltstack");
	need_fault(sigtimedwait(bad, &info, NULL), "sigtimedwait");
	need_fault(sigwaitinfo(bad, &info), "sigwaitinfo");
	need(sigwait(bad, &signal) == EFAULT, "sigwait");
	need_fault(signalfd(-1, bad, 0), "signalfd");
	need_fault(nanosleep(bad, NULL), "nanosleep");
	for (int flags = 0; flags <= TIMER_ABSTIME; flags++)
		need(clock_nanosleep(CLOCK_MONOTONIC, flags, bad, NULL) ==
		             EFAULT,
		     "clock_nanosleep");
	need_fault(epoll_pwait2(epoll_create1(0), &event, 1, bad, NULL),
	           "epoll_pwait2");
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 3)
		return 2;
	dir = argv[1];
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	snprintf(file, sizeof(file), "%s/file", dir);
	if (strcmp(argv[2], "odd") == 0) {
		be_odd();
	} else if (strcmp(argv[2], "strict") == 0) {
		be_strict();
	} else if (strcmp(argv[2], "names") == 0) {
		ask_for_odd_names();
	} else if (strcmp(argv[2], "bad") == 0) {
		give_bad_pointers();
	} else if (strcmp(argv[2], "main") == 0) {
		block_everywhere(NULL);
	} else {
		need(pthread_create(&thread, NULL, block_everywhere, NULL) == 0,
		     "thread");
		/* The wait of pthread_join() is not a recorded call */
		pthread_join(thread, NULL);
	}
	return fflush(stdout);
}
