// SPDX-License-Identifier: BSD-2-Clause
// bridges.test.js - the performance timeline and diagnostics channels.
'use strict';

const assert = require('node:assert/strict');
const dc = require('node:diagnostics_channel');
const test = require('node:test');

const { record } = require('./capture.js');

test('marks and measures of the performance timeline are recorded, with their detail', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const { performance } = require('perf_hooks');
    const observer = syscap.observePerformance();
    const before = syscap.now();
    performance.mark('a', { detail: { k: 'v' } });
    setTimeout(() => {
      performance.measure('a to b', { start: 'a', detail: 'text' });
      performance.mark('odd', { detail: { n: 1n } });
      console.log(before, syscap.now());
      setTimeout(() => {
        observer.close();
        performance.mark('late');
      }, 10);
    }, 20);
  `);
  const [before, after] = capture.stdout.split(' ').map(Number);
  const [a, odd] = capture.marks('mark');
  assert.deepEqual([a.name, a.message, a.duration], ['a', '{"k":"v"}', 0]);
  assert.deepEqual([odd.name, odd.message], ['odd', '']);
  assert.ok(before - 20000 <= a.time && a.time <= after);
  const measure = capture.marks('measure')[0];
  assert.deepEqual([measure.name, measure.message], ['a to b', 'text']);
  assert.equal(measure.time, a.time);
  assert.ok(measure.duration >= 19e6);
  assert.equal(capture.marks('mark').length, 2);
});

test('what the timeline has not told at the exit is recorded', (t) => {
  const capture = record(t, `
    require('syscap').observePerformance();
    require('perf_hooks').performance.mark('last');
    process.exit(0);
  `);
  assert.equal(capture.marks('mark')[0].name, 'last');
});

test('collections are recorded by their kinds', (t) => {
  const capture = record(t, `
    require('syscap').observePerformance({ types: ['gc'] });
    gc(); gc({ type: 'minor' });
    setTimeout(() => {}, 50);
  `, { nodeArgs: ['--expose-gc'] });
  const names = capture.marks('gc').map((mark) => mark.name);
  assert.ok(names.includes('major') && names.includes('minor'), names.join());
  for (const mark of capture.marks('gc')) assert.ok(mark.duration > 0);
});

test('entry types that do not exist are an error', (t) => {
  const capture = record(t, `
    try { require('syscap').observePerformance({ types: ['nothing'] }); }
    catch (error) { console.log(error.message); }
  `);
  assert.equal(capture.stdout, 'syscap: no such entry types: nothing\n');
});

test('messages of a channel are instants, until close()', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const channel = require('diagnostics_channel').channel('app.thing');
    const plain = syscap.subscribe('app.thing');
    const told = syscap.subscribe('app.thing', {
      group: 'told', describe: (message, name) => name + ' ' + message.id });
    channel.publish({ id: 1 });
    plain.close(); told.close();
    channel.publish({ id: 2 });
    console.log(channel.hasSubscribers);
  `);
  assert.deepEqual(capture.marks('channel').map((m) => m.name), ['app.thing']);
  assert.deepEqual(capture.marks('told').map((m) => m.message),
    ['app.thing 1']);
  assert.equal(capture.stdout, 'false\n');
});

test('operations of a tracing channel are marks: sync, promise, failed', {
  skip: dc.tracingChannel === undefined && 'this Node has no tracingChannel()',
}, (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const channel = require('diagnostics_channel').tracingChannel('db.query');
    syscap.traceChannel('db.query');
    const told = syscap.traceChannel('db.query',
      { group: 'told', describe: (context) => context.sql });
    const later = (ms) => new Promise((done) => setTimeout(done, ms));
    channel.traceSync(() => 1, { sql: 'one' });
    try { channel.traceSync(() => { throw new Error('bad'); }, {}); } catch {}
    told.close();
    channel.tracePromise(() => later(40), { sql: 'two' });
    channel.tracePromise(() => later(20), { sql: 'three' });
  `);
  assert.deepEqual(capture.marks('told').map((m) => m.message),
    ['one', '']);
  const marks = capture.marks('channel');
  assert.deepEqual(marks.map((m) => m.message.replace(/=\d+/, '=N')), [
    '', 'failed: Error: bad', '', '',
    'async=N phase=whole', 'async=N phase=whole',
  ]);
  assert.ok(marks[4].duration >= 19e6 && marks[4].duration < marks[5].duration);
  assert.ok(marks.every((mark) => mark.name === 'db.query'));
});

test('a tracing channel is heard where its channels are published by hand', (t) => {
  const capture = record(t, `
    const syscap = require('syscap');
    const dc = require('diagnostics_channel');
    syscap.traceChannel('hand');
    const context = {};
    dc.channel('tracing:hand:start').publish(context);
    dc.channel('tracing:hand:end').publish(context);
    dc.channel('tracing:hand:end').publish({ unknown: true });
  `);
  assert.equal(capture.marks('channel').length, 1);
});
