// SPDX-License-Identifier: BSD-2-Clause
//! The record of each way to write an event, read from the capture's bytes.
//! `syscap check` also checks the capture if $SYSCAP names the command.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::{env, fs, thread};

use syscap::{
    counter, linked, log, mark, mark_since, metadata, operation, span, Counter, Level, Link,
    Operation, Recording, Site, Span,
};

/// Held during a recording: a process has only one recording at a time.
static ALONE: Mutex<()> = Mutex::new(());

static STATIC: Counter<u32> = Counter::new("test", "static", "Described");
static REAL: Counter<f64> = Counter::new("test", "real", "");

struct Frame {
    kind: u8,
    time: i64,
    bytes: Vec<u8>,
}

impl Frame {
    fn text(&self, from: usize, to: usize) -> String {
        let field = &self.bytes[from..to.min(self.bytes.len())];
        let n = field.iter().position(|&b| b == 0).unwrap_or(field.len());
        String::from_utf8(field[..n].to_vec()).expect("texts are UTF-8")
    }

    fn word(&self, at: usize) -> i64 {
        i64::from_le_bytes(self.bytes[at..at + 8].try_into().unwrap())
    }
}

/// Record `deeds`, and return the frames of the capture.
fn record(name: &str, deeds: impl FnOnce()) -> Vec<Frame> {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let path: PathBuf = env::temp_dir().join(format!("syscap-rust-{}-{name}", std::process::id()));
    let recording = Recording::start(path.to_str().unwrap()).unwrap();
    let file = recording.file().to_owned();

    assert!(syscap::is_active());
    deeds();
    recording.stop().unwrap();
    assert!(!syscap::is_active());
    if let Some(syscap) = env::var_os("SYSCAP") {
        let status = Command::new(syscap).arg("check").arg(&file).status();
        assert!(status.unwrap().success());
    }
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let (mut frames, mut at) = (Vec::new(), 256);
    while at < bytes.len() {
        let len = u16::from_le_bytes([bytes[at], bytes[at + 1]]) as usize;
        let bytes = bytes[at..at + len].to_vec();
        let time = i64::from_le_bytes(bytes[8..16].try_into().unwrap());
        frames.push(Frame {
            kind: bytes[16],
            time,
            bytes,
        });
        at += len;
    }
    frames
}

/// (name, message) of the marks of a group.
fn marks(frames: &[Frame], group: &str) -> Vec<(String, String)> {
    let of_group = |f: &&Frame| f.kind == 10 && f.text(32, 56) == group;
    let texts = |f: &Frame| (f.text(56, 96), f.text(96, usize::MAX));
    frames.iter().filter(of_group).map(texts).collect()
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter()
        .map(|(name, message)| (name.to_string(), message.to_string()))
        .collect()
}

#[test]
fn a_span_lasts_until_it_is_dropped_ended_or_left_by_a_panic() {
    let frames = record("span", || {
        let outer = span!("span", "outer", "known before");
        {
            let _inner = span!("span", "inner");
            thread::sleep(std::time::Duration::from_millis(2));
        }
        let counted = span!("span", "counted");
        counted.end_with(format_args!("{} rows", 3));
        span!("span", "cancelled").cancel();
        let _ = std::panic::catch_unwind(|| {
            let _span = span!("span", "left");
            std::panic::resume_unwind(Box::new(()));
        });
        let moved = span!("span", "moved");
        thread::spawn(move || moved.end()).join().unwrap();
        outer.end();
    });

    assert_eq!(
        marks(&frames, "span"),
        pairs(&[
            ("inner", ""),
            ("counted", "3 rows"),
            ("left", ""),
            ("moved", ""),
            ("outer", "known before"),
        ])
        .sorted_as(&marks(&frames, "span"))
    );
    let find = |name: &str| {
        let is = |f: &&Frame| f.kind == 10 && f.text(56, 96) == name;
        let frame = frames.iter().find(is).unwrap();
        (frame.time, frame.time + frame.word(24))
    };
    let (outer, inner) = (find("outer"), find("inner"));
    assert!(outer.0 <= inner.0 && inner.1 <= outer.1);
    assert!(inner.1 - inner.0 >= 2_000_000);
}

/// The recorder reads the rings of threads one after the other, so only the
/// events of one thread are in their order.
trait SortedAs {
    fn sorted_as(self, other: &Self) -> Self;
}

impl SortedAs for Vec<(String, String)> {
    fn sorted_as(mut self, other: &Self) -> Self {
        self.sort_by_key(|mark| other.iter().position(|m| m == mark));
        self
    }
}

