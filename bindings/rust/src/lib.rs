// SPDX-License-Identifier: BSD-2-Clause
//! Tell a profiler what your program is doing.
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
//! Run it under a recorder: `syscap record -- target/release/demo`.  Without
//! one nothing is recorded, and each of these is one load and one branch not
//! taken; arguments of the macros are not evaluated then.
//!
//! No call panics (but `Site::new` and `Counter::new` with texts too long,
//! outside of `static`), allocates, locks or blocks, the session's apart:
//! [`Recording`], [`Sampling`], [`file()`].  Times are nanoseconds of
//! `CLOCK_MONOTONIC`, texts are copied and end at their first NUL.
//!
//! # Features
//!
//! `std` (default): [`Error`] is a `std::error::Error`.  Without it the crate
//! needs `core` only.
#![no_std]
#![warn(missing_docs, rust_2018_idioms)]
#![allow(elided_lifetimes_in_paths)]
// An error holds its text itself: without `std` there is nothing to box it
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

/// What the macros call.
#[doc(hidden)]
pub mod detail {
    pub use crate::counter::emit_either;
    pub use crate::log::{log, metadata, Label};
    pub use crate::mark::{instant, linked};
}

/// True while events may have somewhere to go.  One load.
///
/// Any thread; in signal handlers too.
#[inline(always)]
pub fn is_active() -> bool {
    use core::sync::atomic::{AtomicI32, Ordering};

    // SAFETY: an int, which the library stores to atomically
    let flag = unsafe { &*core::ptr::addr_of!(ffi::syc_active).cast::<AtomicI32>() };
    flag.load(Ordering::Relaxed) != 0
}

/// Now, in nanoseconds, on the clock of the capture: that of
/// `CLOCK_MONOTONIC`.
#[inline]
pub fn now() -> i64 {
    // SAFETY: any thread
    unsafe { ffi::syscap_clock() }
}

/// When something begins, for `mark_since!`; 0 while nothing is recorded.
#[inline]
pub fn begin() -> i64 {
    if is_active() {
        now()
    } else {
        0
    }
}
