/* SPDX-License-Identifier: BSD-2-Clause */
/* test_record_sample.c - sampled programs without instrumentation. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "integration/record_sample_names.h"
#include "integration/recording.h"

static struct recording recording;

static const char *const spin[] = { "spin_inner", "spin_middle", "spin_outer",
	                            "main", NULL };
static const char *const nothing[] = { NULL };

static const char *in_dir(const char *name)
{
	static char paths[8][128];
	static unsigned next;
	char *const path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", recording.dir, name);
	return path;
}

static bool exists(const void *path)
{
	return access(path, F_OK) == 0;
}

static void copy(const char *from, const char *to)
{
	char *command;

	CHECK(asprintf(&command, "cp '%s' '%s'", from, to) > 0);
	CHECK_EQ(system(command), 0);
	free(command);
}

static void touch(const char *path)
{
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void check_said(const char *text)
{
	if (strstr(recording.messages, text) == NULL)
		test_fail(__FILE__, __LINE__, "'%s' is not in: %s", text,
		          recording.messages);
}

static void read_text(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	CHECK(fd >= 0);
	n = read(fd, text, size - 1);
	CHECK(n >= 0);
	text[n] = 0;
	close(fd);
}

/* ASan must be the first library, or it ends the program. */
static void need_preloading(void)
{
	if (test_is_sanitized())
		SKIP("sanitized programs do not start with a library "
		     "preloaded");
}

TEST(the_command_and_its_children_get_the_rate_and_the_library)
{
	static const char script[] =
		"echo $SYSCAP_SAMPLE $LD_PRELOAD >\"$0\";"
		"sh -c 'echo $SYSCAP_SAMPLE >>\"$0\"' \"$0\"";
	char text[4096];

	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--sample=250,wall", "sh", "-c",
	                       script, in_dir("said"), NULL),
	         0);
	read_text(in_dir("said"), text, sizeof(text));
	CHECK(strncmp(text, "250,wall /", 10) == 0);
	CHECK(strstr(text, "/libsyscap-io.so\n250,wall\n") != NULL);
	CHECK_EQ(recording_run(&recording, "--sample", "sh", "-c", script,
	                       in_dir("said"), NULL),
	         0);
	read_text(in_dir("said"), text, sizeof(text));
	CHECK(strncmp(text, "1000,auto /", 11) == 0);
	unlink(in_dir("said"));
	recording_free(&recording);
}

TEST(earlier_preloaded_libraries_stay_after_the_sampler)
{
	char text[4096];

	need_preloading();
	recording_init(&recording);
	setenv("LD_PRELOAD", "libc.so.6", 1);
	CHECK_EQ(recording_run(&recording, "--sample=wall", "sh", "-c",
	                       "echo $SYSCAP_SAMPLE $LD_PRELOAD >\"$0\"",
	                       in_dir("said"), NULL),
	         0);
	unsetenv("LD_PRELOAD");
	read_text(in_dir("said"), text, sizeof(text));
	CHECK(strncmp(text, "1000,wall /", 11) == 0);
	CHECK(strstr(text, "/libsyscap-io.so:libc.so.6\n") != NULL);
	unlink(in_dir("said"));
	recording_free(&recording);
}

TEST(a_rate_or_clock_that_makes_no_sense_is_status_2)
{
	static const char *const wrong[] = { "--sample=0",
		                             "--sample=20001",
		                             "--sample=99999999999999999999",
		                             "--sample=100x",
		                             "--sample=100,",
		                             "--sample=",
		                             "--sample=100,sun" };

	recording_init(&recording);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQ(recording_run(&recording, wrong[i], "true", NULL), 2);
	CHECK(!exists(recording.path));
	recording_free(&recording);
}

TEST(a_rate_behind_a_blank_is_no_command_but_behind_dashes_it_is)
{
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--sample", "1000", "true", NULL),
	         2);
	CHECK_EQ(recording_run(&recording, "--sample", "99,wall", "true", NULL),
	         2);
	CHECK_EQ(recording_run(&recording, "--sample", "--", "1000", NULL),
	         127);
	recording_free(&recording);
}