#[test]
fn messages_are_formatted_cut_between_characters_and_long_ones_kept() {
    static PLACE: Site = Site::new("message", "place");
    let long = "y".repeat(3000);
    let wide = "\u{e9}".repeat(1000);
    let frames = record("message", || {
        let n = 3;
        mark!("message", "none");
        mark!("message", "literal", "a {{ brace }}");
        mark!("message", "arguments", "{n} of {}", 4);
        mark!("message", "cut", "xy{wide}");
        drop(Span::new(&PLACE));
        syscap::mark_at(&PLACE, syscap::now(), 5, &long);
        syscap::mark_at(&PLACE, syscap::now(), 5, "ends\0here");
        mark_since!("message", "since", syscap::begin(), "then");
        mark_since!("message", "since", 0, "never");
    });

    let cut = format!("xy{}", "\u{e9}".repeat(510));
    assert_eq!(
        marks(&frames, "message"),
        pairs(&[
            ("none", ""),
            ("literal", "a { brace }"),
            ("arguments", "3 of 4"),
            ("cut", &cut),
            ("place", ""),
            ("place", &long),
            ("place", "ends"),
            ("since", "then"),
        ])
    );
}

#[test]
fn counters_have_the_type_of_their_values() {
    let frames = record("counter", || {
        for n in 0..2 {
            counter!("test", "place", n as u16);
            counter!("test", "real place", f64::from(n) + 0.5);
        }
        STATIC.set(7);
        REAL.set(0.25);
        STATIC.update(8);
        STATIC.update(8);
    });
    let mut names = std::collections::HashMap::new();
    let mut values = Vec::new();
    for frame in &frames {
        let n = |at: usize| u16::from_le_bytes(frame.bytes[at..at + 2].try_into().unwrap());
        let id = |at: usize| u32::from_le_bytes(frame.bytes[at..at + 4].try_into().unwrap());
        match frame.kind {
            8 => {
                for at in (0..n(24) as usize).map(|i| 32 + i * 128) {
                    let about = (frame.text(at + 32, at + 64), id(at + 116) >> 24);
                    names.insert(id(at + 116) & 0xff_ffff, about);
                }
            }
            9 => values.push((id(32), frame.word(64))),
            _ => {}
        }
    }
    let told: Vec<_> = values
        .iter()
        .map(|(id, bits)| (names[id].0.as_str(), *bits))
        .collect();
    let real = |v: f64| v.to_bits() as i64;
    assert_eq!(
        told,
        [
            ("place", 0),
            ("real place", real(0.5)),
            ("place", 1),
            ("real place", real(1.5)),
            ("static", 7),
            ("real", real(0.25)),
            ("static", 8),
        ]
    );
}

#[test]
fn a_number_beyond_64_bits_with_a_sign_is_the_nearest() {
    static HUGE: Counter<u64> = Counter::new("test", "huge", "");
    let frames = record("huge", || {
        HUGE.set(u64::MAX);
        HUGE.update(i64::MAX as u64 + 1);
        counter!("test", "huge place", usize::MAX);
        counter!("test", "huge place", 3usize);
        counter!("test", "small place", i64::MIN);
    });
    let values: Vec<i64> = frames
        .iter()
        .filter(|f| f.kind == 9)
        .map(|f| f.word(64))
        .collect();

    assert_eq!(values, [i64::MAX, i64::MAX, i64::MAX, 3, i64::MIN]);
}

#[test]
fn the_newest_value_is_the_sum_of_what_threads_added() {
    static SUM: Counter<u64> = Counter::new("test", "sum", "");
    static REAL_SUM: Counter<f64> = Counter::new("test", "real sum", "");
    let frames = record("sum", || {
        let add = || (0..1000).for_each(|_| SUM.add(2));
        let threads: Vec<_> = (0..4).map(|_| thread::spawn(add)).collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
        SUM.add(-3000);
        REAL_SUM.add(7);
    });
    let values = || frames.iter().filter(|f| f.kind == 9);
    let newest = values().max_by_key(|f| f.time).unwrap();

    assert_eq!(f64::from_bits(newest.word(64) as u64), 7.0);
    let is = |f: &&Frame| f.word(32) as u32 != newest.word(32) as u32;
    let newest = values().filter(is).max_by_key(|f| f.time).unwrap();
    assert_eq!(newest.word(64), 5000);
}

/// A future that is ready at the second poll.
struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

async fn fetch(name: &str) {
    let operation = operation!("async", "fetch", name);
    let _span = span!("async", "span");
    Yield(false).await;
    operation.end_with(format_args!("{name}: {} rows", 3));
}

