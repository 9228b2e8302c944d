// SPDX-License-Identifier: BSD-2-Clause
// batch.js - marks that wait in an array of this thread, until one call of the
// addon records all of them.
//
// The call occurs when the array is full, and 50 ms after the first mark.
// flush() and the end of the thread or process also make the call (src/env.c).
// A process that is killed loses the waiting marks.
'use strict';

const { numberOf } = require('./value.js');
const { native, slots, ACTIVE, PENDING, A, BATCH, BATCH_ENTRY } =
  require('./slots.js');

const INTERVAL = 50; // milliseconds: events of C wait at most as long
const CAPACITY = (slots.length - BATCH) / BATCH_ENTRY;
const END = slots.length - BATCH;

let used = 0; // slots; the addon reads the same number in slots[PENDING]
let timer = null;

function flush() {
  used = 0;
  native.flush();
}

function onTimer() {
  timer = null;
  flush();
}

function add(site, from, length) {
  const begin = numberOf(from);
  const duration = numberOf(length);
  // The condition is true for NaN, too.  No later code checks the array's
  // numbers.
  if (!(Math.abs(begin) < 9e18 && Math.abs(duration) < 9e18)) {
    site.mark(begin, duration); // this function reports the bad number
    return;
  }
  const at = BATCH + used;
  slots[at] = site.index;
  slots[at + 1] = begin;
  slots[at + 2] = duration;
  used += BATCH_ENTRY;
  slots[PENDING] = used;
  if (used === END) flush();
  else if (timer === null) timer = setTimeout(onTimer, INTERVAL).unref();
}

// A class: in an object literal with an accessor V8 searches for a property at
// each access, which would cost more than a mark.
class Batch {
  get capacity() {
    return CAPACITY;
  }

  get pending() {
    return used / BATCH_ENTRY;
  }

  mark(site, begin, duration) {
    if (slots[ACTIVE] === 0) return;
    add(site, begin, duration);
  }

  end(site, begin) {
    if (begin === 0 || slots[ACTIVE] === 0) return;
    native.now();
    add(site, begin, slots[A] - numberOf(begin));
  }

  instant(site) {
    if (slots[ACTIVE] === 0) return;
    native.now();
    add(site, slots[A], 0);
  }

  flush() {
    flush();
  }
}

process.on('exit', flush);

module.exports = new Batch();
