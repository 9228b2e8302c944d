// SPDX-License-Identifier: BSD-2-Clause
//! Marks, counters and logs of a program, for a profiler.
//!
//! ```
//! use syscap::{counter, log, mark, span, Level};
//!
//! fn draw(n: u32) {
//!     let _span = span!("demo", "draw");
//!     counter!("demo", "frames", n);
//!     if n % 2 == 1 {
//!         mark!("demo", "odd", "frame {n}");
//!     }
//!     log!(Level::Debug, "demo", "drawn");
//! }
//! # draw(1);
//! ```
//!
//! Run the program under a recorder: `syscap record -- target/release/demo`.
//! Without a recording each of these macros is one load and one branch not
//! taken, and does not evaluate its arguments.
//!
//! No call panics, allocates, locks or blocks, except [`Recording`],
//! [`Sampling`] and [`file()`].  Outside of a `static`, `Site::new` and
//! `Counter::new` panic if a text is too long.  Times are nanoseconds of
//! `CLOCK_MONOTONIC`.  Texts are copied, and end at their first NUL.
//!
//! # Features
//!
//! With `std` (default), [`Error`] is a `std::error::Error`.  Without `std`,
//! the crate needs only `core`.
#![no_std]
#![warn(missing_docs, rust_2018_idioms)]
#![allow(elided_lifetimes_in_paths)]
// An error contains its text, since without `std` the crate cannot box the text
#![allow(clippy::result_large_err)]

#[cfg(feature = "std")]
extern crate std;

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
compile_error!("syscap needs 64-bit Linux");

mod counter;
mod ffi;
mod log;
mod macros;
mod mark;
mod session;
mod text;

pub use counter::{Counter, Number};
pub use log::{file, log_to, Level};
pub use mark::{mark_at, operation_at, Link, Operation, Site, Span};
pub use session::{stats, Clock, Error, Options, Recording, Sampling, Stats};

/// Functions that the macros call.
#[doc(hidden)]
pub mod detail {
    pub use crate::counter::emit_either;
    pub use crate::log::{log, metadata, Label};
    pub use crate::mark::{instant, linked};
}

/// True if a recording may be active.  The check takes one load.
///
/// Any thread and signal handler may call this function.
#[inline(always)]
pub fn is_active() -> bool {
    use core::sync::atomic::{AtomicI32, Ordering};

    // SAFETY: the flag is an int, and the library writes it atomically
    let flag = unsafe { &*core::ptr::addr_of!(ffi::syc_active).cast::<AtomicI32>() };
    flag.load(Ordering::Relaxed) != 0
}

/// The current time in nanoseconds of `CLOCK_MONOTONIC`, the clock of the
/// capture.
#[inline]
pub fn now() -> i64 {
    // SAFETY: any thread may call this function
    unsafe { ffi::syscap_clock() }
}

/// The current time, as a begin for `mark_since!`; 0 without a recording.
#[inline]
pub fn begin() -> i64 {
    if is_active() {
        now()
    } else {
        0
    }
}
