// SPDX-License-Identifier: BSD-2-Clause
// view_marks.js - marks: as a chart by name or by thread, as a table, with
// statistics, and as frame times against a target.
import { chooseMarks, eachBar, eachMark, lowerBound } from './filter.js';
import { Boxes } from './boxes.js';
import { fillBox, pixelOf, prepareCanvas } from './canvas.js';
import { button, choose, div, el, emptyCanvas, fill, hint, offer, section, View } from './dom.js';
import { coloursOfMarks, searching } from './flame.js';
import { Histogram } from './histogram.js';
import { formatAt, formatCount, formatTime } from './format.js';
import { runningTimes, sumMarks } from './mark_stats.js';
import { makeMarkTable, makeStatisticsTable } from './mark_table.js';
import { LANES, layOperations } from './operations.js';
import { Scale } from './scale.js';
import { ALL_TIME, hasTime, NO_MARKS } from './state.js';
import { Table } from './table.js';
import { AXIS, paintAxis, paintLosses } from './axis.js';

const KINDS = [['', 'Chart by name'], ['threads', 'Waterfall by thread'],
	['table', 'Table'], ['statistics', 'Statistics'], ['frames', 'Frame times']];

/** Marks of a frame clock, of which GTK has "cycle", "paint" and others.  Frame
 * times begin with the cycle. */
const FRAME_CLOCK = /frame ?clock/i;

