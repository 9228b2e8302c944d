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
const { MemoryLine } = await import('../../../src/report/page/memory_line.js');
const { HeatView } = await import('../../../src/report/page/view_heat.js');
const { MarksView } = await import('../../../src/report/page/view_marks.js');
const { makeStatisticsTable } = await import('../../../src/report/page/mark_table.js');
const { AboutView, LogsView } = await import(
	'../../../src/report/page/view_rest.js');
const { CountersView, isGrowing, unitOf } = await import(
	'../../../src/report/page/view_counters.js');
const { layOperations } = await import('../../../src/report/page/operations.js');
const { Moments } = await import('../../../src/report/page/moments.js');
const { Scale } = await import('../../../src/report/page/scale.js');
const { linesAround } = await import('../../../src/report/page/source.js');
const { Table, TIPS } = await import('../../../src/report/page/table.js');
const { unnamedOf } = await import('../../../src/report/page/analysis.js');
const { readNote } = await import('../../../src/report/page/notes.js');
const { readState, writeState } = await import(
	'../../../src/report/page/state.js');
const { paintLine } = await import('../../../src/report/page/axis.js');
const { TreeView } = await import('../../../src/report/page/view_tree.js');
const { model: make, setOther, setSamples } = await import('./page.mjs');

/** A new view, and its app. */
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
		setSamples(model, { threads: Uint16Array.of(2, 2, 2, 1, 0) });
	};
	const lanes = ({ app }) => app.timeline.lanes.list()
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
	assert.match(none.view.answer.textContent, /Neither part has a sample/);
	const empty = await open(FlameView, {}, (model) => {
		setSamples(model, { n: 0, times: new Moments([]) });
		model.stacks.blocked.n = model.allocations.n = 0;
	});
	assert.match(empty.view.details.textContent, /record with --sample/);
});

test('compare inside begins with the main cause', async () => {
	const { app, view } = await open(CompareView, { name: 'app/turn', amount: '1' });
	assert.equal(app.model.nameOf(view.table.rows[0].f), 'hash');
	assert.match(view.answer.textContent,
		/The slowest 1 took 25.ns, of.*The other 2 took 9.ns each.*difference: hash/);
	assert.equal(view.marks.rows.length, 1);
	assert.equal(view.interval(view.table.rows[0]).textContent, 'only one mark');
});

test('the reason for doubt is noise, a small share, or too few samples', async () => {
	const { view } = await open(CompareView, { compare: 'brush', from: 0, to: 50 });
	const doubt = (/** @type {number} */ error, isJudged = true) =>
		view.doubt({ error, isJudged });
	assert.deepEqual([doubt(0.1), doubt(NaN), doubt(0.1, false)],
		['', 'too few samples', 'below 1\u00a0%']);
	view.table.rows.forEach((row) => Object.defineProperties(row, {
		differs: { value: false }, error: { value: 0.5 }, isJudged: { value: true } }));
	view.tell('brush');
	assert.match(view.answer.textContent, /may be chance: times on one side differ as/);
});

test('an interval of shares has at most 100 points, and a thread is chosen', async () => {
	const { app, view } = await open(CompareView, { compare: 'thread' }, (model) => {
		model.byThread[0] = 0;
	});
	const [select] = view.bar.all('select').slice(-1);
	assert.equal(select.value, '1');
	assert.equal(app.state.thread, undefined);
	assert.equal(view.interval({ error: 2, differs: true, isJudged: true, self: 0.25,
		otherSelf: 0.5 }), '−100.0 … +100.0\u00a0points');
});

test('facts state sampled allocations, early marks, and amounts of samples', async () => {
	const change = (/** @type {any} */ model) => {
		Object.assign(model.facts, { sampled: 'one recorded per 1000 bytes', is_cut: '1',
			early: '2 marks began before the recording' });
	};
	const { app, view } = await open(FlameView, { of: 'leaked' }, change);
	app.showMeasures();
	assert.match(app.selector.textContent, /Not freed/);
	assert.match(app.describeAmount(), /^≈\u00a0107.* of 2\u00a0sampled allocations$/);
	assert.ok(view);
	const about = await open(AboutView, {}, change);
	assert.match(about.view.element.textContent,
		/Counts.*Allocations.*one recorded per 1000 bytes.*2 marks began/);
	const marks = await open(MarksView, {}, change);
	assert.match(marks.view.details.textContent, /2 marks began before/);
	const none = await open(AboutView, {}, (model) => {
		setSamples(model, { n: 0, times: new Moments([]) });
	});
	assert.doesNotMatch(none.view.element.textContent, /Counts/);
});

