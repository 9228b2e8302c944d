// SPDX-License-Identifier: BSD-2-Clause
// recording.js - start and stop of recording and sampling of this process.
'use strict';

const { getSystemErrorName } = require('node:util');
const { native, slots, ACTIVE } = require('./slots.js');
const batch = require('./batch.js');

const CLOCKS = ['auto', 'cpu', 'wall', 'perf'];
const STACKS = ['merged', 'managed', 'native'];

const beginnings = new Set(); // functions to call when recording begins
const endings = new Set(); // functions to call before recording ends

function check(outcome, what) {
  if (outcome.errno === 0) return outcome.message;
  const code = getSystemErrorName(outcome.errno);
  const error = new Error(`syscap: ${what}: ${outcome.message || code}`);
  error.code = code;
  error.errno = outcome.errno;
  throw error;
}

function integer(options, name, max) {
  const value = options[name] ?? 0;
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new RangeError(`syscap: ${name}: an integer from 0 to ${max}`);
  }
  return value;
}

function choice(options, name, names) {
  const index = names.indexOf(options[name] ?? names[0]);
  if (index < 0) {
    throw new RangeError(`syscap: ${name}: one of ${names.join(', ')}`);
  }
  return index;
}

function start(options = {}) {
  const output = check(native.start(
    options.output ?? 'node-%p.syscap',
    integer(options, 'maxBytes', Number.MAX_SAFE_INTEGER),
    integer(options, 'ringKiB', 2 ** 32 - 1),
    integer(options, 'intervalMs', 2 ** 32 - 1),
    integer(options, 'exitFlushMs', 2 ** 32 - 1),
    options.thread === false ? 1 : 0,
  ), 'start');
  for (const begin of beginnings) begin();
  return output;
}

function stop() {
  batch.flush();
  for (const end of endings) end();
  check(native.stop(), 'stop');
}

function drain() {
  batch.flush();
  check(native.drain(), 'drain');
}

const sampler = Object.freeze({
  start(options = {}) {
    return check(native.sampleStart(
      integer(options, 'hz', 20000),
      choice(options, 'clock', CLOCKS),
      choice(options, 'stacks', STACKS),
      integer(options, 'maxDepth', 512),
      integer(options, 'signal', 64),
    ), 'sampler.start');
  },

  stop() {
    check(native.sampleStop(), 'sampler.stop');
  },

  stats() {
    const stats = native.sampleStats();
    stats.clock = CLOCKS[stats.clock];
    return stats;
  },
});

module.exports = {
  start,
  stop,
  drain,
  stats: native.stats,
  sampler,
  beginnings,
  endings,
  isActive: () => slots[ACTIVE] !== 0,
};
