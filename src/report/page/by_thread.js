// SPDX-License-Identifier: BSD-2-Clause
// by_thread.js - flame graphs of all threads side by side, from one walk over
// the rows.
import { transformsOf } from './analysis.js';
import { Passing } from './filter.js';
import { makeTree, moveSelfs, rank, sumUp, transform } from './tree.js';

/** Nodes of a tree with rows of a thread, for one thread after another. */
class Parts {
	/** @param {Tree} tree */
	constructor(tree) {
		this.tree = tree;
		this.sums = new Float64Array(tree.n);
		this.seen = new Uint32Array(tree.n);
		this.turn = 0;
	}

	/** @param {ArrayLike<number>} list rows @param {(i: number) => boolean} passes
	 * @param {ArrayLike<number>} nodes by row @param {(i: number) => number} weight */
	take(list, passes, nodes, weight) {
		const { parents, depths, functions } = this.tree;
		const { sums, seen } = this;
		const turn = ++this.turn;
		const met = [0];
		seen[0] = turn;
		for (let k = 0; k < list.length; k++) {
			if (!passes(list[k]))
				continue;
			const node = nodes[list[k]];
			for (let i = node; seen[i] !== turn; i = parents[i]) {
				seen[i] = turn;
				sums[i] = 0;
				met.push(i);
			}
			sums[node] += weight(list[k]);
		}
		const kept = Uint32Array.from(met).sort();
		return {
			tree: makeTree(kept.map((i) => depths[i]),
				kept.map((i) => functions[i])),
			selfs: Float64Array.from(kept, (i) => i === 0 ? 0 : sums[i]),
		};
	}
}

/** Tree whose roots are threads, by node. @param {App} app */
export function treeByThread(app) {
	const { model } = app;
	const rows = app.rows();
	const filter = app.filter();
	const passing = new Passing(model, filter, rows);
	const what = transformsOf(model, filter);
	const parts = new Parts(rows.tree);
	const depths = [0], functions = [0], sums = [0];
	/** @type {Map<number, number>} */
	const roots = new Map();
	for (const t of rank(passing.sums.threads)) {
		let { tree, selfs } = parts.take(rows.ofThread(t),
			(i) => passing.passes(i), rows.nodes,
			(i) => rows.ticks[i] * rows.worth[t]);
		if (what) {
			const made = transform(tree, sumUp(tree, selfs),
				(f) => model.categoryOf(f), what);
			selfs = moveSelfs(selfs, made.nodes, made.tree.n);
			tree = made.tree;
		}
		const totals = sumUp(tree, selfs);
		roots.set(depths.length, t);
		for (let i = 0; i < tree.n; i++) {
			depths.push(tree.depths[i] + 1);
			functions.push(tree.functions[i]);
			sums.push(totals[i]);
		}
		sums[0] += totals[0];
	}
	return { tree: makeTree(depths, functions), totals: Float64Array.from(sums),
		roots };
}
