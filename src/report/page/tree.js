// SPDX-License-Identifier: BSD-2-Clause
// tree.js - trees of functions.  Each node precedes its callees, so that the
// nodes below node i are i + 1 to ends[i] - 1.

/** @param {ArrayLike<number>} depths @param {ArrayLike<number>} functions @returns {Tree} */
export function makeTree(depths, functions) {
	// before loading, a tree has only a root
	if (depths.length === 0)
		return makeTree([0], [0]);
	const n = depths.length;
	const parents = new Uint32Array(n);
	const ends = new Uint32Array(n);
	/** @type {number[]} */
	const path = [];
	for (let i = 0; i < n; i++) {
		const depth = depths[i];
		while (path.length > depth)
			ends[/** @type {number} */ (path.pop())] = i;
		parents[i] = depth > 0 ? path[depth - 1] : 0;
		path.push(i);
	}
	while (path.length > 0)
		ends[/** @type {number} */ (path.pop())] = n;
	return { n, depths, functions, parents, ends };
}

/** The path to a node, without the root. @param {Tree} tree @param {number} node */
export function pathTo(tree, node) {
	const path = [];
	for (let i = node; i !== 0; i = tree.parents[i])
		path.push(i);
	return path.reverse();
}

/** Total of a node. @param {Tree} tree @param {Costs} selfs
 * @param {Costs} [into] */
export function sumUp(tree, selfs, into) {
	into?.set(selfs);
	const totals = into || selfs.slice();
	for (let i = tree.n - 1; i > 0; i--)
		totals[tree.parents[i]] += totals[i];
	return totals;
}

/**
 * Self and total of each function.  In a recursion, the total counts once.
 * @param {Tree} tree @param {Costs} selfs @param {Costs} totals
 * @param {number} n number of functions
 */
export function sumFunctions(tree, selfs, totals, n) {
	const sums = { selfs: new Float64Array(n), totals: new Float64Array(n) };
	const open = new Uint32Array(n);
	const path = [];
	for (let i = 1; i < tree.n; i++) {
		if (totals[i] === 0) {
			i = tree.ends[i] - 1;
			continue;
		}
		while (path.length >= tree.depths[i])
			open[/** @type {number} */ (path.pop())]--;
		const f = tree.functions[i];
		sums.selfs[f] += selfs[i];
		if (open[f]++ === 0)
			sums.totals[f] += totals[i];
		path.push(f);
	}
	return sums;
}

/** Functions with an amount, the largest first. @param {Costs} sums */
export const rank = (sums) => Array.from(sums, (_, i) => i)
	.filter((i) => sums[i] > 0).sort((a, b) => sums[b] - sums[a]);

/** A tree that gets nodes in any order, and is sorted afterwards. */
class Growing {
	constructor() {
		this.parents = [0];
		this.functions = [0];
		/** @type {Map<number, number>} */
		this.children = new Map();
	}

	/** @param {number} parent @param {number} f */
	child(parent, f) {
		const key = parent * 0x1000000 + f;
		let node = this.children.get(key);
		if (node === undefined) {
			node = this.parents.length;
			this.parents.push(parent);
			this.functions.push(f);
			this.children.set(key, node);
		}
		return node;
	}

	/** Sort by insertion.  Returns the tree, and each node's new number. */
	settle() {
		const n = this.parents.length;
		const first = new Int32Array(n).fill(-1);
		const next = new Int32Array(n).fill(-1);
		for (let i = n - 1; i > 0; i--) {
			next[i] = first[this.parents[i]];
			first[this.parents[i]] = i;
		}
		const depths = new Uint32Array(n);
		const functions = new Uint32Array(n);
		const places = new Uint32Array(n);
		let at = 0, node = 0, depth = 0;
		for (;;) {
			depths[at] = depth;
			functions[at] = this.functions[node];
			places[node] = at++;
			if (first[node] >= 0) {
				node = first[node];
				depth++;
				continue;
			}
			while (node !== 0 && next[node] < 0) {
				node = this.parents[node];
				depth--;
			}
			if (node === 0)
				break;
			node = next[node];
		}
		return { tree: makeTree(depths, functions), places };
	}
}

/** Merge two trees.  Returns the tree, and the new numbers of the nodes of both
 * trees.
 * @param {Tree} one @param {Tree} other */
export function mergeTrees(one, other) {
	const grown = new Growing();
	const add = (/** @type {Tree} */ tree) => {
		const nodes = new Uint32Array(tree.n);
		for (let i = 1; i < tree.n; i++)
			nodes[i] = grown.child(nodes[tree.parents[i]], tree.functions[i]);
		return nodes;
	};
	const ones = add(one), others = add(other);
	const { tree, places } = grown.settle();
	return { tree, ones: Int32Array.from(ones, (i) => places[i]),
		others: Int32Array.from(others, (i) => places[i]) };
}

export const HIDDEN = 4; // "[system]": all frames were hidden
const NOTE = 4; // categories
const SYSTEM = 1;
const KERNEL = 3;

/**
 * @param {Tree} tree @param {Costs} totals nodes without any are left out
 * @param {(f: number) => number} category @param {Transforms} what
 * @returns {{tree: Tree, nodes: Int32Array}} nodes: new number of each node;
 * -1: none
 */
