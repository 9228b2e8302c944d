// SPDX-License-Identifier: BSD-2-Clause
//! The used functions of the C library.  `tests/layout.c` checks these
//! declarations against `<syscap.h>`.
//!
//! The library's inline functions are symbols of the archive, too.  The flag
//! behind `syscap_is_active()` is not public, but every C program inlines reads
//! of the flag.  So the flag keeps its name and type in all versions that
//! build.rs accepts.

use core::ffi::c_void;

/// `struct syscap_counter`.
#[repr(C)]
pub struct Counter {
    pub category: [u8; 32],
    pub name: [u8; 32],
    pub description: [u8; 52],
    pub kind: u32,
    pub id: u32,
    pub index: u32,
    pub losses: u32,
    pub last: u64,
}

/// `struct syscap_options`.
#[repr(C)]
pub struct Options {
    pub size: usize,
    pub output: *const u8,
    pub max_bytes: u64,
    pub ring_kib: u32,
    pub interval_ms: u32,
    pub exit_flush_ms: u32,
    pub flags: u32,
    pub message: [u8; 1024],
}

/// `struct syscap_sampler_options`.
#[repr(C)]
pub struct SamplerOptions {
    pub size: usize,
    pub hz: u32,
    pub clock: u32,
    pub signal: i32,
    pub max_depth: u32,
    pub stacks: u32,
    pub max_share: u32,
    pub message: [u8; 256],
}

/// `struct syscap_stats`.
#[repr(C)]
pub struct Stats {
    pub size: usize,
    pub is_active: bool,
    pub reason: [u8; 120],
    pub n_dropped: u64,
    pub n_abandoned: u64,
    pub n_untold: u64,
    pub n_rings: u32,
    pub clock_is_tsc: bool,
    pub n_written: u64,
    pub output: [u8; 1024],
    pub n_copies: u32,
    pub why_alone: [u8; 120],
}

const _: () = {
    use core::mem::size_of;
    assert!(size_of::<crate::Site>() == 64);
    assert!(size_of::<Counter>() == 144);
    assert!(size_of::<Options>() == 1064);
    assert!(size_of::<SamplerOptions>() == 288);
    assert!(size_of::<Stats>() == 1328);
};

extern "C" {
    pub static syc_active: i32;

    pub fn syscap_clock() -> i64;
    pub fn syscap_mark_at(site: *const crate::Site, begin: i64, duration: i64, message: *const u8);
    pub fn syscap_mark_printf(
        group: *const u8,
        name: *const u8,
        begin: i64,
        duration: i64,
        format: *const u8,
        ...
    );
    pub fn syscap_linked_at(
        site: *const crate::Site,
        link: u32,
        id: u64,
        begin: i64,
        duration: i64,
        message: *const u8,
    );
    pub fn syscap_counter_set_bits(counter: *mut Counter, bits: u64);
    pub fn syscap_counter_update_int64(counter: *mut Counter, value: i64);
    pub fn syscap_counter_update_double(counter: *mut Counter, value: f64);
    pub fn syscap_counter_add(counter: *mut Counter, n: i64);
    pub fn syscap_log(severity: u32, domain: *const u8, message: *const u8);
    pub fn syscap_log_printf(severity: u32, domain: *const u8, format: *const u8, ...);
    pub fn syscap_metadata(id: *const u8, value: *const u8);
    pub fn syscap_file(path: *const u8, data: *const c_void, size: usize) -> i32;
    pub fn syscap_start(options: *mut Options) -> i32;
    pub fn syscap_stop() -> i32;
    pub fn syscap_drain() -> i32;
    pub fn syscap_get_stats(stats: *mut Stats);
    pub fn syscap_sampler_start(options: *mut SamplerOptions) -> i32;
    pub fn syscap_sampler_stop() -> i32;
}

/// Links the sampler into every program, as `SYSCAP_WITH_SAMPLER` does in C, so
/// that `SYSCAP_SAMPLE` works without a call of the sampler in the program.
#[used]
static WITH_SAMPLER: unsafe extern "C" fn() -> i32 = syscap_sampler_stop;
