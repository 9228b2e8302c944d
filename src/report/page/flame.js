// SPDX-License-Identifier: BSD-2-Clause
// flame.js - positions of boxes in a flame graph (by weight) and in a flame
// chart (by time).
import { NAMED } from './boxes.js';
import { firstOf, tryRegex } from './filter.js';
import { formatCount } from './format.js';
import { pathTo } from './tree.js';

const NARROW = 0.7; // pixels

/** A colour of a series. @param {Theme} theme @param {string} text */
function colourOf({ series }, text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return series[(h >>> 0) % series.length];
}

/** Colours of names of marks. @param {Model} model @param {Theme} theme */
export const coloursOfMarks = (model, theme) =>
	model.markNames.map((_, n) => colourOf(theme, model.markName(n)));

/** Names of the nodes of a tree; the root has function 0, "all".
 * @param {Model} model @param {Tree} tree */
export function namesOf(model, tree) {
	return (/** @type {number} */ node) => model.nameOf(tree.functions[node]);
}

/**
 * Colour of a function.
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
				: by === 'binary' ? colourOf(theme, model.binaryOf(f))
					: theme.categories[category] || theme.categories[0];
			known.set(f, colour);
		}
		return colour;
	};
}

/**
 * Boxes below `zoom`, with widths by their totals, and boxes above `zoom`.
 * @param {GraphOptions} what
 * @returns {Layout}
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
	/** Begin of the next box at each depth. */
	const next = [0];
	/** Pending narrow boxes, by depth. @type {Small[]} */
	const small = [];
	/** The next match from a node on. */
	let hit = -1;
	const has = (/** @type {number} */ from, /** @type {number} */ to) => {
		if (hit < from)
			hit = what.found ? what.found.indexOf(1, from) : Infinity;
		if (hit < 0)
			hit = Infinity;
		return hit < to;
	};
	const tell = (/** @type {number} */ depth) => {
		const group = small[depth];
		if (!group || group.n === 0)
			return;
		if (group.w >= 0.5)
			boxes.push({ x: group.x, w: group.w, row: depth, colour: '',
				label: '…' + formatCount(group.n) + ' smaller', id: -1 - group.first,
				found: group.found, hatched: true });
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
				small[depth] = { x, w, n: 1, first: i, found: false };
			}
			small[depth].found ||= has(i, tree.ends[i]);
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
	return { boxes, rows };
}

const LOOKED_AT = 64; // samples of a pixel, at most

/** The path to the most frequent node, and the samples of each node on the
 * path.
 * @param {Tree} tree @param {Int32Array} nodes of the samples, in order */
function mostOf(tree, nodes) {
	let best = 0, most = 0, low = 0, high = nodes.length;
	for (let i = 0; i < high; i++)
		if (nodes[i] === nodes[i - most]) {
			most++;
			best = nodes[i];
		}
	const path = pathTo(tree, best);
	const own = path.map((node) => {
		while (nodes[low] < node)
			low++;
		while (nodes[high - 1] >= tree.ends[node])
			high--;
		return high - low;
	});
	return { path, own };
}

/**
 * Stacks of one thread by time.  A stack lasts until the next sample, at most
 * twice its weight.  Of several stacks in a pixel, the pixel shows the most
 * frequent stack.
 * @param {ChartOptions} what
 * @returns {Layout}
 */
export function layoutChart(what) {
	const { model, tree, scale } = what;
	const { times, ticks, nodes: bases } = model.samples;
	const list = model.samples.ofThread(what.thread);
	/** @type {Box[][]} */
	const rows = [];
	const worth = model.isTime ? model.ticks[what.thread] : 1e6;
	const find = (/** @type {number} */ time, /** @type {number} */ low) =>
		firstOf(low, list.length, (i) => times.at(list[i]) >= time);
	/** The last box at each depth. @type {Box[]} */
	let open = [];
	const seen = new Int32Array(LOOKED_AT);
	const pixel = 1 / Math.max(globalThis.devicePixelRatio || 1, 1);
	let k = find(scale.from - 2 * worth, 0);
	while (k < list.length && times.at(list[k]) < scale.to) {
		let x = Math.max(scale.x(times.at(list[k])), 0);
		const edge = Math.floor(x / pixel) * pixel;
		const next = Math.max(k + 1, find(scale.time(edge + pixel), k + 1));
		if (next > k + 1)
			x = edge;
		const n = next - k, looks = Math.min(n, LOOKED_AT);
		let all = 0;
		for (let j = 0; j < looks; j++) {
			// Of many samples, take some at irregular distances,
			// since a program may be periodic.
			const s = list[k + (looks === n ? j
				: Math.floor((j + j * 0.618034 % 1) * n / looks))];
			const node = what.nodes ? what.nodes[bases[s]] : bases[s];
			if (node > 0 && what.passes(s))
				seen[all++] = node;
		}
		const last = list[next - 1];
		const end = Math.min(scale.width, Math.max(n > 1 ? x + pixel : 0,
			scale.x(Math.min(next < list.length ? times.at(list[next]) : Infinity,
				times.at(last) + 2 * worth * ticks[last]))));
		k = next;
		const { path, own } = mostOf(tree, seen.subarray(0, all).sort());
		let same = 0;
		while (same < open.length && same < path.length && own[same] === all &&
			!open[same].of && open[same].id === path[same] &&
			x - open[same].x - open[same].w < 0.75)
			same++;
		open.length = same;
		for (const box of open)
			box.w = end - box.x;
		for (let depth = same; depth < path.length; depth++) {
			const node = path[depth];
			open.push({ x, w: end - x, row: depth, colour: what.colour(node),
				label: '', id: node, found: false,
				of: own[depth] < all ? [own[depth], all] : undefined });
			(rows[depth] ||= []).push(open[depth]);
		}
	}
	const boxes = rows.flat();
	for (const box of boxes)
		if (box.w > NAMED)
			box.label = what.label(box.id);
	return { boxes, rows: Math.max(rows.length, 1) };
}

/**
 * The nodes that a search finds, and their share of the total.  Nested matches
 * count once.
 * @param {Model} model @param {Tree} tree
 * @param {Costs} totals @param {string} [search]
 */
export function findNodes(model, tree, totals, search) {
	const by = matching(model, search);
	if (!by)
		return null;
	const found = new Uint8Array(tree.n);
	const outermost = [];
	let share = 0, inside = 0;
	for (let i = 1; i < tree.n; i++) {
		if (totals[i] === 0) {
			i = tree.ends[i] - 1;
			continue;
		}
		if (by[tree.functions[i]]) {
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

/** Functions that match the search; cached until the next search.
 * @param {Model} model @param {string} [search] */
export function matching(model, search) {
	const match = searching(search), { nFunctions: length, matches } = model;
	if (match && (matches.search !== search || matches.by.length !== length))
		model.matches = { search, by: Uint8Array.from({ length },
			(_, f) => f > 0 && match(model.nameOf(f)) ? 1 : 0) };
	return match && model.matches.by;
}

/** An invalid regular expression matches nothing. @param {string} name */
export const nothing = (name) => false;

/** Parse "/regex/", or a part of a name in any case. @param {string} [search]
 * @returns {((name: string) => boolean) | null} */
export function searching(search) {
	if (!search || search === '/')
		return null;
	if (search.startsWith('/')) {
		const regex = tryRegex(search.slice(1).replace(/\/$/, ''));
		return regex ? (name) => regex.test(name) : nothing;
	}
	const low = search.toLowerCase();
	return (name) => name.toLowerCase().includes(low);
}
