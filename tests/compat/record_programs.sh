# SPDX-License-Identifier: BSD-2-Clause
# record_programs.sh - sourced: record_program NAME OPTION... records one of eight
# real programs to NAME.syscap in this directory; prepare_programs makes their
# inputs.  The caller sets $SYSCAP and $SYSCAP_SOURCE.
#
# A Debian desktop has these programs.  Each runs for some seconds.

no_program() { echo "skip: there is no $*"; exit 77; }

# prepare_programs NAME... - skips the test if a program is not installed
prepare_programs() {
	for name; do
		case $name in
		xz) needed="xz" ;;
		python) needed="python3" ;;
		make) needed="make gcc" ;;
		node) needed="node" ;;
		tar) needed="tar gzip" ;;
		sqlite) needed="sqlite3" ;;
		gjs) needed="gjs" ;;
		widgets) needed="gtk4-widget-factory xvfb-run xauth" ;;
		esac
		for program in $needed; do
			command -v "$program" >/dev/null || no_program "$program"
		done
	done
	mkdir -p -m 700 run build
	export HOME="$PWD" XDG_RUNTIME_DIR="$PWD/run" GDK_BACKEND=x11
	export GSK_RENDERER=cairo

	cat >work.py <<'PY'
import json

rows = [{"id": i, "name": "row %d" % i, "parts": list(range(i % 20))}
        for i in range(20000)]
for turn in range(4):
    with open("rows.json", "w") as file:
        json.dump(rows, file)
    with open("rows.json") as file:
        rows = json.load(file)
print(len(rows))
PY
	cat >work.js <<'JS'
const texts = [];
for (let i = 0; i < 600000; i++)
	texts.push('text ' + (i * 7919) % 600011);
texts.sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
require('fs').writeFileSync('texts', texts.join('\n'));
JS
	cat >work.sql <<'SQL'
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
	INSERT INTO item SELECT i, 'item ' || (i * 7919 % 60013), i % 977 FROM n;
CREATE INDEX item_name ON item(name);
SELECT count(*), sum(a.price) FROM item a JOIN item b USING (name);
SELECT name FROM item ORDER BY price DESC, name LIMIT 3;
SQL
	cat >work-gjs.js <<'JS'
const GLib = imports.gi.GLib;
const loop = new GLib.MainLoop(null, false);
let turns = 0;
function count(n) {
	let words = new Map();
	for (let i = 0; i < n; i++) {
		const word = 'word ' + i % 1000;
		words.set(word, (words.get(word) || 0) + 1);
	}
	return words.size;
}
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 20, () => {
	count(turns % 10 ? 20000 : 400000);
	if (turns % 10 === 0)
		GLib.spawn_command_line_sync('sleep 0.02');
	if (++turns < 60)
		return true;
	loop.quit();
	return false;
});
loop.run();
0; // what a script ends with is gjs's exit status
JS
	cat >Makefile <<'MAKE'
FILES := $(notdir $(wildcard $(SOURCE)/src/compare/*.c))
all: $(FILES:%.c=build/%.o)
build/%.o: $(SOURCE)/src/compare/%.c
	gcc -O2 -g -std=gnu11 -I$(SOURCE)/include -I$(SOURCE)/src -c -o $@ $<
MAKE
	head -c 10000000 "$(command -v node || command -v python3)" >input
}

# record_program NAME OPTION...
record_program() {
	name=$1 status=0
	shift
	rm -rf build items.db
	mkdir build
	set -- "$SYSCAP" record -q --force -o "$name.syscap" "$@" --
	case $name in
	xz) "$@" xz -9 -k -f input ;;
	# Not a shell script that selects an interpreter
	python) PATH="/usr/bin:$PATH" "$@" python3 work.py ;;
	make) "$@" make -j2 SOURCE="$SYSCAP_SOURCE" ;;
	node) "$@" node work.js ;;
	tar) "$@" sh -c 'tar cf - /usr/include | gzip -1 >include.tar.gz' ;;
	sqlite) "$@" sqlite3 items.db <work.sql ;;
	gjs) "$@" gjs work-gjs.js ;;
	widgets) xvfb-run -a "$@" timeout 12 gtk4-widget-factory ;;
	esac >"$name.log" 2>&1 || status=$?
	# The timeout ends a window.
	[ "$name" != widgets ] || [ $status != 124 ] || status=0
	[ $status = 0 ] || { cat "$name.log"; echo "$name: status $status"; exit 1; }
}
