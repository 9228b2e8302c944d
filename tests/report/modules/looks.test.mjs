// SPDX-License-Identifier: BSD-2-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { coloursOfMarks, findNodes, layoutChart, layoutGraph, matching, nothing,
	searching } from '../../../src/report/page/flame.js';
import { formatAmount, formatAt, formatBytes, formatDifference, formatMoment,
	formatShare, formatTime } from '../../../src/report/page/format.js';
import { roundStep, roundTime, Scale, ticksOf } from '../../../src/report/page/scale.js';
import { filterOf, readState, writeState } from
	'../../../src/report/page/state.js';
import { makeTree, sumUp } from '../../../src/report/page/tree.js';
import { Moments } from '../../../src/report/page/moments.js';
import { model as make, setSamples } from './page.mjs';

test('readable numbers', () => {
	const plain = (text) => text.replace(/\u00a0/g, ' ');
	assert.deepEqual([0, 999, 1234, 12_345_678, 99_960_000, 999_600_000, 3.6e12]
		.map((ns) => plain(formatTime(ns))), ['0 s', '999 ns', '1.23 µs', '12.3 ms',
		'100 ms', '1.00 s', '1:00:00']);
	assert.deepEqual([59.94e9, 59.96e9, 65.26e9, -754e9, 3599.96e9]
		.map((ns) => plain(formatTime(ns))), ['59.9 s', '1:00.0 min', '1:05.3 min',
		'−12:34.0 min', '60:00.0 min']);
	assert.equal(plain(formatBytes(1536)), '1.50 KiB');
	assert.equal(plain(formatShare(1, 3)), '33.3 %');
	assert.equal(formatShare(1, 0), '–');
	assert.equal(plain(formatDifference(-0.021)), '−2.1 points');
	assert.equal(plain(formatAmount(1234, 'ticks')), '1,234 ticks');
	assert.equal(plain(formatAmount(1, 'ticks')), '1 tick');
	assert.equal(plain(formatMoment(1.5e9, 1e8)), '1.5 s');
	assert.equal(plain(formatMoment(-1, 1e6)), '0.000 s');
	assert.equal(formatMoment(3725e9, 1e9), '1:02:05');
	assert.equal(plain(formatAt(17.5e9)), '17.50000 s');
	assert.equal(plain(formatAt(-77808814351000)), '−77808.81 s');
	assert.equal(plain(formatAt(-2152989839000)), '−2152.990 s');
});

test('round moments', () => {
	assert.equal(roundStep(0.7), 1);
	assert.equal(roundStep(130), 200);
	const { step, ticks } = ticksOf(new Scale(50, 1050, 1100), 0);
	assert.equal(step, 100);
	assert.deepEqual(ticks.slice(0, 2), [100, 200]);
	// labels of a day are at hours, never at 2:46:40 (10,000 s)
	assert.equal(ticksOf(new Scale(0, 86400e9, 1100), 0).step, 3 * 3600e9);
	assert.equal(roundTime(203e9), 300e9);
	assert.equal(roundTime(20e9), 20e9);
	assert.equal(roundTime(2000 * 86400e9), 2000 * 86400e9);
});

test('moments beyond the precision of numbers have an axis', () => {
	for (const from of [2 ** 53, 2 ** 62, 2 ** 64 - 2048]) {
		const scale = new Scale(from, from, 1000);
		assert.ok(scale.perPixel > 0 && Number.isFinite(scale.x(from + 1)));
		assert.ok(ticksOf(scale, 5).ticks.length < 20);
		assert.ok(ticksOf(scale, from - 1).ticks.length < 20);
	}
});

test('a state comes back from its address', () => {
	const state = { view: 'marks', from: 5, to: 900, threads: [1, 7],
		search: '/a&b=c#/', hideSystem: true, mark: 'gtk/frame clock' };
	assert.deepEqual(readState(writeState(state)), state);
	assert.deepEqual(readState('#threads=x&from=y&view='), { view: 'flame' });
	assert.deepEqual(filterOf(state), { from: 5, to: 900, threads: [1, 7],
		hideSystem: true, mark: 'gtk/frame clock' });
});

const tree = makeTree([0, 1, 2, 2, 1], [0, 1, 2, 3, 1]);
const totals = sumUp(tree, Float64Array.from([0, 0, 60, 30, 10]));
const layout = (zoom, width) => layoutGraph({ tree, totals, zoom, width,
	label: String, colour: () => '' });

test('widths of boxes are their totals', () => {
	const { boxes, rows } = layout(0, 100);
	assert.equal(rows, 3);
	assert.deepEqual(boxes.map((box) => [box.id, box.row, box.x, box.w]),
		[[0, 0, 0, 100], [1, 1, 0, 90], [2, 2, 0, 60], [3, 2, 60, 30], [4, 1, 90, 10]]);
});

test('the zoomed box has the full width, below its callers', () => {
	const { boxes } = layout(1, 90);
	assert.deepEqual(boxes.map((box) => [box.id, box.x, box.w, Boolean(box.dim)]),
		[[0, 0, 90, true], [1, 0, 90, false], [2, 0, 60, false], [3, 60, 30, false]]);
});

