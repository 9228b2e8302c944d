// SPDX-License-Identifier: BSD-2-Clause
// each_view.test.mjs - contents and actions of each view, for the model of
// page.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { frames, makeScreen } from './screen.mjs';

const screen = makeScreen();
const { App } = await import('../../../src/report/page/main.js');
const { ChartView } = await import('../../../src/report/page/view_chart.js');
const { CompareView } = await import('../../../src/report/page/view_compare.js');
const { FlameView } = await import('../../../src/report/page/view_flame.js');
const { FunctionsView } = await import(
	'../../../src/report/page/view_functions.js');
const { HeapView } = await import('../../../src/report/page/view_heap.js');
const { HeatView } = await import('../../../src/report/page/view_heat.js');
const { MarksView } = await import('../../../src/report/page/view_marks.js');
const { AboutView, LogsView } = await import(
	'../../../src/report/page/view_rest.js');
const { CountersView, isGrowing, unitOf } = await import(
	'../../../src/report/page/view_counters.js');
const { layOperations } = await import('../../../src/report/page/operations.js');
const { Moments } = await import('../../../src/report/page/moments.js');
const { Scale } = await import('../../../src/report/page/scale.js');
const { Table, TIPS } = await import('../../../src/report/page/table.js');
const { unnamedOf } = await import('../../../src/report/page/analysis.js');
const { paintLine } = await import('../../../src/report/page/timeline.js');
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

test('by wall time the program precedes its children', async () => {
	const other = (model) => {
		model.processes.push({ ...model.processes[0], number: 1, pid: 20 });
		model.threads.push({ ...model.threads[0], number: 2, process: 1, tid: 20 });
		model.ticks = Float64Array.of(2, 2, 2);
		model.counts = new Uint32Array(3);
		model.samples.threads = Uint16Array.of(2, 2, 2, 1, 0);
		model.byThread = model.sumThreads();
	};
	const lanes = ({ app }) => app.timeline.lanes()
		.filter(({ kind }) => kind === 'thread').map(({ n }) => n);
	const busy = await open(ChartView, {}, other);
	assert.equal(busy.view.thread, 2);
	assert.deepEqual(lanes(busy), [2, 0, 1]);
	const wall = await open(ChartView, {}, (model) => {
		other(model);
		model.facts.unit_number = '2';
	});
	assert.equal(wall.view.thread, 0);
	assert.deepEqual(lanes(wall), [0, 1, 2]);
	wall.app.state.thread = 2;
	wall.view.update();
	assert.equal(wall.view.thread, 2);
});

test('an empty result is reported', async () => {
	const { view } = await open(FlameView, { from: 90, to: 95 });
	assert.match(view.details.textContent, /No sample passes/);
	const none = await open(CompareView, { compare: 'brush', from: 90, to: 95,
		beside: '96-98' });
	assert.match(none.view.answer.textContent, /Neither has a sample/);
	const empty = await open(FlameView, {}, (model) => {
		model.samples = { ...model.samples, n: 0, times: new Moments([]) };
	});
	assert.match(empty.view.details.textContent, /record with --sample/);
});

test('compare inside begins with the main cause', async () => {
	const { app, view } = await open(CompareView, { name: 'app/turn', amount: '1' });
	assert.equal(app.model.nameOf(view.table.rows[0].f), 'hash');
	assert.match(view.answer.textContent,
		/The slowest 1 took 25.ns.*The other 2 took 9.ns.*difference: hash/);
	assert.equal(view.marks.rows.length, 1);
});

