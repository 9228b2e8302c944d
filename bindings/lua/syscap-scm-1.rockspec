-- SPDX-License-Identifier: BSD-2-Clause
-- For LuaRocks: run `luarocks make` in this directory.  Set SYSCAP_DIR=... if
-- syscap is outside of the compiler's search paths.
rockspec_format = "3.0"
package = "syscap"
version = "scm-1"
source = {
  url = "git+file://.",
}
description = {
  summary = "Tell a profiler what your program is doing",
  detailed = [[
    Marks, scopes, counters, logs and sampled stacks of Lua programs, recorded
    by `syscap record` or any profiler that speaks Sysprof's protocol.
    For Lua 5.4 and LuaJIT 2.1.
  ]],
  license = "BSD-2-Clause",
  maintainer = "The syscap authors",
  labels = { "profiling", "tracing", "instrumentation", "sysprof" },
}
supported_platforms = { "linux" }
dependencies = {
  "lua >= 5.1, < 5.5",
}
external_dependencies = {
  SYSCAP = { header = "syscap.h", library = "libsyscap.a" },
}
build = {
  type = "command",
  build_command = "$(CC) -std=gnu11 -O2 -g -fPIC -fvisibility=hidden -shared"
    .. " -I$(LUA_INCDIR) -I$(SYSCAP_INCDIR) -o core.so src/*.c"
    .. " $(SYSCAP_LIBDIR)/libsyscap.a -pthread -Wl,-z,nodelete",
  install = {
    lua = { ["syscap"] = "syscap.lua" },
    lib = { ["syscap.core"] = "core.so" },
  },
}
