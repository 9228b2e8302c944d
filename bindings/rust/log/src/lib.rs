// SPDX-License-Identifier: BSD-2-Clause
#![doc = include_str!("../README.md")]
#![warn(missing_docs, rust_2018_idioms)]
// The README shows whole programs
#![allow(clippy::needless_doctest_main)]

use log::{LevelFilter, Log, Metadata, Record, SetLoggerError};

/// A logger that writes lines to the capture, and then to another logger.
pub struct Logger {
    next: Option<Box<dyn Log>>,
}

impl Logger {
    /// Lines go to the capture only.
    pub fn new() -> Logger {
        Logger { next: None }
    }

    /// Lines go to the capture, and also to `next` if `next` takes them.
    pub fn before(next: impl Log + 'static) -> Logger {
        Logger {
            next: Some(Box::new(next)),
        }
    }

    /// Make this the program's logger.
    pub fn init(self) -> Result<(), SetLoggerError> {
        log::set_boxed_logger(Box::new(self))?;
        log::set_max_level(LevelFilter::Trace);
        Ok(())
    }
}

impl Default for Logger {
    fn default() -> Logger {
        Logger::new()
    }
}

/// Make a [`Logger::new`] the program's logger: lines go to the capture only.
pub fn init() -> Result<(), SetLoggerError> {
    Logger::new().init()
}

fn level_of(level: log::Level) -> syscap::Level {
    match level {
        log::Level::Error => syscap::Level::Critical,
        log::Level::Warn => syscap::Level::Warning,
        log::Level::Info => syscap::Level::Info,
        log::Level::Debug | log::Level::Trace => syscap::Level::Debug,
    }
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        syscap::is_active() || matches!(&self.next, Some(next) if next.enabled(metadata))
    }

    fn log(&self, record: &Record<'_>) {
        syscap::log_to(level_of(record.level()), record.target(), *record.args());
        if let Some(next) = &self.next {
            if next.enabled(record.metadata()) {
                next.log(record);
            }
        }
    }

    fn flush(&self) {
        if let Some(next) = &self.next {
            next.flush();
        }
    }
}
