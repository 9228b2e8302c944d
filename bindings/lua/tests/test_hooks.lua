-- SPDX-License-Identifier: BSD-2-Clause
-- test_hooks.lua - invisibility of the hooks of Lua 5.4's sampling: a program's
-- own hooks get all events, and coroutines behave as usual.
local t = dofile(arg[0]:match "^.*/" .. "harness.lua")

local busy = [[
local function leaf(x)
  local h = x
  for i = 1, 60 do h = (h * 31 + i) % 4294967291 end
  return h
end
]]

t.test("each call, return and line reaches the program's hook", function()
  local text = t.record(busy .. [[
    local syscap = require "syscap"
    local function work()
      for i = 1, 30000 do
        local a = leaf(i)
        local b = math.abs(a)
      end
    end
    local function count(mask)
      local n = {}
      debug.sethook(function(event) n[event] = (n[event] or 0) + 1 end, mask)
      work()
      debug.sethook()
      return ("%s %s %s %s"):format(n.call, n["return"], n.line,
                                    n["tail call"])
    end
    for _, mask in ipairs { "c", "r", "l", "crl" } do
      local want = count(mask)
      local sampling = assert(syscap.sampling{ hz = 20000, clock = "wall" })
      local got = count(mask)
      local n = sampling:stats().samples
      assert(sampling:stop())
      assert(want == got, mask .. ": " .. got .. ", not " .. want)
      assert(n > 20, mask .. ": " .. n .. " samples")
    end
    print "all"
  ]])
  t.equal(text, "all\n")
end)

t.test("a hook that counts is left alone, to the instruction", function()
  local text = t.record(busy .. [[
    local syscap = require "syscap"
    local function count()
      local n = 0
      debug.sethook(function() n = n + 1 end, "", 1000)
      for i = 1, 20000 do leaf(i) end
      debug.sethook()
      return n
    end
    local want = count()
    local sampling = assert(syscap.sampling{ hz = 20000, clock = "wall" })
    local got = count()
    assert(got == want, got .. ", not " .. want)
    print "all"
  ]])
  t.equal(text, "all\n")
end)

t.test("gethook returns the program's hook, never that of syscap", function()
  local text = t.record(busy .. [[
    local syscap = require "syscap"
    local sampling = assert(syscap.sampling{ hz = 20000, clock = "wall" })
    local function mine() end
    for i = 1, 20000 do
      assert(debug.gethook() == nil)
      debug.sethook(mine, "c")
      local hook, mask, n = debug.gethook()
      assert(hook == mine and mask == "c" and n == 0)
      debug.sethook()
      leaf(i)
    end
    assert(sampling:stats().samples > 50)
    sampling:stop()
    print "all"
  ]])
  t.equal(text, "all\n")
end)

t.test("a hook may raise an error while ticks come", function()
  local text = t.record(busy .. [[
    local syscap = require "syscap"
    local sampling = assert(syscap.sampling{ hz = 20000, clock = "wall" })
    for i = 1, 2000 do
      local ok, why = pcall(function()
        debug.sethook(function() debug.sethook() error "stop" end, "l")
        leaf(i)
      end)
      assert(not ok and why:find "stop", why)
    end
    print "all"
  ]])
  t.equal(text, "all\n")
end)

