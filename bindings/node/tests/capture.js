// SPDX-License-Identifier: BSD-2-Clause
// capture.js - recording of a Node program for tests, and reader of captures.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { SYSCAP } = process.env;
const FUNCTION = 32; // bytes of a record in __symbols__

// Makes a directory, which is removed at the end of the test.
function folder(t) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'syscap-node-'));
  t.after(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

function run(command, args, { env = {}, cwd, status = 0 } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 30,
  });
  if (result.error) throw result.error;
  if (result.status !== status) {
    throw new Error(`${command} ${args.join(' ')}: exit ` +
      `${result.status ?? result.signal}, not ${status}\n` +
      `${result.stdout.slice(-4000)}${result.stderr.slice(-4000)}`);
  }
  return result;
}

// Names of addresses, from the capture's symbol table and its JITMAPs.
class Names {
  #jit = new Map();
  #table = [];

  constructor(frames) {
    for (const frame of frames) {
      if (frame.type !== 'jitmap') continue;
      for (const { addr, name } of frame.names) {
        this.#jit.set(BigInt(addr), name);
      }
    }
    const chunks = frames.filter(
      (f) => f.type === 'file_chunk' && f.path === '__symbols__');
    this.#read(Buffer.concat(chunks.map((f) => Buffer.from(f.data, 'base64'))));
  }

  #read(bytes) {
    const text = (at) => bytes.toString('utf8', at, bytes.indexOf(0, at));
    for (let at = 0; at + FUNCTION <= bytes.length; at += FUNCTION) {
      const low = bytes.readBigUInt64LE(at);
      const high = bytes.readBigUInt64LE(at + 8);
      if (low === 0n && high === 0n) break;
      this.#table.push({
        low,
        high,
        pid: bytes.readUInt32LE(at + 16),
        name: text(bytes.readUInt32LE(at + 20)),
      });
    }
  }

  of(pid, address) {
    const value = BigInt(address);
    if (value >> 32n === 0xe0000000n) return this.#jit.get(value);
    let from = 0;
    let to = this.#table.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const entry = this.#table[middle];
      if (entry.pid < pid || (entry.pid === pid && entry.high <= value)) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    const entry = this.#table[from];
    return entry?.pid === pid && entry.low <= value ? entry.name : undefined;
  }
}

class Capture {
  constructor(file) {
    this.file = file;
    this.frames = run(SYSCAP, ['dump', '--json', file]).stdout
      .split('\n').filter(Boolean).map((line) => JSON.parse(line));
    this.names = new Names(this.frames);
  }

  all(type) {
    return this.frames.filter((frame) => frame.type === type);
  }

  marks(group) {
    return this.all('mark').filter((mark) => mark.group === group);
  }

  // The samples, each with the names of its addresses, innermost first.
  get samples() {
    return this.all('sample').map((sample) => ({
      ...sample,
      stack: sample.addrs.map((a) => this.names.of(sample.pid, a)),
    }));
  }

  // Addresses of `samples` that are in no mapping and have no name.
  strays(samples) {
    const maps = this.all('map');
    return samples.flatMap((sample) => sample.addrs.filter((a) =>
      this.names.of(sample.pid, a) === undefined &&
      !maps.some((m) => Number(a) >= Number(m.start) &&
        Number(a) < Number(m.end))));
  }

  get lost() {
    return JSON.parse(run(SYSCAP, ['stat', '--json', this.file]).stdout)
      .lost.frames;
  }
}

// Runs `program` (a text) by node under syscap record, and returns the Capture.
function record(t, program, {
  env, nodeArgs = [], args = [], recordArgs = [], status,
} = {}) {
  const cwd = folder(t);
  const script = path.join(cwd, 'program.js');
  const file = path.join(cwd, 'x.syscap');
  fs.writeFileSync(script, program);
  const { stdout, stderr } = run(SYSCAP, [
    'record', ...recordArgs, '-o', file, '--',
    process.execPath, ...nodeArgs, script, ...args,
  ], { env, cwd, status });
  run(SYSCAP, ['check', file]);
  const capture = new Capture(file);
  capture.stdout = stdout;
  capture.stderr = stderr;
  capture.folder = cwd;
  return capture;
}

module.exports = { folder, run, record, Capture };
