// SPDX-License-Identifier: BSD-2-Clause
// views.test.mjs - the views, and what they are made of, without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { frames, makeScreen } from './screen.mjs';

const screen = makeScreen();
const { Boxes } = await import('../../../src/report/page/boxes.js');
const { cutText, makeTheme, prepareCanvas } = await import(
	'../../../src/report/page/canvas.js');
const { el, fill } = await import('../../../src/report/page/dom.js');
const { binDurations, histogram, Histogram } = await import(
	'../../../src/report/page/histogram.js');
const { answerOf } = await import('../../../src/report/page/answer.js');
const { Filters } = await import('../../../src/report/page/filters.js');
const { Header } = await import('../../../src/report/page/header.js');
const { App } = await import('../../../src/report/page/main.js');
const { endsWith, nodesThat, Stacks } = await import(
	'../../../src/report/page/stacks.js');
const { functionDetails } = await import(
	'../../../src/report/page/view_flame.js');
const { Lanes } = await import('../../../src/report/page/lanes.js');
const { Timeline } = await import('../../../src/report/page/timeline.js');
const { Table } = await import('../../../src/report/page/table.js');
const { ownersOf } = await import(
	'../../../src/report/page/thread_colours.js');
const { makeMarkTable } = await import(
	'../../../src/report/page/mark_table.js');
const { makeTree } = await import('../../../src/report/page/tree.js');
const { model: make } = await import('./page.mjs');

async function start(state = {}) {
	const model = await make();
	model.isWhole = true;
	const app = new App(screen.place, model);
	app.state = { view: 'flame', ...state };
	app.draw();
	return app;
}

/** @returns the drawn shapes and texts so far */
function show(app, state) {
	app.set(state);
	frames.draw();
	return app.view.element;
}

test('elements have their attributes, and texts are no markup', () => {
	let clicks = 0;
	const one = el('button', { class: 'x', hidden: true, lang: null, value: 'v',
		onclick: () => clicks++ }, '<b>', false, null, el('i', {}, 'in it'));
	one.click();
	assert.equal(clicks, 1);
	assert.deepEqual(one.attributes, { class: 'x', hidden: '' });
	assert.equal(one.textContent, '<b>in it');
	fill(one, 'else');
	assert.equal(one.textContent, 'else');
});

test('inlined functions are marked, with their hottest line', async () => {
	const app = await start();
	const { model } = app;
	assert.deepEqual([2, 3, 5].map((f) => model.isInlined(f)),
		[false, true, false]);
	assert.deepEqual([2, 3].map((f) => model.lineOf(f)), ['', 'app:12']);
	assert.equal(model.categoryOf(3), 0);
	const said = functionDetails(app, 3, { total: 1, self: 1, of: 2 })[1];
	assert.match(said.textContent, /inlined · mostly app:12/);
});

test('texts are cut between characters', () => {
	const canvas = el('canvas', {});
	const context = prepareCanvas(canvas, 100, 20, makeTheme());
	assert.equal(canvas.width, 100);
	assert.equal(cutText(context, 'short', 100), 'short');
	assert.equal(cutText(context, 'a text that is too long', 70), 'a text t…');
	assert.equal(cutText(context, 'x', 3), '');
	assert.equal(cutText(context, '483\u00a0ms', 40), '');
	assert.equal(cutText(context, '483\u00a0ms', 100), '483\u00a0ms');
	assert.ok(!/[\ud800-\udbff]…/.test(cutText(context, '\u{1f600}'.repeat(20), 71)));
});

test('a table sorts and creates visible rows only', () => {
	const picked = [];
	const table = new Table({ label: 'numbers', sort: '-n', headings: [
		{ key: 'n', text: 'N', number: true, by: (row) => row.n,
			cell: (row) => String(row.n) }], pick: (row) => picked.push(row.n) });
	table.set(Array.from({ length: 5000 }, (_, i) => ({ n: i * 7 % 5000 })));
	assert.equal(table.rows[0].n, 4999);
	assert.ok(table.body.children.length < 100);
	table.head.all('button')[0].click();
	assert.equal(table.rows[0].n, 0);
	table.element.send('keydown', { key: 'ArrowDown' });
	table.element.send('keydown', { key: 'ArrowDown' });
	assert.deepEqual(picked, [0, 1]);
});

