/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_process_frames.c - a process describes itself exactly as a recorder would.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/writer.h"
#include "emit/ring_source.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "recorder/processes.h"
#include "session/process_frames.h"

#define FRAMES_MAX 8192u
#define PAGE       ((size_t)sysconf(_SC_PAGESIZE))

/* ------------------------------------------------- the received frames */

/* Consecutive frames, with zeroed times. */
struct told {
	unsigned char *bytes;
	size_t size;
	unsigned n;
	unsigned stop_at; /* number of the first refused frame; 0: none */
};

static struct syc_described described;

static void keep(struct told *told, const void *frame, size_t len)
{
	struct syscap_wire_frame head;

	memcpy(&head, frame, sizeof(head));
	CHECK_EQ(head.len, len);
	CHECK_EQ(len % 8, 0);
	CHECK_EQ(head.pid, getpid());
	CHECK(told->n++ < FRAMES_MAX);
	told->bytes = realloc(told->bytes, told->size + len);
	memcpy(told->bytes + told->size, frame, len);
	memset(told->bytes + told->size +
	               offsetof(struct syscap_wire_frame, time),
	       0, sizeof(head.time));
	told->size += len;
}

static bool take(void *data, const void *frame, uint32_t len)
{
	struct told *const told = data;
	struct syscap_wire_frame head;

	if (told->stop_at != 0 && told->n + 1 == told->stop_at)
		return false;
	memcpy(&head, frame, sizeof(head));
	CHECK_EQ(head.time, 4711);
	keep(told, frame, len);
	return true;
}

static void forget(struct told *told)
{
	free(told->bytes);
	memset(told, 0, sizeof(*told));
}

static bool tell_maps(struct told *told)
{
	return syc_map_frames_write(&described, getpid(), 4711, true, take,
	                            told);
}

/* The first frame of a mapping at @start; NULL: no such frame. */
static const struct syscap_wire_map *find(const struct told *told,
                                          const void *start)
{
	for (size_t at = 0; at < told->size;) {
		const void *const frame = told->bytes + at;
		const struct syscap_wire_map *const map = frame;

		CHECK_EQ(map->frame.type, SYSCAP_FRAME_MAP);
		if (map->start == (uintptr_t)start)
			return map;
		at += map->frame.len;
	}
	return NULL;
}

static const char *path_of(const struct syscap_wire_map *map)
{
	return (const char *)map + sizeof(*map);
}

/* The text after '@'; "" without '@'. */
static const char *build_id_of(const struct syscap_wire_map *map)
{
	const char *const end = (const char *)map + map->frame.len;
	const char *const behind = path_of(map) + strlen(path_of(map)) + 1;

	return behind < end && *behind == '@' ? behind + 1 : "";
}

/* Writes the frames that `syscap record` writes for this process. */
static void tell_as_recorder(struct told *told)
{
	static union syc_frame_buffer buffer;
	char dir[] = "/tmp/syscap-describe-XXXXXX", path[64];
	struct syc_known_maps known = { 0 };
	struct syc_mapped_files files = { 0 };
	struct syc_writer *writer;
	union syc_frame_buffer frame;
	FILE *file;

	CHECK(mkdtemp(dir) != NULL);
	strcat(strcpy(path, dir), "/capture");
	CHECK_EQ(syc_writer_open(path, false, &writer, NULL), 0);
	CHECK_EQ(syc_writer_begin(writer, 0, NULL), 0);
	syc_maps_write_new(&known, getpid(), getpid(), &files, writer, &buffer);
	CHECK_EQ(syc_writer_finish(writer, 0), 0);
	syc_writer_close(writer);
	syc_maps_forget(&known);
	syc_mapped_files_free(&files);

	file = fopen(path, "re");
	CHECK_EQ(fseek(file, 256, SEEK_SET), 0);
	while (fread(&frame, 24, 1, file) == 1) {
		CHECK_EQ(fread(frame.bytes + 24, frame.frame.len - 24, 1, file),
		         1);
		keep(told, &frame, frame.frame.len);
	}
	fclose(file);
	CHECK_EQ(unlink(path) + rmdir(dir), 0);
}

static void check_as_recorder(const struct told *told)
{
	struct told other = { 0 };

	tell_as_recorder(&other);
	CHECK_EQ(told->n, other.n);
	CHECK_EQ(told->size, other.size);
	CHECK_EQ(memcmp(told->bytes, other.bytes, other.size), 0);
	forget(&other);
}

