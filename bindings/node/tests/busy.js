// SPDX-License-Identifier: BSD-2-Clause
// busy.js - a program for the sampler: recursion, methods, accessors, callbacks
// from builtins, code that V8 makes and discards.
//
// Arguments: the run time in ms; "churn" to make new code continuously.
'use strict';

// Milliseconds of CPU time of all threads.  On a busy machine more time passes.
exports.WORKED = `
function worked() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
`;

exports.PROGRAM = `
${exports.WORKED}
function leafHash(x) {
  let h = x;
  for (let i = 0; i < 400; i++) h = Math.imul(h ^ i, 16777619);
  return h;
}
function alpha(n) { return n > 0 ? beta(n - 1) + leafHash(n) : leafHash(1); }
function beta(n) { return n > 0 ? gamma(n - 1) + leafHash(n) : leafHash(2); }
function gamma(n) { return n > 0 ? alpha(n - 1) ^ leafHash(n) : leafHash(3); }
class Widget {
  constructor(k) { this.k = k; }
  paint(d) { return d > 0 ? this.paint(d - 1) + leafHash(d) : this.k; }
  get area() { return leafHash(this.k); }
}
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function viaBuiltin(v) {
  return [3, 1, 2].map(function mapped(e) { return leafHash(e + v); })
    .reduce((a, b) => a + b);
}
function churn(r) {
  const made = eval('(function dyn_' + r % 97 + '(x) { let t = 0; ' +
    'for (let i = 0; i < 2000; i++) t += i ^ x; return t; })');
  if (r % 2000 === 0 && globalThis.gc) gc();
  return made(r);
}
function driver(ms, churns) {
  const until = Date.now() + ms, end = worked() + ms;
  let sum = 0;
  for (let r = 0; worked() < end || Date.now() < until; r++) {
    const widget = new Widget(r);
    sum ^= alpha(12) ^ widget.paint(8) ^ widget.area ^ viaBuiltin(r) ^ fib(12);
    if (r % 50 === 0) {
      sum ^= Array.from({ length: 2000 }, (_, i) => ({ i, s: 'o' + i })).length;
    }
    if (churns && r % 5 === 0) sum ^= churn(r);
  }
  return sum;
}
driver(Number(process.argv[2]), process.argv[3] === 'churn');
`;
