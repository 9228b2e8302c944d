// SPDX-License-Identifier: BSD-2-Clause
//! Copies of Rust's texts for C, in a buffer on the stack, with a NUL.

use core::fmt;
use core::mem::MaybeUninit;

/// The size of the buffer on the stack.  A longer text is passed with its
/// length ([`with_text`]) or is cut ([`with_formatted`]).
pub const ROOM: usize = 1024;

/// A text that ends in a NUL.
struct Buffer {
    bytes: [MaybeUninit<u8>; ROOM],
    len: usize,
}

impl Buffer {
    #[inline]
    fn new() -> Buffer {
        Buffer {
            bytes: [MaybeUninit::uninit(); ROOM],
            len: 0,
        }
    }

    /// Append as much of `text` as fits, cut between characters.
    fn push(&mut self, text: &str) -> fmt::Result {
        let room = ROOM - 1 - self.len;
        let mut n = text.len().min(room);
        while !text.is_char_boundary(n) {
            n -= 1;
        }
        // SAFETY: n bytes fit behind the first len bytes
        unsafe {
            core::ptr::copy_nonoverlapping(
                text.as_ptr(),
                self.bytes.as_mut_ptr().add(self.len).cast(),
                n,
            );
        }
        self.len += n;
        if n < text.len() {
            Err(fmt::Error)
        } else {
            Ok(())
        }
    }

    fn terminated(&mut self) -> *const u8 {
        self.bytes[self.len] = MaybeUninit::new(0);
        self.bytes.as_ptr().cast()
    }
}

impl fmt::Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text)
    }
}

/// A text for the library.
pub enum Text<'a> {
    /// Ends in a NUL.
    Terminated(*const u8),
    /// The text is too long for the buffer, and goes through `printf("%.*s")`.
    Long(&'a str),
}

/// Call `f` with `text`.
#[inline]
pub fn with_text<R>(text: &str, f: impl FnOnce(Text) -> R) -> R {
    if text.is_empty() {
        return f(Text::Terminated(core::ptr::null()));
    }
    if text.len() >= ROOM {
        return f(Text::Long(text));
    }
    let mut buffer = Buffer::new();
    let _ = buffer.push(text);
    f(Text::Terminated(buffer.terminated()))
}

/// Call `f` with the text of `args`.  Formatted text is cut after 1,023 bytes.
#[inline]
pub fn with_formatted<R>(args: fmt::Arguments, f: impl FnOnce(Text) -> R) -> R {
    if let Some(text) = args.as_str() {
        return with_text(text, f);
    }
    let mut buffer = Buffer::new();
    let _ = fmt::write(&mut buffer, args);
    f(Text::Terminated(buffer.terminated()))
}

/// Call `f` with the text of `args`.  Literals are cut after 1,023 bytes, too.
#[inline]
pub fn with_cut<R>(args: fmt::Arguments, f: impl FnOnce(*const u8) -> R) -> R {
    let mut buffer = Buffer::new();
    let _ = fmt::write(&mut buffer, args);
    f(buffer.terminated())
}

/// A literal `text` and NULs, in `N` bytes.
pub const fn padded<const N: usize>(text: &str) -> [u8; N] {
    let from = text.as_bytes();
    let mut to = [0; N];
    let mut i = 0;
    assert!(from.len() < N, "the text is too long for its field");
    while i < from.len() {
        assert!(from[i] != 0, "the text has a NUL in it");
        to[i] = from[i];
        i += 1;
    }
    to
}

/// As much of `text` as fits, cut between characters and at the first NUL.
pub fn cut<const N: usize>(text: &str) -> [u8; N] {
    let mut to = [0; N];
    let mut n = text.len().min(N - 1);

    while !text.is_char_boundary(n) {
        n -= 1;
    }
    let from = &text.as_bytes()[..n];
    let n = from.iter().position(|&b| b == 0).unwrap_or(n);
    to[..n].copy_from_slice(&from[..n]);
    to
}

/// The text up to the NUL in a field that the library wrote.
pub fn told(bytes: &[u8]) -> &str {
    let n = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    match core::str::from_utf8(&bytes[..n]) {
        Ok(text) => text,
        Err(error) => core::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
    }
}
