// SPDX-License-Identifier: BSD-2-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findNodes, hash, layoutChart, layoutGraph, searching } from
	'../../../src/report/page/flame.js';
import { formatAmount, formatAt, formatBytes, formatDifference, formatMoment,
	formatShare, formatTime } from '../../../src/report/page/format.js';
import { roundStep, Scale, ticksOf } from '../../../src/report/page/scale.js';
import { filterOf, readState, writeState } from
	'../../../src/report/page/state.js';
import { makeTree, sumUp } from '../../../src/report/page/tree.js';
import { model as make } from './page.mjs';

test('numbers are as people read them', () => {
	const plain = (text) => text.replace(/\u00a0/g, ' ');
	assert.deepEqual([0, 999, 1234, 12_345_678, 99_960_000, 999_600_000, 3.6e12]
		.map((ns) => plain(formatTime(ns))), ['0 s', '999 ns', '1.23 µs', '12.3 ms',
		'100 ms', '1.00 s', '3600 s']);
	assert.equal(plain(formatBytes(1536)), '1.50 KiB');
	assert.equal(plain(formatShare(1, 3)), '33.3 %');
	assert.equal(formatShare(1, 0), '–');
	assert.equal(plain(formatDifference(-0.021)), '−2.1 %');
	assert.equal(plain(formatAmount(1234, 'ticks')), '1,234 ticks');
	assert.equal(plain(formatMoment(1.5e9, 1e8)), '1.5 s');
	assert.equal(plain(formatMoment(-1, 1e6)), '0.000 s');
	assert.equal(formatMoment(3725e9, 1e9), '1:02:05');
	assert.equal(plain(formatAt(17.5e9)), '17.50000 s');
	assert.equal(plain(formatAt(-77808814351000)), '−77808.814 s');
});

test('round moments', () => {
	assert.equal(roundStep(0.7), 1);
	assert.equal(roundStep(130), 200);
	const { step, ticks } = ticksOf(new Scale(50, 1050, 1100), 0);
	assert.equal(step, 100);
	assert.deepEqual(ticks.slice(0, 2), [100, 200]);
});

test('of moments beyond what numbers hold there is an axis all the same', () => {
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

test('boxes are as wide as their totals, side by side', () => {
	const { boxes, rows } = layout(0, 100);
	assert.equal(rows, 3);
	assert.deepEqual(boxes.map((box) => [box.id, box.row, box.x, box.w]),
		[[0, 0, 0, 100], [1, 1, 0, 90], [4, 1, 90, 10], [2, 2, 0, 60], [3, 2, 60, 30]]);
});

test('what is zoomed into fills the width, its callers stay above', () => {
	const { boxes } = layout(1, 90);
	assert.deepEqual(boxes.map((box) => [box.id, box.x, box.w, Boolean(box.dim)]),
		[[0, 0, 90, true], [1, 0, 90, false], [2, 0, 60, false], [3, 60, 30, false]]);
});

test('narrow ones are told, not dropped', () => {
	const many = makeTree([0, ...Array(1000).fill(1)],
		Array.from({ length: 1001 }, (_, i) => i));
	const { boxes } = layoutGraph({ tree: many,
		totals: sumUp(many, new Float64Array(1001).fill(1)), zoom: 0, width: 100,
		label: String, colour: () => '' });
	assert.equal(boxes.length, 2);
	assert.equal(boxes[1].label, '…1000 smaller');
});

test('nothing is drawn of nothing', () => {
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
	assert.equal(searching('/(/'), null);
	assert.equal(searching(''), null);
	assert.equal(hash('a'), hash('a'));
});

test('a flame chart is in order of time', async () => {
	const model = await make();
	const { boxes, rows } = layoutChart({ model, thread: 0, nodes: null,
		tree: model.tree, scale: new Scale(0, 100, 1000), left: 0, passes: null,
		label: String, colour: () => '' });
	assert.equal(rows, 3);
	const parse = boxes.filter((box) => box.id === 2);
	assert.deepEqual(parse.map((box) => [box.x, box.w]), [[100, 40], [500, 40]]);
});
