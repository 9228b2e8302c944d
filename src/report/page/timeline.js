// SPDX-License-Identifier: BSD-2-Clause
// timeline.js - the time axis that all views share: activity of threads, marks,
// counters and logs by lane, lost intervals, the brush and the cursor.
import { clipTo, cutText, fillBox, hatch, pixelOf, prepareCanvas } from
	'./canvas.js';
import { el } from './dom.js';
import { lowerBound, Passing } from './filter.js';
import { coloursOfMarks, matching } from './flame.js';
import { formatMoment, formatNumber, formatTime } from './format.js';
import { Scale, ticksOf } from './scale.js';
import { ALL_TIME, readSpan } from './state.js';

export const AXIS = 20, LANE = 22, THIN = 12;
// pixels beside a line for the minimum and maximum of its values
export const RANGE = 76;
const THREADS = 5; // number of items with a separate lane

/** @type {PaintAxis} */
export const paintAxis = (context, theme, scale, left, height, zero) => {
	const { step, ticks } = ticksOf(scale, zero);
	for (const tick of ticks) {
		const x = Math.round(left + scale.x(tick));
		fillBox(context, x, 0, 1, height, theme.line);
		context.fillStyle = theme.soft;
		const text = formatMoment(tick - zero, step);
		if (x + 4 + context.measureText(text).width < left + scale.width)
			context.fillText(text, x + 4, AXIS / 2 + 1);
	}
};

/** @type {PaintLosses} */
export const paintLosses = (context, theme, model, scale, left, top, height, of) => {
	for (const loss of model.losses) {
		if (of && !of(loss.thread))
			continue;
		const x = Math.max(scale.x(loss.begin), 0);
		const end = Math.min(scale.x(loss.end), scale.width);
		if (end < 0 || x > scale.width)
			continue;
		const w = Math.max(end - x, 2);
		fillBox(context, left + x, top, w, height, theme.lost, 0.22);
		context.globalAlpha = 0.75;
		context.strokeStyle = theme.lost;
		hatch(context, left + x, top, w, height, 6);
		context.globalAlpha = 1;
	}
};

