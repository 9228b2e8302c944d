// SPDX-License-Identifier: BSD-2-Clause
// view_functions.js - functions with their amounts, or one function with its callers
// and callees.
import { functionsOf } from './analysis.js';
import { Boxes } from './boxes.js';
import { div, el, fill, hint, section, View } from './dom.js';
import { colouring, layoutGraph, namesOf, searching } from './flame.js';
import { formatAmount, formatCount, formatNumber, formatPart, formatShare } from './format.js';
import { sourceOf } from './source.js';
import { ofNumbers, ofTexts, Table } from './table.js';
import { around } from './tree.js';
import { functionDetails } from './view_flame.js';

export class FunctionsView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		const share = (/** @type {'self' | 'total'} */ key) =>
			(/** @type {any} */ row) => formatShare(row[key], this.total);
		const amount = (/** @type {number} */ n) => formatAmount(n, app.unit());
		this.table = new Table({
			label: 'Functions', sort: '-self',
			headings: [
				ofTexts('name', 'Function', (row) => app.model.nameOf(row.f)),
				ofNumbers('self', 'Self', (row) => row.self, amount),
				{ key: 'selfshare', text: '%', number: true, width: 'share',
					cell: share('self') },
				ofNumbers('total', 'Total', (row) => row.total, amount),
				{ key: 'totalshare', text: '%', number: true, width: 'share',
					cell: share('total') },
				ofTexts('binary', 'Binary', (row) => app.model.binaryOf(row.f), 'name'),
			],
			sorted: (sort) => app.set({ sort }, true),
			pick: (row) => app.set({ picked: row.f }),
		});
		this.total = 0;
		/** @type {any} */
		this.trees = [];
		this.callers = this.side('Callers', true);
		this.callees = this.side('Callees', false);
		this.source = div('sources');
		this.sandwich = div('sandwich',
			el('h2', { class: 'minor' }, 'Called by'), this.callers.element,
			this.details,
			el('h2', { class: 'minor' }, 'Calls'), this.callees.element, this.source);
		this.element = section('Functions', this.bar, div('beside', this.table.element,
				this.sandwich));
	}

	/** @param {string} label @param {boolean} up */
	side(label, up) {
		return new Boxes({ theme: this.app.theme, label,
			pick: () => {}, open: (box) => this.open(box, up),
			tip: (box) => this.tip(box, up) });
	}

	/** @param {Box} box @param {boolean} up */
	open(box, up) {
		const made = this.trees[up ? 1 : 0];
		if (made && box.id > 0)
			this.app.set({ picked: made.tree.functions[box.id] });
	}

	/** @param {Box} box @param {boolean} up */
	tip(box, up) {
		const made = this.trees[up ? 1 : 0];
		if (!made || box.id < 0)
			return [box.label];
		return [this.app.model.nameOf(made.tree.functions[box.id]),
			formatPart(made.totals[box.id], made.totals[0], this.app.unit())];
	}

	update() {
		const { app } = this;
		const { model, state } = app;
		const analysis = app.analysis();
		const sums = functionsOf(model, analysis);
		const match = searching(state.search);
		this.total = analysis.total;
		this.sums = sums;
		const rows = [];
		let all = 0;
		for (let f = 1; f < sums.totals.length; f++) {
			if (sums.totals[f] === 0)
				continue;
			all++;
			if (!match || match(model.nameOf(f)))
				rows.push({ f, self: sums.selfs[f], total: sums.totals[f] });
		}
		app.tellFound(match && { n: rows.length });
		fill(this.bar, hint((match ? formatCount(rows.length) + ' of ' : '') +
			formatNumber(all, 'function')));
		this.table.picked = rows.find((row) => row.f === state.picked) || null;
		this.table.set(rows, state.sort && /^-?(name|self|total|binary)$/.test(state.sort)
			? state.sort : '-self');
		this.layout();
	}

	layout() {
		const { app } = this;
		const { model, state, theme } = app;
		const f = state.picked;
		this.sandwich.hidden = f === undefined || f >= model.nFunctions;
		if (f === undefined || f >= model.nFunctions || !this.sums)
			return;
		const analysis = app.analysis();
		const colour = colouring(model, theme, state.colour || '');
		this.trees = [false, true].map((up) =>
			around(analysis.tree, analysis.selfs, analysis.totals, f, up));
		[this.callees, this.callers].forEach((boxes, up) => {
			const { tree, totals } = this.trees[up];
			const { boxes: made, rows } = layoutGraph({ tree, totals,
				zoom: tree.n > 1 ? 1 : 0, width: boxes.width(),
				label: namesOf(model, tree),
				colour: (node) => colour(tree.functions[node]) });
			const kept = made.filter((box) => box.row > 0);
			for (const box of kept)
				box.row = up ? rows - 1 - box.row : box.row - 1;
			boxes.set(kept, Math.max(rows - 1, 1));
			if (up)
				boxes.scroller.scrollTop = boxes.scroller.scrollHeight;
		});
		fill(this.source, ...sourceOf(model, f));
		fill(this.details, ...functionDetails(app, f, { self: this.sums.selfs[f],
			total: this.sums.totals[f], of: this.total }));
	}

	resize() {
		this.table.show();
		this.layout();
	}
}
