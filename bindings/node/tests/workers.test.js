// SPDX-License-Identifier: BSD-2-Clause
// workers.test.js - several threads of JavaScript in one process.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');

const { folder, run, record, Capture } = require('./capture.js');

// Runs a program that begins to record itself, into "late".
function alone(t, program) {
  const cwd = folder(t);
  fs.writeFileSync(path.join(cwd, 'program.js'), program);
  const { stdout } = run(process.execPath, ['program.js'], { cwd });
  return Object.assign(new Capture(path.join(cwd, 'late')), { stdout });
}

test('each thread has its own sites and batch, and events say whose they are', (t) => {
  const capture = record(t, `
    const { Worker, isMainThread, threadId } = require('worker_threads');
    const syscap = require('syscap');
    const own = syscap.site('workers', 'thread ' + threadId);
    const count = syscap.counter('workers', 'n', '', { type: 'int64' });
    for (let i = 0; i < 100; i++) {
      own.mark(i, 1);
      syscap.batch.mark(own, 1000 + i, 1);
      count.add();
    }
    if (isMainThread) for (let i = 0; i < 4; i++) new Worker(__filename);
  `);
  const byThread = new Map();
  for (const mark of capture.marks('workers')) {
    const marks = byThread.get(mark.tid) ?? [];
    byThread.set(mark.tid, [...marks, mark]);
  }
  assert.equal(byThread.size, 5);
  for (const marks of byThread.values()) {
    assert.equal(new Set(marks.map((mark) => mark.name)).size, 1);
    assert.deepEqual(marks.map((mark) => mark.time).sort((a, b) => a - b),
      Array.from({ length: 200 }, (_, i) => i < 100 ? i : 900 + i));
  }
  // The same texts make the same counter in all threads.
  const ids = capture.all('ctrset').flatMap((f) => f.values).map((v) => v.id);
  assert.equal(new Set(ids).size, 1);
  // An addition beside another thread's may record the newest sum once more.
  assert.ok(ids.length >= 500, String(ids.length));
});

test('a counter is one number for all threads', (t) => {
  const program = (begin) => `
    const { Worker, isMainThread } = require('worker_threads');
    const syscap = require('syscap');
    const n = syscap.counter('shared', 'n', '', { type: 'int64' });
    const x = syscap.counter('shared', 'x');
    for (let i = 0; i < 200; i++) { n.add(); x.add(0.5); }
    if (isMainThread) {
      let left = 2;
      for (let i = 0; i < 2; i++) new Worker(__filename).on('exit', () => {
        if (--left !== 0) return;
        ${begin}
        n.add(0); x.add(0);
        console.log(n.value, x.value);
      });
    }
  `;
  const late = program(`syscap.start({ output: 'late' });`);
  for (const capture of [record(t, program('')), alone(t, late)]) {
    assert.equal(capture.stdout, '600 300\n');
    assert.deepEqual(newestValues(capture), [300, 600]);
  }
});

// Returns the newest value of each counter, the smallest first.
function newestValues(capture) {
  const newest = new Map();
  const frames = capture.all('ctrset').sort((a, b) => a.time - b.time);
  for (const { id, value } of frames.flatMap((f) => f.values)) {
    newest.set(id, value);
  }
  return [...newest.values()].sort((a, b) => a - b);
}

test('the newest value is the sum, when threads add at the same time', (t) => {
  const capture = record(t, `
    const { Worker, isMainThread } = require('worker_threads');
    const syscap = require('syscap');
    const n = syscap.counter('together', 'n', '', { type: 'int64' });
    const x = syscap.counter('together', 'x');
    if (isMainThread) for (let i = 0; i < 3; i++) new Worker(__filename);
    else for (let i = 0; i < 3000; i++) { n.add(3); x.add(0.5); }
  `);
  assert.deepEqual(newestValues(capture), [4500, 27000]);
});

test('operations of two threads never have one number', (t) => {
  const capture = record(t, `
    const { Worker, isMainThread } = require('worker_threads');
    const site = require('syscap').site('async', 'x');
    site.run(async () => 1);
    site.run(async () => 2);
    if (isMainThread) new Worker(__filename);
  `);
  const messages = capture.marks('async').map((mark) => mark.message);
  assert.equal(messages.length, 4);
  assert.equal(new Set(messages).size, 4);
});

test('workers record as soon as the main thread has begun to', (t) => {
  const cwd = folder(t);
  run(process.execPath, ['-e', `
    const { Worker } = require('worker_threads');
    const syscap = require('syscap');
    const worker = new Worker(\`
      const { parentPort } = require('worker_threads');
      const site = require('syscap').site('worker', 'x');
      parentPort.on('message', (text) => {
        site.instant(text);
        if (text === 'after') process.exit();
        parentPort.postMessage(text);
      });
      parentPort.postMessage('ready');
    \`, { eval: true });
    const steps = { ready: () => worker.postMessage('before'),
      before: () => { syscap.start({ output: 'a.syscap' });
        worker.postMessage('during'); },
      during: () => { syscap.stop(); worker.postMessage('after'); } };
    worker.on('message', (text) => steps[text]());
  `], { cwd });
  const marks = new Capture(path.join(cwd, 'a.syscap')).marks('worker');
  assert.deepEqual(marks.map((mark) => mark.message), ['during']);
});

test('workers come and go by the hundred', (t) => {
  const capture = record(t, `
    const { Worker, isMainThread } = require('worker_threads');
    require('syscap').site('many', 'x').instant();
    if (isMainThread) {
      let left = 100;
      const next = () => {
        if (left-- > 0) new Worker(__filename).on('exit', next);
      };
      for (let i = 0; i < 4; i++) next();
    }
  `);
  assert.equal(capture.marks('many').length, 101);
});

test('a worker is called by its file and its number', (t) => {
  const capture = record(t, `
    const fs = require('fs');
    const { Worker, isMainThread } = require('worker_threads');
    const { instant } = require('syscap');
    const comm = () => fs.readFileSync('/proc/thread-self/comm', 'utf8').trim();
    instant('names', isMainThread ? 'main' : 'worker');
    if (isMainThread) {
      console.log(comm());
      new Worker(__filename);
      new Worker(\`require('syscap').instant('names', 'eval')\`, { eval: true });
      fs.writeFileSync('änderungen an vielen bildern.js',
        \`require('syscap').instant('names', 'long')\`);
      new Worker('./änderungen an vielen bildern.js');
    }
  `);
  const names = new Map();
  for (const { id, tid, metadata } of capture.all('metadata')) {
    if (id === 'syscap.thread') names.set(tid, metadata);
  }
  const called = Object.fromEntries(
    capture.marks('names').map(({ name, tid }) => [name, names.get(tid)]));
  if (require('node:worker_threads').threadName !== undefined) {
    t.skip('this Node names them by itself');
    return;
  }
  assert.deepEqual(called, {
    main: capture.stdout.trim(),
    worker: 'program-1',
    eval: 'worker-2',
    long: 'änderungen a-3',
  });
});
