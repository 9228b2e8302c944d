// SPDX-License-Identifier: BSD-2-Clause
// recording.test.js - programs that record and sample themselves.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const test = require('node:test');

const { folder, run, record, Capture } = require('./capture.js');

function self(t, program, options) {
  const cwd = folder(t);
  const result = run(process.execPath, ['-e', program], { cwd, ...options });
  return { ...result, open: (name) => new Capture(path.join(cwd, name)) };
}

test('start() and stop() make a capture, and tell what became of it', (t) => {
  const { stdout, open } = self(t, `
    const syscap = require('syscap');
    const site = syscap.site('own', 'x');
    site.instant('before');
    console.log(syscap.isActive());
    console.log(syscap.start({ output: 'a.syscap', ringKiB: 64 }));
    console.log(syscap.isActive(), syscap.stats().active);
    site.instant('during');
    syscap.drain();
    syscap.stop();
    console.log(syscap.isActive(), syscap.stats().dropped);
    site.instant('after');
  `);
  assert.match(stdout,
    /^false\n\S*a\.syscap\ntrue true\nfalse 0\n$/);
  assert.deepEqual(open('a.syscap').marks('own').map((m) => m.message),
    ['during']);
});

test('what goes wrong is an Error with the code that systems use', (t) => {
  const { stdout } = self(t, `
    const syscap = require('syscap');
    const say = (fn) => {
      try { fn(); console.log('no error'); }
      catch (error) { console.log(error.code ?? error.name, error.message); }
    };
    say(() => syscap.stop());
    say(() => syscap.start({ output: 'no/such/folder/x' }));
    syscap.start({ output: 'a.syscap' });
    say(() => syscap.start({ output: 'b.syscap' }));
    say(() => syscap.start({ ringKiB: -1 }));
    say(() => syscap.sampler.stop());
    say(() => syscap.sampler.start({ clock: 'sundial' }));
    say(() => syscap.sampler.start({ hz: 20001 }));
  `);
  const lines = stdout.trim().split('\n');
  assert.match(lines[0], /^ENOENT syscap: stop: ENOENT/);
  assert.match(lines[1], /^(EIO|ENOENT) syscap: start: /);
  assert.match(lines[2], /^EALREADY syscap: start: /);
  assert.equal(lines[3],
    'RangeError syscap: ringKiB: an integer from 0 to 4294967295');
  assert.match(lines[4], /^ENOENT /);
  assert.equal(lines[5],
    'RangeError syscap: clock: one of auto, cpu, wall, perf');
  assert.equal(lines[6], 'RangeError syscap: hz: an integer from 0 to 20000');
});

test('sampler.start() takes samples until sampler.stop()', (t) => {
  const { stdout, open } = self(t, `
    const syscap = require('syscap');
    const burn = (ms) => {
      for (const end = Date.now() + ms; Date.now() < end;) ;
    };
    syscap.start({ output: 'a.syscap' });
    console.log(syscap.sampler.start({ hz: 200, clock: 'wall' }) !== '');
    burn(500);
    syscap.sampler.stop();
    const { samples, clock, hz } = syscap.sampler.stats();
    burn(100);
    console.log(samples >= 20, clock, hz,
      samples === syscap.sampler.stats().samples);
    syscap.stop();
  `);
  assert.equal(stdout, 'true\ntrue wall 200 true\n');
  assert.ok(open('a.syscap').all('sample').length >= 20);
});

test('SYSCAP_SAMPLE is heard', (t) => {
  const capture = record(t, `
    require('syscap');
    for (const end = Date.now() + 300; Date.now() < end;) ;
  `, { env: { SYSCAP_SAMPLE: '200,wall' } });
  const main = capture.all('sample').filter((s) => s.tid === s.pid);
  assert.ok(main.length >= 10, `${main.length} samples`);
});
