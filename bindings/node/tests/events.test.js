// SPDX-License-Identifier: BSD-2-Clause
// events.test.js - recorded events of each call, and refused arguments.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const test = require('node:test');

const { folder, record, run } = require('./capture.js');

const one = (list) => {
  assert.equal(list.length, 1);
  return list[0];
};

test('marks have the time, duration, texts and thread that they were given', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const site = syscap.site('site', 'paint');
    site.mark(1e9, 2e6);
    site.mark(3e9, 4e6, 'größe π');
    syscap.mark('given', 'name', 5e9, 6, 'text');
    syscap.mark('given', 'no duration', 7e9);
    const before = syscap.now();
    site.instant('now');
    syscap.instant('given', 'instant');
    console.log(before, syscap.now());
  `);
  const [before, after] = capture.stdout.split(' ').map(Number);
  const [plain, text, now] = capture.marks('site');
  assert.deepEqual([plain.time, plain.duration, plain.name, plain.message],
    [1e9, 2e6, 'paint', '']);
  assert.deepEqual([text.time, text.duration, text.message],
    [3e9, 4e6, 'größe π']);
  assert.equal(plain.tid, plain.pid);
  assert.equal(now.message, 'now');
  assert.ok(before <= now.time && now.time <= after);
  const given = capture.marks('given');
  assert.deepEqual(given.map((m) => [m.name, m.duration, m.message]),
    [['name', 6, 'text'], ['no duration', 0, ''], ['instant', 0, '']]);
  assert.ok(before <= given[2].time && given[2].time <= after);
});

test('a scope is one mark, from its begin to its first end', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const site = syscap.site('scope', 'x');
    const pause = () => Atomics.wait(new Int32Array(
      new SharedArrayBuffer(4)), 0, 0, 20);
    const begin = site.begin();
    pause();
    site.end(begin, 'by hand');
    const scope = site.scope('object');
    pause();
    scope.end();
    scope.end();
    if (Symbol.dispose) scope[Symbol.dispose]();
    console.log(site.run(() => (pause(), 'result')));
    try { site.run(() => { throw new Error('kept'); }, 'threw'); }
    catch (error) { console.log(error.message); }
    const twice = site.wrap(function twice(x) { return [this.k, 2 * x]; });
    console.log(twice.call({ k: 1 }, 4).join(), twice.name, twice.length);
  `);
  const marks = capture.marks('scope');
  assert.deepEqual(marks.map((m) => m.message),
    ['by hand', 'object', '', 'threw', '']);
  for (const mark of marks.slice(0, 3)) assert.ok(mark.duration >= 19e6);
  assert.equal(capture.stdout, 'result\nkept\n1,8 twice 1\n');
});

