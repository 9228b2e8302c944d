// SPDX-License-Identifier: BSD-2-Clause
// each_view.test.mjs - what each view shows of the model of page.mjs, and does.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { frames, makeScreen } from './screen.mjs';

const screen = makeScreen();
const { App } = await import('../../../src/report/page/main.js');
const { ChartView } = await import('../../../src/report/page/view_chart.js');
const { CompareView } = await import('../../../src/report/page/view_compare.js');
const { FunctionsView } = await import(
	'../../../src/report/page/view_functions.js');
const { HeapView } = await import('../../../src/report/page/view_heap.js');
const { HeatView } = await import('../../../src/report/page/view_heat.js');
const { MarksView } = await import('../../../src/report/page/view_marks.js');
const { AboutView, CountersView, LogsView } = await import(
	'../../../src/report/page/view_rest.js');
const { TreeView } = await import('../../../src/report/page/view_tree.js');
const { model: make } = await import('./page.mjs');

/** A view of its own, and the app that it asks. */
async function open(View, state = {}, change = () => {}) {
	const model = await make();
	model.isWhole = true;
	change(model);
	const app = new App(screen.place, model);
	app.state = { ...state };
	app.view = new View(app);
	app.draw = () => { app.frame = 0; app.view.update(); };
	app.view.update();
	return { app, view: app.view };
}

const names = (rows, model) => rows.map((row) => model.nameOf(row.f));

test('the flame chart has the stacks of one thread, and brushes a box', async () => {
	const { app, view } = await open(ChartView, { thread: 1 });
	assert.deepEqual(view.boxes.boxes.map((box) => box.label),
		['main', 'parse', 'malloc']);
	assert.match(view.tip(view.boxes.boxes[2]).join(), /malloc,libc.so.6,for /);
	view.open(view.boxes.boxes[0]);
	assert.ok(app.state.from <= 40 && app.state.to > 40);
});

test('compare inside puts what the slowest has first, and says so', async () => {
	const { app, view } = await open(CompareView, { name: 'app/turn', amount: '1' });
	assert.equal(app.model.nameOf(view.table.rows[0].f), 'hash');
	assert.match(view.answer.textContent,
		/The slowest 1 took 25.ns.*The other 2 took 9.ns.*difference: hash/);
	assert.equal(view.marks.rows.length, 1);
});

test('of a function all callers and callees are shown', async () => {
	const { app, view } = await open(FunctionsView, { picked: 2 });
	assert.deepEqual(names(view.table.rows, app.model).sort(),
		['hash', 'main', 'malloc', 'parse']);
	assert.deepEqual([view.callers, view.callees].map((boxes) =>
		boxes.boxes.map((box) => box.label)), [['main', 'parse'],
		['parse', 'malloc']]);
	// The one that is picked is, when rows are made anew
	view.update();
	assert.equal(view.table.picked.f, 2);
});

test('the call tree is opened step by step, and stays where it was', async () => {
	const { app, view } = await open(TreeView);
	view.opened = new Set(['']);
	view.update();
	assert.deepEqual(names(view.table.rows, app.model), ['main']);
	view.table.element.send('keydown', { key: 'ArrowDown' });
	view.table.element.send('keydown', { key: 'Enter' });
	assert.deepEqual(names(view.table.rows, app.model), ['main', 'parse', 'hash']);
	view.table.element.send('keydown', { key: 'ArrowDown' });
	assert.equal(app.model.nameOf(view.table.picked.f), 'parse');
});

test('a deep call tree leaves room for names', async () => {
	const { view } = await open(TreeView);
	view.table.widthOfFirst = () => 160;
	view.opened.add('/1').add('/1/2');
	view.update();
	assert.ok(view.step * 3 <= 40 && view.step > 0, String(view.step));
});

test('allocations are those of a moment, which arrows move', async () => {
	const { app, view } = await open(HeapView, { of: 'live', moment: 21 });
	assert.equal(view.answer.total, 150);
	view.over.send('keydown', { key: 'ArrowRight' });
	frames.draw();
	assert.equal(app.state.moment, 22);
	app.set({ moment: 30 });
	frames.draw();
	assert.equal(view.answer.total, 107);
});

test('the heat map has what passes, and Enter looks at a cell', async () => {
	const { app, view } = await open(HeatView);
	assert.equal(view.cells.reduce((a, b) => a + b, 0), 14);
	app.set({ mark: 'app/turn', slowest: '1' });
	frames.draw();
	assert.equal(view.cells.reduce((a, b) => a + b, 0), 8);
	view.place.send('keydown', { key: 'Enter' });
	assert.deepEqual([app.state.view, app.state.from], ['flame', 0]);
});

test('cells say that something was lost in them', async () => {
	const { view } = await open(HeatView, {}, (model) => {
		model.end = 1e8;
		model.losses = [{ begin: 3e7, end: 5e7, thread: 0, frames: 1, samples: 0,
			bytes: 0 }];
	});
	assert.deepEqual(Array.from(view.lost.slice(0, 4)), [0, 1, 1, 0]);
});

test('marks are those of a search and a time; one that is picked stays', async () => {
	const { app, view } = await open(MarksView, { show: 'statistics' });
	view.statistics.element.send('keydown', { key: 'ArrowDown' });
	frames.draw();
	assert.equal(view.statistics.picked.label, 'app/turn');
	assert.ok(view.statistics.rows.includes(view.statistics.picked));
	assert.deepEqual(view.numbers(), [0, 1, 2]);
	app.set({ from: 10, to: 30 });
	assert.deepEqual(view.numbers(), [1]);
	app.set({ search: 'nothing' });
	assert.deepEqual(view.numbers(), []);
});

test('counters have their least, most and last value', async () => {
	const { view } = await open(CountersView);
	const [{ n, min, max, last }] = view.table.rows;
	assert.deepEqual([n, min, max, last], [3, -7, 2 ** 62, 2 ** 62]);
});

test('logs are of the severities that are on', async () => {
	const { view } = await open(LogsView, {}, (model) => {
		model.logs = [[1, 0, 2, 0, 7], [2, 0, 4, 0, 8]];
	});
	assert.equal(view.table.rows.length, 2);
	const warnings = view.bar.all('input')[0];
	warnings.checked = false;
	warnings.send('change');
	assert.deepEqual(view.table.rows.map((row) => row[2]), [4]);
});

test('what is known of the capture is told', async () => {
	const { view } = await open(AboutView);
	assert.match(view.element.textContent, /Processes.*app.*Threads.*one/);
});

test('the control that is used keeps the keyboard', async () => {
	const { app, view } = await open(ChartView);
	const select = () => view.bar.all('select')[0];
	select().focus();
	app.set({ thread: 1 });
	frames.draw();
	assert.equal(document.activeElement, select());
});
