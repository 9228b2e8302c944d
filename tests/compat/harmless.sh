#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# harmless.sh [PROGRAM...] - the table of docs/harmless.md: many programs under
# `syscap record`, by each clock, with --memory, and with all collectors at
# once.  A program is harmed if its exit status or output changes.  The table
# also has the delivered samples and the cost (harmless_row.py).  Programs that
# are not installed are listed.
#
# Reads SYSCAP (the command), SYSCAP_RUNS and SYSCAP_COLUMNS (harmless_row.py).
set -eu
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -z "${SYSCAP_SANITIZE:-}" ] || {
	echo "skip: programs do not start with a sanitized library preloaded"
	exit 77
}
export RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" # for shims, also of cargo
export CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}"
export HOME="$work" LC_ALL=C
row=$(cd "$(dirname "$0")" && pwd)/harmless_row.py
wanted=" $* " harmed=0 missing=
cd "$work"
chmod 755 "$work" # servers run as other users
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

# row NAME COMMAND... - one line of the table; more: has threads or children;
# $needs lists the programs of a shell command
needs=
row_as() {
	name=$2 needed="$3 $needs" needs=
	case $wanted in "  " | *" $name "*) ;; *) return 0 ;; esac
	for program in $needed; do
		command -v "$program" >/dev/null || {
			missing="$missing $name"
			return 0
		}
	done
	has_more=$1
	shift 2
	python3 "$row" "$name" "$has_more" "$@" || harmed=$((harmed + 1))
}
row() { row_as 0 "$@"; }
more() { row_as 1 "$@"; }

columns=${SYSCAP_COLUMNS:-cpu wall wall10k perf memory all}
echo "$(date -u +%Y-%m-%d), $(uname -sr), $(nproc) processors," \
	"load $(cut -d' ' -f1 /proc/loadavg)"
echo
echo "| program | status | runs | $(echo "$columns" | sed 's/ / | /g') |" \
	'cpu/s | perf/s | whole % | named % | cost |'
echo "|---|--:|--:|$(echo "$columns" | sed 's/[a-z0-9]*/--:/g; s/ /|/g')|--:|--:|--:|--:|--:|"
more git-alias git -c alias.x='!true' x
needs='git'
more git-gc sh -c 'rm -rf r; git init -q r; cd r; cp ../data .; git add .;
	git -c user.name=a -c user.email=a@b commit -qm a; git gc -q'
needs='git'
more git-rebase sh -c 'rm -rf s; git init -q s; cd s; git config user.name a
	git config user.email a@b; git commit -q --allow-empty -m 0
	for i in 1 2 3 4 5 6 7 8; do echo $i >f$i; git add .; git commit -qm $i
	done; git checkout -q -b o HEAD~5; echo x >x; git add .
	git commit -qm x; git rebase -q o - >/dev/null 2>&1 ||
	git rebase -q o; git log --format=%s'
row env env --default-signal true
more bash bash -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	/bin/echo $i; done'
more make make -s -B -j4
more gcc gcc -O2 fib.c -o fib.out
row clang clang -O2 fib.c -o fib.out
more g++ g++ -O2 -x c++ fib.c -o fib.out
more rustc rustc t.rs -o t.out
more cargo cargo --version
more xz xz -T2 -kc data
row gzip gzip -nkc data
row sqlite3 sqlite3 :memory: 'with recursive n(i) as (select 1 union all
	select i + 1 from n where i < 200000) select sum(i) from n'
row perl perl -e 'for (1..20) { print `echo $_` } my $s = 0;
	$s += $_ for 1..500000; print $s'
needs='ruby'
more ruby sh -c 'ulimit -s unlimited 2>/dev/null
	ruby -e "20.times { |i| IO.popen(%q(true)) { |p| p.read }
	abort unless \$?.success? }; Thread.new { puts 6 * 7 }.join"'
more python3 python3 -c 'import subprocess, threading
[subprocess.run(["true"], check=True) for i in range(10)]
t = threading.Thread(target=lambda: print(sum(range(300000)))); t.start(); t.join()'
more node node -e 'const { Worker } = require("worker_threads");
	new Worker("let s = 0; for (let i = 0; i < 1e6; i++) s += i;" +
	"console.log(s)", { eval: true })'
