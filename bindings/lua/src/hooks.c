/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hooks.c - stacks of Lua 5.4, at safe points.
 *
 *	handler   request(): set our hook in the state that runs.  The manual
 *	          of Lua lets signal handlers call lua_sethook().
 *	soon      the hook: give the program its own hook back, and walk
 *
 * Our hook asks for the next instruction, and for calls and returns, so that
 * what a C function takes is told while it is still on the stack.
 *
 * Lua has one hook for a state.  Until ours runs it stands in place of the
 * program's, and asks for all that the program's does; the event that it
 * runs for is handed on.  A hook of the program that counts instructions is
 * left alone, and so are its ticks: setting a hook begins the count anew.
 *
 * At most one state has our hook at a time (hooked).  tracking.c sees to it
 * where coroutines take turns.
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

/* The functions of one coroutine.  0: there is no more room. */
static int walk_one(struct syscap_stack_sink *sink, lua_State *L,
                    int shows_lines)
{
	lua_Debug ar;

	for (int level = 0; lua_getstack(L, level, &ar); level++)
		if (!push_frame(sink, L, &ar, shows_lines))
			return 0;
	return 1;
}

/* Only at safe points: caps have no SIGNAL. */
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

	if (f == NULL) { /* made while one was followed */
		lua_sethook(L, NULL, 0, 0);
		return;
	}
	const lua_Hook hook = f->hook;
	const int is_theirs = (f->mask & mask_of(ar->event)) != 0;
	give_back(f, L);
	tell(f);
	if (hook != NULL && is_theirs)
		hook(L, ar); /* last: it may raise an error */
}

void sl_hooks_settle(struct sl_follow *f, lua_State *L)
{
	if (lua_gethook(L) == on_hook) {
		give_back(f, L);
		tell(f);
	} else if (f->hooked == L) { /* another one was put over it */
		f->hooked = NULL;
	}
}

void sl_hooks_disown(struct sl_follow *f, lua_State *L)
{
	if (lua_gethook(L) == on_hook)
		give_back(f, L);
}

/* In the handler.  Where no function runs, nothing would come to the hook. */
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
