// SPDX-License-Identifier: BSD-2-Clause
// clock.js - the capture's clock: CLOCK_MONOTONIC in nanoseconds, as a Number.
//
// A Number holds whole nanoseconds up to 2^53: 104 days after boot; beyond
// that it rounds to 2, then 4.
'use strict';

const { performance } = require('node:perf_hooks');
const { native, slots, A } = require('./slots.js');

function now() {
  native.now();
  return slots[A];
}

let origin; // of performance.now(), on our clock

// Both clocks are the kernel's, so the difference is constant; what is read
// between two readings of ours bounds it from both sides.
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

// Times of performance.now(), PerformanceEntry#startTime ... of this thread.
function fromPerformance(ms) {
  origin ??= findOrigin();
  return origin + Math.round(ms * 1e6);
}

// Of process.hrtime.bigint(), or of process.hrtime().
function fromHrtime(time) {
  return typeof time === 'bigint' ? Number(time) : time[0] * 1e9 + time[1];
}

module.exports = { now, fromPerformance, fromHrtime };
