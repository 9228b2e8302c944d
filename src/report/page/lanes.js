// SPDX-License-Identifier: BSD-2-Clause
// lanes.js - lanes of the time axis: activity of threads, blocked time, a search,
// a function, marks, counters, logs.
import { AXIS, paintAxis, paintLine, paintLosses } from './axis.js';
import { clipTo, cutText, fillBox } from './canvas.js';
import { lowerBound, Passing } from './filter.js';
import { coloursOfMarks, matching } from './flame.js';
import { formatAmount, formatCount, formatNumber, formatShare } from './format.js';
import { Scale } from './scale.js';
import { ALL_TIME } from './state.js';
import { unitOf } from './view_counters.js';

const LANE = 20, THIN = 12;
// Lanes of threads and of counters that are shown at first.  The axis then has
// at most a quarter of a window of 800 pixels.
const THREADS = 3, COUNTERS = 1;
const ALL_LANES = 200; // most lanes of a kind

/** Lanes whose bars are shares of the samples of a pixel. @param {Lane} lane */
const isShare = ({ kind }) => kind === 'search' || kind === 'function';

/** Flags of the nodes at or below a node of a flagged function.
 * @param {Tree} tree @param {Uint8Array} by function */
function flagsBelow(tree, by) {
	const has = new Uint8Array(tree.n);
	for (let i = 1; i < tree.n; i++)
		has[i] = has[tree.parents[i]] | by[tree.functions[i]];
	return has;
}

