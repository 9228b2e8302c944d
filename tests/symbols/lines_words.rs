// SPDX-License-Identifier: BSD-2-Clause
// lines_words.rs - for lines.sh: iterators and closures, all inlined.
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Number(i64),
    Other(char),
}

fn tokens(text: &str) -> Vec<Token> {
    text.split_whitespace()
        .map(|part| match part.parse::<i64>() {
            Ok(n) => Token::Number(n),
            Err(_) if part.chars().all(|c| c.is_alphabetic()) => Token::Word(part.to_lowercase()),
            Err(_) => Token::Other(part.chars().next().unwrap_or('?')),
        })
        .collect()
}

fn count<'a>(tokens: impl Iterator<Item = &'a Token>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    tokens
        .filter_map(|t| match t {
            Token::Word(w) => Some(w.clone()),
            Token::Number(n) if n % 2 == 0 => Some(format!("even {n}")),
            _ => None,
        })
        .for_each(|key| *counts.entry(key).or_insert(0) += 1);
    counts
}

fn main() {
    let text = "The one two 3 4 and the other 8 ; two the end".repeat(std::env::args().count());
    let mut sorted: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (word, n) in count(tokens(&text).iter()) {
        sorted.entry(n).or_default().push(word);
    }
    for words in sorted.values_mut() {
        words.sort_by_key(|w| std::cmp::Reverse(w.len()));
    }
    println!("{sorted:?}");
}
