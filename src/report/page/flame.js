// SPDX-License-Identifier: BSD-2-Clause
// flame.js - where the boxes of a flame graph are (by weight), and of a flame
// chart (in order of time).
import { firstOf } from './filter.js';
import { pathTo } from './tree.js';

const NARROW = 0.7; // pixels

/** @param {string} text */
export function hash(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return h >>> 0;
}

/** What nodes of a tree are called; the root has function 0, "all".
 * @param {Model} model @param {Tree} tree */
export function namesOf(model, tree) {
	return (/** @type {number} */ node) => model.nameOf(tree.functions[node]);
}

/**
 * What colour a function has.
 * @param {Model} model @param {Theme} theme @param {string} by
 * @returns {(f: number) => string}
 */
export function colouring(model, theme, by) {
	/** @type {Map<number, string>} */
	const known = new Map();
	return (f) => {
		let colour = known.get(f);
		if (colour === undefined) {
			const category = model.categoryOf(f);
			colour = f === 0 || category === 4 ? theme.categories[4]
				: by === 'binary'
					? theme.series[hash(model.binaryOf(f)) % theme.series.length]
					: theme.categories[category] || theme.categories[0];
			known.set(f, colour);
		}
		return colour;
	};
}

/**
 * Boxes below @zoom, as wide as their totals, and those above it.
 * @param {{tree: Tree, totals: Float64Array, zoom: number, width: number,
 *   label: (node: number) => string, colour: (node: number) => string, found?: Uint8Array | null}} what
 * @returns {{boxes: Box[], rows: number}}
 */
export function layoutGraph(what) {
	const { tree, totals, zoom, width } = what;
	/** @type {Box[]} */
	const boxes = [];
	const above = zoom === 0 ? [] : [0, ...pathTo(tree, tree.parents[zoom])];
	above.forEach((node, row) => boxes.push({ x: 0, w: width, row,
		colour: what.colour(node), label: what.label(node), id: node,
		dim: true, found: false }));
	const top = tree.depths[zoom];
	const perPixel = totals[zoom] / width;
	let rows = above.length;
	if (!(totals[zoom] > 0))
		return { boxes, rows };
	/** Where the next box of each depth begins. */
	const next = [0];
	/** Small ones that have not been told yet, by depth. */
	/** @type {{x: number, w: number, n: number, first: number}[]} */
	const small = [];
	const tell = (/** @type {number} */ depth) => {
		const group = small[depth];
		if (!group || group.n === 0)
			return;
		if (group.w >= 0.5)
			boxes.push({ x: group.x, w: group.w, row: depth, colour: '',
				label: '…' + group.n + ' smaller', id: -1 - group.first,
				hatched: true });
		group.n = 0;
	};
	for (let i = zoom; i < tree.ends[zoom];) {
		const depth = tree.depths[i];
		const place = depth - top;
		const w = totals[i] / perPixel;
		const x = next[place] || 0;
		if (totals[i] === 0) {
			i = tree.ends[i];
			continue;
		}
		next[place] = x + w;
		const group = small[depth];
		if (w < NARROW) {
			if (group && group.n > 0 && Math.abs(group.x + group.w - x) < 0.01) {
				group.w += w;
				group.n++;
			} else {
				tell(depth);
				small[depth] = { x, w, n: 1, first: i };
			}
			rows = Math.max(rows, depth + 1);
			i = tree.ends[i];
			continue;
		}
		tell(depth);
		next[place + 1] = x;
		boxes.push({ x, w, row: depth, colour: what.colour(i),
			label: what.label(i), id: i,
			found: Boolean(what.found && what.found[i]) });
		rows = Math.max(rows, depth + 1);
		i++;
	}
	for (let depth = 0; depth < small.length; depth++)
		tell(depth);
	boxes.sort((a, b) => a.row - b.row || a.x - b.x);
	return { boxes, rows };
}

/**
 * Stacks of one thread in order of time: each goes on until the next sample,
 * at most for twice what it stands for.
 * @param {{model: Model, thread: number, nodes: Int32Array | null,
 *   tree: Tree, scale: Scale, left: number,
 *   passes: Uint8Array | null, label: (node: number) => string, colour: (node: number) => string}} what
 * @returns {{boxes: Box[], rows: number}}
 */
