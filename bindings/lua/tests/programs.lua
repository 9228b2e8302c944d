-- SPDX-License-Identifier: BSD-2-Clause programs.lua - programs for the tests
-- of sampling, with nested calls, methods, coroutines, callbacks from C, and
-- garbage.
local programs = {}

-- The program expects a variable `rounds` or `seconds`.
programs.work = [[
local function leaf(x)
  local h = x
  for i = 1, 60 do h = (h * 31 + i) % 4294967291 end
  return h
end
local alpha, beta
function alpha(n) return n == 0 and leaf(n) or beta(n - 1) + leaf(n) end
function beta(n) return n == 0 and leaf(n) or alpha(n - 1) + leaf(n) end
local Widget = {}
Widget.__index = Widget
function Widget:paint(n)
  if n == 0 then return 1 end
  return self:paint(n - 1) + leaf(n)
end
local function nap(n) return coroutine.yield(leaf(n)) end
local function in_coroutine(n)
  for i = 1, n do nap(i) end
end
local function one_round()
  alpha(9)
  setmetatable({}, Widget):paint(6)
  local co = coroutine.create(in_coroutine)
  for i = 1, 8 do coroutine.resume(co, 10) end
  local next_one = coroutine.wrap(function()
    for i = 1, 4 do coroutine.yield(leaf(i)) end
  end)
  for i = 1, 4 do next_one() end
  local t = {}
  for i = 1, 40 do t[i] = { i } end
  table.sort(t, function(a, b) return a[1] > b[1] end)
  pcall(error, "an error")
end
local stop = os.clock() + seconds
repeat
  for i = 1, 20 do one_round() end
until os.clock() >= stop
]]

return programs
