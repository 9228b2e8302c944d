/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle_cxx.c - C++ names, demangled by the C++ runtime in a child.
 *
 * The child is made at the first name and again after it was ended by its
 * limits.  A message to it is a name; its answer is a byte that tells whether
 * there is one, and the text.
 */
#define _GNU_SOURCE
#include "symbols/demangle_cxx.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "data/copy.h"
#include "symbols/limited_child.h"

#define MANGLED_MAX 8192u
#define ANSWER_MAX  8192u
#define MEMORY_MAX  (256ul << 20) /* more than the child has from us */
#define SECONDS_MAX 1             /* of a processor, for one name */
#define DEATHS_MAX  20u           /* then all other names stay mangled */

/* abi::__cxa_demangle() of the Itanium C++ ABI. */
typedef char *(*cxa_demangle)(const char *name, char *buffer, size_t *len,
                              int *status);

static struct {
	bool is_tried;
	cxa_demangle demangle; /* NULL: no library has it */
	struct syc_limited_child child;
	unsigned deaths;
} cxx;

static void load(void)
{
	static const char *const libraries[] = { "libstdc++.so.6",
		                                 "libc++abi.so.1",
		                                 "libc++.so.1" };

	cxx.is_tried = true;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		void *const library =
			dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
		void *const symbol =
			library ? dlsym(library, "__cxa_demangle") : NULL;

		if (symbol != NULL) {
			memcpy(&cxx.demangle, &symbol, sizeof(symbol));
			return;
		}
		if (library != NULL)
			dlclose(library);
	}
}

/* In the child; it ends when we close our end, or do. */
static void serve(void *data, int fd)
{
	char name[MANGLED_MAX], answer[ANSWER_MAX];
	ssize_t n;

	(void)data;
	while ((n = recv(fd, name, sizeof(name) - 1, 0)) > 0) {
		size_t len = 1;
		char *text;
		int status;

		name[n] = 0;
		syc_limited_child_give(SECONDS_MAX);
		text = cxx.demangle(name, NULL, NULL, &status);
		answer[0] = text != NULL;
		if (text != NULL) {
			len = strnlen(text, sizeof(answer) - 1);
			memcpy(answer + 1, text, len);
			len++;
		}
		free(text);
		if (send(fd, answer, len, MSG_NOSIGNAL) < 0)
			break;
	}
}

static bool start_server(void)
{
	const struct syc_limited_child_work work = { .memory = MEMORY_MAX,
		                                     .serve = serve };

	return cxx.deaths < DEATHS_MAX &&
	       syc_limited_child_start(&cxx.child, &work);
}

void syc_demangle_cxx_stop(void)
{
	syc_limited_child_stop(&cxx.child);
}

char *syc_demangle_cxx(const char *name)
{
	char answer[ANSWER_MAX];
	ssize_t n;

	if (strnlen(name, MANGLED_MAX - 1) == MANGLED_MAX - 1)
		return NULL;
	if (!cxx.is_tried)
		load();
	if (cxx.demangle == NULL || (cxx.child.pid == 0 && !start_server()))
		return NULL;
	n = syc_limited_child_ask(&cxx.child, name, strlen(name), answer,
	                          sizeof(answer));
	if (n > 0)
		return answer[0] ? syc_copy_text(answer + 1, (size_t)n - 1)
		                 : NULL;
	syc_demangle_cxx_stop();
	cxx.deaths++;
	return NULL;
}

bool syc_demangle_cxx_is_missing(void)
{
	return cxx.is_tried && cxx.demangle == NULL;
}
