/* SPDX-License-Identifier: BSD-2-Clause */
/* proc_stat.c - state of a process or a thread, from its "stat" in /proc. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "os/fd.h"
#include "os/process.h"

/* Returns 0 or -errno. */
static int read_text(const char *folder, int32_t id, char *text, size_t size)
{
	char path[64];
	struct syc_text name = syc_text_begin(path, sizeof(path));

	syc_text_add(&name, folder);
	syc_text_add_i64(&name, id);
	syc_text_add(&name, "/stat");
	const int fd = syc_fd_open(path, O_RDONLY, 0);
	if (fd < 0)
		return -errno;
	const ssize_t n = syc_fd_read(fd, text, size - 1);
	syc_fd_close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? 0 : -ENOENT;
}

int syc_proc_stat_parse(const char *text, struct syc_proc_stat *ret_stat)
{
	/* The text is "ID (NAME) STATE ...", and the name may contain any
	 * character */
	const char *const name = strchr(text, '(');
	const char *at = strrchr(text, ')');
	if (name == NULL || at == NULL || at[1] != ' ')
		return -EIO;
	ret_stat->name_len = (size_t)(at - name - 1);
	if (ret_stat->name_len > sizeof(ret_stat->name))
		ret_stat->name_len = sizeof(ret_stat->name);
	memcpy(ret_stat->name, name + 1, ret_stat->name_len);
	at += 2;
	ret_stat->fields[SYC_STAT_STATE] = (unsigned char)*at;
	for (int field = SYC_STAT_STATE + 1; field < SYC_STAT_FIELDS; field++) {
		at = strchr(at, ' ');
		if (at == NULL)
			return -EIO;
		at = syc_text_take(at + 1, 10, &ret_stat->fields[field]);
	}
	return 0;
}

int syc_proc_stat_read(const char *folder, int32_t id,
                       struct syc_proc_stat *ret_stat)
{
	char text[1024];
	const int r = read_text(folder, id, text, sizeof(text));

	return r != 0 ? r : syc_proc_stat_parse(text, ret_stat);
}

bool syc_proc_stat_has_ended(const struct syc_proc_stat *stat)
{
	const uint64_t state = stat->fields[SYC_STAT_STATE];

	return state == 'Z' || state == 'X';
}
