-- SPDX-License-Identifier: BSD-2-Clause
-- test_states.lua - closing of a state by the host at any time (states.c).
local t = dofile(arg[0]:match "^.*/" .. "harness.lua")

t.test("states are closed during sampling, by any thread", function()
  t.record_command(os.getenv "STATES")
  t.check(#t.marks()["states.worked"] >= 77)
  t.check(not t.marks()["states.open"], "an unfinished scope made a mark")
  t.check(t.count(t.stacks(), "^leaf") > 20)
end)

t.run()
