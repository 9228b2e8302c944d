// SPDX-License-Identifier: BSD-2-Clause
// mark_stats.js - durations and processor times of marks.
import { eachBar, eachMark, lowerBound } from './filter.js';

/** Statistics of all marks of a name, if some are in bars. */
export const MARK_SUMS = ['counts', 'sums', 'least', 'medians', 'p99s', 'most'];

/**
 * The weight of samples of each mark's thread; if unknown, the busiest thread.
 * @param {Model} model @param {ArrayLike<number>} marks
 */
export function runningTimes(model, marks) {
	const { samples, ticks, threads } = model;
	/** @type {Map<number, {times: Float64Array, sums: Float64Array}>} */
	const known = new Map();
	const sumsOf = (/** @type {number} */ thread) => {
		let of = known.get(thread);
		if (!of) {
			const list = samples.ofThread(thread);
			const times = new Float64Array(list.length);
			const sums = new Float64Array(list.length + 1);
			for (let j = 0; j < list.length; j++) {
				times[j] = samples.times.at(list[j]);
				sums[j + 1] = sums[j] + samples.ticks[list[j]] * ticks[thread];
			}
			known.set(thread, of = { times, sums });
		}
		return of;
	};
	/** @type {Map<number, number[]>} */
	const candidates = new Map();
	const running = new Float64Array(marks.length);
	for (let k = 0; k < marks.length; k++) {
		const i = marks[k], thread = model.marks.threads[i];
		let list = candidates.get(thread);
		if (!list) {
			const { tid, process } = threads[thread];
			list = tid >= 0 ? [thread] : threads.filter((other) =>
				other.process === process && model.byThread[other.number] > 0)
				.map((other) => other.number);
			candidates.set(thread, list);
		}
		const begin = model.marks.times[i];
		const end = begin + model.marks.durations[i];
		for (const one of list) {
			const { times, sums } = sumsOf(one);
			running[k] = Math.max(running[k], sums[lowerBound(times, end)] -
				sums[lowerBound(times, begin)]);
		}
	}
	return running;
}

/**
 * Number and durations of the marks of one name.  If some marks are in bars,
 * median and p99 are NaN, unless the filter passes all marks.  A range with
 * bars at its edges is inexact.  `sorted` has the marks in the page.
 * @param {Model} model @param {Filter} filter
 */
export function sumMarks(model, filter) {
	const { marks } = model;
	const threads = model.threadSet(filter.threads);
	/** @type {number[][]} */
	const lists = model.markNames.map(() => []);
	eachMark(model, filter, (i) => {
		if (!threads || threads[marks.threads[i]])
			lists[marks.names[i]].push(marks.durations[i]);
	});
	const barred = model.markNames.map(() => ({ n: 0, sum: 0, least: Infinity }));
	eachBar(model, filter, (i) => {
		const one = barred[model.bars.names[i]];
		one.n += model.bars.counts[i];
		one.sum += model.bars.sums[i];
		one.least = Math.min(one.least, model.bars.least[i]);
	});
	const isTime = filter.from !== undefined || filter.to !== undefined;
	return lists.map((list, name) => {
		const sorted = Float64Array.from(list).sort();
		const n = sorted.length;
		const { n: more, sum, least } = barred[name];
		let total = sum;
		for (const duration of sorted)
			total += duration;
		const rank = (/** @type {number} */ percent, /** @type {number} */ i) =>
			more === 0 ? sorted[Math.ceil(n * percent / 100) - 1]
				: !threads && !isTime ? model.markSums[name][i] : NaN;
		return { name, n: n + more, total, mean: Math.floor(total / (n + more)),
			min: n > 0 ? Math.min(sorted[0], least) : least, median: rank(50, 3),
			p99: rank(99, 4), more, isExact: more === 0 || !isTime, max: n > 0 ? sorted[n - 1] : NaN, sorted };
	}).filter((row) => row.n > 0);
}
