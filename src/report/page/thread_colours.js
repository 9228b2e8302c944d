// SPDX-License-Identifier: BSD-2-Clause
// thread_colours.js - the main thread of each box of a flame graph.
import { Passing } from './filter.js';
import { moveSelfs, rank, sumUp } from './tree.js';

// number of threads with a colour of their own
const COLOURED = 7;
const OTHERS = 255;

/**
 * The thread with at least two thirds of each node's samples, among the largest
 * threads; OTHERS: none.
 * @param {App} app @param {Tree} tree @param {Costs} totals @param {number[]} threads
 */
export function ownersOf(app, tree, totals, threads) {
	const { nodes } = app.analysis();
	const owners = new Uint8Array(tree.n).fill(OTHERS);
	threads.forEach((thread, k) => {
		const base = new Passing(app.model, { ...app.filter(),
			threads: [thread] }, app.rows()).sums.selfs;
		const sums = sumUp(tree, nodes ? moveSelfs(base, nodes, tree.n) : base);
		for (let i = 0; i < tree.n; i++)
			if (sums[i] > 0 && sums[i] * 3 >= totals[i] * 2)
				owners[i] = k;
	});
	return owners;
}

/**
 * @param {App} app @param {{tree: Tree, totals: Costs}} shown
 * @param {Map<number, number>} roots threads by their node
 * @returns {ThreadColours}
 */
export function colourByThread(app, shown, roots) {
	const { model, theme, state } = app;
	const { threads: sums } = app.analysis();
	const order = rank(sums), threads = order.slice(0, COLOURED);
	const { tree, totals } = shown;
	/** @type {Uint8Array} */
	let owners;
	if (state.show === 'threads') {
		owners = new Uint8Array(tree.n).fill(OTHERS);
		for (const [root, t] of roots)
			if (threads.includes(t))
				owners.fill(threads.indexOf(t), root, tree.ends[root]);
	} else {
		owners = ownersOf(app, tree, totals, threads);
	}
	/** @type {[string, string][]} */
	const legend = threads.map((t, k) => [theme.series[k], model.threadName(t)]);
	legend.push([theme.categories[4], order.length > COLOURED
		? 'several threads, or others' : 'several threads']);
	return { legend, colour: (node) => owners[node] === OTHERS
		? theme.categories[4] : theme.series[owners[node]] };
}
