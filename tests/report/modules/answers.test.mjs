// SPDX-License-Identifier: BSD-2-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Analyst, functionsOf } from
	'../../../src/report/page/analysis.js';
import { runningTimes, sumMarks } from
	'../../../src/report/page/mark_stats.js';
import { compare, compareFunctions } from '../../../src/report/page/compare.js';
import { chooseMarks, countSlowest, endOf, isInside, lowerBound, Passing,
	readGlob, readRegex } from '../../../src/report/page/filter.js';
import { Moments } from '../../../src/report/page/moments.js';
import { makeTree } from '../../../src/report/page/tree.js';
import { columns, list, model as make, setOther, setSamples } from './page.mjs';

const model = await make();
const answer = (filter) => new Analyst(model).answer(filter);

test('all samples count with their weight', () => {
	const { total, n, threads } = answer({});
	assert.deepEqual([total, n, ...threads], [14, 5, 12, 2]);
});

test('times, threads and functions filter', () => {
	assert.equal(answer({ from: 20, to: 31 }).total, 8);
	assert.equal(answer({ from: 31, to: 20 }).total, 0);
	assert.equal(answer({ threads: [1] }).total, 2);
	assert.equal(answer({ function: 'hash' }).total, 8);
	assert.equal(answer({ drop: '^hash$' }).total, 6);
	assert.equal(answer({ function: 'hash', drop: 'main' }).total, 0);
});

test('inside of the slowest mark', () => {
	const found = answer({ mark: 'app/turn', slowest: '1' });
	assert.equal(found.total, 8);
	assert.deepEqual(Array.from(found.chosen), [1]);
	assert.equal(answer({ mark: 'app' }).total, 12);
	assert.equal(answer({ mark: 'app/turn', longer: 26 }).total, 0);
});

test('a moved brush equals a new one', () => {
	const analyst = new Analyst(model);
	for (const [from, to] of [[0, 25], [15, 45], [15, 20], [35, 99], [0, 1],
		[undefined, undefined]])
		assert.deepEqual(Array.from(analyst.answer({ from, to }).selfs),
			Array.from(answer({ from, to }).selfs));
});

test('transforms change functions, not sums', () => {
	const found = answer({ hideSystem: true, recursion: true });
	const sums = functionsOf(model, found);
	assert.equal(found.total, 14);
	assert.equal(sums.selfs[2], 6);
	assert.equal(sums.totals[3], 8);
	const one = answer({ library: 'app' });
	assert.equal(model.nameOf(one.tree.functions[1]), '[app]');
});

test('samples in syscap\'s own code are left out, and summed up', async () => {
	const own = await make();
	own.functions.categories[5] = 8 | 5; // malloc(), main > parse > malloc
	own.own = new WeakMap();
	own.addRest(await columns(list()));
	assert.ok(own.hasOwn);
	const analyst = new Analyst(own);
	const found = analyst.answer({});
	assert.deepEqual([found.total, found.own, found.n, ...found.threads],
		[12, 2, 4, 12, 0]);
	const all = analyst.answer({ recording: true });
	assert.deepEqual([all.total, all.own, all.n], [14, 2, 5]);
	assert.equal(analyst.answer({ drop: 'malloc' }).own, 0);
	assert.deepEqual([analyst.answer({ from: 10, to: 31 }).total,
		analyst.answer({ from: 10, to: 41 }).own], [10, 2]);
	assert.ok(!new Passing(own, {}).passes(3));
	assert.ok(new Passing(own, { recording: true }).passes(3));
	assert.deepEqual([answer({}).own, model.hasOwn], [0, false]);
});

test('a linked copy of syscap is not shown as its program', async () => {
	const own = await make();
	own.functions.categories[3] = 8 | 5; // hash() of app
	own.own = new WeakMap();
	const found = new Analyst(own).answer({ library: 'app', recording: true });
	const names = Array.from(found.tree.functions, (f) => own.nameOf(f));
	assert.deepEqual(names, ['all', '[app]', 'malloc', 'hash', 'hash']);
});

test('processor time of marks', () => {
	assert.deepEqual(Array.from(runningTimes(model, [0, 1, 2])), [2, 8, 2]);
});