test('all callers and callees of a function', async () => {
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

test('the call tree opens step by step and keeps its position', async () => {
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

test('allocations of a moment, moved by arrow keys', async () => {
	const { app, view } = await open(HeapView, { of: 'live', moment: 21 });
	assert.equal(view.answer.total, 150);
	view.over.send('keydown', { key: 'ArrowRight' });
	frames.draw();
	assert.equal(app.state.moment, 22);
	app.set({ moment: 30 });
	frames.draw();
	assert.equal(view.answer.total, 107);
});

test('the heat map has passing samples, and Enter opens a cell', async () => {
	const { app, view } = await open(HeatView);
	assert.equal(view.cells.reduce((a, b) => a + b, 0), 14);
	app.set({ mark: 'app/turn', slowest: '1' });
	frames.draw();
	assert.equal(view.cells.reduce((a, b) => a + b, 0), 8);
	view.place.send('keydown', { key: 'Enter' });
	assert.deepEqual([app.state.view, app.state.from], ['flame', 0]);
});

test('cells show losses', async () => {
	const { view } = await open(HeatView, {}, (model) => {
		model.end = 1e8;
		model.losses = [{ begin: 3e7, end: 5e7, thread: 0, frames: 1, samples: 0,
			bytes: 0 }];
	});
	assert.deepEqual(Array.from(view.lost.slice(0, 4)), [0, 1, 1, 0]);
});

test('marks of a search and a time; a selected one stays', async () => {
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

test('logs of the selected severities', async () => {
	const { view } = await open(LogsView, {}, (model) => {
		model.logs = [[1, 0, 2, 0, 7], [2, 0, 4, 0, 8]];
	});
	assert.equal(view.table.rows.length, 2);
	const warnings = view.bar.all('input')[0];
	warnings.checked = false;
	warnings.send('change');
	assert.deepEqual(view.table.rows.map((row) => row[2]), [4]);
});

test('facts about the capture are shown', async () => {
	const { view } = await open(AboutView);
	assert.match(view.element.textContent, /Processes.*app.*Threads.*one/);
});

test('processes and threads are sorted by the time that passes', async () => {
	const times = (/** @type {any} */ view, /** @type {string} */ label) =>
		view.tables.find((table) => table.options.label === label).rows
			.map(([number, time]) => [number, time]);
	const { view } = await open(AboutView);
	assert.deepEqual(times(view, 'Threads'), [['1', 12], ['2', 2]]);
	assert.deepEqual(times(view, 'Processes'), [['10', 14]]);
	const cell = view.tables.find((table) => table.options.label === 'Threads')
		.options.headings[1];
	assert.deepEqual([cell.text, cell.cell(['1', 12]), cell.cell(['1', 0])],
		['Time', '12\u00a0ns', '–']);
	const { view: filtered } = await open(AboutView, { threads: [1] });
	assert.deepEqual(times(filtered, 'Threads'), [['2', 2], ['1', 0]]);
});

test('the used control keeps the focus', async () => {
	const { app, view } = await open(ChartView);
	const select = () => view.bar.all('select')[0];
	select().focus();
	app.set({ thread: 1 });
	frames.draw();
	assert.equal(document.activeElement, select());
});

test('overlapping operations are below each other', async () => {
	const { view } = await open(MarksView, { show: 'threads' }, (model) => {
		// one from 10 to 50, of which both ends are marks, one from 20 to 60 that
		// was not seen to end, one behind the first
		model.operations = [[7, 10, 50, 1, 2, 0, 0], [8, 20, 60, 3, 0, 0, 0],
			[9, 55, 70, 1, 2, 0, 0]];
	});
	const boxes = view.boxes.boxes.filter((box) => box.id >= 3);
	assert.deepEqual(boxes.map((box) => box.id), [3, 5, 4]);
	assert.equal(boxes[0].row, boxes[1].row);
	assert.equal(boxes[2].row, boxes[0].row + 1);
	assert.match(view.tip(boxes[2]).join(), /40.ns at .*operation 8 of app 10,its end/);
	view.open(boxes[0]);
	assert.deepEqual([view.app.state.from, view.app.state.to], [10, 50]);
	const found = layOperations(view.app.model, new Scale(0, 15, 15), () => true);
	assert.deepEqual(found.get(0), [[{ x: 10, w: 5, id: 0 }]]);
});

test('matches of a search in the flame chart', async () => {
	const { view } = await open(ChartView, { thread: 1, search: 'malloc' });
	const found = () => view.boxes.boxes.filter((box) => box.found);
	assert.deepEqual(found().map((box) => box.label), ['malloc']);
	view.step(1);
	assert.equal(view.boxes.picked, found()[0]);
});

test('the time axis shows the places of matching samples', async () => {
	const { app } = await open(ChartView);
	const drawn = () => {
		const before = app.timeline.canvas.drawn;
		app.timeline.paint();
		return app.timeline.canvas.drawn - before;
	};
	const without = (drawn(), app.state = { search: 'nothing' }, drawn());
	app.state = { search: 'hash' };
	// two samples are in hash(), each in a pixel of its own: two strokes each
	assert.equal(drawn() - without, 4);
});

test('a time is compared with another time', async () => {
	const { view } = await open(CompareView, { compare: 'brush', from: 0, to: 35,
		beside: '35-60' });
	const { one, other } = view.comparison;
	assert.deepEqual([one.total, other.total], [10, 4]);
	assert.equal(other.text, 'what was brushed before');
});

test('each chart has a table on request', async () => {
	for (const [View, text] of [[ChartView, /main/], [HeatView, /14.ns/]]) {
		const { view } = await open(View, { thread: 0 });
		const { list } = view.boxes || view;
		list.element.open = true;
		list.element.send('toggle');
		assert.match(list.table.body.textContent, text);
	}
});

test('a table of any length scrolls to its last row', () => {
	const table = new Table({ label: 'x', sort: '', pick() {},
		headings: [{ key: 'n', text: 'N', cell: (row) => String(row) }] });
	table.set(Array.from({ length: 2000000 }, (_, i) => i));
	table.element.scrollTop = 600000 * 26 - 400;
	table.show();
	assert.match(table.body.textContent, /1999999/);
	table.element.scrollTop = 300000 * 26;
	table.show();
	assert.match(table.body.textContent, /10000\d\d/);
});

test('a table of any length shows the visible rows', () => {
	for (let n = 1; n < 40; n++) {
		const table = new Table({ label: 'x', sort: '',
			headings: [{ key: 'n', text: 'N', cell: (row) => '<' + row + '>' }] });
		table.set(Array.from({ length: n }, (_, i) => i));
		assert.match(table.body.textContent, /^<0>/, String(n));
	}
});

test('ticks are not shown as times', async () => {
	const { view } = await open(CompareView, { name: 'app/turn', amount: '1' },
		(model) => { model.isTime = false; });
	assert.doesNotMatch(view.answer.textContent, /processor/);
	assert.match(view.marks.body.textContent, /ticks/);
});

test('the rest is everything outside marks', async () => {
	const { view } = await open(CompareView, { compare: 'range', name: 'app/turn',
		mark: 'app/turn', longer: 20, against: 'rest' });
	assert.deepEqual([view.comparison.one.total, view.comparison.other.total],
		[8, 6]);
});

test('a selected function is no mark', async () => {
	const { view } = await open(MarksView, { picked: 1 });
	assert.match(view.details.textContent, /Double-click a mark/);
});

test('a bar of frame times shows its longest mark', async () => {
	const { app, view } = await open(MarksView, { show: 'frames' }, (model) => {
		const n = 5000;
		const column = (of) => Float64Array.from({ length: n }, (_, i) => of(i));
		model.marks = { n, times: column((i) => i),
			durations: column((i) => i % 50 === 7 ? 1000 + i : 1),
			threads: column(() => 0), names: column(() => 0),
			lanes: column(() => 1), depths: column(() => 0),
			messages: column(() => 0) };
	});
	for (const x of [100, 400, 700]) {
		view.clickFrame({ clientX: x });
		const at = view.longest[view.frame];
		const to = view.longest[view.frame + 1];
		assert.ok(view.told === view.chosen[at], String(x));
		for (let k = Math.floor(at / 7) * 7; k < to; k++)
			if (Math.floor(k / 7) === Math.floor(at / 7))
				assert.ok(app.model.marks.durations[view.chosen[k]] <=
					app.model.marks.durations[view.told]);
	}
});

test('counters within the brush and of passing threads', async () => {
	const rows = async (state, change) =>
		(await open(CountersView, state, change)).view.table.rows;
	assert.equal((await rows({ from: 1, to: 3 }))[0].n, 2);
	const [none] = await rows({ from: 50, to: 60 });
	assert.deepEqual([none.n, none.min, none.max, none.last], [0, NaN, NaN, NaN]);
	assert.equal((await rows({ threads: [1] }))[0].n, 0);
	const [one] = await rows({}, (model) => {
		model.counters[0].values = Float64Array.of(NaN, 60, 30);
	});
	assert.deepEqual([one.min, one.max], [30, 60]);
});

test('units of counters', () => {
	const unit = (category, name, description) =>
		unitOf({ category, name, description });
	assert.deepEqual([unit('Memory', 'Used', ''), unit('app', 'read', 'Bytes read so far'),
		unit('Pressure', 'IO (some)', ''), unit('app', 'busy', 'Workers, %'),
		unit('RAPL', 'package-0', 'Watts'), unit('app', 'kilobytes', '')],
	['bytes', 'bytes', '%', '%', 'W', '']);
});

test('integers that only grow have a rate', async () => {
	const grows = (values, more) => isGrowing({ category: 'app', name: 'n',
		isDouble: false, values, ...more });
	assert.deepEqual([grows([1, 2, 2, 5]), grows([1, 2, 1]), grows([1, 1, 2]),
		grows([1, 2, 3], { isDouble: true }), grows([1, 2, 3], { category: 'Memory' })],
	[true, false, false, false, false]);
	const { app, view } = await open(CountersView, {}, (model) => {
		model.counters[0].values = Float64Array.of(0, 3, 4);
		model.counters[0].description = 'Bytes so far';
	});
	const [chart] = view.charts;
	assert.equal(chart.isRate, true);
	assert.equal(chart.peak.textContent, 'peak 2.79\u00a0GiB/s at 0.00000\u00a0s');
	assert.match(view.table.body.textContent, /0.B4.B4.B1.86.GiB\/s/);
	chart.peak.send('click');
	assert.deepEqual([app.state.view, app.state.from, app.state.to], ['flame', 1, 2]);
	app.set({ view: 'counters', show: 'values', from: undefined, to: undefined });
	frames.draw();
	assert.equal(view.charts[0].peak.textContent, 'peak 4\u00a0B at 0.00000\u00a0s');
	view.jump(view.charts[0], 1);
	assert.deepEqual([app.state.from, app.state.to], [1, 3]);
});

test('functions without names are listed by library', async () => {
	const { app, view } = await open(AboutView, {}, (model) => {
		model.functions.categories = Uint8Array.of(4, 8, 0, 24, 4, 9);
	});
	// parse has 4 + 2 of 14 ns itself: the samples at nodes 2
	const { totals, tree, selfs } = app.analysis();
	let parse = 0;
	for (let i = 1; i < tree.n; i++)
		if (tree.functions[i] === 2)
			parse += selfs[i];
	assert.ok(parse > 0);
	assert.deepEqual(unnamedOf(app.model, app.analysis()), [['app', parse]]);
	assert.match(view.element.textContent, /Functions without names/);
	assert.match(view.element.textContent, /syscap symbolize x/);
	app.showUnnamed();
	assert.equal(app.unnamed.hidden, false);
	assert.equal(app.unnamed.textContent, (parse / totals[0] * 100).toFixed(1) +
		'\u00a0% without names');
	app.set({ function: 'hash' });
	app.showUnnamed();
	assert.equal(app.unnamed.hidden, true);
});

test('each column has an explanation', async () => {
	for (const View of [FunctionsView, TreeView, CountersView, LogsView, AboutView]) {
		const { view } = await open(View);
		for (const table of view.tables || [view.table])
			for (const { text, tip } of table.options.headings)
				assert.ok(text === '' || tip || TIPS[text], view + ': ' + text);
	}
});

test('an integer has all of its digits', async () => {
	const { view } = await open(CountersView, {}, (model) => {
		model.counters[0].values = Float64Array.of(1, 978873, 404827);
	});
	assert.match(view.table.body.textContent, /978,873.*404,827/);
});

test('samples before the capture are in the heat map', async () => {
	const { view } = await open(HeatView, {}, (model) => {
		model.begin = 30;
		model.start = model.findStart();
	});
	assert.equal(view.cells.reduce((a, b) => a + b, 0), 14);
});

test('counters show extremes at the axis and a value beside the name', async () => {
	const { view } = await open(CountersView, {}, (model) => {
		const [one] = model.counters;
		model.counters = [{ ...one, values: Float64Array.of(-1e308, 1e308, 40) },
			{ ...one, name: 'never', times: [], threads: [], values: [] }];
	});
	const [chart, ...more] = view.charts;
	assert.equal(more.length, 0);
	assert.equal(chart.value.textContent, '40');
	assert.match(view.table.body.textContent, /never0––/);
	view.app.setCursor(1);
	view.resize();
	assert.match(chart.value.textContent, /^−1e308 at /);
});

test('a line between extreme values is not flat', () => {
	const ys = [];
	const context = new Proxy({}, { get: (_, name) => (x, y) => {
		if (name === 'lineTo' || name === 'moveTo')
			ys.push(y);
	}, set: () => true });
	assert.deepEqual(paintLine(context, [0, 50, 90], [-1e308, 1e308, 0],
		new Scale(0, 100, 100), 0, 10, 40, ''), [-1e308, 1e308]);
	assert.deepEqual([Math.min(...ys), Math.max(...ys), ys[ys.length - 1]],
		[10, 50, 30]);
});

test('the flame chart shows times inside marks', async () => {
	const { app, view } = await open(ChartView, { thread: 0 });
	const n = () => view.boxes.boxes.filter((box) => box.label === 'parse').length;
	assert.equal(n(), 2);
	// the mark of 25 ns, from 14 to 39, has a sample in hash() alone
	app.set({ mark: 'app/turn', slowest: '1' });
	frames.draw();
	assert.equal(n(), 0);
	assert.ok(view.boxes.boxes.some((box) => box.label === 'hash'));
});

test('lost time is drawn over boxes', async () => {
	const { app, view } = await open(ChartView, { thread: 0 }, (model) => {
		model.losses = [{ begin: 10, end: 60, thread: 0, frames: 1, samples: 1,
			bytes: 1 }];
	});
	const drawn = () => {
		const { canvas } = view.boxes;
		const before = canvas.drawn;
		view.boxes.over(canvas.getContext('2d'), 400);
		return canvas.drawn - before;
	};
	const with_ = drawn();
	app.model.losses = [];
	assert.ok(with_ > drawn());
});

test('an invalid regular expression is reported', async () => {
	const { app } = await open(FunctionsView, { search: '/(/' });
	assert.equal(app.found.textContent, 'no regular expression');
	assert.equal(app.view.table.rows.length, 0);
	app.set({ search: undefined, function: 'par(' });
	frames.draw();
	app.showChips();
	assert.match(app.chips.textContent, /par\(, which is no regular expression/);
});

test('matches are those of the shown view', async () => {
	const { app } = await open(ChartView, { search: 'hash' });
	delete app.draw;
	app.state.view = 'chart';
	app.draw();
	assert.match(app.found.textContent, /^1.*found/);
	app.set({ view: 'about' });
	frames.draw();
	assert.equal(app.found.textContent, '');
});

test('functions that disappeared are a difference of two captures', async () => {
	const { view } = await open(CompareView, { compare: 'file' }, (model) => {
		model.facts.other = 'before';
		model.facts.other_unit = 'processor time';
		// all of it was in malloc() below parse()
		model.other = { tree: model.tree,
			selfs: Float64Array.of(0, 0, 1, 99, 0, 0) };
	});
	assert.match(view.answer.textContent,
		/largest difference: malloc.*14\.3.% here, against 99\.0.%/);
	const heads = view.table.options.headings.map(({ text }) => text);
	assert.ok(!heads.includes('Unexpected') && heads.includes('Self, difference'));
	// A decrease of 84.7 points precedes smaller increases.
	const rows = view.table.rows.map((row) => row.self - row.otherSelf);
	assert.ok(rows.length > 2 && rows[0] < 0 && rows[1] > 0, String(rows));
	assert.equal(view.difference(rows[0]), '−84.7\u00a0points');
	// The colour of a difference does not depend on the others.
	assert.equal(view.colour(0.1, 0.1), view.colour(0.9, 0.1));
	assert.match(view.legend.textContent, /10 points or more above/);
});

test('sums with bars at the edges are not exact', async () => {
	const bars = (model) => {
		model.bars = { n: 2, times: [0, 50], lasts: [40, 90], counts: [900, 100],
			sums: [900, 100], least: [1, 1], most: [1, 1], threads: [0, 0],
			names: [0, 0], all: 1000 };
		model.markSums = [[1003, 1043, 1, 1, 1, 25]];
	};
	const { app, view } = await open(MarksView, { show: 'statistics' }, bars);
	const text = () => view.statistics.body.textContent;
	assert.match(text(), /1,003/);
	assert.doesNotMatch(text(), /≈/);
	app.set({ from: 0, to: 45 });
	frames.draw();
	assert.match(text(), /≈.902/);
	assert.match(view.details.textContent, /marked ≈ is not exact/);
});

test('frame times show the number of hidden ones', async () => {
	const told = [];
	const { view } = await open(MarksView, { show: 'frames' }, (model) => {
		model.bars = { n: 1, times: [0], lasts: [40], counts: [900], sums: [900],
			least: [1], most: [1], threads: [0], names: [0], all: 900 };
		model.markSums = [[903, 943, 1, 1, 1, 25]];
	});
	view.canvas.getContext = () => new Proxy({}, { get: (_, name) =>
		name === 'fillText' ? (text) => told.push(text) : () => ({ width: 1 }),
	set: () => true });
	view.paintFrames();
	assert.match(told.join(), /3 of app.turn, 0 longer than 16.7.ms; 900 more/);
	// 25 ns are not drawn against 16.7 ms
	assert.ok(told.some((text) => /^25.ns$/.test(text)));
});
