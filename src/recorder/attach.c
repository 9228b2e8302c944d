/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attach.c - recordings of processes that run already, and that accept
 * recorders: the memory of the process, request and end.
 *
 * The request is in the block that the process's copies of the library share.
 * The recorder finds the block by the ELF notes of the copies (docs/copies.md),
 * and reads and writes the process's memory by process_vm_readv() and
 * process_vm_writev().  session/own_recording.c is the other side.
 *
 * A store into another process may be torn.  So the recorder changes only one
 * byte of a word that the process may read.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/elf_note.h"
#include "base/text.h"
#include "capture/recover.h"
#include "capture/ring_file_reader.h"
#include "common/now.h"
#include "common/strings.h"
#include "copies/copies.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "recorder/recording.h"

#define MS           INT64_C(1000000)
#define SEGMENTS_MAX 64u
#define NOTES_MAX    4096u
/* Longest wait for events in progress, and for the answer of a process with
 * many events. */
#define EMITS_NS  (1000 * MS)
#define ANSWER_NS (200 * MS)

static bool read_memory(int32_t pid, uint64_t at, void *to, size_t size)
{
	const struct iovec here = { to, size };
	const struct iovec there = { (void *)(uintptr_t)at, size };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static bool write_memory(int32_t pid, uint64_t at, const void *from,
                         size_t size)
{
	const struct iovec here = { syc_unconst(from), size };
	const struct iovec there = { (void *)(uintptr_t)at, size };

	return process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* ------------------------------------------------------------- the block */

/* Copies in the memory of a process. */
struct search {
	int32_t pid;
	unsigned n_copies, n_others; /* of this version, of other versions */
	uint64_t block;              /* address; 0: none */
};

static void take_note(struct search *search, uint64_t at, int32_t distance)
{
	struct syc_copy_words words;

	if (!read_memory(search->pid, at + (uint64_t)(int64_t)distance, &words,
	                 sizeof(words)) ||
	    words.magic != SYC_COPY_WORDS_MAGIC)
		return;
	if (words.number != SYC_COPIES_NUMBER) {
		search->n_others++;
		return;
	}
	search->n_copies++;
	if (words.block != NULL)
		search->block = (uintptr_t)words.block;
}

static void search_notes(struct search *search, uint64_t begin, uint64_t size,
                         uint64_t align)
{
	unsigned char notes[NOTES_MAX];
	uint64_t at = 0;

	if (size > sizeof(notes))
		size = sizeof(notes);
	if (!read_memory(search->pid, begin, notes, size))
		return;
	while (size - at >= SYC_ELF_NOTE_HEADER) {
		struct syc_elf_note note;
		uint32_t words[3];
		int32_t value;

		memcpy(words, notes + at, sizeof(words));
		if (!syc_elf_note_at(size, align, at, words, &note))
			return;
		if (note.type == SYC_COPY_NOTE_TYPE &&
		    note.value_size == sizeof(value) &&
		    note.name_size == sizeof(SYC_NOTE_NAME) &&
		    memcmp(notes + note.name, SYC_NOTE_NAME,
		           sizeof(SYC_NOTE_NAME)) == 0) {
			memcpy(&value, notes + note.value, sizeof(value));
			take_note(search, begin + note.value, value);
		}
		at = note.next;
	}
}

/* Search the object whose first byte @map maps. */
static void search_object(void *context, const struct syc_procfs_map *map)
{
	struct search *const search = context;
	Elf64_Phdr segments[SEGMENTS_MAX];
	Elf64_Ehdr header;
	uint64_t bias = 0;

	if (map->offset != 0 || map->path[0] != '/' ||
	    !read_memory(search->pid, map->start, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(segments[0]) ||
	    header.e_phnum > SEGMENTS_MAX ||
	    !read_memory(search->pid, map->start + header.e_phoff, segments,
	                 header.e_phnum * sizeof(segments[0])))
		return;
	for (unsigned i = 0; i < header.e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0)
			bias = map->start - segments[i].p_vaddr;
	for (unsigned i = 0; i < header.e_phnum; i++)
		if (segments[i].p_type == PT_NOTE)
			search_notes(search, bias + segments[i].p_vaddr,
			             segments[i].p_filesz, segments[i].p_align);
}

static uint64_t attach_at(uint64_t block)
{
	return block + offsetof(struct syc_block, attach);
}

static bool read_attach(int32_t pid, uint64_t block,
                        struct syc_attach *ret_attach)
{
	return read_memory(pid, attach_at(block), ret_attach,
	                   sizeof(*ret_attach));
}

static bool read_active(int32_t pid, uint64_t block, int32_t *ret_active)
{
	return read_memory(pid, block + offsetof(struct syc_block, active),
	                   ret_active, sizeof(*ret_active));
}

/* Returns NULL, or the reason why the process can't be attached to. */
static const char *find_block(int32_t pid, uint64_t *ret_block,
                              struct syc_attach *ret_attach)
{
	struct search search = { .pid = pid };
	struct stat st, own;
	char path[64];
	uint64_t word;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &st) != 0)
		return "the process does not exist; syscap ps lists processes";
	if (st.st_uid != geteuid())
		return "the process belongs to another user";
	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	if (stat(path, &st) == 0 && stat("/proc/self/ns/pid", &own) == 0 &&
	    (st.st_ino != own.st_ino || st.st_dev != own.st_dev))
		return "the process is in another pid namespace, such as a "
		       "container's: run syscap there";
	errno = 0;
	(void)read_memory(pid, 0, &word, sizeof(word));
	if (errno == EPERM || errno == EACCES)
		return "the kernel does not permit access to the process's "
		       "memory; check the sysctl kernel.yama.ptrace_scope";
	if (syc_procfs_maps(pid, search_object, &search) != 0)
		return "the mappings of the process are unreadable";
	if (search.n_copies == 0)
		return search.n_others != 0
		               ? "the program has another version of syscap's "
		                 "library"
		               : "the program does not use syscap's library";
	if (search.block == 0 || !read_attach(pid, search.block, ret_attach) ||
	    ret_attach->is_allowed != 1)
		return "the program accepts no recorder: start it with "
		       "SYSCAP_ATTACH=1";
	*ret_block = search.block;
	return NULL;
}

/* Number of seccomp filters of a thread; before Linux 5.9 only 0, or 2 for any
 * number.  Strict mode counts as many. */
static int count_filters(const char *status)
{
	const char *const n = strstr(status, "\nSeccomp_filters:");
	const char *const mode = strstr(status, "\nSeccomp:");
	const int is = mode != NULL ? atoi(mode + sizeof("\nSeccomp:") - 1) : 0;

	if (is == 1)
		return INT_MAX;
	return n != NULL ? atoi(n + sizeof("\nSeccomp_filters:") - 1) : is;
}

/*
 * Return whether a thread has a seccomp filter that came after the program
 * allowed recordings.  Such a filter may kill the process for the system calls
 * of a recording.
 */
static bool is_filtered(int32_t pid, const struct syc_attach *attach)
{
	char path[64], status[4096];
	struct dirent *entry;
	bool is = false;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *const dir = opendir(path);
	while (dir != NULL && !is && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "task/%d/status",
		         atoi(entry->d_name));
		is = entry->d_name[0] != '.' &&
		     syc_text_file_read_proc(pid, path, status,
		                             sizeof(status)) > 0 &&
		     count_filters(status) > attach->n_filters;
	}
	if (dir != NULL)
		closedir(dir);
	return is;
}

