// SPDX-License-Identifier: BSD-2-Clause
// bench.js - the cost of calls, in one run with a recording and in one run
// without.
//
//	SYSCAP=... NODE_PATH=... BENCH_ADDON=... node bench.js
//
// The rows of a run take turns.  In a round, each row makes a burst of 1,000
// events and then pauses, while the recorder empties the rings.  A row shows
// the median of its bursts, in nanoseconds an event.  Two columns divide this
// median by the empty Node-API call, and by the same event in C.  The bench
// fails if any event was dropped, since a dropped event would look fast.
'use strict';

const { spawnSync } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');
const fs = require('node:fs');

const ROUNDS = 60;
const WARM = 15; // unused first rounds, in which V8 compiles the code
const BURST = 1000;

function rows() {
  // Require by path: within the package, its name means its directory.
  const syscap = require(path.join(process.env.NODE_PATH, 'syscap'));
  const c = require(process.env.BENCH_ADDON);
  const { performance } = require('node:perf_hooks');
  const site = syscap.site('bench', 'js');
  const count = syscap.counter('bench', 'js', '', { type: 'int64' });
  const { batch } = syscap;
  const nothing = (i) => i;
  // Each row has its own loop, as in a program, since V8 would compile one
  // common loop for all rows together.
  return {
    dropped: () => syscap.stats().dropped + c.dropped(),
    table: [
      ['nothing', '', (n) => { for (let i = 0; i < n; i++) nothing(i); }],
      ['no-op call of Node-API', '', (n) => { for (let i = 0; i < n; i++) c.nop(); }],
      ['C: mark', '', (n) => c.marks(n)],
      ['C: scope', '', (n) => c.scopes(n)],
      ['C: counter', '', (n) => c.counters(n)],
      ['site.mark(begin, duration)', 'C: mark',
        (n) => { for (let i = 0; i < n; i++) site.mark(i, 1); }],
      ['site.mark(…, message)', 'C: mark',
        (n) => { for (let i = 0; i < n; i++) site.mark(i, 1, 'a message'); }],
      ['mark(group, name, …, message)', 'C: mark',
        (n) => { for (let i = 0; i < n; i++) syscap.mark('bench', 'texts', i, 1, 'a message'); }],
      ['batch.mark(site, …)', 'C: mark',
        (n) => { for (let i = 0; i < n; i++) batch.mark(site, i, 1); }],
      ['site.begin(), site.end()', 'C: scope',
        (n) => { for (let i = 0; i < n; i++) site.end(site.begin()); }],
      ['site.begin(), batch.end()', 'C: scope',
        (n) => { for (let i = 0; i < n; i++) batch.end(site, site.begin()); }],
      ['site.scope(), end()', 'C: scope', (n) => { for (let i = 0; i < n; i++) site.scope().end(); }],
      ['site.run(fn)', 'C: scope', (n) => { for (let i = 0; i < n; i++) site.run(() => 0); }],
      ['counter.set()', 'C: counter', (n) => { for (let i = 0; i < n; i++) count.set(i); }],
      ['log(…)', 'C: mark',
        (n) => { for (let i = 0; i < n; i++) syscap.log('debug', 'bench', 'a message'); }],
      ['now()', '', (n) => { for (let i = 0; i < n; i++) syscap.now(); }],
      ['performance.now()', '', (n) => { for (let i = 0; i < n; i++) performance.now(); }],
      ['process.hrtime.bigint()', '', (n) => { for (let i = 0; i < n; i++) process.hrtime.bigint(); }],
      ['performance.mark()', '', (n) => { for (let i = 0; i < n; i++) performance.mark('x'); }],
    ],
  };
}

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function measure() {
  const { table, dropped } = rows();
  const times = table.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    table.forEach(([, , burst], row) => {
      burst(50); // reloads caches after the other rows
      const before = process.hrtime.bigint();
      burst(BURST);
      const spent = Number(process.hrtime.bigint() - before) / BURST;
      if (round >= WARM) times[row].push(spent);
      pause(8);
    });
    performance.clearMarks();
  }
  const medians = times.map(
    (list) => list.sort((a, b) => a - b)[list.length >> 1]);
  return {
    dropped: dropped(),
    medians: Object.fromEntries(table.map(([name], i) => [name, medians[i]])),
    reference: Object.fromEntries(table.map(([name, c]) => [name, c])),
  };
}

function print(title, { medians, reference, dropped }) {
  console.log(`\n${title}; ${dropped} frames dropped`);
  console.log(`${''.padEnd(32)}${'ns'.padStart(8)}${'/ no-op'.padStart(10)}` +
    `${'/ C'.padStart(10)}`);
  const nop = medians['no-op call of Node-API'];
  for (const [name, ns] of Object.entries(medians)) {
    const c = medians[reference[name]];
    console.log(name.padEnd(32) + ns.toFixed(1).padStart(8) +
      (ns / nop).toFixed(2).padStart(10) +
      (c === undefined ? '' : (ns / c).toFixed(1)).padStart(10));
  }
  if (dropped !== 0) process.exitCode = 1;
}

function child(command, args) {
  const { stdout, stderr, status } = spawnSync(command,
    [...args, process.execPath, __filename, 'measure'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

if (process.argv[2] === 'measure') {
  console.log(JSON.stringify(measure()));
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'syscap-bench-'));
  try {
    print('recording', child(process.env.SYSCAP, [
      'record', '-q', '--force', '--ring-kib=1024', '--drain-interval=2',
      '-o', path.join(folder, 'x.syscap'), '--']));
    print('not recording', child('env', []));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