[ ! -x "$(command -v javac || true)" ] || javac J.java 2>/dev/null || true
more java java -cp . J
more java-frame-pointers java -XX:+PreserveFramePointer -cp . J
needs='openssl'
row openssl-speed sh -c 'openssl speed -seconds 1 -evp aes-128-gcm >/dev/null'
row openssl-digest openssl dgst -sha256 data
more emacs emacs -Q --batch --eval '(princ (call-process "true"))'
row qemu-user qemu-x86_64 /bin/true
row valgrind valgrind -q /bin/true
row strace strace -o /dev/null /bin/true
row gdb gdb -q -batch -ex run -ex 'print 6*7' /bin/true
more unshare unshare -U true
more bwrap bwrap --ro-bind / / --unshare-user true
row sudo sudo -n true
row perf perf --version
mkdir -m 777 pgs
cat >pgbench.sh <<-'END'
	d=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
	cd pgs; rm -rf pg
	"$d/initdb" -D pg >/dev/null &&
	"$d/pg_ctl" -D pg -w -o "-p 54999 -k $PWD" start >/dev/null || exit 9
	"$d/pgbench" -q -i -p 54999 -h "$PWD" postgres >/dev/null 2>&1
	"$d/pgbench" -p 54999 -h "$PWD" -c 4 -j 2 -t 50 postgres 2>&1 |
		grep processed
	"$d/psql" -p 54999 -h "$PWD" -c "select count(*) from pgbench_history" \
		postgres
	"$d/pg_ctl" -D pg -w stop >/dev/null
END
as=
[ "$(id -u)" != 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
needs=psql
# shellcheck disable=SC2086 # several words
more pgbench $as sh pgbench.sh
more ffmpeg ffmpeg -v error -f lavfi -i testsrc=d=1 -f null -
row php php -r 'echo array_sum(range(1, 100000));'
row R R -s -e 'sum(1:1000)'
row octave octave-cli --eval 'disp(sum(1:1000))'
row go go version
needs='redis-server redis-cli redis-benchmark'
more redis sh -c 'rm -f redis.sock
	redis-server --port 0 --unixsocket "$PWD/redis.sock" --save "" \
		>/dev/null & redis-cli -v >/dev/null
	i=0; while ! redis-cli -s redis.sock ping >/dev/null 2>&1 &&
		[ $((i += 1)) -lt 1000 ]; do sleep 0.02; done
	redis-benchmark -s redis.sock -n 2000 -q -t set,get >/dev/null &&
	redis-cli -s redis.sock dbsize; redis-cli -s redis.sock shutdown; wait'
cat >nginx.conf <<-END
	daemon off; worker_processes 2; pid $work/nginx.pid;
	error_log /dev/null; events {}
	http { access_log off; server { listen 127.0.0.1:58080;
		root $work; } }
END
echo page >page
needs='nginx ab'
more nginx sh -c 'nginx -c "$PWD/nginx.conf" & for i in 1 2 3 4 5 6 7 8 9; do
	ab -q -n 500 -c 4 http://127.0.0.1:58080/page 2>/dev/null >ab.out &&
	break; sleep 0.1; done; grep -E "Complete|Failed" ab.out
	kill -QUIT $(cat nginx.pid); wait'
cat >work.c <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	static void *work(void *arg)
	{
		unsigned sum = 0;
		for (int i = 0; i < 20000; i++) {
			unsigned *p = malloc(16 + i % 5000);
			for (int k = 0; k < 4; k++)
				p[k] = sum + i;
			sum += p[i % 4];
			free(p);
		}
		*(unsigned *)arg = sum;
		return NULL;
	}
	int main(void)
	{
		pthread_t threads[4];
		unsigned sums[4];
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, work, &sums[i]);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		printf("%u %u\n", sums[0], sums[3]);
		return 0;
	}
END
cat >f.ml <<-'END'
	let rec f n = if n < 2 then n else f (n - 1) + f (n - 2)
	let () = Printf.printf "%d\n" (f 32)
