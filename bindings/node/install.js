// SPDX-License-Identifier: BSD-2-Clause
// install.js - build of the addons at "npm install", with the system's compiler
// and the headers of the installed node.  The build downloads nothing.
//
//	CC, CXX, CFLAGS, CXXFLAGS, LDFLAGS	as everywhere
//	SYSCAP_CFLAGS, SYSCAP_LIBS	where the library is, instead of pkg-config
//	SYSCAP_NODE_INCLUDE		where node_api.h is
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { env } = process;
const out = path.join(__dirname, 'build', 'Release');

function words(text) {
  return (text ?? '').split(/\s+/).filter(Boolean);
}

function findHeaders() {
  const nodedir = env.npm_config_nodedir;
  const folders = [
    env.SYSCAP_NODE_INCLUDE,
    nodedir && path.join(nodedir, 'include', 'node'),
    path.join(process.execPath, '..', '..', 'include', 'node'),
    '/usr/include/node',
  ].filter(Boolean);
  const found = folders.find(
    (folder) => fs.existsSync(path.join(folder, 'node_api.h')));
  if (found === undefined) {
    throw new Error(`no node_api.h in ${folders.join(', ')} ` +
      '(Debian: libnode-dev)');
  }
  return found;
}

function findLibrary() {
  if (env.SYSCAP_LIBS !== undefined) {
    return { cflags: words(env.SYSCAP_CFLAGS), libs: words(env.SYSCAP_LIBS) };
  }
  const ask = (option) => words(execFileSync(
    'pkg-config', ['--static', option, 'syscap'], { encoding: 'utf8' }));
  try {
    return { cflags: ask('--cflags'), libs: ask('--libs') };
  } catch (error) {
    throw new Error('pkg-config does not know syscap; install the library, ' +
      `or set SYSCAP_CFLAGS and SYSCAP_LIBS.  ${error.message}`);
  }
}

function sources(folder, ending) {
  return fs.readdirSync(path.join(__dirname, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(__dirname, folder, name));
}

function compile(command, flags, name, files, libs) {
  const args = [
    ...flags, '-O2', '-fPIC', '-fvisibility=hidden', '-D_GNU_SOURCE',
    '-shared', '-Wl,-z,nodelete', ...words(env.LDFLAGS),
    '-o', path.join(out, name), ...files, ...libs, '-pthread',
  ];
  console.log([command, ...args].join(' '));
  execFileSync(command, args, { stdio: 'inherit' });
}

function headerVersion(headers) {
  const text = fs.readFileSync(path.join(headers, 'node_version.h'), 'utf8');
  return /^#define NODE_MODULE_VERSION (\d+)/m.exec(text)?.[1];
}

function main() {
  const headers = findHeaders();
  const { cflags, libs } = findLibrary();
  fs.mkdirSync(out, { recursive: true });
  compile(env.CC || 'cc',
    [...words(env.CFLAGS), '-std=c11', '-isystem', headers, ...cflags],
    'syscap.node', sources('src', '.c'), libs);

  const version = process.versions.modules;
  try {
    if (headerVersion(headers) !== version) {
      throw new Error(`headers in ${headers} are of another version`);
    }
    compile(env.CXX || 'c++',
      [...words(env.CXXFLAGS), '-std=c++17', '-isystem', headers, ...cflags],
      `syscap-v8-${version}.node`, sources('v8', '.cc'), []);
  } catch (error) {
    // Only syscap/v8 needs this addon, and reports its absence when required.
    console.warn(`syscap: syscap/v8 is left out: ${error.message}`);
  }
}

try {
  main();
} catch (error) {
  console.error(`syscap: ${error.message}`);
  process.exitCode = 1;
}