test('narrow boxes are summarized', () => {
	const many = makeTree([0, ...Array(1000).fill(1)],
		Array.from({ length: 1001 }, (_, i) => i));
	const { boxes } = layoutGraph({ tree: many,
		totals: sumUp(many, new Float64Array(1001).fill(1)), zoom: 0, width: 100,
		label: String, colour: () => '' });
	assert.equal(boxes.length, 2);
	assert.equal(boxes[1].label, '…1,000 smaller');
	assert.ok(!boxes[1].found);
});

test('matches among narrow boxes are visible', () => {
	const many = makeTree([0, ...Array(1000).fill(1)],
		Array.from({ length: 1001 }, (_, i) => i));
	const found = new Uint8Array(1001);
	const draw = () => layoutGraph({ tree: many, found, zoom: 0, width: 100,
		totals: sumUp(many, new Float64Array(1001).fill(1)), label: String,
		colour: () => '' }).boxes[1].found;
	assert.ok(!draw());
	found[700] = 1;
	assert.ok(draw());
});

test('empty data draw nothing', () => {
	assert.equal(layoutGraph({ tree, totals: new Float64Array(5), zoom: 0,
		width: 100, label: String, colour: () => '' }).boxes.length, 0);
});

test('searches', async () => {
	const model = await make();
	const sums = sumUp(model.tree, Float64Array.from([0, 0, 1, 2, 4, 8]));
	const found = findNodes(model, model.tree, sums, 'hash');
	assert.equal(found.share, 12);
	assert.deepEqual(found.outermost, [4]);
	assert.ok(searching('PaR')('parse') && !searching('/PaR/')('parse'));
	assert.equal(searching('/(/'), nothing);
	assert.ok(!searching('/(/')('a(b'));
	assert.equal(searching(''), null);
});

test('a search examines each name once', async () => {
	const model = await make();
	const by = matching(model, 'hash');
	assert.deepEqual(Array.from(by), [0, 0, 0, 1, 0, 0]);
	assert.equal(matching(model, 'hash'), by);
	assert.deepEqual(Array.from(matching(model, 'main')), [0, 1, 0, 0, 0, 0]);
	assert.equal(matching(model, ''), null);
});

test('marks of a name have one colour', async () => {
	const model = await make();
	const series = ['red', 'green', 'blue'];
	const [colour] = coloursOfMarks(model, { series });
	assert.ok(series.includes(colour));
	model.markNames.unshift({ group: 'before', name: 'it' });
	assert.equal(coloursOfMarks(model, { series })[1], colour);
});

/** A model with one thread and @n samples in two functions. */
async function chartOf(n, node, width) {
	const model = await make();
	const column = (of) => Uint32Array.from({ length: n }, (_, i) => of(i));
	setSamples(model, { n, threads: column(() => 0), ticks: column(() => 1),
		nodes: column(node), times: new Moments(column((i) => i > 0 ? 2 : 0)) });
	return layoutChart({ model, thread: 0, nodes: null, tree: model.tree,
		scale: new Scale(0, 2 * n, width), passes: () => true, label: String,
		colour: () => '' });
}

test('flame chart in order of time', async () => {
	const model = await make();
	const layout = (passes) => layoutChart({ model, thread: 0, nodes: null,
		tree: model.tree, scale: new Scale(0, 100, 1000), passes,
		label: String, colour: () => '' });
	const { boxes, rows } = layout(() => true);
	assert.equal(rows, 3);
	const parse = boxes.filter((box) => box.id === 2);
	assert.deepEqual(parse.map((box) => [box.x, box.w]), [[100, 40], [500, 40]]);
	// omitted samples have no category
	const some = layout((i) => i > 0).boxes.filter((box) => box.id === 2);
	assert.deepEqual(some.map((box) => [box.x, box.w]), [[500, 40]]);
});

test('a pixel shows its most frequent stack only', async () => {
	// parse() in one of three, hash() in two, in turn: 50 samples a pixel
	const { boxes } = await chartOf(5000, (i) => i % 3 === 0 ? 2 : 4, 100);
	const own = boxes.filter((box) => box.row === 1);
	assert.ok(own.length >= 98 && own.every((box) => box.id === 4 && box.w < 1.1));
	assert.ok(own.every(({ of: [n, all] }) => all < 52 && n / all > 0.6 &&
		n / all < 0.7));
	// main() has all samples: one box
	assert.deepEqual(boxes.filter((box) => box.row === 0).map((box) =>
		[box.x, box.w, box.of]), [[0, 100, undefined]]);
});

test('irregular selection of many samples in a pixel', async () => {
	for (const turn of [2, 3, 4, 5, 8, 10, 16, 39, 100]) {
		const { boxes } = await chartOf(50000, (i) => i % turn === 0 ? 2 : 4, 10);
		const own = boxes.filter((box) => box.row === 1);
		if (turn > 2)
			assert.ok(own.every((box) => box.id === 4), String(turn));
		const n = own.reduce((sum, box) => sum + (box.id === 2 ? box.of[0]
			: box.of ? box.of[1] - box.of[0] : 0), 0);
		assert.ok(Math.abs(n / 64 / 10 - 1 / turn) < 0.15, turn + ': ' + n);
	}
});