/* Change the only byte of the word that differs. */
static bool store_state(int32_t pid, uint64_t block, uint32_t state)
{
	const uint8_t byte = (uint8_t)state;

	return write_memory(
		pid, attach_at(block) + offsetof(struct syc_attach, state),
		&byte, 1);
}

/* Make the next event of each copy check the state. */
static void call_attention(int32_t pid, uint64_t block)
{
	const uint8_t byte = SYC_ATTENTION_BYTE;
	struct syc_copy copies[SYC_COPIES_MAX];
	uint32_t n;

	if (!read_memory(pid, block + offsetof(struct syc_block, n_copies), &n,
	                 sizeof(n)) ||
	    !read_memory(pid, block + offsetof(struct syc_block, copies),
	                 copies, sizeof(copies)))
		return;
	for (uint32_t i = 0; i < n && i < SYC_COPIES_MAX; i++)
		if (copies[i].active != NULL)
			(void)write_memory(pid, (uintptr_t)copies[i].active + 3,
			                   &byte, 1);
}

/* ------------------------------------------------------------ the request */

struct attached {
	int32_t pid;
	uint64_t block; /* 0: the process was not attached to */
	char *path;     /* capture of the process */
	char who[32];
	struct syc_traced_file file;
};

struct syc_attached {
	unsigned n;
	struct attached processes[SYC_ATTACH_MAX];
};

static void report(const struct attached *attached, const char *text)
{
	fprintf(stderr, "syscap record: --pid: process %d: %s\n", attached->pid,
	        text);
}

