// SPDX-License-Identifier: BSD-2-Clause
// clock.js - the capture's clock: CLOCK_MONOTONIC in nanoseconds, as a Number.
//
// A Number holds whole nanoseconds up to 2^53: 104 days after boot.  Later
// times are rounded to 2 ns, then 4 ns.
'use strict';

const { performance } = require('node:perf_hooks');
const { native, slots, A } = require('./slots.js');

function now() {
  native.now();
  return slots[A];
}

let origin; // zero of performance.now(), on the capture's clock

// Both clocks are CLOCK_MONOTONIC, so their difference is constant.  A reading
// of performance.now() between two readings of now() bounds the difference from
// both sides.
function findOrigin() {
  let low = -Infinity;
  let high = Infinity;
  for (let i = 0; i < 64; i++) {
    const before = now();
    const at = performance.now() * 1e6;
    const after = now();
    low = Math.max(low, before - at);
    high = Math.min(high, after - at);
  }
  return Math.round((low + high) / 2);
}

// Converts times of performance.now(), PerformanceEntry#startTime ... of this
// thread.
function fromPerformance(ms) {
  origin ??= findOrigin();
  return origin + Math.round(ms * 1e6);
}

// Converts times of process.hrtime.bigint() and process.hrtime().
function fromHrtime(time) {
  return typeof time === 'bigint' ? Number(time) : time[0] * 1e9 + time[1];
}

module.exports = { now, fromPerformance, fromHrtime };
