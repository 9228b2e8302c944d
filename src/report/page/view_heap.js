// SPDX-License-Identifier: BSD-2-Clause
// view_heap.js - memory: allocations by stack, and memory in use at any
// moment.
import { answerHeap } from './analysis.js';
import { Boxes } from './boxes.js';
import { cutText, fillBox, prepareCanvas } from './canvas.js';
import { choose, el, fill, hint, section, View } from './dom.js';
import { colouring, layoutGraph, namesOf } from './flame.js';
import { formatBytes, formatMoment, formatNumber, formatPart, formatTime } from
	'./format.js';
import { InUse } from './in_use.js';
import { Scale } from './scale.js';
import { paintAxis, paintLine, RANGE } from './timeline.js';

/** @type {Record<string, string>} */
const WORDS = { allocated: 'allocated', live: 'in use', leaked: 'never freed',
	temporary: 'freed before the thread allocated again' };

export class HeapView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		this.canvas = el('canvas', { 'aria-hidden': 'true' });
		this.over = el('div', { class: 'heapline', tabindex: '0', role: 'slider',
			'aria-label': 'Bytes in use over time; a moment', 'aria-valuemin': '0', 'aria-valuemax': '100',
			'aria-valuenow': '0',
			onclick: (e) => this.choose(e),
			onkeydown: (e) => this.key(e) }, this.canvas);
		this.boxes = new Boxes({ theme: app.theme, label: 'Allocations by stack',
			pick: () => {}, open: (box) => { this.zoom = Math.max(box.id, 0); this.layout(); },
			tip: (box) => this.tip(box), back: () => { this.zoom = 0; this.layout(); } });
		this.element = section('Allocations', this.bar, this.over, this.boxes.element);
		this.zoom = 0;
		this.inUse = new InUse(app.model);
	}

	update() {
		const { app } = this;
		const { state } = app;
		const of = /** @type {any} */ (state.of || 'allocated');
		if (this.inUse.rows !== app.model.allocations)
			this.inUse = new InUse(app.model);
		fill(this.bar, choose('Bytes', [['', 'allocated, freed or not'],
			['live', 'in use at a moment'], ['leaked', 'never freed'],
			['temporary', 'freed at once']],
		state.of || '', (o) => app.set({ of: o })));
		this.answer = answerHeap(app.model, app.filter(), of, this.moment());
		const { answer } = this;
		const { isCombined } = this.inUse;
		const isPart = state.from !== undefined || state.to !== undefined ||
			state.mark !== undefined;
		this.bar.append(hint((isCombined && isPart ? '≈\u00a0' : '') +
			formatBytes(answer.total) + ' ' + WORDS[of] +
			(of === 'live' ? ' at ' + formatMoment(this.moment() - app.model.begin, 1e5)
				: '') + ', from ' + formatNumber(answer.n, 'allocation') +
			(isCombined ? '; times are those of intervals of ' +
				formatTime(Number(app.model.limits.heap_cell)) : '')));
		this.layout();
	}

	/** The selected moment, or the moment of the peak. */
	moment() {
		return this.inUse.snap(this.app.state.moment ?? this.inUse.peak());
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
		const { times, values } = this.inUse.line(from, to);
		const [, most] = paintLine(context, times, values, scale, 0, 30, height - 34,
			theme.series[0], true);
		context.fillStyle = theme.soft;
		context.fillText(formatBytes(most || 0), scale.width + 6, 30);
		context.fillText('0', scale.width + 6, height - 8);
		context.fillText(cutText(context, 'Bytes in use, of all threads',
			scale.width - 8), 4, 24);
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
