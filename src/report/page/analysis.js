// SPDX-License-Identifier: BSD-2-Clause
// analysis.js - the filtered part of a model: one tree, with sums.
import { chooseMarks, eachBar, insides, isInside, lowerBound, PASSES,
	Passing, passingNodes, rangeOf, readGlob } from './filter.js';
import { moveSelfs, sumFunctions, sumUp, transform } from './tree.js';

/** @param {Filter} filter */
export function hasTransforms(filter) {
	return Boolean(filter.focus || filter.hideSystem || filter.library ||
		filter.recursion);
}

/** Changes of stacks by the filter; null: no change.
 * @param {Model} model @param {Filter} filter @returns {Transforms | null} */
export function transformsOf(model, filter) {
	if (!hasTransforms(filter))
		return null;
	const focus = model.matcher(filter.focus);
	/** @type {Map<number, number>} */
	const shown = new Map();
	const glob = filter.library ? readGlob(filter.library) : null;
	const collapse = glob && ((/** @type {number} */ f) => {
		let as = shown.get(f);
		if (as === undefined) {
			const binary = model.binaryOf(f);
			as = binary !== '' && glob.test(binary) && !model.isLinkedCopy(f)
				? model.collapse(f) : f;
			shown.set(f, as);
		}
		return as;
	});
	return {
		focus: focus && ((f) => focus[f] === 1),
		hideSystem: Boolean(filter.hideSystem),
		collapse,
		collapseRecursion: Boolean(filter.recursion),
	};
}

/** Convert sums from nodes of the model's tree to the transformed tree.
 * @param {Model} model @param {Filter} filter @param {Tree} tree @param {Costs} base
 * @param {Costs} [into] receives totals if the tree is unchanged */
export function shape(model, filter, tree, base, into) {
	const what = transformsOf(model, filter);
	if (!what)
		return { tree, nodes: null, selfs: base, totals: sumUp(tree, base, into) };
	const made = transform(tree, sumUp(tree, base), (f) => model.categoryOf(f),
		what);
	const selfs = moveSelfs(base, made.nodes, made.tree.n);
	return { tree: made.tree, nodes: made.nodes, selfs,
		totals: sumUp(made.tree, selfs) };
}

/** Keeps the last result, since the next result of a moving brush reuses its
 * sums. */
export class Analyst {
	/** @param {Model} model */
	constructor(model) {
		this.model = model;
		this.key = '';
		this.totals = new Float64Array(model.tree.n);
		/** @type {Passing | null} */
		this.passing = null;
	}

	/** @param {Filter} filter @returns {Analysis} */
	answer(filter) {
		const key = JSON.stringify({ ...filter, from: 0, to: 0,
			focus: filter.focus || '' });
		if (this.passing && key === this.key && !this.passing.inside) {
			this.passing.move(filter.from, filter.to);
		} else {
			this.passing = new Passing(this.model, filter);
			this.key = key;
		}
		const { sums, chosen } = this.passing;
		const shaped = shape(this.model, filter, this.model.tree, sums.selfs,
			this.totals);
		return { ...shaped, base: sums.selfs, threads: sums.threads,
			total: sums.total, own: sums.own, n: sums.n, chosen };
	}
}

/** @param {Model} model @param {Analysis} analysis */
export function functionsOf(model, analysis) {
	return sumFunctions(analysis.tree, analysis.selfs, analysis.totals,
		model.nFunctions);
}

/** Self amounts of functions without a name, by binary, the largest first.
 * @param {Model} model @param {Analysis} analysis @returns {[string, number][]} */
export function unnamedOf(model, { tree, selfs }) {
	const { categories, binaries, n } = model.functions;
	/** @type {Map<number, number>} */
	const sums = new Map();
	for (let i = 1; i < tree.n; i++) {
		const f = tree.functions[i];
		if (selfs[i] > 0 && f < n && (categories[f] & 8) === 0)
			sums.set(binaries[f], (sums.get(binaries[f]) || 0) + selfs[i]);
	}
	return Array.from(sums, ([binary, sum]) => /** @type {[string, number]} */ (
		[model.texts.get(binary), sum])).sort((a, b) => b[1] - a[1]);
}

/**
 * Allocations that pass; for `live`, the allocations in use at the moment.
 * @param {Model} model @param {Filter} filter @param {'allocated' | 'leaked' | 'temporary' | 'live'} of
 * @param {number} [moment]
 */
export function answerHeap(model, filter, of, moment = 0) {
	const { allocations: rows, heapTree } = model;
	const passes = passingNodes(model, filter, heapTree);
	const threads = model.threadSet(filter.threads);
	const base = new Float64Array(heapTree.n);
	const inside = filter.mark || filter.longer || filter.shorter || filter.slowest
		? insides(model, chooseMarks(model, filter)) : null;
	let total = 0, n = 0;
	const { times, lives, high, temporary, counts } = rows;
	const from = filter.from === undefined ? 0 : times.find(filter.from);
	const to = filter.to === undefined ? rows.n : times.find(filter.to);
	const most = of === 'live' ? Math.min(to, times.find(moment + 1)) : to;
	for (let i = from; i < most; i++) {
		if ((threads && !threads[rows.threads[i]]) ||
			(passes && !(passes[rows.nodes[i]] & PASSES)) ||
			(inside && !isInside(inside[rows.threads[i]], times.at(i))))
			continue;
		if (of === 'temporary' && temporary[i] === 0)
			continue;
		if (of === 'leaked' || of === 'live') {
			const life = lives[i] + (high ? high[i] * 0x100000000 : 0);
			if (life > 0 && (of === 'leaked' ||
				(of === 'live' && times.at(i) + life - 1 <= moment)))
				continue;
		}
		base[rows.nodes[i]] += rows.sizes[i];
		total += rows.sizes[i];
		n += counts ? counts[i] : 1;
	}
	const shaped = shape(model, filter, heapTree, base);
	return { ...shaped, base, threads: new Float64Array(0), total, own: 0,
		n, chosen: null };
}

/**
 * The processor time of each mark: the weight of its thread's samples during
 * the mark.  If the thread is unknown,
 * the thread of its process with the most samples counts.
 * @param {Model} model @param {ArrayLike<number>} marks
 */
export function runningTimes(model, marks) {
	const { samples, ticks, threads } = model;
	/** @type {Map<number, {times: Float64Array, sums: Float64Array}>} */
	const known = new Map();
	const sumsOf = (/** @type {number} */ thread) => {
		let of = known.get(thread);
		if (!of) {
			const list = model.samplesOf(thread);
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
 * Number and durations of the marks of one name.  If some are in bars, median
 * and p99 are known only for all marks, else NaN.  A range with bars at its
 * edges is inexact.  `sorted` has the marks in the page.
 * @param {Model} model @param {Filter} filter
 */
export function sumMarks(model, filter) {
	const { marks } = model;
	const threads = model.threadSet(filter.threads);
	const [low, high] = rangeOf(marks.times, filter);
	/** @type {number[][]} */
	const lists = model.markNames.map(() => []);
	for (let i = low; i < high; i++)
		if (!threads || threads[marks.threads[i]])
			lists[marks.names[i]].push(marks.durations[i]);
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