test('NaN is last in a table, and equal keys keep their order', () => {
	const table = new Table({ label: 'numbers', sort: 'n', pick: () => {}, headings: [
		{ key: 'n', text: 'N', number: true, by: (row) => row[0], cell: String }] });
	const rows = [[4, 'a'], [NaN, 'b'], [-0, 'c'], [1, 'd'], [NaN, 'e'], [0, 'f'],
		[-Infinity, 'g'], [7, 'h'], [1, 'i']];
	table.set(rows);
	assert.equal(table.rows.map((row) => row[1]).join(''), 'gcfdiahbe');
	table.set(rows, '-n');
	assert.equal(table.rows.map((row) => row[1]).join(''), 'hadicfgbe');
	table.set([]);
	table.element.send('keydown', { key: 'ArrowUp' });
	assert.equal(table.picked, null);
});

test('boxes are found by pointer and by keys', () => {
	const picked = [];
	const boxes = new Boxes({ theme: makeTheme(), label: 'boxes',
		pick: (box) => picked.push(box && box.id), open: () => {},
		tip: (box) => [box.label] });
	const box = (id, row, x, w) => ({ id, row, x, w, colour: 'red', label: 'b' + id });
	boxes.set([box(1, 0, 0, 800), box(2, 1, 0, 300), box(3, 1, 300, 500)], 2);
	boxes.scroller.send('click', { clientX: 400, clientY: 30 });
	boxes.scroller.send('keydown', { key: 'ArrowLeft' });
	boxes.scroller.send('keydown', { key: 'ArrowUp' });
	assert.deepEqual(picked, [3, 2, 1]);
	assert.ok(boxes.canvas.drawn > 0);
});

test('on paper all rows fit below the axis', () => {
	const theme = { ...makeTheme(), isPaper: true };
	const boxes = new Boxes({ theme, label: 'boxes', pick: () => {},
		open: () => {}, tip: () => [] });
	boxes.set([], 10);
	assert.equal(boxes.rowHeight, 20);
	boxes.set([], 50);
	assert.ok(boxes.rowHeight < 14);
	boxes.set([], 500);
	assert.equal(boxes.rowHeight, 11);
	theme.isPaper = false;
	boxes.set([], 500);
	assert.equal(boxes.rowHeight, 20);
});

test('logarithmic bins of durations', () => {
	const { bins, low, high } = binDurations(
		Float64Array.from([10, 100, 1000, 1000, 10000]), 4);
	assert.deepEqual([low, high], [1, 4]);
	assert.deepEqual(Array.from(bins), [1, 1, 2, 1]);
	assert.equal(histogram(new Float64Array(0), makeTheme()), '–');
	assert.ok(histogram(Float64Array.from([5, 50]), makeTheme()).drawn > 0);
});

test('dragging selects durations', () => {
	const chosen = [];
	const one = new Histogram(makeTheme(), (...range) => chosen.push(range));
	one.set('x', Float64Array.from([10, 100, 1000, 10000]), undefined, undefined);
	one.element.send('pointerdown', { clientX: 400 });
	one.element.send('pointermove', { clientX: 600 });
	one.element.send('pointerup', { clientX: 800 });
	assert.equal(chosen.length, 1);
	assert.equal(chosen[0][0], Math.floor(Math.pow(10, 2.5)));
	one.element.send('pointerdown', { clientX: 100 });
	one.element.send('pointerup', { clientX: 101 });
	assert.equal(chosen.length, 1, 'a click is no drag');
});

test('the stacks of a box add up to its sum', async () => {
	const app = await start();
	const analysis = app.analysis();
	const { tree } = analysis;
	// main > parse, with malloc below it
	const wanted = nodesThat(analysis, (i) => i >= 2 && i < tree.ends[2]);
	const stacks = new Stacks(app);
	stacks.open(app.filter(), wanted);
	const { samples, ticks } = app.model;
	assert.equal(stacks.found.reduce((sum, i) => sum + samples.ticks[i] *
		ticks[samples.threads[i]], 0), analysis.totals[2]);
	assert.equal(stacks.frames.children.length, 2);
	stacks.step(-1);
	assert.equal(stacks.at, stacks.found.length - 1);
	stacks.open({ threads: [1] }, wanted);
	assert.equal(stacks.n, 1);
});

test('a stack ends with its innermost functions', () => {
	const tree = makeTree([0, 1, 2, 3], [0, 1, 2, 3]);
	assert.ok(endsWith(tree, 3, [3, 2]));
	assert.ok(endsWith(tree, 3, [3, 2, 1]));
	assert.ok(!endsWith(tree, 3, [2]));
	assert.ok(!endsWith(tree, 3, [3, 2, 1, 1]));
});

