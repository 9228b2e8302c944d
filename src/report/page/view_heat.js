// SPDX-License-Identifier: BSD-2-Clause
// view_heat.js - the heat map.  Time goes down within a column and then to the
// right, 20 ms a cell.  A range of cells is a brush.
import { fillBox, prepareCanvas } from './canvas.js';
import { el, emptyCanvas, fill, hint, section, View } from './dom.js';
import { isInside, PASSES, Passing } from './filter.js';
import { formatAmount, formatMoment, formatTime } from './format.js';
import { roundTime } from './scale.js';
import { List, ofNumbers, ofTexts } from './table.js';
import { ALL_TIME } from './state.js';

const ROWS = 50;
const TITLES = 18; // pixels above the cells, for the times of columns

export class HeatView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		this.canvas = emptyCanvas();
		this.live = el('p', { class: 'hint', 'aria-live': 'polite' });
		this.place = el('div', { class: 'heat', tabindex: '0', role: 'application',
			'aria-roledescription': 'heat map',
			'aria-label': 'Heat map: arrow keys walk, Enter selects that cell',
			onpointerdown: (e) => {
				this.begun = this.cellAt(e);
			},
			onpointermove: (e) => this.hover(e),
			onpointerup: (e) => this.end(e),
			onkeydown: (e) => this.key(e) }, this.canvas);
		this.list = new List('Heat map', [
			ofTexts('time', 'From', (i) => this.when(i)),
			ofNumbers('amount', app.model.facts.unit, (i) => this.cells[i],
				(n) => formatAmount(n, app.unit())),
			ofTexts('lost', 'Lost', (i) => this.lost[i] ? 'something' : '')],
		() => Array.from(this.cells.keys()).filter((i) => this.cells[i] > 0 ||
			this.lost[i]), (i) => this.tell(this.at = i));
		this.element = section('Heat map', this.bar, this.place, this.live, this.list.element);
		this.begun = -1;
		this.at = -1;
		this.cell = 2e7;
		this.columns = 1;
		this.cells = new Float64Array(0);
		this.lost = new Uint8Array(0);
	}

	update() {
		const { app } = this;
		const { model } = app;
		const width = Math.max(this.place.clientWidth, 100);
		// A cell is 20 ms, or more in a long capture.
		const length = model.end - model.start;
		const most = Math.floor(width / 3);
		this.cell = Math.max(1e9, roundTime(length / most)) / ROWS;
		this.columns = Math.max(1, Math.ceil(length / (this.cell * ROWS)));
		this.cells = new Float64Array(this.columns * ROWS);
		const { times, threads, ticks, nodes: ofNodes } = model.samples;
		// The map shows the whole time; the brushed range has a frame.
		const { low, high, nodes, threads: set, inside } = new Passing(model,
			{ ...app.filter(), ...ALL_TIME }, model.samples, true);
		const { length: n } = this.cells;
		const begins = times.cells(model.start, this.cell, n);
		for (let cell = 0; cell < n; cell++)
			for (let i = Math.max(begins[cell], low);
				i < Math.min(begins[cell + 1], high); i++)
				if ((!set || set[threads[i]]) && (!nodes || nodes[ofNodes[i]] & PASSES) &&
					(!inside || isInside(inside[threads[i]], times.at(i))))
					this.cells[cell] += ticks[i] * model.ticks[threads[i]];
		this.lost = new Uint8Array(this.cells.length);
		const cellOf = (/** @type {number} */ time) => Math.max(-1,
			Math.floor((time - model.start) / this.cell));
		for (const { begin, end } of model.losses)
			this.lost.fill(1, Math.max(cellOf(begin), 0), cellOf(end) + 1);
		this.list.show();
		fill(this.bar, hint('Each cell is ' +
			formatTime(this.cell) + ', each column ' + formatTime(this.cell * ROWS) +
			'. Stronger is more ' + model.facts.unit + '. Click, or drag over several.'));
		this.resize();
	}

	resize() {
		const { app } = this;
		const { theme, model, state } = app;
		const width = Math.max(this.place.clientWidth, 100);
		this.w = Math.max(3, Math.min(64, Math.floor(width / this.columns)));
		this.h = 9;
		const height = TITLES + ROWS * this.h;
		const context = prepareCanvas(this.canvas, width, height, theme);
		this.paintTitles(context);
		let most = 0;
		for (const sum of this.cells)
			most = Math.max(most, sum);
		const from = state.from ?? -Infinity;
		const to = state.to ?? Infinity;
		for (let i = 0; i < this.cells.length; i++) {
			const x = Math.floor(i / ROWS) * this.w, y = TITLES + (i % ROWS) * this.h;
			const time = model.start + i * this.cell;
			fillBox(context, x, y, this.w - 1, this.h - 1, theme.raised);
			if (this.cells[i] > 0)
				fillBox(context, x, y, this.w - 1, this.h - 1, theme.series[0],
					0.15 + 0.85 * this.cells[i] / most);
			if (this.lost[i])
				fillBox(context, x, y, 3, this.h - 1, theme.lost);
			if (i === this.at || (Number.isFinite(from) && time + this.cell > from &&
				time < to)) {
				context.strokeStyle = i === this.at ? theme.ink : theme.brush;
				context.lineWidth = 1;
				context.strokeRect(x + 0.5, y + 0.5, this.w - 2, this.h - 2);
			}
		}
	}

	/** Draw the times of the columns. @param {Context2D} context */
	paintTitles(context) {
		const { theme, model } = this.app;
		const w = this.w || 1, column = this.cell * ROWS;
		const step = Math.ceil((model.end - model.start < 3.6e12 ? 48 : 72) / w);
		context.fillStyle = theme.soft;
		for (let i = 0; i < this.columns; i += step)
			context.fillText(formatMoment(model.start - model.begin + i * column,
				step * column), i * w, TITLES / 2);
	}

	/** @param {PointerEvent} event */
	cellAt(event) {
		const place = this.place.getBoundingClientRect();
		const column = Math.floor((event.clientX - place.left) / (this.w || 1));
		const row = Math.floor((event.clientY - place.top - TITLES) / (this.h || 1));
		return Math.min(Math.max(column, 0), this.columns - 1) * ROWS +
			Math.min(Math.max(row, 0), ROWS - 1);
	}

	/** @param {number} cell */
	tell(cell) {
		this.live.textContent = this.when(cell) + ': ' +
			formatAmount(this.cells[cell], this.app.unit());
	}

	/** @param {number} cell */
	when(cell) {
		const { start, begin } = this.app.model;
		return formatMoment(start - begin + cell * this.cell, this.cell);
	}

	/** @param {PointerEvent} event */
	hover(event) {
		this.tell(this.cellAt(event));
	}

	/** @param {PointerEvent} event */
	end(event) {
		const cell = this.cellAt(event);
		if (this.begun >= 0)
			this.brush(Math.min(this.begun, cell), Math.max(this.begun, cell));
		this.begun = -1;
	}

	/** @param {number} first @param {number} last */
	brush(first, last) {
		const { start } = this.app.model;
		this.at = last;
		this.app.set({ view: 'flame', show: undefined,
			from: Math.round(start + first * this.cell),
			to: Math.round(start + (last + 1) * this.cell) });
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: ROWS,
			ArrowLeft: -ROWS }[event.key];
		if (step) {
			this.at = Math.min(Math.max(this.at + step, 0), this.cells.length - 1);
			this.tell(this.at);
			this.resize();
		} else if (event.key === 'Enter') {
			this.brush(Math.max(this.at, 0), Math.max(this.at, 0));
		} else {
			return;
		}
		event.preventDefault();
	}
}
