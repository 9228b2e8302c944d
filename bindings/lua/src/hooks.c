/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hooks.c - stacks of Lua 5.4 at safe points.
 *
 *	handler   request(): set syscap's hook in the running state.  The manual
 *	          of Lua lets signal handlers call lua_sethook().
 *	soon      the hook: give the program its own hook back, and walk
 *
 * syscap's hook requests the next instruction, calls and returns, so that a C
 * function's tick is recorded while the function is still on the stack.
 *
 * A Lua state has only one hook.  Until syscap's hook runs, it replaces the
 * program's hook, requests all events of the program's hook as well, and passes
 * its event on.  Ticks do not replace a program's hook that counts
 * instructions, since setting a hook restarts the count.
 *
 * At most one coroutine has syscap's hook at a time (hooked).  tracking.c
 * ensures this limit when coroutines switch.
 */
#include "core.h"

#if LUA_VERSION_NUM == 504

#include <lauxlib.h>

#include "hooks.h"
#include "names.h"

#define OUR_EVENTS (LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT)

/* -------------------------------------------------------------- the stack */

static int push_frame(struct syscap_stack_sink *sink, lua_State *L,
                      lua_Debug *ar, int shows_lines)
{
	const char *name;
	int line = -2;

	if (!lua_getinfo(L, shows_lines ? "Snl" : "Sn", ar))
		return 1;
	name = *ar->what == 'm' ? "main chunk" : ar->name;
	if (*ar->what == 'C')
		line = -1;
	else if (shows_lines && ar->currentline > 0)
		line = ar->currentline;
	else if (*ar->what == 'm')
		line = 0;
	else if (ar->linedefined > 0)
		line = ar->linedefined;
	return sl_names_push(sink, name, ar->short_src, line);
}

/* Push the functions of one coroutine.  Returns 0 if there is no more space. */
static int walk_one(struct syscap_stack_sink *sink, lua_State *L,
                    int shows_lines)
{
	lua_Debug ar;

	for (int level = 0; lua_getstack(L, level, &ar); level++)
		if (!push_frame(sink, L, &ar, shows_lines))
			return 0;
	return 1;
}

/* Called only at safe points, as caps have no SIGNAL. */
static int walk(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                void *data)
{
	const struct sl_follow *const f = data;
	const struct sl_resume *r = f->resumes;

	(void)regs;
	if (f->running == NULL)
		return SYSCAP_WALK_GONE;
	if (!walk_one(sink, f->running, f->shows_lines))
		return 0;
	for (; r != NULL; r = r->older)
		if (!walk_one(sink, r->by, f->shows_lines))
			return 0;
	return 0;
}

/* ---------------------------------------------------------------- the hook */

static void give_back(struct sl_follow *f, lua_State *L)
{
	lua_sethook(L, f->hook, f->mask, f->count);
	if (f->hooked == L)
		f->hooked = NULL;
}

static void tell(struct sl_follow *f)
{
	const int weight = syscap_safepoint(f->attachment);

	if (weight > 0) {
		f->n_samples++;
		f->weight += (uint64_t)weight;
	}
}

static int mask_of(int event)
{
	return event == LUA_HOOKTAILCALL ? LUA_MASKCALL : 1 << event;
}

static void on_hook(lua_State *L, lua_Debug *ar)
{
	struct sl_follow *const f = sl_followed_by(L);

	if (f == NULL) { /* hook inherited from a followed thread */
		lua_sethook(L, NULL, 0, 0);
		return;
	}
	const lua_Hook hook = f->hook;
	const int is_theirs = (f->mask & mask_of(ar->event)) != 0;
	give_back(f, L);
	tell(f);
	if (hook != NULL && is_theirs)
		/* this call comes last, as it may raise an error */
		hook(L, ar);
}

void sl_hooks_settle(struct sl_follow *f, lua_State *L)
{
	if (lua_gethook(L) == on_hook) {
		give_back(f, L);
		tell(f);
	} else if (f->hooked == L) {
		/* another hook has replaced syscap's hook */
		f->hooked = NULL;
	}
}

void sl_hooks_disown(struct sl_follow *f, lua_State *L)
{
	if (lua_gethook(L) == on_hook)
		give_back(f, L);
}

/* Runs in the handler.  Without a running function, Lua would not call the
 * hook. */
static int request(void *data)
{
	struct sl_follow *const f = data;
	lua_State *const L = __atomic_load_n(&f->running, __ATOMIC_RELAXED);
	lua_Debug ar;

	if (__atomic_load_n(&f->is_busy, __ATOMIC_RELAXED) != 0 || L == NULL ||
	    !lua_getstack(L, 0, &ar))
		return -1;
	const lua_Hook hook = lua_gethook(L);
	const int mask = lua_gethookmask(L);
	if (hook != on_hook) {
		if (hook != NULL && (mask & LUA_MASKCOUNT) != 0)
			return -1;
		f->hook = hook;
		f->mask = hook != NULL ? mask : 0;
		f->count = lua_gethookcount(L);
		f->hooked = L;
	} else if ((mask & OUR_EVENTS) == OUR_EVENTS) {
		return 0;
	}
	lua_sethook(L, on_hook, OUR_EVENTS | f->mask, 1);
	return 0;
}

const struct syscap_provider sl_hooks_provider = {
	.size = sizeof(sl_hooks_provider),
	.caps = SYSCAP_PROVIDER_SAFEPOINT | SYSCAP_PROVIDER_INNERMOST,
	.name = "Lua",
	.walk = walk,
	.request = request,
};

#endif
