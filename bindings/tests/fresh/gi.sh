# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1091,SC2034,SC2164,SC2016
# gi.sh - the library of GLib in a prefix, from JavaScript, Python and Vala, and
# a Meson project that uses the library.
README=/syscap/bindings/gi/README.md
. /user/fresh/typed.sh
packages 'libglib2.0-dev gobject-introspection libgirepository1.0-dev'
packages 'valac'
packages 'gjs python3-gi'
apt-get install -q -y gcc make cmake meson
prefix=/opt/gi
cd /syscap
cmake -B build -DSYSCAP_INSTALL_GI=ON -DSYSCAP_TESTS=OFF -DSYSCAP_BENCH=OFF &&
	cmake --build build -j 2 && cmake --install build --prefix $prefix
has 'set `LD_LIBRARY_PATH`, `GI_TYPELIB_PATH`, `XDG_DATA_DIRS` (or `GJS_PATH` to the directory above `overrides`) and `PYTHONPATH` (to the directory above `gi`)'
where() { dirname "$(find $prefix -name "$1")"; }
LD_LIBRARY_PATH=$(where libsyscap-glib-1.so)
GI_TYPELIB_PATH=$(where Syscap-1.typelib)
XDG_DATA_DIRS=$prefix/share:/usr/share
PYTHONPATH=$(dirname "$(dirname "$(where Syscap.py)")")
PKG_CONFIG_PATH=$(where syscap-glib-1.pc)
export LD_LIBRARY_PATH GI_TYPELIB_PATH XDG_DATA_DIRS PYTHONPATH PKG_CONFIG_PATH

mkdir -p /user/demo
cd /user/demo
{ block 1; echo 'function draw() {}'; } >app.js
{ echo 'def draw(): pass'; block 2; } >app.py
{ echo 'void draw () {}'; echo 'void main ()'; block 3; } >app.vala

# uses COMMAND...: records
uses() {
	syscap record -o capture.syscap -- "$@"
	recorded capture.syscap 'demo +draw'
	rm capture.syscap
}

typed 'syscap record -- gjs -m app.js'
recorded capture.syscap 'demo +draw'
rm capture.syscap
echo '$ python3 app.py'
uses python3 app.py
echo '$ valac'
valac --vapidir="$(where syscap-glib-1.vapi)" --pkg=syscap-glib-1 app.vala
uses ./app

echo '$ meson'
cat >app.c <<'END'
#include <syscap-glib.h>

int main(void)
{
	g_autoptr(SyscapGlibScope) scope = syscap_glib_scope_new("demo", "draw");

	return scope == NULL && syscap_glib_is_active();
}
END
cat >meson.build <<'END'
project('demo', 'c', 'vala')
add_project_arguments('--vapidir', get_option('vapidir'), language: 'vala')
syscap = dependency('syscap-glib-1')
vapi = meson.get_compiler('vala').find_library('syscap-glib-1',
  dirs: get_option('vapidir'))
executable('in-c', 'app.c', dependencies: syscap)
executable('in-vala', 'app.vala', dependencies: [
  dependency('gobject-2.0'), vapi, syscap])
environment = environment()
environment.prepend('GI_TYPELIB_PATH',
  syscap.get_variable(pkgconfig: 'typelibdir'))
test('gjs', find_program('gjs'), args: ['-m', files('app.js')],
  env: environment)
test('python', find_program('python3'), args: files('app.py'),
  env: environment)
END
echo "option('vapidir', type: 'string')" >meson_options.txt
unset GI_TYPELIB_PATH
meson setup build -Dvapidir="$(where syscap-glib-1.vapi)"
meson compile -C build
uses build/in-c
uses build/in-vala
uses meson test -C build --verbose
