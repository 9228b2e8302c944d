// SPDX-License-Identifier: BSD-2-Clause
// v8_churn.test.js - fast sampling of code that is made, moved and freed, for
// CHURN_SECONDS at CHURN_HZ.
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');

const { record } = require('./capture.js');
const { PROGRAM } = require('./busy.js');

const seconds = Number(process.env.CHURN_SECONDS ?? 3);
const hz = Number(process.env.CHURN_HZ ?? 10000);

test(`${seconds} s of churn at ${hz} Hz: no crash, addresses have names`, (t) => {
  const capture = record(t, PROGRAM, {
    nodeArgs: ['--expose-gc', '-r', 'syscap/v8'],
    args: [String(seconds * 1000), 'churn'],
    env: { SYSCAP_SAMPLE: `${hz},wall` },
    recordArgs: ['--ring-kib=4096'],
  });
  const main = capture.samples.filter((s) => s.tid === s.pid);
  // V8's code has no names until the addon is loaded.
  const first = main.findIndex(
    (s) => s.stack.some((n) => /^driver /.test(n ?? '')));
  const samples = main.slice(first);
  const addresses = samples.reduce((sum, s) => sum + s.addrs.length, 0);
  const strays = capture.strays(samples).length;
  t.diagnostic(`${samples.length} samples, ${addresses} addresses, ` +
    `${strays} unresolved, ${capture.lost} frames lost`);
  assert.ok(samples.length >= seconds * hz / 20, `${samples.length} samples`);
  assert.ok(strays <= addresses / 1000, `${strays} of ${addresses}`);
  assert.ok(samples.some((s) => s.stack.some((n) => /^dyn_\d+ /.test(n))));
});
