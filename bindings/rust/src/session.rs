// SPDX-License-Identifier: BSD-2-Clause
//! Recording and sampling this process, as long as a value lives.

use core::fmt;

use crate::ffi;
use crate::text::told;

/// Why something could not be done.
#[derive(Clone)]
pub struct Error {
    errno: i32,
    message: [u8; 256],
}

impl Error {
    pub(crate) fn new(negative: i32, message: &str) -> Error {
        let mut error = Error {
            errno: -negative,
            message: [0; 256],
        };
        let mut n = message.len().min(error.message.len() - 1);
        while !message.is_char_boundary(n) {
            n -= 1;
        }
        error.message[..n].copy_from_slice(&message.as_bytes()[..n]);
        error
    }

    /// The number of `<errno.h>`.
    pub fn errno(&self) -> i32 {
        self.errno
    }

    /// A sentence.
    pub fn message(&self) -> &str {
        told(&self.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} (errno {})", self.message(), self.errno)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "std")]
impl std::error::Error for Error {}

/// How [`Recording::start_with`] records; 0 is the library's choice.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Of the capture: then recording stops.
    pub max_bytes: u64,
    /// Each thread's ring; 0: 256.
    pub ring_kib: u32,
    /// Events wait this long at most; 0: 50.
    pub interval_ms: u32,
    /// The end of the process waits this long at most; 0: 250.
    pub exit_flush_ms: u32,
    /// No thread of the library's: the program calls [`Recording::drain`].
    pub no_thread: bool,
}

/// This process recorded into a capture of its own, until it is dropped.
///
/// ```no_run
/// let recording = syscap::Recording::start("run-%p.syscap")?;
/// println!("see {}", recording.file());
/// # Ok::<(), syscap::Error>(())
/// ```
#[must_use = "recording ends when this is dropped"]
pub struct Recording {
    file: [u8; 1024],
}

impl Recording {
    /// `output` is the file's name: `%p` pid, `%n` program, `%%`.  One that
    /// exists is not touched: then the name gets `.PID` behind it.
    pub fn start(output: &str) -> Result<Recording, Error> {
        Recording::start_with(output, &Options::default())
    }

    /// The same, otherwise than usual.
    pub fn start_with(output: &str, options: &Options) -> Result<Recording, Error> {
        const EINVAL: i32 = 22;
        let mut name = [0; 1024];
        if output.len() >= name.len() {
            return Err(Error::new(-EINVAL, "the file's name is too long"));
        }
        name[..output.len()].copy_from_slice(output.as_bytes());
        let mut raw = ffi::Options {
            size: core::mem::size_of::<ffi::Options>(),
            output: name.as_ptr(),
            max_bytes: options.max_bytes,
            ring_kib: options.ring_kib,
            interval_ms: options.interval_ms,
            exit_flush_ms: options.exit_flush_ms,
            flags: options.no_thread as u32,
            message: [0; 1024],
        };
        // SAFETY: size says what there is; the name ends in a NUL
        match unsafe { ffi::syscap_start(&mut raw) } {
            0 => Ok(Recording { file: raw.message }),
            error => Err(Error::new(error, told(&raw.message))),
        }
    }

    /// The capture's name.
    pub fn file(&self) -> &str {
        told(&self.file)
    }

    /// Move what was emitted into the file now.
    pub fn drain(&self) -> Result<(), Error> {
        // SAFETY: any thread
        match unsafe { ffi::syscap_drain() } {
            0 => Ok(()),
            error => Err(Error::new(error, "not all could be written")),
        }
    }

    /// End it, and learn how that went: with `Ok` all is in the file.
    pub fn stop(self) -> Result<(), Error> {
        core::mem::forget(self);
        // SAFETY: any thread
        match unsafe { ffi::syscap_stop() } {
            0 => Ok(()),
            error => Err(Error::new(error, "not all is in the file")),
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // SAFETY: any thread
        unsafe { ffi::syscap_stop() };
    }
}

/// What makes a sample due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Clock {
    /// As `Cpu`.
    #[default]
    Auto = 0,
    /// The thread's processor time, at the kernel's tick.
    Cpu = 1,
    /// All the time; makes system calls return EINTR.
    Wall = 2,
    /// As `Cpu` at any rate, where the system allows it.
    Perf = 3,
}

/// The threads of this process sampled, until it is dropped.
///
/// Samples go where all events go: they need a recorder, or a [`Recording`].
#[must_use = "sampling ends when this is dropped"]
pub struct Sampling {
    how: [u8; 256],
}

impl Sampling {
    /// `hz` times a second, of each thread; 0: 1,000.
    pub fn start(hz: u32, clock: Clock) -> Result<Sampling, Error> {
        let mut raw = ffi::SamplerOptions {
            size: core::mem::size_of::<ffi::SamplerOptions>(),
            hz,
            clock: clock as u32,
            signal: 0,
            max_depth: 0,
            stacks: 0,
            max_share: 0,
            message: [0; 256],
        };
        // SAFETY: size says what there is
        match unsafe { ffi::syscap_sampler_start(&mut raw) } {
            0 => Ok(Sampling { how: raw.message }),
            error => Err(Error::new(error, told(&raw.message))),
        }
    }

    /// What is sampled how, in a sentence.
    pub fn how(&self) -> &str {
        told(&self.how)
    }
}

impl Drop for Sampling {
    fn drop(&mut self) {
        // SAFETY: any thread
        unsafe { ffi::syscap_sampler_stop() };
    }
}

/// What became of this process' events.
#[derive(Clone, Copy, Debug)]
pub struct Stats {
    /// Events may have somewhere to go.
    pub is_active: bool,
    /// Events that were not kept, of the whole process.
    pub n_dropped: u64,
    /// Of which begun and never finished.
    pub n_abandoned: u64,
    /// Threads' rings that are mapped now.
    pub n_rings: u32,
    /// Copies of the library in the process that act as one, this one too.
    pub n_copies: u32,
    /// Bytes that the process wrote by itself.
    pub n_written: u64,
}

/// Any thread; in signal handlers too.
pub fn stats() -> Stats {
    let mut raw = ffi::Stats {
        size: core::mem::size_of::<ffi::Stats>(),
        is_active: false,
        reason: [0; 120],
        n_dropped: 0,
        n_abandoned: 0,
        n_untold: 0,
        n_rings: 0,
        clock_is_tsc: false,
        n_written: 0,
        output: [0; 1024],
        n_copies: 0,
        why_alone: [0; 120],
    };
    // SAFETY: size says what there is
    unsafe { ffi::syscap_get_stats(&mut raw) };
    Stats {
        is_active: raw.is_active,
        n_dropped: raw.n_dropped,
        n_abandoned: raw.n_abandoned,
        n_rings: raw.n_rings,
        n_copies: raw.n_copies,
        n_written: raw.n_written,
    }
}