/* From here on process_vm_readv() fails with EPERM. */
static void forbid_reading_memory(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(*filter),
		.filter = filter,
	};

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		SKIP("seccomp filters are unavailable here");
	CHECK_EQ(syscall(SYS_process_vm_readv, getpid(), NULL, 0UL, NULL, 0UL,
	                 0UL),
	         -1);
	CHECK_EQ(errno, EPERM);
}

/* Map the beginning of the file @fd executable, at @at or anywhere. */
static void *map_code(int fd, void *at)
{
	void *const map =
		mmap(at, PAGE, PROT_READ | PROT_EXEC,
	             MAP_PRIVATE | (at != NULL ? MAP_FIXED : 0), fd, 0);

	if (map == MAP_FAILED && errno == EPERM)
		SKIP("files can't be mapped executable here");
	CHECK(map != MAP_FAILED);
	return map;
}

/* A file without a name, of one page; the kernel calls it /memfd:@name. */
static int make_file(const char *name, const char *content)
{
	const int fd = memfd_create(name, MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, (off_t)PAGE), 0);
	CHECK_EQ(pwrite(fd, content, strlen(content), 0), strlen(content));
	return fd;
}

/* Copies this program to a file at @path. */
static int copy_program(const char *path)
{
	const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const int to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	char buffer[65536];
	ssize_t n;

	CHECK(from >= 0 && to >= 0);
	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		CHECK_EQ(write(to, buffer, (size_t)n), n);
	close(from);
	return to;
}

static void *main_program(const struct told *told)
{
	char path[4096];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	CHECK(n > 0);
	path[n] = '\0';
	for (size_t at = 0; at < told->size;) {
		const void *const frame = told->bytes + at;
		const struct syscap_wire_map *const map = frame;

		if (strcmp(path_of(map), path) == 0)
			return told->bytes + at;
		at += map->frame.len;
	}
	test_fail(__FILE__, __LINE__, "%s was not reported", path);
}

/* --------------------------------------------------------------- mappings */

TEST(map_frames_equal_the_recorders_byte_for_byte)
{
	struct told told = { 0 };

	CHECK(tell_maps(&told));
	CHECK(told.n >= 3); /* the program, libc, the vdso */
	CHECK_EQ(told.n, described.n);
	check_as_recorder(&told);
	CHECK(strlen(build_id_of(main_program(&told))) >= 16);
	forget(&told);
}

TEST(no_mapping_is_reported_twice)
{
	struct told told = { 0 };

	CHECK(syc_map_frames.are_due(&described, 4711, true));
	CHECK(tell_maps(&told));
	forget(&told);
	CHECK(!syc_map_frames.are_due(&described, 4711, true));
	for (int i = 0; i < 3; i++)
		CHECK(tell_maps(&told));
	CHECK_EQ(told.n, 0);
}

TEST(a_stopped_scan_continues_at_its_position)
{
	struct told told = { 0 };
	unsigned stops = 0;

	for (told.stop_at = 1; !tell_maps(&told); told.stop_at++) {
		CHECK_EQ(told.n + 1, told.stop_at);
		CHECK(syc_map_frames.are_due(&described, 4711, true));
		stops++;
	}
	CHECK_EQ(stops, told.n);
	CHECK(!syc_map_frames.are_due(&described, 4711, true));
	check_as_recorder(&told);
	forget(&told);
}

static void *load_another_library(void)
{
	static const char *const names[] = { "libm.so.6", "libresolv.so.2",
		                             "libthread_db.so.1",
		                             "libgcc_s.so.1" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		void *there = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);

		if (there != NULL) {
			dlclose(there);
			continue;
		}
		there = dlopen(names[i], RTLD_LAZY);
		if (there != NULL)
			return there;
	}
	SKIP("no unloaded library is available");
}

TEST(only_a_newly_loaded_library_is_reported)
{
	struct told told = { 0 };

	CHECK(tell_maps(&told));
	const unsigned before = told.n;
	CHECK(!syc_map_frames.are_due(&described, 4711, true));
	void *const library = load_another_library();
	CHECK(syc_map_frames.are_due(&described, 4711, true));
	forget(&told);
	CHECK(tell_maps(&told));
	CHECK_EQ(told.n, 1);
	CHECK(strlen(build_id_of((const void *)told.bytes)) >= 16);
	CHECK(!syc_map_frames.are_due(&described, 4711, true));

	dlclose(library);
	CHECK(syc_map_frames.are_due(&described, 4711, true));
	forget(&told);
	CHECK(tell_maps(&told));
	CHECK_EQ(told.n, 0);
	CHECK_EQ(described.n, before);
}