TEST(without_the_library_nothing_is_run)
{
	recording_init(&recording);
	setenv("SYSCAP_PRELOAD_DIR", recording.dir, 1);
	CHECK_EQ(recording_run(&recording, "--sample", "touch",
	                       in_dir("touched"), NULL),
	         125);
	unsetenv("SYSCAP_PRELOAD_DIR");
	check_said("libsyscap-sampler.so is not in the directory ");
	CHECK(!exists(in_dir("touched")));
	CHECK(!exists(recording.path));
	recording_free(&recording);
}

/* A program without a loader that does nothing: exit(0). */
static void make_static(const char *path)
{
#ifdef __x86_64__
	static const unsigned char code[] = { 0x31, 0xff, 0xb8, 60,  0,
		                              0,    0,    0x0f, 0x05 };
	const Elf64_Half machine = EM_X86_64;
#else
	static const uint32_t code[] = { 0xd2800000, 0xd2800ba8, 0xd4000001 };
	const Elf64_Half machine = EM_AARCH64;
#endif
	const Elf64_Addr base = 0x400000;
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		unsigned char code[16];
	} file = {
		.header = { .e_ident = ELFMAG,
		            .e_type = ET_EXEC,
		            .e_machine = machine,
		            .e_version = EV_CURRENT,
		            .e_entry = base + 64 + 56,
		            .e_phoff = 64,
		            .e_ehsize = 64,
		            .e_phentsize = 56,
		            .e_phnum = 1 },
		.segment = { .p_type = PT_LOAD,
		             .p_flags = PF_R | PF_X,
		             .p_vaddr = base,
		             .p_filesz = sizeof(file),
		             .p_memsz = sizeof(file),
		             .p_align = 4096 },
	};
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	file.header.e_ident[EI_CLASS] = ELFCLASS64;
	file.header.e_ident[EI_DATA] = ELFDATA2LSB;
	file.header.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(file.code, code, sizeof(code));
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, &file, sizeof(file)), sizeof(file));
	close(fd);
}

TEST(a_static_program_runs_with_a_note_of_no_samples)
{
	const char *path;

	recording_init(&recording);
	path = in_dir("program");
	make_static(path);
	CHECK_EQ(recording_run(&recording, "--sample", path, NULL), 0);
	check_said("/program is statically linked\n");
	unlink(path);
	recording_free(&recording);
}

TEST(a_set_user_id_program_runs_with_a_note_of_no_samples)
{
	const char *path;

	if (getuid() != 0)
		SKIP("only root can make a program of another user");
	need_preloading();
	recording_init(&recording);
	path = in_dir("program");
	copy("/bin/true", path);
	CHECK_EQ(chown(path, 65534, 65534), 0);
	CHECK_EQ(chmod(path, 04755), 0);
	CHECK_EQ(chmod(recording.dir, 0755), 0);
	CHECK_EQ(recording_run(&recording, "--sample", path, NULL), 0);
	check_said("/program is set-user-ID\n");
	unlink(path);
	recording_free(&recording);
}

/* Checks that nearly all stacks have the wanted names.  One stack may be from
 * before main(). */
static void check_found(const struct names *names)
{
	if (names->n_found == 0 ||
	    (names->n_found + 1) * 10 < names->n_samples * 9)
		test_fail(__FILE__, __LINE__,
		          "%zu samples, %zu of them with the names",
		          names->n_samples, names->n_found);
}

/*
 * Checks that the spinning program was sampled a thousand times a second for
 * @ms of its processor time.  Ticks count, not samples: if other programs use
 * the processor for a while, one sample represents all missed ticks.
 */
static void check_ticks(const struct names *names, uint64_t ms)
{
	check_found(names);
	if (names->weight * 3 < ms * 2)
		test_fail(__FILE__, __LINE__,
		          "%zu samples of %" PRIu64 " ticks in %" PRIu64 " ms",
		          names->n_samples, names->weight, ms);
}

