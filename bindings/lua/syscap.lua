-- SPDX-License-Identifier: BSD-2-Clause
-- syscap.lua - the module syscap, made of all functions of syscap.core.  LuaJIT
-- compiles calls by FFI, but not calls of C functions, so this file defines the
-- frequent functions again for LuaJIT.
local core = require "syscap.core"

local has_jit, jit = pcall(require, "jit")
if not has_jit then return core end

-- A second load, after a clear of package.loaded.syscap, changes nothing.
if core.scope then return core end

local pcall, select, setmetatable, type = pcall, select, setmetatable, type

-------------------------------------------------------------------- by FFI

-- In the interpreter a call by FFI costs twice as much as a C function.
if jit.status() then
  local ffi = require "ffi"
  local C = ffi.load(assert(package.searchpath("syscap.core", package.cpath)))
  local format = string.format

  ffi.cdef [[
    struct syscap_counter { char category[32]; char name[32]; };
    int syscap_lua_is_active(void);
    double syscap_lua_now(void);
    double syscap_lua_begin(void);
    struct syscap_lua_site { char texts[64]; };
    int syscap_lua_site(struct syscap_lua_site *, const char *, const char *);
    void syscap_lua_mark_at(const struct syscap_lua_site *, double, double,
                            const char *);
    void syscap_lua_since_at(const struct syscap_lua_site *, double,
                             const char *);
    void syscap_lua_instant_at(const struct syscap_lua_site *, const char *);
    void syscap_lua_mark(const char *, const char *, double, double,
                         const char *);
    void syscap_lua_mark_id(uint32_t, double, double, const char *);
    void syscap_lua_since(const char *, const char *, double, const char *);
    void syscap_lua_since_id(uint32_t, double, const char *);
    void syscap_lua_instant(const char *, const char *, const char *);
    void syscap_lua_instant_id(uint32_t, const char *);
    void syscap_lua_log(unsigned, const char *, const char *);
    struct syscap_counter *syscap_lua_counter(const char *, const char *,
                                              const char *, uint32_t);
    void syscap_lua_counter_set(struct syscap_counter *, double);
    void syscap_lua_counter_update(struct syscap_counter *, double);
    void syscap_lua_counter_add(struct syscap_counter *, double);
  ]]

  -- Converts a message like C functions: numbers are texts, too.
  local function text(message)
    return type(message) == "number" and tostring(message) or message
  end

  function core.is_active()
    return C.syscap_lua_is_active() ~= 0
  end

  function core.now()
    return C.syscap_lua_now()
  end

  function core.begin()
    return C.syscap_lua_begin()
  end

  -- Sites by group and name, and by number.  Programs may make any number of
  -- names, and names after the first MAX are passed as texts.
  local Site = ffi.typeof "struct syscap_lua_site"
  local MAX = 4096
  local named, numbered, n_named = {}, {}, 0

  local function check(caller, arg, value)
    value = text(value)
    if type(value) == "string" then return value end
    error(("bad argument #%d to '%s' (string expected, got %s)"):format(
          arg, caller, type(value)), 4)
  end

  -- Adds a site to named and returns the site, or nil if named is full.
  local function keep(caller, group, name)
    group, name = check(caller, 1, group), check(caller, 2, name)
    if n_named >= MAX then return nil end
    local site = Site()
    if C.syscap_lua_site(site, group, name) == 0 then return nil end
    local of_group = named[group]
    if not of_group then
      of_group = {}
      named[group] = of_group
    end
    if not of_group[name] then n_named = n_named + 1 end
    of_group[name] = site
    return site
  end

  local function find(caller, group, name)
    local of_group = named[group]
    return of_group and of_group[name] or keep(caller, group, name)
  end

  local id = core.id
  local NONE = 0xffffffff -- id without space in the table: marks are not recorded

  function core.id(group, name)
    local number = id(group, name) -- raises the errors
    if number ~= NONE and not numbered[number] then
      numbered[number] = find("id", group, name)
    end
    return number
  end

  function core.mark(group, name, begin, duration, message)
    if C.syscap_lua_is_active() == 0 then return end
    if type(group) == "number" then
      local site = numbered[group]
      if site then
        C.syscap_lua_mark_at(site, name, begin, text(duration))
      else
        C.syscap_lua_mark_id(group, name, begin, text(duration))
      end
      return
    end
    local site = find("mark", group, name)
    if site then
      C.syscap_lua_mark_at(site, begin, duration, text(message))
    else
      C.syscap_lua_mark(group, text(name), begin, duration, text(message))
    end
  end

  function core.since(group, name, begin, message)
    if C.syscap_lua_is_active() == 0 then return end
    if type(group) == "number" then
      local site = numbered[group]
      if site then
        C.syscap_lua_since_at(site, name, text(begin))
      else
        C.syscap_lua_since_id(group, name, text(begin))
      end
      return
    end
    local site = find("since", group, name)
    if site then
      C.syscap_lua_since_at(site, begin, text(message))
    else
      C.syscap_lua_since(group, text(name), begin, text(message))
    end
  end

  function core.instant(group, name, message)
    if C.syscap_lua_is_active() == 0 then return end
    if type(group) == "number" then
      local site = numbered[group]
      if site then
        C.syscap_lua_instant_at(site, text(name))
      else
        C.syscap_lua_instant_id(group, text(name))
      end
      return
    end
    local site = find("instant", group, name)
    if site then
      C.syscap_lua_instant_at(site, text(message))
    else
      C.syscap_lua_instant(group, text(name), text(message))
    end
  end

  local severities = {
    debug = 128, info = 64, message = 32, warning = 16, critical = 8,
    error = 4,
  }

  function core.log(domain, severity, message, ...)
    if C.syscap_lua_is_active() == 0 then return end
    local number = severities[severity] or severities.message
    if select("#", ...) > 0 then message = format(message, ...) end
    C.syscap_lua_log(number, domain, text(message))
  end

  local Counter = {}
  Counter.__index = Counter

  function Counter:set(value)
    if C.syscap_lua_is_active() == 0 then return end
    C.syscap_lua_counter_set(self.pointer, value)
  end

  function Counter:update(value)
    if C.syscap_lua_is_active() == 0 then return end
    C.syscap_lua_counter_update(self.pointer, value)
  end

  function Counter:add(n)
    C.syscap_lua_counter_add(self.pointer, n or 1)
  end

  function Counter:__tostring()
    if self.pointer == nil then return "syscap.counter (not recorded)" end
    return "syscap.counter " .. ffi.string(self.pointer.category) .. "." ..
           ffi.string(self.pointer.name)
  end

  local counter = core.counter

  function core.counter(category, name, description, kind)
    counter(category, name, description, kind) -- raises the errors
    local pointer = C.syscap_lua_counter(category, name, description or "",
                                         kind == "float" and 1 or 0)
    return setmetatable({ pointer = pointer }, Counter)
  end
