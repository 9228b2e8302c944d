/* SPDX-License-Identifier: BSD-2-Clause */
/* kin.c - whether a relative of this process still runs its image. */
#define _GNU_SOURCE
#include "os/kin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* Fields of /proc/PID/stat, counted from 1 */
enum {
	STATE = 3,
	PARENT = 4,
	N_THREADS = 20,
	START = 22,
	CODE = 26,
	STACK = 28,
	N_FIELDS = STACK + 1,
};

/* 0, or -errno. */
static int read_stat(int32_t pid, uint64_t *ret_fields)
{
	char path[40], stat[1024];
	struct syc_text text = syc_text_begin(path, sizeof(path));

	syc_text_add(&text, "/proc/");
	syc_text_add_i64(&text, pid);
	syc_text_add(&text, "/stat");
	*text.at = '\0';
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	const ssize_t n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (n <= 0)
		return -ESRCH;
	stat[n] = '\0';
	/* "PID (NAME) STATE ...": the name may hold anything */
	const char *p = strrchr(stat, ')');
	if (p == NULL || p[1] != ' ')
		return -EIO;
	p += 2;
	ret_fields[STATE] = (unsigned char)*p;
	for (int field = PARENT; field < N_FIELDS; field++) {
		uint64_t value = 0;

		p = strchr(p, ' ');
		if (p == NULL)
			return -EIO;
		for (p++; *p >= '0' && *p <= '9'; p++)
			value = value * 10 + (uint64_t)(*p - '0');
		ret_fields[field] = value;
	}
	return 0;
}

/* Both 0 where they may not be seen. */
static bool is_same_image(const uint64_t *a, const uint64_t *b)
{
	if (a[STACK] == 0 || b[STACK] == 0)
		return true;
	return a[STACK] == b[STACK] && a[CODE] == b[CODE];
}

static bool is_there(int32_t pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

static bool looks_alive(struct syc_kin *kin)
{
	uint64_t it[N_FIELDS], us[N_FIELDS];
	const int r = read_stat(kin->pid, it);

	if (r != 0) /* or there is no /proc */
		return is_there(kin->pid);
	/* Threads may live on when the first one has ended */
	if ((it[STATE] == 'Z' || it[STATE] == 'X') && it[N_THREADS] <= 1)
		return false;
	if (kin->start_ticks != 0 && it[START] != kin->start_ticks)
		return false;
	if (read_stat(getpid(), us) == 0 && !is_same_image(it, us))
		return false;
	kin->start_ticks = it[START];
	kin->parent = (int32_t)it[PARENT];
	return true;
}

bool syc_kin_lives(struct syc_kin *kin)
{
	const int saved = errno;
	const bool lives = looks_alive(kin);

	errno = saved;
	return lives;
}

uint64_t syc_kin_namespace(void)
{
	const int saved = errno;
	struct stat st;
	const bool is = stat("/proc/self/ns/pid", &st) == 0;

	errno = saved;
	return is ? st.st_ino : 0;
}
