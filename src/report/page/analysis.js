// SPDX-License-Identifier: BSD-2-Clause
// analysis.js - the filtered part of a model: one tree, with sums.
import { Passing, readGlob } from './filter.js';
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

/** Analyses of a model.  The last result stays, since the next result of a
 * moving brush reuses its sums. */
export class Analyst {
	/** @param {Model} model */
	constructor(model) {
		this.model = model;
		this.key = '';
		this.totals = new Float64Array(0);
		/** @type {Passing | null} */
		this.passing = null;
	}

	/** @param {Filter} filter @param {Rows} [rows] @returns {Analysis} */
	answer(filter, rows = this.model.samples) {
		const key = JSON.stringify({ ...filter, from: 0, to: 0,
			focus: filter.focus || '' });
		if (this.passing && key === this.key && rows === this.passing.rows &&
			!this.passing.inside) {
			this.passing.move(filter.from, filter.to);
		} else {
			const selfs = this.passing?.sums.selfs;
			this.passing = new Passing(this.model, filter, rows, false,
				selfs?.length === rows.tree.n ? selfs : undefined);
			this.key = key;
		}
		if (this.totals.length !== rows.tree.n)
			this.totals = new Float64Array(rows.tree.n);
		const { sums, chosen } = this.passing;
		const shaped = shape(this.model, filter, rows.tree, sums.selfs,
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
