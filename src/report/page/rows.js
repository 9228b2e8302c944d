// SPDX-License-Identifier: BSD-2-Clause
// rows.js - stacks with amounts, by time: samples, waits or allocations.

/** Number of threads whose rows are searched separately. */
const MANY = 8;
/** Copy rows that count, if they are at most 1 / PART of all rows. */
const PART = 4;

/** Amounts of stacks, in the order of the selector: key, text, tip. */
export const MEASURES = [
	['', '', 'Time, or ticks, of the samples of each stack'],
	['blocked', 'Blocked', 'Time in calls that blocked'],
	['stalled', 'Stalled', 'Time in which a main loop stalled'],
	['allocated', 'Allocated', 'Bytes of all allocations, freed or not'],
	['live', 'In use', 'Bytes in use at a moment; click the line to choose the moment'],
	['leaked', 'Leaked', 'Bytes of allocations without a free'],
	['temporary', 'Temporary', 'Bytes freed before the thread allocated again'],
];

export class Rows {
	/** `worth`: amount of a tick, by thread.
	 * @param {RowColumns} columns @param {Tree} tree @param {Costs} worth
	 * @param {Unit} unit @param {string} noun of one event */
	constructor(columns, tree, worth, unit, noun) {
		const { n, times, threads, nodes, ticks, counts } = columns;
		this.n = n;
		this.times = times;
		this.threads = threads;
		this.nodes = nodes;
		this.ticks = ticks;
		/** Number of events of each row; null: rows are single events. */
		this.counts = counts;
		this.tree = tree;
		this.worth = worth;
		this.unit = unit;
		this.noun = noun;
		/** @type {Map<number, Uint32Array>} */
		this.ofThreads = new Map();
		/** Number of rows of each thread. */
		this.sizes = new Uint32Array(worth.length);
		for (let i = 0; i < n; i++)
			this.sizes[threads[i]]++;
	}

	get all() {
		let sum = this.counts ? 0 : this.n;
		for (const one of this.counts || [])
			sum += one;
		return sum;
	}

	/** The rows of @thread.  After MANY threads, sort the rows of all. */
	ofThread(/** @type {number} */ thread) {
		let list = this.ofThreads.get(thread);
		if (!list && this.ofThreads.size >= MANY)
			this.sortByThread();
		list = this.ofThreads.get(thread);
		if (!list) {
			const { threads, n } = this;
			list = new Uint32Array(this.sizes[thread] + 1);
			// The next row overwrites a row of another thread, so
			// no branch is mispredicted.
			for (let i = 0, k = 0; i < n; i++) {
				list[k] = i;
				k += Number(threads[i] === thread);
			}
			list = list.subarray(0, -1);
			this.ofThreads.set(thread, list);
		}
		return list;
	}

	sortByThread() {
		const { threads, n } = this;
		const ends = this.sizes.slice();
		for (let t = 1; t < ends.length; t++)
			ends[t] += ends[t - 1];
		const order = new Uint32Array(n);
		const next = ends.slice();
		for (let i = n - 1; i >= 0; i--)
			order[--next[threads[i]]] = i;
		for (let t = 0; t < ends.length; t++)
			this.ofThreads.set(t, order.subarray(next[t], ends[t]));
	}
}

/** The end of use; an exit takes leaked memory. @param {Model} model @param {number} i */
export function usedUntil({ allocations: { times, lives, threads }, exits }, i) {
	return lives[i] ? times.at(i) + lives[i] - 1
		: Math.max(exits[threads[i]], times.at(i));
}

/**
 * The allocations that count, with their bytes.  If few allocations count, omit
 * all others.  Otherwise, all others have no bytes.
 * @param {Model} model @param {string} of @param {number} moment
 * @returns {RowColumns}
 */
export function allocationsOf(model, of, moment) {
	const rows = model.allocations;
	const { n, sizes, temporary, lives, times } = rows;
	if (of === 'allocated')
		return { ...rows, ticks: sizes };
	const last = of === 'live' ? times.find(moment + 1) : n;
	const counts = (/** @type {number} */ i) => of === 'temporary' ? temporary[i] !== 0
		: of === 'live' ? usedUntil(model, i) > moment : lives[i] === 0;
	const end = of === 'temporary' && temporary.length === 0 ? 0 : last;
	let few = 0;
	for (let i = 0; i < end; i++)
		few += Number(counts(i));
	if (few > n / PART) {
		const ticks = sizes.slice();
		for (let i = 0; i < n; i++)
			if (i >= last || !counts(i))
				ticks[i] = 0;
		return { ...rows, ticks };
	}
	const list = new Uint32Array(few);
	for (let i = 0, k = 0; k < few; i++)
		if (counts(i))
			list[k++] = i;
	const pick = (/** @type {Numbers} */ column) => {
		const picked = /** @type {Numbers} */ (
			new /** @type {any} */ (column.constructor)(few));
		for (let k = 0; k < few; k++)
			picked[k] = column[list[k]];
		return picked;
	};
	return { n: few, times: times.pick(list), threads: pick(rows.threads),
		nodes: pick(rows.nodes), ticks: pick(sizes),
		counts: rows.counts && pick(rows.counts) };
}
