-- SPDX-License-Identifier: BSD-2-Clause
-- test_sampling.lua - names of functions in the stacks of Lua programs.
local t = dofile(arg[0]:match "^.*/" .. "harness.lua")
local programs = dofile(arg[0]:match "^.*/" .. "programs.lua")

local function sampled(options, seconds)
  return ([[
    local syscap = require "syscap"
    local sampling = assert(syscap.sampling{ %s })
    local seconds = %g
    local began = os.clock()
    do %s end
    local stats = sampling:stats()
    print(("%%d %%d %%d %%g"):format(stats.samples, stats.weight, stats.hz,
                                   os.clock() - began))
    assert(sampling:stop() and not sampling:stop() and not sampling:stats())
  ]]):format(options, seconds, programs.work)
end

t.test("functions, methods and callbacks are named", function()
  t.record(sampled("hz = 1000", 1))
  local stacks = t.stacks()
  local suffix = t.is_jit and " %(.*program%.lua%)" or
                 " %(.*program%.lua:%d+%)"
  for _, name in ipairs { "^leaf", "^alpha", "^paint" } do
    t.check(t.count(stacks, name .. suffix) > 0, name)
  end
  t.check(t.count(stacks, "^sort %[C%]$") > 0, "sort")
  t.check(t.count(stacks, "^main chunk %(.*program%.lua%)$") > 0, "main")
end)

t.test("callers are outside of their callees", function()
  t.record(sampled("hz = 1000", 0.5))
  local n = 0
  for _, stack in ipairs(t.stacks()) do
    local leaf, main
    for i, name in ipairs(stack) do
      if name:find "^leaf" then leaf = leaf or i end
      if name:find "^main chunk" then main = i end
    end
    if leaf and main then
      n = n + 1
      t.check(leaf < main)
      -- a frame for a state of LuaJIT itself precedes the leaf
      t.equal(leaf, t.is_jit and stack[1]:find "^%[%a" and 2 or 1)
    end
  end
  t.check(n > 10, "few stacks hold both: " .. n)
end)

t.test("the sum of weights equals the requested rate", function()
  local text = t.record(sampled("hz = 500", 1.5))
  local samples, weight, hz, seconds =
    text:match "^(%d+) (%d+) (%d+) (%S+)\n$"
  weight, seconds = tonumber(weight), tonumber(seconds)
  t.equal(tonumber(hz), 500)
  t.check(tonumber(samples) > 0)
  t.check(weight > 0.85 * 500 * seconds and weight < 1.05 * 500 * seconds,
          weight .. " in " .. seconds .. " s")
  local sum = 0
  for _, stack in ipairs(t.stacks()) do sum = sum + stack.weight end
  t.check(sum >= weight, sum)
end)