END
cat >F.hs <<-'END'
	import Control.Concurrent
	f :: Int -> Int
	f n = if n < 2 then n else f (n - 1) + f (n - 2)
	main :: IO ()
	main = do
	  v <- newEmptyMVar
	  _ <- forkIO (putMVar v $! f 27)
	  takeMVar v >>= print
END
cat >F.cs <<-'END'
	using System; using System.Threading;
	class F {
		static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
		static void Main() {
			var t = new Thread(() => Console.WriteLine(f(27)));
			t.Start(); t.Join();
			var s = ""; for (int i = 0; i < 2000; i++) s += i;
			GC.Collect(); Console.WriteLine(s.Length);
		}
	}
END
cat >memcached.py <<-'END'
	import socket, sys, time
	for _ in range(300):
	    try:
	        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); break
	    except OSError:
	        time.sleep(0.02)
	f = s.makefile("rwb")
	for i in range(2000):
	    f.write(b"set k%d 0 0 5\r\nhello\r\n" % i); f.flush(); f.readline()
	f.write(b"get k1999\r\n"); f.flush()
	print(f.readline(), f.readline())
END
modules=/usr/lib/apache2/modules
cat >apache2.conf <<-END
	ServerName localhost
	Listen 127.0.0.1:58081
	PidFile $work/apache2.pid
	ErrorLog /dev/null
	LoadModule mpm_event_module $modules/mod_mpm_event.so
	LoadModule authz_core_module $modules/mod_authz_core.so
	User nobody
	Group nogroup
	DocumentRoot $work
END
cat >haproxy.cfg <<-'END'
	defaults
		mode http
		timeout connect 5s
		timeout client 5s
		timeout server 5s
	frontend f
		bind 127.0.0.1:58082
		default_backend b
	backend b
		server s 127.0.0.1:58083
END
cat >mariadb.sh <<-'END'
	cd pgs; rm -rf my
	mariadb-install-db --no-defaults --datadir="$PWD/my" \
		--auth-root-authentication-method=normal >/dev/null 2>&1 || exit 9
	mariadbd --no-defaults --datadir="$PWD/my" --skip-networking \
		--socket="$PWD/my.sock" --pid-file="$PWD/my.pid" \
		>/dev/null 2>&1 & my=$!
	i=0; while ! mariadb -u root -S "$PWD/my.sock" -e '' 2>/dev/null &&
		[ $((i += 1)) -lt 600 ]; do sleep 0.1; done
	mariadb -u root -S "$PWD/my.sock" -N -e 'create database d; use d;
		create table t (i int); insert into t
		select seq from seq_1_to_20000; select sum(i) from t'
	kill -TERM $my; wait $my
END
cat >sshd.sh <<-'END'
	mkdir -p /run/sshd
	[ -f hostkey ] || { ssh-keygen -q -N '' -f hostkey
		ssh-keygen -q -N '' -f userkey; cp userkey.pub keys
		chmod 600 keys; }
	/usr/sbin/sshd -D -e -f /dev/null -h "$PWD/hostkey" -p 58224 \
		-o ListenAddress=127.0.0.1 -o AuthorizedKeysFile="$PWD/keys" \
		-o StrictModes=no -o UsePAM=no -o PidFile=none 2>/dev/null & sshd=$!
	for i in 1 2 3 4 5 6; do
		n=0
		until ssh -q -p 58224 -i userkey -o StrictHostKeyChecking=no \
			-o UserKnownHostsFile=/dev/null root@127.0.0.1 \
			echo "login $i" || [ $((n += 1)) = $((i == 1 ? 20 : 1)) ]
		do sleep 0.2; done
	done
	kill -TERM $sshd; wait $sshd 2>/dev/null; echo ended
