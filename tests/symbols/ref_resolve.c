/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ref_resolve.c - names of Sysprof 3.46 for the addresses of a capture.
 *
 *	ref_resolve CAPTURE [PID]
 *
 * Uses the resolver of the installed libsysprof-4.so that takes names only from
 * the capture.  Prints the name of each address of the first stack (of PID),
 * and the second name in brackets; "?" without one.  Exits with 77 if that
 * library is missing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <syscap/capture.h>

#define USER 3 /* SYSPROF_ADDRESS_CONTEXT_USER */

/* The used part of the library's public interface. */
static void *(*reader_new)(const char *path, void **error);
static void *(*resolver_new)(void);
static void (*resolver_load)(void *resolver, void *reader);
static char *(*resolver_resolve)(void *resolver, uint64_t time, int pid,
                                 int context, uint64_t address, uint32_t *tag);
static const char *(*quark_to_string)(uint32_t quark);

static void find(void *library, const char *name, void *function)
{
	void *const symbol = dlsym(library, name);

	if (symbol == NULL) {
		printf("skip: the library has no %s\n", name);
		exit(77);
	}
	memcpy(function, &symbol, sizeof(symbol));
}

static void load_library(void)
{
	void *const library = dlopen("libsysprof-4.so", RTLD_NOW);

	if (library == NULL) {
		puts("skip: there is no libsysprof-4.so here");
		exit(77);
	}
	find(library, "sysprof_capture_reader_new", &reader_new);
	find(library, "sysprof_capture_symbol_resolver_new", &resolver_new);
	find(library, "sysprof_symbol_resolver_load", &resolver_load);
	find(library, "sysprof_symbol_resolver_resolve_with_context",
	     &resolver_resolve);
	find(library, "g_quark_to_string", &quark_to_string);
}

static void print_stack(struct syscap_reader *reader,
                        const struct syscap_frame *frame, void *resolver)
{
	uint64_t address;

	for (unsigned i = 0; syscap_frame_addr(reader, frame, i, &address);
	     i++) {
		uint32_t tag = 0;
		const char *name =
			resolver_resolve(resolver, (uint64_t)frame->time,
		                         frame->pid, USER, address, &tag);

		printf("%s [%s]\n", name ? name : "?",
		       tag ? quark_to_string(tag) : "");
	}
}

int main(int argc, char **argv)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;
	void *resolver, *theirs;

	const int pid = argc == 3 ? atoi(argv[2]) : 0;

	if (argc < 2 || syscap_reader_open(argv[1], &reader, &error) < 0)
		return 2;
	load_library();
	theirs = reader_new(argv[1], NULL);
	resolver = resolver_new();
	if (theirs == NULL || resolver == NULL)
		return 1;
	resolver_load(resolver, theirs);
	while (syscap_reader_next(reader, &frame, NULL) > 0)
		if (frame.type == SYSCAP_FRAME_SAMPLE &&
		    (pid == 0 || frame.pid == pid)) {
			print_stack(reader, &frame, resolver);
			break;
		}
	syscap_reader_close(reader);
	/* Memory that the library still holds is not checked. */
	fflush(stdout);
	_exit(0);
}