TEST(without_the_linkers_lock_it_is_time_to_look_once_a_second)
{
	struct told told = { 0 };
	const int64_t s = 1000000000;

	CHECK(syc_map_frames_write(&described, getpid(), 4711, false, take,
	                           &told));
	forget(&told);
	CHECK(!syc_map_frames.are_due(&described, 4711, false));
	CHECK(!syc_map_frames.are_due(&described, 4710 + s, false));
	CHECK(syc_map_frames.are_due(&described, 4711 + s, false));
}

TEST(names_may_hold_spaces_and_newlines)
{
	char dir[] = "/tmp/syscap-describe-XXXXXX", path[64];
	struct told told = { 0 };

	CHECK(mkdtemp(dir) != NULL);
	strcat(strcpy(path, dir), "/a  b\nc\\013 \xC3\xA9");
	const int fd = copy_program(path);
	void *const map = map_code(fd, NULL);
	CHECK(tell_maps(&told));
	CHECK(find(&told, map) != NULL);
	CHECK_STR(path_of(find(&told, map)), path);
	CHECK_STR(build_id_of(find(&told, map)),
	          build_id_of(main_program(&told)));
	check_as_recorder(&told);
	close(fd);
	forget(&told);
	CHECK_EQ(unlink(path) + rmdir(dir), 0);
}

/* Maps @fd like a library: the first page readable, the second executable. */
static void *map_object(int fd, char *at)
{
	CHECK(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == at);
	CHECK(mmap(at + PAGE, PAGE, PROT_READ | PROT_EXEC,
	           MAP_PRIVATE | MAP_FIXED, fd, (off_t)PAGE) != MAP_FAILED);
	return at + PAGE;
}

/* Without a build id, a reader would use the file that has the name now. */
TEST(a_deleted_file_keeps_its_name_only_with_its_build_id)
{
	char dir[] = "/tmp/syscap-describe-XXXXXX", path[64], gone[80];
	struct told told = { 0 };

	char *const area = mmap(NULL, 3 * PAGE, PROT_NONE,
	                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED);
	CHECK(mkdtemp(dir) != NULL);
	strcat(strcpy(path, dir), "/program");
	const int fd = copy_program(path);
	void *const program = map_object(fd, area);
	CHECK_EQ(unlink(path) + rmdir(dir), 0);
	/* The next mapping, whose file's first page is not mapped */
	const int other = make_file("no object", "text");
	CHECK_EQ(ftruncate(other, 2 * (off_t)PAGE), 0);
	void *const text = area + 2 * PAGE;
	CHECK(mmap(text, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
	           other, (off_t)PAGE) == text);

	CHECK(tell_maps(&told));
	CHECK_STR(path_of(find(&told, program)), path);
	CHECK_STR(build_id_of(find(&told, program)),
	          build_id_of(main_program(&told)));
	CHECK_STR(path_of(find(&told, text)), "/memfd:no object (deleted)");
	CHECK_STR(build_id_of(find(&told, text)), "");
	forget(&told);

	memset(&described, 0, sizeof(described));
	forbid_reading_memory();
	CHECK(tell_maps(&told));
	strcat(strcpy(gone, path), " (deleted)");
	CHECK_STR(path_of(find(&told, program)), gone);
	CHECK_STR(build_id_of(find(&told, program)), "");
	close(fd);
	close(other);
	forget(&told);
}

TEST(build_ids_come_from_files_if_memory_is_unreadable)
{
	struct told told = { 0 };

	forbid_reading_memory();
	CHECK(tell_maps(&told));
	CHECK(strlen(build_id_of(main_program(&told))) >= 16);
	check_as_recorder(&told);
	forget(&told);
}

TEST(a_mapping_that_replaces_another_is_reported_again)
{
	const int a = make_file("a", "A"), b = make_file("b", "B");
	struct told told = { 0 };

	void *const at = map_code(a, NULL);
	CHECK(tell_maps(&told));
	CHECK_STR(path_of(find(&told, at)), "/memfd:a (deleted)");
	for (int i = 0; i < 6; i++) {
		forget(&told);
		map_code(i % 2 == 0 ? b : a, at);
		CHECK(tell_maps(&told));
		CHECK_EQ(told.n, 1);
		CHECK_STR(path_of(find(&told, at)),
		          i % 2 == 0 ? "/memfd:b (deleted)"
		                     : "/memfd:a (deleted)");
	}
	close(a);
	close(b);
	forget(&told);
}

