// SPDX-License-Identifier: BSD-2-Clause
//! Lines of text, facts about the run, and files.

use core::fmt;

use crate::ffi;
use crate::text::{cut, with_cut, with_formatted, Text};
use crate::Error;

/// The severity of a line of `log!`: GLib's levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Level {
    /// A fault that ends the program.
    Error = 4,
    /// A fault that should not happen.
    Critical = 8,
    /// Something is wrong.
    Warning = 16,
    /// A message for every user.
    Message = 32,
    /// A detail for interested users.
    Info = 64,
    /// A detail for a search for faults.
    Debug = 128,
}

/// Write a line as `log!` does, in a domain known only at run time.  The domain
/// is cut after 31 bytes.
///
/// ```
/// syscap::log_to(syscap::Level::Info, module_path!(), format_args!("{} rows", 3));
/// ```
pub fn log_to(level: Level, domain: &str, message: fmt::Arguments) {
    if crate::is_active() {
        log(level, &Label(cut(domain)), message);
    }
}

/// The function that `log!` calls.
#[doc(hidden)]
#[cold]
pub fn log(level: Level, domain: &Label<32>, message: fmt::Arguments) {
    let (level, domain) = (level as u32, domain.0.as_ptr());
    with_formatted(message, |message| {
        // SAFETY: each text ends in a NUL, or is passed with its length
        unsafe {
            match message {
                Text::Terminated(message) => ffi::syscap_log(level, domain, message),
                Text::Long(message) => ffi::syscap_log_printf(
                    level,
                    domain,
                    b"%.*s\0".as_ptr(),
                    message.len().min(i32::MAX as usize) as i32,
                    message.as_ptr(),
                ),
            }
        }
    });
}

/// A text and at least one NUL in a field of `N` bytes.
#[doc(hidden)]
pub struct Label<const N: usize>([u8; N]);

impl<const N: usize> Label<N> {
    #[doc(hidden)]
    pub const fn new(text: &str) -> Label<N> {
        Label(crate::text::padded(text))
    }
}

/// The function that `metadata!` calls.
#[doc(hidden)]
#[cold]
pub fn metadata(id: &'static Label<40>, value: fmt::Arguments) {
    with_cut(value, |value| {
        // SAFETY: both texts end in a NUL
        unsafe { ffi::syscap_metadata(id.0.as_ptr(), value) }
    });
}

/// Put the file `data`, named `path` (1 to 255 bytes), into the capture.
///
/// Unlike an event, this call waits for room.  Send a path once, and never from
/// two threads at a time.  Without a recording the call does nothing.
pub fn file(path: &str, data: &[u8]) -> Result<(), Error> {
    let mut name = [0; 257];
    let n = path.len().min(name.len() - 1);

    name[..n].copy_from_slice(&path.as_bytes()[..n]);
    // SAFETY: the name ends in a NUL
    match unsafe { ffi::syscap_file(name.as_ptr(), data.as_ptr().cast(), data.len()) } {
        0 => Ok(()),
        error => Err(Error::new(error, "the file is not in the capture")),
    }
}
