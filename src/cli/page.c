/* SPDX-License-Identifier: BSD-2-Clause */
/* page.c - make the HTML page of a capture, and show it. */
#define _GNU_SOURCE
#include "cli/page.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/checker.h"
#include "cli/exit_status.h"
#include "cli/fault.h"
#include "cli/findings.h"
#include "cli/input.h"
#include "cli/question.h"
#include "report/pack.h"
#include "report/report.h"

extern char **environ;

#define USUAL_MIB 80

/* What `syscap check` says, as text; NULL: no memory. */
static char *check(struct syc_question *question)
{
	struct syc_findings findings = { .file = "capture" };
	struct syc_checker checker = { .findings = &findings,
		                       .reader = question->reader };
	char *text = NULL;
	size_t size;
	int r;

	findings.out = open_memstream(&text, &size);
	if (findings.out == NULL)
		return NULL;
	syscap_reader_rewind(question->reader);
	syc_findings_begin(&findings);
	r = syc_checker_run(&checker);
	if (r == 0)
		syc_findings_end(&findings, checker.n_frames);
	syc_checker_fini(&checker);
	if (fclose(findings.out) != 0 || r < 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Allocations have a view of their own, through the same filter. */
static int look_at_heap(const struct syc_question *question,
                        struct syscap_view **ret_view)
{
	struct syscap_filter filter = question->filter;
	size_t n;

	syscap_profile_allocations(question->profile, &n);
	if (n == 0)
		return 0;
	filter.of = SYSCAP_VIEW_ALLOCATED;
	return syscap_view_new(question->profile, &filter, ret_view, NULL);
}

static int write_page(struct syc_page_request *request,
                      struct syc_question *question,
                      const struct syc_question *other)
{
	struct syscap_view *heap = NULL;
	char *checked = check(question);
	int r = checked == NULL ? -ENOMEM : look_at_heap(question, &heap);
	struct syc_report report = {
		.profile = question->profile,
		.view = question->view,
		.heap = heap,
		.reader = question->reader,
		.name = request->file,
		.other = other->profile,
		.other_view = other->view,
		.other_name = request->other,
		.asked = &question->filter,
		.filter = request->filter.text,
		.version = SYSCAP_VERSION,
		.check = checked,
		.redact = request->redact,
		.max_size = (uint64_t)(request->max_mib > 0 ? request->max_mib
		                                            : USUAL_MIB)
		            << 20,
		.out = request->output.file,
	};

	if (r == 0)
		r = syc_report_write(&report);
	syscap_view_free(heap);
	free(checked);
	if (r < 0) {
		request->output.is_spoiled = true;
		syc_fault_no_memory(request->command);
		return SYC_EXIT_PROBLEM;
	}
	if (report.n_marks_summed > 0 && !request->quiet)
		fprintf(stderr,
		        "%s: note: %" PRIu64 " of the shorter marks are summed "
		        "up, or the page had more than --max-size=%u\n",
		        request->command, report.n_marks_summed,
		        (unsigned)(report.max_size >> 20));
	if (!syc_pack_has_zlib() && !request->quiet)
		fprintf(stderr,
		        "%s: note: built without zlib, so the page is not "
		        "compressed\n",
		        request->command);
	return question->status;
}

bool syc_page_may_replace(const char *command, const char *name)
{
	static const char ours[] = "<title>syscap report</title>";
	char head[4096]; /* it stands ahead of the style */
	const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = 0;

	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd >= 0) {
		n = read(fd, head, sizeof(head));
		close(fd);
	}
	if (fd >= 0 && (n == 0 || (n > 0 && memmem(head, (size_t)n, ours,
	                                           sizeof(ours) - 1) != NULL)))
		return true;
	fprintf(stderr,
	        "%s: %s: it exists and is no page of syscap: give the page a "
	        "name\n",
	        command, name);
	return false;
}

int syc_page_make(struct syc_page_request *request)
{
	const struct syscap_profile_options options = { 0 };
	struct syc_question question = { .command = request->command,
		                         .file = request->file };
	struct syc_question other = { .command = request->command,
		                      .file = request->other };
	int status = SYC_EXIT_PROBLEM;

	request->output.command = request->command;
	if (syc_question_ask(&question, &options, &request->filter.filter) &&
	    (request->other == NULL ||
	     syc_question_ask(&other, &options, &request->filter.filter)) &&
	    syc_out_file_open(&request->output, true)) {
		status = write_page(request, &question, &other);
		if (other.status != SYC_EXIT_DONE && status == SYC_EXIT_DONE)
			status = other.status;
		status = syc_out_file_close(&request->output, status);
	}
	syc_question_close(&question);
	syc_question_close(&other);
	return status;
}

bool syc_page_open(const char *command, const char *file)
{
	char path[4200];
	char *const argv[] = { "xdg-open", path, NULL };
	int status = 0;
	pid_t pid;
	int r;

	/* A name may look like an option, and xdg-open has none to end them. */
	snprintf(path, sizeof(path), "%s%s", file[0] == '/' ? "" : "./", file);
	r = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);

	if (r == 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) == 0)
		return true;
	fprintf(stderr, "%s: %s: no browser could be opened (xdg-open): %s\n",
	        command, file, r != 0 ? strerror(r) : "it failed");
	return false;
}
