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

// Returns a directory with a user's package.json, the tarball in a directory
// above, and a function that runs npm there.
function packed(t) {
  const above = folder(t);
  const cwd = path.join(above, 'user');
  const env = { npm_config_cache: path.join(above, 'cache') };
  const npm = (...args) => run('npm', ['--offline', ...args], { cwd, env });
  fs.mkdirSync(cwd);
  fs.writeFileSync(path.join(cwd, 'package.json'), '{"name":"user"}');
  const before = fs.readdirSync(source);
  npm('pack', '--silent', '--pack-destination', above, source);
  assert.deepEqual(fs.readdirSync(source), before);
  const [tarball] = fs.readdirSync(above).filter((n) => n.endsWith('.tgz'));
  return { cwd, npm, tarball: `../${tarball}` };
}

const hasNpm = spawnSync('npm', ['--version']).status === 0;
const skip = hasNpm ? false : 'there is no npm';

// Installs the package outside of the sources, and returns the directory.
function install(t) {
  if (!hasNpm) {
    const { cwd, made } = unpack(t);
    run(process.execPath, ['install.js'], { cwd: made });
    return cwd;
  }
  const { cwd, npm, tarball } = packed(t);
  // npm 12 runs only scripts that the user has allowed.  Other versions ignore
  // this setting.
  npm('install', '--silent', '--dangerously-allow-all-scripts', tarball);
  return cwd;
}

test('the package builds outside of the sources', (t) => {
  const cwd = install(t);
  const { stdout } = run(process.execPath, ['-e', `
    const syscap = require('syscap');
    console.log(syscap.start({ output: 'a.syscap' }));
    const n = syscap.counter('tarball', 'n');
    for (let i = 0; i < 10; i++) n.add(2);
    syscap.stop();
  `], { cwd, env: { NODE_PATH: '' } });
  assert.match(stdout, /a\.syscap\n$/);
  const values = run(process.env.SYSCAP,
    ['dump', '--json', '--type', 'ctrset', 'a.syscap'], { cwd }).stdout;
  assert.match(values.trim().split('\n').at(-1), /"value":20\b/);
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

test('the tarball has the licence, and works in both kinds of modules',
  { skip }, (t) => {
    const { cwd, npm, tarball } = packed(t);
    npm('install', '--silent', '--ignore-scripts', tarball);
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
