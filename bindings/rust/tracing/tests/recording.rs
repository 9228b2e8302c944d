// SPDX-License-Identifier: BSD-2-Clause
//! Records of spans as marks, of spans of futures also as operations, and of
//! events as lines.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use std::{env, fs, thread};

use syscap::Recording;
use tracing_subscriber::prelude::*;

const MARK: u8 = 10;
const LOG: u8 = 12;

struct Frame {
    kind: u8,
    tid: u32,
    time: i64,
    bytes: Vec<u8>,
}

impl Frame {
    fn text(&self, from: usize, to: usize) -> String {
        let field = &self.bytes[from..to.min(self.bytes.len())];
        let n = field.iter().position(|&b| b == 0).unwrap_or(field.len());
        String::from_utf8(field[..n].to_vec()).expect("texts are UTF-8")
    }

    fn duration(&self) -> i64 {
        i64::from_le_bytes(self.bytes[24..32].try_into().unwrap())
    }
}

fn frames(bytes: &[u8]) -> Vec<Frame> {
    let (mut frames, mut at) = (Vec::new(), 256);

    while at < bytes.len() {
        let len = u16::from_le_bytes([bytes[at], bytes[at + 1]]) as usize;
        let bytes = bytes[at..at + len].to_vec();
        frames.push(Frame {
            kind: bytes[16],
            tid: u32::from_le_bytes(bytes[20..24].try_into().unwrap()),
            time: i64::from_le_bytes(bytes[8..16].try_into().unwrap()),
            bytes,
        });
        at += len;
    }
    frames
}

struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

/// A future that is ready at the second poll.
struct Later(bool);

impl Future for Later {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        Poll::Pending
    }
}

/// Polls like `tracing::Instrument`.
fn poll_in(span: &tracing::Span, future: &mut (impl Future + Unpin)) -> bool {
    let waker = Waker::from(Arc::new(Nobody));
    let _entered = span.enter();
    Pin::new(future)
        .poll(&mut Context::from_waker(&waker))
        .is_ready()
}

fn emit() {
    let outer = tracing::info_span!(
        "outer",
        n = 3,
        name = "a text",
        late = tracing::field::Empty
    );
    let entered = outer.enter();
    tracing::info_span!(target: "a::target", "inner").in_scope(|| {
        tracing::warn!(rows = 7, "odd {}", 1);
    });
    drop(entered);
    tracing::error!("bad");
    tracing::trace!("small");

    let fetch = tracing::info_span!("fetch", url = "http://x");
    let mut future = Later(false);
    assert!(!poll_in(&fetch, &mut future));
    let fetch = thread::spawn(move || {
        thread::sleep(Duration::from_millis(5));
        assert!(poll_in(&fetch, &mut future));
        fetch
    });
    drop(fetch.join().unwrap());
    drop(outer);
}

#[test]
fn spans_are_marks_and_operations_and_events_are_lines() {
    tracing_subscriber::registry()
        .with(syscap_tracing::layer())
        .init();
    emit(); // these events come before the recording
    let across = tracing::info_span!("across");
    let entered_before = across.enter();
    let path = env::temp_dir().join(format!("syscap-rust-tracing-{}", std::process::id()));
    let recording = Recording::start(path.to_str().unwrap()).unwrap();
    let file = recording.file().to_owned();
    drop(entered_before);
    drop(across);
    emit();
    recording.stop().unwrap();
    emit();

    let found = frames(&fs::read(&file).unwrap());
    fs::remove_file(&file).unwrap();
    let marks: Vec<&Frame> = found.iter().filter(|f| f.kind == MARK).collect();
    let texts = |f: &Frame| (f.text(32, 56), f.text(56, 96), f.text(96, usize::MAX));
    let named = |name: &str| -> Vec<&Frame> {
        let is = |f: &&&Frame| f.text(56, 96) == name;
        marks.iter().filter(is).copied().collect()
    };

    let (outer, inner) = (named("outer"), named("inner"));
    assert_eq!((outer.len(), inner.len()), (1, 1));
    assert_eq!(texts(outer[0]).0, "recording");
    assert_eq!(texts(outer[0]).2, "n=3 name=a text");
    assert_eq!(texts(inner[0]).0, "a::target");
    assert!(outer[0].time <= inner[0].time);
    assert!(inner[0].time + inner[0].duration() <= outer[0].time + outer[0].duration());
    assert!(named("across").is_empty());

    // "fetch" was entered twice, on two threads, and is also recorded as a
    // whole operation, from the first entry to the last exit.
    let fetch = named("fetch");
    assert_eq!(fetch.len(), 3);
    let is_whole =
        |f: &&&Frame| f.text(96, usize::MAX).starts_with('\u{1}') || f.duration() >= 5_000_000;
    let whole: Vec<&&Frame> = fetch.iter().filter(is_whole).collect();
    assert_eq!(whole.len(), 1);
    let parts: Vec<&&Frame> = fetch.iter().filter(|f| !is_whole(f)).collect();
    assert_ne!(parts[0].tid, parts[1].tid);
    assert_eq!(whole[0].time, parts.iter().map(|f| f.time).min().unwrap());
    let end = |f: &Frame| f.time + f.duration();
    assert_eq!(end(whole[0]), parts.iter().map(|f| end(f)).max().unwrap());
    assert!(fetch.iter().all(|f| texts(f).2.contains("url=http://x")));

    let logs: Vec<(u8, String, String)> = found
        .iter()
        .filter(|f| f.kind == LOG)
        .map(|f| (f.bytes[24], f.text(32, 64), f.text(64, usize::MAX)))
        .collect();
    let line = |severity, text: &str| (severity, "recording".to_string(), text.to_string());
    assert_eq!(
        logs,
        [line(16, "odd 1 rows=7"), line(8, "bad"), line(128, "small")]
    );
}