#[test]
fn operations_are_held_over_an_await_and_end_on_another_thread() {
    fn sent<T: Send + Sync>(value: T) -> T {
        value
    }

    let frames = record("async", || {
        let waker = Waker::from(Arc::new(Nobody));
        let mut one = Box::pin(sent_future(fetch("one")));
        let mut two = Box::pin(fetch("two"));
        let context = &mut Context::from_waker(&waker);
        assert!(one.as_mut().poll(context).is_pending());
        assert!(two.as_mut().poll(context).is_pending());
        thread::spawn(move || {
            let waker = Waker::from(Arc::new(Nobody));
            assert!(one
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_ready());
        })
        .join()
        .unwrap();
        drop(two); // the future `two` is dropped before it is ready
        sent(operation!("async", "plain")).end();
        sent(span!("async", "plain span")).end();
        static PLACE: Site = Site::new("async", "place");
        drop(Operation::new(&PLACE));
    });
    let mut told = marks(&frames, "async");
    told.sort();
    let mut numbers = Vec::new();
    for (_, message) in &mut told {
        if let Some(rest) = message.strip_prefix("async=") {
            let (number, rest) = rest.split_once(' ').unwrap();
            numbers.push(number.to_string());
            *message = rest.to_string();
        }
    }
    told.sort();
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), 4);
    assert_eq!(
        told,
        pairs(&[
            ("fetch", "phase=whole one: 3 rows"),
            ("fetch", "phase=whole two"),
            ("place", "phase=whole"),
            ("plain", "phase=whole"),
            ("plain span", ""),
            ("span", ""),
            ("span", ""),
        ])
    );
}

fn sent_future<F: Future + Send>(future: F) -> F {
    future
}

#[test]
fn a_duration_below_zero_is_recorded_as_it_is() {
    static PLACE: Site = Site::new("below", "zero");
    let frames = record("below", || syscap::mark_at(&PLACE, 1000, -7, ""));
    let durations: Vec<i64> = frames
        .iter()
        .filter(|f| f.kind == 10)
        .map(|f| f.word(24))
        .collect();

    assert_eq!(durations, [-7]);
}

#[test]
fn logs_links_facts_and_files_are_recorded() {
    let long = "z".repeat(2000);
    let frames = record("log", || {
        log!(Level::Warning, "test", "plain");
        log!(Level::Info, "test", "{} formatted", 1);
        metadata!("test.fact", "version {}", 2);
        metadata!("test.long", "{long}");
        linked!(Link::Begin, "linked", "request", 7);
        linked!(Link::End, "linked", "request", 7, "status {}", 200);
        syscap::file("test/file", b"content").unwrap();
    });
    let logs: Vec<_> = frames
        .iter()
        .filter(|f| f.kind == 12)
        .map(|f| (f.word(24) & 0xffff, f.text(32, 64), f.text(64, usize::MAX)))
        .collect();
    assert_eq!(
        logs,
        [
            (16, "test".into(), "plain".into()),
            (64, "test".into(), String::from("1 formatted")),
        ]
    );
    let fact = |id: &str| {
        let is = |f: &&Frame| f.kind == 11 && f.text(24, 64) == id;
        frames.iter().find(is).unwrap().text(64, usize::MAX)
    };
    assert_eq!(fact("test.fact"), "version 2");
    assert_eq!(fact("test.long"), long[..1023]);
    assert_eq!(
        marks(&frames, "linked"),
        pairs(&[
            ("request", "async=7 phase=begin"),
            ("request", "async=7 phase=end status 200"),
        ])
    );
    assert!(frames.iter().any(|f| f.kind == 13));
}

#[test]
fn nothing_is_evaluated_or_recorded_while_nothing_records() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let never = || -> u32 { panic!("evaluated") };

    mark!("off", "mark", "{}", never());
    counter!("off", "counter", never());
    log!(Level::Info, "off", "{}", never());
    metadata!("off", "{}", never());
    linked!(Link::Step, "off", "linked", 1, "{}", never());
    mark_since!("off", "since", i64::from(never()));
    let span = span!("off", "span", ["", "x"][never() as usize]);
    assert!(!span.is_on());
    span.end_with(format_args!("{}", Loud));
    assert_eq!(syscap::begin(), 0);
    assert!(!syscap::stats().is_active);
}

struct Loud;

impl std::fmt::Display for Loud {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("formatted")
    }
}

#[test]
fn a_recording_that_can_not_be_made_says_why() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let error = Recording::start("/proc/no/such/folder/x.syscap")
        .err()
        .unwrap();

    assert_ne!(error.errno(), 0);
    assert!(!error.message().is_empty(), "{error}");
}