/* Choose the capture of the process, beside @output. */
static char *choose_path(const char *output, int32_t pid)
{
	char *copy = strdup(output), *path = NULL;
	char *const slash = copy != NULL ? strrchr(copy, '/') : NULL;
	const char *const name = slash != NULL ? slash + 1 : copy;

	if (copy == NULL)
		return NULL;
	char *const dir = realpath(slash == NULL   ? "."
	                           : slash == copy ? "/"
	                                           : (*slash = '\0', copy),
	                           NULL);
	for (unsigned i = 1; dir != NULL && i < 1000; i++) {
		free(path);
		if (asprintf(&path, i == 1 ? "%s/%s.pid-%d" : "%s/%s.pid-%d.%u",
		             dir, name, pid, i) < 0) {
			path = NULL;
			break;
		}
		if (access(path, F_OK) != 0)
			break;
	}
	free(dir);
	free(copy);
	return path;
}

/* Write @path in the form of syscap_start().  Returns false if the path is too
 * long. */
static bool escape_path(const char *path, char *to, size_t size)
{
	size_t n = 0;

	for (; *path != '\0' && n + 3 < size; path++) {
		if (*path == '%')
			to[n++] = '%';
		to[n++] = *path;
	}
	to[n] = '\0';
	return *path == '\0';
}

/*
 * Return whether the process records.  A process that emits no events does not
 * detect that its recorder has detached or was killed.
 */
static bool is_recorded(const struct syc_attach *attach, int32_t active)
{
	struct syc_procfs_identity recorder;

	if (active == 0 || attach->state == SYC_ATTACH_OVER ||
	    attach->state == SYC_ATTACH_READ)
		return false;
	return attach->state != SYC_ATTACH_RUNNING ||
	       (syc_procfs_identity(attach->recorder, &recorder) == 0 &&
	        recorder.state != 'Z' &&
	        recorder.start_time == attach->recorder_start);
}

static const char *post_request(struct attached *attached,
                                struct syc_attach *attach, unsigned ring_kib)
{
	struct syc_procfs_identity self;
	int32_t active;

	if (!read_active(attached->pid, attached->block, &active))
		return "the process has ended";
	if (is_filtered(attached->pid, attach))
		return "a seccomp filter may forbid the system calls of a "
		       "recording";
	if (is_recorded(attach, active))
		return "the process is being recorded already";
	if (attach->state == SYC_ATTACH_REQUESTED &&
	    attach->recorder != getpid() && kill(attach->recorder, 0) == 0)
		return "another recorder is waiting for the process";
	if (!escape_path(attached->path, attach->path, sizeof(attach->path)))
		return "the name of the output is too long";
	if (syc_procfs_identity(getpid(), &self) != 0)
		return "/proc is unreadable";
	attach->pid = attached->pid;
	attach->recorder = getpid();
	attach->recorder_start = self.start_time;
	attach->ring_kib = ring_kib;
	const size_t begin = offsetof(struct syc_attach, pid);
	if (!write_memory(attached->pid, attach_at(attached->block) + begin,
	                  (char *)attach + begin, sizeof(*attach) - begin) ||
	    !store_state(attached->pid, attached->block, SYC_ATTACH_REQUESTED))
		return "the kernel does not permit writes to the process's "
		       "memory";
	call_attention(attached->pid, attached->block);
	return NULL;
}

/* Print the reason of the process. */
static void report_failure(const struct attached *attached)
{
	char text[160] = "";
	uint64_t at;

	if (!read_memory(attached->pid,
	                 attached->block + offsetof(struct syc_block, reason),
	                 &at, sizeof(at)))
		return;
	for (size_t i = 0; i + 1 < sizeof(text); i++)
		if (!read_memory(attached->pid, at + i, text + i, 1) ||
		    text[i] == '\0')
			break;
	text[sizeof(text) - 1] = '\0';
	report(attached, text);
}