test('a box has the colour of its main thread', async () => {
	const app = await start();
	const { tree, totals } = app.analysis();
	const owners = ownersOf(app, tree, totals, [0, 1]);
	assert.deepEqual(Array.from(owners).slice(1), [0, 0, 1, 0, 0]);
});

test('every view draws passing data', async () => {
	const app = await start();
	const choices = app.choices().map((choice) => choice.key);
	assert.deepEqual(choices, ['flame', 'chart', 'functions', 'tree', 'compare',
		'marks', 'counters', 'heat', 'about']);
	for (const view of choices) {
		const element = show(app, { view });
		assert.ok(element.textContent.length > 0 ||
			element.all('canvas').some((canvas) => canvas.drawn > 0), view);
	}
	assert.match(show(app, { view: 'functions' }).textContent, /malloc.*libc/);
	assert.match(show(app, { view: 'tree' }).textContent, /main/);
	assert.match(show(app, { view: 'compare' }).textContent, /The slowest 1 took/);
	assert.match(show(app, { view: 'counters' }).textContent, /counters/);
	assert.match(show(app, { view: 'about' }).textContent, /Processes/);
});

test('marks are shown in five ways', async () => {
	const app = await start({ view: 'marks' });
	for (const kind of ['threads', 'table', 'statistics', 'frames', ''])
		assert.ok(show(app, { view: 'marks', show: kind }), kind);
	assert.match(show(app, { view: 'marks', show: 'table' }).textContent,
		/app\/turn/);
	assert.match(show(app, { view: 'marks', show: 'statistics' }).textContent,
		/25.ns/);
});

test('the flame graph in each order, each colour, upwards, zoomed', async () => {
	const app = await start();
	for (const show_ of ['', 'leaves', 'threads'])
		for (const colour of ['', 'binary', 'thread'])
			for (const upside of [undefined, true]) {
				show(app, { view: 'flame', show: show_ || undefined, colour, upside });
				assert.equal(Math.round(app.view.boxes.boxes.reduce((most, box) =>
					Math.max(most, box.w), 0)), 800);
			}
	show(app, { view: 'flame', zoom: '1.2' });
	assert.equal(app.view.zoom, 2);
	app.view.openStacks(2);
	assert.ok(!app.view.stacks.element.hidden);
	show(app, { from: 10, to: 40 });
	assert.ok(app.view.stacks.element.hidden, 'another filter, other stacks');
});

test('the time axis brushes by pointer and by keys', async () => {
	const app = await start();
	const { element } = app.timeline;
	element.send('pointerdown', { clientX: 348 });
	element.send('pointermove', { clientX: 548 });
	element.send('pointerup', { clientX: 548 });
	frames.draw();
	assert.ok(app.state.from > 0 && app.state.to > app.state.from);
	assert.ok(app.analysis().total < answerOf(await start()).total);
	element.send('keydown', { key: 'Escape' });
	assert.equal(app.state.from, undefined);
});

test('the time axis folds, and the title of a lane acts', async () => {
	const app = await start();
	const { timeline } = app;
	const kinds = () => timeline.lanes.list().map(({ kind }) => kind);
	assert.deepEqual(kinds(), ['thread', 'thread', 'blocked', 'marks', 'counter']);
	const height = timeline.height;
	assert.ok(height <= 200, String(height));
	app.model.threads.push(...[2, 3, 4].map((number) => ({ ...app.model.threads[0],
		number, tid: 10 + number })));
	app.model.byThread = Float64Array.of(12, 2, 1, 1, 1);
	assert.deepEqual(kinds().slice(0, 4), ['thread', 'thread', 'thread', 'others']);
	timeline.openLane({ kind: 'others', n: -1 });
	assert.equal(kinds().filter((kind) => kind === 'thread').length, 5);
	app.state.lanes = 'none';
	assert.deepEqual(kinds(), ['others']);
	timeline.openLane({ kind: 'thread', n: 1 });
	assert.deepEqual(app.state.threads, [1]);
	timeline.openLane({ kind: 'thread', n: 1 });
	assert.equal(app.state.threads, undefined);
	timeline.openLane({ kind: 'blocked', n: -1 });
	assert.deepEqual([app.state.of, app.state.view], ['blocked', 'flame']);
});