-- Original functions and syscap's replacements must print the same.
local coroutines = [[
local function show(...)
  local n = select("#", ...)
  local parts = {}
  for i = 1, n do parts[i] = tostring((select(i, ...))) end
  print(n .. ": " .. table.concat(parts, ", "))
end
local co = coroutine.create(function(...)
  show("in", ...)
  show("back", coroutine.yield(1, nil, nil))
  error { "never seen" }
end)
show(coroutine.resume(co, "a", nil))
show(coroutine.status(co))
show(select("#", coroutine.resume(co)))
show(coroutine.status(co), coroutine.resume(co))
show(coroutine.resume(coroutine.running()))
show(pcall(coroutine.resume, 1))
show(pcall(coroutine.create, 1))
show(pcall(coroutine.wrap))
local w = coroutine.wrap(function(...)
  show(coroutine.isyieldable(), coroutine.yield(...))
  error "text"
end)
show(w(1, nil))
show(pcall(w, 2))
show(pcall(w))
show(pcall(coroutine.wrap(function() error(setmetatable({}, {
  __tostring = function() return "object" end })) end)))
show(pcall(coroutine.wrap(function()
  local x <close> = setmetatable({}, {
    __close = function(_, e) show("closed", e) error "second" end })
  error "first"
end)))
local inner = coroutine.wrap(function()
  local i = coroutine.wrap(function() coroutine.yield("deep") end)
  coroutine.yield(i())
  i() i()
end)
show(inner())
show(pcall(inner))
show(pcall(inner))
local recursive
recursive = coroutine.wrap(function() return recursive() end)
show(pcall(recursive))
local c = coroutine.create(function()
  local y <close> = setmetatable({}, { __close = function() show("y") end })
  coroutine.yield()
end)
coroutine.resume(c)
show(coroutine.close(c), coroutine.status(c))
show(coroutine.resume(coroutine.create(function(...)
  return select("#", ...)
end), table.unpack({}, 1, 200)))
show(coroutine.wrap(pcall)(pcall, coroutine.yield, "yielded"))
show(pcall(string.rep))
]]

t.test("coroutines behave as they do without sampling", function()
  local want = t.record(coroutines)
  local got = t.record(
    "local syscap = require 'syscap' " ..
    "assert(syscap.sampling{ hz = 20000, clock = 'wall' }) " .. coroutines)
  t.equal(got, want)
  t.check(#want > 500, want)
end)

t.test("the originals are back after the end of sampling", function()
  t.record [[
    local syscap = require "syscap"
    local function all()
      return { coroutine.create, coroutine.wrap, coroutine.resume,
               debug.sethook, debug.gethook }
    end
    local before = all()
    local sampling = assert(syscap.sampling())
    for i, f in ipairs(all()) do assert(f ~= before[i]) end
    local mine = function() end
    coroutine.wrap = mine
    local resume = coroutine.resume
    sampling:stop()
    local after = all()
    assert(after[2] == mine)
    after[2] = before[2]
    for i, f in ipairs(after) do assert(f == before[i], i) end
    assert(resume(coroutine.create(function() end)))
  ]]
end)

t.test("sampling may begin and end inside of coroutines", function()
  t.record(busy .. [[
    local syscap = require "syscap"
    for round = 1, 30 do
      local sampling
      local co = coroutine.wrap(function()
        sampling = assert(syscap.sampling{ hz = 20000, clock = "wall" })
        coroutine.wrap(function() for i = 1, 50 do leaf(i) end end)()
        coroutine.yield()
        local inner = coroutine.wrap(function()
          sampling:stop()
          if round % 2 == 0 then
            sampling = assert(syscap.sampling{ hz = 20000, clock = "wall" })
          end
          coroutine.yield()
        end)
        inner()
        for i = 1, 50 do leaf(i) end
      end)
      co()
      for i = 1, 50 do leaf(i) end
      co()
      co = nil
      collectgarbage()
      for i = 1, 100 do leaf(i) end
      sampling:stop()
      assert(debug.gethook() == nil)
    end
  ]])
end)

t.test("an interrupt of the interpreter still stops it", function()
  local text, status = t.record([[
    local syscap = require "syscap"
    assert(syscap.sampling{ hz = 20000, clock = "wall" })
    local pid = io.open("/proc/self/stat"):read("n")
    os.execute("(sleep 0.3; kill -INT " .. pid .. ") &")
    while true do end
  ]], { may_fail = true })
  t.equal(status, 1)
  t.check(text:find "interrupted!", text)
end)

t.run()
