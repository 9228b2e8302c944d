#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# harmless.sh [PROGRAM...] - the table: what many programs do under `syscap record`
# with samples by either clock, with --memory, and with all collectors at once:
# exit status and output as without us, or harmed.
# Those that are not installed, or do not run by themselves, are said.
#
# Reads SYSCAP (the command), SYSCAP_RUNS (of each that takes < 0.5 s; 20).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -z "${SYSCAP_SANITIZE:-}" ] || {
	echo "skip: programs do not start with a sanitized library preloaded"
	exit 77
}
export RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" # behind a shim, cargo too
export CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}"
export HOME="$work" LC_ALL=C
runs=${SYSCAP_RUNS:-20} wanted=" $* " harmed=0
cd "$work"
head -c 3000000 /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 -nosalt \
	>data 2>/dev/null || head -c 3000000 /dev/urandom >data
cat >fib.c <<-'END'
	#include <stdio.h>
	static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
	int main(void) { return printf("%d\n", f(27)) < 0; }
END
cat >J.java <<-'END'
	public class J {
		static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
		public static void main(String[] a) throws Exception {
			Thread t = new Thread(() -> System.out.println(f(27)));
			t.start();
			t.join();
		}
	}
END
echo 'fn main() { let t = std::thread::spawn(|| (0..100000u64).sum::<u64>());
	println!("{}", t.join().unwrap()); }' >t.rs
printf 'all: a b c d\na b c d:\n\t@gcc -O2 -o $@.out fib.c\n' >Makefile

now() { date +%s%N; }

# row NAME COMMAND... - one line of the table
row() {
	name=$1 times=$runs line=
	shift
	case $wanted in "  " | *" $name "*) ;; *) return 0 ;; esac
	command -v "$1" >/dev/null || {
		printf '%-22s not installed\n' "$name"
		return 0
	}
	from=$(now)
	status=0
	"$@" >plain 2>/dev/null </dev/null || status=$?
	[ $(($(now) - from)) -lt 500000000 ] || times=3
	"$@" >again 2>/dev/null </dev/null || true
	same=1
	cmp -s plain again || same=0 # what differs by itself tells nothing
	for how in cpu wall memory all; do
		case $how in
		memory) options=--memory ;;
		all) options="--memory --sample --counters --stderr" ;;
		*) options=--sample=1000,$how ;;
		esac
		bad=0 i=0
		while [ $i -lt "$times" ]; do
			got=0
			# shellcheck disable=SC2086 # several options
			timeout 120 "$SYSCAP" record -q --force -o capture \
				$options -- "$@" >out 2>/dev/null \
				</dev/null || got=$?
			if [ $got != $status ] ||
				{ [ $same = 1 ] && ! cmp -s plain out; }; then
				bad=$((bad + 1))
			fi
			i=$((i + 1))
		done
		[ $bad = 0 ] || harmed=$((harmed + 1))
		line="$line  $how: $bad of $times"
	done
	printf '%-22s status %3d%s\n' "$name" $status "$line"
}

row git-alias git -c alias.x='!true' x
row git-gc sh -c 'rm -rf r; git init -q r; cd r; cp ../data .; git add .;
	git -c user.name=a -c user.email=a@b commit -qm a; git gc -q'
row git-rebase sh -c 'rm -rf s; git init -q s; cd s; git config user.name a
	git config user.email a@b; git commit -q --allow-empty -m 0
	for i in 1 2 3 4 5 6 7 8; do echo $i >f$i; git add .; git commit -qm $i
	done; git checkout -q -b o HEAD~5; echo x >x; git add .
	git commit -qm x; git rebase -q o - >/dev/null 2>&1 ||
	git rebase -q o; git log --format=%s'
row env env --default-signal true
row bash bash -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	/bin/echo $i; done'
row make make -s -B -j4
row gcc gcc -O2 fib.c -o fib.out
row clang clang -O2 fib.c -o fib.out
row g++ g++ -O2 -x c++ fib.c -o fib.out
row rustc rustc t.rs -o t.out
row cargo cargo --version
row xz xz -T2 -kc data
row gzip gzip -nkc data
row sqlite3 sqlite3 :memory: 'with recursive n(i) as (select 1 union all
	select i + 1 from n where i < 200000) select sum(i) from n'
row perl perl -e 'for (1..20) { print `echo $_` } my $s = 0;
	$s += $_ for 1..500000; print $s'
row ruby sh -c 'ulimit -s unlimited 2>/dev/null
	ruby -e "20.times { |i| IO.popen(%q(true)) { |p| p.read }
	abort unless \$?.success? }; Thread.new { puts 6 * 7 }.join"'
row python3 python3 -c 'import subprocess, threading
[subprocess.run(["true"], check=True) for i in range(10)]
t = threading.Thread(target=lambda: print(sum(range(300000)))); t.start(); t.join()'
row node node -e 'const { Worker } = require("worker_threads");
	new Worker("let s = 0; for (let i = 0; i < 1e6; i++) s += i;" +
	"console.log(s)", { eval: true })'
[ ! -x "$(command -v javac || true)" ] || javac J.java 2>/dev/null || true
row java java -cp . J
row java-frame-pointers java -XX:+PreserveFramePointer -cp . J
row openssl-speed sh -c 'openssl speed -seconds 1 -evp aes-128-gcm >/dev/null'
row openssl-digest openssl dgst -sha256 data
row emacs emacs -Q --batch --eval '(princ (call-process "true"))'
row qemu-user qemu-x86_64 /bin/true
row valgrind valgrind -q /bin/true
row strace strace -o /dev/null /bin/true
row gdb gdb -q -batch -ex run -ex 'print 6*7' /bin/true
row unshare unshare -U true
row bwrap bwrap --ro-bind / / --unshare-user true
row sudo sudo -n true
row perf perf --version
row psql-server sh -c 'd=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
	[ "$(id -u)" != 0 ] || exit 3
	rm -rf pg; "$d/initdb" -D pg >/dev/null &&
	"$d/pg_ctl" -D pg -w -o "-p 54999 -k $PWD" start >/dev/null &&
	"$d/psql" -p 54999 -h "$PWD" -c "select 42" postgres &&
	"$d/pg_ctl" -D pg -w stop >/dev/null'
row ffmpeg ffmpeg -v error -f lavfi -i testsrc=d=1 -f null -
row php php -r 'echo array_sum(range(1, 100000));'
row R R -s -e 'sum(1:1000)'
row octave octave-cli --eval 'disp(sum(1:1000))'
row go go version
row redis redis-server --version
row nginx nginx -v
row libreoffice soffice --version
row chromium-version chromium --version
echo "$harmed harmed"
[ $harmed = 0 ]