export class Timeline {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.canvas = el('canvas', { 'aria-hidden': 'true' });
		this.still = el('canvas', {});
		this.element = el('div', {
			class: 'timeline', tabindex: '0', role: 'application',
			'aria-roledescription': 'time axis',
			'aria-label': 'Time axis. Drag to look at a part; arrow keys ' +
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
		/** Begin of the samples of each pixel. */
		this.cells = new Uint32Array(0);
		this.height = 100;
	}

	/** The visible range of time, without the brush. */
	window() {
		const { model, state } = this.app;
		return readSpan(state.window) || [model.start, model.end];
	}

	lanes() {
		const { model } = this.app;
		const threads = model.threads.filter((thread) =>
			model.byThread && model.byThread[thread.number] > 0);
		threads.sort(model.foremost(model.byThread));
		/** @type {Lane[]} */
		const lanes = threads.slice(0, THREADS).map((thread) => ({
			kind: 'thread', label: model.threadName(thread.number),
			height: LANE, n: thread.number }));
		if (threads.length > THREADS)
			lanes.push({ kind: 'others', n: -1, height: LANE,
				label: formatNumber(threads.length - THREADS, 'more thread') });
		if (model.hasOwn)
			lanes.push({ kind: 'own', n: -1, height: LANE,
				label: 'syscap itself' });
		if (model.marks.n > 0)
			lanes.push({ kind: 'marks', label: 'marks', height: THIN + 2, n: 0 });
		const counters = model.counters.filter(({ times }) => times.length > 1);
		for (const { category, name, number } of counters.slice(0, 2))
			lanes.push({ kind: 'counter', height: LANE, n: number,
				label: category + ': ' + name });
		if (counters.length > 2)
			lanes.push({ kind: 'more', height: THIN, n: 0,
				label: formatNumber(counters.length - 2, 'more counter') });
		if (model.logs.length > 0)
			lanes.push({ kind: 'logs', label: 'logs', height: THIN, n: 0 });
		return lanes;
	}

	measure() {
		this.width = Math.max(this.element.clientWidth, 60);
		this.left = this.width > 640 ? 148 : 0;
		this.scale = new Scale(...this.window(), this.width - this.left);
		return this;
	}

	/** Weights of samples by lane and pixel.  Lanes of threads omit syscap's own
	 * code, unless the filter keeps it. @param {Lane[]} lanes */
	bin(lanes) {
		const { app: { model, state }, scale } = this;
		const n = Math.ceil(scale.width);
		for (const lane of lanes)
			lane.bars = new Float64Array(n);
		/** Weights of each thread. @type {(Float64Array | undefined)[]} */
		const of = new Array(model.threads.length).fill(
			lanes.find((lane) => lane.kind === 'others')?.bars);
		for (const lane of lanes)
			if (lane.kind === 'thread')
				of[lane.n] = lane.bars;
		const own = model.ownNodes(model.tree);
		const ownBars = lanes.find((lane) => lane.kind === 'own')?.bars;
		const { times, threads, nodes, ticks } = model.samples;
		this.cells = times.cells(scale.from, scale.perPixel, n);
		for (let x = 0; x < n; x++)
			for (let i = this.cells[x]; i < this.cells[x + 1]; i++) {
				const bar = of[threads[i]];
				const weight = ticks[i] * model.ticks[threads[i]];
				if (own && own[nodes[i]] && ownBars) {
					ownBars[x] += weight;
					if (!state.recording)
						continue;
				}
				if (bar)
					bar[x] += weight;
			}
	}

	/** The brush and the cursor are drawn over an unchanged picture. */
	paint() {
		const { theme, model, state } = this.app;
		const { width, left, scale } = this.measure();
		const key = [scale.from, scale.to, width, model.isWhole, theme.paper,
			theme.ink, window.devicePixelRatio, Boolean(state.recording)].join();
		if (key !== this.key_)
			this.paintLanes();
		const search = state.search && [key, state.search,
			JSON.stringify({ ...this.app.filter(), ...ALL_TIME })].join();
		if (search !== this.searched)
			this.found = this.find();
		this.key_ = key;
		this.searched = search;
		const context = prepareCanvas(this.canvas, width, this.height, theme);
		this.element.style.height = this.height + 'px';
		context.drawImage(this.still, 0, 0, width, this.height);
		clipTo(context, left, 0, scale.width, this.height);
		for (const x of this.found) {
			fillBox(context, left + x, AXIS - 5, 1, 5, theme.found);
			fillBox(context, left + x, AXIS - 1, 1, 1, theme.ink);
		}
		this.paintBrush(context);
		context.restore();
	}

	paintLanes() {
		const { width, left, scale, app: { theme, model } } = this;
		const lanes = this.lanes();
		this.height = AXIS + lanes.reduce((sum, lane) => sum + lane.height + 2, 0) + 3;
		const context = prepareCanvas(this.still, width, this.height, theme);
		this.bin(lanes);
		clipTo(context, left, 0, scale.width, this.height);
		paintAxis(context, theme, scale, left, this.height, model.begin);
		let top = AXIS;
		for (const lane of lanes) {
			this.paintLane(context, lane, top);
			top += lane.height + 2;
		}
		paintLosses(context, theme, model, scale, left, AXIS, this.height - AXIS);
		context.restore();
		top = AXIS;
		for (const lane of lanes) {
			if (left === 0) {
				const text = cutText(context, lane.label, width / 2);
				fillBox(context, 2, top + 1,
					context.measureText(text).width + 4, 12, theme.paper);
			}
			context.fillStyle = theme.soft;
			context.fillText(cutText(context, lane.label, left > 0 ? left - 16
				: width / 2), left > 0 ? 8 : 4, top + (left > 0
				? lane.height / 2 + 1 : 7));
			top += lane.height + 2;
		}
	}

	/**
	 * The pixels with matching samples, which are marked at the foot of the
	 * axis.
	 */
	find() {
		const { model, state } = this.app;
		/** @type {number[]} */
		const found = [];
		const { tree, samples: { nodes } } = model;
		const by = matching(model, state.search);
		if (!by)
			return found;
		const has = new Uint8Array(tree.n);
		for (let i = 1; i < tree.n; i++)
			has[i] = has[tree.parents[i]] | by[tree.functions[i]];
		const passing = new Passing(model,
			{ ...this.app.filter(), ...ALL_TIME }, true);
		for (let x = 0; x + 1 < this.cells.length; x++)
			for (let i = this.cells[x]; i < this.cells[x + 1]; i++)
				if (has[nodes[i]] && passing.passes(i)) {
					found.push(x);
					break;
				}
		return found;
	}

	/** @param {Context2D} context @param {Lane} lane @param {number} top */
	paintLane(context, lane, top) {
		const { left, scale, app: { theme, model } } = this;
		fillBox(context, left, top + lane.height, scale.width, 1, theme.line);
		if (/^(thread|others|own)$/.test(lane.kind)) {
			const bars = Array.from(lane.bars || []);
			const step = Math.max(1, Math.round(
				this.period(lane.n) * 2 / scale.perPixel));
			// A full bin: busy all the time.
			const full = model.isTime ? scale.perPixel : 0;
			const unit = step * (full && lane.kind === 'thread' ? full
				: Math.max(full, ...bars));
			for (let x = 0; x < bars.length; x += step) {
				const sum = bars.slice(x, x + step).reduce((a, b) => a + b);
				if (sum === 0)
					continue;
				const h = Math.max(1, Math.min(1, sum / unit) * lane.height);
				fillBox(context, left + x, top + lane.height - h, step, h,
					lane.kind === 'own' ? theme.categories[5] : theme.series[0]);
			}
		} else if (lane.kind === 'marks') {
			this.paintMarks(context, top);
		} else if (lane.kind === 'counter') {
			const counter = model.counters[lane.n];
			paintLine(context, counter.times, counter.values, scale, left, top + 1,
				lane.height - 3, theme.series[1]);
		} else if (lane.kind === 'logs') {
			let latest = -1;
			for (const [time, , severity] of model.logs) {
				const x = Math.floor(scale.x(time));
				if (x < 0 || x > scale.width || (x === latest && severity > 2))
					continue;
				latest = x;
				fillBox(context, left + x, top + 2, 2, lane.height - 3, severity <= 1
					? theme.more : severity === 2 ? theme.series[1] : theme.soft);
			}
		}
	}

	/** @param {number} thread */
	period(thread) {
		const { model } = this.app;
		return thread >= 0 && model.isTime ? model.ticks[thread] : 1e6;
	}

	/** @param {Context2D} context @param {number} top */
	paintMarks(context, top) {
		const { left, scale, app: { theme, model } } = this;
		const { times, durations, names, depths } = model.marks;
		const { bars } = model;
		const colours = coloursOfMarks(model, theme);
		for (let i = 0; i < bars.n; i++) {
			const x = Math.max(scale.x(bars.times[i]), 0);
			fillBox(context, left + x, top, Math.max(scale.x(bars.lasts[i]) - x,
				x < scale.width ? 1 : 0), 6, theme.line);
		}
		const until = new Float64Array(2).fill(-1);
		const end = lowerBound(times, scale.to);
		for (let i = 0; i < end; i++) {
			const depth = Math.min(depths[i], 1);
			const begin = scale.x(times[i]);
			const stop = scale.x(times[i] + durations[i]);
			if (stop < 0 || stop < until[depth] + 0.5)
				continue;
			const x = Math.max(begin, until[depth]);
			until[depth] = Math.max(stop, x + 1);
			fillBox(context, left + x, top + depth * 7, Math.max(stop - x, 1), 6,
				colours[names[i]]);
		}
	}

	/** @param {Context2D} context */
	paintBrush(context) {
		const { left, scale, app: { theme, state, model } } = this;
		if (state.from !== undefined || state.to !== undefined) {
			const from = scale.x(state.from ?? scale.from);
			const to = scale.x(state.to ?? scale.to);
			for (const [x, w] of [[0, from], [to, scale.width - to]])
				fillBox(context, left + x, 0, w, this.height, theme.paper, 0.65);
			fillBox(context, left + from - 1, 0, 2, this.height, theme.brush);
			context.fillRect(left + to - 1, 0, 2, this.height);
			context.fillRect(left + from - 1, 0, Math.max(to - from, 0) + 2, 3);
		}
		const beside = readSpan(state.beside);
		if (beside)
			fillBox(context, left + scale.x(beside[0]), 0,
				(beside[1] - beside[0]) / scale.perPixel, 4, theme.less);
		if (this.cursor !== null) {
			const x = left + scale.x(this.cursor);
			fillBox(context, x, 0, 1, this.height, theme.ink, 0.7);
			const text = formatMoment(this.cursor - model.begin,
				Math.max(scale.perPixel, 1));
			const room = context.measureText(text).width + 8;
			const at = x + room > left + scale.width ? x - room : x;
			fillBox(context, at, 0, room, 16, theme.ink);
			context.fillStyle = theme.paper;
			context.fillText(text, at + 4, 9);
		}
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
		const begin = state.from ?? scale.from;
		const end = state.to ?? scale.to;
		const reach = event.pointerType === 'touch' ? 16 : 6;
		const has = state.from !== undefined || state.to !== undefined;
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
			if (state.from === undefined && state.to === undefined) {
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

	/** The brushed range as text. */
	describe() {
		const { state, model } = this.app;
		if (state.from === undefined && state.to === undefined)
			return '';
		const from = state.from ?? model.begin;
		const to = state.to ?? model.end;
		const step = Math.max((to - from) / 100, 1);
		return formatMoment(from - model.begin, step) + ' – ' +
			formatMoment(to - model.begin, step) + ' (' +
			formatTime(to - from) + ')';
	}
}

/** @type {PaintLine} */
export const paintLine = (context, times, values, scale, left, top, height, colour,
	hasZero) => {
	const first = Math.max(lowerBound(times, scale.from) - 1, 0);
	const last = Math.min(lowerBound(times, scale.to) + 1, times.length);
	let low = Infinity, high = -Infinity;
	for (let i = first; i < last; i++)
		if (Number.isFinite(values[i])) {
			low = Math.min(low, values[i]);
			high = Math.max(high, values[i]);
		}
	if (low === high || (hasZero && high >= low)) // the range includes 0
		[low, high] = [Math.min(low, 0), Math.max(high, 0)];
	if (!(high >= low))
		return [];
	// Use halves, because the difference of 1e308 and -1e308 is infinite.
	const size = high / 2 - low / 2 || 1;
	const y = (/** @type {number} */ value) =>
		top + height - (value / 2 - low / 2) / size * height;
	context.strokeStyle = colour;
	context.lineWidth = 1.5;
	context.beginPath();
	let before = NaN;
	for (let i = first; i < last;) {
		const pixel = Math.floor(scale.x(times[i]));
		let least = Infinity, most = -Infinity, end = before;
		let k = i;
		for (; k < last && Math.floor(scale.x(times[k])) === pixel; k++)
			if (Number.isFinite(values[k])) {
				least = Math.min(least, values[k]);
				most = Math.max(most, values[k]);
				end = values[k];
			}
		i = k;
		if (most === -Infinity)
			continue;
		const x = left + Math.max(pixel, -1) + 0.5;
		if (Number.isNaN(before))
			context.moveTo(x, y(least));
		else
			context.lineTo(x, y(before));
		context.lineTo(x, y(least));
		context.lineTo(x, y(most));
		context.lineTo(x, y(end));
		before = end;
	}
	if (!Number.isNaN(before))
		context.lineTo(left + scale.width, y(before));
	context.stroke();
	return [low, high];
};
