// SPDX-License-Identifier: BSD-2-Clause
// filter.js - selection of samples by time, thread, marks and functions.

/** The first number from `low` on for which the monotonic `is` holds, or
 * `high`.
 * @param {number} low @param {number} high @param {(i: number) => boolean} is */
export function firstOf(low, high, is) {
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (is(middle))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/** Index of the first time not below `time`, of ascending times.
 * @param {ArrayLike<number>} times @param {number} time */
export function lowerBound(times, time) {
	let low = 0, high = times.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (times[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** Index of the first time in the filter's range, and of the first time after
 * the range.
 * @param {ArrayLike<number>} times @param {Filter} filter @returns {[number, number]} */
export function rangeOf(times, { from, to }) {
	return [from === undefined ? 0 : lowerBound(times, from),
		to === undefined ? times.length : lowerBound(times, to)];
}

/** A regular expression that only @text matches. @param {string} text */
export function quoteRegex(text) {
	return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** @param {string} [source] @returns {RegExp | null} null: none */
export function readRegex(source) {
	// Characters that are literal in POSIX
	return source ? tryRegex(source) || new RegExp(quoteRegex(source)) : null;
}

/** @param {string} source */
export function tryRegex(source) {
	try {
		return new RegExp(source, 'u');
	} catch (error) {
		return null;
	}
}

/** A glob as in `--collapse-library`. @param {string} glob */
export function readGlob(glob) {
	let source = '';
	for (let i = 0; i < glob.length; i++) {
		const c = glob[i];
		const close = c === '[' ? glob.indexOf(']', i + 2) : -1;
		if (c === '*')
			source += '[^]*';
		else if (c === '?')
			source += '[^]';
		else if (close > 0) {
			const set = glob.slice(i + 1, close).replace(/\\/g, '\\\\');
			source += '[' + (set[0] === '!' ? '^' + set.slice(1) : set) + ']';
			i = close;
		} else
			source += quoteRegex(c);
	}
	return tryRegex('^' + source + '$') || /$^x/;
}

/** The number of elements that "1%" or "10" selects of `n`.
 * @param {string | undefined} slowest @param {number} n */
export function countSlowest(slowest, n) {
	if (!slowest)
		return n;
	const number = parseFloat(slowest);
	if (!(number > 0))
		return n;
	return Math.min(n, slowest.endsWith('%')
		? Math.ceil(n * number / 100) : Math.floor(number));
}

/** Visit the marks that overlap the filter's times, by their begin.
 * @param {Model} model @param {{from?: number, to?: number}} filter @param {(mark: number) => void} visit */
export function eachMark({ marks }, { from, to }, visit) {
	const { times, durations } = marks;
	const low = from === undefined ? 0 : lowerBound(times, from);
	const high = to === undefined ? marks.n : lowerBound(times, to);
	for (let i = from === undefined ? 0 : firstAfter(marks, from); i < low; i++)
		if (i < high && times[i] + durations[i] > /** @type {number} */ (from))
			visit(i);
	for (let i = low; i < high; i++)
		visit(i);
}

/** Latest end of each mark and all marks before the mark, by durations.
 * @type {WeakMap<object, Float64Array>} */
const latestEnds = new WeakMap();

/** The first mark that may end after @time.
 * @param {Model['marks']} marks @param {number} time */
function firstAfter(marks, time) {
	let ends = latestEnds.get(marks.durations);
	if (!ends) {
		let latest = -Infinity;
		ends = Float64Array.from({ length: marks.n }, (_, i) =>
			latest = Math.max(latest, marks.times[i] + marks.durations[i]));
		latestEnds.set(marks.durations, ends);
	}
	const known = ends;
	return firstOf(0, marks.n, (i) => known[i] > time);
}

/**
 * Visit the bars that pass, judged by their first mark.
 * @param {Model} model @param {Filter} filter @param {(bar: number) => void} visit
 */
export function eachBar(model, filter, visit) {
	const { bars } = model;
	const threads = model.threadSet(filter.threads);
	const from = filter.from ?? -Infinity;
	const to = filter.to ?? Infinity;
	for (let i = 0; i < bars.n; i++)
		if (bars.times[i] >= from && bars.times[i] < to &&
			(!threads || threads[bars.threads[i]]))
			visit(i);
}

/** The marks that a filter selects, the slowest first; a share refers to all.
 * @param {Model} model @param {Filter} filter
 * @returns {Uint32Array} */
export function chooseMarks(model, filter) {
	const { marks, bars } = model;
	const wanted = model.markNamesOf(filter.mark || '');
	const threads = model.threadSet(filter.threads);
	const processes = threads && model.processesOf(threads);
	const shorter = filter.shorter ?? Infinity;
	/** @type {number[]} */
	const chosen = [];
	eachMark(model, filter, (i) => {
		const thread = model.threads[marks.threads[i]];
		if (wanted[marks.names[i]] && marks.durations[i] >= (filter.longer || 0) &&
			marks.durations[i] < shorter && (!threads || !processes ||
			(thread.tid < 0 ? processes[thread.process] : threads[thread.number])))
			chosen.push(i);
	});
	const sorted = Uint32Array.from(chosen);
	sorted.sort((a, b) => marks.durations[b] - marks.durations[a] ||
		marks.times[a] - marks.times[b] || a - b);
	let n = chosen.length;
	eachBar(model, filter, (i) => {
		if (wanted[bars.names[i]] && bars.least[i] < shorter &&
			bars.most[i] >= (filter.longer || 0))
			n += bars.counts[i];
	});
	return sorted.subarray(0, countSlowest(filter.slowest, n));
}

/** The times inside the chosen marks, by thread: begins and ends, disjoint and
 * ascending.
 * @param {Model} model @param {ArrayLike<number>} chosen
 * @returns {Float64Array[]} */
export function insides(model, chosen) {
	const { marks, threads } = model;
	/** @type {[number, number][][]} */
	const lists = threads.map(() => []);
	for (let k = 0; k < chosen.length; k++) {
		const i = chosen[k];
		const thread = threads[marks.threads[i]];
		/** @type {[number, number]} */
		const range = [marks.times[i], marks.times[i] + marks.durations[i]];
		if (thread.tid >= 0)
			lists[thread.number].push(range);
		else
			for (const other of threads)
				if (other.process === thread.process)
					lists[other.number].push(range);
	}
	return lists.map(joinPairs);
}

/** @param {[number, number][]} list */
function joinPairs(list) {
	/** @type {number[]} */
	const joined = [];
	list.sort((a, b) => a[0] - b[0]);
	for (const [begin, end] of list) {
		if (joined.length > 0 && begin <= joined[joined.length - 1])
			joined[joined.length - 1] =
				Math.max(end, joined[joined.length - 1]);
		else
			joined.push(begin, end);
	}
	return Float64Array.from(joined);
}

/** Join the times of all threads. @param {Float64Array[]} lists as insides()
 * has them */
function joinRanges(lists) {
	/** @type {[number, number][]} */
	const pairs = [];
	for (const list of lists)
		for (let k = 0; k < list.length; k += 2)
			pairs.push([list[k], list[k + 1]]);
	return joinPairs(pairs);
}

/** The first range of the list that ends after `time`. @param {Float64Array} list @param {number} time */
export function endOf(list, time) {
	return 2 * firstOf(0, list.length / 2, (i) => list[2 * i + 1] > time);
}

/** @param {Float64Array} list as insides() has them @param {number} time */
export function isInside(list, time) {
	const at = endOf(list, time);
	return at < list.length && list[at] <= time;
}

export const PASSES = 1; // flags of passingNodes()
export const OWN = 2; // the stack ends in syscap's own code

/** Flags of each node.  A stack passes if it has a wanted function and no
 * dropped function.  Without filter.recording, a stack in syscap's own code has
 * only the flag OWN.
 * @param {Model} model @param {Filter} filter
 * @returns {Uint8Array | null} null: all pass, and none is own */
export function passingNodes(model, filter, tree = model.tree) {
	const wanted = model.matcher(filter.function);
	const drop = model.matcher(filter.drop);
	const focus = model.matcher(filter.focus);
	const own = model.ownNodes(tree);
	if (!wanted && !drop && !focus && !own)
		return null;
	const need = (wanted ? 1 : 0) | (focus ? 4 : 0);
	const has = new Uint8Array(tree.n);
	const passes = new Uint8Array(tree.n);
	for (let i = 1; i < tree.n; i++) {
		const f = tree.functions[i];
		has[i] = has[tree.parents[i]] | (wanted && wanted[f] ? 1 : 0) |
			(drop && drop[f] ? 2 : 0) | (focus && focus[f] ? 4 : 0);
		if ((has[i] & 2) !== 0 || (has[i] & need) !== need)
			continue;
		passes[i] = own?.[i] ? OWN | (filter.recording ? PASSES : 0) : PASSES;
	}
	return passes;
}

/** Sums of the rows that pass, mostly of samples.  A moved brush adds and
 * subtracts rows. */
export class Passing {
	/** @param {Model} model @param {Filter} filter @param {Rows} [rows]
	 * @param {boolean} [isLook] compute no sums.
	 * @param {Costs} [into] memory for the sums of each node */
	constructor(model, filter, rows = model.samples, isLook = false, into) {
		this.rows = rows;
		this.nodes = passingNodes(model, filter, rows.tree);
		this.threads = model.threadSet(filter.threads);
		this.chosen = null;
		/** @type {Float64Array[] | null} */
		this.inside = null;
		if (filter.mark || filter.longer || filter.shorter || filter.slowest) {
			this.chosen = chooseMarks(model, filter);
			this.inside = insides(model, this.chosen);
		}
		this.at = new Uint32Array(model.threads.length);
		/** @type {Sums} */
		this.sums = {
			selfs: into?.fill(0) || new Float64Array(isLook ? 0 : rows.tree.n),
			threads: new Float64Array(model.threads.length),
			total: 0, n: 0, ticks: 0, own: 0,
		};
		const [low, high] = this.range(filter.from, filter.to);
		this.low = low;
		this.high = high;
		if (!isLook)
			this.add(this.low, this.high, 1);
	}

	/** @param {number} [from] @param {number} [to] @returns {[number, number]} */
	range(from, to) {
		const { times } = this.rows;
		const low = from === undefined ? 0 : times.find(from);
		return [low, to === undefined ? times.length
			: Math.max(low, times.find(to))];
	}

	/** Add rows `from` to `to` - 1, `sign` times. @param {number} from @param {number} to @param {number} sign */
	add(from, to, sign) {
		const { inside, at } = this;
		const { times } = this.rows;
		let n = 0;
		for (let t = 0; inside && t < inside.length; t++) {
			at[t] = endOf(inside[t], times.at(from));
			n += inside[t].length;
		}
		if (!inside || n > (to - from) / 16) {
			this.addRange(from, to, sign);
			return;
		}
		// Skip rows outside marks.
		const all = joinRanges(inside);
		let begin = from;
		for (let k = endOf(all, times.at(from)); k < all.length && begin < to; k += 2) {
			begin = times.find(all[k], begin, to);
			const end = times.find(all[k + 1], begin, to);
			this.addRange(begin, end, sign);
			begin = end;
		}
	}

	/** @param {number} from @param {number} to @param {number} sign */
	addRange(from, to, sign) {
		const { worth } = this.rows;
		const { sums } = this;
		const scaled = worth.map((one) => one * sign);
		/** Ticks of each thread. */
		const ofThreads = new Float64Array(worth.length);
		const isAll = !this.threads && !this.nodes && !this.inside;
		const { n, own } = isAll ? this.addAll(from, to, scaled, ofThreads)
			: this.addPassing(from, to, scaled, ofThreads);
		sums.n += sign * n;
		sums.own += own;
		for (let t = 0; t < worth.length; t++) {
			sums.ticks += sign * ofThreads[t];
			sums.threads[t] += ofThreads[t] * scaled[t];
			sums.total += ofThreads[t] * scaled[t];
		}
	}

	/** Add all rows, faster than addPassing().
	 * @param {number} from @param {number} to
	 * @param {Costs} scaled amount of a tick @param {Costs} ofThreads */
	addAll(from, to, scaled, ofThreads) {
		const { threads, nodes, ticks, counts } = this.rows;
		const { selfs } = this.sums;
		let n = 0;
		for (let i = from; i < to; i++) {
			const thread = threads[i], tick = ticks[i];
			selfs[nodes[i]] += tick * scaled[thread];
			ofThreads[thread] += tick;
		}
		for (let i = from; i < to; i++)
			n += ticks[i] === 0 ? 0 : counts?.[i] ?? 1;
		return { n, own: 0 };
	}

	/** @param {number} from @param {number} to
	 * @param {Costs} scaled amount of a tick @param {Costs} ofThreads */
	addPassing(from, to, scaled, ofThreads) {
		const { times, threads, nodes, ticks, counts } = this.rows;
		const { selfs } = this.sums;
		const { inside, at, threads: wanted, nodes: ofNodes } = this;
		let n = 0, own = 0;
		for (let i = from; i < to; i++) {
			const thread = threads[i], node = nodes[i], tick = ticks[i];
			if (wanted && !wanted[thread])
				continue;
			const flags = ofNodes ? ofNodes[node] : PASSES;
			if (flags === 0 || tick === 0)
				continue;
			if (inside) {
				const list = inside[thread], time = times.at(i);
				while (at[thread] < list.length && list[at[thread] + 1] <= time)
					at[thread] += 2;
				if (at[thread] >= list.length || list[at[thread]] > time)
					continue;
			}
			if (flags !== PASSES)
				own += tick * scaled[thread];
			if (flags === OWN)
				continue;
			selfs[node] += tick * scaled[thread];
			ofThreads[thread] += tick;
			n += counts ? counts[i] : 1;
		}
		return { n, own };
	}

	/** Whether a single row passes. @param {number} i */
	passes(i) {
		const { threads, nodes, times, ticks } = this.rows;
		return i >= this.low && i < this.high && ticks[i] !== 0 &&
			!(this.threads && !this.threads[threads[i]]) &&
			!(this.nodes && !(this.nodes[nodes[i]] & PASSES)) &&
			!(this.inside && !isInside(this.inside[threads[i]], times.at(i)));
	}

	/** Find passing rows at wanted nodes, by time: the first `most` and
	 * their number.
	 * @param {Uint8Array} wanted by node of the rows' tree @param {number} most
	 * @param {number} [thread] none: of any */
	find(wanted, most, thread) {
		const { threads, nodes } = this.rows;
		const found = [];
		let n = 0;
		for (let i = this.low; i < this.high; i++) {
			if (!wanted[nodes[i]] || !this.passes(i) ||
				(thread !== undefined && threads[i] !== thread))
				continue;
			if (n++ < most)
				found.push(i);
		}
		return { found, n };
	}

	/** Compute the sums for another brush, for filters without marks.
	 * @param {number} [from] @param {number} [to] */
	move(from, to) {
		const [low, high] = this.range(from, to);
		if (low >= this.high || high <= this.low) {
			this.add(this.low, this.high, -1);
			this.add(low, high, 1);
		} else {
			if (low < this.low)
				this.add(low, this.low, 1);
			else
				this.add(this.low, low, -1);
			if (high > this.high)
				this.add(this.high, high, 1);
			else
				this.add(high, this.high, -1);
		}
		this.low = low;
		this.high = high;
	}
}
