// SPDX-License-Identifier: BSD-2-Clause
//! Recording and sampling of this process, until the drop of a value.

use core::fmt;

use crate::ffi;
use crate::text::told;

/// The error of a failed call.
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

    /// The error number, as in `<errno.h>`.
    pub fn errno(&self) -> i32 {
        self.errno
    }

    /// A sentence that describes the error.
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

/// The options of [`Recording::start_with`]; 0 means the library's default.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Recording stops when the capture has this size.
    pub max_bytes: u64,
    /// The size of each thread's ring; 0: 256.
    pub ring_kib: u32,
    /// The time between writes while events come, in ms; 0: 50.
    pub interval_ms: u32,
    /// The longest wait of the process's end for the file, in ms; 0: 250.
    pub exit_flush_ms: u32,
    /// If true, the library starts no thread, and the program must call
    /// [`Recording::drain`].
    pub no_thread: bool,
}

/// A recording of this process into a new capture, until this value is dropped.
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
    /// `output` is the file's name: `%p` is the pid, `%n` the program, `%%` a
    /// percent sign.  If the file exists, the new file's name gets `.PID`
    /// appended, and the existing file is not changed.
    pub fn start(output: &str) -> Result<Recording, Error> {
        Recording::start_with(output, &Options::default())
    }

    /// Start with `options`.
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
        // SAFETY: `size` is right, and the name ends in a NUL
        match unsafe { ffi::syscap_start(&mut raw) } {
            0 => Ok(Recording { file: raw.message }),
            error => Err(Error::new(error, told(&raw.message))),
        }
    }

    /// The name of the capture.
    pub fn file(&self) -> &str {
        told(&self.file)
    }

    /// Move all emitted events into the file now.
    pub fn drain(&self) -> Result<(), Error> {
        // SAFETY: any thread may call this function
        match unsafe { ffi::syscap_drain() } {
            0 => Ok(()),
            error => Err(Error::new(error, "not all could be written")),
        }
    }

    /// End the recording.  `Ok` means that the file has all events.
    pub fn stop(self) -> Result<(), Error> {
        core::mem::forget(self);
        // SAFETY: any thread may call this function
        match unsafe { ffi::syscap_stop() } {
            0 => Ok(()),
            error => Err(Error::new(error, "some events are missing in the file")),
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // SAFETY: any thread may call this function
        unsafe { ffi::syscap_stop() };
    }
}

/// The clock that decides when a sample is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Clock {
    /// The same as `Cpu`.
    #[default]
    Auto = 0,
    /// The thread's processor time, at the kernel's tick.
    Cpu = 1,
    /// Elapsed time.  System calls of the program may return EINTR.
    Wall = 2,
    /// As `Cpu`, at any rate, if the system allows perf events.
    Perf = 3,
}

/// Sampling of all threads of this process, until this value is dropped.
///
/// Samples go into the capture like all events, so they need a recorder, or a
/// [`Recording`].
#[must_use = "sampling ends when this is dropped"]
pub struct Sampling {
    how: [u8; 256],
}

impl Sampling {
    /// Start to sample each thread `hz` times a second; 0: 1,000.
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
        // SAFETY: `size` is right
        match unsafe { ffi::syscap_sampler_start(&mut raw) } {
            0 => Ok(Sampling { how: raw.message }),
            error => Err(Error::new(error, told(&raw.message))),
        }
    }

    /// A sentence that describes the sampling.
    pub fn how(&self) -> &str {
        told(&self.how)
    }
}

impl Drop for Sampling {
    fn drop(&mut self) {
        // SAFETY: any thread may call this function
        unsafe { ffi::syscap_sampler_stop() };
    }
}

/// Counts of the events of this process.
#[derive(Clone, Copy, Debug)]
pub struct Stats {
    /// True if a recording may be active.
    pub is_active: bool,
    /// Dropped events of the whole process.
    pub n_dropped: u64,
    /// Dropped events that were begun and never finished.
    pub n_abandoned: u64,
    /// Rings of threads that are mapped now.
    pub n_rings: u32,
    /// Copies of the library in the process that act as one, including this
    /// copy.
    pub n_copies: u32,
    /// Bytes that the process wrote itself.
    pub n_written: u64,
}

/// Read the counts.  Any thread and signal handler may call this function.
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
    // SAFETY: `size` is right
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