TEST(stacks_reach_from_the_function_to_main_and_have_names)
{
	struct names names;

	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--sample",
	                       recording_program("record_sample_spin"), "300",
	                       NULL),
	         0);
	names_look(recording.path, 0, spin, &names);
	check_ticks(&names, 300);
	CHECK(names.weight <= 400);
	CHECK(names.n_stopped * 50 <= names.n_samples + 49);
	/* stacks have seven frames, of which one is in libc and has a name only
	 * with libc6-dbg */
	CHECK(names.n_named * 10 >= names.n_addrs * 8);
	recording_free(&recording);
}

TEST(names_can_be_left_out)
{
	struct names names;

	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--sample", "--no-symbols",
	                       recording_program("record_sample_spin"), "100",
	                       NULL),
	         0);
	names_look(recording.path, 0, nothing, &names);
	CHECK(names.n_samples > 0);
	CHECK_EQ(names.table_size, 0);
	recording_free(&recording);
}

/* Run a copy of the program, and call @change with its path during the run. */
static void record_while(void (*change)(const char *path))
{
	const char *path = in_dir("program"), *half = in_dir("half"),
		   *go = in_dir("go");
	struct names names;

	copy(recording_program("record_sample_spin"), path);
	recording_start(&recording, "--sample", path, "200", half, go, NULL);
	CHECK(recording_wait(exists, half));
	change(path);
	touch(go);
	CHECK_EQ(recording_finish(&recording), 0);
	names_look(recording.path, 0, spin, &names);
	check_ticks(&names, 200);
	unlink(path);
	unlink(half);
	unlink(go);
}

static void remove_it(const char *path)
{
	CHECK_EQ(unlink(path), 0);
}

static void replace_it(const char *path)
{
	char other[160];

	snprintf(other, sizeof(other), "%s.new", path);
	copy(recording_program("record_sample_other"), other);
	CHECK_EQ(rename(other, path), 0);
}

TEST(a_program_that_is_deleted_meanwhile_keeps_its_names)
{
	need_preloading();
	recording_init(&recording);
	record_while(remove_it);
	recording_free(&recording);
}

TEST(a_program_that_is_rebuilt_meanwhile_keeps_its_own_names)
{
	static const char *const other[] = { "other_inner", NULL };
	struct names names;

	need_preloading();
	recording_init(&recording);
	record_while(replace_it);
	names_look(recording.path, 0, other, &names);
	CHECK_EQ(names.n_found, 0);
	recording_free(&recording);
}

/* Checks that in most samples @name is the innermost function, except for its
 * callees. */
static void check_code(const char *argument, const char *name)
{
	const char *const wanted[] = { name, "main", NULL };
	struct names names;
	int status;

	status = recording_run(&recording, "--sample",
	                       recording_program("record_sample_code"),
	                       argument, NULL);
	if (status == 77)
		SKIP("code cannot be made or loaded here");
	CHECK_EQ(status, 0);
	names_look(recording.path, 0, wanted, &names);
	CHECK(names.n_samples >= 5);
	if (names.n_found * 10 < names.n_samples * 8)
		test_fail(__FILE__, __LINE__, "%zu of %zu samples have %s",
		          names.n_found, names.n_samples, name);
}

TEST(code_that_a_jit_made_has_the_names_of_its_perf_map)
{
	char name[64];
	int32_t pid;

	need_preloading();
	recording_init(&recording);
	check_code("jit", "made_by_a_jit");
	CHECK_EQ(names_processes(recording.path, "record_sample_code", &pid),
	         1);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)pid);
	unlink(name);
	recording_free(&recording);
}

TEST(a_library_that_is_loaded_for_a_moment_has_names)
{
	need_preloading();
	recording_init(&recording);
	check_code(recording_program("record_sample_plugin.so"),
	           "record_sample_plugin");
	recording_free(&recording);
}

TEST(too_many_files_to_keep_open_are_reported)
{
	/* The recorder keeps a quarter of its fds, 16, for mapped
	 * files; sh, libc and so on take a few. */
	const struct rlimit files = { 64, 64 };
	const unsigned n = 20;
	struct names names;
	char name[16];

	need_preloading();
	recording_init(&recording);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		copy(recording_program("record_sample_spin"), in_dir(name));
	}
	CHECK_EQ(recording_run(&recording, "--sample", "sh", "-c",
	                       "for p in \"$0\"/p*; do \"$p\" 50; done",
	                       recording.dir, NULL),
	         0);
	check_said(" mapped files open");
	/* The files still have their paths, so their functions have names. */
	names_look(recording.path, 0, spin, &names);
	CHECK(names.weight >= n);
	CHECK(names.n_found * 10 >= names.n_samples * 8);
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		unlink(in_dir(name));
	}
	recording_free(&recording);
}

