// SPDX-License-Identifier: BSD-2-Clause
//! A mill for texts: a reader, a pool of workers that may panic, a collector.
//!
//!     SYSCAP_SAMPLE=1000 syscap record -o mill.syscap -- mill
//!     syscap stat mill.syscap
//!
//! The program also measures itself, and prints the same figures as the
//! capture.

use std::collections::HashMap;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use syscap::{linked, log, mark, metadata, span, Counter, Level, Link};

static MILLED: Counter<u64> = Counter::new("mill", "milled", "Sacks that are milled so far");
static WAITING: Counter<i64> = Counter::new("mill", "waiting", "Sacks in the queue");
static COARSE: Counter<f64> = Counter::new("mill", "coarse", "Share of sacks that were refused");

/// The number of times and the total duration of a step.
#[derive(Default)]
struct Step {
    n: AtomicU64,
    ns: AtomicU64,
}

impl Step {
    fn add(&self, took: Duration) {
        self.n.fetch_add(1, Ordering::Relaxed);
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.ns.fetch_add(ns, Ordering::Relaxed);
    }

    fn show(&self, name: &str) {
        let ms = self.ns.load(Ordering::Relaxed) as f64 / 1e6;
        println!(
            "mark mill {name} {} {ms:.3}",
            self.n.load(Ordering::Relaxed)
        );
    }
}

#[derive(Default)]
struct Times {
    fill: Step,
    grind: Step,
    sift: Step,
    tell: Step,
}

/// Adds its duration to a step when dropped, also by a panic, like a span.
struct Measured<'a> {
    step: &'a Step,
    began: Instant,
}

impl<'a> Measured<'a> {
    fn new(step: &'a Step) -> Self {
        Self {
            step,
            began: Instant::now(),
        }
    }
}

impl Drop for Measured<'_> {
    fn drop(&mut self) {
        self.step.add(self.began.elapsed());
    }
}

/// A sack of text; some sacks have a stone in them.
struct Sack {
    number: u64,
    text: String,
    has_stone: bool,
}

struct Flour {
    number: u64,
    words: HashMap<String, usize>,
}

/// A sack that a worker could not mill.
#[derive(Debug)]
struct Broken {
    number: u64,
    why: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sack {}: {}", self.number, self.why)
    }
}

/// Random numbers, the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[inline(never)]
fn fill_sack(dice: &mut Dice, number: u64, times: &Times) -> Sack {
    const SYLLABLES: [&str; 8] = ["ba", "do", "ke", "lu", "mi", "no", "ra", "ti"];
    let _span = span!("mill", "fill");
    let _measured = Measured::new(&times.fill);
    let mut text = String::new();
    for _ in 0..6000 {
        for _ in 0..=dice.roll(3) {
            text.push_str(SYLLABLES[dice.roll(8) as usize]);
        }
        text.push(' ');
    }
    Sack {
        number,
        text,
        has_stone: number % 16 == 15,
    }
}

#[inline(never)]
fn count_words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    for word in text.split_whitespace() {
        *words.entry(word.to_string()).or_insert(0) += 1;
    }
    words
}

/// Panics if the sack has a stone.  The span also ends by the panic.
fn grind(sack: &Sack, times: &Times) -> HashMap<String, usize> {
    let _span = span!("mill", "grind");
    let _measured = Measured::new(&times.grind);
    let words = count_words(&sack.text);
    assert!(!sack.has_stone, "there is a stone in it");
    words
}

#[inline(never)]
fn sift_words(words: &mut HashMap<String, usize>, times: &Times) {
    let _span = span!("mill", "sift");
    let _measured = Measured::new(&times.sift);
    let mut sorted: Vec<_> = words.iter().map(|(w, n)| (w.clone(), *n)).collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    sorted.truncate(100);
    *words = sorted.into_iter().collect();
}

fn why_of(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_string())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason was given".to_string())
}

/// The state that all workers share.
struct Mill {
    sacks: Mutex<Receiver<Sack>>,
    times: Times,
}

