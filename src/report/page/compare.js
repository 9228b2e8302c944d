// SPDX-License-Identifier: BSD-2-Clause
// compare.js - differences inside a capture: samples of a part against the
// rest, or against other marks of the same name.
import { hasTransforms, shape } from './analysis.js';
import { runningTimes } from './mark_stats.js';
import { chooseMarks, firstOf, PASSES, Passing, passingNodes, quoteRegex } from
	'./filter.js';
import { missedOf, quantileOf, testOf } from './significance.js';
import { ALL_TIME, hasTime, NO_MARKS, readSpan } from './state.js';
import { mergeTrees, moveSelfs, sumFunctions, sumUp } from './tree.js';

/** @param {Costs} from @param {Costs} what */
const without = (from, what) => from.map((n, i) => n - what[i]);

/** @param {Model} model @param {State} state */
export const threadOf = ({ byThread }, { thread }) => thread ??
	byThread.indexOf(Math.max(...byThread));

/** @param {Model} model @param {Filter} filter @param {State} state
 * @param {string} name @param {Costs} base what @filter leaves @param {Rows} rows */
function pickSides(model, filter, state, name, base, rows) {
	const kind = state.compare || 'slowest';
	const sums = (/** @type {Filter} */ f) =>
		new Passing(model, f, rows).sums.selfs;
	const beside = readSpan(state.beside);
	const look = (/** @type {Filter} */ f) => new Passing(model, f, rows, true);
	/** Sides of rows that pass @one, and of other rows that pass @all.
	 * @param {Passing} one @param {Passing} all */
	const sides = (one, all) => (/** @type {number} */ i) => one.passes(i) ? 0
		: all.passes(i) ? 1 : -1;
	if (kind === 'brush' && beside) {
		const other = { ...filter, from: beside[0], to: beside[1] };
		return { kind, one: base, all: base, rest: sums(other),
			sideOf: sides(look(filter), look(other)) };
	}
	if (kind === 'brush') {
		const all = { ...filter, ...ALL_TIME };
		return { kind, one: base, all: !hasTime(filter) ? base : sums(all),
		sideOf: sides(look(filter), look(all)) };
	}
	if (kind === 'thread') {
		const mine = { ...filter, threads: [threadOf(model, state)] };
		const all = { ...filter, threads: undefined };
		return { kind, one: sums(mine), all: filter.threads ? sums(all) : base,
			sideOf: sides(look(mine), look(all)) };
	}
	if (kind === 'search') {
		const search = state.search || '';
		const pattern = search.startsWith('/') ? search.slice(1).replace(/\/$/, '')
			: quoteRegex(search);
		const passes = pattern ? passingNodes(model,
			{ function: pattern, recording: true }, rows.tree) : null;
		const all = look(filter);
		return { kind, all: base, one: base.map((self, i) =>
			passes && passes[i] & PASSES ? self : 0),
		sideOf: (/** @type {number} */ i) => !all.passes(i) ? -1
			: passes && passes[rows.nodes[i]] & PASSES ? 0 : 1 };
	}
	const all = { ...filter, ...NO_MARKS };
	const marked = { ...all, mark: name };
	const one = kind === 'range' ? { ...filter, mark: name, slowest: undefined }
		: { ...marked, slowest: state.amount || '1%' };
	return { kind, one: sums(one), marks: chooseMarks(model, one),
		allMarks: chooseMarks(model, marked),
		all: sums(state.against === 'rest' ? all : marked),
		sideOf: sides(look(one), look(all)), passing: look(all) };
}

const BLOCKS = 10; // units of a part: blocks of equal amounts, by time

/** Sums and squares of each function over the units of a part: shares of blocks
 * of time, or amounts of marks. */
