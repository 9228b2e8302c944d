// SPDX-License-Identifier: BSD-2-Clause
//! The cost of events with a recording and without, and of C's events in the
//! same run, if the build provides C's events (--cfg syscap_bench_c, and the
//! directory of libsyscap_bench_c.a).
#![allow(unexpected_cfgs)]
// The bench may need a newer Rust than the crate, and measures an empty loop.
#![allow(unknown_lints, clippy::incompatible_msrv, clippy::no_effect)]

use std::hint::black_box;

use syscap::{counter, log, mark, span, Counter, Level, Options, Recording};

static COUNTER: Counter<u32> = Counter::new("bench", "Rust", "");

#[cfg(syscap_bench_c)]
mod plain_c {
    #[link(name = "syscap_bench_c", kind = "static")]
    extern "C" {
        pub fn plain_c_empty(n: u32);
        pub fn plain_c_call(n: u32);
        pub fn plain_c_nothing();
        pub fn plain_c_mark(n: u32);
        pub fn plain_c_scope(n: u32);
        pub fn plain_c_counter(n: u32);
        pub fn plain_c_log(n: u32);
    }
}

struct Op {
    what: &'static str,
    /// The name of the operation whose time is the divisor of this time.
    beside: Option<&'static str>,
    run: Box<dyn Fn(u32)>,
}

fn op(what: &'static str, beside: Option<&'static str>, run: impl Fn(u32) + 'static) -> Op {
    Op {
        what,
        beside,
        run: Box::new(run),
    }
}

/// A loop whose event the compiler keeps.
macro_rules! looped {
    ($i:ident, $event:expr) => {
        |n: u32| {
            for $i in 0..n {
                black_box($i);
                $event;
            }
        }
    };
}

#[cfg(syscap_bench_c)]
fn of_c() -> Vec<Op> {
    use plain_c::*;
    // SAFETY: the functions only run finite loops
    unsafe {
        vec![
            op("C: empty loop", None, |n| plain_c_empty(n)),
            op("C: call of nothing", None, |n| plain_c_call(n)),
            op("C: mark", None, |n| plain_c_mark(n)),
            op("C: scope", None, |n| plain_c_scope(n)),
            op("C: counter", None, |n| plain_c_counter(n)),
            op("C: log", None, |n| plain_c_log(n)),
            op("call of nothing in C", None, looped!(_i, plain_c_nothing())),
        ]
    }
}

#[cfg(not(syscap_bench_c))]
fn of_c() -> Vec<Op> {
    Vec::new()
}

fn ops() -> Vec<Op> {
    let mut ops = vec![op("empty loop", None, looped!(_i, ()))];

    ops.extend(of_c());
    ops.extend([
        op(
            "mark!",
            Some("C: mark"),
            looped!(_i, mark!("bench", "mark")),
        ),
        op(
            "mark!, formatted",
            Some("C: mark"),
            looped!(i, mark!("bench", "mark", "value {i}")),
        ),
        op(
            "span!",
            Some("C: scope"),
            looped!(_i, {
                let _span = span!("bench", "span");
            }),
        ),
        op(
            "span!, formatted",
            Some("C: scope"),
            looped!(i, span!("bench", "span").end_with(format_args!("{i}"))),
        ),
        op(
            "counter!",
            Some("C: counter"),
            looped!(i, counter!("bench", "counter", i)),
        ),
        op(
            "Counter::set",
            Some("C: counter"),
            looped!(i, COUNTER.set(i)),
        ),
        op(
            "log!",
            Some("C: log"),
            looped!(_i, log!(Level::Debug, "bench", "text")),
        ),
    ]);
    ops
}

fn measure(title: &str, n: u32, rounds: usize, drain: impl Fn()) {
    let ops = ops();
    let mut took = vec![Vec::new(); ops.len()];

    for _ in 0..rounds {
        for (op, took) in ops.iter().zip(&mut took) {
            drain(); // a full ring drops events, which is fast
            let begin = syscap::now();
            (op.run)(n);
            took.push((syscap::now() - begin) as f64 / f64::from(n));
        }
    }
    let median = |what: &str| {
        let i = ops.iter().position(|op| op.what == what)?;
        let mut sorted = took[i].clone();
        sorted.sort_by(f64::total_cmp);
        Some(sorted[sorted.len() / 2])
    };
    println!("{title}");
    for op in &ops {
        let empty = if op.what.starts_with("C:") {
            "C: empty loop"
        } else {
            "empty loop"
        };
        let ns = median(op.what).unwrap();
        print!("  {:<22} {:>7.2} ns", op.what, ns - median(empty).unwrap());
        if let Some(c) = op.beside.and_then(median) {
            print!("  {:>5.2} x C", ns / c);
        }
        println!();
    }
}

fn main() {
    if std::env::args().any(|arg| arg == "--test") {
        return; // called by `cargo test`: do not measure
    }
    assert!(!syscap::is_active(), "something records already");
    measure("off", 20000, 300, || ());
    let file = std::env::temp_dir().join("bench-rust.%p");
    let options = Options {
        no_thread: true,
        ring_kib: 1024,
        ..Options::default()
    };
    let recording = Recording::start_with(file.to_str().unwrap(), &options).unwrap();
    let name = recording.file().to_owned();
    measure("on", 500, 300, || recording.drain().unwrap());
    let dropped = syscap::stats().n_dropped;
    recording.stop().unwrap();
    std::fs::remove_file(name).unwrap();
    println!("dropped: {dropped}");
    assert_eq!(dropped, 0, "dropped events are not fast events");
}
