// SPDX-License-Identifier: BSD-2-Clause
// slots.js - the addon, and the array of numbers that the addon shares.
//
// src/env.h has the same numbers.  Only this package has access to the array,
// so the writers check the numbers.
'use strict';

const path = require('node:path');
const { absent } = require('./absent.js');

const SLOTS = {
  ACTIVE: 0,
  PENDING: 1,
  A: 2,
  B: 3,
  C: 4,
  D: 5,
  E: 6,
  BATCH: 8,
  BATCH_ENTRY: 3,
};
const SIZE = SLOTS.BATCH + 512 * SLOTS.BATCH_ENTRY;

// The two kinds of count() for a counter (src/counters.c).
const PUT = 0;
const ADD = 1;

function load() {
  const file = path.join(__dirname, '..', 'build', 'Release', 'syscap.node');
  try {
    return require(file);
  } catch (error) {
    const [why] = error.message.split('\n');
    return absent(`the addon can't be loaded; is it built? ` +
      `Run "npm rebuild syscap".  ${why}`, SIZE, { ...SLOTS, ADD });
  }
}

const native = load();
const slots = new Float64Array(native.buffer);
delete native.buffer;

module.exports = { native, slots, ...SLOTS, PUT, ADD };