class Units {
	/** @param {number} nFunctions @param {ArrayLike<number>} functions of each
	 * node; below 0: none @param {number} step least difference of two amounts */
	constructor(nFunctions, functions, step) {
		this.functions = functions;
		this.step = step;
		this.n = 0;
		this.sums = new Float64Array(nFunctions);
		this.squares = new Float64Array(nFunctions);
		/** Number of events of each function itself. */
		this.counts = new Float64Array(nFunctions);
		this.unit = new Float64Array(nFunctions);
		/** @type {number[]} */
		this.touched = [];
		this.inUnit = 0;
		this.before = 0;
		/** The amount before the next block. */
		this.next = 0;
	}

	/** @param {number} node @param {number} amount @param {number} n */
	add(node, amount, n) {
		const f = this.functions[node];
		this.inUnit += amount;
		if (f < 0)
			return;
		if (this.unit[f] === 0)
			this.touched.push(f);
		this.unit[f] += amount;
		this.counts[f] += n;
	}

	/** Add to the present block of a part with the sum @total.
	 * @param {number} total @param {number} node @param {number} amount @param {number} n */
	addToBlock(total, node, amount, n) {
		if (this.before >= this.next) {
			if (this.inUnit > 0)
				this.end(this.inUnit);
			const block = Math.floor(this.before * BLOCKS / total) + 1;
			this.next = block < BLOCKS ? block * total / BLOCKS : Infinity;
		}
		this.before += amount;
		this.add(node, amount, n);
	}

	/** End a unit. @param {number} per divisor of its amounts */
	end(per) {
		for (const f of this.touched) {
			const value = this.unit[f] / per;
			this.sums[f] += value;
			this.squares[f] += value * value;
			this.unit[f] = 0;
		}
		this.touched = [];
		this.inUnit = 0;
		this.n++;
	}

	/** End the last block. @param {number} total */
	endBlocks(total) {
		if (this.inUnit > 0)
			this.end(this.inUnit);
		this.step /= total / BLOCKS;
	}
}

/** The least amount of a row. @param {Rows} rows */
const stepOf = ({ worth, noun }) => noun === 'sample' ? Math.max(...worth) : 1;

/** Blocks of both sides. `sideOf`: 0, 1, or -1.
 * @param {EventRows} rows @param {Units[]} units @param {number[]} totals
 * @param {(row: number) => number} sideOf */
function addBlocks(rows, units, totals, sideOf) {
	const { n, threads, nodes, ticks, worth, counts } = rows;
	for (let i = 0; i < n; i++) {
		const side = sideOf(i);
		if (side >= 0)
			units[side].addToBlock(totals[side], nodes[i], ticks[i] * worth[threads[i]],
				counts ? counts[i] : 1);
	}
	units.forEach((one, side) => one.endBlocks(totals[side]));
}

/** Each mark is a unit. @param {Model} model @param {Rows} rows @param {Units} units
 * @param {Passing} passing @param {ArrayLike<number>} marks */
function addMarks(model, rows, units, passing, marks) {
	const { times, ticks, nodes, worth, counts } = rows;
	for (let k = 0; k < marks.length; k++) {
		const i = marks[k], begin = model.marks.times[i];
		const end = begin + model.marks.durations[i];
		const { tid, process, number } = model.threads[model.marks.threads[i]];
		const threads = tid >= 0 ? [number] : model.threads.filter((thread) =>
			thread.process === process).map((thread) => thread.number);
		for (const t of threads) {
			const list = rows.ofThread(t);
			let at = firstOf(0, list.length, (j) => times.at(list[j]) >= begin);
			for (; at < list.length && times.at(list[at]) < end; at++) {
				const row = list[at];
				if (passing.passes(row))
					units.add(nodes[row], ticks[row] * worth[t],
						counts ? counts[row] : 1);
			}
		}
		units.end(1);
	}
}

/** @param {Model} model @param {Uint32Array} marks */
function each(model, marks) {
	let duration = 0, running = 0;
	for (const time of runningTimes(model, marks))
		running += time;
	for (const i of marks)
		duration += model.marks.durations[i];
	const n = Math.max(marks.length, 1);
	return { nMarks: marks.length, duration: duration / n, running: running / n };
}

