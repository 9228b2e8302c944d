-- SPDX-License-Identifier: BSD-2-Clause
-- scheduler.lua - scheduler of tasks as coroutines, as in games and servers,
-- with timers, channels between tasks, and a task that fails.
--
--	SYSCAP_SAMPLE=1000 syscap record -o scheduler.syscap -- \
--		lua5.4 scheduler.lua
--	syscap stat scheduler.syscap
--
-- The program runs in Lua 5.4 and LuaJIT, also measures itself, and prints the
-- same figures as the capture.
local syscap = require "syscap"

local GROUP = "scheduler"

---------------------------------------------------------------- statistics

-- The number of times and the total duration of each step.
local times = { order = {} }

function times.add(step, ns)
  local known = times[step]
  if known == nil then
    known = { n = 0, ns = 0 }
    times[step] = known
    times.order[#times.order + 1] = step
  end
  known.n, known.ns = known.n + 1, known.ns + ns
end

function times.show()
  for _, step in ipairs(times.order) do
    local known = times[step]
    print(("mark %s %s %d %.3f"):format(GROUP, step, known.n, known.ns / 1e6))
  end
end

-- Records a step as a mark, and also measures the step.
local function measured(step, f, ...)
  local function go(...)
    local began = syscap.now()
    local result = f(...)
    times.add(step, syscap.now() - began)
    return result
  end
  return syscap.within(GROUP, step, go, ...)
end

------------------------------------------------------------------ a queue

local Queue = {}
Queue.__index = Queue

function Queue.new()
  return setmetatable({ first = 1, last = 0 }, Queue)
end

function Queue:push(item)
  self.last = self.last + 1
  self[self.last] = item
end

function Queue:pop()
  if self.first > self.last then return nil end
  local item = self[self.first]
  self[self.first] = nil
  self.first = self.first + 1
  return item
end

function Queue:size()
  return self.last - self.first + 1
end

---------------------------------------------------------------- scheduler

local Scheduler = {}
Scheduler.__index = Scheduler

function Scheduler.new()
  return setmetatable({
    ready = Queue.new(), -- tasks that may continue
    sleeping = {},       -- { till = turn, task = }, the next task first
    turn = 0,
    ended = 0,
    failed = 0,
    waiting = syscap.counter(GROUP, "ready", "Tasks that may continue"),
    done = syscap.counter(GROUP, "ended", "Tasks that have ended"),
  }, Scheduler)
end

-- Each task is an operation that lasts until its end, because tasks overlap.
local last_id = 0

function Scheduler:spawn(name, f, ...)
  last_id = last_id + 1
  local task = { name = name, id = last_id, began = syscap.now() }
  local arguments = { n = select("#", ...), ... }
  task.co = coroutine.create(function()
    return f((unpack or table.unpack)(arguments, 1, arguments.n))
  end)
  syscap.link(GROUP, "task", "begin", task.id, name)
  self.ready:push(task)
  return task
end

function Scheduler:finish(task, ok, message)
  syscap.link(GROUP, "task", "end", task.id, task.name)
  times.add("task", syscap.now() - task.began)
  self.ended = self.ended + 1
  self.done:add()
  if not ok then
    self.failed = self.failed + 1
    syscap.log(GROUP, "warning", "task %s failed: %s", task.name, message)
  end
end

-- A task yields the reason of its wait: nothing, a number of turns, a channel.
function Scheduler:step(task)
  local ok, wait = coroutine.resume(task.co)
  if coroutine.status(task.co) == "dead" then
    self:finish(task, ok, wait)
  elseif type(wait) == "number" then
    self:sleep(task, self.turn + wait)
  elseif type(wait) == "table" then
    wait.readers:push(task)
  else
    self.ready:push(task)
  end
end

function Scheduler:sleep(task, till)
  local at = #self.sleeping + 1
  while at > 1 and self.sleeping[at - 1].till > till do at = at - 1 end
  table.insert(self.sleeping, at, { till = till, task = task })
end

function Scheduler:wake()
  while self.sleeping[1] and self.sleeping[1].till <= self.turn do
    self.ready:push(table.remove(self.sleeping, 1).task)
  end
end

-- Runs one turn, in which each ready task continues once.
local function turn(self)
  self:wake()
  for _ = 1, self.ready:size() do
    self:step(self.ready:pop())
  end
end

function Scheduler:run()
  while self.ready:size() > 0 or #self.sleeping > 0 do
    self.turn = self.turn + 1
    measured("turn", turn, self)
    self.waiting:update(self.ready:size())
  end
end

----------------------------------------------------------------- channels

local Channel = {}
Channel.__index = Channel

function Channel.new(scheduler)
  return setmetatable({
    items = Queue.new(), readers = Queue.new(), scheduler = scheduler,
  }, Channel)
end

function Channel:put(item)
  self.items:push(item)
  local reader = self.readers:pop()
  if reader then self.scheduler.ready:push(reader) end
end

function Channel:get()
  while self.items:size() == 0 do coroutine.yield(self) end
  return self.items:pop()
end

-------------------------------------------------------- work of the tasks

local function mix(h, i)
  return (h * 31 + i) % 16777213
end

local function hash(seed)
  local h = seed
  for i = 1, 4000 do h = mix(h, i) end
  return h
end

-- Makes numbers, and sleeps after each number.
local function produce(channel, count, seed)
  for i = 1, count do
    channel:put(measured("produce", hash, seed + i))
    coroutine.yield(1 + i % 3)
  end
end

local function sort_numbers(numbers)
  local copy = {}
  for round = 1, 3 do
    for i = 1, #numbers do copy[i] = (numbers[i] * round) % 65521 end
    table.sort(copy, function(a, b) return a > b end)
  end
  return copy[1]
end

-- Takes numbers, and sorts all numbers after every tenth number.
local function consume(channel, count)
  local numbers = {}
  for i = 1, count do
    numbers[i] = channel:get()
    if i % 10 == 0 then measured("sort", sort_numbers, numbers) end
  end
  syscap.log(GROUP, "info", "%d numbers are sorted", #numbers)
end

local function fail(after)
  for _ = 1, after do coroutine.yield() end
  error("as it was meant to", 0)
end

local function main(count)
  local scheduler = Scheduler.new()
  local channel = Channel.new(scheduler)
  local n_producers = 4
  syscap.metadata("scheduler.count", tostring(count))
  for i = 1, n_producers do
    scheduler:spawn("producer-" .. i, produce, channel, count, i * 1000)
  end
  for i = 1, 2 do
    scheduler:spawn("consumer-" .. i, consume, channel,
                    count * n_producers / 2)
  end
  scheduler:spawn("failing", fail, 5)
  scheduler:run()

  assert(scheduler.ended == n_producers + 3 and scheduler.failed == 1)
  times.show()
  print("counter", GROUP, "ended", scheduler.ended)
  print("logs", GROUP, 3)
  -- LuaJIT shows the frames of a coroutine without the frames of its resumer
  for _, name in ipairs(jit and { "mix" } or { "mix", "step" }) do
    print("stack", "^" .. name .. "\\b")
  end
end

main(tonumber(arg[1]) or (jit and 1000 or 150))
