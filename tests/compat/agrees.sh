#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# agrees.sh [SAMPLES] - on five programs, self and total of the ten hottest
# functions agree with perf (agrees_with_perf.py).  Reads SYSCAP (the command).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for tool in perf python3 perl gcc g++; do
	command -v $tool >/dev/null || { echo "skip: there is no $tool"; exit 77; }
done
[ -z "${SYSCAP_SANITIZE:-}" ] || {
	echo "skip: programs do not start with a sanitized library preloaded"
	exit 77
}
export PERL_HASH_SEED=0 # the same work in each run
export RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" SAMPLES="${1:-8000}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 400000
static unsigned a[N], seed = 1;
__attribute__((noinline)) static unsigned next(void) { return seed = seed * 1664525u + 1013904223u; }
__attribute__((noinline)) static int less(const void *x, const void *y) { const unsigned p = *(const unsigned *)x, q = *(const unsigned *)y; return (p > q) - (p < q); }
__attribute__((noinline)) static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static unsigned sieve(void) { static char s[2000000]; unsigned n = 0; memset(s, 1, sizeof s); for (unsigned i = 2; i < sizeof s; i++) if (s[i]) { n++; for (unsigned j = 2 * i; j < sizeof s; j += i) s[j] = 0; } return n; }
__attribute__((noinline)) static double matrix(void) { enum { M = 200 }; static double x[M][M], y[M][M]; double t = 0; for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) x[i][j] = i + j, y[i][j] = i - j; for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) for (int k = 0; k < M; k++) t += x[i][k] * y[k][j]; return t; }
__attribute__((noinline)) static void fill(void) { for (int i = 0; i < N; i++) a[i] = next(); }
int main(void) { double t = 0; for (int r = 0; r < 12; r++) { fill(); qsort(a, N, sizeof *a, less); t += fib(27) + sieve() + matrix() + a[7]; } printf("%g\n", t); }
END
cat >b.cc <<'END'
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() = default; virtual double area(double) const = 0; };
struct Square : Shape { double area(double x) const override { double s = 0; for (int i = 1; i < 200; i++) s += x / i; return s; } };
struct Round : Shape { double area(double x) const override { double s = 0; for (int i = 1; i < 100; i++) s += x * 3.14 / i; return s; } };
__attribute__((noinline)) static void words(std::map<std::string, int> &m, unsigned n) { for (unsigned i = 0; i < n; i++) m["word " + std::to_string(i * 2654435761u % 5000)]++; }
__attribute__((noinline)) static double areas(const std::vector<Shape *> &v) { double t = 0; for (auto *s : v) t += s->area(2); return t; }
__attribute__((noinline)) static long sorted(unsigned n) { std::vector<std::string> v; for (unsigned i = 0; i < n; i++) v.push_back(std::to_string(i * 2654435761u)); std::sort(v.begin(), v.end()); return v[0].size(); }
int main() { std::map<std::string, int> m; Square q; Round r; std::vector<Shape *> v; for (int i = 0; i < 20000; i++) v.push_back(i % 3 ? (Shape *)&q : &r); double t = 0; for (int i = 0; i < 25; i++) { words(m, 60000); t += areas(v) + sorted(40000); } std::printf("%g %zu\n", t, m.size()); }
END
cat >c.rs <<'END'
use std::collections::HashMap;
#[inline(never)] fn collatz(mut n: u64) -> u32 { let mut s = 0; while n != 1 { n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; s += 1; } s }
#[inline(never)] fn longest(n: u64) -> u32 { (1..n).map(collatz).max().unwrap() }
#[inline(never)] fn count(n: u32) -> usize { let mut m = HashMap::new(); for i in 0..n { *m.entry(format!("k{}", i % 3000)).or_insert(0u32) += i; } m.len() }
#[inline(never)] fn order(n: u32) -> u32 { let mut v: Vec<u32> = (0..n).map(|i| i.wrapping_mul(2654435761)).collect(); v.sort(); v[1] }
fn main() { let mut t = 0u64; for _ in 0..6 { t += longest(300000) as u64 + count(400000) as u64 + order(1500000) as u64; } println!("{}", t); }
END
cat >d.py <<'END'
import json, re
d = [{"k%d" % i: [j * i for j in range(20)], "t": "text %d" % i} for i in range(300)]
n = 0
for r in range(60):
    s = json.dumps(d); e = json.loads(s)
    n += len(re.findall(r"k(\d+)", s)); n += sum(sorted(x["t"] for x in e) != [] for _ in range(3))
    n += sum(i * i % 7 for i in range(50000))
print(n)
END
cat >e.pl <<'END'
my %h; my $n = 0; for my $r (1..12) { for my $i (1..60000) { my $w = "w" . ($i * 7 % 4001); $h{$w}++; $n++ if $w =~ /(\d)\1/; } my @s = sort { $h{$a} <=> $h{$b} } keys %h; $n += @s; } print "$n\n";
END
gcc -O2 -g a.c -o a
g++ -O2 -g b.cc -o b
rustc -O -g c.rs -o c 2>/dev/null || echo "rustc makes no program: four, then"
python=$(python3 -c 'import sys; print(sys.executable)') # behind a shim
bad=0
agrees() {
	status=0
	python3 "$here/agrees_with_perf.py" "$@" || status=$?
	[ $status != 77 ] || exit 77
	[ $status = 0 ] || bad=1
}
agrees "$work/a"
agrees "$work/b"
[ ! -x c ] || agrees "$work/c"
agrees "$python" "$work/d.py"
agrees perl "$work/e.pl"
exit $bad