/** The function at the place of each node in a shaped tree; -1: none.
 * @param {{tree: Tree, nodes: Int32Array | null}} shaped */
const functionsAt = ({ tree, nodes }) => nodes ? nodes.map((at) =>
	at < 0 ? -1 : tree.functions[at]) : tree.functions;

/** Compare with the other capture, which can be filtered only by functions.
 * @param {Model} model @param {Filter} filter @param {Costs} base @returns {Comparison} */
function compareFiles(model, filter, base) {
	const { tree: otherTree, selfs } = /** @type {NonNullable<typeof model.other>} */ (
		model.other);
	const passes = passingNodes(model, filter, otherTree);
	const mine = shape(model, filter, model.tree, base);
	const theirs = shape(model, filter, otherTree, passes
		? selfs.map((self, i) => passes[i] & PASSES ? self : 0) : selfs);
	const { tree, ones, others } = mergeTrees(mine.tree, theirs.tree);
	const make = (/** @type {string} */ text, /** @type {Costs} */ base,
		/** @type {Int32Array} */ nodes) => {
		const moved = moveSelfs(base, nodes, tree.n);
		const totals = sumUp(tree, moved);
		return { text, selfs: moved, totals, total: totals[0], nMarks: 0,
			duration: 0, running: 0, per: totals[0] || 1 };
	};
	const one = make(model.facts.title, mine.selfs, ones);
	const other = make(model.facts.other, theirs.selfs, others);
	const { rows } = /** @type {NonNullable<typeof model.other>} */ (model.other);
	const here = new Passing(model, filter, model.samples, true);
	const units = [mine, theirs].map((shaped) =>
		new Units(model.nFunctions, functionsAt(shaped), 0));
	addBlocks(model.samples, [units[0]], [one.total], (i) => here.passes(i) ? 0 : -1);
	addBlocks(rows, [units[1]], [other.total], (i) =>
		passes && !(passes[rows.nodes[i]] & PASSES) ? -1 : 0);
	units[0].step = stepOf(model.samples) / (one.total / BLOCKS);
	let step = 0;
	for (let i = 0; i < rows.n; i++)
		step = Math.max(step, rows.ticks[i] / (rows.counts?.[i] || 1));
	units[1].step = step / (other.total / BLOCKS);
	return { tree, byMark: false, marks: new Uint32Array(0), one, other, units, missed: 0 };
}

/**
 * @param {Model} model @param {Filter} filter
 * @param {State} state @param {string} name of marks
 * @param {Costs} [base] result of the filter, if known @param {Rows} [rows]
 * @returns {Comparison}
 */
export function compare(model, filter, state, name,
	base = new Passing(model, filter).sums.selfs, rows = model.samples) {
	if (state.compare === 'file')
		return compareFiles(model, filter, base);
	const sides = pickSides(model, filter, state, name, base, rows);
	/** @type {{tree: Tree, nodes: Int32Array | null}} */
	const shaped = hasTransforms(filter)
		? shape(model, filter, rows.tree, sides.all)
		: { tree: rows.tree, nodes: null };
	const move = (/** @type {Costs} */ base) => shaped.nodes
		? moveSelfs(base, shaped.nodes, shaped.tree.n) : base;
	const byMark = Boolean(sides.marks) && state.against !== 'rest';
	const make = (/** @type {Costs} */ base, /** @type {string} */ text,
		/** @type {Uint32Array} */ marks) => {
		const selfs = move(base);
		const totals = sumUp(shaped.tree, selfs);
		const facts = each(model, marks);
		return { text, selfs, totals, total: totals[0], ...facts,
			per: byMark ? Math.max(facts.nMarks, 1) : totals[0] || 1 };
	};
	const marks = sides.marks || new Uint32Array(0);
	const inside = new Set(marks);
	const others = (sides.allMarks || marks).filter((i) => !inside.has(i));
	const words = {
		slowest: ['the slowest ' + (state.amount || '1%') + ' of ' + name,
			state.against === 'rest' ? 'everything else' : 'the others'],
		range: [name + ' of the chosen durations', 'the others'],
		brush: ['the selected time', sides.rest ? 'the time selected before'
			: 'all other times'],
		thread: ['the thread', 'all other threads'],
		search: ['stacks with ' + (state.search || 'the search'),
			'all other stacks'],
	}[sides.kind] || ['one', 'other'];
	const one = make(sides.one, words[0], marks);
	const other = make(sides.rest || without(sides.all, sides.one), words[1], others);
	const functions = functionsAt(shaped);
	const units = [0, 1].map(() =>
		new Units(model.nFunctions, functions, stepOf(rows)));
	if (byMark && sides.passing) {
		addMarks(model, rows, units[0], sides.passing, marks);
		addMarks(model, rows, units[1], sides.passing, others);
	} else {
		addBlocks(rows, units, [one.total, other.total], sides.sideOf);
	}
	return { tree: shaped.tree, byMark, marks, one, other, units, missed: 0 };
}

