// SPDX-License-Identifier: BSD-2-Clause
// perf_map.test.js - stacks of JavaScript without syscap's addon, by Node's
// perf map.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const test = require('node:test');

const { record } = require('./capture.js');
const { PROGRAM } = require('./busy.js');

test('samples have 8 JavaScript frames and more, each with its name', (t) => {
  const capture = record(t, PROGRAM, {
    recordArgs: ['--sample=1000,wall'],
    nodeArgs: ['--perf-basic-prof-only-functions',
      '--interpreted-frames-native-stack'],
    args: ['1500'],
  });
  const main = capture.samples.filter((s) => s.tid === s.pid);
  for (const { pid } of main.slice(0, 1)) {
    fs.rmSync(`/tmp/perf-${pid}.map`, { force: true });
  }
  // The prefix of a function depends on the version of V8.
  const isJs = (name) => /^(JS|LazyCompile|Function|Script|Eval):/.test(name ?? '');
  const busy = main.filter((s) => s.stack.some(
    (name) => /:.driver .*program\.js/.test(name)));
  assert.ok(busy.length >= 100, `${busy.length} samples`);
  const frames = busy.map((s) => s.stack.filter(isJs).length);
  const mean = frames.reduce((a, b) => a + b) / frames.length;
  assert.ok(mean >= 8, `${mean} frames`);
  const names = new Set(busy.flatMap((s) => s.stack).filter(isJs));
  for (const name of ['leafHash', 'alpha', 'paint', 'fib', 'driver']) {
    assert.ok([...names].some((n) => n.includes(name)), name);
  }
});
