// SPDX-License-Identifier: BSD-2-Clause
// stacks.js - the stack traces of a box of a flame graph, one by one.
import { button, div, el, fill, hint } from './dom.js';
import { Passing } from './filter.js';
import { formatAmount, formatCount, formatMoment, formatNumber } from './format.js';

const KEPT = 20000; // number of stacks kept for browsing

/**
 * The model's nodes whose node in the analysis satisfies `is`.
 * @param {Analysis} analysis @param {(node: number) => boolean} is
 */
export function nodesThat(analysis, is) {
	const { nodes, base, tree } = analysis;
	const known = new Int8Array(tree.n);
	return Uint8Array.from(base, (_, i) => {
		const node = nodes ? nodes[i] : i;
		if (node < 0)
			return 0;
		if (known[node] === 0)
			known[node] = is(node) ? 1 : -1;
		return known[node] > 0 ? 1 : 0;
	});
}

/** Whether the stack of @node ends in the functions of @path, innermost first.
 * @param {Tree} tree @param {number} node @param {number[]} path functions */
export function endsWith(tree, node, path) {
	for (const f of path) {
		if (node === 0 || tree.functions[node] !== f)
			return false;
		node = tree.parents[node];
	}
	return true;
}

export class Stacks {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.at = 0;
		this.n = 0;
		/** @type {number[]} */
		this.found = [];
		this.rows = app.rows();
		this.told = el('span', { 'aria-live': 'polite' });
		this.frames = el('ol', { class: 'stack' });
		this.element = el('section', { class: 'stacks', hidden: true,
			'aria-label': 'Single stack traces' },
		div('bar',
			button('‹', () => this.step(-1), { 'aria-label': 'The stack before' }),
			button('›', () => this.step(1), { 'aria-label': 'The next stack' }), this.told,
			button('Select its time', () => this.look()),
			button('Close', () => this.close())),
		this.frames);
	}

	/** @param {Filter} filter @param {Uint8Array} wanted by node of the rows
	 * @param {number} [thread] none: of any */
	open(filter, wanted, thread) {
		this.rows = this.app.rows();
		const { found, n } = new Passing(this.app.model, filter, this.rows, true)
			.find(wanted, KEPT, thread);
		this.found = found;
		this.n = n;
		this.at = 0;
		this.element.hidden = false;
		this.show();
		this.element.scrollIntoView({ block: 'nearest' });
	}

	close() {
		this.element.hidden = true;
	}

	/** @param {number} by */
	step(by) {
		const { length } = this.found;
		if (length > 0) {
			this.at = (this.at + by + length) % length;
			this.show();
		}
	}

	show() {
		const { app, found, at, rows } = this;
		const { model } = app;
		const { tree } = rows;
		if (found.length === 0) {
			fill(this.told, 'No sample passes.');
			fill(this.frames);
			return;
		}
		const i = found[at], thread = rows.threads[i];
		fill(this.told, formatCount(at + 1) + ' of ' + formatCount(this.n) +
			', at ' + formatMoment(rows.times.at(i) - model.begin, 1e4) + ', ' +
			model.threadName(thread) + ', ' + formatAmount(rows.ticks[i] *
			rows.worth[thread], rows.unit) + (rows.counts && rows.counts[i] > 1
			? ', ' + formatNumber(rows.counts[i], rows.noun) + ' combined' : ''));
		const names = [];
		for (let node = rows.nodes[i]; node !== 0; node = tree.parents[node]) {
			const f = tree.functions[node];
			const binary = model.binaryOf(f);
			names.push(el('li', {}, model.nameOf(f), binary &&
				hint(' ' +
					(model.isInlined(f) ? 'inlined in ' : '') + binary)));
		}
		fill(this.frames, ...names);
		app.setCursor(rows.times.at(i));
	}

	look() {
		const { app, found, at, rows } = this;
		if (found.length === 0)
			return;
		const time = rows.times.at(found[at]);
		const lasts = rows.noun === 'call' ? rows.ticks[found[at]] : 0;
		app.set({ view: 'chart', thread: rows.threads[found[at]],
			from: Math.max(Math.floor(time - 1e7), 0),
			to: Math.ceil(time + lasts + 1e7) });
	}
}
