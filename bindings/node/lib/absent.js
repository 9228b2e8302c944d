// SPDX-License-Identifier: BSD-2-Clause
// absent.js - replacement of an addon that was not built ("npm install
// --ignore-scripts") or cannot be loaded: programs run without a recording.
// Functions that start a recording report the reason.
'use strict';

const { hrtime } = process;

// A recorder, or the user, sets one of these variables to request a capture.
const ASKED = [
  'SYSPROF_CONTROL_FD', 'SYSCAP_RECORDER', 'SYSPROF_TRACE_FD', 'SYSCAP_OUTPUT',
  'SYSCAP_SAMPLE',
];
const ENOENT = -2;
const ENOSYS = -38;

// Returns an object like the addon.  The array of this object has `size`
// numbers, of which A to C are the arguments and results of calls.
function absent(reason, size, { A, B, C, ADD }) {
  const slots = new Float64Array(size);
  const values = []; // of counters
  const refuse = () => ({ errno: ENOSYS, message: reason });

  if (ASKED.some((name) => process.env[name] !== undefined)) {
    process.emitWarning(`nothing is recorded: ${reason}`, 'SyscapWarning');
  }
  return {
    buffer: slots.buffer,
    site: () => 0,
    counter: () => values.push(0) - 1,
    count() {
      const index = slots[A];
      values[index] = (slots[C] === ADD ? values[index] : 0) + slots[B];
      slots[A] = values[index];
    },
    now() {
      slots[A] = Number(hrtime.bigint());
    },
    flush() {},
    nameThread() {},
    start: refuse,
    stop: () => ({ errno: ENOENT, message: reason }),
    drain: () => ({ errno: 0, message: '' }),
    stats: () => ({
      active: false,
      reason,
      dropped: 0,
      abandoned: 0,
      untold: 0,
      rings: 0,
      clockIsTsc: false,
      written: 0,
      output: '',
    }),
    sampleStart: refuse,
    sampleStop: () => ({ errno: ENOENT, message: reason }),
    sampleStats: () => ({
      samples: 0,
      due: 0,
      cut: 0,
      stopped: 0,
      refused: 0,
      foreign: 0,
      threads: 0,
      unsampled: 0,
      namesLost: 0,
      signal: 0,
      clock: 0,
      hz: 0,
    }),
  };
}

module.exports = { absent };
