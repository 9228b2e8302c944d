-- SPDX-License-Identifier: BSD-2-Clause
-- test_purity.lua - allocations, frees and locks in the handler of a tick, with
-- a followed Lua state: none.  tick_watch.so (TICK_WATCH) counts these
-- calls.
local t = dofile(arg[0]:match "^.*/" .. "harness.lua")
local programs = dofile(arg[0]:match "^.*/" .. "programs.lua")

t.test("no tick allocates, frees or locks", function()
  local text = t.record(([[
    local syscap = require "syscap"
    local sampling = assert(syscap.sampling{ hz = 10000, clock = "wall" })
    local seconds = 1.5
    %s
    print(sampling:stats().samples)]]):format(programs.work),
    { before = "env LD_PRELOAD=" .. os.getenv "TICK_WATCH" .. " " })
  local samples = tonumber(text:match "^(%d+)")
  local entries, allocations, frees, locks = text:match(
    "handled (%d+) allocated (%d+) freed (%d+) locked (%d+)")
  t.check(samples > 2000, text)
  t.check(tonumber(entries) >= samples, text)
  t.equal(tonumber(allocations), 0, "allocations")
  t.equal(tonumber(frees), 0, "frees")
  t.equal(tonumber(locks), 0, "locks")
end)

t.run()