export class Lanes {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		/** Begin of the samples of each pixel. */
		this.cells = new Uint32Array(0);
		/** Weight of all samples of each pixel. */
		this.all = new Float64Array(0);
		/** The lanes of the picture. @type {Lane[]} */
		this.shown = [];
		/** The picture whose samples are in the bars of the lanes. */
		this.binned = '';
		this.scale = new Scale(0, 1, 60);
		this.left = 0;
	}

	/** The number of the function that has a lane, or -1. */
	pickedFunction() {
		const { model, state: { lane } } = this.app;
		if (!lane || model.samples.n === 0)
			return -1;
		for (let f = 1; f < model.nFunctions; f++)
			if (model.nameOf(f) === lane)
				return f;
		return -1;
	}

	/** The lanes of the state. @returns {Lane[]} */
	list() {
		const { model, state } = this.app;
		const threads = model.threads.filter((thread) =>
			model.byThread && model.byThread[thread.number] > 0);
		threads.sort(model.foremost(model.byThread));
		const isAll = state.lanes === 'all';
		const nThreads = state.lanes === 'none' ? 0 : isAll ? ALL_LANES : THREADS;
		const nCounters = isAll ? ALL_LANES : COUNTERS;
		/** @type {Lane[]} */
		const lanes = threads.slice(0, nThreads).map((thread) => ({
			kind: 'thread', label: model.threadName(thread.number),
			height: LANE, n: thread.number }));
		if (threads.length > nThreads)
			lanes.push({ kind: 'others', n: -1, height: nThreads > 0 ? THIN + 4 : LANE,
				label: formatNumber(threads.length - nThreads, nThreads > 0
					? 'more thread' : 'thread') });
		if (state.search && model.samples.n > 0)
			lanes.push({ kind: 'search', n: -1, height: THIN + 4,
				label: 'share of ' + state.search });
		if (this.pickedFunction() >= 0)
			lanes.push({ kind: 'function', n: this.pickedFunction(),
				height: THIN + 4, label: 'share of ' + state.lane });
		const picked = model.counters.filter(({ number, times }) => times.length > 0 &&
			state.counters?.includes(number));
		const laneOf = (/** @type {any} */ { category, name, number }) => ({
			kind: 'counter', height: LANE, n: number, label: category + ': ' + name });
		lanes.push(...picked.map(laneOf));
		if (state.lanes === 'none')
			return lanes;
		if (model.hasOwn)
			lanes.push({ kind: 'own', n: -1, height: THIN + 4,
				label: 'syscap itself' });
		if (model.rowsOf('blocked').n > 0)
			lanes.push({ kind: 'blocked', n: -1, height: THIN + 4, label: 'blocked' });
		if (model.marks.n > 0)
			lanes.push({ kind: 'marks', label: 'marks', height: THIN + 2, n: 0 });
		const counters = model.counters.filter((counter) =>
			counter.times.length > 1 && !picked.includes(counter));
		lanes.push(...counters.slice(0, nCounters).map(laneOf));
		if (counters.length > nCounters)
			lanes.push({ kind: 'more', height: THIN, n: 0,
				label: formatNumber(counters.length - nCounters, 'more counter') });
		if (model.logs.length > 0)
			lanes.push({ kind: 'logs', label: 'logs', height: THIN, n: 0 });
		return lanes;
	}

	/** Weights of samples by lane and pixel.  Lanes of threads omit syscap's own
	 * code, unless the filter keeps it. @param {Lane[]} lanes */
	bin(lanes) {
		const { app: { model, state }, scale } = this;
		const n = Math.ceil(scale.width);
		const key = [scale.from, scale.to, n, model.isWhole, Boolean(state.recording),
			...lanes.filter((lane) => !isShare(lane)).map((lane) =>
				lane.kind + lane.n)].join();
		// A search or a function changes its own lane only.
		if (key === this.binned) {
			const before = this.shown.filter((lane) => !isShare(lane));
			for (const lane of lanes)
				lane.bars = isShare(lane) ? undefined : before.shift()?.bars;
		} else {
			this.binSamples(lanes, n);
		}
		this.binned = key;
		for (const lane of lanes)
			if (isShare(lane))
				lane.bars = this.binShare(n, lane.kind === 'search'
					? matching(model, state.search)
					: Uint8Array.from({ length: model.nFunctions },
						(_, f) => Number(f === lane.n)));
	}

	/** @param {Lane[]} lanes @param {number} n pixels */
	binSamples(lanes, n) {
		const { app: { model, state }, scale } = this;
		for (const lane of lanes)
			lane.bars = new Float64Array(n);
		const barsOf = (/** @type {string} */ kind) =>
			lanes.find((lane) => lane.kind === kind)?.bars;
		/** Weights of each thread. @type {(Float64Array | undefined)[]} */
		const of = new Array(model.threads.length).fill(barsOf('others'));
		for (const lane of lanes)
			if (lane.kind === 'thread')
				of[lane.n] = lane.bars;
		const own = model.ownNodes(model.tree);
		const ownBars = barsOf('own'), blocked = barsOf('blocked');
		if (blocked)
			this.binBlocked(blocked);
		const { times, threads, nodes, ticks } = model.samples;
		this.cells = times.cells(scale.from, scale.perPixel, n);
		this.all = new Float64Array(n);
		for (let x = 0; x < n; x++) {
			let all = 0;
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
				all += weight;
			}
			this.all[x] = all;
		}
	}

	/** Share of the samples in functions that are flagged in @by, of each pixel.
	 * @param {number} n pixels @param {Uint8Array | null} by */
	binShare(n, by) {
		const { app: { model, state }, all, cells } = this;
		const bars = new Float64Array(n);
		if (!by)
			return bars;
		const has = flagsBelow(model.tree, by);
		const own = state.recording ? null : model.ownNodes(model.tree);
		for (let i = 0; own && i < has.length; i++)
			has[i] &= 1 - own[i];
		const { threads, nodes, ticks, worth } = model.samples;
		for (let x = 0; x < n; x++) {
			let sum = 0;
			for (let i = cells[x]; i < cells[x + 1]; i++)
				if (has[nodes[i]])
					sum += ticks[i] * worth[threads[i]];
			bars[x] = all[x] > 0 ? sum / all[x] : 0;
		}
		return bars;
	}

	/** Blocked time of all threads in each pixel. @param {Float64Array} bars */
	binBlocked(bars) {
		const { scale } = this;
		const { n, times, ticks } = this.app.model.rowsOf('blocked');
		for (let i = 0; i < n; i++) {
			const begin = times.at(i), end = begin + ticks[i];
			const last = Math.min(Math.floor(scale.x(end)), bars.length - 1);
			for (let x = Math.max(Math.floor(scale.x(begin)), 0); x <= last; x++)
				bars[x] += Math.min(end, scale.time(x + 1)) -
					Math.max(begin, scale.time(x));
		}
	}

	/** The value of a lane at the cursor, as text. @param {Lane} lane @param {number} time */
	valueAt(lane, time) {
		const { kind, n, bars } = lane;
		const { model } = this.app;
		if (kind === 'counter') {
			const { times, values } = model.counters[n];
			const at = lowerBound(times, Math.floor(time) + 1) - 1;
			return at < 0 ? '' : formatCount(values[at]);
		}
		if (!bars || /^(marks|logs|more)$/.test(kind))
			return '';
		// A pixel has few samples, so take the mean of about ten of
		// their periods.
		const { scale } = this, x = Math.floor(scale.x(time));
		const reach = kind === 'thread' ? Math.max(1, Math.round(
			this.period(n) * 5 / scale.perPixel)) : 0;
		const near = bars.slice(Math.max(x - reach, 0), x + reach + 1);
		const mean = near.reduce((a, b) => a + b, 0) / Math.max(near.length, 1);
		return isShare(lane) ? formatShare(mean, 1)
			: kind === 'thread' && model.isTime ? formatShare(mean, scale.perPixel) + ' busy'
				: formatAmount(mean, kind === 'blocked' || model.isTime ? 'time' : 'ticks');
	}

	/** Draw all lanes. @param {Context2D} context @param {Lane[]} lanes
	 * @param {Scale} scale @param {number} left @param {number} height */
	paint(context, lanes, scale, left, height) {
		const { theme, model } = this.app;
		this.scale = scale;
		this.left = left;
		this.bin(lanes);
		this.shown = lanes;
		clipTo(context, left, 0, scale.width, height);
		paintAxis(context, theme, scale, left, height, model.begin);
		let top = AXIS;
		for (const lane of lanes) {
			this.paintLane(context, lane, top);
			top += lane.height + 2;
		}
		paintLosses(context, theme, model, scale, left, AXIS, height - AXIS);
		context.restore();
	}

	/** @param {Context2D} context */
	paintLabels(context) {
		const { left, scale, app: { theme } } = this;
		let top = AXIS;
		for (const { label, height } of this.shown) {
			const text = cutText(context, label, left > 0 ? left - 16 : scale.width / 2);
			if (left === 0)
				fillBox(context, 2, top + 1,
					context.measureText(text).width + 4, 12, theme.paper);
			context.fillStyle = theme.soft;
			context.fillText(text, left > 0 ? 8 : 4, top + (left > 0
				? height / 2 + 1 : 7));
			top += height + 2;
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
		const has = flagsBelow(tree, by);
		const passing = new Passing(model,
			{ ...this.app.filter(), ...ALL_TIME }, model.samples, true);
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
		if (isShare(lane)) {
			lane.bars?.forEach((share, x) => {
				if (share > 0)
					fillBox(context, left + x, top + lane.height * (1 - share), 1,
						Math.max(share * lane.height, 1),
						lane.kind === 'search' ? theme.found : theme.series[2]);
			});
		} else if (/^(thread|others|own|blocked)$/.test(lane.kind)) {
			const bars = Array.from(lane.bars || []);
			const step = lane.kind === 'blocked' ? 1 : Math.max(1, Math.round(
				this.period(lane.n) * 2 / scale.perPixel));
			// A full bar is a busy thread.
			const full = model.isTime ? scale.perPixel : 0;
			const unit = step * (full && lane.kind === 'thread' ? full
				: Math.max(full, ...bars));
			for (let x = 0; x < bars.length; x += step) {
				const sum = bars.slice(x, x + step).reduce((a, b) => a + b);
				if (sum === 0)
					continue;
				const h = Math.max(1, Math.min(1, sum / unit) * lane.height);
				fillBox(context, left + x, top + lane.height - h, step, h,
					lane.kind === 'own' ? theme.categories[5]
						: lane.kind === 'blocked' ? theme.series[1] : theme.series[0]);
			}
		} else if (lane.kind === 'marks') {
			this.paintMarks(context, top);
		} else if (lane.kind === 'counter') {
			const counter = model.counters[lane.n];
			paintLine(context, counter.times, counter.values, scale, left, top + 1,
				lane.height - 3, theme.series[1], unitOf(counter) === '%');
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
}
