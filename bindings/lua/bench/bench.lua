-- SPDX-License-Identifier: BSD-2-Clause
-- bench.lua - what a call costs: processor time, medians of rounds in which all
-- rows take turns, and ratios to C and to a C function that does nothing.
-- Rows of rounds that lost frames are told with the number: a dropped frame
-- is not a fast one.
local syscap = require "syscap"
local c = require "bench_c"

local N, ROUNDS = 20000, 21
local is_on = syscap.is_active()
local rows = {}

local function row(name, body, c_name)
  rows[#rows + 1] = { name = name, body = body, c = c_name, times = {} }
end

-- Each loop is a function of its own, or LuaJIT would compile one for all.
local function loop(text, ...)
  return assert((loadstring or load)(
    "local syscap, c, id, counter, traced, plain, ffi_nop = ... " ..
    "local nop, mark, since, begin, scope, within, instant, log = " ..
    "c.nop, syscap.mark, syscap.since, syscap.begin, syscap.scope, " ..
    "syscap.within, syscap.instant, syscap.log " ..
    "return function(n) for i = 1, n do " .. text .. " end end"))(...)
end

local id = syscap.id("bench", "by id")
local counter = syscap.counter("bench", "lua", "of Lua")
local function plain(a) return a end
local traced = syscap.traced(plain, "traced", "bench")
local ffi_nop
if jit then
  local ffi = require "ffi"
  ffi.cdef "void bench_c_nop(void);"
  ffi_nop = ffi.load(package.searchpath("bench_c", package.cpath)).bench_c_nop
end

local function lua_row(name, text, c_name)
  row(name, loop(text, syscap, c, id, counter, traced, plain, ffi_nop), c_name)
end

for _, name in ipairs { "mark", "scope", "counter" } do
  rows[#rows + 1] = { name = "C " .. name, times = {}, c = name,
                      body = c[name], is_c = true }
end
lua_row("empty loop", "")
lua_row("nop()", "nop()")
if jit then lua_row("nop by FFI", "ffi_nop()") end
lua_row("mark", "mark('bench', 'mark', 1, 2, 'a message')", "mark")
lua_row("mark by id", "mark(id, 1, 2, 'a message')", "mark")
lua_row("instant", "instant('bench', 'mark', 'a message')", "mark")
lua_row("begin, since by id", "local t = begin() since(id, t)", "scope")
if not jit then
  lua_row("scope, <close>", "local s <close> = scope('bench', 'scope')",
          "scope")
  lua_row("scope by id, <close>", "local s <close> = scope(id)", "scope")
end
lua_row("scope, finish", "scope('bench', 'scope'):finish()", "scope")
lua_row("scope by id, finish", "scope(id):finish()", "scope")
lua_row("within by id", "within(id, plain, i)", "scope")
lua_row("plain function", "plain(i)")
lua_row("traced function", "traced(i)", "scope")
lua_row("counter:set", "counter:set(i)", "counter")
lua_row("log", "log('debug', 'bench', 'a message')", "mark")

local function drops()
  return c.drops() + syscap.stats().dropped
end

for round = 1, ROUNDS do
  for _, r in ipairs(rows) do
    local before, took = drops(), 0
    if r.is_c then
      took = r.body(N)
    else
      local begin = c.now()
      r.body(N)
      took = c.now() - begin
    end
    r.lost = (r.lost or 0) + drops() - before
    r.times[round] = took / N
    if is_on then c.pause() end
  end
end

local function median(times)
  table.sort(times)
  return times[(#times + 1) / 2]
end

local by_name = {}
for _, r in ipairs(rows) do
  r.median = median(r.times)
  by_name[r.name] = r.median
end

print(("\n%s%s, recording %s, %d calls x %d rounds"):format(
  jit and jit.version or _VERSION,
  jit and (jit.status() and "" or ", compiler off") or "",
  is_on and "on" or "off", N, ROUNDS))
print(("  %-24s %8s %8s %8s %8s"):format("", "ns", "x C", "x nop()", "lost"))
for _, r in ipairs(rows) do
  local of_c = r.c and not r.is_c and by_name["C " .. r.c]
  print(("  %-24s %8.1f %8s %8s %8d"):format(
    r.name, r.median,
    of_c and is_on and ("%.1f"):format(r.median / of_c) or "",
    not r.is_c and ("%.1f"):format(r.median / by_name["nop()"]) or "",
    r.lost))
end
