// SPDX-License-Identifier: BSD-2-Clause
// v8.test.js - stacks of JavaScript by data of V8, without switches of Node.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');

const { folder, run, record, Capture } = require('./capture.js');
const { PROGRAM, WORKED } = require('./busy.js');

// A name includes the column since Node 20.
const isJs = (name) => /^[^:]+ \(.*?(:\d+){1,2}\)$/.test(name ?? '');
const plain = (name) => name?.replace(/ \(.*/, '');

function sampled(t, program, { hz = 1000, ...options } = {}) {
  return record(t, program, {
    nodeArgs: ['-r', 'syscap/v8', ...options.nodeArgs ?? []],
    args: options.args,
    env: { SYSCAP_SAMPLE: `${hz},wall`, ...options.env },
  });
}

test('interpreted and compiled functions are named, at their places', (t) => {
  const capture = sampled(t, PROGRAM, { args: ['1500'] });
  const busy = capture.samples.filter(
    (s) => s.stack.some((name) => /^driver \(.*program\.js:/.test(name)));
  assert.ok(busy.length >= 100, `${busy.length} samples`);
  const names = new Set(busy.flatMap((s) => s.stack.map(plain)));
  for (const name of ['leafHash', 'alpha', 'beta', 'gamma', 'paint', 'fib']) {
    assert.ok(names.has(name), name);
  }
  let collections = 0;
  let right = 0;
  for (const { stack } of busy) {
    collections += stack.some((n) => /Heap::CollectGarbage/.test(n ?? ''));
    const js = stack.filter(isJs).map(plain);
    const driver = js.indexOf('driver');
    // JavaScript frames stand within the C++ frame that called them.
    const entry = stack.findIndex((n) => /(^|_|:)JSEntry$/.test(n ?? ''));
    const outermost = stack.length - 1 - [...stack].reverse().findIndex(isJs);
    if (entry >= 0) assert.ok(outermost < entry, stack.join('\n'));
    right += js.slice(driver + 1, driver + 3).join() ===
      '(anonymous),Module._compile';
  }
  // In some builtins V8 has no position for an instruction or two.
  assert.ok(right >= 0.98 * busy.length, `${right} of ${busy.length}`);
  // V8's own data does not include garbage collections.
  assert.notEqual(collections, 0);
});

const NESTED = `
  ${WORKED}
  function spin(ms) { for (const end = worked() + ms; worked() < end;) ; }
  function inner() { spin(20); return 0; }
  function outer() { return [2, 1].sort(function compare() { return inner(); }); }
  for (let i = 0; i < 40; i++) outer();
`;

for (const [how, nodeArgs] of Object.entries({
  'by the interpreter': ['--no-opt', '--no-sparkplug'],
  'by the baseline compiler': ['--no-opt', '--always-sparkplug'],
})) {
  test(`each call is one frame, in the order of calls, ${how}`, (t) => {
    const capture = sampled(t, NESTED, { nodeArgs });
    const stacks = capture.samples
      .map((s) => s.stack.filter(isJs).map(plain))
      .filter((names) => names.includes('spin'));
    assert.ok(stacks.length >= 50, `${stacks.length} samples`);
    const right = stacks.filter((names) => names.slice(names.indexOf('spin'),
      names.indexOf('spin') + 5).join() ===
      'spin,inner,compare,outer,(anonymous)');
    // A frame may be missing between two instructions that make or end the
    // frame.
    assert.ok(right.length >= 0.98 * stacks.length,
      `${right.length} of ${stacks.length}: ` +
      stacks.find((names) => !right.includes(names))?.join());
  });
}

test('a stack of C++, JavaScript, C++, JavaScript keeps that order', (t) => {
  const capture = sampled(t, `
    const vm = require('vm');
    ${WORKED}
    function spin() { for (const end = worked() + 300; worked() < end;) ; }
    globalThis.called = function called() { spin(); };
    function outside() { vm.runInThisContext('called()', 'inside.js'); }
    outside();
  `);
  const stacks = capture.samples.map((s) => s.stack)
    .filter((stack) => stack.some((n) => plain(n) === 'spin'));
  assert.ok(stacks.length >= 50);
  let right = 0;
  for (const stack of stacks) {
    const at = (text) => stack.findIndex((n) => (n ?? '').startsWith(text));
    const order = [at('called ('), at('(anonymous) (inside.js'),
      at('node::contextify'), at('outside (')];
    right += order.every((x, i) => x >= 0 && (i === 0 || order[i - 1] < x));
  }
  assert.ok(right >= 0.98 * stacks.length, `${right} of ${stacks.length}`);
});

test('workers are attached by -r, and go away', (t) => {
  const capture = sampled(t, `
    const { Worker, isMainThread } = require('worker_threads');
    function spinInWorker(ms) {
      for (const end = Date.now() + ms; Date.now() < end;) ;
    }
    if (isMainThread) {
      new Worker(__filename);
      new Worker(__filename);
      const worker = new Worker('for (;;) ;', { eval: true });
      setTimeout(() => worker.terminate(), 300);
    } else {
      spinInWorker(600);
    }
  `);
  const threads = new Set(capture.samples
    .filter((s) => s.stack.some((n) => plain(n) === 'spinInWorker'))
    .map((s) => s.tid));
  assert.equal(threads.size, 2);
});

test('a recording that begins later knows the code that was there', (t) => {
  const cwd = folder(t);
  run(process.execPath, ['-e', `
    const syscap = require('syscap');
    const { attach, detach, namesLost } = require('syscap/v8');
    attach(); // a second call does nothing
    ${WORKED}
    function early(n) { return n < 2 ? n : early(n - 1) + early(n - 2); }
    function calls(ms) {
      for (const end = worked() + ms; worked() < end;) early(15);
    }
    function unseen(ms) { calls(ms); }
    calls(300);
    for (const stacks of ['merged', 'managed']) {
      syscap.start({ output: stacks });
      syscap.sampler.start({ clock: 'wall', stacks });
      calls(300);
      syscap.sampler.stop();
      syscap.stop();
    }
    detach();
    syscap.start({ output: 'detached' });
    syscap.sampler.start({ clock: 'wall' });
    unseen(100);
    syscap.sampler.stop();
    syscap.stop();
    if (namesLost() !== 0) throw new Error('lost ' + namesLost());
  `], { cwd });
  const named = (name) => {
    const file = path.join(cwd, name);
    run(process.env.SYSCAP, ['symbolize', file]);
    return new Capture(file).samples;
  };
  for (const name of ['merged', 'managed']) {
    const seen = named(name).filter((s) => s.tid === s.pid);
    const early = seen.filter((s) => s.stack.some((n) => plain(n) === 'early'));
    assert.ok(early.length >= 50, `${name}: ${early.length}`);
    const native = early.some((s) => s.stack.includes('_start'));
    assert.equal(native, name === 'merged');
  }
  assert.ok(!named('detached').some(
    (s) => s.stack.some((n) => plain(n) === 'unseen')));
});

test('V8\'s own profiler gets as many samples beside us as alone', (t) => {
  // The two cases alternate in one process, so that other programs affect both.
  // A fault would lose half or all of the samples.
  const capture = sampled(t, `
    const { Session } = require('inspector');
    const syscap = require('syscap');
    const session = new Session();
    session.connect();
    const post = (method) => {
      let answer;
      session.post(method, (error, result) => {
        if (error) throw error;
        answer = result;
      });
      return answer;
    };
    post('Profiler.enable');
    const slice = () => {
      post('Profiler.start');
      let x = 0;
      for (const end = Date.now() + 100; Date.now() < end;) x++;
      return post('Profiler.stop').profile.samples.length;
    };
    slice();
    const ratios = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      let alone = 0, beside = 0;
      for (let i = 0; i < 10; i++) {
        alone += slice();
        syscap.sampler.start();
        beside += slice();
        syscap.sampler.stop();
      }
      ratios.push(beside / alone);
      if (Math.abs(Math.log(beside / alone)) <= Math.log(1.4)) break;
    }
    console.log(ratios.join(' '), syscap.sampler.stats().samples);
  `, { env: { SYSCAP_SAMPLE: undefined } });
  const numbers = capture.stdout.trim().split(' ').map(Number);
  const samples = numbers.pop();
  assert.ok(samples >= 50, `${samples} of ours`);
  assert.ok(Math.abs(Math.log(numbers.at(-1))) <= Math.log(1.4), capture.stdout);
});

test('the handler allocates nothing, frees nothing and takes no lock', (t) => {
  const cwd = folder(t);
  const told = path.join(cwd, 'watch');
  record(t, PROGRAM, {
    nodeArgs: ['--expose-gc', '-r', 'syscap/v8'],
    args: ['2000', 'churn'],
    env: {
      SYSCAP_SAMPLE: '5000,wall',
      TICK_WATCH_TO: told,
      LD_PRELOAD: process.env.TICK_WATCH,
    },
  });
  const [, handlers, rest] =
    /^handled (\d+) (.*)\n$/.exec(fs.readFileSync(told, 'utf8'));
  assert.ok(handlers >= 1000, `${handlers} ticks`);
  assert.equal(rest, 'allocated 0 freed 0 locked 0');
});

test('an addon for another Node says so', (t) => {
  const cwd = folder(t);
  const made = path.join(cwd, 'node_modules', 'syscap');
  const from = path.join(process.env.NODE_PATH, 'syscap');
  fs.cpSync(from, made, { recursive: true });
  for (const name of fs.readdirSync(path.join(made, 'build', 'Release'))) {
    if (name.startsWith('syscap-v8')) {
      fs.rmSync(path.join(made, 'build', 'Release', name));
    }
  }
  const { stderr } = run(process.execPath, ['-e', `require('syscap/v8')`],
    { cwd, env: { NODE_PATH: '' }, status: 1 });
  assert.match(stderr, /syscap\/v8: there is no addon for Node v\d/);
});