test('promises that overlap are operations of their own, until they settle', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const site = syscap.site('promise', 'x');
    const later = (ms) => new Promise((done) => setTimeout(done, ms, ms));
    Promise.all([site.run(() => later(60)), site.run(() => later(20))])
      .then((values) => console.log(values.join()));
    site.run(async () => { throw new Error('kept'); }, 'rejected')
      .catch((error) => console.log(error.message));
    process.on('unhandledRejection', (error) => console.log('unhandled', error.message));
    site.run(async () => { throw new Error('nobody'); }, 'unhandled');
    site.async(7, site.begin(), 'by hand');
    site.linked('out', 9);
  `);
  const marks = capture.marks('promise');
  assert.equal(capture.stdout, 'kept\nunhandled nobody\n60,20\n');
  assert.deepEqual(marks.map((m) => m.message.replace(/async=[1-6]/, 'async=N')), [
    'async=7 phase=whole by hand', 'flow=9 phase=out',
    'async=N phase=whole rejected', 'async=N phase=whole unhandled',
    'async=N phase=whole', 'async=N phase=whole',
  ]);
  assert.ok(marks[4].duration >= 19e6 && marks[5].duration >= 59e6);
  assert.equal(new Set(marks.map((m) => m.message)).size, 6);
});

test('a step finds its operation across callbacks and awaits', (t) => {
  const program = `
    const syscap = require('syscap');
    const { setTimeout: later } = require('node:timers/promises');
    const { EventEmitter } = require('node:events');
    const work = (n) => async () => {
      syscap.step('read', String(n));
      await later(30 - 10 * n);
      await new Promise((done) => setImmediate(() => {
        syscap.step('parsed', String(n));
        done();
      }));
      if (n === 2) throw new Error('kept');
      return n + (syscap.currentOperation()?.group ?? 'request').length;
    };
    syscap.step('outside');
    console.log(syscap.currentOperation());
    const all = [1, 2].map((n) =>
      syscap.operation('request', 'get', work(n), 'number ' + n));
    Promise.allSettled(all).then(([one, two]) => {
      console.log(one.value, two.reason.message);
      console.log(syscap.operation('request', 'sync', () => 7));
      try { syscap.operation('request', 'throws', () => { throw 8; }); }
      catch (error) { console.log(error); }
    });
  `;
  const capture = record(t, program);
  assert.equal(capture.stdout, 'undefined\n8 kept\n7\n8\n');
  const marks = capture.marks('request');
  const ids = [];
  const texts = marks.map((m) => {
    const [id, phase, ...rest] = m.message.split(' ');
    if (!ids.includes(id)) ids.push(id);
    return [ids.indexOf(id), phase.replace('phase=', ''), m.name, ...rest].join(' ');
  });
  assert.deepEqual(texts.slice(0, 4).sort(), [
    '0 begin get number 1', '0 step read 1', '1 begin get number 2', '1 step read 2',
  ]);
  assert.deepEqual(texts.slice(4, 8).sort(), [
    '0 end get', '0 step parsed 1', '1 end get', '1 step parsed 2',
  ]);
  assert.deepEqual(texts.slice(8), [
    '2 begin sync', '2 end sync', '3 begin throws', '3 end throws',
  ]);
  assert.equal(capture.marks('outside').length, 0);
  assert.equal(run(process.execPath, ['-e', program]).stdout,
    capture.stdout);
});

test('what is no promise of the language is handed on as it is', (t) => {
  const program = `
    const site = require('syscap').site('thenable', 'x');
    class Query { asked = 0; then(done) { this.asked++; done(5); } }
    const query = new Query();
    console.log(site.run(() => query) === query, query.asked);
    const child = Object.assign(Promise.resolve(1), { kill() {} });
    console.log(site.wrap(() => child)() === child);
    class Own extends Promise {}
    console.log(site.run(() => Own.resolve(1)).constructor.name);
  `;
  const expected = 'true 0\ntrue\nOwn\n';
  const capture = record(t, program);
  assert.equal(capture.stdout, expected);
  assert.equal(run(process.execPath, ['-e', program]).stdout, expected);
  assert.equal(capture.marks('thenable').length, 3);
});

test('a generator is an operation from its first step to its end', (t) => {
  const program = `
    const site = require('syscap').site('generator', 'x');
    const pause = () => Atomics.wait(new Int32Array(
      new SharedArrayBuffer(4)), 0, 0, 30);
    const numbers = site.wrap(function* (n) {
      try { for (let i = 0; i < n; i++) { pause(); console.log(yield i); } }
      catch (error) { console.log(error); return 'caught'; }
    });
    console.log(...numbers(2));
    for (const i of numbers(9)) break;
    const it = numbers(2);
    console.log(it.next('lost').value, it.next('sent').value);
    console.log(it.throw('thrown').value, it.next().done);
    console.log(it instanceof numbers(1).constructor, it[Symbol.toStringTag]);
    const later = (ms) => new Promise((done) => setTimeout(done, ms, ms));
    const slow = site.wrap(async function* () {
      for (let i = 0; i < 2; i++) { await later(30); yield i; }
      throw new Error('kept');
    });
    (async () => {
      try { for await (const i of slow()) console.log(i); }
      catch (error) { console.log(error.message); }
      for await (const i of slow()) break;
    })();
    numbers(5);         // never begun
    numbers(5).next();  // never ended
  `.replace('it instanceof numbers(1).constructor', 'typeof it');
  const capture = record(t, program);
  assert.equal(capture.stdout, run(process.execPath, ['-e', program]).stdout);
  const marks = capture.marks('generator');
  assert.equal(marks.length, 5);
  assert.equal(new Set(marks.map((m) => m.message)).size, 5);
  for (const mark of marks) assert.match(mark.message, /^async=.* phase=whole$/);
  const least = [60, 30, 60, 60, 30];
  marks.forEach((m, i) => assert.ok(m.duration >= (least[i] - 2) * 1e6, i));
});

test('counters are set, changed and added to; update() leaves out the same', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const n = syscap.counter('cat', 'n', 'what', { type: 'int64' });
    n.set(41); n.add(); n.update(43); n.update(43); n.set(-(2 ** 53 - 1));
    const x = syscap.counter('cat', 'x');
    x.set(0.5); x.add(0.25);
  `);
  const [n, x] = capture.all('ctrdef').flatMap((frame) => frame.counters);
  assert.deepEqual([n.category, n.name, n.description, n.type],
    ['cat', 'n', 'what', 'int64']);
  assert.equal(x.type, 'double');
  const values = (id) => capture.all('ctrset').flatMap((frame) => frame.values)
    .filter((value) => value.id === id).map(({ value }) => value);
  assert.deepEqual(values(n.id), [41, 42, 43, -(2 ** 53 - 1)]);
  assert.deepEqual(values(x.id), [0.5, 0.75]);
});

