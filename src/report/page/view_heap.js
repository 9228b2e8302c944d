// SPDX-License-Identifier: BSD-2-Clause
// view_heap.js - memory: allocations by stack, and memory in use at any
// moment.
import { answerHeap } from './analysis.js';
import { Boxes } from './boxes.js';
import { fillBox, prepareCanvas } from './canvas.js';
import { choose, el, fill, hint, section, View } from './dom.js';
import { colouring, layoutGraph, namesOf } from './flame.js';
import { formatBytes, formatNumber, formatMoment, formatPart } from './format.js';
import { Scale } from './scale.js';
import { paintAxis, paintLine, RANGE } from './timeline.js';

export class HeapView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		this.canvas = el('canvas', { 'aria-hidden': 'true' });
		this.over = el('div', { class: 'heapline', tabindex: '0', role: 'slider',
			'aria-label': 'Moment', 'aria-valuemin': '0', 'aria-valuemax': '100',
			'aria-valuenow': '0',
			onclick: (e) => this.choose(e),
			onkeydown: (e) => this.key(e) }, this.canvas);
		this.boxes = new Boxes({ theme: app.theme, label: 'Allocations by stack',
			pick: () => {}, open: (box) => { this.zoom = Math.max(box.id, 0); this.layout(); },
			tip: (box) => this.tip(box), back: () => { this.zoom = 0; this.layout(); } });
		this.element = section('Allocations', this.bar, this.over, this.boxes.element);
		this.zoom = 0;
		/** @type {Float64Array | null} */
		this.times = null;
		this.live = new Float64Array(0);
	}

	/** Bytes in use after each change. */
	line() {
		const { allocations: rows } = this.app.model;
		if (this.times && this.n === rows.n)
			return;
		this.n = rows.n;
		const changes = [];
		for (let i = 0; i < rows.n; i++) {
			changes.push([rows.times[i], rows.sizes[i]]);
			if (rows.ends[i] > 0)
				changes.push([rows.ends[i] - 1, -rows.sizes[i]]);
		}
		changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
		this.times = Float64Array.from(changes, (c) => c[0]);
		let sum = 0;
		this.live = Float64Array.from(changes, (c) => sum += c[1]);
	}

	update() {
		const { app } = this;
		const { state } = app;
		const of = /** @type {any} */ (state.of || 'allocated');
		this.line();
		fill(this.bar, choose('Bytes', [['', 'allocated'], ['leaked', 'never freed'],
			['temporary', 'freed at once'], ['live', 'there at a moment']],
		state.of || '', (o) => app.set({ of: o })));
		this.answer = answerHeap(app.model, app.filter(), of, this.moment());
		const { answer } = this;
		this.bar.append(hint(formatBytes(answer.total) +
			' in ' + formatNumber(answer.n, 'allocation') + (of === 'live' ? ', at ' +
			formatMoment(this.moment() - app.model.begin, 1e5) : '')));
		this.layout();
	}

	/** The selected moment, or the moment of the peak. */
	moment() {
		let best = 0;
		this.live.forEach((bytes, i) => {
			if (bytes > this.live[best])
				best = i;
		});
		return this.app.state.moment ?? this.times?.[best] ?? 0;
	}

	layout() {
		const { app, answer } = this;
		if (!answer)
			return;
		const { model, theme, state } = app;
		const width = Math.max(this.over.clientWidth, 60), height = 90;
		const context = prepareCanvas(this.canvas, width, height, theme);
		const [from, to] = app.range();
		const scale = new Scale(from, to, width - RANGE);
		paintAxis(context, theme, scale, 0, height, model.begin);
		if (this.times) {
			const [, most] = paintLine(context, this.times, this.live, scale, 0, 26,
				height - 30, theme.series[0]);
			context.fillStyle = theme.soft;
			context.fillText(formatBytes(most || 0), scale.width + 6, 26);
		}
		if (state.of === 'live')
			fillBox(context, scale.x(this.moment()) - 1, 0, 2, height, theme.brush);
		const colour = colouring(model, theme, state.colour || '');
		const { tree, totals } = answer;
		const found = app.find(tree, totals);
		const { boxes, rows } = layoutGraph({ tree, totals,
			zoom: Math.min(this.zoom, tree.n - 1), width: this.boxes.width(),
			label: namesOf(model, tree),
			colour: (node) => colour(tree.functions[node]),
			found: found?.found });
		this.boxes.set(boxes, Math.max(rows, 1));
	}

	/** @param {MouseEvent} event */
	choose(event) {
		const place = this.over.getBoundingClientRect();
		const [from, to] = this.app.range();
		const scale = new Scale(from, to, place.width - RANGE);
		this.app.set({ of: 'live',
			moment: Math.round(Math.min(scale.time(event.clientX - place.left), to)) });
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		if (!by)
			return;
		event.preventDefault();
		const [from, to] = this.app.range();
		this.app.set({ of: 'live', moment: Math.round(Math.min(to, Math.max(from,
			this.moment() + by * (to - from) / 100))) });
	}

	/** @param {Box} box */
	tip(box) {
		const { answer, app } = this;
		if (!answer || box.id < 0)
			return [box.label];
		const { tree, totals } = answer;
		return [app.model.nameOf(tree.functions[box.id]),
			formatPart(totals[box.id], totals[0], 'bytes')];
	}
}
