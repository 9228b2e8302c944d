// SPDX-License-Identifier: BSD-2-Clause
// install.test.js - "npm install" of the package beside an installed library.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');

const { folder, run } = require('./capture.js');

const source = path.join(__dirname, '..');

function unpack(t) {
  const cwd = folder(t);
  const made = path.join(cwd, 'node_modules', 'syscap');
  const { files } = require(path.join(source, 'package.json'));
  for (const name of ['package.json', ...files]) {
    fs.cpSync(path.join(source, name), path.join(made, name),
      { recursive: true });
  }
  return { cwd, made };
}

test('what the package holds is enough to build and to use it', (t) => {
  const { cwd, made } = unpack(t);
  run(process.execPath, ['install.js'], { cwd: made });
  const { stdout } = run(process.execPath, ['-e', `
    const syscap = require('syscap');
    console.log(syscap.start({ output: 'a.syscap' }));
    syscap.instant('installed', 'x');
    syscap.stop();
  `], { cwd, env: { NODE_PATH: '' } });
  assert.match(stdout, /a\.syscap\n$/);
  const marks = run(process.env.SYSCAP,
    ['dump', '--json', '--type', 'mark', 'a.syscap'], { cwd }).stdout;
  assert.match(marks, /"group":"installed"/);
});

test('without the library it fails, and says what is missing', (t) => {
  const { made } = unpack(t);
  const { SYSCAP_LIBS, ...env } = process.env;
  const { stderr } = run('env', ['-u', 'SYSCAP_LIBS', process.execPath,
    'install.js'], {
    cwd: made,
    env: { ...env, PKG_CONFIG_PATH: '', PKG_CONFIG_LIBDIR: made },
    status: 1,
  });
  assert.match(stderr, /pkg-config does not know syscap/);
});

test('without the addon programs continue, and are told why nothing is recorded', (t) => {
  const { cwd } = unpack(t);
  const env = { NODE_PATH: '' };
  const { stdout, stderr } = run(process.execPath, ['-e', `
    const syscap = require('syscap');
    const site = syscap.site('absent', 'x');
    site.end(site.begin(), 'text');
    site.instant(); site.scope().end(); site.mark(1, 2);
    syscap.mark('absent', 'x', 1, 2); syscap.log('info', 'd', 'text');
    syscap.batch.instant(site); syscap.batch.flush();
    const n = syscap.counter('absent', 'n');
    n.set(3); n.add(); syscap.counter('absent', 'n').add();
    syscap.metadata('a', 'b'); syscap.drain();
    syscap.observePerformance().close();
    console.log(n.value, site.run(() => 7), syscap.isActive(),
      syscap.now() > 0, syscap.sampler.stats().samples);
    console.log(syscap.stats().reason);
    for (const ask of [() => syscap.start(), () => syscap.sampler.start()]) {
      try { ask(); } catch (error) { console.log(error.code); }
    }
    try { require('syscap/v8'); } catch (error) { console.log('no v8'); }
  `], { cwd, env });
  const [told, reason, ...codes] = stdout.trim().split('\n');
  assert.equal(told, '5 7 false true 0');
  assert.match(reason, /the addon can't be loaded; is it built\?/);
  assert.deepEqual(codes, ['ENOSYS', 'ENOSYS', 'no v8']);
  assert.equal(stderr, '');
  // A program that requests a recording gets a warning.
  const asked = run(process.execPath, ['-e', `require('syscap')`],
    { cwd, env: { ...env, SYSCAP_OUTPUT: 'a.syscap' } });
  assert.match(asked.stderr, /SyscapWarning: nothing is recorded: the addon/);
});

test('the tarball has the licence, and works in both kinds of modules', (t) => {
  const cwd = folder(t);
  if (spawnSync('npm', ['--version']).status !== 0) {
    t.skip('there is no npm');
    return;
  }
  const env = { npm_config_cache: path.join(cwd, 'cache') };
  const npm = (...args) => run('npm', ['--offline', ...args], { cwd, env });
  const before = fs.readdirSync(source);
  npm('pack', '--silent', source);
  assert.deepEqual(fs.readdirSync(source), before);
  const [tarball] = fs.readdirSync(cwd).filter((name) => name.endsWith('.tgz'));
  fs.writeFileSync(path.join(cwd, 'package.json'), '{"name":"user"}');
  npm('install', '--silent', '--ignore-scripts', `./${tarball}`);
  const made = path.join(cwd, 'node_modules', 'syscap');
  assert.match(fs.readFileSync(path.join(made, 'LICENSE'), 'utf8'),
    /Redistribution and use/);
  fs.writeFileSync(path.join(cwd, 'user.mjs'), `
    import { createRequire } from 'node:module';
    import all, { site } from 'syscap';
    const required = createRequire(import.meta.url)('syscap');
    console.log(site === required.site, all === required, all.isActive());
  `);
  assert.equal(run(process.execPath, ['user.mjs'],
    { cwd, env: { NODE_PATH: '' } }).stdout, 'true true false\n');
});
