-- SPDX-License-Identifier: BSD-2-Clause
-- test_events.lua - marks, counters, logs and files of Lua programs, which the
-- capture holds unchanged.
local t = dofile(arg[0]:match "^.*/" .. "harness.lua")

t.test("a mark has the time, duration and message it was given", function()
  t.record [[
    local syscap = require "syscap"
    local from = syscap.begin()
    assert(from > 0)
    syscap.mark("app", "whole", from, 1234, "text")
    syscap.mark("app", "silent", from, 5)
    syscap.since("app", "until now", from, "m")
    syscap.instant("app", "instant", "at once")
  ]]
  local marks = t.marks()
  t.equal(#marks["app.whole"], 1)
  t.equal(marks["app.whole"][1].duration, 1234)
  t.equal(marks["app.whole"][1].message, "text")
  t.equal(marks["app.silent"][1].message, "")
  t.equal(marks["app.silent"][1].time, marks["app.whole"][1].time)
  t.check(marks["app.until now"][1].duration > 0)
  t.equal(marks["app.instant"][1].duration, 0)
  t.equal(marks["app.instant"][1].message, "at once")
end)

t.test("an id stands for its group and name in every function", function()
  t.record [[
    local syscap = require "syscap"
    local id = syscap.id("app", "by id")
    assert(id == syscap.id("app", "by id") and id ~= syscap.id("app", "x"))
    syscap.mark(id, syscap.now(), 7, "mark")
    syscap.since(id, syscap.begin(), "since")
    syscap.instant(id, "instant")
    syscap.scope(id, "scope"):finish()
    syscap.within(id, function() end)
  ]]
  local marks = t.marks()["app.by id"]
  t.equal(#marks, 5)
  for i, message in ipairs { "mark", "since", "instant", "scope", "" } do
    t.equal(marks[i].message, message)
  end
end)

t.test("6,000 names are recorded, with each use", function()
  t.record([[
    local syscap = require "syscap"
    for round = 1, 2 do
      for i = 1, 6000 do
        syscap.mark("many", "name " .. i, syscap.now(), i)
        if i % 250 == 0 then os.execute "sleep 0.02" end
      end
    end
    syscap.since(syscap.id("app", 5), syscap.begin())
    syscap.since("app", 5, syscap.begin())
  ]], { record = "--ring-kib=4096" })
  local marks = t.marks()
  for i = 1, 6000 do
    local list = marks["many.name " .. i]
    t.check(list and #list == 2 and list[1].duration == i and
            list[2].duration == i, i)
  end
  t.equal(#marks["app.5"], 2)
end)

t.test("what is no text in the place of one is an error", function()
  t.record [[
    local syscap = require "syscap"
    for _, name in ipairs { "mark", "since" } do
      local ok, why = pcall(syscap[name], nil, "name", 1, 1)
      assert(not ok and why:find "bad argument #1.*string expected", why)
      ok, why = pcall(syscap[name], "group", {}, 1, 1)
      assert(not ok and why:find "bad argument #2.*string expected", why)
    end
    assert(not pcall(syscap.instant, "group"))
    assert(not pcall(syscap.id, "group"))
  ]]
end)

t.test("numbers and texts of any length do no harm", function()
  t.record [[
    local syscap = require "syscap"
    local long = ("ä"):rep(50000)
    syscap.instant(long, long, long)
    syscap.log(long, "info", long)
    syscap.instant("app", "number", 42)
    syscap.instant("app", "", "")
  ]]
  local marks = t.marks()
  t.equal(marks["app.number"][1].message, "42")
  t.check(marks["app."])
  for key, list in pairs(marks) do
    if key:find "^ä" then
      t.equal(#list[1].message, 65430)
      t.equal(list[1].group, ("ä"):rep(11))
    end
  end
end)

t.test("a counter is defined once and keeps its type", function()
  t.record [[
    local syscap = require "syscap"
    local n = syscap.counter("app", "n", "how many")
    local share = syscap.counter("app", "share", "how much", "float")
    for i = 1, 1000 do n:set(i) end
    for i = 1, 10 do n:update(7) end
    share:set(0.25)
    share:update(-1e300)
    syscap.counter("app", "n", "how many"):set(2 ^ 40)
  ]]
  local names, kinds, values = {}, {}, {}
  for _, frame in ipairs(t.frames "ctrdef") do
    for _, counter in ipairs(frame.counters) do
      t.check(not names[counter.id], "defined twice")
      names[counter.id] = counter.name
      kinds[counter.name] = counter
      values[counter.name] = {}
    end
  end
  for _, frame in ipairs(t.frames "ctrset") do
    for _, value in ipairs(frame.values) do
      table.insert(values[names[value.id]], value.value)
    end
  end
  t.equal(kinds.n.description, "how many")
  t.equal(#values.n, 1002)
  t.equal(values.n[1000], 1000)
  t.equal(values.n[1001], 7)
  t.equal(values.n[1002], 2 ^ 40)
  t.equal(values.share[1], 0.25)
  t.equal(values.share[2], -1e300)
end)

-- Returns the values of the last recording's counters, in their order.
local function values_of_counters()
  local values = {}
  for _, frame in ipairs(t.frames "ctrset") do
    for _, value in ipairs(frame.values) do
      values[#values + 1] = value.value
    end
  end
  return values
end

t.test("a counter records the sum of what is added", function()
  t.record [[
    local syscap = require "syscap"
    local sum = syscap.counter("app", "sum")
    for i = 1, 1000 do sum:add() end
    sum:add(-500)
    sum:add(2.75)
    local real = syscap.counter("app", "real", "", "float")
    real:add(3)
    real:add(-1)
    real:add(0.25)
    real:add()
  ]]
  local values = values_of_counters()
  t.equal(#values, 1006)
  t.equal(values[1000], 1000)
  t.equal(values[1002], 502)
  t.equal(values[1003], 3)
  t.equal(values[1004], 2)
  t.equal(values[1005], 2.25)
  t.equal(values[1006], 3.25)
end)

t.test("a counter adds also without a recording", function()
  local own = t.path "sum.syscap"
  t.record(([[
    local syscap = require "syscap"
    local sum = syscap.counter("app", "sum")
    for i = 1, 10 do sum:add(4) end
    assert(syscap.start{ output = %q })
    sum:add(2)
    assert(syscap.stop())
  ]]):format(own), { before = "env -u SYSPROF_CONTROL_FD -u SYSCAP_RECORDER " })
  t.check(t.output(os.getenv "SYSCAP" .. " dump --json --type ctrset " .. own)
          :find '"value":42')
end)

t.test("a value outside of a counter's range becomes the nearest valid value", function()
  t.record [[
    local syscap = require "syscap"
    local n = syscap.counter("app", "n")
    for _, value in ipairs { 1.5, -1.5, 0 / 0, 1e300, -math.huge, 2 ^ 53 } do
      n:set(value)
    end
    n:update(2.5)
    syscap.mark("app", "m", 1000.5, -7)
  ]]
  local values = values_of_counters()
  local want = { 1, -1, 0, 2 ^ 63, -2 ^ 63, 2 ^ 53, 2 }
  t.equal(#values, #want)
  for i = 1, #want do
    -- This reader returns the largest 64-bit integer as a double
    t.check(math.abs(values[i] - want[i]) <= math.abs(want[i]) * 1e-15, i)
  end
  local mark = t.marks()["app.m"][1]
  t.equal(mark.time, 1000)
  t.equal(mark.duration, -7)
end)

t.test("the same texts with another type are another counter", function()
  t.record [[
    local syscap = require "syscap"
    syscap.counter("app", "n"):set(3)
    syscap.counter("app", "n", "", "float"):set(2.5)
  ]]
  local values = values_of_counters()
  t.equal(values[1], 3)
  t.equal(values[2], 2.5)
end)

t.test("a name above the limit is not recorded, and the capture reports the loss", function()
  local text = t.record [[
    local syscap = require "syscap"
    for i = 1, 4096 do
      syscap.counter("app", "n" .. i)
      syscap.id("app", "n" .. i)
    end
    local more = syscap.counter("app", "more", "", "float")
    more:set(1)
    more:update(2)
    local place = syscap.id("app", "place")
    syscap.mark(place, 1, 2)
    syscap.since(place, 1)
    syscap.scope(place):finish()
    syscap.traced("app", "place", function() end)()
    syscap.instant(syscap.id("app", "n7"))
    print(more)
  ]]
  t.equal(text, "syscap.counter (not recorded)\n")
  t.equal(#t.frames "ctrset", 0)
  t.equal(#t.frames "mark", 1)
  local logs = t.frames "log"
  t.equal(logs[1].domain, "syscap")
  t.equal(logs[1].message,
          'there are too many counters for "more" of category "app"')
  t.equal(logs[2].message,
          'there are too many places for "place" of group "app"')
end)

t.test("an unknown severity is a message", function()
  t.record [[
    local syscap = require "syscap"
    syscap.log("app", "loud", "x")
    syscap.log("app", nil, "x")
    syscap.log("app", 5, "x")
  ]]
  local logs = t.frames "log"
  t.equal(#logs, 3)
  for _, line in ipairs(logs) do t.equal(line.severity, 32) end
end)

t.test("a log line has its severity and is formatted", function()
  t.record [[
    local syscap = require "syscap"
    for _, severity in ipairs { "debug", "info", "message", "warning",
                                "critical", "error" } do
      syscap.log("app", severity, "%s %03d", severity, 7)
    end
    syscap.log("app", "info", "100 %")
  ]]
  local logs = t.frames "log"
  t.equal(#logs, 7)
  t.equal(logs[1].message, "debug 007")
  t.equal(logs[1].severity, 128)
  t.equal(logs[6].message, "error 007")
  t.equal(logs[6].severity, 4)
  t.equal(logs[6].domain, "app")
  t.equal(logs[7].message, "100 %")
end)

t.test("linked marks have their roles; metadata and files arrive", function()
  t.record [[
    local syscap = require "syscap"
    syscap.link("net", "request", "begin", 17, "GET")
    syscap.link("net", "request", "end", 17)
    syscap.metadata("app.version", "1.2")
    assert(syscap.file("notes.txt", "a\0b"))
  ]]
  local marks = t.marks()["net.request"]
  t.equal(#marks, 2)
  t.equal(marks[1].message, "async=11 phase=begin GET")
  local found
  for _, frame in ipairs(t.frames "metadata") do
    found = found or (frame.id == "app.version" and frame.metadata == "1.2")
  end
  t.check(found)
  t.equal(t.frames("file_chunk")[1].path, "notes.txt")
end)

t.test("wrong arguments are errors that name them", function()
  local text = t.record [[
    local syscap = require "syscap"
    local function says(pattern, f, ...)
      local ok, why = pcall(f, ...)
      assert(not ok, "no error: " .. pattern)
      assert(tostring(why):find(pattern), why)
    end
    says(jit and "double" or "number",
         function() syscap.counter("a", "b"):set({}) end)
    says("invalid option", syscap.counter, "a", "b", "c", "complex")
    says("such option", syscap.sampling, { rate = 1 })
    says("clock.*moon", syscap.sampling, { clock = "moon" })
    says("hz.*number", syscap.sampling, { hz = "many" })
    says("output", syscap.start, {})
    says("function", syscap.traced, 1)
    says("function", syscap.traced, "a", "b")
    says("traced%(group, name, f%)", syscap.traced, print, "b", "a")
    local file, why = syscap.start "/no/such/folder/x.syscap"
    assert(file == nil and why:find "no such directory", why)
    print "all"
  ]]
  t.equal(text, "all\n")
end)

t.test("while nothing is recorded all calls do nothing", function()
  local text = t.record([[
    local syscap = require "syscap"
    assert(not syscap.is_active() and syscap.begin() == 0)
    assert(syscap.now() > 0)
    syscap.mark("a", "b", 0, 0)
    syscap.since("a", "b", syscap.begin())
    syscap.instant("a", "b", "c")
    syscap.log("a", "info", "%d", 1)
    syscap.counter("a", "b"):set(1)
    assert(syscap.scope("a", "b") == syscap.scope("c", "d"))
    assert(select("#", syscap.within("a", "b", function(...) return ... end,
                                     nil, nil)) == 2)
    assert(syscap.traced(function(x) return x + 1 end)(1) == 2)
    collectgarbage() collectgarbage "stop"
    local function all()
      for i = 1, 20000 do
        syscap.mark("a", "b", 0, 0)
        syscap.instant("a", "b", "c")
        syscap.log("a", "info", "x")
        syscap.scope("a", "b"):finish()
      end
    end
    all()
    local before = collectgarbage "count"
    all()
    assert(collectgarbage "count" - before < 10, "memory was allocated")
    print "all"
  ]], { before = "env -u SYSPROF_CONTROL_FD -u SYSCAP_RECORDER " })
  t.equal(text, "all\n")
  t.equal(#t.frames "mark", 0)
end)

t.test("a program that records itself writes a capture", function()
  local own = t.path "own.syscap"
  local text = t.record(([[
    local syscap = require "syscap"
    assert(syscap.start{ output = %q, max_bytes = 1000000 })
    syscap.instant("app", "own", "x")
    assert(syscap.stats().is_active and syscap.stats().output == %q)
    assert(syscap.stop())
    assert(select(2, syscap.stop()))
    assert(syscap.stats().dropped == 0)
    print "all"
  ]]):format(own, own), { before = "env -u SYSPROF_CONTROL_FD -u SYSCAP_RECORDER " })
  t.equal(text, "all\n")
  t.check(t.output(os.getenv "SYSCAP" .. " dump " .. own):find "own")
end)

t.run()
