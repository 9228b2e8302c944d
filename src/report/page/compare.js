// SPDX-License-Identifier: BSD-2-Clause
// compare.js - differences inside a part of the capture: its samples against
// the rest, or against other marks of the same name.
import { hasTransforms, runningTimes, shape } from './analysis.js';
import { chooseMarks, PASSES, Passing, passingNodes, quoteRegex } from './filter.js';
import { ALL_TIME, NO_MARKS, readSpan } from './state.js';
import { mergeTrees, moveSelfs, sumFunctions, sumUp } from './tree.js';

/** @param {Costs} from @param {Costs} what */
const without = (from, what) => from.map((n, i) => n - what[i]);

/** @param {Model} model @param {Filter} filter @param {State} state
 * @param {string} name @param {Costs} base what @filter leaves */
function pickSides(model, filter, state, name, base) {
	const kind = state.compare || 'slowest';
	const sums = (/** @type {Filter} */ f) =>
		new Passing(model, f).sums.selfs;
	const beside = readSpan(state.beside);
	if (kind === 'brush' && beside)
		return { kind, one: base, all: base,
			rest: sums({ ...filter, from: beside[0], to: beside[1] }) };
	if (kind === 'brush')
		return { kind, one: base, all: filter.from === undefined &&
			filter.to === undefined ? base
			: sums({ ...filter, ...ALL_TIME }) };
	if (kind === 'thread')
		return { kind, one: sums({ ...filter, threads: [state.thread || 0] }),
			all: filter.threads ? sums({ ...filter, threads: undefined }) : base };
	if (kind === 'search') {
		const search = state.search || '';
		const pattern = search.startsWith('/') ? search.slice(1).replace(/\/$/, '')
			: quoteRegex(search);
		const passes = pattern ? passingNodes(model,
			{ function: pattern, recording: true }) : null;
		return { kind, all: base, one: base.map((self, i) =>
			passes && passes[i] & PASSES ? self : 0) };
	}
	const all = { ...filter, ...NO_MARKS };
	const marked = { ...all, mark: name };
	const one = kind === 'range' ? { ...filter, mark: name, slowest: undefined }
		: { ...marked, slowest: state.amount || '1%' };
	return { kind, one: sums(one), marks: chooseMarks(model, one),
		allMarks: chooseMarks(model, marked),
		all: sums(state.against === 'rest' ? all : marked) };
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
	return { tree, byMark: false, marks: new Uint32Array(0),
		one: make(model.facts.title, mine.selfs, ones),
		other: make(model.facts.other, theirs.selfs, others) };
}

/**
 * @param {Model} model @param {Filter} filter
 * @param {State} state @param {string} name of marks
 * @param {Costs} [base] result of the filter, if known
 * @returns {Comparison}
 */
export function compare(model, filter, state, name,
	base = new Passing(model, filter).sums.selfs) {
	if (state.compare === 'file')
		return compareFiles(model, filter, base);
	const sides = pickSides(model, filter, state, name, base);
	/** @type {{tree: Tree, nodes: Int32Array | null}} */
	const shaped = hasTransforms(filter)
		? shape(model, filter, model.tree, sides.all)
		: { tree: model.tree, nodes: null };
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
		brush: ['what is brushed', sides.rest ? 'what was brushed before'
			: 'all other times'],
		thread: ['the thread', 'all other threads'],
		search: ['stacks with ' + (state.search || 'the search'),
			'all other stacks'],
	}[sides.kind] || ['one', 'other'];
	return { tree: shaped.tree, byMark, marks,
		one: make(sides.one, words[0], marks),
		other: make(sides.rest || without(sides.all, sides.one), words[1], others) };
}

/**
 * The excess of @one over @other, without constant activity.  A thread that
 * always sleeps also sleeps longer in a longer mark, which means nothing.
 * @param {Comparison} comparison @param {number} one @param {number} other sums, divided
 */
export function unexpected(comparison, one, other) {
	const { byMark, one: here, other: there } = comparison;
	if (!byMark || there.duration === 0)
		return one - other;
	const usual = other * here.duration / there.duration;
	return one > other ? Math.max(one - Math.max(other, usual), 0) : one - other;
}

/** A function on both sides. Made on demand, since few of 10⁵ functions are
 * examined. */
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
	return rows;
}
