// SPDX-License-Identifier: BSD-2-Clause
// processes.test.js - child processes of Node in the same capture: clusters,
// child_process, scripts of npm.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');

const { folder, run, record, Capture } = require('./capture.js');

// Returns the recorded marks, and the number of marks reported as lost.  On a
// busy machine a process may get no ring in time.
function told(capture) {
  const marks = capture.marks('worker');
  const lost = capture.marks('syscap')
    .flatMap(({ message }) => [...message.matchAll(/ mark=(\d+)/g)])
    .reduce((sum, [, n]) => sum + Number(n), 0);
  return { marks, messages: marks.map((m) => m.message).sort(), lost };
}

function check(capture, expected, processes) {
  const { marks, messages, lost } = told(capture);
  assert.equal(messages.length + lost, expected.length);
  if (lost !== 0) return;
  assert.deepEqual(messages, [...expected].sort());
  assert.equal(new Set(marks.map((mark) => mark.pid)).size, processes);
}

test('a cluster answers, and each worker tells of its requests', (t) => {
  const capture = record(t, `
    const cluster = require('node:cluster');
    const http = require('node:http');
    const syscap = require('syscap');
    const answer = syscap.site('worker', 'answer');

    function ask(port, n) {
      return new Promise((resolve) => http.get({ port, path: '/' + n,
        agent: false }, (reply) => reply.resume().on('end', resolve)));
    }

    async function main() {
      cluster.schedulingPolicy = cluster.SCHED_RR;
      const ports = await Promise.all([0, 1].map(() => new Promise((resolve) =>
        cluster.fork().on('listening', ({ port }) => resolve(port)))));
      for (let n = 0; n < 40; n++) await ask(ports[0], n);
      cluster.disconnect();
    }

    if (cluster.isPrimary) main();
    else {
      http.createServer((request, reply) => {
        const begin = answer.begin();
        reply.end('text');
        answer.end(begin, request.url);
      }).listen(0);
    }
  `);
  check(capture, Array.from({ length: 40 }, (_, n) => `/${n}`), 2);
});

test('child processes of every kind are in the capture', (t) => {
  const capture = record(t, `
    const { exec, execFile, fork, spawn, execFileSync } =
      require('node:child_process');
    const { instant } = require('syscap');
    const [,, what] = process.argv;
    if (what !== undefined) {
      instant('worker', 'child', what);
    } else {
      const { execPath: node } = process;
      instant('worker', 'child', 'parent');
      exec(node + ' ' + __filename + ' exec');
      execFile(node, [__filename, 'execFile']);
      fork(__filename, ['fork']);
      spawn(node, [__filename, 'spawn'], { stdio: 'ignore' });
      spawn(node, [__filename, 'detached'], { stdio: 'ignore', detached: true });
      execFileSync(node, [__filename, 'sync']);
    }
  `);
  check(capture, ['parent', 'exec', 'execFile', 'fork', 'spawn', 'detached',
    'sync'], 7);
});

test('scripts of npm run are in the capture', (t) => {
  if (spawnSync('npm', ['--version']).status !== 0) {
    t.skip('there is no npm');
    return;
  }
  const cwd = folder(t);
  const file = path.join(cwd, 'x.syscap');
  fs.writeFileSync(path.join(cwd, 'package.json'), JSON.stringify({
    name: 'user',
    scripts: {
      start: 'node say.js start && npm run --silent next',
      next: 'node say.js next',
    },
  }));
  fs.writeFileSync(path.join(cwd, 'say.js'),
    `require('syscap').instant('worker', 'say', process.argv[2]);`);
  run(process.env.SYSCAP, ['record', '-q', '-o', file, '--', 'npm', 'run',
    '--silent', 'start'], { cwd, env: { HOME: cwd,
    npm_config_update_notifier: 'false' } });
  check(new Capture(file), ['start', 'next'], 2);
});