/*
 * Each round must report only new mappings, even if other mappings were
 * removed.
 */
TEST(each_short_lived_mapping_is_reported_once)
{
	enum {
		PLACES = 500,
		ROUNDS = 60
	};
	static bool is_there[PLACES], was_there[PLACES];
	const int fd = make_file("code", "C");
	struct told told = { 0 };

	/* Every second page: adjacent pages would be one mapping */
	char *const area = mmap(NULL, 2 * PLACES * PAGE, PROT_NONE,
	                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED);
	CHECK(tell_maps(&told));
	const unsigned others = described.n;
	srand((unsigned)test_seed());
	for (unsigned round = 0; round < ROUNDS; round++) {
		const int odds = 1 + rand() % 20;
		unsigned n = 0, n_new = 0;

		for (unsigned i = 0; i < PLACES; i++) {
			char *const at = area + 2 * i * PAGE;

			was_there[i] = is_there[i];
			if (rand() % odds == 0)
				is_there[i] = !is_there[i];
			if (is_there[i])
				map_code(fd, at);
			else
				mmap(at, PAGE, PROT_NONE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
				     -1, 0);
			n += is_there[i];
			n_new += is_there[i] && !was_there[i];
		}
		forget(&told);
		CHECK(tell_maps(&told));
		CHECK_EQ(told.n, n_new);
		CHECK_EQ(described.n, others + n);
		for (unsigned i = 0; i < PLACES; i++)
			CHECK_EQ(find(&told, area + 2 * i * PAGE) != NULL,
			         is_there[i] && !was_there[i]);
	}
	close(fd);
	forget(&told);
}

TEST(mappings_beyond_the_limit_are_skipped)
{
	enum {
		PLACES = 5000,
		KNOWN = 3072
	};
	const int fd = make_file("code", "C");
	struct told told = { 0 };

	char *const area = mmap(NULL, 2 * PLACES * PAGE, PROT_NONE,
	                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED);
	for (unsigned i = 0; i < PLACES; i++)
		map_code(fd, area + 2 * i * PAGE);
	CHECK(tell_maps(&told));
	CHECK_EQ(told.n, KNOWN);
	forget(&told);
	CHECK(tell_maps(&told));
	CHECK_EQ(told.n, 0);

	CHECK_EQ(munmap(area, 2 * PLACES * PAGE), 0);
	void *const at = map_code(fd, NULL);
	CHECK(tell_maps(&told));
	CHECK(syc_map_frames.are_due(&described, 4711, true));
	while (syc_map_frames.are_due(&described, 4711, true))
		CHECK(tell_maps(&told));
	CHECK(find(&told, at) != NULL);
	forget(&told);
	const unsigned known = described.n;
	memset(&described, 0, sizeof(described));
	CHECK(tell_maps(&told));
	CHECK_EQ(known, told.n); /* includes the refused mappings */
	close(fd);
	forget(&told);
}

/*
 * Make directories below @path until a line of maps is @length long.  In that
 * line, the path begins at the 73rd character, and a newline takes four.
 */
static void grow_path(char *path, size_t length)
{
	size_t at = 73 + strlen(path);

	while (at < length) {
		const size_t rest = length - at - 1;
		const size_t n = rest > 804 ? 200 : rest / 4;
		char *const end = path + strlen(path);

		end[0] = '/';
		memset(end + 1, '\n', n);
		memset(end + 1 + n, 'x', n < 200 ? rest % 4 : 0);
		end[1 + n + (n < 200 ? rest % 4 : 0)] = '\0';
		at += 1 + 4 * n + (n < 200 ? rest % 4 : 0);
		CHECK_EQ(mkdir(path, 0700), 0);
	}
	CHECK_EQ(at, length);
}

/* The end of the line, after a buffer of 8 KiB, looks like a complete line. */
TEST(a_line_that_is_too_long_hides_no_other_and_is_none_by_half)
{
	char dir[] = "/tmp/syscap-describe-XXXXXX", path[4096];
	struct told told = { 0 }, before = { 0 };

	CHECK(tell_maps(&before));
	memset(&described, 0, sizeof(described));
	CHECK(mkdtemp(dir) != NULL);
	strcpy(path, dir);
	grow_path(path, 8191);
	strcat(path, "/1000-2000 r-xp 00000000 00:00 0 [vdso]");
	const int fd = copy_program(path);
	void *const at = map_code(fd, NULL);
	CHECK(tell_maps(&told));
	CHECK(find(&told, at) == NULL);
	CHECK_EQ(told.n, before.n);
	CHECK_EQ(memcmp(told.bytes, before.bytes, before.size), 0);

	close(fd);
	CHECK_EQ(unlink(path), 0);
	for (*strrchr(path, '/') = '\0'; strcmp(path, dir) != 0;
	     *strrchr(path, '/') = '\0')
		CHECK_EQ(rmdir(path), 0);
	CHECK_EQ(rmdir(dir), 0);
	forget(&told);
	forget(&before);
}