export function layoutChart(what) {
	const { model, tree, scale, left } = what;
	const { times, ticks, nodes: bases } = model.samples;
	const list = model.samplesOf(what.thread);
	/** @type {Box[]} */
	const boxes = [];
	let rows = 1;
	const worth = model.isTime ? model.ticks[what.thread] : 1e6;
	const find = (/** @type {number} */ time, /** @type {number} */ low) =>
		firstOf(low, list.length, (i) => times.at(list[i]) >= time);
	/** Open boxes, by depth. @type {{node: number, x: number, end: number}[]} */
	let open = [];
	const close = (/** @type {number} */ depth) => {
		while (open.length > depth) {
			const box = /** @type {{node: number, x: number, end: number}} */ (open.pop());
			const f = box.node;
			boxes.push({ x: left + box.x, w: box.end - box.x,
				row: tree.depths[f] - 1, colour: what.colour(f),
				label: what.label(f), id: f });
			rows = Math.max(rows, tree.depths[f]);
		}
	};
	const pixel = 1 / Math.max(globalThis.devicePixelRatio || 1, 1);
	let k = find(scale.from - 2 * worth, 0);
	while (k < list.length && times.at(list[k]) < scale.to) {
		const s = list[k];
		const time = times.at(s);
		const following = k + 1 < list.length ? times.at(list[k + 1]) : Infinity;
		const stop = Math.min(following, time + 2 * worth * ticks[s]);
		const x = Math.max(scale.x(time), 0);
		let end = Math.min(scale.x(stop), scale.width);
		const node = what.nodes ? what.nodes[bases[s]] : bases[s];
		// What lies in one pixel of the screen is one box.
		const next = Math.max(k + 1, find(scale.time(x + pixel), k + 1));
		if (next > k + 1)
			end = Math.max(end, Math.min(x + pixel, scale.width));
		k = next;
		if (node <= 0 || (what.passes && !what.passes[bases[s]])) {
			close(0);
			continue;
		}
		const path = pathTo(tree, node);
		let same = 0;
		while (same < open.length && same < path.length &&
			open[same].node === path[same] && x - open[same].end < 0.75)
			same++;
		close(same);
		for (let depth = 0; depth < path.length; depth++) {
			if (depth < same)
				open[depth].end = end;
			else
				open.push({ node: path[depth], x, end });
		}
	}
	close(0);
	boxes.sort((a, b) => a.row - b.row || a.x - b.x);
	return { boxes, rows };
}

/**
 * Which nodes of a tree a search finds, and how much of all that is: what is
 * found inside of what is found counts once.
 * @param {Model} model @param {Tree} tree
 * @param {Float64Array} totals @param {string} search
 */
export function findNodes(model, tree, totals, search) {
	const match = searching(search);
	if (!match)
		return null;
	const by = new Int8Array(model.nFunctions);
	const found = new Uint8Array(tree.n);
	const outermost = [];
	let share = 0, inside = 0;
	for (let i = 1; i < tree.n; i++) {
		if (totals[i] === 0) {
			i = tree.ends[i] - 1;
			continue;
		}
		const f = tree.functions[i];
		if (by[f] === 0)
			by[f] = match(model.nameOf(f)) ? 1 : -1;
		if (by[f] > 0) {
			found[i] = 1;
			if (i >= inside) {
				share += totals[i];
				outermost.push(i);
				inside = tree.ends[i];
			}
		}
	}
	outermost.sort((a, b) => totals[b] - totals[a] || a - b);
	return { found, share, outermost };
}

/** "/regex/", or a part of a name in any case. @param {string} search @returns {((name: string) => boolean) | null} */
export function searching(search) {
	if (!search || search === '/')
		return null;
	if (search.startsWith('/')) {
		const source = search.slice(1).replace(/\/$/, '');
		try {
			const regex = new RegExp(source, 'u');
			return (name) => regex.test(name);
		} catch (error) {
			return null;
		}
	}
	const low = search.toLowerCase();
	return (name) => name.toLowerCase().includes(low);
}