test('what does not fit a counter is the nearest that does', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const n = syscap.counter('cat', 'n', '', { type: 'int64' });
    for (const value of [1.5, -1.5, NaN, 2 ** 53, 1e300, -Infinity]) n.set(value);
    n.set(2 ** 63); n.add();
    console.log(n.value);
  `);
  assert.equal(capture.stdout, `${2 ** 63}\n`);
  assert.deepEqual(
    capture.all('ctrset').flatMap((frame) => frame.values).map((v) => v.value),
    [1, -1, 0, 2 ** 53, 2 ** 63, -(2 ** 63), 2 ** 63, 2 ** 63]);
});

test('the same texts with another type are another counter', (t) => {
  const capture = record(t, `
    const { counter } = require('syscap');
    const whole = counter('cat', 'n', '', { type: 'int64' });
    const real = counter('cat', 'n');
    whole.set(3);
    real.set(2.5);
    console.log(whole === real, counter('cat', 'n') === real);
  `);
  assert.equal(capture.stdout, 'false true\n');
  assert.deepEqual(
    capture.all('ctrset').flatMap((frame) => frame.values).map((v) => v.value),
    [3, 2.5]);
});

test('a counter too many counts, and the capture says so', (t) => {
  const capture = record(t, `
    const { counter } = require('syscap');
    for (let n = 0; n < 4096; n++) counter('app', 'n' + n);
    const more = counter('app', 'more');
    more.set(1); more.add(2); more.update(5); more.add();
    console.log(more.value, more.isRecorded, counter('app', 'n7').isRecorded);
  `);
  assert.equal(capture.stdout, '6 false true\n');
  assert.equal(capture.all('ctrset').length, 0);
  const line = one(capture.all('log'));
  assert.deepEqual([line.severity, line.domain, line.message], [16, 'syscap',
    'there are too many counters for "more" of category "app"']);
});

test('what a counter is set to is told of its type, recorded or not', (t) => {
  const program = `
    const n = require('syscap').counter('a', 'n');
    for (const bad of ['1', 1n, null, {}]) {
      for (const name of ['set', 'update', 'add']) {
        try { n[name](bad); console.log(name, bad); } catch {}
      }
    }
  `;
  assert.equal(record(t, program).stdout, '');
  assert.equal(run(process.execPath, ['-e', program]).stdout, '');
});

test('an unknown severity is a message', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    for (const severity of ['loud', undefined, 5, 'toString', 'debug']) {
      syscap.log(severity, 'dom', 'x');
    }
  `);
  assert.deepEqual(capture.all('log').map((l) => l.severity),
    [32, 32, 32, 32, 128]);
});