END
cat >phpfpm.sh <<-'END'
	fpm=$(ls /usr/sbin/php-fpm* 2>/dev/null | head -n 1)
	printf '[global]\nerror_log = /dev/null\ndaemonize = no\n[w]\n%s\n%s\n' \
		"listen = $PWD/fpm.sock
	listen.mode = 0777
	user = nobody
	group = nogroup" 'pm = static
	pm.max_children = 2' >fpm.conf
	echo '<?php echo array_sum(range(1, 100000)), "\n";' >sum.php
	chmod 644 sum.php; rm -f fpm.sock
	"$fpm" -y "$PWD/fpm.conf" 2>/dev/null & fpm=$!
	i=0; until [ -S fpm.sock ] || [ $((i += 1)) = 300 ]; do sleep 0.05; done
	for i in 1 2 3 4 5 6; do
		SCRIPT_FILENAME="$PWD/sum.php" REQUEST_METHOD=GET \
			cgi-fcgi -bind -connect "$PWD/fpm.sock"
	done
	kill -QUIT $fpm; wait $fpm
END
cat >drawn.svg <<-'END'
	<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">
	<circle cx="100" cy="100" r="80" fill="teal"/></svg>
END
# A server, stopped at the end; the output is its clients'
needs='memcached python3'
more memcached sh -c 'rm -f pgs/mc.sock
	memcached -u nobody -s "$PWD/pgs/mc.sock" -a 777 & mc=$!
	python3 memcached.py "$PWD/pgs/mc.sock"; kill -TERM $mc; wait $mc'
needs='apache2 ab'
more apache2 sh -c 'apache2 -d "$PWD" -f apache2.conf -X & ap=$!
	for i in 1 2 3 4 5 6 7 8 9; do
	ab -q -n 300 -c 4 http://127.0.0.1:58081/page 2>/dev/null >ab.out &&
	break; sleep 0.2; done; grep -E "Complete|Failed" ab.out
	kill -TERM $ap; wait $ap'
needs='haproxy python3 ab'
more haproxy sh -c 'python3 -m http.server -b 127.0.0.1 58083 >/dev/null 2>&1 &
	web=$!; haproxy -f haproxy.cfg -db >/dev/null 2>&1 & ha=$!
	for i in 1 2 3 4 5 6 7 8 9; do
	if ab -q -n 100 -c 2 http://127.0.0.1:58082/page 2>/dev/null >ab.out &&
		! grep -q "Non-2xx" ab.out; then break; fi; sleep 0.3; done
	grep -E "Complete|Failed" ab.out; kill -TERM $ha $web; wait'
needs='mariadbd mariadb-install-db mariadb'
# shellcheck disable=SC2086 # several words
more mariadb $as sh mariadb.sh
needs='/usr/sbin/sshd ssh ssh-keygen'
[ "$(id -u)" != 0 ] || more sshd sh sshd.sh
needs='cgi-fcgi'
more php-fpm sh phpfpm.sh
more erlang erl -noshell -eval 'P = self(), [spawn(fun() -> P ! I end) ||
	I <- lists:seq(1, 50)], io:format("~p~n", [lists:sum([receive X -> X end ||
	_ <- lists:seq(1, 50)])]), halt().'
more sbcl sbcl --non-interactive --no-userinit --eval '(progn
	(defun f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))
	(compile (quote f)) (gc :full t) (print (f 30)))'
needs=ocamlopt
[ ! -x "$(command -v ocamlopt || true)" ] || ocamlopt -o ml.out f.ml 2>/dev/null
row ocaml ./ml.out
[ ! -x "$(command -v ghc || true)" ] ||
	ghc -threaded -v0 -o hs.out F.hs >/dev/null 2>&1
needs=ghc
more haskell ./hs.out +RTS -N2
[ ! -x "$(command -v mcs || true)" ] || mcs -out:cs.exe F.cs >/dev/null 2>&1
more mono mono cs.exe
needs='perl'
more perl-threads perl -Mthreads -e 'print join(" ", map { $_->join }
	map { my $n = $_; threads->create(sub { my $s = 0;
	$s += $_ for 1 .. 200000 * $n; $s }) } 1 .. 4), "\n"'
needs=stress-ng
more stress-ng sh -c 'stress-ng --seed 1 --cpu 2 --cpu-ops 200 --fork 2 \
	--fork-ops 100 --pthread 2 --pthread-ops 50 --sigq 1 --sigq-ops 1000 \
	--timer 1 --timer-ops 1000 -q && echo done'