static void pause_for(int64_t ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* Wait shortly until the process begins or refuses.  Returns its state. */
static uint32_t wait_for_answer(const struct attached *attached)
{
	const int64_t end = syc_now() + ANSWER_NS;
	struct syc_attach attach = { .state = SYC_ATTACH_REQUESTED };

	while (read_attach(attached->pid, attached->block, &attach) &&
	       attach.state == SYC_ATTACH_REQUESTED && syc_now() < end)
		pause_for(5 * MS);
	return attach.state;
}

static bool begin_process(struct attached *attached,
                          const struct syc_record_options *options,
                          struct syc_processes *processes)
{
	struct syc_attach attach;
	const char *why = find_block(attached->pid, &attached->block, &attach);

	snprintf(attached->who, sizeof(attached->who), "process %d",
	         attached->pid);
	attached->file = (struct syc_traced_file){ "syscap-pid", "--pid",
		                                   attached->who, -1 };
	attached->path = choose_path(options->output, attached->pid);
	if (why == NULL && attached->path == NULL)
		why = "no memory";
	if (why == NULL)
		why = post_request(attached, &attach, options->attach_ring_kib);
	if (why != NULL) {
		attached->block = 0;
		report(attached, why);
		return false;
	}
	switch (wait_for_answer(attached)) {
	case SYC_ATTACH_FAILED:
		report_failure(attached);
		attached->block = 0;
		return false;
	case SYC_ATTACH_REQUESTED:
		if (!options->quiet)
			report(attached, "waiting for its next event");
		break;
	}
	(void)syc_processes_see(processes, attached->pid);
	syc_processes_meet(processes, attached->pid, syc_now(), NULL);
	return true;
}

int syc_attach_begin(const struct syc_record_options *options,
                     struct syc_processes *processes,
                     struct syc_attached **ret_attached)
{
	struct syc_attached *const all = calloc(1, sizeof(*all));
	unsigned n_begun = 0;

	*ret_attached = all;
	if (all == NULL)
		return -ENOMEM;
	for (; all->n < options->n_pids; all->n++) {
		all->processes[all->n].pid = options->pids[all->n];
		n_begun += begin_process(&all->processes[all->n], options,
		                         processes);
	}
	return (int)n_begun;
}

void syc_attach_repeat(const struct syc_attached *all)
{
	struct syc_attach attach;

	for (unsigned i = 0; all != NULL && i < all->n; i++) {
		const struct attached *const attached = &all->processes[i];

		if (attached->block != 0 &&
		    read_attach(attached->pid, attached->block, &attach) &&
		    attach.state == SYC_ATTACH_REQUESTED &&
		    attach.recorder == getpid())
			call_attention(attached->pid, attached->block);
	}
}

/* ----------------------------------------------------------------- the end */

/* Return whether a thread of the process is inside an event of @epoch. */
static bool has_emits(int32_t pid, uint64_t block, int32_t epoch)
{
	uint64_t states, process;
	uint32_t n;

	if (!read_memory(pid, block + offsetof(struct syc_block, states),
	                 &states, sizeof(states)) ||
	    !read_memory(pid, block + offsetof(struct syc_block, process),
	                 &process, sizeof(process)) ||
	    !read_memory(pid,
	                 process + offsetof(struct syc_process, high_water), &n,
	                 sizeof(n)))
		return false;
	for (uint32_t i = 0; i < n && i < SYC_THREADS_MAX; i++) {
		const uint64_t at = states + i * sizeof(struct syc_state);
		struct syc_thread hot;
		uint32_t phase;

		if (!read_memory(pid, at, &hot,
		                 offsetof(struct syc_thread, pos)) ||
		    !read_memory(pid, at + offsetof(struct syc_state, phase),
		                 &phase, sizeof(phase)))
			return false;
		if (phase == SYC_STATE_ALIVE && hot.owner != 0 &&
		    hot.epoch == epoch)
			return true;
	}
	return false;
}

/* End the recording of a process that lives.  Returns false if the process has
 * ended, runs another program, or has another recording. */
static bool end_living(struct attached *attached, uint32_t *ret_state)
{
	struct syc_recovered recovered;
	struct syscap_error error;
	struct syc_attach attach;
	char path[sizeof(attach.path)];
	uint64_t block;
	int32_t epoch;

	escape_path(attached->path, path, sizeof(path));
	if (find_block(attached->pid, &block, &attach) != NULL ||
	    block != attached->block || strcmp(attach.path, path) != 0 ||
	    !read_active(attached->pid, block, &epoch))
		return false;
	*ret_state = attach.state;
	if (!store_state(attached->pid, block, SYC_ATTACH_OVER))
		return false;
	call_attention(attached->pid, block);
	/* The process may have begun after the first check */
	(void)read_active(attached->pid, block, &epoch);
	const int64_t end = syc_now() + EMITS_NS;
	while (has_emits(attached->pid, block, epoch) && syc_now() < end)
		pause_for(MS);
	const bool is_there = access(attached->path, F_OK) == 0;
	if (is_there && *ret_state == SYC_ATTACH_REQUESTED)
		*ret_state = SYC_ATTACH_RUNNING;
	if (is_there &&
	    syc_recover_from_living(attached->path, &recovered, &error) != 0)
		report(attached, error.message);
	store_state(attached->pid, block, SYC_ATTACH_READ);
	call_attention(attached->pid, block);
	return true;
}

static void end_process(struct attached *attached, bool is_quiet)
{
	uint32_t state = SYC_ATTACH_NOTHING;
	struct syc_recovered recovered;
	struct syscap_error error;

	if (!end_living(attached, &state) &&
	    access(attached->path, F_OK) == 0 &&
	    syc_recover(attached->path, false, &recovered, &error) != 0)
		report(attached, error.message);
	if (state == SYC_ATTACH_FAILED)
		report_failure(attached);
	else if (access(attached->path, F_OK) != 0 && !is_quiet)
		report(attached, "had no event");
	attached->file.fd = open(attached->path, O_RDONLY | O_CLOEXEC);
	attached->block = 0;
}

void syc_attach_end(struct syc_attached *all, bool is_quiet)
{
	for (unsigned i = 0; all != NULL && i < all->n; i++)
		if (all->processes[i].block != 0)
			end_process(&all->processes[i], is_quiet);
}

unsigned syc_attach_count_alive(const struct syc_attached *all,
                                const struct syc_processes *processes)
{
	unsigned n = 0;

	for (unsigned i = 0; all != NULL && i < all->n; i++)
		n += syc_processes_alive(processes, all->processes[i].pid);
	return n;
}

const struct syc_traced_file *syc_attach_file(const struct syc_attached *all,
                                              unsigned n)
{
	return all != NULL && n < all->n ? &all->processes[n].file : NULL;
}

void syc_attach_joined(struct syc_attached *all, unsigned n)
{
	if (all->processes[n].file.fd >= 0)
		unlink(all->processes[n].path);
}

void syc_attach_free(struct syc_attached *all)
{
	syc_attach_end(all, true);
	for (unsigned i = 0; all != NULL && i < all->n; i++) {
		syc_traced_file_close(&all->processes[i].file);
		free(all->processes[i].path);
	}
	free(all);
}

/* -------------------------------------------------------------- the list */

struct ring_search {
	bool (*each)(void *context, const char *path);
	void *context;
	bool is_found;
	char last[SYC_RINGS_PATH]; /* a file has several mappings */
};

static void search_rings(void *context, const struct syc_procfs_map *map)
{
	static const char suffix[] = ".rings";
	struct ring_search *const search = context;
	const size_t n = strlen(map->path);

	if (search->is_found || map->path[0] != '/' || n < sizeof(suffix) ||
	    n >= sizeof(search->last) - 64 ||
	    strcmp(map->path + n - (sizeof(suffix) - 1), suffix) != 0 ||
	    strcmp(map->path, search->last) == 0)
		return;
	strcpy(search->last, map->path);
	search->is_found = search->each(search->context, map->path);
}

int syc_flight_find(int32_t pid, bool (*each)(void *context, const char *path),
                    void *context)
{
	struct ring_search search = { each, context, false, "" };
	const int r = syc_procfs_maps(pid, search_rings, &search);

	return r < 0 ? r : search.is_found;
}

struct listing {
	void (*each)(void *context, const struct syc_attachable *process);
	void *context;
};

/* Return whether @path, in the mount namespace of the process *@context, is the
 * ring file of a process in flight mode. */
static bool is_flight_file(void *context, const char *path)
{
	char rings[SYC_RINGS_PATH];
	struct syc_ring_reader rest;

	snprintf(rings, sizeof(rings), "/proc/%d/root%s",
	         *(const int32_t *)context, path);
	if (syc_ring_reader_open_moving(&rest, rings, NULL) != 0)
		return false;
	syc_ring_reader_close(&rest);
	return true;
}

static void list_process(void *context, int32_t pid)
{
	const struct listing *const listing = context;
	struct syc_procfs_seen seen;
	struct syc_attach attach;
	struct stat st;
	uint64_t block;
	char path[64];
	int32_t active;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (pid == getpid() || stat(path, &st) != 0 || st.st_uid != geteuid())
		return;
	const bool is_open = find_block(pid, &block, &attach) == NULL &&
	                     read_active(pid, block, &active);
	const bool is_flight = syc_flight_find(pid, is_flight_file, &pid) == 1;
	if (!is_open && !is_flight)
		return;
	syc_procfs_see(pid, &seen);
	if (!seen.is_there)
		return;
	const struct syc_attachable process = {
		.pid = pid,
		.is_recorded = is_open && is_recorded(&attach, active),
		.is_flight = is_flight,
		.began = (int64_t)(seen.identity.start_time *
		                   (UINT64_C(1000000000) /
		                    (uint64_t)sysconf(_SC_CLK_TCK))),
		.cmdline = seen.cmdline,
	};
	listing->each(listing->context, &process);
}

int syc_attach_list(void (*each)(void *context,
                                 const struct syc_attachable *process),
                    void *context)
{
	struct listing listing = { each, context };

	return syc_procfs_all(list_process, &listing);
}