test('statistics of marks are by nearest rank', () => {
	const [row] = sumMarks(model, {});
	assert.deepEqual([row.n, row.min, row.median, row.p99, row.max, row.mean],
		[3, 8, 10, 25, 25, 14]);
	// Marks that overlap the times count: 5 to 15, 19 to 44, 48 to 56
	assert.deepEqual([{ from: 56 }, { from: 50 }, { from: 40, to: 48 },
		{ from: 10, to: 20 }, { from: 15, to: 19 }].map((filter) =>
		sumMarks(model, filter).reduce((n, row) => n + row.n, 0)), [0, 1, 1, 2, 0]);
});

test('memory: all, never freed, freed at once, at a moment', () => {
	const answer = (filter, of, moment) =>
		new Analyst(model).answer(filter, model.rowsOf(of, moment));
	const sum = (of, moment) => answer({}, of, moment).total;
	assert.deepEqual([sum('allocated'), sum('leaked'), sum('temporary'),
		sum('live', 24), sum('live', 25), sum('live', 5)], [157, 107, 50, 150, 100, 0]);
	assert.equal(answer({ function: 'hash' }, 'allocated').total, 57);
	assert.equal(answer({ mark: 'app/turn' }, 'allocated').total, 150);
	assert.deepEqual([answer({}, 'leaked').n, answer({}, 'temporary').n], [2, 1]);
	// A moved brush reuses the sums of the same amounts alone.
	const analyst = new Analyst(model);
	for (const [of, total] of [['leaked', 107], ['allocated', 157], ['', 14]])
		assert.equal(analyst.answer({}, model.rowsOf(of)).total, total, of);
});

test('calls that blocked, by function, thread and mark', () => {
	const rows = model.rowsOf('blocked');
	const answer = (filter) => new Analyst(model).answer(filter, rows);
	const all = answer({});
	assert.deepEqual([all.total, all.n, ...all.threads], [5000000020, 2, 20, 5000000000]);
	const sums = functionsOf(model, all);
	assert.deepEqual([sums.selfs[2], sums.selfs[3], sums.totals[1]],
		[20, 5000000000, 5000000020]);
	assert.equal(answer({ threads: [0] }).total, 20);
	assert.equal(answer({ from: 13 }).total, 5000000000);
	assert.equal(answer({ mark: 'app/turn' }).total, 20);
	assert.deepEqual(model.measures(), ['', 'blocked', 'allocated', 'live',
		'leaked', 'temporary']);
	const { one, other } = compare(model, {}, { view: '', compare: 'thread',
		thread: 1 }, '', all.base, rows);
	assert.deepEqual([one.total, other.total], [5000000000, 20]);
});

test('the function hash explains the slow mark', () => {
	const found = compare(model, {}, { view: 'compare', amount: '1' }, 'app/turn');
	assert.equal(found.one.nMarks, 1);
	assert.equal(found.other.nMarks, 2);
	const rows = compareFunctions(model, found);
	rows.sort((a, b) => b.unexpected - a.unexpected);
	assert.equal(model.nameOf(rows[0].f), 'hash');
	assert.equal(rows[0].self, 8);
	assert.equal(rows[0].otherSelf, 0);
});

test('comparison of a brush, a thread and a search with the rest', () => {
	const total = (filter, state) => {
		const { one, other } = compare(model, filter, { view: '', ...state }, '');
		return [one.total, other.total];
	};
	assert.deepEqual(total({ from: 15, to: 35 }, { compare: 'brush' }), [8, 6]);
	assert.deepEqual(total({}, { compare: 'thread', thread: 1 }), [2, 12]);
	assert.deepEqual(total({}, { compare: 'search', search: 'HASH' }), [0, 14]);
	assert.deepEqual(total({}, { compare: 'search', search: '/ha/' }), [8, 6]);
});

test('counters keep their values', () => {
	const [counter] = model.counters;
	assert.deepEqual(Array.from(counter.values), [5, -7, 2 ** 62]);
});

test('small things', () => {
	assert.equal(lowerBound([1, 3, 3, 9], 3), 1);
	assert.equal(lowerBound([], 3), 0);
	const ranges = Float64Array.from([10, 20, 30, 40]);
	assert.equal(endOf(ranges, 20), 2);
	assert.ok(isInside(ranges, 10) && !isInside(ranges, 20) && !isInside(ranges, 5));
	assert.equal(countSlowest('1%', 101), 2);
	assert.equal(countSlowest('5', 3), 3);
	assert.equal(countSlowest('x', 3), 3);
	assert.ok(readGlob('lib*.so').test('libc.so') && !readGlob('a?').test('a'));
	assert.ok(readGlob('[!a]b').test('cb') && !readGlob('[!a]b').test('ab'));
	assert.ok(!readGlob('[z-a]').test('[z-a]'), 'no range: it matches nothing');
	assert.ok(readRegex('a(').test('xa(y'));
	assert.equal(readRegex(''), null);
	assert.deepEqual(Array.from(chooseMarks(model, { mark: 'app/turn' })), [1, 0, 2]);
});