t.test("leaf, where the time is spent, is among the top five", function()
  t.record(sampled("hz = 1000", 1))
  local tops, order = {}, {}
  for _, stack in ipairs(t.stacks()) do
    local name = stack[1]
    if name then
      if not tops[name] then order[#order + 1] = name end
      tops[name] = (tops[name] or 0) + stack.weight
    end
  end
  table.sort(order, function(a, b) return tops[a] > tops[b] end)
  local found
  for i = 1, 5 do found = found or (order[i] or ""):find "^leaf" end
  t.check(found, table.concat(order, ", "))
end)

t.test("the environment starts sampling when the module is loaded", function()
  t.record(([[
    local syscap = require "syscap"
    local joined, why = syscap.sampling()
    assert(joined, why)
    assert(joined:stop())
    local seconds = 0.5
    %s]]):format(programs.work), { environment = "SYSCAP_SAMPLE=1000" })
  t.check(t.count(t.stacks(), "^leaf") > 0)
end)

t.test("a state is sampled once at a time, and again after its end", function()
  t.record(([[
    local syscap = require "syscap"
    for i = 1, 3 do
      local sampling, how = assert(syscap.sampling{ hz = 1000 })
      assert(#how > 0)
      local second, why = syscap.sampling()
      assert(second == nil and why:find "already", why)
      assert(sampling:stop())
    end
    local kept = syscap.sampling{ hz = 1000 }
    kept = nil
    collectgarbage() collectgarbage()
    local seconds = 0.4
    %s]]):format(programs.work))
  t.check(t.count(t.stacks(), "^leaf") > 20)
end)

t.test("a recursion too deep for a sample is cut, not lost", function()
  t.record [[
    local syscap = require "syscap"
    local sampling = assert(syscap.sampling{ hz = 1000 })
    local stop = os.clock() + 0.5
    local function deep(n)
      if n > 0 then return 1 + deep(n - 1) end
      local h = 0
      for i = 1, 5000 do h = (h * 31 + i) % 4294967291 end
      return h
    end
    repeat deep(5000) until os.clock() > stop
  ]]
  local stacks, longest = t.stacks(), 0
  for _, stack in ipairs(stacks) do
    if #stack > longest then longest = #stack end
  end
  t.check(#stacks > 20)
  t.check(longest > 400 and longest <= 512, longest)
end)

if t.is_jit then
  t.test("options that LuaJIT's profiler lacks are refused with a reason",
  function()
    t.record [[
      local syscap = require "syscap"
      for _, options in ipairs { { hz = 2000 }, { clock = "wall" },
                                 { stacks = "native" }, { signal = 34 } } do
        local sampling, why = syscap.sampling(options)
        assert(sampling == nil and why:find "LuaJIT", why)
      end
    ]]
  end)

  t.test("a tick after the end of sampling does not kill the process",
  function()
    t.record [[
      local ffi = require "ffi"
      local syscap = require "syscap"
      ffi.cdef "int raise(int signal);"
      for _ = 1, 2 do
        assert(syscap.sampling{ hz = 1000 }):stop()
        assert(ffi.C.raise(27) == 0) -- SIGPROF
      end
    ]]
  end)

  t.test("stacks are seen with the compiler switched off", function()
    t.record(sampled("hz = 1000", 0.5), { interpreter_arguments = "-joff " })
    t.check(t.count(t.stacks(), "^leaf") > 20)
  end)
else
  t.test("stacks of coroutines continue with their resumer", function()
    t.record(sampled("hz = 1000", 1.5))
    local both, n = 0, 0
    for _, stack in ipairs(t.stacks()) do
      local all = table.concat(stack, "|")
      if all:find "nap %(" then
        n = n + 1
        if all:find "nap %(.*resume %[C%]|one_round.*main chunk" then
          both = both + 1
        end
      end
    end
    t.check(n > 5, n)
    t.check(both > 0, both)
  end)

  t.test("tracking names two functions more than none, of coroutines",
  function()
    local function names(options)
      t.record(sampled(options, 2))
      local set, n = {}, 0
      for _, stack in ipairs(t.stacks()) do
        for _, name in ipairs(stack) do
          if not set[name] then n = n + 1 end
          set[name] = true
        end
      end
      local all = {}
      for name in pairs(set) do all[#all + 1] = name end
      return n, table.concat(all, ", ")
    end
    local with, with_names = names "hz = 1000"
    local without, without_names = names "hz = 1000, coroutines = false"
    t.check(with >= without + 2, with_names .. " // " .. without_names)
    t.check(with_names:find "nap" and not without_names:find "nap")
  end)

  t.test("with the wall clock, samples show the waits of C functions", function()
    t.record [[
      local syscap = require "syscap"
      local sampling <close> = syscap.sampling{ hz = 500, clock = "wall" }
      local function waits()
        local pipe = io.popen("sleep 0.5")
        pipe:read "a"
        pipe:close()
      end
      waits()
    ]]
    local weight = 0
    for _, stack in ipairs(t.stacks()) do
      if table.concat(stack, "|"):find "%[C%]|waits" then
        weight = weight + stack.weight
      end
    end
    t.check(weight > 100, weight)
  end)

  t.test("the running function is innermost, not a hook of syscap", function()
    t.record(sampled("hz = 1000", 1))
    local names, n, inside = {}, 0, 0
    for _, frame in ipairs(t.frames "jitmap") do
      for _, entry in ipairs(frame.names) do names[entry.addr] = true end
    end
    for _, sample in ipairs(t.frames "sample") do
      local has
      for _, address in ipairs(sample.addrs) do has = has or names[address] end
      n = n + (has and 1 or 0)
      inside = inside + (has and not names[sample.addrs[1]] and 1 or 0)
    end
    t.check(n > 0)
    t.equal(inside, 0)
  end)

  t.test("20,000 Hz run clean, with collections and errors", function()
    local seconds = tonumber(os.getenv "SOAK" or 2)
    local text = t.record(sampled('hz = 20000, clock = "wall"', seconds))
    t.check(tonumber(text:match "^(%d+)") > 1000 * seconds, text)
  end)
end

t.run()
