// SPDX-License-Identifier: BSD-2-Clause
// lines_shapes.rs - closures, trait objects, generics and a sort, inlined into
// each other.
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String;
    fn grow(&mut self, by: f64);
}

#[derive(Clone)]
struct Square(f64);

#[derive(Clone)]
struct Polygon {
    corners: Vec<(f64, f64)>,
}

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
    fn name(&self) -> String {
        format!("square of {:.3}", self.0)
    }
    fn grow(&mut self, by: f64) {
        self.0 += by;
    }
}

impl Shape for Polygon {
    fn area(&self) -> f64 {
        let next = self.corners.iter().cycle().skip(1);
        self.corners
            .iter()
            .zip(next)
            .map(|(a, b)| a.0 * b.1 - b.0 * a.1)
            .sum::<f64>()
            .abs()
            / 2.0
    }
    fn name(&self) -> String {
        let corners: Vec<String> = self
            .corners
            .iter()
            .map(|corner| format!("{:.1}/{:.1}", corner.0, corner.1))
            .collect();
        corners.join(" ")
    }
    fn grow(&mut self, by: f64) {
        for (x, y) in &mut self.corners {
            *x *= 1.0 + by;
            *y *= 1.0 + by;
        }
    }
}

struct Listed<'a, T: ?Sized>(&'a T);

impl<T: Shape + ?Sized> fmt::Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:.6}", self.0.name(), self.0.area())
    }
}

fn parse(text: &str) -> Result<Box<dyn Shape>, std::num::ParseFloatError> {
    let numbers = text
        .split(|c: char| c == ' ' || c == ',')
        .filter(|word| !word.is_empty())
        .map(str::parse::<f64>)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(match numbers.as_slice() {
        [side] => Box::new(Square(*side)),
        several => Box::new(Polygon {
            corners: several.chunks(2).map(|p| (p[0], *p.last().unwrap())).collect(),
        }),
    })
}

fn fold_with<T, F: FnMut(T, &dyn Shape) -> T>(all: &[Box<dyn Shape>], from: T, mut f: F) -> T {
    all.iter().fold(from, |sum, shape| f(sum, shape.as_ref()))
}

fn main() {
    let seed = Rc::new(std::cell::Cell::new(std::env::args().count() as u32));
    let random = {
        let seed = seed.clone();
        move || {
            seed.set(seed.get().wrapping_mul(1_103_515_245).wrapping_add(12_345));
            f64::from(seed.get() >> 16) / 4096.0
        }
    };
    let mut all: Vec<Box<dyn Shape>> = (0..200)
        .map(|i| {
            let words: Vec<String> = (0..1 + i % 9).map(|_| random().to_string()).collect();
            parse(&words.join(if i % 2 == 0 { " " } else { "," })).expect("numbers")
        })
        .collect();
    all.iter_mut().for_each(|shape| shape.grow(0.5));
    all.sort_by(|a, b| a.area().partial_cmp(&b.area()).unwrap());
    let mut by_length: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for shape in &all {
        let text = Listed(shape.as_ref()).to_string();
        by_length.entry(text.len()).or_default().push(text);
    }
    let total = fold_with(&all, 0.0, |sum, shape| sum + shape.area());
    if parse("1 x").is_ok() {
        panic!("{}", total);
    }
    println!("{} {:?}", by_length.len(), by_length.values().next_back());
}
