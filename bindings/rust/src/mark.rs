// SPDX-License-Identifier: BSD-2-Clause
//! Marks and spans: what happened, when, and for how long.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::ffi;
use crate::text::{cut, padded, with_cut, with_formatted, with_text, Text};
use crate::{is_active, now};

/// A place that makes marks: a group and a name.  `span!` and `mark!` make one
/// each; for several places in common, a `static` one:
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
    /// Group up to 23 bytes and name up to 39.  In a `static` what is longer
    /// does not compile; elsewhere it panics.
    pub const fn new(group: &str, name: &str) -> Site {
        Site {
            group: padded(group),
            name: padded(name),
        }
    }

    /// Of texts that are known at run time only: what is longer is cut between
    /// characters, what comes behind a NUL is left out.
    pub fn cut(group: &str, name: &str) -> Site {
        Site {
            group: cut(group),
            name: cut(name),
        }
    }

    /// Where it is known that something is recorded.
    #[inline]
    fn emit(&self, begin: i64, duration: i64, message: Text) {
        // SAFETY: texts end in a NUL, or have their length given
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

/// An instant, now; what `mark!` calls.
#[doc(hidden)]
#[cold]
pub fn instant(site: &'static Site, message: fmt::Arguments) {
    let now = now();
    with_formatted(message, |message| site.emit(now, 0, message));
}

/// `duration` nanoseconds from `begin` on; both of [`now`]'s clock.
///
/// Any thread; in signal handlers too.
#[inline]
pub fn mark_at(site: &Site, begin: i64, duration: i64, message: &str) {
    if is_active() {
        with_text(message, |message| site.emit(begin, duration, message));
    }
}

/// A mark from its creation to its end: [`end`](Span::end), or when it is
/// dropped, however that comes.
///
/// One that begins while nothing is recorded makes no mark.  It may end on
/// another thread than it began on.
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

    /// Begin here, where the message is known already; of `span!`.
    #[doc(hidden)]
    #[inline]
    pub fn with_message(site: &'static Site, message: impl FnOnce() -> &'a str) -> Span<'a> {
        let mut span = Span::new(site);
        if span.begin != 0 {
            span.message = message();
        }
        span
    }

    /// True where its end will be recorded: then a message is worth making.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.begin != 0
    }

    /// End here.
    #[inline]
    pub fn end(self) {}

    /// End here, with a message: `span.end_with(format_args!("{n} rows"))`.
    /// Formats on the stack, up to 1,023 bytes, and only where it is recorded.
    #[inline]
    pub fn end_with(mut self, message: fmt::Arguments) {
        if self.begin != 0 {
            finish_with(self.site, self.begin, message);
            self.begin = 0;
        }
    }

    /// Make no mark.
    #[inline]
    pub fn cancel(mut self) {
        self.begin = 0;
    }
}

// These take what the span is made of and not the span: one whose address
// somebody knows could not be kept out of memory while nothing is recorded.

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

/// Something that goes on while its thread does other things, from its
/// creation until it is dropped: to be held over an `.await`.
///
/// ```
/// # async fn get(_: &str) {}
/// async fn fetch(url: &str) {
///     let _operation = syscap::operation!("net", "fetch", url);
///     get(url).await;
/// }
/// ```
///
/// Others may overlap with it, on its thread too, which those of a [`Span`]
/// should not.  It may end on any thread, and ends with a future that is
/// dropped before it is ready.
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

    /// Begin here, where the message is known already; of `operation!`.
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

    /// End here, with a message, as [`Span::end_with`].
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
    /// No two of a process have the same: they are told apart by nothing else.
    static LAST: AtomicU64 = AtomicU64::new(0);

    let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    with_cut(message, |message| {
        // SAFETY: the text ends in a NUL
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

/// An operation of `duration` nanoseconds from `begin` on; both of [`now`]'s
/// clock.
pub fn operation_at(site: &Site, begin: i64, duration: i64, message: &str) {
    if is_active() {
        emit_operation(site, begin, duration, format_args!("{message}"));
    }
}

/// The link of an operation that is told as a whole.
const WHOLE: u32 = 0;

/// What a mark is to the others with its id; see `linked!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Link {
    /// An operation begins; parts with its id and group may be on any thread.
    Begin = 1,
    /// A part of it.
    Step = 2,
    /// Its end.
    End = 3,
    /// An arrow leaves from here ...
    Out = 4,
    /// ... and arrives here.
    In = 5,
}

/// What `linked!` calls.
#[doc(hidden)]
#[cold]
pub fn linked(site: &'static Site, link: Link, id: u64, message: fmt::Arguments) {
    let now = now();
    with_cut(message, |message| {
        // SAFETY: the text ends in a NUL
        unsafe { ffi::syscap_linked_at(site, link as u32, id, now, 0, message) }
    });
}
