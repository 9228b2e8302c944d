// SPDX-License-Identifier: BSD-2-Clause
//! A program that records its work.
//!
//!     cargo build --release --example words
//!     syscap record -- target/release/examples/words
//!     syscap stat capture.syscap
use std::collections::HashMap;
use std::thread;

use syscap::{counter, log, mark, span, Level};

const WORDS: [&str; 6] = ["mark", "scope", "counter", "log", "ring", "capture"];

fn make_text(mut seed: u32, n_words: u32) -> String {
    let _span = span!("words", "make text");
    let mut text = String::new();

    for _ in 0..n_words {
        seed = seed.wrapping_mul(1103515245).wrapping_add(12345);
        text += WORDS[(seed >> 16) as usize % WORDS.len()];
        text.push(' ');
    }
    text
}

fn count(text: &str) -> Result<HashMap<&str, u32>, &'static str> {
    let span = span!("words", "count");
    let mut counts = HashMap::new();

    for (n, word) in text.split_whitespace().enumerate() {
        *counts.entry(word).or_insert(0) += 1;
        if n % 1000 == 0 {
            counter!("words", "seen", n);
        }
    }
    if counts.is_empty() {
        return Err("no words"); // ends the span
    }
    span.end_with(format_args!("{} words differ", counts.len()));
    Ok(counts)
}

fn work(n: u32) {
    let text = make_text(n, n * 5000);

    match count(&text) {
        Ok(counts) => mark!("words", "most", "{:?}", counts.iter().max_by_key(|c| c.1)),
        Err(why) => log!(Level::Warning, "words", "{why}"),
    }
}

fn main() {
    let threads: Vec<_> = (0..4).map(|n| thread::spawn(move || work(n))).collect();

    for thread in threads {
        thread.join().unwrap();
    }
    println!(
        "{}",
        if syscap::is_active() {
            "recorded"
        } else {
            "not recorded"
        }
    );
}
