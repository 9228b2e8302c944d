-- SPDX-License-Identifier: BSD-2-Clause
-- harness.lua - functions for tests of the binding, which record programs and
-- read captures.  This file runs in the tested interpreter.
local harness = {}

local interpreter = arg[-1]
local syscap = assert(os.getenv "SYSCAP", "SYSCAP: the command is missing")
local tests, failures = {}, 0

harness.is_jit = jit ~= nil

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

function harness.path(name)
  return folder .. "/" .. name
end

local function quote(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- Returns the output of @command, and its exit status.
function harness.output(command)
  local pipe = assert(io.popen(command .. "; echo \" $?\"", "r"))
  local text = pipe:read "*a"
  pipe:close()
  local body, status = text:match "^(.*) (%d+)\n$"
  return body, tonumber(status)
end

---------------------------------------------------------------------- JSON

local escapes = {
  n = "\n", t = "\t", r = "\r", b = "\b", f = "\f",
}

local function parse(text, at)
  at = text:find("%S", at)
  local first = text:sub(at, at)
  if first == "{" or first == "[" then
    local object, key = {}, nil
    at = text:find("%S", at + 1)
    while not text:find("^[%]}]", at) do
      if first == "{" then
        key, at = parse(text, at)
        at = text:find(":", at, true) + 1
      else
        key = #object + 1
      end
      object[key], at = parse(text, at)
      at = text:find("[^%s,]", at)
    end
    return object, at + 1
  elseif first == '"' then
    local parts = {}
    at = at + 1
    while true do
      local stop = text:find('["\\]', at)
      parts[#parts + 1] = text:sub(at, stop - 1)
      if text:sub(stop, stop) == '"' then
        return table.concat(parts), stop + 1
      end
      local kind = text:sub(stop + 1, stop + 1)
      if kind == "u" then
        parts[#parts + 1] =
          string.char(tonumber(text:sub(stop + 2, stop + 5), 16) % 256)
        at = stop + 6
      else
        parts[#parts + 1] = escapes[kind] or kind
        at = stop + 2
      end
    end
  end
  local word = text:match("^[%w%.%+%-]+", at)
  local value = tonumber(word)
  if word == "true" or word == "false" then value = word == "true" end
  return value, at + #word
end

----------------------------------------------------------------- recordings

-- Runs a command under `syscap record`, and returns its output and status.
function harness.record_command(command, options)
  options = options or {}
  local capture = harness.path "capture.syscap"
  local text, status = harness.output(
    (options.environment or "") .. " " .. quote(syscap) ..
    " record -q --force " .. (options.record or "") .. " -o " ..
    quote(capture) .. " -- " .. command .. " 2>&1")
  if status ~= 0 and not options.may_fail then
    error("the program failed: " .. text, 0)
  end
  local _, damaged = harness.output(quote(syscap) .. " check " ..
                                    quote(capture) .. " 2>&1")
  if damaged ~= 0 then error("the capture is damaged", 0) end
  return text, status
end

-- Records a chunk in the tested interpreter, and returns output and status.
function harness.record(chunk, options)
  options = options or {}
  local program = harness.path "program.lua"
  local file = assert(io.open(program, "w"))
  file:write(chunk)
  file:close()
  return harness.record_command(
    (options.before or "") .. quote(interpreter) .. " " ..
    (options.interpreter_arguments or "") .. quote(program), options)
end

-- Returns the frames of a type in the last recording.
function harness.frames(kind)
  local frames = {}
  local pipe = assert(io.popen(quote(syscap) .. " dump --json --type " ..
                               kind .. " " ..
                               quote(harness.path "capture.syscap")))
  for line in pipe:lines() do frames[#frames + 1] = (parse(line, 1)) end
  pipe:close()
  return frames
end

-- Returns the marks of the last recording, by "group.name".
function harness.marks()
  local marks = {}
  for _, mark in ipairs(harness.frames "mark") do
    local key = mark.group .. "." .. mark.name
    marks[key] = marks[key] or {}
    table.insert(marks[key], mark)
  end
  return marks
end

-- Returns the last recording's stacks: { weight =, names of functions... }
function harness.stacks()
  local names, stacks = {}, {}
  for _, frame in ipairs(harness.frames "jitmap") do
    for _, entry in ipairs(frame.names) do names[entry.addr] = entry.name end
  end
  for _, sample in ipairs(harness.frames "sample") do
    local stack = { weight = sample.weight, tid = sample.tid }
    for _, address in ipairs(sample.addrs) do
      if names[address] then stack[#stack + 1] = names[address] end
    end
    stacks[#stacks + 1] = stack
  end
  return stacks
end

-- Returns the number of stacks with a name that matches.
function harness.count(stacks, pattern)
  local n = 0
  for _, stack in ipairs(stacks) do
    for _, name in ipairs(stack) do
      if name:find(pattern) then
        n = n + 1
        break
      end
    end
  end
  return n
end

-------------------------------------------------------------------- checks

function harness.equal(got, want, what)
  if got ~= want then
    error((what and what .. ": " or "") .. tostring(got) .. ", not " ..
          tostring(want), 2)
  end
end

function harness.check(value, what)
  if not value then error(what or "not true", 2) end
  return value
end

function harness.test(name, body)
  tests[#tests + 1] = { name = name, body = body }
end

function harness.run()
  for _, test in ipairs(tests) do
    if not arg[1] or test.name:find(arg[1], 1, true) then
      local ok, why = xpcall(test.body, debug.traceback)
      print((ok and "ok    " or "FAILED ") .. test.name)
      if not ok then
        print(why)
        failures = failures + 1
      end
    end
  end
  os.execute("rm -rf " .. folder)
  os.exit(failures == 0 and 0 or 1)
end

return harness
