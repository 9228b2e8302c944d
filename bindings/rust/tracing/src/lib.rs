// SPDX-License-Identifier: BSD-2-Clause
#![doc = include_str!("../README.md")]
#![warn(missing_docs, rust_2018_idioms)]
// The README shows whole programs
#![allow(clippy::needless_doctest_main)]

use std::cell::RefCell;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use syscap::{log_to, mark_at, operation_at, Site};
use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// A layer that writes spans and events to the capture.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyscapLayer(());

/// A layer for `tracing_subscriber::registry()`.
pub fn layer() -> SyscapLayer {
    SyscapLayer(())
}

/// The registry's data of a span that was made during a recording.
struct Kept {
    message: Fields,
    entered: AtomicU64,
    first: AtomicI64,
    last: AtomicI64,
}

thread_local! {
    /// This thread's entered spans, each with the time of its entry.
    static INSIDE: RefCell<Vec<(u64, i64)>> = const { RefCell::new(Vec::new()) };
}

/// `name=value`, separated by spaces; the field `message` without its name.
#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format_args!("{value:?}"));
    }
}

impl Fields {
    fn add(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        // Writing to a String does not fail.
        let _ = match field.name() {
            "message" => self.0.write_fmt(value),
            name => write!(self.0, "{name}={value}"),
        };
    }
}

fn level_of(level: &Level) -> syscap::Level {
    match *level {
        Level::ERROR => syscap::Level::Critical,
        Level::WARN => syscap::Level::Warning,
        Level::INFO => syscap::Level::Info,
        _ => syscap::Level::Debug,
    }
}

fn site_of(metadata: &Metadata<'_>) -> Site {
    Site::cut(metadata.target(), metadata.name())
}

/// Removes the entry of this thread into the span, and returns its time.
fn take_entry(id: &Id) -> Option<i64> {
    INSIDE
        .try_with(|inside| {
            let mut inside = inside.borrow_mut();
            let at = inside.iter().rposition(|entry| entry.0 == id.into_u64())?;
            Some(inside.remove(at).1)
        })
        .ok()
        .flatten()
}

impl<S> Layer<S> for SyscapLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if !syscap::is_active() {
            return;
        }
        if let Some(span) = context.span(id) {
            let mut message = Fields::default();
            attributes.record(&mut message);
            span.extensions_mut().replace(Kept {
                message,
                entered: AtomicU64::new(0),
                first: AtomicI64::new(0),
                last: AtomicI64::new(0),
            });
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if !syscap::is_active() {
            return;
        }
        if let Some(span) = context.span(id) {
            if let Some(kept) = span.extensions_mut().get_mut::<Kept>() {
                values.record(&mut kept.message);
            }
        }
    }

    fn on_enter(&self, id: &Id, _context: Context<'_, S>) {
        let begin = syscap::begin();

        if begin != 0 {
            // Fails only at the end of the thread.
            let _ = INSIDE.try_with(|inside| inside.borrow_mut().push((id.into_u64(), begin)));
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let (begin, span) = match (take_entry(id), context.span(id)) {
            (Some(begin), Some(span)) => (begin, span),
            _ => return,
        };
        let end = syscap::now();
        let extensions = span.extensions();
        let kept = extensions.get::<Kept>();

        if let Some(kept) = kept {
            kept.entered.fetch_add(1, Ordering::Relaxed);
            let _ = kept
                .first
                .compare_exchange(0, begin, Ordering::Relaxed, Ordering::Relaxed);
            kept.last.fetch_max(end, Ordering::Relaxed);
        }
        mark_at(
            &site_of(span.metadata()),
            begin,
            end - begin,
            kept.map_or("", |kept| &kept.message.0),
        );
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let span = match context.span(&id) {
            Some(span) => span,
            None => return,
        };
        let extensions = span.extensions();

        if let Some(kept) = extensions.get::<Kept>() {
            let first = kept.first.load(Ordering::Relaxed);

            if kept.entered.load(Ordering::Relaxed) > 1 {
                operation_at(
                    &site_of(span.metadata()),
                    first,
                    kept.last.load(Ordering::Relaxed) - first,
                    &kept.message.0,
                );
            }
        }
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        if syscap::is_active() {
            let metadata = event.metadata();
            let mut line = Fields::default();

            event.record(&mut line);
            log_to(
                level_of(metadata.level()),
                metadata.target(),
                format_args!("{}", line.0),
            );
        }
    }
}