export function transform(tree, totals, category, what) {
	const grown = new Growing();
	const nodes = new Int32Array(tree.n).fill(-1);
	const focused = new Uint8Array(tree.n);
	nodes[0] = 0;
	for (let i = 1; i < tree.n; i++) {
		if (totals[i] === 0) {
			i = tree.ends[i] - 1;
			continue;
		}
		const f = tree.functions[i];
		const from = nodes[tree.parents[i]];
		const kind = category(f);
		nodes[i] = from;
		if (what.focus) {
			focused[i] = focused[tree.parents[i]] ||
				(kind !== NOTE && what.focus(f) ? 1 : 0);
			if (!focused[i])
				continue;
		}
		if (what.hideSystem && (kind === SYSTEM || kind === KERNEL))
			continue;
		const shown = what.collapse ? what.collapse(f) : f;
		if (from !== 0 && grown.functions[from] === shown &&
		    (what.collapseRecursion || shown !== f))
			continue;
		nodes[i] = grown.child(from, shown);
	}
	// Stacks without a remaining frame end at "[system]".
	for (let i = 1; i < tree.n; i++)
		if (nodes[i] === 0 && totals[i] > 0)
			nodes[i] = -2;
	const hides = nodes.indexOf(-2) >= 0 ? grown.child(0, HIDDEN) : 0;
	const { tree: made, places } = grown.settle();
	for (let i = 1; i < tree.n; i++)
		nodes[i] = nodes[i] === -2 ? places[hides]
			: nodes[i] >= 0 ? places[nodes[i]] : -1;
	return { tree: made, nodes };
}

/** @param {Costs} selfs @param {Int32Array} nodes @param {number} n */
export function moveSelfs(selfs, nodes, n) {
	const moved = new Float64Array(n);
	for (let i = 1; i < selfs.length; i++)
		if (selfs[i] !== 0 && nodes[i] >= 0)
			moved[nodes[i]] += selfs[i];
	return moved;
}

/**
 * The tree from the leaves: the self amount of functions, then their callers.
 * Nodes below `least` are not extended.
 * @param {Tree} tree @param {Costs} selfs @param {number} least
 */
export function invert(tree, selfs, least) {
	const depths = [0], functions = [0], sums = [0];
	const leaves = [];
	for (let i = 1; i < tree.n; i++)
		if (selfs[i] !== 0)
			leaves.push(i);
	/** A group of leaves, and the current caller of each leaf. */
	const follow = (/** @type {number[]} */ of, /** @type {number[]} */ at,
		/** @type {number} */ depth) => {
		const groups = new Map();
		for (let k = 0; k < of.length; k++) {
			if (at[k] === 0)
				continue;
			const f = tree.functions[at[k]];
			let group = groups.get(f);
			if (!group)
				groups.set(f, group = { f, of: [], at: [], sum: 0 });
			group.of.push(of[k]);
			group.at.push(tree.parents[at[k]]);
			group.sum += selfs[of[k]];
		}
		const sorted = Array.from(groups.values());
		sorted.sort((a, b) => b.sum - a.sum || a.f - b.f);
		return { sorted, depth, k: 0 };
	};
	const path = [follow(leaves, leaves, 1)];
	while (path.length > 0) {
		const level = path[path.length - 1];
		if (level.k === level.sorted.length) {
			path.pop();
			continue;
		}
		const group = level.sorted[level.k++];
		depths.push(level.depth);
		functions.push(group.f);
		sums.push(group.sum);
		if (group.sum >= least)
			path.push(follow(group.of, group.at, level.depth + 1));
		group.of = group.at = [];
	}
	const made = makeTree(depths, functions);
	const totals = Float64Array.from(sums);
	for (let i = 1; i < made.n; i = made.ends[i])
		totals[0] += totals[i];
	return { tree: made, totals };
}

/**
 * All callees or all callers of a function, as a tree.  In a recursion, the
 * outermost call counts.
 * @param {Tree} tree @param {Costs} selfs @param {Costs} totals
 * @param {number} f @param {boolean} callers
 */
export function around(tree, selfs, totals, f, callers) {
	if (!callers) {
		const marked = new Uint8Array(tree.n);
		const grown = new Growing();
		const nodes = new Int32Array(tree.n).fill(-1);
		for (let i = 1; i < tree.n; i++) {
			if (totals[i] === 0) {
				i = tree.ends[i] - 1;
				continue;
			}
			const up = tree.parents[i];
			marked[i] = marked[up] || tree.functions[i] === f ? 1 : 0;
			if (marked[i])
				nodes[i] = grown.child(marked[up] ? nodes[up] : 0,
					tree.functions[i]);
		}
		const { tree: made, places } = grown.settle();
		for (let i = 1; i < tree.n; i++)
			nodes[i] = nodes[i] >= 0 ? places[nodes[i]] : -1;
		return { tree: made,
			totals: sumUp(made, moveSelfs(selfs, nodes, made.n)) };
	}
	// The outermost call and all its callees are one leaf.
	const weights = new Float64Array(tree.n);
	for (let i = 1; i < tree.n; i++)
		if (tree.functions[i] === f) {
			weights[i] = totals[i];
			i = tree.ends[i] - 1;
		}
	return invert(tree, weights, 0);
}
