// SPDX-License-Identifier: BSD-2-Clause
//! Numbers that change.

use core::cell::UnsafeCell;
use core::marker::PhantomData;

use crate::ffi;
use crate::is_active;
use crate::text::padded;

mod sealed {
    pub trait Sealed {}
}

/// A type of counter values: recorded as `i64` or `f64`.
pub trait Number: Copy + sealed::Sealed {
    #[doc(hidden)]
    const IS_REAL: bool;
    #[doc(hidden)]
    fn integer(self) -> i64;
    #[doc(hidden)]
    fn real(self) -> f64;
}

macro_rules! numbers {
    ($is_real:literal, $integer:expr; $($kind:ty)*) => {$(
        impl sealed::Sealed for $kind {}
        impl Number for $kind {
            const IS_REAL: bool = $is_real;
            #[inline]
            fn integer(self) -> i64 {
                $integer(self)
            }
            #[inline]
            fn real(self) -> f64 {
                self as f64
            }
        }
    )*};
}

numbers!(false, i64::from; i8 i16 i32 i64 u8 u16 u32);
numbers!(false, |n| n as i64; isize);
numbers!(false, |n| i64::try_from(n).unwrap_or(i64::MAX); u64 usize);
numbers!(true, |n| n as i64; f32 f64);

/// A counter, for a `static`:
///
/// ```
/// use syscap::Counter;
///
/// static DRAWN: Counter<u32> = Counter::new("demo", "frames", "Frames drawn");
///
/// DRAWN.set(17);
/// ```
///
/// Unsigned integers above `i64::MAX` are recorded as `i64::MAX`.
pub struct Counter<T: Number> {
    raw: UnsafeCell<ffi::Counter>,
    kind: PhantomData<fn(T)>,
}

// SAFETY: any thread may pass a counter to the library
unsafe impl<T: Number> Sync for Counter<T> {}

impl<T: Number> Counter<T> {
    /// `category` and `name` have up to 31 bytes, `description` up to 51.  A
    /// longer text does not compile in a `static`, and panics elsewhere.
    pub const fn new(category: &str, name: &str, description: &str) -> Counter<T> {
        Counter {
            raw: UnsafeCell::new(ffi::Counter {
                category: padded(category),
                name: padded(name),
                description: padded(description),
                kind: T::IS_REAL as u32,
                id: 0,
                index: 0,
                losses: 0,
                last: 0,
            }),
            kind: PhantomData,
        }
    }

    /// Record the value now.  Any thread and signal handler may call this.
    #[inline]
    pub fn set(&'static self, value: T) {
        if is_active() {
            self.emit(value);
        }
    }

    /// Record the value if it differs from the value of the last `update`.
    #[inline]
    pub fn update(&'static self, value: T) {
        if is_active() {
            self.emit_changed(value);
        }
    }

    /// Add `n`, also without a recording, and record the sum.  Threads and
    /// signal handlers may add at the same time.  Do not `set` or `update` a
    /// counter to which you add.
    ///
    /// ```
    /// use syscap::Counter;
    ///
    /// static SENT: Counter<u64> = Counter::new("demo", "sent", "Bytes sent");
    ///
    /// SENT.add(1500);
    /// ```
    #[inline]
    pub fn add(&'static self, n: i64) {
        // SAFETY: the counter lives until the end of the process
        unsafe { ffi::syscap_counter_add(self.raw.get(), n) }
    }

    /// Record the value without a check of [`is_active`].
    #[doc(hidden)]
    #[inline]
    pub fn emit(&'static self, value: T) {
        let bits = if T::IS_REAL {
            value.real().to_bits()
        } else {
            value.integer() as u64
        };
        // SAFETY: the counter lives until the end of the process
        unsafe { ffi::syscap_counter_set_bits(self.raw.get(), bits) }
    }

    #[cold]
    fn emit_changed(&'static self, value: T) {
        // SAFETY: the counter lives until the end of the process
        unsafe {
            if T::IS_REAL {
                ffi::syscap_counter_update_double(self.raw.get(), value.real());
            } else {
                ffi::syscap_counter_update_int64(self.raw.get(), value.integer());
            }
        }
    }
}

/// Called by `counter!`: sets one of the counters, by the value's type.
#[doc(hidden)]
#[inline]
pub fn emit_either<T: Number>(
    value: T,
    integer: &'static Counter<i64>,
    real: &'static Counter<f64>,
) {
    if T::IS_REAL {
        real.emit(value.real());
    } else {
        integer.emit(value.integer());
    }
}
