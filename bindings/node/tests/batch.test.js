// SPDX-License-Identifier: BSD-2-Clause
// batch.test.js - recording and loss of waiting marks.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const test = require('node:test');

const { record, folder, run, Capture } = require('./capture.js');

const START = `
  const syscap = require('syscap');
  const { batch } = syscap;
  const site = syscap.site('batch', 'x');
  const pause = (ms) => Atomics.wait(new Int32Array(
    new SharedArrayBuffer(4)), 0, 0, ms);
`;

test('marks of the batch have the times that they were given, in order', (t) => {
  const capture = record(t, `${START}
    batch.mark(site, 1e9, 5);
    const begin = site.begin();
    pause(20);
    batch.end(site, begin);
    batch.instant(site);
    console.log(begin, batch.pending);
    batch.flush();
    console.log(batch.pending);
  `);
  const [given, timed, instant] = capture.marks('batch');
  const [begin] = capture.stdout.split(' ').map(Number);
  assert.deepEqual([given.time, given.duration], [1e9, 5]);
  assert.ok(timed.time === begin && timed.duration >= 19e6);
  assert.equal(instant.duration, 0);
  assert.equal(capture.stdout, `${begin} 3\n0\n`);
});

test('a full batch is recorded at once, and nothing of it is lost', (t) => {
  const capture = record(t, `${START}
    let most = 0;
    for (let i = 0; i < 10 * batch.capacity; i++) {
      batch.mark(site, i, 1);
      most = Math.max(most, batch.pending);
      if (batch.pending === 0) pause(100);
    }
    console.log(batch.pending, most === batch.capacity - 1);
  `);
  assert.equal(capture.stdout, '0 true\n');
  assert.equal(capture.lost, 0);
  const times = capture.marks('batch').map((mark) => mark.time);
  assert.deepEqual(times, times.map((_, i) => i));
  assert.equal(times.length, 5120);
});

test('what waits is recorded some time later by itself, and keeps nothing alive', (t) => {
  const capture = record(t, `${START}
    batch.mark(site, 1, 1);
    setTimeout(() => { console.log(batch.pending); process.kill(process.pid, 'SIGKILL'); }, 500);
  `, { status: 137 });
  assert.equal(capture.stdout, '0\n');
  assert.equal(capture.marks('batch').length, 1);
  const left = record(t, `${START}
    batch.mark(site, 1, 1);
    console.log(process.getActiveResourcesInfo().includes('Timeout'));
  `);
  assert.equal(left.stdout, 'false\n');
});

const ENDS = {
  'the end of the program': '',
  'process.exit()': 'process.exit(0);',
  'an uncaught exception': ['throw new Error("on purpose");', 1],
  'an exit handler that comes after ours':
    `process.on('exit', () => batch.mark(site, 2, 1));`,
  'process.exit() and such a handler':
    `process.on('exit', () => batch.mark(site, 2, 1)); process.exit(0);`,
};
for (const [what, end] of Object.entries(ENDS)) {
  test(`${what} loses nothing`, (t) => {
    const [code, status] = [].concat(end);
    const capture = record(t,
      `${START} batch.mark(site, 1, 1); ${code}`, { status });
    const times = capture.marks('batch').map((mark) => mark.time);
    assert.deepEqual(times, code.includes('on(') ? [1, 2] : [1]);
  });
}

test('a worker that is terminated loses nothing', (t) => {
  const capture = record(t, `
    const { Worker, isMainThread, parentPort } = require('worker_threads');
    if (isMainThread) {
      const worker = new Worker(__filename);
      worker.on('message', () => worker.terminate());
    } else {
      ${START}
      batch.mark(site, 1, 1);
      parentPort.postMessage('ready');
      for (;;) ;
    }
  `);
  const marks = capture.marks('batch');
  assert.equal(marks.length, 1);
  assert.notEqual(marks[0].tid, marks[0].pid);
});

test('a process that is killed loses what waits, and nothing else', (t) => {
  const capture = record(t, `${START}
    site.mark(1, 1);
    batch.mark(site, 2, 1);
    batch.flush();
    batch.mark(site, 3, 1);
    process.kill(process.pid, 'SIGKILL');
    for (;;) ;
  `, { status: 137 });
  assert.deepEqual(capture.marks('batch').map((mark) => mark.time), [1, 2]);
});

test('stop() puts what waits into the file first', (t) => {
  const cwd = folder(t);
  run(process.execPath, ['-e', `${START}
    syscap.start({ output: 'own.syscap' });
    batch.mark(site, 1, 1);
    syscap.stop();
    batch.mark(site, 2, 1);
  `], { cwd });
  const capture = new Capture(path.join(cwd, 'own.syscap'));
  assert.deepEqual(capture.marks('batch').map((mark) => mark.time), [1]);
});
