-- SPDX-License-Identifier: BSD-2-Clause
-- bench.lua - the cost of calls in processor time: medians of rounds, in which
-- all rows take turns, and ratios to C and to an empty C function.  The bench
-- repeats a burst with dropped frames, which would look fast.  If every
-- repetition drops frames, the row is printed as invalid, with their number.
local syscap = require "syscap"
local c = require "bench_c"

local N, ROUNDS = 4000, 31
local TRIES = 10 -- attempts of a burst, with longer and longer pauses
local is_on = syscap.is_active()
local rows = {}

local function row(name, body, c_name)
  rows[#rows + 1] = { name = name, body = body, c = c_name, times = {} }
end

-- Each loop is a separate function, since LuaJIT would compile one common loop.
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
local traced = syscap.traced("bench", "traced", plain)
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
lua_row("log", "log('bench', 'debug', 'a message')", "mark")

local function drops()
  return c.drops() + syscap.stats().dropped
end

-- Returns the time of a burst, and its number of lost frames.
local function burst(r)
  local before, took = drops(), 0
  if r.is_c then
    took = r.body(N)
  else
    local begin = c.now()
    r.body(N)
    took = c.now() - begin
  end
  return took / N, drops() - before
end

local n_repeated = 0

local function lossless_burst(r)
  local took, lost
  for try = 1, TRIES do
    took, lost = burst(r)
    if is_on then c.pause(25 * try) end
    if lost == 0 then return took, 0 end
    n_repeated = n_repeated + 1
  end
  return took, lost
end

-- A thread gets its whole ring only when the recorder answers.
if is_on then
  for _, r in ipairs(rows) do
    r.body(1)
    c.pause(10)
  end
  c.pause(500)
end

for round = 1, ROUNDS do
  for _, r in ipairs(rows) do
    local took, lost = lossless_burst(r)
    r.times[round] = took
    r.lost = (r.lost or 0) + lost
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

local function load_average()
  local file = io.open "/proc/loadavg"
  local text = file and file:read "*l" or "?"
  if file then file:close() end
  return text:match "^%S+"
end

print(("\n%s%s, recording %s, %d calls x %d rounds, load %s; " ..
       "%d bursts made again"):format(
  jit and jit.version or _VERSION,
  jit and (jit.status() and "" or ", compiler off") or "",
  is_on and "on" or "off", N, ROUNDS, load_average(), n_repeated))
-- Compiled code calls by FFI, so its empty call uses FFI, too.
local empty = by_name[jit and jit.status() and "nop by FFI" or "nop()"]
print(("  %-24s %8s %8s %8s %8s"):format("", "ns", "x C", "x empty", "lost"))
for _, r in ipairs(rows) do
  local of_c = r.c and not r.is_c and by_name["C " .. r.c]
  print(("  %-24s %8.1f %8s %8s %8s"):format(
    r.name, r.median,
    of_c and is_on and ("%.1f"):format(r.median / of_c) or "",
    not r.is_c and ("%.1f"):format(r.median / empty) or "",
    r.lost == 0 and "0" or r.lost .. " INVALID"))
end

for _, r in ipairs(rows) do
  if r.lost > 0 then os.exit(1) end
end
