-- SPDX-License-Identifier: BSD-2-Clause
-- frames.lua - a drawing loop that records its work, for Lua 5.4 and LuaJIT:
--
--	syscap record -o frames.syscap -- lua5.4 frames.lua
--	syscap stat frames.syscap
local syscap = require "syscap"

local n_frames = syscap.counter("demo", "frames", "Frames drawn so far")
local load = syscap.counter("demo", "load", "Of a frame's time", "float")
local draw_id = syscap.id("demo", "draw") -- one look-up for all marks

local function shade(x, y)
  return (x * x + y * y) % 255
end

local function draw(size)
  local sum = 0
  for y = 1, size do
    for x = 1, size do sum = sum + shade(x, y) end
  end
  return sum
end

local load_scene = syscap.traced("demo", "load_scene", function(name)
  if name == "missing" then error("no scene " .. name) end
  return { name = name, size = 200 }
end)

local sampling, how = syscap.sampling { hz = 1000 }
print(how)

local scene = load_scene "default"
pcall(load_scene, "missing") -- the failed call is a mark, too

for i = 1, 60 do
  local from = syscap.begin()
  syscap.within(draw_id, draw, scene.size)
  n_frames:set(i)
  load:set((syscap.now() - from) / 16666667)
  syscap.log("demo", "debug", "frame %d is drawn", i)
end

if sampling then sampling:stop() end