test('lanes of blocked time and of a search, and values at the cursor', async () => {
	const app = await start();
	const { timeline } = app;
	app.state.search = 'hash';
	timeline.paint();
	const lane = (kind) => timeline.lanes.shown.find((one) => one.kind === kind);
	// Calls block from 12 to 32, and from 25 to far behind the end.
	const sum = lane('blocked').bars.reduce((a, b) => a + b, 0);
	assert.ok(Math.abs(sum - 20 - 75) < 1, String(sum));
	// hash() has 2 of the 5 samples, each of which is alone in its pixel.
	const shares = Array.from(lane('search').bars).filter((share) => share > 0);
	assert.deepEqual(shares, [1, 1]);
	assert.equal(timeline.lanes.valueAt(lane('search'), 20), '100.0\u00a0%');
	assert.match(timeline.lanes.valueAt(lane('thread'), 20), / % busy$| busy$/);
	assert.equal(timeline.lanes.valueAt(lane('counter'), 2.5), '−7');
	assert.equal(timeline.lanes.valueAt(lane('counter'), 0), '');
	assert.equal(timeline.lanes.valueAt(lane('marks'), 20), '');
});

test('lanes of a chosen function and of chosen counters', async () => {
	const app = await start();
	const { timeline } = app;
	const kinds = () => timeline.lanes.list().map(({ kind }) => kind);
	app.state.lane = 'hash';
	timeline.paint();
	const lane = timeline.lanes.shown.find(({ kind }) => kind === 'function');
	assert.deepEqual(Array.from(lane.bars).filter((share) => share > 0), [1, 1]);
	assert.equal(timeline.lanes.valueAt(lane, 20), '100.0\u00a0%');
	app.state.lanes = 'none';
	app.state.counters = [0];
	assert.deepEqual(kinds(), ['others', 'function', 'counter']);
	app.state.lanes = undefined;
	assert.equal(kinds().filter((kind) => kind === 'counter').length, 1,
		'a chosen counter has one lane');
	timeline.openLane(lane);
	assert.deepEqual([app.state.lane, kinds().includes('function')],
		[undefined, false]);
	app.state.lane = 'no such function';
	assert.ok(!kinds().includes('function'));
});

test('a button puts a counter on the time axis', async () => {
	const app = await start();
	show(app, { view: 'counters' });
	const press = () => app.view.laneButton(app.model.counters[0]).send('click', {});
	press();
	assert.deepEqual(app.state.counters, [0]);
	press();
	assert.equal(app.state.counters, undefined);
});

test('keys choose views, hide libraries and list themselves', async () => {
	const app = await start();
	app.key({ key: '3', target: null, preventDefault() {} });
	assert.equal(app.state.view, 'functions');
	app.key({ key: 'h', target: null, preventDefault() {} });
	assert.equal(app.state.hideSystem, true);
	const own = { key: 'o', target: null, preventDefault() {} };
	app.key(own);
	assert.equal(app.state.recording, undefined); // there is none
	app.model.hasOwn = true;
	app.key(own);
	assert.equal(app.state.recording, true);
	app.key(own);
	assert.equal(app.state.recording, undefined);
	app.key({ key: '?', target: null, preventDefault() {} });
	assert.ok(app.help.open);
});

test('keys brush the time axis, and it shows the range', async () => {
	const app = await start();
	assert.ok(app.timeline instanceof Timeline);
	assert.ok(app.timeline.lanes instanceof Lanes);
	assert.ok(app.filters instanceof Filters && app.header instanceof Header);
	app.timeline.element.send('keydown', { key: 'ArrowRight' });
	frames.draw();
	assert.ok(app.state.to > app.state.from);
	assert.match(app.timeline.describe(), /\d/);
	assert.deepEqual(app.timeline.window(), [0, 100]);
	app.set({ window: '10-50' });
	frames.draw();
	assert.deepEqual(app.timeline.window(), [10, 50]);
});

test('a mark ran for at most its duration', async () => {
	const app = await start({ view: 'marks', show: 'table' });
	const { headings } = makeMarkTable({ app }).options;
	const cell = (key, running) => headings.find((one) => one.key === key)
		.cell({ i: 0, running, isBar: false });
	app.model.isTime = true;
	assert.equal(cell('running', 1e9), cell('duration'));
	assert.notEqual(cell('running', 1), cell('duration'));
});
