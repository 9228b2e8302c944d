# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1091,SC2034,SC2164,SC2016
# lua.sh - the rock, in both interpreters.
README=/syscap/bindings/lua/README.md
. /user/fresh/typed.sh
packages 'lua5.4 liblua5.4-dev luajit libluajit-5.1-dev'
packages 'gcc luarocks'
cd /syscap/bindings/lua
typed 'luarocks --lua-version 5.4 make SYSCAP_DIR=/opt/syscap'
has 'luarocks --lua-version 5.1 make SYSCAP_DIR=/opt/syscap \ LUA_INCDIR=/usr/include/luajit-2.1'
echo '$ luarocks --lua-version 5.1 make ...'
luarocks --lua-version 5.1 make SYSCAP_DIR=/opt/syscap \
	LUA_INCDIR=/usr/include/luajit-2.1
cd /user
# The commands that record the program follow in the same block
block 1 | grep -v '^ *\.\.\.$\|syscap record' >app.lua
typed 'syscap record -o app.syscap -- lua5.4 app.lua'
recorded app.syscap 'app +draw'
rm app.syscap
cp /syscap/bindings/lua/examples/frames.lua app.lua
typed 'SYSCAP_SAMPLE=1000 syscap record -o app.syscap -- luajit app.lua'
recorded app.syscap
for lua in lua5.4 luajit; do
	SYSCAP_SAMPLE=1000 syscap record -o $lua.syscap -- $lua \
		/syscap/bindings/lua/examples/scheduler.lua
	recorded $lua.syscap 'scheduler +' scheduler.lua
done