export class MarksView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		this.place = div('place');
		this.element = section('Marks', this.bar, this.place, this.details);
		this.boxes = new Boxes({ theme: app.theme, label: 'Marks',
			pick: (box) => this.describe(box && box.id >= 0 ? box.id : null),
			open: (box) => this.open(box),
			tip: (box) => this.tip(box),
			wheel: (x, by) => app.wheel(this.scale, x - this.boxes.gutter, by),
			back: () => app.set(ALL_TIME) });
		this.table = makeMarkTable(this);
		this.statistics = makeStatisticsTable(this);
		this.durations = new Histogram(app.theme, (longer, shorter) => app.set({
			mark: this.name(), slowest: undefined, longer: longer || undefined,
			shorter: Number.isFinite(shorter) ? shorter : undefined }));
		this.canvas = emptyCanvas();
		this.frames = el('div', { class: 'frames', tabindex: '0',
			role: 'application', 'aria-roledescription': 'chart',
			'aria-label': 'Frame times: arrow keys walk, Enter selects that mark',
			onclick: (e) => this.clickFrame(e),
			ondblclick: () => this.brushFrame(),
			onkeydown: (e) => this.keyFrame(e),
		}, this.canvas);
		/** @type {Uint32Array} */
		this.chosen = new Uint32Array(0);
		/** The selected mark. @type {number | null} */
		this.told = null;
		/** The longest mark of each bar, as a number in chosen. @type {number[]} */
		this.longest = [];
		/** The selected bar. @type {number | null} */
		this.frame = null;
		this.scale = new Scale(0, 1, 1);
	}

	wanted() {
		const { model, state } = this.app;
		const match = searching(state.search);
		return Uint8Array.from(model.markNames, (_, n) =>
			!match || match(model.markName(n)) ? 1 : 0);
	}

	/** The marks that time, thread and search select. */
	numbers() {
		const { model, state } = this.app;
		const filter = this.app.filter();
		const wanted = this.wanted();
		const threads = model.threadSet(filter.threads);
		const { names, threads: of } = model.marks;
		/** @type {number[]} */
		const numbers = [];
		eachMark(model, filter, (i) => {
			if (wanted[names[i]] && (!threads || threads[of[i]]))
				numbers.push(i);
		});
		this.app.tellFound(state.search ? { n: numbers.length } : null);
		return numbers;
	}

	/** The selected name.  Frame times begin with the frame clock, other
	 * kinds with the name whose slowest marks stand out most. */
	name() {
		const { app } = this;
		const clock = this.kind() === 'frames' ? this.frameClock() : -1;
		return app.state.name || (clock >= 0 ? app.model.markName(clock)
			: app.guessName());
	}

	/** The frame clock of the busiest process that has one; -1: none. */
	frameClock() {
		const { model } = this.app;
		let best = -1, most = -1, rank = 0;
		model.markNames.forEach(({ group, name }, number) => {
			if (!FRAME_CLOCK.test(group + ' ' + name))
				return;
			const [first] = this.processes(number);
			const own = /cycle/i.test(name) ? 1 : 0;
			if (first && (own > rank || (own === rank && first.time > most))) {
				best = number;
				most = first.time;
				rank = own;
			}
		});
		return best;
	}

	/** Processes with marks of a name, the busiest first. @param {number} name */
	processes(name) {
		const { model } = this.app;
		const { n, names, threads } = model.marks;
		const counts = new Float64Array(model.processes.length);
		for (let i = 0; i < n; i++)
			if (names[i] === name)
				counts[model.threads[threads[i]].process]++;
		return model.processes.filter(({ number }) => counts[number] > 0).map(
			({ number }) => ({ number, n: counts[number],
				time: model.threads.reduce((sum, thread) => thread.process === number
					? sum + model.byThread[thread.number] : sum, 0) }))
			.sort((a, b) => b.time - a.time || b.n - a.n);
	}

	/** Processes with marks of the selected name, and the one whose frame
	 * times are shown. */
	ofFrames() {
		const { model, state } = this.app;
		const mark = this.name();
		const name = model.markNames.findIndex((_, n) => model.markName(n) === mark);
		const all = name < 0 ? [] : this.processes(name);
		return { all, process: all.find(({ number }) =>
			number === state.process)?.number ?? all[0]?.number ?? -1 };
	}

	update() {
		const { app } = this;
		const { model, state } = app;
		const show = this.kind();
		const buttons = KINDS.map(([key, text]) => button(text,
			() => app.set({ show: key || undefined, sort: undefined }),
			{ 'aria-pressed': String(show === key) }));
		const names = sumMarks(model, app.filter()).sort((a, b) => b.total - a.total)
			.map((row) => model.markName(row.name));
		const of = this.ofFrames();
		fill(this.bar, el('div', { class: 'segments', role: 'group',
			'aria-label': 'Show marks as' }, ...buttons),
		show === 'frames' && names.length > 0 && choose('Of',
			names.map((name) => [name, name]), this.name(),
			(name) => app.set({ name })),
		show === 'frames' && of.all.length > 1 && choose('Process',
			of.all.map(({ number }) => [String(number), model.processName(number)]),
			String(of.process), (process) => app.set({ process: Number(process) })),
		show === 'frames' && choose('Target', [60, 30, 120, 144].map((hz) =>
			[(1e3 / hz).toFixed(3), hz + ' Hz, ' + (1e3 / hz).toFixed(1) + ' ms']),
		String(state.target || 16.667),
		(target) => app.set({ target: Number(target) })),
		el('span', { class: 'grow' }),
		show === 'table' && button('CSV', () => this.exportCsv()));
		if (show === 'table') {
			fill(this.place, this.table.element);
			const numbers = this.numbers();
			const running = runningTimes(model, numbers);
			const rows = numbers.map((i, k) =>
				({ i, running: running[k], isBar: false }));
			const wanted = this.wanted();
			eachBar(model, app.filter(), (i) => {
				if (wanted[model.bars.names[i]])
					rows.push({ i, running: -1, isBar: true });
			});
			this.table.set(rows, state.sort || '-duration');
		} else if (show === 'statistics') {
			fill(this.place, this.statistics.element, this.durations.title,
				this.durations.element, this.brushed());
			const wanted = this.wanted();
			const rows = sumMarks(model, app.filter())
				.map((row) => ({ ...row, label: model.markName(row.name) }));
			this.statistics.set(rows.filter(({ name }) => wanted[name]),
				state.sort || '-total');
			this.showDurations(rows);
		} else if (show === 'frames') {
			fill(this.place, this.frames);
		} else {
			fill(this.place, this.boxes.element);
		}
		this.layout();
		this.describe(this.told);
	}

	/** @param {{label: string, sorted: Float64Array}[]} rows */
	showDurations(rows) {
		const { state, model } = this.app;
		const name = this.name();
		const row = rows.find((one) => one.label === name);
		const isMine = state.mark === name;
		this.durations.set('Durations of ' + name + ': drag to select' +
			(model.bars.all > 0 ? ' (of marks that are not combined)' : ''),
			row ? row.sorted : new Float64Array(0),
			isMine ? state.longer : undefined, isMine ? state.shorter : undefined);
	}

	brushed() {
		const { app } = this;
		const { state } = app;
		if (!state.mark || (state.longer === undefined && state.shorter === undefined))
			return '';
		const n = chooseMarks(app.model, app.filter()).length;
		return el('p', { class: 'bar' }, formatCount(n) + ' marks are chosen.',
			button('Compare with the others', () => app.set({ view: 'compare',
				compare: 'range', name: state.mark })),
			button('Flame graph of these', () => app.set({ view: 'flame' })),
			button('All again', () => app.set(NO_MARKS)));
	}

	kind() {
		const show = this.app.state.show || '';
		return KINDS.some(([key]) => key === show) ? show : '';
	}

	layout() {
		const show = this.kind();
		if (show === 'frames')
			this.paintFrames();
		else if (show === 'table')
			this.table.show();
		else if (show === 'statistics') {
			this.statistics.show();
			this.durations.paint();
		}
		else
			this.layoutChart(show === 'threads');
	}

	cursor() {
		if (this.kind() === '' || this.kind() === 'threads')
			this.boxes.paint();
	}

	/** @param {boolean} byThread */
	layoutChart(byThread) {
		const { app, boxes } = this;
		const { model, theme } = app;
		const { times, durations, names, threads, lanes, depths } = model.marks;
		const [from, to] = app.range();
		const width = boxes.width();
		const left = width > 640 ? 190 : 0;
		this.scale = new Scale(from, to, width - left);
		const { scale } = this;
		const order = this.rowOrder(byThread);
		let nRows = 1;
		const titles = [{ row: 0, text: '' }];
		/** @type {Box[]} */
		const made = [];
		const { numbers, counts: hidden, laneOf } = this.visible(byThread);
		const bars = this.visibleBars(byThread, left);
		const keys = byThread ? threads : names;
		const there = new Set(numbers.map((i) => keys[i]));
		/** Number of rows of each lane of a thread or name.
		 * @type {Map<number, number[]>} */
		const laneRows = new Map();
		for (const i of numbers) {
			const key = keys[i];
			const of = laneRows.get(key) || [], lane = laneOf(i);
			of[lane] = Math.max(of[lane] || 0, byThread ? depths[i] + 1 : 1);
			laneRows.set(key, of);
		}
		const firstRow = new Map();
		const rowOf = (/** @type {number} */ i) => firstRow.get(keys[i] + ':' + laneOf(i)) +
			(byThread ? depths[i] : 0);
		for (const key of order) {
			if (!there.has(key))
				continue;
			if (left === 0)
				nRows++;
			titles.push({ row: left === 0 ? nRows - 1 : nRows,
				text: byThread ? model.threadName(key) : model.markName(key) });
			(laneRows.get(key) || []).forEach((n, lane) => {
				firstRow.set(key + ':' + lane, nRows);
				nRows += n;
			});
			for (const bar of bars.get(key) || [])
				made.push({ ...bar, row: nRows });
			nRows += bars.has(key) ? 1 : 0;
		}
		if (byThread)
			nRows = this.addOperations(made, titles, nRows, left);
		/** @type {Map<number, Box>} */
		const latest = new Map();
		const counts = new Map();
		const colours = coloursOfMarks(model, theme);
		for (const i of numbers) {
			const row = rowOf(i);
			const x = left + Math.max(scale.x(times[i]), 0);
			const end = left + Math.min(scale.x(times[i] + durations[i]), scale.width);
			const before = latest.get(row);
			// Marks in one pixel are one box.
			if (before && x < before.x + Math.max(before.w, 1) && end - x < 1 &&
				before.w < 2) {
				before.w = Math.max(before.w, end - before.x);
				counts.set(before, (counts.get(before) || 1) + 1 +
					(hidden.get(i) || 0));
				continue;
			}
			const box = { x, w: Math.max(end - x, 1), row,
				colour: colours[names[i]],
				label: (model.marks.before[i] > 0 ? '◂ ' : '') + (byThread ? model.markNames[names[i]].name
					: model.texts.get(model.marks.messages[i]) || formatTime(durations[i])),
				id: i };
			if (hidden.has(i))
				counts.set(box, 1 + (hidden.get(i) || 0));
			latest.set(row, box);
			made.push(box);
		}
		for (const [box, n] of counts)
			if (n > 1 && box.w < 3)
				box.label = n + ' marks';
		boxes.gutter = left;
		boxes.titles = titles;
		boxes.under = (context, height) => paintAxis(context, theme, scale, left,
			height, model.begin);
		boxes.over = (context, height, scroll) => {
			paintLosses(context, theme, model, scale, left, AXIS, height - AXIS);
			this.paintArrows(context, rowOf, left, scroll);
			app.paintCursor(context, scale, left, height);
		};
		boxes.set(made, nRows);
	}

	/** Operations by process, below the threads, with ids after the ids of
	 * marks.  @param {Box[]} made
	 * @param {{row: number, text: string}[]} titles @param {number} nRows @param {number}
	 * left */
	addOperations(made, titles, nRows, left) {
		const { model, theme, state } = this.app;
		const wanted = this.wanted();
		const colours = coloursOfMarks(model, theme);
		const threads = model.threadSet(state.threads);
		const processes = threads && model.processesOf(threads);
		const found = layOperations(model, this.scale, (name, process) =>
			wanted[name] === 1 && !(processes && !processes[process]));
		for (const [process, lanes] of found) {
			titles.push({ row: nRows, text: 'operations of ' +
				model.processName(process) });
			nRows += left === 0 ? 1 : 0;
			for (const lane of lanes) {
				for (const { x, w, id } of lane) {
					const name = model.operations[id][5];
					made.push({ x: left + x, w, row: nRows, id: model.marks.n + id,
						colour: colours[name], label: model.markNames[name].name });
				}
				nRows++;
			}
		}
		return nRows;
	}

	/** Draw arrows from a mark's end to another mark's begin. `row`: NaN if
	 * the mark is not drawn.
	 * @param {Context2D} context @param {(i: number) => number} row @param {number} left @param {number} scroll */
	paintArrows(context, row, left, scroll) {
		const { model, theme } = this.app;
		const { times, durations } = model.marks;
		let drawn = 0;
		context.strokeStyle = theme.ink;
		context.globalAlpha = 0.55;
		context.lineWidth = 1;
		for (const [out, into] of model.arrows) {
			const a = row(out), b = row(into);
			if (!(a >= 0) || !(b >= 0) || drawn > 2000)
				continue;
			const x = this.scale.x(times[out] + durations[out]);
			const to = this.scale.x(times[into]);
			if (Math.max(x, to) < 0 || Math.min(x, to) > this.scale.width)
				continue;
			const y = (a + 0.5) * 20 - scroll;
			const y2 = (b + 0.5) * 20 - scroll;
			context.beginPath();
			context.moveTo(left + x, y);
			context.bezierCurveTo(left + x + 20, y, left + to - 20, y2, left + to, y2);
			context.moveTo(left + to - 5, y2 - 3);
			context.lineTo(left + to, y2);
			context.lineTo(left + to - 5, y2 + 3);
			context.stroke();
			drawn++;
		}
		context.globalAlpha = 1;
	}

	/** @param {boolean} byThread */
	rowOrder(byThread) {
		const { model } = this.app;
		if (byThread)
			return model.threads.map((thread) => thread.number);
		return model.markNames.map((_, n) => n).sort((a, b) =>
			model.markName(a) < model.markName(b) ? -1 : 1);
	}

	/** Visible marks.  A pixel of a row shows only the longest of the marks
	 * that begin in the pixel, with the number of the other marks.  By
	 * name, simultaneous marks are in lanes.
	 * @param {boolean} byThread */
	visible(byThread) {
		const { model, state } = this.app;
		const [from, to] = this.app.range();
		const wanted = this.wanted();
		const threads = model.threadSet(state.threads);
		const { times, durations, names, threads: of, lanes, depths } = model.marks;
		const end = lowerBound(times, to);
		const { perPixel } = this.scale;
		const numbers = [];
		/** Ends of the lanes of each name. @type {number[][]} */
		const ends = model.markNames.map(() => []);
		const laneOfMark = new Uint8Array(byThread ? 0 : end);
		const laneOf = (/** @type {number} */ i) =>
			(byThread ? lanes : laneOfMark)[i];
		/** Last pixel of each row, and the mark shown at this pixel. */
		const latest = new Map();
		/** @type {Map<number, number>} */
		const counts = new Map();
		for (let i = 0; i < end; i++) {
			if (!wanted[names[i]] || (threads && !threads[of[i]]) ||
				(byThread && lanes[i] === 0)) // whole operations have no lane
				continue;
			if (!byThread)
				laneOfMark[i] = takeLane(ends[names[i]], times[i],
					times[i] + durations[i]);
			if (times[i] + durations[i] < from)
				continue;
			const row = byThread ? (of[i] * 0x400 + lanes[i]) * 0x400 + depths[i]
				: names[i] * LANES + laneOf(i);
			const pixel = Math.floor((times[i] - from) / perPixel);
			const before = latest.get(row);
			if (before && before.pixel === pixel &&
				durations[i] <= Math.max(durations[before.i], perPixel)) {
				counts.set(before.i, (counts.get(before.i) || 0) + 1);
				continue;
			}
			latest.set(row, { pixel, i });
			numbers.push(i);
		}
		return { numbers, counts, laneOf };
	}

	/** Bars as boxes by row: a box is a cell, or a pixel's cells.
	 * @param {boolean} byThread @param {number} left */
	visibleBars(byThread, left) {
		const { app, scale } = this;
		const { bars } = app.model;
		const wanted = this.wanted();
		/** @type {Map<number, Box[]>} */
		const rows = new Map();
		/** @type {Map<Box, number>} */
		const counts = new Map();
		eachBar(app.model, { threads: app.state.threads }, (i) => {
			const end = scale.x(bars.lasts[i]), x = Math.max(scale.x(bars.times[i]), 0);
			if (end < 0 || x > scale.width || !wanted[bars.names[i]])
				return;
			const key = byThread ? bars.threads[i] : bars.names[i];
			const row = rows.get(key) || [];
			rows.set(key, row);
			const before = row[row.length - 1];
			const w = Math.max(Math.min(end, scale.width) - x, 1);
			if (before && left + x < before.x + before.w + 0.5) {
				before.w = Math.max(before.w, left + x + w - before.x);
				counts.set(before, (counts.get(before) || 0) + bars.counts[i]);
				return;
			}
			const box = { x: left + x, w, row: 0, colour: '', label: '', id: -1 - i,
				hatched: true };
			row.push(box);
			counts.set(box, bars.counts[i]);
		});
		for (const [box, n] of counts)
			box.label = formatCount(n) + ' combined';
		return rows;
	}

	/** @param {Box} box */
	open(box) {
		if (box.id >= 0)
			this.brush(box.id);
	}

	/** @param {number} i */
	brush(i) {
		const { begin, duration } = this.timeOf(i);
		this.app.set({ from: begin, to: begin + Math.max(duration, 1) });
	}

	/** @param {number} i of a mark, or of an operation behind all marks */
	timeOf(i) {
		const { marks, operations } = this.app.model;
		if (i < marks.n)
			return { begin: marks.times[i], duration: marks.durations[i] };
		const [, begin, end] = operations[i - marks.n];
		return { begin, duration: end - begin };
	}

	/** @param {Box} box */
	tip(box) {
		if (box.id >= 0)
			return this.lines(box.id);
		const { bars } = this.app.model;
		const i = -1 - box.id;
		return [this.app.model.markName(bars.names[i]), box.label + ' here',
			'the first bar: ' + this.sumOf(i)];
	}

	/** @param {number} i of a bar */
	sumOf(i) {
		const { bars } = this.app.model;
		return formatCount(bars.counts[i]) + ', ' + formatTime(bars.sums[i]) +
			' together, none longer than ' + formatTime(bars.most[i]);
	}

	/** @param {number} i */
	lines(i) {
		const { model } = this.app;
		const { marks } = model;
		if (i >= marks.n) {
			const [id, begin, end, first, last, name, process] =
				model.operations[i - marks.n];
			return [model.markName(name), formatTime(end - begin) + ' at ' +
				formatAt(begin - model.begin), 'operation ' + id + ' of ' +
				model.processName(process), first ? '' : 'no begin was recorded',
			...cutOf(marks, first - 1),
			last ? '' : 'no end was recorded'].filter(Boolean);
		}
		const lines = [model.markName(marks.names[i]),
			formatTime(marks.durations[i]) + ' at ' +
			formatAt(marks.times[i] - model.begin),
			model.threadName(marks.threads[i])];
		lines.push(...cutOf(marks, i));
		const message = model.texts.get(marks.messages[i]);
		if (message)
			lines.push(message);
		if (model.isTime && model.samples.n > 0 && marks.durations[i] > 0)
			lines.push((model.isWall() ? 'sampled for ' : 'ran for ') +
				formatTime(Math.min(runningTimes(model, [i])[0], marks.durations[i])));
		return lines;
	}

	/** @param {number | null} i */
	describe(i) {
		const { app } = this;
		this.told = i;
		const { marks, operations, facts } = app.model;
		if (i === null || i >= marks.n + operations.length) {
			fill(this.details, hint(
				(this.kind() === 'statistics' ? 'Double-click a name for its frame times.'
					: 'Double-click a mark to select its time.') + (facts.early && ' ' + facts.early + '.') +
				tellBars(app.model) + (app.model.bars.all > 0 && hasTime(app.state)
					? 'At the edges of the selected time whole bars are counted: a value ' +
					'marked ≈ is not exact.' : '')));
			return;
		}
		const name = app.model.markName(i < marks.n ? marks.names[i]
			: operations[i - marks.n][5]);
		const [title, ...lines] = this.lines(i);
		fill(this.details, el('h2', {}, title),
			el('p', { class: 'sums' }, lines.join(' · ')),
			button('Select its time', () => this.brush(i)),
			button('Only samples inside ' + name, () => app.set({ mark: name })),
			button('Compare the slowest', () => app.set({
				view: 'compare', name, compare: 'slowest' })));
	}

	// --- frame times

	paintFrames() {
		const { app } = this;
		const { model, theme, state } = app;
		const filter = app.filter();
		const mark = this.name(), { all, process } = this.ofFrames();
		this.chosen = chooseMarks(model, { from: filter.from, to: filter.to,
			threads: filter.threads, mark }).slice().sort().filter((i) =>
			model.threads[model.marks.threads[i]].process === process);
		const width = Math.max(this.frames.clientWidth, 60);
		const height = 260;
		const context = prepareCanvas(this.canvas, width, height, theme);
		const target = (state.target || 16.667) * 1e6;
		const n = this.chosen.length;
		const { durations } = model.marks;
		let most = 0;
		for (const i of this.chosen)
			most = Math.max(most, durations[i]);
		// If all values are far below the target, omit the target's line.
		if (most > target / 4 || most === 0)
			most = Math.max(most, target * 1.5);
		const left = 58, room = width - left - 4;
		const y = (/** @type {number} */ value) => height - 4 - value / most * (height - 24);
		const step = room / Math.max(n, 1);
		/** The longest mark in the pixel. */
		const per = Math.max(1, Math.ceil(1 / step));
		let over = 0;
		this.longest = [];
		for (let k = 0; k < n; k += per) {
			let longest = k;
			for (let j = k; j < Math.min(k + per, n); j++) {
				if (durations[this.chosen[j]] > target)
					over++;
				if (durations[this.chosen[j]] > durations[this.chosen[longest]])
					longest = j;
			}
			const duration = durations[this.chosen[longest]];
			context.fillStyle = this.frame === this.longest.length ? theme.ink
				: duration > target ? theme.more : theme.series[0];
			this.longest.push(longest);
			context.fillRect(left + k * step, y(duration),
				Math.max(step * per - (step > 3 ? 1 : 0), 1), height - 4 - y(duration));
		}
		for (const line of most > target ? [most, target] : [most]) {
			const isTarget = line === target;
			fillBox(context, left, Math.round(y(line)), width, 1,
				isTarget ? theme.ink : theme.line);
			context.fillStyle = isTarget ? theme.ink : theme.soft;
			context.fillText(formatTime(line), 2, y(line));
		}
		let more = 0;
		eachBar(model, filter, (i) => {
			if (model.markName(model.bars.names[i]) === mark)
				more += model.bars.counts[i];
		});
		context.fillStyle = theme.soft;
		context.fillText(formatCount(n) + ' of ' + mark + (all.length > 1 ? ' of ' +
			model.processName(process) : '') + ', ' +
			formatCount(over) + ' longer than ' + formatTime(target) + (more > 0
			? '; ' + formatCount(more) + ' more are combined and not shown' : ''),
		left, 10);
		this.geometry = { left, step: step * per };
	}

	/** @param {MouseEvent} event */
	clickFrame(event) {
		const { left, step } = this.geometry || { left: 0, step: 1 };
		const at = Math.floor((pixelOf(event, this.frames) - left) / step);
		this.pickFrame(Math.min(Math.max(at, 0), this.longest.length - 1));
	}

	/** @param {number} k */
	pickFrame(k) {
		if (!(k in this.longest))
			return;
		this.frame = k;
		this.paintFrames();
		this.describe(this.chosen[this.longest[k]]);
	}

	brushFrame() {
		if (this.frame !== null)
			this.brush(this.chosen[this.longest[this.frame]]);
	}

	/** @param {KeyboardEvent} event */
	keyFrame(event) {
		const at = this.frame === null ? -1 : this.frame;
		if (event.key === 'ArrowRight')
			this.pickFrame(at + 1);
		else if (event.key === 'ArrowLeft')
			this.pickFrame(Math.max(at - 1, 0));
		else if (event.key === 'Enter')
			this.brushFrame();
		else
			return;
		event.preventDefault();
	}

	exportCsv() {
		const { model } = this.app;
		const quote = (/** @type {string} */ text) =>
			/[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
		const lines = ['time_ns,duration_ns,pid,tid,group,name,message\r\n'];
		for (const { i, isBar } of this.table.rows) {
			const { marks } = model;
			if (isBar)
				continue;
			const thread = model.threads[marks.threads[i]];
			const { group, name } = model.markNames[marks.names[i]];
			lines.push([BigInt(model.facts.base) + BigInt(marks.times[i]),
				marks.durations[i], model.processes[thread.process].pid,
				thread.tid, quote(group), quote(name),
				quote(model.texts.get(marks.messages[i]))].join() + '\r\n');
		}
		offer('marks.csv', new Blob(lines, { type: 'text/csv' }));
	}
}

/** The label of a mark that began before the recording.
 * @param {Model['marks']} marks @param {number} i */
function cutOf(marks, i) {
	return marks.before[i] > 0 ? ['cut: it began ' + formatTime(marks.before[i]) +
		' before the recording'] : [];
}

/** Put a mark into the first lane whose last mark has ended, else into a new
 * lane or the last lane.
 * @param {number[]} ends of lanes @param {number} begin @param {number} end */
function takeLane(ends, begin, end) {
	let lane = ends.findIndex((last) => last <= begin);
	if (lane < 0)
		lane = Math.min(ends.length, LANES - 1);
	ends[lane] = Math.max(end, ends[lane] || 0);
	return lane;
}

/** A note that the page lacks some marks. @param {Model} model */
export function tellBars({ bars, marks }) {
	return bars.all === 0 ? '' : ' ' + formatCount(bars.all) + ' of ' +
		formatCount(bars.all + marks.n) + ' marks, short ones, are counted and combined, ' +
		'because the page would have been too large (report --max-size). ' +
		'The page does not separate samples inside these marks from the rest.';
}