impl Mill {
    fn take(&self) -> Option<Sack> {
        let sack = self.sacks.lock().unwrap().recv().ok()?;
        WAITING.add(-1);
        Some(sack)
    }

    fn mill_one(&self, sack: &Sack) -> Result<Flour, Broken> {
        let milled = panic::catch_unwind(AssertUnwindSafe(|| {
            let mut words = grind(sack, &self.times);
            sift_words(&mut words, &self.times);
            words
        }));
        linked!(Link::End, "mill", "sack", sack.number, "milled");
        match milled {
            Ok(words) => Ok(Flour {
                number: sack.number,
                words,
            }),
            Err(panic) => Err(Broken {
                number: sack.number,
                why: why_of(panic.as_ref()),
            }),
        }
    }

    fn work(&self, results: &Sender<Result<Flour, Broken>>) {
        while let Some(sack) = self.take() {
            if results.send(self.mill_one(&sack)).is_err() {
                break;
            }
        }
    }
}

/// Adds up the results in one thread, in any order.
fn collect(results: &Receiver<Result<Flour, Broken>>, times: &Times) -> (u64, u64, usize) {
    let (mut milled, mut refused) = (0u64, 0u64);
    let mut all: HashMap<String, usize> = HashMap::new();
    for result in results {
        let _span = span!("mill", "tell");
        let _measured = Measured::new(&times.tell);
        match result {
            Ok(flour) => {
                milled += 1;
                for _ in 0..20 {
                    for (word, n) in &flour.words {
                        *all.entry(word.clone()).or_insert(0) += n;
                    }
                }
                if flour.number % 50 == 0 {
                    log!(Level::Info, "mill", "sack {} is flour", flour.number);
                }
                MILLED.set(milled);
            }
            Err(broken) => {
                refused += 1;
                log!(Level::Warning, "mill", "{broken}");
            }
        }
        COARSE.set(refused as f64 / (milled + refused) as f64);
    }
    (milled, refused, all.len())
}

fn main() {
    let count: u64 = std::env::args().nth(1).map_or(200, |n| n.parse().unwrap());
    panic::set_hook(Box::new(|_| {})); // panics are logged instead
    metadata!("mill.sacks", "{count}");

    let (put, sacks) = mpsc::channel();
    let (send, results) = mpsc::channel();
    let mill = Arc::new(Mill {
        sacks: Mutex::new(sacks),
        times: Times::default(),
    });
    let workers: Vec<_> = (0..3)
        .map(|n| {
            let (mill, send) = (Arc::clone(&mill), send.clone());
            thread::Builder::new()
                .name(format!("worker-{n}"))
                .spawn(move || mill.work(&send))
                .unwrap()
        })
        .collect();
    drop(send);
    let collector = {
        let mill = Arc::clone(&mill);
        thread::Builder::new()
            .name("collector".to_string())
            .spawn(move || collect(&results, &mill.times))
            .unwrap()
    };

    let mut dice = Dice(7);
    for number in 0..count {
        let sack = fill_sack(&mut dice, number, &mill.times);
        linked!(Link::Begin, "mill", "sack", number, "filled");
        WAITING.add(1);
        put.send(sack).unwrap();
    }
    drop(put);
    for worker in workers {
        worker.join().unwrap();
    }
    let (milled, refused, words) = collector.join().unwrap();
    mark!("mill", "end", "{words} words");
    assert_eq!(milled + refused, count);
    assert_eq!(refused, count / 16);

    let times = &mill.times;
    times.fill.show("fill");
    times.grind.show("grind");
    times.sift.show("sift");
    times.tell.show("tell");
    println!("mark mill sack {count} 0");
    println!("counter mill milled {milled}");
    println!("counter mill waiting 0");
    println!(
        "logs mill {}",
        refused + (0..count).filter(|n| n % 50 == 0 && n % 16 != 15).count() as u64
    );
    println!("stack count_words");
    println!("stack fill_sack");
    println!("stack sift_words");
}
