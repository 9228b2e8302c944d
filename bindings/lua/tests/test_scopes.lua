-- SPDX-License-Identifier: BSD-2-Clause
-- test_scopes.lua - marks of scopes: one mark in every way to leave a scope.
local t = dofile(arg[0]:match "^.*/" .. "harness.lua")

t.test("a finished scope is one mark that lasts from its beginning", function()
  t.record [[
    local syscap = require "syscap"
    local s = syscap.scope("app", "explicit", "begun")
    local stop = os.clock() + 0.01
    while os.clock() < stop do end
    s:finish()
    s:finish("again")
    syscap.scope("app", "renamed", "begun"):finish("done")
  ]]
  local marks = t.marks()
  t.equal(#marks["app.explicit"], 1)
  t.check(marks["app.explicit"][1].duration >= 9000000)
  t.equal(marks["app.explicit"][1].message, "begun")
  t.equal(marks["app.renamed"][1].message, "done")
end)

t.test("within() gives on arguments, results and errors", function()
  t.record [[
    local syscap = require "syscap"
    local function f(...) return select("#", ...), ... end
    local n, a, b, c = syscap.within("app", "call", f, 1, nil, nil)
    assert(n == 3 and a == 1 and b == nil and c == nil)
    local thing = {}
    local ok, why = pcall(syscap.within, "app", "fails", error, thing)
    assert(not ok and why == thing)
    assert(not pcall(syscap.within, "app", "no function"))
  ]]
  local marks = t.marks()
  t.equal(#marks["app.call"], 1)
  t.equal(#marks["app.fails"], 1)
end)

t.test("traced() marks each call by where the function is defined", function()
  t.record [[
    local syscap = require "syscap"
    local count
    count = syscap.traced(function(n)
      if n == 0 then error "zero" end
      return pcall(count, n - 1)
    end)
    pcall(count, 3)
    local named = syscap.traced("app", "named", function(...) return ... end)
    assert(select("#", named(nil, nil)) == 2)
    syscap.traced(syscap.id("app", "rep"), string.rep)("x", 3)
  ]]
  local marks = t.marks()
  local n = 0
  for key, list in pairs(marks) do
    if key:find "^lua%..*program%.lua:3$" then n = #list end
  end
  t.equal(n, 4)
  t.equal(#marks["app.named"], 1)
  t.equal(#marks["app.rep"], 1)
end)

t.test("a yield inside of within() and traced() keeps them open", function()
  t.record [[
    local syscap = require "syscap"
    local f = syscap.traced("lua", "f", function(a)
      return coroutine.yield(a)
    end)
    local co = coroutine.wrap(function(a)
      return syscap.within("app", "outer", function() return f(a) end)
    end)
    assert(co(1) == 1)
    syscap.instant("app", "between")
    assert(co(2) == 2)
  ]]
  local marks = t.marks()
  local between = marks["app.between"][1].time
  for _, key in ipairs { "lua.f", "app.outer" } do
    local mark = marks[key][1]
    t.check(mark.time < between and mark.time + mark.duration > between, key)
  end
end)

t.test("scopes without an end are collected and make no mark", function()
  t.record [[
    local syscap = require "syscap"
    for i = 1, 1000 do syscap.scope("app", "left " .. i, "m" .. i) end
    collectgarbage() collectgarbage()
    for i = 1, 1000 do
      local co = coroutine.wrap(function()
        local s = syscap.scope("app", "left", "m")
        coroutine.yield()
        s:finish()
      end)
      co()
    end
    collectgarbage() collectgarbage()
    syscap.instant("app", "end")
  ]]
  t.equal(#t.frames "mark", 1)
end)

t.test("texts of a scope live until it is finished", function()
  t.record [[
    local syscap = require "syscap"
    local open = {}
    for i = 1, 200 do
      open[i] = syscap.scope("group " .. i, "name " .. i, "message " .. i)
    end
    collectgarbage() collectgarbage()
    local churn = {}
    for i = 1, 20000 do churn[i] = "other text " .. i end
    for i = 1, 200 do open[i]:finish() end
  ]]
  local marks = t.marks()
  for i = 1, 200 do
    t.equal(marks["group " .. i .. ".name " .. i][1].message, "message " .. i)
  end
end)

if not t.is_jit then
  t.test("<close> makes the mark at break, return and goto", function()
    t.record [[
      local syscap = require "syscap"
      local function f()
        for i = 1, 3 do
          local s <close> = syscap.scope("app", "loop", "m" .. i)
          if i == 1 then goto continue end
          if i == 2 then return end
          ::continue::
        end
      end
      f()
      while true do
        local s <close> = syscap.scope("app", "break")
        break
      end
    ]]
    local marks = t.marks()
    t.equal(#marks["app.loop"], 2)
    t.equal(marks["app.loop"][2].message, "m2")
    t.equal(#marks["app.break"], 1)
  end)

  t.test("an error that passes closes scopes, the innermost first", function()
    t.record [[
      local syscap = require "syscap"
      local function f(n)
        local s <close> = syscap.scope("app", "level " .. n)
        if n == 0 then error { "thrown" } end
        return f(n - 1), 1
      end
      local ok, why = pcall(f, 3)
      assert(not ok and why[1] == "thrown")
    ]]
    local order = {}
    for _, mark in ipairs(t.frames "mark") do
      order[#order + 1] = mark.name
    end
    t.equal(table.concat(order, " "), "level 0 level 1 level 2 level 3")
  end)

  t.test("coroutine.close() closes the scopes inside", function()
    t.record [[
      local syscap = require "syscap"
      local co = coroutine.create(function()
        local s <close> = syscap.scope("app", "inside")
        coroutine.yield()
      end)
      coroutine.resume(co)
      assert(coroutine.close(co))
    ]]
    t.equal(#t.marks()["app.inside"], 1)
  end)

  t.test("message handlers see the stack inside of within()", function()
    t.record [[
      local syscap = require "syscap"
      local function culprit() error "oops" end
      local traced = syscap.traced(culprit)
      local _, trace = xpcall(function()
        syscap.within("app", "w", function() traced() end)
      end, debug.traceback)
      assert(trace:find "culprit" or trace:find ":2:", trace)
      assert(select(2, trace:gsub("program.lua:2", "")) >= 2, trace)
    ]]
  end)
end

t.run()
