// SPDX-License-Identifier: BSD-2-Clause
//! Marks and spans: events with a time and a duration.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::ffi;
use crate::text::{cut, padded, with_cut, with_formatted, with_text, Text};
use crate::{is_active, now};

/// A group and a name for marks.  Each `span!` and `mark!` makes its own
/// `Site`.  Several places can share a `static` `Site`:
///
/// ```
/// static LOAD: syscap::Site = syscap::Site::new("demo", "load");
///
/// let _span = syscap::Span::new(&LOAD);
/// ```
#[repr(C)]
pub struct Site {
    group: [u8; 24],
    name: [u8; 40],
}

impl Site {
    /// `group` has up to 23 bytes, `name` up to 39.  A longer text does not
    /// compile in a `static`, and panics elsewhere.
    pub const fn new(group: &str, name: &str) -> Site {
        Site {
            group: padded(group),
            name: padded(name),
        }
    }

    /// Make a site of texts that are known only at run time.  A longer text is
    /// cut between characters, and at its first NUL.
    pub fn cut(group: &str, name: &str) -> Site {
        Site {
            group: cut(group),
            name: cut(name),
        }
    }

    /// Record a mark without a check of [`is_active`].
    #[inline]
    fn emit(&self, begin: i64, duration: i64, message: Text) {
        // SAFETY: each text ends in a NUL, or is passed with its length
        unsafe {
            match message {
                Text::Terminated(message) => ffi::syscap_mark_at(self, begin, duration, message),
                Text::Long(message) => ffi::syscap_mark_printf(
                    self.group.as_ptr(),
                    self.name.as_ptr(),
                    begin,
                    duration,
                    b"%.*s\0".as_ptr(),
                    message.len().min(i32::MAX as usize) as i32,
                    message.as_ptr(),
                ),
            }
        }
    }
}

/// Record an instant, now.  `mark!` calls this function.
#[doc(hidden)]
#[cold]
pub fn instant(site: &'static Site, message: fmt::Arguments) {
    let now = now();
    with_formatted(message, |message| site.emit(now, 0, message));
}

/// Record a mark of `duration` nanoseconds from `begin`, a time of [`now`].
///
/// Any thread and signal handler may call this function.
#[inline]
pub fn mark_at(site: &Site, begin: i64, duration: i64, message: &str) {
    if is_active() {
        with_text(message, |message| site.emit(begin, duration, message));
    }
}

/// A mark from the creation of the span to its end: a call of
/// [`end`](Span::end), or the drop of the span, also by a panic.
///
/// A span that begins without a recording makes no mark.  A span may end on
/// another thread than the thread of its begin.
#[must_use = "a span that is not kept ends at once: let _span = span!(...)"]
pub struct Span<'a> {
    begin: i64,
    site: &'static Site,
    message: &'a str,
}

impl<'a> Span<'a> {
    /// Begin here.
    #[inline]
    pub fn new(site: &'static Site) -> Span<'a> {
        Span {
            begin: crate::begin(),
            site,
            message: "",
        }
    }

    /// Begin a span with a message.  `span!` calls this function.
    #[doc(hidden)]
    #[inline]
    pub fn with_message(site: &'static Site, message: impl FnOnce() -> &'a str) -> Span<'a> {
        let mut span = Span::new(site);
        if span.begin != 0 {
            span.message = message();
        }
        span
    }

    /// True if the end will be recorded, so that a message is useful.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.begin != 0
    }

    /// End here.
    #[inline]
    pub fn end(self) {}

    /// End the span with a message: `span.end_with(format_args!("{n} rows"))`.
    /// The call formats up to 1,023 bytes on the stack, and only if the span
    /// is recorded.
    #[inline]
    pub fn end_with(mut self, message: fmt::Arguments) {
        if self.begin != 0 {
            finish_with(self.site, self.begin, message);
            self.begin = 0;
        }
    }

    /// End the span without a mark.
    #[inline]
    pub fn cancel(mut self) {
        self.begin = 0;
    }
}

// These functions take the fields of a span and not a reference to the span, so
// that the compiler can keep an unrecorded span in registers.

