// SPDX-License-Identifier: BSD-2-Clause
// view_chart.js - the flame chart: the activity of a thread over time.
import { Boxes } from './boxes.js';
import { choose, el, fill, hint, section, View } from './dom.js';
import { Passing } from './filter.js';
import { colouring, layoutChart, namesOf } from './flame.js';
import { Scale } from './scale.js';
import { formatCount, formatTime } from './format.js';
import { ALL_TIME } from './state.js';
import { AXIS, paintAxis, paintLosses } from './axis.js';
import { functionDetails } from './view_flame.js';

export class ChartView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		this.boxes = new Boxes({
			theme: app.theme, label: 'Flame chart: arrow keys walk, Enter ' +
				'selects that time',
			pick: (box) => this.describe(box),
			open: (box) => this.open(box),
			tip: (box) => this.tip(box),
			back: () => app.set(ALL_TIME),
			wheel: (x, by) => app.wheel(this.scale, x, by),
		});
		this.element = section('Flame chart', this.bar, this.boxes.element, this.details);
		this.thread = 0;
		this.scale = new Scale(0, 1, 1);
	}

	update() {
		const { app } = this;
		const { model, state } = app;
		const { threads } = app.analysis();
		const choices = model.threads.filter(({ number }) =>
			threads[number] > 0 || number === state.thread)
			.sort(model.foremost(threads));
		this.thread = (model.threads[state.thread ?? -1] || choices[0])?.number || 0;
		fill(this.bar, choose('Thread', choices.slice(0, 500).map((thread) =>
			[String(thread.number), model.threadName(thread.number)]),
		String(this.thread), (thread) => app.set({ thread: Number(thread) })),
		choose('Colours', [['', 'kind of code'], ['binary', 'binary']],
			state.colour || '', (colour) => app.set({ colour })),
		hint('From left to right: time, as on the axis above.'));
		this.layout();
		if (!this.boxes.picked)
			this.describe(null);
	}

	layout() {
		const { app } = this;
		const { model, theme } = app;
		const analysis = app.analysis();
		const [from, to] = app.range();
		this.scale = new Scale(from, to, this.boxes.width());
		const colour = colouring(model, theme, app.state.colour || '');
		const { tree } = analysis;
		const passing = new Passing(model, app.filter(), model.samples, true);
		const { boxes, rows } = layoutChart({ model, thread: this.thread,
			nodes: analysis.nodes, tree, scale: this.scale,
			passes: passing.passes.bind(passing),
			label: namesOf(model, tree),
			colour: (node) => colour(tree.functions[node]) });
		const found = app.find(tree, analysis.totals);
		for (const box of boxes) {
			box.row++;
			box.found = found?.found[box.id] === 1;
		}
		this.boxes.under = (context, height) => paintAxis(context, theme,
			this.scale, 0, height, model.begin);
		this.boxes.over = (context, height) => {
			paintLosses(context, theme, model, this.scale, 0, AXIS, height - AXIS,
				(t) => t === this.thread || model.threads[t].tid < 0);
			app.paintCursor(context, this.scale, 0, height);
		};
		this.boxes.set(boxes, rows + 1);
	}

	/** Go to the next match, by time. @param {number} by */
	step(by) {
		const found = this.boxes.boxes.filter((box) => box.found)
			.sort((a, b) => a.x - b.x);
		const at = found.findIndex((box) => box === this.boxes.picked);
		const next = at < 0 && by < 0 ? -1 : at + by;
		this.boxes.pick(found[(next + found.length) % found.length] || null);
	}

	leave() {
		this.app.model.samples.ofThreads.clear();
	}

	cursor() {
		this.boxes.paint();
	}

	/** @param {Box} box */
	open(box) {
		this.app.set({
			from: Math.round(this.scale.time(box.x)),
			to: Math.round(this.scale.time(box.x + box.w)),
		});
	}

	/** @param {Box} box */
	tip(box) {
		const { tree } = this.app.analysis();
		const f = tree.functions[box.id];
		return [this.app.model.nameOf(f), this.app.model.binaryOf(f),
			box.of ? 'in ' + box.of.map(formatCount).join(' of ') + ' samples here, ' +
				'more than any other: zoom in'
				: 'for ' + formatTime(box.w * this.scale.perPixel)].filter(Boolean);
	}

	/** @param {Box | null} box */
	describe(box) {
		const { app } = this;
		if (!box) {
			fill(this.details, hint('Double-click a box to select its time.'));
			return;
		}
		const { tree, totals, selfs, total } = app.analysis();
		fill(this.details, ...functionDetails(app, tree.functions[box.id],
			{ total: totals[box.id], self: selfs[box.id], of: total }));
	}
}