test('all callers and callees of a function', async () => {
	const { app, view } = await open(FunctionsView, { picked: 2 });
	assert.deepEqual(names(view.table.rows, app.model).sort(),
		['hash', 'main', 'malloc', 'parse']);
	assert.deepEqual([view.callers, view.callees].map((boxes) =>
		boxes.boxes.map((box) => box.label)), [['main', 'parse'],
		['parse', 'malloc']]);
	// The selected mark stays selected when the rows change
	view.update();
	assert.equal(view.table.picked.f, 2);
});

test('the source of a function has the share of each line', async () => {
	const { view, app } = await open(FunctionsView, { picked: 3 });
	const rows = () => view.source.all('tr').slice(1).map((row) =>
		row.all('td').map((cell) => cell.textContent));
	// 14 ns in all: 2 at line 3, 6 at line 12; four lines around each
	assert.deepEqual(rows()[2], ['14.3\u00a0%', '14.3\u00a0%', '3', 'text 3']);
	assert.deepEqual(rows().map((row) => row[2]), ['1', '2', '3', '4', '5', '6', '7',
		'8', '9', '10', '11', '12', '13', '14', '15', '16']);
	assert.deepEqual(rows()[11], ['42.9\u00a0%', '42.9\u00a0%', '12', 'text 12']);
	// The line is behind the end of the text.
	app.set({ picked: 1 });
	frames.draw();
	assert.deepEqual(rows().at(-1), ['', '100.0\u00a0%', '30', '']);
	app.model.sources.clear();
	app.set({ picked: 3 });
	frames.draw();
	assert.deepEqual(rows().map((row) => row[2]), ['3', '…', '12']);
	assert.match(view.source.textContent, /report --source/);
	assert.deepEqual(linesAround([{ line: 2 }, { line: 20 }], Array(30)).map((one) =>
		one && one.number), [1, 2, 3, 4, 5, 6, null, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
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
	const { app, view } = await open(FlameView, { of: 'live', moment: 21 });
	assert.equal(view.shown.totals[0], 150);
	assert.ok(view.memory instanceof MemoryLine && !view.memory.element.hidden);
	view.memory.element.send('keydown', { key: 'ArrowRight' });
	frames.draw();
	assert.equal(app.state.moment, 22);
	app.set({ moment: 30 });
	frames.draw();
	assert.equal(view.shown.totals[0], 107);
});

test('one selector changes the amounts of all views of stacks', async () => {
	for (const [View, shown] of [[FlameView, (view) => view.shown.totals[0]],
		[FunctionsView, (view) => view.total], [TreeView, (view) => view.total]]) {
		const { app, view } = await open(View);
		const buttons = () => app.selector.all('button');
		app.showMeasures();
		assert.deepEqual(buttons().map((one) => one.textContent), ['Processor time',
			'Blocked', 'Allocated', 'In use', 'Leaked', 'Temporary']);
		assert.equal(shown(view), 14);
		buttons()[1].send('click');
		frames.draw();
		assert.equal(shown(view), 5000000020);
		assert.equal(app.state.of, 'blocked');
		app.showMeasures();
		assert.match(app.selector.textContent, /5.00.s of 2.calls/);
		app.set({ view: 'heat' }); // has samples only
		assert.deepEqual([app.of(), app.unit()], ['', 'time']);
	}
	const { view } = await open(FlameView, { of: 'blocked', show: 'threads' });
	assert.deepEqual([1, 4].map((node) => view.shown.totals[node]),
		[5000000000, 20]);
	view.openStacks(2);
	assert.match(view.stacks.told.textContent, /1 of 1, at .*, two 2, 5.00.s/);
});

test('notes on times and functions are in the address', async () => {
	const { app } = await open(FunctionsView, { view: 'functions', picked: 3 });
	const write = (text) => {
		app.notes.open();
		app.notes.input.value = text;
		app.notes.add();
		frames.draw();
	};
	write('slow & <b>');
	app.set({ view: 'flame', from: 10, to: 30 });
	write('burst');
	write('   '); // no note
	const notes = [{ name: 'hash', text: 'slow & <b>' },
		{ name: '', from: 10, to: 30, text: 'burst' }];
	const plain = (list) => JSON.parse(JSON.stringify(list));
	assert.deepEqual(plain(app.state.notes), notes);
	assert.deepEqual(plain(readState(writeState(app.state)).notes), notes);
	app.notes.show();
	assert.match(app.notes.list.textContent, /hash: slow & <b>.*burst.*Save with notes/);
	app.set({ view: 'flame', from: undefined, to: undefined });
	const [first, , second] = app.notes.list.all('button');
	second.send('click');
	assert.deepEqual([app.state.from, app.state.to], [10, 30]);
	first.send('click');
	assert.deepEqual([app.state.view, app.state.picked], ['functions', 3]);
	app.notes.list.all('button')[1].send('click');
	assert.equal(app.state.notes.length, 1);
	for (const text of ['', '[1]', '{}', '[null,null,"",""]', '["a",1,"","x"]',
		'[1e999,1,"","x"]'])
		assert.equal(readNote(text), null, text);
});

test('waits of slow marks are compared by their stacks', async () => {
	const { app, view } = await open(CompareView, { name: 'app/turn', amount: '1',
		view: 'compare' }, (model) => {
		model.marks.durations = Float64Array.of(1e7, 1e8, 1e7);
	});
	assert.match(view.answer.textContent, /The marks wait most of this time/);
	view.answer.all('button')[0].send('click');
	frames.draw();
	assert.equal(app.state.of, 'blocked');
	assert.doesNotMatch(view.answer.textContent, /They wait/);
	const { app: file } = await open(CompareView, { of: 'blocked', view: 'compare' },
		(model) => {
			setOther(model, model.tree, [0, 0, 1, 99, 0, 0]);
		});
	assert.deepEqual([file.measures(), file.of()], [[''], '']);
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
	assert.deepEqual(view.numbers(), [0, 1]);
	app.set({ search: 'nothing' });
	assert.deepEqual(view.numbers(), []);
});

test('the table of statistics has a column for each figure', async () => {
	const { view } = await open(MarksView, {});
	const { headings } = makeStatisticsTable(view).options;
	assert.deepEqual(headings.map((heading) => heading.key), ['name', 'n', 'min',
		'median', 'mean', 'p99', 'max', 'total', 'histogram']);
});

test('simultaneous marks of one name are in lanes', async () => {
	const { view } = await open(MarksView, {}, (model) => {
		// Of 0 to 60, 10 to 90 and 70 to 99, the third follows the first.
		model.marks.times = Float64Array.of(0, 10, 70);
		model.marks.durations = Float64Array.of(60, 80, 29);
		model.marks.threads = Uint8Array.of(0, 1, 0);
	});
	const rows = () => [0, 1, 2].map((i) =>
		view.boxes.boxes.find((box) => box.id === i).row);
	const [first, second, third] = rows();
	assert.deepEqual([second, third], [first + 1, first]);
	// A selected part of the time does not move the marks.
	view.app.state = { from: 20, to: 65 };
	view.update();
	assert.deepEqual(view.boxes.boxes.map((box) => [box.id, box.row]),
		[[0, first], [1, second]]);
	assert.equal(view.boxes.nRows, second + 1);
});

test('a mark from before the recording is cut, and says so', async () => {
	const { view } = await open(MarksView, {}, (model) => {
		model.marks.before = Uint8Array.of(2);
	});
	const box = view.boxes.boxes.find(({ id }) => id === 0);
	assert.match(box.label, /^◂ /);
	assert.match(view.tip(box).join(), /cut: it began 2.ns before the recording/);
	assert.doesNotMatch(view.lines(1).join(), /cut/);
});

test('frame times begin with the frame clock of the busiest process', async () => {
	const { app, view } = await open(MarksView, { show: 'frames' }, (model) => {
		model.processes.push({ ...model.processes[0], number: 1, pid: 20 });
		model.threads[1].process = 1; // has 2 of 14 ns
		model.markNames.push({ group: 'gtk', name: 'frameclock cycle' },
			{ group: 'gtk', name: 'frameclock paint' });
		model.marks = { ...model.marks, n: 6,
			times: Float64Array.of(5, 19, 48, 60, 70, 71),
			durations: Float64Array.of(10, 25, 8, 1, 1, 9),
			threads: Uint8Array.of(0, 0, 0, 1, 0, 0),
			names: Uint8Array.of(0, 0, 0, 1, 1, 2), lanes: new Uint8Array(6),
			depths: new Uint8Array(6), messages: new Uint8Array(6) };
	});
	assert.equal(view.name(), 'gtk/frameclock cycle');
	assert.deepEqual(Array.from(view.chosen), [4]);
	const [, process] = view.bar.all('select');
	assert.deepEqual(process.all('option').map((one) => one.textContent),
		['app 10', 'app 20']);
	app.set({ process: 1 });
	frames.draw();
	assert.deepEqual(Array.from(view.chosen), [3]);
	app.set({ show: 'statistics' });
	frames.draw();
	assert.equal(view.name(), 'app/turn');
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
	const { app, view } = await open(AboutView);
	assert.match(view.element.textContent, /Processes.*app.*Threads.*one/);
	const { texts, samples } = app.model;
	const cost = (/** @type {number} */ n) => {
		texts.get = (/** @type {any} */ key) => key === 0
			? 'syscap.sampler.delivered' : `samples ${n}, ticks 7, took_us 12`;
		app.model.metadata = [[0, 0, 0, 1]];
		return view.describeCost();
	};
	assert.match(cost(1), new RegExp('12.*µs of processor time, reported for 1 of ' +
		samples.all + '.samples$'));
	assert.match(cost(samples.all), /12.*µs of processor time$/);
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
		// an operation from 10 to 50 with marks at both ends, an
		// operation from 20 to 60 without an end, and one after the
		// first
		model.operations = [[7, 10, 50, 1, 2, 0, 0], [8, 20, 60, 3, 0, 0, 0],
			[9, 55, 70, 1, 2, 0, 0]];
	});
	const boxes = view.boxes.boxes.filter((box) => box.id >= 3);
	assert.deepEqual(boxes.map((box) => box.id), [3, 5, 4]);
	assert.equal(boxes[0].row, boxes[1].row);
	assert.equal(boxes[2].row, boxes[0].row + 1);
	assert.match(view.tip(boxes[2]).join(), /40.ns at .*operation 8 of app 10,no end/);
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
	// two samples are in hash(), in different pixels: two strokes each
	assert.equal(drawn() - without, 4);
});

