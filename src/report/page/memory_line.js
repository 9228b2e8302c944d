// SPDX-License-Identifier: BSD-2-Clause
// memory_line.js - bytes in use over time, above a flame graph of allocations.
import { cutText, fillBox, prepareCanvas } from './canvas.js';
import { el, emptyCanvas } from './dom.js';
import { formatBytes } from './format.js';
import { Scale } from './scale.js';
import { paintAxis, paintLine, RANGE } from './axis.js';

export class MemoryLine {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.canvas = emptyCanvas();
		this.element = el('div', { class: 'heapline', tabindex: '0', role: 'slider',
			'aria-label': 'Bytes in use over time; a moment', 'aria-valuemin': '0', 'aria-valuemax': '100',
			'aria-valuenow': '0',
			onclick: (e) => this.choose(e),
			onkeydown: (e) => this.key(e) }, this.canvas);
	}

	layout() {
		const { app } = this;
		this.element.hidden = app.unit() !== 'bytes';
		if (this.element.hidden)
			return;
		const { model, theme } = app;
		const width = Math.max(this.element.clientWidth, 60), height = 90;
		const context = prepareCanvas(this.canvas, width, height, theme);
		const [from, to] = app.range();
		const scale = new Scale(from, to, width - RANGE);
		const moment = app.moment();
		paintAxis(context, theme, scale, 0, height, model.begin);
		const { times, values } = app.inUse.line(from, to);
		const [, most] = paintLine(context, times, values, scale, 0, 30, height - 34,
			theme.series[0], true);
		context.fillStyle = theme.soft;
		context.fillText(formatBytes(most || 0), scale.width + 6, 30);
		context.fillText('0', scale.width + 6, height - 8);
		context.fillText(cutText(context, 'Bytes in use, of all threads',
			scale.width - 8), 4, 24);
		if (app.of() === 'live') /* below the text */
			fillBox(context, scale.x(moment) - 1, 30, 2, height - 30, theme.brush);
	}

	/** @param {MouseEvent} event */
	choose(event) {
		const place = this.element.getBoundingClientRect();
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
			this.app.moment() + by * (to - from) / 100))) });
	}
}
