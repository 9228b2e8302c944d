#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sampled.sh WHAT - programs with special uses of signals or threads behave the
# same under `syscap record --sample`.
#
# WHAT is git, ruby, env, qemu, unshare, musl, chromium or firefox.  Reads SYSCAP
# (the command).
set -eu
skip() { echo "skip: $*"; exit 77; }
need() { command -v "$1" >/dev/null || skip "there is no $1"; }
[ -z "${SYSCAP_SANITIZE:-}" ] ||
	skip "programs do not start with a sanitized library preloaded"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work"

# sampled RATE COMMAND... - COMMAND must be unharmed
sampled() {
	rate=$1 status=0
	shift
	"$SYSCAP" record -q -o "$work/capture.syscap" --sample="$rate" -- \
		"$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	[ $status = 0 ] && return
	cat "$work/err"
	echo "--sample=$rate $*: status $status"
	exit 1
}

# each TIMES COMMAND...
each() {
	times=$1
	shift
	for rate in 1000,cpu 1000,wall 10000,wall; do
		i=0
		while [ $i -lt "$times" ]; do
			sampled $rate "$@"
			i=$((i + 1))
		done
	done
}

case $1 in
git)
	need git
	cd "$work" # no repository's settings
	each 50 git -c alias.x='!true' x
	;;
ruby)
	need ruby
	# At its start, Ruby uses all of a limited stack, which leaves no space
	# for a signal handler for a moment.
	ulimit -s unlimited 2>/dev/null || skip "the stack is limited"
	each 3 ruby -e '20.times { IO.popen("true") { |p| p.read }
		exit 1 unless $?.success? }'
	;;
env)
	env --default-signal true 2>/dev/null ||
		skip "env has no --default-signal"
	each 20 env --default-signal true
	;;
qemu)
	need qemu-x86_64
	[ "$(uname -m)" = x86_64 ] || skip "not on this machine"
	each 3 qemu-x86_64 /bin/true
	;;
unshare)
	need unshare
	unshare -U true 2>/dev/null ||
		skip "user namespaces are unavailable without sampling"
	each 5 unshare -U true
	;;
musl)
	need musl-gcc
	cat >"$work/program.c" <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void *work(void *arg) { return arg; }
		static void handle(int signal) { (void)signal; }
		int main(void)
		{
			pthread_t thread;
			int status;
			if (pthread_create(&thread, NULL, work, NULL) != 0 ||
			    pthread_join(thread, NULL) != 0 ||
			    signal(SIGURG, handle) != SIG_DFL ||
			    raise(SIGURG) != 0)
				return 1;
			const pid_t pid = fork();
			if (pid == 0)
				execlp("true", "true", (char *)NULL);
			if (waitpid(pid, &status, 0) != pid || status != 0)
				return 2;
			return puts("unharmed") < 0;
		}
	END
	musl-gcc -O1 -o "$work/program" "$work/program.c" 2>"$work/err" ||
		skip "musl-gcc cannot compile a program"
	"$work/program" >/dev/null || skip "the program does not run without sampling"
	each 2 "$work/program"
	"$SYSCAP" record -o "$work/capture.syscap" --force --sample -- \
		"$work/program" >"$work/out" 2>&1
	grep -q "uses a C library other than glibc" "$work/out" || {
		cat "$work/out"
		echo "the recorder does not say why there are no samples"
		exit 1
	}
	"$SYSCAP" dump "$work/capture.syscap" |
		grep -q "none: the C library is not glibc" || {
		echo "the capture does not say why there are no samples"
		exit 1
	}
	;;
chromium)
	need chromium
	echo '<p id=p></p><script>p.textContent = "drawn " + 6 * 7</script>' \
		>"$work/page.html"
	chmod 777 "$work"
	sandbox='--no-sandbox' as=''
	if [ "${2:-}" = sandbox ]; then
		sandbox=''
		if [ "$(id -u)" = 0 ]; then
			need setpriv
			as='setpriv --reuid=65534 --regid=65534 --clear-groups'
			$as test -x "$SYSCAP" ||
				skip "another user can't read the build"
		fi
	fi
	browse() {
		rm -rf "$work/data"
		$as timeout 100 "$@" chromium --headless $sandbox \
			--disable-gpu --disable-quic --no-first-run \
			--disable-background-networking \
			--disable-component-update --disable-sync \
			--user-data-dir="$work/data" \
			--dump-dom "file://$work/page.html" \
			>"$work/out" 2>"$work/err" </dev/null &&
			grep -q 'drawn 42' "$work/out"
	}
	browse || skip "chromium draws no page without sampling"
	for rate in 1000,cpu 100,wall; do
		browse "$SYSCAP" record -q -o "$work/capture.syscap" --force \
			--sample=$rate -- || {
			tail -n 20 "$work/err"
			echo "no page with --sample=$rate"
			exit 1
		}
	done
	;;
firefox)
	need firefox-esr
	echo '<p>drawn</p>' >"$work/page.html"
	browse() {
		rm -rf "$work/data" "$work/page.png"
		mkdir "$work/data"
		timeout 100 "$@" firefox-esr --headless --no-remote \
			--profile "$work/data" --screenshot "$work/page.png" \
			"file://$work/page.html" \
			>"$work/out" 2>"$work/err" </dev/null &&
			[ -s "$work/page.png" ]
	}
	browse || skip "firefox draws no page without sampling"
	for rate in 1000,cpu; do
		browse "$SYSCAP" record -q -o "$work/capture.syscap" \
			--sample=$rate -- || {
			tail -n 20 "$work/err"
			echo "no page with --sample=$rate"
			exit 1
		}
	done
	;;
*)
	echo "$1?"
	exit 2
	;;
esac
