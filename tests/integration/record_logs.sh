#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_logs.sh - `syscap record --logs` has a program's messages by syslog(),
# to the journal and by GLib; their destination, and the program's behaviour,
# are the same as without --logs.
set -eu
: "${SYSCAP:?}" "${CC:?}" "${SYSCAP_TEST_BIN:?}" "${SYSCAP_SOURCE:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/record_logs

fail() {
	echo "$*"
	exit 1
}

# logs STATUS COMMAND... - writes its logs, "SEVERITY DOMAIN MESSAGE", to seen
logs() {
	wanted=$1 status=0
	shift
	rm -f l.syscap*
	"$SYSCAP" record -q --no-symbols --logs $more -o l.syscap -- "$@" \
		>out 2>err || status=$?
	[ $status = "$wanted" ] || fail "$*: $status: $(cat err)"
	"$SYSCAP" check l.syscap >/dev/null
	"$SYSCAP" dump l.syscap | sed -n \
		's/.* log .* \([a-z]*\) domain "\(.*\)" message "\(.*\)".*/\1 \2 \3/p' |
		grep -v '^message stderr' >seen || true
}

# expect WHAT - the logs equal standard input
expect() {
	cat >expected
	cmp -s expected seen || fail "$1: $(diff expected seen)"
}

say() {
	logs 0 "$program" syslog
	expect syslog <<-'END'
		critical syslog cannot write: No space left on device
		message syslog a letter
		error syslog the 1 last
	END
	logs 0 "$program" journal
	expect journal <<-'END'
		critical worker it broke
		debug journal one\ntwo
		info journal no newline
	END
	# Invalid datagrams do no harm; long messages are cut
	logs 0 "$program" wrong
	[ "$(wc -l <seen)" = 2 ] || fail "wrong: $(cut -c1-100 seen)"
	grep -q '^info journal more than is there$' seen || fail "wrong"
	grep -q '^info journal x\{8000,8192\}$' seen || fail "a long one"
}
more=''
say
more='--memory --io=1us --stalls --sample=wall --stderr --counters'
say
more=''

if "$program" systemd; then
	logs 0 "$program" systemd
	expect systemd <<-'END'
		warning record_logs disk 3 is full
	END
fi

# No logs without the option
"$SYSCAP" record -q --no-symbols --io -o none.syscap -- "$program" syslog
! "$SYSCAP" dump none.syscap | grep -q ' log ' || fail "unasked"

# Programs that refuse preloading are reported
echo 'int main(void) { return 0; }' >alone.c
if "$CC" -static -o alone alone.c 2>/dev/null; then
	"$SYSCAP" record -q --logs -o alone.syscap -- ./alone 2>err
	grep -q 'no logs of the command: .*static' err || fail "$(cat err)"
fi
SYSCAP_DEBUG=1 SYSCAP_LOGS=x LD_PRELOAD=$("$SYSCAP" record -q --no-symbols \
	--logs -o env.syscap -- sh -c 'echo $LD_PRELOAD') sh -c : 2>err
grep -q "logs are not recorded: SYSCAP_LOGS must be" err || fail "$(cat err)"

pkg-config --exists glib-2.0 || {
	echo "skipped: all about GLib: there is none (libglib2.0-dev)"
	exit 77
}
flags="-O1 -DWITH_GLIB $(pkg-config --cflags glib-2.0)"
libs=$(pkg-config --libs glib-2.0)
# shellcheck disable=SC2086
$CC $flags -o glib "$SYSCAP_SOURCE/tests/integration/record_logs.c" $libs
cat >said <<-'END'
	message story a message of 1
	warning old the old way
	debug story not printed
	info other has fields
	message variant of a variant
END
without_times() {
	sed 's/[0-9][0-9:.]*//g' "$1"
}
# Output is the same as without, also with the program's own writer
for how in default own; do
	./glib glib $how >own_out 2>own_err
	logs 0 ./glib glib $how
	expect "GLib, $how" <said
	without_times own_err >a
	without_times err >b
	cmp -s own_out out && cmp -s a b ||
		fail "GLib, $how: $(diff own_out out; diff a b)"
done
# A second writer ends the process, as without --logs
status=0
(./glib glib twice 2>err) 2>trapped || status=$?
[ $status -gt 128 ] || fail "a second writer: $status"
logs $status ./glib glib twice
expect "a second writer" <<-'END'
	error GLib g_log_set_writer_func() called multiple times
END
status=0
(G_DEBUG=fatal-warnings ./glib glib 2>err) 2>trapped || status=$?
G_DEBUG=fatal-warnings logs $status ./glib glib

# A GLib loaded later with local symbols is not recorded, and sets its writer as
# without --logs
# shellcheck disable=SC2086
$CC $flags -fPIC -shared -o later.so \
	"$SYSCAP_SOURCE/tests/integration/record_logs.c" $libs
cat >later.py <<-'END'
	import ctypes, os
	library = ctypes.CDLL(os.path.abspath("later.so"))
	words = (ctypes.c_char_p * 4)(b"later", b"glib", b"own", None)
	raise SystemExit(library.main(3, words))
END
python3 later.py >own_out 2>own_err
logs 0 python3 later.py
cmp -s own_out out && cmp -s own_err err ||
	fail "a GLib loaded later: $(diff own_out out; diff own_err err)"
