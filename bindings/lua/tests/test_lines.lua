-- SPDX-License-Identifier: BSD-2-Clause
-- test_lines.lua - running lines in stacks, on the program's request.
local t = dofile(arg[0]:match "^.*/" .. "harness.lua")

-- Each at_N() is called in line N, and runs for some samples.
local program = [[
local syscap = require "syscap"
local sampling = assert(syscap.sampling{ OPTIONS })
local function add(x, i) return x + i % 7 end
local function spin()
  local till, x = sampling:stats().samples + 5, 0
  repeat for i = 1, 100 do x = add(x, i) end
  until sampling:stats().samples >= till
end
for n = 1, 40 do _G["at_" .. n] = function() spin() end end


local function straight()
  at_13()
  local list = { 1,
    (at_15()),
    2 }
  return #list
end
local function backwards()
  for i = 1, 2 do
    at_21()
  end

  if true then at_24() else
    at_2()
  end
end
local function closures()
  local function inner() at_29() end
  inner()
end
local co = coroutine.wrap(function()
  at_33()
  coroutine.yield()
  at_35()
end)
straight() backwards()
closures() co() co()
at_39()
]]

-- Returns { N of at_N, line of its caller, the caller } of the last recording.
local function places()
  local found = {}
  for _, stack in ipairs(t.stacks()) do
    for i = 1, #stack - 1 do
      local at = stack[i]:match "^at_(%d+)"
      if at then
        found[#found + 1] = { tonumber(at),
                              tonumber(stack[i + 1]:match ":(%d+)%)$"),
                              stack[i + 1] }
      end
    end
  end
  return found
end

local function check()
  local seen = {}
  for _, place in ipairs(places()) do
    t.check(place[1] == place[2], "at_" .. place[1] .. ": " .. place[3])
    seen[place[1]] = true
  end
  for _, line in ipairs { 13, 15, 21, 24, 29, 39 } do
    t.check(seen[line], "line " .. line .. " has no sample")
  end
end

local function with(options)
  return (program:gsub("OPTIONS", options))
end

t.test("frames have the line that runs", function()
  t.record(with "hz = 1000, lines = true")
  check()
end)

t.test("without lines = true, the line of the definition", function()
  t.record(with "hz = 1000")
  local defined = t.is_jit and "%(.*program%.lua%)$" or
                  "%(.*program%.lua:19%)$"
  local n = 0
  for _, place in ipairs(places()) do
    if place[3]:find "^backwards" then
      n = n + 1
      t.check(place[3]:find(defined), place[3])
    end
  end
  t.check(n > 0)
end)

t.test("the environment can request running lines", function()
  t.record(with "", { environment = "SYSCAP_SAMPLE=1000 SYSCAP_LINES=1" })
  check()
end)

t.run()