end

-------------------------------------------------------------------- scopes

local begin, since, id = core.begin, core.since, core.id

local Scope = {}
Scope.__index = Scope
Scope.__metatable = "syscap.scope"

function Scope:finish(message)
  local from = self.from
  if from == 0 then return end
  self.from = 0
  if self.name then
    since(self.group, self.name, from, message or self.message)
  else
    since(self.group, from, message or self.message)
  end
end

Scope.__close = Scope.finish -- for Lua versions that have <close>

function Scope:__tostring()
  return "syscap.scope (" .. (self.from ~= 0 and "open" or "finished") .. ")"
end

local ended = setmetatable({ from = 0 }, Scope)

function core.scope(group, name, message)
  local from = begin()
  if from == 0 then return ended end
  if type(group) == "number" then
    return setmetatable({ group = group, from = from, message = name }, Scope)
  end
  return setmetatable(
    { group = group, name = name, from = from, message = message }, Scope)
end

-- Makes the mark, and returns the results of pcall() or raises its error.
local function leave(number, from, ok, ...)
  since(number, from)
  if not ok then error((...), 0) end
  return ...
end

local function leave_named(group, name, from, ok, ...)
  since(group, name, from)
  if not ok then error((...), 0) end
  return ...
end

local function within_id(number, f, ...)
  local from = begin()
  if from == 0 then return f(...) end
  return leave(number, from, pcall(f, ...))
end

function core.within(group, name, f, ...)
  if type(group) == "number" then return within_id(group, name, f, ...) end
  local from = begin()
  if from == 0 then return f(...) end
  return leave_named(group, name, from, pcall(f, ...))
end

-- Returns the id for a function without a site: the place of its definition.
local function id_of_function(f)
  local info = debug.getinfo(f, "S")
  return id("lua", info.what == "C" and info.short_src
                   or info.short_src .. ":" .. info.linedefined)
end

function core.traced(group, name, f)
  local number
  if type(group) == "function" then
    if name ~= nil then
      error("bad argument #2 to 'traced' (traced(f) or " ..
            "traced(group, name, f) was expected)", 2)
    end
    number, f = id_of_function(group), group
  elseif type(group) == "number" then
    number, f = group, name
  else
    number = id(group, name)
  end
  if type(f) ~= "function" then
    error("bad argument #" .. (type(group) == "number" and 2 or 3) ..
          " to 'traced' (function expected, got " .. type(f) .. ")", 2)
  end
  return function(...)
    local from = begin()
    if from == 0 then return f(...) end
    return leave(number, from, pcall(f, ...))
  end
end

return core