static void *describe_alone(void *unused)
{
	static char cmdline[1024] = "there";
	struct told told = { 0 };

	(void)unused;
	/* Waits until /proc/PID has no command line: the main thread has
	 * ended */
	while (cmdline[0] != '\0') {
		poll(NULL, 0, 1);
		CHECK_EQ(syc_procfs_cmdline(getpid(), cmdline, sizeof(cmdline)),
		         0);
	}
	CHECK(tell_maps(&told));
	CHECK(told.n >= 3);
	forget(&told);
	CHECK(syc_describe_process(getpid(), 4711, take, &told));
	CHECK(strstr((const char *)told.bytes + 24, "process_frames") != NULL);
	forget(&told);
	_exit(0);
}

TEST(a_process_without_its_main_thread_is_described)
{
	pthread_t thread;
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		CHECK_EQ(pthread_create(&thread, NULL, describe_alone, NULL),
		         0);
		pthread_exit(NULL);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* ------------------------------------------------------------ command line */

TEST(the_command_line_equals_the_recorders)
{
	static union syc_frame_buffer frame;
	char cmdline[1000];
	struct told told = { 0 };

	CHECK_EQ(syc_procfs_cmdline(getpid(), cmdline, sizeof(cmdline)), 0);
	CHECK(syc_describe_process(getpid(), 4711, take, &told));
	CHECK_EQ(syc_compose_process(&frame, getpid(), 0, cmdline), told.size);
	CHECK_EQ(memcmp(&frame, told.bytes, told.size), 0);
	forget(&told);
}

CHILD(has_long_arguments)
{
	struct told told = { 0 };
	char *text;

	CHECK(syc_describe_process(getpid(), 4711, take, &told));
	text = (char *)told.bytes + 24;
	CHECK_EQ(memcmp(text, "a b c", 5), 0);
	CHECK_EQ(strlen(text), atoi(peer_arg()));
	CHECK_EQ(memcmp(text + strlen(text) - 2, "\xC3\xA9", 3), 0);
	CHECK_EQ(told.size, 24 + 1024);
	CHECK_EQ(text[1023], 0);
	forget(&told);
}

static void run_with_arguments(const char *second, const char *expected)
{
	char third[4001] = "";
	int status;

	for (unsigned i = 0; i < 4000; i += 2)
		memcpy(third + i, "\xC3\xA9", 3);
	const pid_t pid = fork();
	if (pid == 0) {
		setenv("SYSCAP_TEST_CHILD", "has_long_arguments", 1);
		setenv("SYSCAP_TEST_ARG", expected, 1);
		execl("/proc/self/exe", "a", second, third, NULL);
		_exit(98);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* The cut is at 1,023 bytes, in the first case within a character. */
TEST(a_long_command_line_is_cut_between_characters)
{
	run_with_arguments("b c", "1022");
	run_with_arguments("b c.", "1023");
}

static bool refuse(void *data, const void *frame, uint32_t len)
{
	(void)data;
	(void)frame;
	(void)len;
	return false;
}

TEST(an_unreadable_command_line_is_reported)
{
	CHECK(!syc_describe_process(getpid(), 4711, refuse, NULL));
}

TEST(without_proc_a_process_has_a_name_and_no_mappings)
{
	char dir[] = "/tmp/syscap-describe-XXXXXX", name[32];
	struct told told = { 0 };
	int status;

	CHECK(mkdtemp(dir) != NULL);
	const pid_t pid = fork();
	if (pid == 0) {
		if (chroot(dir) != 0 &&
		    (unshare(CLONE_NEWUSER) != 0 || chroot(dir) != 0))
			_exit(77);
		CHECK(tell_maps(&told));
		CHECK_EQ(told.n, 0);
		CHECK(syc_describe_process(getpid(), 4711, take, &told));
		snprintf(name, sizeof(name), "[pid %d]", (int)getpid());
		CHECK_STR((const char *)told.bytes + 24, name);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(rmdir(dir), 0);
	if (status == W_EXITCODE(77, 0))
		SKIP("chroot() needs privileges here");
	CHECK_EQ(status, 0);
}