#[cold]
#[inline(never)]
fn finish(site: &Site, begin: i64, message: &str) {
    let duration = now() - begin;
    with_text(message, |message| site.emit(begin, duration, message));
}

#[cold]
#[inline(never)]
fn finish_with(site: &Site, begin: i64, message: fmt::Arguments) {
    let duration = now() - begin;
    with_formatted(message, |message| site.emit(begin, duration, message));
}

impl Drop for Span<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.begin != 0 {
            finish(self.site, self.begin, self.message);
        }
    }
}

/// An operation from its creation to its drop.  The thread may do other work
/// before the end, so an operation can be held over an `.await`.
///
/// ```
/// # async fn get(_: &str) {}
/// async fn fetch(url: &str) {
///     let _operation = syscap::operation!("net", "fetch", url);
///     get(url).await;
/// }
/// ```
///
/// Operations of one thread may overlap, but [`Span`]s of one thread should
/// not.  An operation may end on any thread, and also ends if its unfinished
/// future is dropped.
#[must_use = "an operation that is not kept ends at once: let _operation = operation!(...)"]
pub struct Operation<'a> {
    begin: i64,
    site: &'static Site,
    message: &'a str,
}

impl<'a> Operation<'a> {
    /// Begin here.
    #[inline]
    pub fn new(site: &'static Site) -> Operation<'a> {
        Operation {
            begin: crate::begin(),
            site,
            message: "",
        }
    }

    /// Begin an operation with a message.  `operation!` calls this function.
    #[doc(hidden)]
    #[inline]
    pub fn with_message(site: &'static Site, message: impl FnOnce() -> &'a str) -> Operation<'a> {
        let mut operation = Operation::new(site);
        if operation.begin != 0 {
            operation.message = message();
        }
        operation
    }

    /// End here.
    #[inline]
    pub fn end(self) {}

    /// End the operation with a message, as [`Span::end_with`] does.
    #[inline]
    pub fn end_with(mut self, message: fmt::Arguments) {
        if self.begin != 0 {
            finish_operation(self.site, self.begin, message);
            self.begin = 0;
        }
    }
}

#[cold]
#[inline(never)]
fn finish_operation(site: &Site, begin: i64, message: fmt::Arguments) {
    emit_operation(site, begin, now() - begin, message);
}

fn emit_operation(site: &Site, begin: i64, duration: i64, message: fmt::Arguments) {
    /// The last used id.  Each operation of the process has its own id, by
    /// which readers of the capture distinguish operations.
    static LAST: AtomicU64 = AtomicU64::new(0);

    let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    with_cut(message, |message| {
        // SAFETY: the message ends in a NUL
        unsafe { ffi::syscap_linked_at(site, WHOLE, id, begin, duration, message) }
    });
}

impl Drop for Operation<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.begin != 0 {
            finish_operation(self.site, self.begin, format_args!("{}", self.message));
        }
    }
}

/// Record an operation of `duration` nanoseconds from `begin`, a time of
/// [`now`].
pub fn operation_at(site: &Site, begin: i64, duration: i64, message: &str) {
    if is_active() {
        emit_operation(site, begin, duration, format_args!("{message}"));
    }
}

/// The link of an operation that is recorded as a whole.
const WHOLE: u32 = 0;

/// The relation of a mark to other marks with the same id (`linked!`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Link {
    /// An operation begins.  Parts with its id and group may be on any thread.
    Begin = 1,
    /// A step of the operation.
    Step = 2,
    /// The end of the operation.
    End = 3,
    /// An arrow leaves from this mark.
    Out = 4,
    /// An arrow arrives at this mark.
    In = 5,
}

/// The function that `linked!` calls.
#[doc(hidden)]
#[cold]
pub fn linked(site: &'static Site, link: Link, id: u64, message: fmt::Arguments) {
    let now = now();
    with_cut(message, |message| {
        // SAFETY: the message ends in a NUL
        unsafe { ffi::syscap_linked_at(site, link as u32, id, now, 0, message) }
    });
}
