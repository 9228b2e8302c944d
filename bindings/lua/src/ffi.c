/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ffi.c - functions that syscap.lua calls by LuaJIT's FFI, directly from
 * compiled code.  syscap.lua repeats the declarations.
 *
 * Parameters are doubles instead of 64-bit integers, which LuaJIT would have to
 * box.  Sites that syscap.lua keeps come as pointers (_at), so this file writes
 * the mark without a look-up.  The functions are in the module itself, so that
 * one copy of the library records both kinds of calls.
 */
#include "core.h"

#if LUA_VERSION_NUM == 501

#include <stdint.h>
#include <string.h>

#include <syscap.h>

#pragma GCC visibility push(default)
int syscap_lua_is_active(void);
double syscap_lua_now(void);
double syscap_lua_begin(void);
int syscap_lua_site(struct syscap_mark_site *site, const char *group,
                    const char *name);
void syscap_lua_mark_at(const struct syscap_mark_site *site, double begin,
                        double duration, const char *message);
void syscap_lua_since_at(const struct syscap_mark_site *site, double begin,
                         const char *message);
void syscap_lua_instant_at(const struct syscap_mark_site *site,
                           const char *message);
void syscap_lua_mark(const char *group, const char *name, double begin,
                     double duration, const char *message);
void syscap_lua_mark_id(uint32_t id, double begin, double duration,
                        const char *message);
void syscap_lua_since(const char *group, const char *name, double begin,
                      const char *message);
void syscap_lua_since_id(uint32_t id, double begin, const char *message);
void syscap_lua_instant(const char *group, const char *name,
                        const char *message);
void syscap_lua_instant_id(uint32_t id, const char *message);
void syscap_lua_log(unsigned severity, const char *domain, const char *message);
struct syscap_counter *syscap_lua_counter(const char *category,
                                          const char *name,
                                          const char *description,
                                          uint32_t type);
void syscap_lua_counter_set(struct syscap_counter *counter, double value);
void syscap_lua_counter_update(struct syscap_counter *counter, double value);
void syscap_lua_counter_add(struct syscap_counter *counter, double n);
#pragma GCC visibility pop

int syscap_lua_is_active(void)
{
	return syscap_is_active();
}

double syscap_lua_now(void)
{
	return (double)syscap_clock();
}

double syscap_lua_begin(void)
{
	return (double)syscap_begin();
}

/* Fill the zeroed @site.  Returns 0 if the texts are too long, and the caller
 * then cuts the texts. */
int syscap_lua_site(struct syscap_mark_site *site, const char *group,
                    const char *name)
{
	const size_t n_group = strlen(group), n_name = strlen(name);

	if (n_group >= sizeof(site->group) || n_name >= sizeof(site->name))
		return 0;
	memcpy(site->group, group, n_group);
	memcpy(site->name, name, n_name);
	return 1;
}

void syscap_lua_mark_at(const struct syscap_mark_site *site, double begin,
                        double duration, const char *message)
{
	if (syscap_is_active())
		syscap_mark_at(site, sl_whole(begin), sl_whole(duration),
		               message);
}

static int64_t until_now(double begin)
{
	return syscap_clock() - sl_whole(begin);
}

void syscap_lua_since_at(const struct syscap_mark_site *site, double begin,
                         const char *message)
{
	if (begin != 0 && syscap_is_active())
		syscap_mark_at(site, sl_whole(begin), until_now(begin),
		               message);
}

void syscap_lua_instant_at(const struct syscap_mark_site *site,
                           const char *message)
{
	if (syscap_is_active())
		syscap_mark_at(site, syscap_clock(), 0, message);
}

void syscap_lua_mark(const char *group, const char *name, double begin,
                     double duration, const char *message)
{
	if (syscap_is_active())
		syscap_mark(group, name, sl_whole(begin), sl_whole(duration),
		            message);
}

void syscap_lua_mark_id(uint32_t id, double begin, double duration,
                        const char *message)
{
	if (syscap_is_active())
		syscap_mark_by_id(id, sl_whole(begin), sl_whole(duration),
		                  message);
}

void syscap_lua_since(const char *group, const char *name, double begin,
                      const char *message)
{
	if (begin != 0 && syscap_is_active())
		syscap_mark(group, name, sl_whole(begin), until_now(begin),
		            message);
}

void syscap_lua_since_id(uint32_t id, double begin, const char *message)
{
	if (begin != 0 && syscap_is_active())
		syscap_mark_by_id(id, sl_whole(begin), until_now(begin),
		                  message);
}

void syscap_lua_instant(const char *group, const char *name,
                        const char *message)
{
	if (syscap_is_active())
		syscap_mark(group, name, syscap_clock(), 0, message);
}

void syscap_lua_instant_id(uint32_t id, const char *message)
{
	if (syscap_is_active())
		syscap_mark_by_id(id, syscap_clock(), 0, message);
}

void syscap_lua_log(unsigned severity, const char *domain, const char *message)
{
	SYSCAP_LOG(severity, domain, message);
}

struct syscap_counter *syscap_lua_counter(const char *category,
                                          const char *name,
                                          const char *description,
                                          uint32_t type)
{
	return syscap_counter_get(category, name, description, type);
}

void syscap_lua_counter_set(struct syscap_counter *counter, double value)
{
	if (counter == NULL || !syscap_is_active())
		return;
	if (counter->type == SYSCAP_DOUBLE)
		syscap_counter_set_double(counter, value);
	else
		syscap_counter_set_int64(counter, sl_whole(value));
}

void syscap_lua_counter_update(struct syscap_counter *counter, double value)
{
	if (counter == NULL || !syscap_is_active())
		return;
	if (counter->type == SYSCAP_DOUBLE)
		syscap_counter_update_double(counter, value);
	else
		syscap_counter_update_int64(counter, sl_whole(value));
}

void syscap_lua_counter_add(struct syscap_counter *counter, double n)
{
	if (counter == NULL)
		return;
	if (counter->type == SYSCAP_DOUBLE)
		syscap_counter_add_double(counter, n);
	else
		syscap_counter_add(counter, sl_whole(n));
}

#endif