test('samples inside several marks are those inside any', async () => {
	const model = await make();
	let seed = 7;
	const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
	const n = 4000;
	const times = Float64Array.from({ length: n }, () => random(100000)).sort();
	setSamples(model, { n, times: new Moments(times.map((time, i) =>
		time - (times[i - 1] || 0))), threads: Uint8Array.from(times, () => random(2)),
		nodes: Uint8Array.from(times, () => 1 + random(5)),
		ticks: Uint8Array.from(times, () => 1 + random(3)) });
	for (let round = 0; round < 30; round++) {
		const k = 1 + random(20);
		const marks = Array.from({ length: k }, () => [random(100000),
			random(30000), random(2)]).sort((a, b) => a[0] - b[0]);
		Object.assign(model.marks, { n: k, times: marks.map((m) => m[0]),
			durations: marks.map((m) => m[1]), threads: marks.map((m) => m[2]),
			names: marks.map(() => 0) });
		const filter = { mark: 'app/turn', from: random(2) ? 50000 : undefined };
		const wanted = new Float64Array(model.tree.n);
		const { samples } = model;
		for (let i = 0; i < n; i++)
			if (times[i] >= (filter.from || 0) && marks.some(([time, took, thread]) =>
				thread === samples.threads[i] && time <= times[i] && times[i] < time + took))
				wanted[samples.nodes[i]] += 2 * samples.ticks[i];
		const { sums } = new Passing(model, filter);
		assert.deepEqual(Array.from(sums.selfs), Array.from(wanted));
	}
});

test('durations are limited on both sides', async () => {
	const model = await make();
	assert.deepEqual(Array.from(chooseMarks(model, { mark: 'app/turn', longer: 9,
		shorter: 25 })), [0]);
	const { one, other } = compare(model, { mark: 'app/turn', longer: 20 },
		{ view: 'compare', compare: 'range' }, 'app/turn');
	assert.deepEqual([one.nMarks, other.nMarks], [1, 2]);
});

test('two captures are one tree, with sums of both', async () => {
	const model = await make();
	// main > hash, main > main
	setOther(model, makeTree([0, 1, 2, 2], [0, 1, 3, 1]), [0, 5, 10, 1]);
	const comparison = compare(model, {}, { view: 'compare', compare: 'file' }, '');
	assert.equal(comparison.one.total, 14);
	assert.equal(comparison.other.total, 16);
	const rows = compareFunctions(model, comparison);
	const hash = rows.find((row) => model.nameOf(row.f) === 'hash');
	assert.equal(hash.otherSelf, 10 / 16);
	assert.deepEqual(hash.n, [2, 1]);
	const dropped = compare(model, { drop: '^hash$' },
		{ view: 'compare', compare: 'file' }, '');
	assert.equal(dropped.other.total, 6);
});

test('marks in bars count', async () => {
	const model = await make();
	model.bars = { n: 2, times: [3, 60], lasts: [9, 70], counts: [4, 6],
		sums: [8, 12], least: [1, 2], most: [3, 2], threads: [0, 1], names: [0, 0],
		all: 10 };
	model.markSums = [[13, 63, 1, 2, 25, 25]];
	const [all] = sumMarks(model, {});
	assert.deepEqual([all.n, all.total, all.min, all.median, all.p99, all.max],
		[13, 63, 1, 2, 25, 25]);
	// The share is one of all marks, with ten marks in bars; the selected
	// marks are in the page.
	assert.equal(chooseMarks(model, { mark: 'app/turn', slowest: '20%' }).length, 3);
	assert.equal(chooseMarks(model, { mark: 'app/turn', slowest: '1' }).length, 1);
	assert.equal(chooseMarks(model, { mark: 'app/turn', slowest: '8%', longer: 4 }).length,
		1);
	const [part] = sumMarks(model, { from: 0, to: 50 });
	assert.deepEqual([part.n, part.total], [7, 51]);
	assert.ok(Number.isNaN(part.median));
});