/**
 * The excess of @one over @other, without constant activity.  A longer mark has
 * more time of a sleeping thread, which explains nothing.
 * @param {Comparison} comparison @param {number} one @param {number} other sums, divided
 */
export function unexpected(comparison, one, other) {
	const { byMark, one: here, other: there } = comparison;
	if (!byMark || there.duration === 0)
		return one - other;
	const usual = other * here.duration / there.duration;
	return one > other ? Math.max(one - Math.max(other, usual), 0) : one - other;
}

const LEAST = 0.01; // share of a function that is judged

/** A function on both sides.  The page makes a row on demand, since a user
 * examines few functions. */
class Compared {
	/** @param {number} f @param {Comparison} comparison @param {{selfs: Costs, totals: Costs}[]} sums of functions */
	constructor(f, comparison, sums) {
		this.f = f;
		this.comparison = comparison;
		this.sums = sums;
	}

	get self() {
		return this.sums[0].selfs[this.f] / this.comparison.one.per;
	}

	get otherSelf() {
		return this.sums[1].selfs[this.f] / this.comparison.other.per;
	}

	get unexpected() {
		return unexpected(this.comparison, this.self, this.otherSelf);
	}

	/** Number of events of the function itself, by side. */
	get n() {
		return this.comparison.units.map(({ counts }) => counts[this.f]);
	}

	/** Whether an amount is large enough to be judged, as in `diff`. */
	get isJudged() {
		const { sums: [a, b], comparison: { one, other }, f } = this;
		return a.selfs[f] >= one.total * LEAST && a.selfs[f] + b.selfs[f] > 0 &&
			one.total > 0 || b.selfs[f] >= other.total * LEAST && other.total > 0;
	}

	/** @returns {Tested | null} */
	get tested() {
		const [one, other] = this.comparison.units;
		return testOf(this.self - this.otherSelf, one, other, this.f);
	}

	get differs() {
		return this.isJudged && (this.tested?.p ?? 1) < this.comparison.missed;
	}

	/** Half of the interval of the difference; NaN: unknown. */
	get error() {
		const { tested, comparison: { missed } } = this;
		return tested ? quantileOf(missed, tested.degrees) * tested.error : NaN;
	}

	get more() {
		const { sums: [a, b], comparison: { one, other } } = this;
		return a.totals[this.f] / one.per - b.totals[this.f] / other.per;
	}
}

/** @param {Model} model @param {Comparison} comparison */
export function compareFunctions(model, comparison) {
	const { tree, one, other } = comparison;
	const sums = [one, other].map(({ selfs, totals }) =>
		sumFunctions(tree, selfs, totals, model.nFunctions));
	const rows = [];
	for (let f = 1; f < model.nFunctions; f++)
		if (sums[0].totals[f] !== 0 || sums[1].totals[f] !== 0)
			rows.push(new Compared(f, comparison, sums));
	comparison.missed = missedOf(rows.flatMap((row) => {
		const p = row.isJudged ? row.tested?.p : undefined;
		return p === undefined ? [] : [p];
	}));
	return rows;
}