needs=gst-launch-1.0
more gstreamer sh -c 'gst-launch-1.0 -q videotestsrc num-buffers=60 ! \
	videoconvert ! video/x-raw,format=RGB ! fdsink | cksum'
needs='inkscape xvfb-run'
more inkscape sh -c 'rm -f drawn.png; xvfb-run -a inkscape --export-type=png \
	--export-filename=drawn.png drawn.svg 2>/dev/null; cksum drawn.png'
# Allocators, clocks and profilers that are preloaded or linked
gcc -O2 -pthread -o work.out work.c
needs=gcc
for library in jemalloc.so.2 tcmalloc_minimal.so.4 faketime/libfaketime.so.1; do
	path=$(ls /usr/lib/*/lib$library /usr/lib/*/$library 2>/dev/null |
		head -n 1)
	name=$(basename "$library" | sed 's/^lib//; s/\.so.*//')
	if [ -n "$path" ]; then
		more "$name" env LD_PRELOAD="$path" ./work.out
	else
		missing="$missing $name"
	fi
done
! gcc -O1 -pg -pthread -o gprof.out work.c 2>/dev/null || more gprof ./gprof.out
if gcc -O1 -pthread -o gperf.out work.c -Wl,--no-as-needed -lprofiler \
	2>/dev/null; then
	more gperftools env CPUPROFILE="$work/gperf.prof" ./gperf.out
else
	missing="$missing gperftools"
fi
for sanitizer in address thread; do
	! gcc -O1 -fsanitize=$sanitizer -pthread -o san-$sanitizer.out work.c \
		2>/dev/null || more gcc-$sanitizer ./san-$sanitizer.out
done
for sanitizer in address thread memory; do
	! clang -O1 -fsanitize=$sanitizer -pthread -o clang-$sanitizer.out \
		work.c 2>/dev/null ||
		more clang-$sanitizer ./clang-$sanitizer.out
done
# Browsers: a page whose script works in a function, and which is drawn
mkdir -m 777 web
cat >web/page.html <<-'END'
	<p id=p></p><script>
	function hot_in_page(n) { let s = 0;
		for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s }
	let t = 0; for (let i = 0; i < 40; i++) t += hot_in_page(1e6);
	document.getElementById("p").textContent = "drawn " + t</script>
END
cat >chromium.sh <<-'END'
	export HOME="$PWD/web" # open to all users
	data=$PWD/web/data$(id -u) # only this user may remove
	rm -rf "$data"
	timeout 110 chromium --headless $1 --disable-gpu --disable-quic \
		--no-first-run --disable-background-networking \
		--disable-component-update --disable-sync \
		$2 --virtual-time-budget=20000 \
		--user-data-dir="$data" --dump-dom \
		"file://$PWD/web/page.html" 2>/dev/null | grep -o 'drawn [0-9]*'
END
cat >firefox.sh <<-'END'
	rm -rf web/data web/page.png; mkdir web/data
	timeout 110 firefox-esr --headless --no-remote --profile web/data \
		--screenshot "$PWD/web/page.png" "file://$PWD/web/page.html" \
		>/dev/null 2>&1; [ -s web/page.png ] && echo drawn
END
export HARMLESS_HOT=hot_in_page
needs=chromium
more chromium sh chromium.sh --no-sandbox --js-flags=--perf-basic-prof
unset HARMLESS_HOT # a sandbox allows no file of the script's code
needs=chromium
# shellcheck disable=SC2086 # several words
more chromium-sandbox $as sh chromium.sh --incognito
needs=firefox-esr
more firefox sh firefox.sh
printf 'One line.\n\nAnother.\n' >text.txt
needs=soffice
more libreoffice sh -c 'rm -rf office; mkdir office
	soffice --headless "-env:UserInstallation=file://$PWD/office/user" \
		--convert-to odt --outdir office text.txt >/dev/null 2>&1
	python3 -m zipfile -e office/text.odt office && cat office/content.xml'
echo
[ -z "$missing" ] || echo "Not installed:$missing."
echo "$harmed harmed"
[ $harmed = 0 ]