test('a time is compared with another time', async () => {
	const { view } = await open(CompareView, { compare: 'brush', from: 0, to: 35,
		beside: '35-60' });
	const { one, other } = view.comparison;
	assert.deepEqual([one.total, other.total], [10, 4]);
	assert.equal(other.text, 'the time selected before');
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
		(model) => { model.isTime = false; setSamples(model, {}); });
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
			messages: column(() => 0), before: new Uint8Array(0) };
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
	app.header.showUnnamed();
	assert.equal(app.header.unnamed.hidden, false);
	assert.equal(app.header.unnamed.textContent, (parse / totals[0] * 100).toFixed(1) +
		'\u00a0% without names');
	app.set({ function: 'hash' });
	app.header.showUnnamed();
	assert.equal(app.header.unnamed.hidden, true);
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
	// the mark of 25 ns, from 14 to 39, has only a sample in hash()
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
	app.filters.show();
	assert.match(app.filters.chips.textContent, /par\(, an invalid regular expression/);
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

test('missing samples forbid the comparison of two captures', async () => {
	const { app, view } = await open(CompareView, { compare: 'file' }, (model) => {
		setOther(model, model.tree, [0, 0, 1, 99, 0, 0]);
		model.facts.unsampled = '2 threads could not be sampled';
		model.facts.incomparable = model.facts.unsampled;
	});
	assert.match(view.answer.textContent,
		/Not comparable: 2 threads could not be sampled\./);
	assert.doesNotMatch(view.answer.textContent, /largest difference/);
	assert.match(app.header.element.textContent, /2 threads could not be sampled/);
});

test('functions that disappeared are a difference of two captures', async () => {
	const { view } = await open(CompareView, { compare: 'file' }, (model) => {
		// all bytes were allocated in malloc() below parse()
		setOther(model, model.tree, [0, 0, 1, 99, 0, 0]);
	});
	assert.match(view.answer.textContent,
		/largest difference: malloc.*14\.3.% here, against 99\.0.%/);
	const heads = view.table.options.headings.map(({ text }) => text);
	assert.ok(!heads.includes('Unexpected') && heads.includes('Self, difference'));
	// A decrease of 84.7 points precedes smaller increases.
	const rows = view.table.rows.map((row) => row.self - row.otherSelf);
	assert.ok(rows.length > 2 && rows[0] < 0 && rows[1] > 0, String(rows));
	assert.equal(view.difference(rows[0]), '−84.7\u00a0points');
	// The colour of a difference does not depend on other differences.
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
	// a target of 16.7 ms is not drawn for marks of 25 ns
	assert.ok(told.some((text) => /^25.ns$/.test(text)));
});
