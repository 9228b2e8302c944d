// SPDX-License-Identifier: BSD-2-Clause
// timeline.js - the time axis of all views: lanes, brush and cursor.
import { AXIS } from './axis.js';
import { clipTo, fillBox, pixelOf, prepareCanvas } from './canvas.js';
import { el, emptyCanvas } from './dom.js';
import { formatMoment, formatTime } from './format.js';
import { Lanes } from './lanes.js';
import { Scale } from './scale.js';
import { ALL_TIME, hasTime, readSpan } from './state.js';

export class Timeline {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.canvas = emptyCanvas();
		this.still = el('canvas', {});
		this.element = el('div', {
			class: 'timeline', tabindex: '0', role: 'application',
			'aria-roledescription': 'time axis',
			'aria-label': 'Time axis. Drag to select a part; arrow keys ' +
				'move it, plus and minus change its length, Escape ends it.',
			onpointerdown: (e) => this.down(e),
			onpointermove: (e) => this.move(e),
			onpointerup: () => this.up(),
			onpointercancel: () => { this.drag = null; },
			onpointerleave: () => { app.setCursor(null); },
			ondblclick: () => app.set(ALL_TIME),
			onkeydown: (e) => this.key(e),
			onwheel: (e) => this.wheel(e),
		}, this.canvas);
		/** @type {Drag | null} */
		this.drag = null;
		/** @type {number | null} */
		this.cursor = null;
		this.key_ = '';
		/**
		 * The search whose result is this.found.
		 * @type {string | undefined}
		 */
		this.searched = '';
		/** @type {number[]} */
		this.found = [];
		this.width = 60;
		this.left = 0;
		this.scale = new Scale(0, 1, 60);
		this.height = 100;
		this.lanes = new Lanes(app);
		/** Lane under the pointer. @type {Lane | null} */
		this.hovered = null;
	}

	/** The visible range of time, without the brush. */
	window() {
		const { model, state } = this.app;
		return readSpan(state.window) || [model.start, model.end];
	}

	measure() {
		this.width = Math.max(this.element.clientWidth, 60);
		this.left = this.width > 640 ? 148 : 0;
		this.scale = new Scale(...this.window(), this.width - this.left);
		return this;
	}

	/** Threads on the left, if there is room. @param {MouseEvent} event */
	laneAt(event) {
		let top = AXIS - this.element.scrollTop;
		const y = event.clientY - this.element.getBoundingClientRect().top;
		return this.lanes.shown.find((lane) => {
			const is = y >= top && y < top + lane.height + 2;
			top += lane.height + 2;
			return is;
		});
	}

	/** A click on the title of a lane. @param {Lane} lane */
	openLane({ kind, n }) {
		const { app, app: { state } } = this;
		const isOnly = state.threads?.length === 1 && state.threads[0] === n;
		app.set({ thread: { threads: isOnly ? undefined : [n] },
			others: { lanes: 'all' }, more: { lanes: 'all' },
			own: { recording: state.recording ? undefined : true },
			blocked: { of: 'blocked', view: 'flame' },
			search: { search: undefined }, function: { lane: undefined },
			marks: { view: 'marks' },
			counter: { view: 'counters' }, logs: { view: 'logs' } }[kind] || {});
	}

	/** The brush and the cursor are drawn over an unchanged picture. */
	paint() {
		const { theme, model, state } = this.app;
		const { width, left, scale } = this.measure();
		const key = [scale.from, scale.to, width, model.isWhole, theme.paper,
			theme.ink, window.devicePixelRatio, Boolean(state.recording), state.lanes,
			state.search, state.lane, state.counters].join();
		if (key !== this.key_)
			this.paintLanes();
		const search = state.search && [key, state.search,
			JSON.stringify({ ...this.app.filter(), ...ALL_TIME })].join();
		if (search !== this.searched)
			this.found = this.lanes.find();
		this.key_ = key;
		this.searched = search;
		const context = prepareCanvas(this.canvas, width, this.height, theme);
		this.element.style.height = Math.min(this.height,
			Math.max(200, Math.floor(window.innerHeight / 2) || 200)) + 'px';
		context.drawImage(this.still, 0, 0, width, this.height);
		clipTo(context, left, 0, scale.width, this.height);
		for (const x of this.found) {
			fillBox(context, left + x, AXIS - 5, 1, 5, theme.found);
			fillBox(context, left + x, AXIS - 1, 1, 1, theme.ink);
		}
		this.paintBrush(context);
		context.restore();
		this.lanes.paintLabels(context);
	}

	paintLanes() {
		const { width, left, scale, lanes, app: { theme } } = this;
		const list = lanes.list();
		this.height = AXIS + list.reduce((sum, lane) => sum + lane.height + 2, 0) + 3;
		const context = prepareCanvas(this.still, width, this.height, theme);
		lanes.paint(context, list, scale, left, this.height);
	}

	/** @param {Context2D} context */
	paintBrush(context) {
		const { left, scale, app: { theme, state, model } } = this;
		if (hasTime(state)) {
			const from = scale.x(state.from ?? scale.from);
			const to = scale.x(state.to ?? scale.to);
			for (const [x, w] of [[0, from], [to, scale.width - to]])
				fillBox(context, left + x, 0, w, this.height, theme.paper, 0.65);
			fillBox(context, left + from - 1, 0, 2, this.height, theme.brush);
			context.fillRect(left + to - 1, 0, 2, this.height);
			context.fillRect(left + from - 1, 0, Math.max(to - from, 0) + 2, 3);
		}
		for (const note of state.notes || [])
			if (!note.name && note.from !== undefined)
				fillBox(context, left + scale.x(note.from) - 2, AXIS - 6, 5, 6,
					theme.brush);
		const { moment_time: time, moment_label: label } = model.facts;
		if (time)
			this.paintMoment(context, Number(time), label, theme.lost);
		const beside = readSpan(state.beside);
		if (beside)
			fillBox(context, left + scale.x(beside[0]), 0,
				(beside[1] - beside[0]) / scale.perPixel, 4, theme.less);
		if (this.cursor !== null) {
			const value = this.hovered ? this.lanes.valueAt(this.hovered, this.cursor) : '';
			this.paintMoment(context, this.cursor, formatMoment(this.cursor - model.begin,
				Math.max(scale.perPixel, 1)) + (value && ' · ' + value), theme.ink);
		}
	}

	/** Draw a line with a text. @param {Context2D} context @param {number} time
	 * @param {string} text @param {string} colour */
	paintMoment(context, time, text, colour) {
		const { left, scale, app: { theme } } = this;
		const x = left + scale.x(time);
		fillBox(context, x, 0, 1, this.height, colour, 0.7);
		const room = context.measureText(text).width + 8;
		const at = x + room > left + scale.width ? x - room : x;
		fillBox(context, at, 0, room, 16, colour);
		context.fillStyle = theme.paper;
		context.fillText(text, at + 4, 9);
	}

	/** @param {MouseEvent} event */
	place(event) {
		const { left, scale } = this.measure();
		const x = pixelOf(event, this.element) - left;
		return { x, time: Math.round(Math.min(Math.max(scale.time(x),
			scale.from), scale.to)), scale };
	}

	/** @param {PointerEvent} event */
	down(event) {
		if (event.button !== 0)
			return;
		const { state } = this.app;
		const { x, time, scale } = this.place(event);
		const title = x < 0 ? this.laneAt(event) : null;
		if (title) {
			this.openLane(title);
			return;
		}
		const begin = state.from ?? scale.from;
		const end = state.to ?? scale.to;
		const reach = event.pointerType === 'touch' ? 16 : 6;
		const has = hasTime(state);
		const edge = has && Math.abs(scale.x(begin) - x) < reach ? 'begin'
			: has && Math.abs(scale.x(end) - x) < reach ? 'end'
				: has && event.shiftKey && time > begin && time < end
					? 'all' : 'new';
		this.drag = { from: time, x, edge, begin, end };
		this.element.setPointerCapture(event.pointerId);
	}

	/** @param {PointerEvent} event */
	move(event) {
		const { x, time } = this.place(event);
		this.hovered = this.laneAt(event) || null;
		this.element.style.cursor = x < 0 ? 'pointer' : '';
		this.app.setCursor(time);
		const { drag, app } = this;
		if (!drag)
			return;
		if (drag.edge === 'new' && Math.abs(x - drag.x) < 3)
			return;
		let from = drag.begin, to = drag.end;
		if (drag.edge === 'begin')
			from = Math.min(time, to - 1);
		else if (drag.edge === 'end')
			to = Math.max(time, from + 1);
		else if (drag.edge === 'all') {
			from += time - drag.from;
			to += time - drag.from;
		} else {
			from = Math.min(time, drag.from);
			to = Math.max(time, drag.from, from + 1);
		}
		app.set({ from: Math.round(from), to: Math.round(to) }, true);
	}

	up() {
		if (this.drag)
			this.app.push();
		this.drag = null;
	}

	/** @param {WheelEvent} event */
	wheel(event) {
		if (!event.ctrlKey && !event.metaKey)
			return;
		event.preventDefault();
		const { x, scale } = this.place(event);
		this.zoom(scale.time(Math.max(x, 0)), event.deltaY > 0 ? 1.25 : 0.8);
	}

	/** @param {number} around @param {number} by */
	zoom(around, by) {
		const { app } = this;
		const [from, to] = this.window();
		const least = app.model.start;
		const low = Math.max(least, Math.round(around - (around - from) * by));
		const high = Math.min(app.model.end, Math.round(around + (to - around) * by));
		if (high - low < 1000)
			return;
		app.set({ window: low <= least && high >= app.model.end ? undefined
			: low + '-' + high }, true);
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const { app } = this;
		const [begin, end] = this.window();
		const { state } = app;
		const step = (end - begin) / 100 * (event.shiftKey ? 10 : 1);
		let from = state.from ?? begin;
		let to = state.to ?? end;
		if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
			if (!hasTime(state)) {
				from = begin;
				to = begin + (end - begin) / 10;
			} else {
				const by = event.key === 'ArrowLeft'
					? -Math.min(step, from - begin) : Math.min(step, end - to);
				from += by;
				to += by;
			}
		} else if (event.key === '+' || event.key === '=') {
			to = Math.min(end, to + step);
		} else if (event.key === '-') {
			to = Math.max(from + 1, to - step);
		} else if (event.key === 'Escape') {
			app.set(ALL_TIME);
			event.preventDefault();
			return;
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
		app.set({ from: Math.round(from), to: Math.round(to) });
	}

	describe() {
		const { state, model } = this.app;
		if (!hasTime(state))
			return '';
		const from = state.from ?? model.begin;
		const to = state.to ?? model.end;
		const step = Math.max((to - from) / 100, 1);
		return formatMoment(from - model.begin, step) + ' – ' +
			formatMoment(to - model.begin, step) + ' (' +
			formatTime(to - from) + ')';
	}
}