TEST(every_process_of_a_tree_is_sampled)
{
	static const char script[] =
		"for i in 1 2 3; do \"$0\" 100 & \"$0\" 100; done; wait";
	int32_t pid;

	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--sample", "sh", "-c", script,
	                       recording_program("record_sample_spin"), NULL),
	         0);
	CHECK(names_sampled_processes(recording.path) >= 6);
	CHECK(names_processes(recording.path, "record_sample_spin", &pid) >= 6);
	recording_free(&recording);
}

TEST(a_program_with_a_sampler_of_its_own_is_sampled_by_that)
{
	struct names names;
	char text[256];

	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--sample",
	                       recording_program("record_sample_linked"),
	                       in_dir("said"), NULL),
	         0);
	read_text(in_dir("said"), text, sizeof(text));
	/* number of samples of the program's own sampler */
	CHECK(atoi(text) > 0);
	names_look(recording.path, 0, nothing, &names);
	CHECK(names.n_samples >= (size_t)atoi(text));
	CHECK(names.n_samples <= (size_t)atoi(text) + 2);
	recording_free(&recording);
}

static pid_t command_pid(void)
{
	char name[64], text[64];

	snprintf(name, sizeof(name), "/proc/%d/task/%d/children", recording.pid,
	         recording.pid);
	read_text(name, text, sizeof(text));
	return (pid_t)atoi(text);
}

/* The process has ended, perhaps as a zombie, as no process may be waiting for
 * it. */
static bool has_ended(const void *arg)
{
	char name[64], text[512];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/stat", *(const pid_t *)arg);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n <= 0 || strstr(text, ") Z ") != NULL;
}

TEST(the_samples_of_a_killed_command_have_names)
{
	struct names names;

	need_preloading();
	recording_init(&recording);
	recording_start(&recording, "--sample",
	                recording_program("record_sample_spin"), "200",
	                in_dir("half"), in_dir("never"), NULL);
	CHECK(recording_wait(exists, in_dir("half")));
	CHECK_EQ(kill(command_pid(), SIGKILL), 0);
	CHECK_EQ(recording_finish(&recording), 128 + SIGKILL);
	names_look(recording.path, 0, spin, &names);
	/* No sample represents the ticks missed just before the kill */
	check_found(&names);
	unlink(in_dir("half"));
	recording_free(&recording);
}

static bool is_no_sampler(const struct syscap_frame *frame, const void *arg)
{
	(void)arg;
	return frame->type == SYSCAP_FRAME_METADATA &&
	       strcmp(frame->metadata.id, "syscap.sampler") == 0 &&
	       strncmp(frame->metadata.value, "none:", 5) == 0;
}

TEST(programs_without_a_sampler_are_reported_if_samples_were_requested)
{
	const char *const program = recording_program("record_sample_marks");

	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--", program, NULL), 0);
	CHECK(strstr(recording.messages, "no linked sampler") == NULL);
	setenv("SYSCAP_SAMPLE", "1000", 1);
	CHECK_EQ(recording_run(&recording, "--", program, NULL), 0);
	check_said("1 process has no linked sampler; use --sample\n");
	CHECK_EQ(recording_count_type(&recording, SYSCAP_FRAME_SAMPLE), 0);
	recording_check_good(&recording, 1);
	CHECK_EQ(recording_run(&recording, "--", "/bin/sh", "-c",
	                       "\"$0\"; \"$0\"", program, NULL),
	         0);
	check_said("2 processes have no linked sampler; use --sample\n");
	recording_free(&recording);
}

