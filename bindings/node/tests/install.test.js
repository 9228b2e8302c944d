// SPDX-License-Identifier: BSD-2-Clause
// install.test.js - "npm install" of the package, where the library is there.
'use strict';

const assert = require('node:assert/strict');
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

test('a package that was not built says so', (t) => {
  const { cwd } = unpack(t);
  const { stderr } = run(process.execPath, ['-e', `require('syscap')`],
    { cwd, env: { NODE_PATH: '' }, status: 1 });
  assert.match(stderr, /the addon can't be loaded; is it built\?/);
});