test('a duration below zero is recorded as it is', (t) => {
  const capture = record(t, `
    require('syscap').mark('a', 'b', 1000, -7);
  `);
  assert.equal(one(capture.all('mark')).duration, -7);
});

test('logs and metadata are recorded; texts may be made when they are needed', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    syscap.log('warning', 'net', 'slow');
    const log = syscap.logger('db');
    log.debug(() => 'made');
    log.critical('nul\\0inside');
    syscap.metadata('demo.version', '1.2');
  `);
  assert.deepEqual(
    capture.all('log').map((l) => [l.severity, l.domain, l.message]),
    [[16, 'net', 'slow'], [128, 'db', 'made'], [8, 'db', 'nul inside']]);
  const fact = one(capture.all('metadata').filter((m) => m.id === 'demo.version'));
  assert.equal(fact.metadata, '1.2');
});

test('texts that are too long are cut between characters', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    syscap.mark('π'.repeat(30), 'π'.repeat(30), 1, 1, 'π'.repeat(40000));
    syscap.site('a'.repeat(22) + 'π', 'x').instant();
  `);
  const [first, second] = capture.all('mark');
  assert.equal(first.group, 'π'.repeat(11));
  assert.equal(first.name, 'π'.repeat(19));
  assert.ok(first.message.length > 32000 && /^π+$/.test(first.message));
  assert.equal(second.group, 'a'.repeat(22));
});

test('more names than are remembered are recorded all the same', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const wait = () => Atomics.wait(new Int32Array(
      new SharedArrayBuffer(4)), 0, 0, 100);
    for (let i = 0; i < 5000; i++) {
      syscap.mark('many', 'name ' + i, i, 1);
      if (i % 500 === 0) wait();
    }
  `);
  const names = new Set(capture.marks('many').map((m) => m.name));
  assert.equal(names.size + capture.lost, 5000);
  assert.ok(names.has('name 4999'));
});

test('no event throws, recorded or not; what can be no mark is told', (t) => {
  const program = `
    const syscap = require('syscap');
    const site = syscap.site('odd', 'x');
    const hostile = { toString() { site.instant('inside'); throw 1; } };
    const odd = [undefined, null, NaN, Infinity, 1n, -1, '7', 'x', true, {},
      Symbol('s'), new Error('e'), () => { throw 2; }, hostile];
    for (const value of odd) {
      site.mark(value, 1);
      site.mark(1, value);
      site.mark(1, 1, value);
      site.instant(value);
      site.end(value, value);
      site.scope(value).end(value);
      site.async(value, value, value);
      site.linked('out', value, value);
      site.linked(value, 1);
      syscap.mark(value, value, value, value, value);
      syscap.batch.mark(site, value, value);
      syscap.batch.end(site, value);
      syscap.operation(value, value, () => syscap.step(value, value), value);
      if (typeof value !== 'function') syscap.log(value, value, value);
      syscap.metadata(value, value);
    }
    console.log('went on');
  `;
  assert.equal(run(process.execPath, ['-e', program]).stdout, 'went on\n');
  const capture = record(t, program);
  assert.equal(capture.stdout, 'went on\n');
  const messages = capture.marks('odd')
    .filter((mark) => mark.time === 1 && mark.duration === 1)
    .map((mark) => mark.message);
  for (const text of ['NaN', '1', 'true', '[object Object]', 'Symbol(s)', 'Error: e']) {
    assert.ok(messages.includes(text), text);
  }
  const told = new Set(capture.all('log').filter((l) => l.domain === 'syscap')
    .map((l) => l.message));
  const of = ' for "x" of group "odd"';
  for (const what of ['a time is no finite number', "there is no link 'x'",
    'an id is no integer from 0 to 2 ** 53 - 1']) {
    assert.ok(told.has(what + of), what);
  }
});

test('a site too many records nothing, and the capture says so', (t) => {
  const program = `
    const syscap = require('syscap');
    for (let i = 0; i < 65536; i++) syscap.site('many', 'n' + i);
    const more = syscap.site('many', 'more');
    more.instant(); more.end(more.begin()); more.scope().end();
    syscap.batch.instant(more);
    syscap.instant('many', 'by name');
    console.log(more.isRecorded, more.run(() => 5), more.wrap((x) => x)(6));
  `;
  const capture = record(t, program);
  assert.equal(capture.stdout, 'false 5 6\n');
  assert.equal(run(process.execPath, ['-e', program]).stdout, capture.stdout);
  assert.deepEqual(capture.all('mark').map((m) => m.name), ['by name']);
  assert.ok(capture.all('log').some((l) => l.domain === 'syscap' &&
    l.message === 'there are too many sites for "more" of group "many"'));
});

test('what is no setting is an error that says why', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const say = (fn) => {
      try { fn(); console.log('no error'); }
      catch (error) { console.log(error.name + ': ' + error.message); }
    };
    say(() => syscap.site(1, 'x'));
    say(() => syscap.counter('a', 'b', '', { type: 'float' }));
  `);
  assert.deepEqual(capture.stdout.trim().split('\n'), [
    'TypeError: syscap: group must be a string',
    `TypeError: syscap: a counter's type is 'int64' or 'double'`,
  ]);
});