TEST(silent_sampler_is_not_reported_as_missing)
{
	setenv("SYSCAP_SAMPLE", "no number", 1);
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--",
	                       recording_program("record_sample_marks_sampler"),
	                       NULL),
	         0);
	CHECK(strstr(recording.messages, "no linked sampler") == NULL);
	CHECK_EQ(recording_count_type(&recording, SYSCAP_FRAME_SAMPLE), 0);
	recording_check_good(&recording, 1);
	recording_free(&recording);
}

TEST(a_program_that_only_emits_is_sampled_where_it_links_the_sampler)
{
	setenv("SYSCAP_SAMPLE", "1000", 1);
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--",
	                       recording_program("record_sample_marks_sampler"),
	                       NULL),
	         0);
	CHECK(strstr(recording.messages, "no linked sampler") == NULL);
	CHECK_EQ(recording_count(&recording, is_no_sampler, NULL), 0);
	CHECK(recording_count_type(&recording, SYSCAP_FRAME_SAMPLE) > 0);
	recording_free(&recording);
}

TEST(a_program_that_only_emits_is_sampled_by_the_preloaded_library)
{
	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--sample", "--",
	                       recording_program("record_sample_marks"), NULL),
	         0);
	CHECK(strstr(recording.messages, "no linked sampler") == NULL);
	CHECK_EQ(recording_count(&recording, is_no_sampler, NULL), 0);
	CHECK(recording_count_type(&recording, SYSCAP_FRAME_SAMPLE) > 0);
	recording_free(&recording);
}

TEST(a_library_that_is_loaded_later_brings_a_sampler_for_children_too)
{
	setenv("SYSCAP_SAMPLE", "1000", 1);
	recording_init(&recording);
	CHECK_EQ(recording_run(
			 &recording, "--",
			 recording_program("record_sample_marks"),
			 recording_program("record_sample_plugin_sampler.so"),
			 NULL),
	         0);
	CHECK(strstr(recording.messages, "no linked sampler") == NULL);
	CHECK_EQ(recording_count(&recording, is_no_sampler, NULL), 0);
	CHECK(recording_count_type(&recording, SYSCAP_FRAME_SAMPLE) > 0);
	recording_check_good(&recording, 2);
	recording_free(&recording);
}

TEST(a_sampler_takes_over_without_a_signal_that_the_program_handles)
{
	need_preloading();
	recording_init(&recording);
	CHECK_EQ(recording_run(
			 &recording, "--sample", "--",
			 recording_program("sample_taken_over"),
			 recording_program("record_sample_plugin_sampler.so"),
			 NULL),
	         0);
	CHECK(strstr(recording.messages, "sampling is off") == NULL);
	recording_free(&recording);
}

TEST(the_last_sampler_metadata_counts_in_any_order_of_rings)
{
	setenv("SYSCAP_SAMPLE", "1000", 1);
	recording_init(&recording);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(recording_run(&recording, "--",
		                       recording_program("record_sample_facts"),
		                       i == 0 ? "main" : "thread", NULL),
		         0);
		CHECK(strstr(recording.messages, "no linked sampler") == NULL);
		CHECK_EQ(recording_count(&recording, is_no_sampler, NULL), 1);
	}
	recording_free(&recording);
}

TEST(a_killed_recorder_leaves_whole_samples_and_the_command_in_peace)
{
	struct names names;
	pid_t command;
	int status;

	need_preloading();
	recording_init(&recording);
	recording_start(&recording, "--sample",
	                recording_program("record_sample_spin"), "200",
	                in_dir("half"), in_dir("go"), NULL);
	CHECK(recording_wait(exists, in_dir("half")));
	command = command_pid();
	CHECK(command > 0);
	CHECK_EQ(kill(recording.pid, SIGKILL), 0);
	CHECK_EQ(waitpid(recording.pid, &status, 0), recording.pid);
	CHECK_EQ(kill(command, 0), 0);
	touch(in_dir("go"));
	CHECK(recording_wait(has_ended, &command));
	names_look(recording.path, 0, nothing, &names);
	CHECK(names.weight >= 5);
	CHECK_EQ(names.table_size, 0);
	unlink(in_dir("half"));
	unlink(in_dir("go"));
	unlink(in_dir("messages"));
	recording_free(&recording);
}
