// SPDX-License-Identifier: BSD-2-Clause
// batch.js - marks that wait in an array of this thread's and are handed over
// together, by one call of the addon.
//
// They are handed over when the array is full, 50 ms after the first of them,
// by flush(), and at the thread's or process' end (src/env.c).  A process that
// is killed loses what waits.
'use strict';

const { numberOf } = require('./value.js');
const { native, slots, ACTIVE, PENDING, A, BATCH, BATCH_ENTRY } =
  require('./slots.js');

const INTERVAL = 50; // as long as events of C wait at most
const CAPACITY = (slots.length - BATCH) / BATCH_ENTRY;
const END = slots.length - BATCH;

let used = 0; // slots; slots[PENDING] says the same to the addon
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
  // Also for NaN; what is written here is not looked at again.
  if (!(Math.abs(begin) < 9e18 && Math.abs(duration) < 9e18)) {
    site.mark(begin, duration); // which tells
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

// A class, since V8 looks properties up anew each time in an object literal that
// has an accessor; that would cost more than a mark.
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
