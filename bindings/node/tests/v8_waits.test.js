// SPDX-License-Identifier: BSD-2-Clause
// v8_waits.test.js - function names without room in the ring: the program never
// waits, and the names arrive when the ring has room again.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const test = require('node:test');

const { folder, run, Capture } = require('./capture.js');

const N = 1500; // names; a ring of 64 KiB holds a third of them
const { SYSCAP, SLEEPS } = process.env;

// fill() compiles the functions.
const FILL = `
  const fs = require('node:fs');
  const { namesLost } = require('syscap/v8');
  function fill() {
    for (let i = 0; i < ${N}; i++) {
      new Function('return function kept_' + i + '_end(n) { return n + 1; }')()(i);
    }
  }
  async function arrived() {
    for (let i = 0; i < 600 && namesLost() !== 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (namesLost() !== 0) throw new Error(namesLost() + ' names are missing');
  }
`;

// Runs the program.  Returns its result, and the number of sleeps in the addon.
function program(t, text, { command = [], env } = {}) {
  const cwd = folder(t);
  const script = path.join(cwd, 'program.js');
  fs.writeFileSync(script, `${FILL}${text}`);
  const result = spawnSync(command[0] ?? process.execPath, [
    ...command.slice(1), ...command.length ? [process.execPath] : [],
    '--no-lazy', '-r', 'syscap/v8', script,
  ], {
    cwd,
    encoding: 'utf8',
    env: {
      ...process.env,
      ...env,
      SYSCAP_RING_KIB: '64',
      LD_PRELOAD: SLEEPS,
      SLEEPS_IN: '/syscap-v8-',
      SLEEPS_OUT: path.join(cwd, 'sleeps'),
    },
  });
  assert.ifError(result.error);
  const sleeps = () => fs.readFileSync(path.join(cwd, 'sleeps'), 'utf8').trim();
  return { ...result, cwd, sleeps };
}

function told(file) {
  run(SYSCAP, ['check', file]);
  const names = new Capture(file).all('metadata')
    .filter((frame) => frame.id === 'syscap.code')
    .map((frame) => /^add .* kept_(\d+)_end /.exec(frame.metadata)?.[1]);
  return new Set(names.filter(Boolean)).size;
}

test('names that find a stopped recorder are told when it continues', (t) => {
  const done = program(t, `
    process.kill(process.ppid, 'SIGSTOP');
    try { fill(); } finally { process.kill(process.ppid, 'SIGCONT'); }
    arrived();
  `, { command: [SYSCAP, 'record', '-o', 'x.syscap', '--'] });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.sleeps(), '0');
  assert.equal(told(path.join(done.cwd, 'x.syscap')), N);
});

test('names that find a full ring are told when it is emptied', (t) => {
  const done = program(t, `
    const syscap = require('syscap');
    syscap.start({ output: 'x.syscap', thread: false });
    fill();
    if (namesLost() === 0) throw new Error('there was room for all');
    const drain = setInterval(syscap.drain, 5);
    arrived().finally(() => { clearInterval(drain); syscap.stop(); });
  `);
  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.sleeps(), '0');
  assert.equal(told(path.join(done.cwd, 'x.syscap')), N);
});

test('names wait for nobody when the recorder has ended', (t) => {
  const done = program(t, `
    process.kill(process.ppid, 'SIGKILL');
    fill();
    fs.writeFileSync('lost', String(namesLost()));
  `, { command: [SYSCAP, 'record', '-o', 'x.syscap', '--'] });
  assert.equal(done.signal, 'SIGKILL');
  // spawnSync() has also waited until the program closed its output.
  assert.notEqual(fs.readFileSync(path.join(done.cwd, 'lost'), 'utf8'), '0');
  assert.equal(done.sleeps(), '0');
});