test('classes may be wrapped', (t) => {
  const program = `
    const site = require('syscap').site('class', 'x');
    class Shape { static sides = 4; constructor(n) { this.n = n; } area() { return this.n ** 2; } }
    const Wrapped = site.wrap(Shape);
    class Own extends Wrapped {}
    const shape = new Wrapped(3), own = new Own(2);
    console.log(shape.area(), shape instanceof Wrapped, shape instanceof Shape,
      Wrapped.sides, own.area(), own instanceof Own, own.constructor.name);
  `;
  const capture = record(t, program);
  assert.equal(capture.stdout, '9 true true 4 4 true Own\n');
  assert.equal(run(process.execPath, ['-e', program]).stdout, capture.stdout);
  assert.equal(capture.marks('class').length, 2);
});

test('times of Node\'s own clocks become times of the capture', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    for (let i = 0; i < 1000; i++) syscap.fromPerformance(performance.now());
    const best = (read) => Math.min(...Array.from({ length: 50 }, () => {
      const before = syscap.now(), at = read(), after = syscap.now();
      return Math.max(before - at, at - after, 0);
    }));
    console.log(best(() => syscap.fromPerformance(performance.now())),
      best(() => syscap.fromHrtime(process.hrtime.bigint())),
      best(() => syscap.fromHrtime(process.hrtime())));
  `);
  // The capture's clock may be off by 5 us, so the bound is 10 us.
  for (const off of capture.stdout.split(' ')) assert.ok(off < 10000, off);
});

test('while nothing is recorded calls do nothing, and texts are not made', (t) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', `
    const syscap = require('syscap');
    const site = syscap.site('off', 'x');
    const count = syscap.counter('off', 'n');
    syscap.mark('off', 'x', NaN);
    site.mark(NaN, NaN, 5);
    site.end(site.begin());
    site.scope().end();
    syscap.log('debug', 'off', () => { throw new Error('made'); });
    count.add(); count.add(2);
    syscap.batch.mark(site, 1, 1);
    console.log(site.begin(), site.run(() => 3), count.value,
      syscap.batch.pending, syscap.isActive(), site.scope() === site.scope());
  `], { cwd: folder(t), encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(stdout, '0 3 3 0 false true\n');
  assert.equal(status, 0);
});

test('the names are exports of an ES module, too', (t) => {
  const capture = record(t, `
    const file = JSON.stringify(require.resolve('syscap'));
    import(JSON.parse(file)).then(({ site, instant, default: all }) => {
      instant('esm', 'x');
      console.log(all.site === site);
    });
  `);
  assert.equal(capture.stdout, 'true\n');
  assert.equal(capture.marks('esm').length, 1);
});
