// SPDX-License-Identifier: BSD-2-Clause
// view_tree.js - the call tree, opened step by step.
import { button, el, fill, hint, section, View } from './dom.js';
import { searching } from './flame.js';
import { formatAmount, formatNumber, formatShare } from './format.js';
import { Table } from './table.js';

const INDENT = 14; // pixels of indentation per call
const NAME = 120; // least width of a name, pixels

export class TreeView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		/** @type {Set<string>} paths that are open */
		this.opened = new Set();
		this.key = '';
		this.total = 0;
		this.step = INDENT;
		/** @type {any[]} */
		this.rows = [];
		this.table = new Table({
			label: 'Call tree', sort: '', id: (row) => row.path,
			headings: [
				{ key: 'name', text: 'Function', cell: (row) => this.name(row) },
				{ key: 'total', text: 'Total', number: true, width: 'amount',
					cell: (row) => formatAmount(row.total, app.unit()) },
				{ key: 'totalshare', text: '%', number: true, width: 'share',
					cell: (row) => formatShare(row.total, this.total) },
				{ key: 'self', text: 'Self', number: true, width: 'amount',
					cell: (row) => formatAmount(row.self, app.unit()) },
				{ key: 'binary', text: 'Binary', width: 'name',
					cell: (row) => app.model.binaryOf(row.f) },
			],
			pick: () => {},
			open: (row) => this.turn(row),
		});
		this.element = section('Call tree', this.bar, this.table.element);
	}

	/** @param {any} row */
	name(row) {
		const mark = row.hasCallees ? button(row.isOpen ? '▾' : '▸', (e) => {
				e.stopPropagation();
				this.turn(row);
			}, { class: 'turn', 'aria-expanded': String(row.isOpen),
				'aria-label': (row.isOpen ? 'Close ' : 'Open ') + row.name })
			: el('span', { class: 'turn' });
		const span = el('span', { class: row.found ? 'found' : '' }, mark, row.name);
		span.style.paddingLeft = (row.depth - 1) * this.step + 'px';
		return span;
	}

	/** @param {any} row */
	turn(row) {
		this.opened[row.isOpen ? 'delete' : 'add'](row.path);
		this.update();
	}

	update() {
		const { app } = this;
		const { model } = app;
		const { tree, totals, selfs, total } = app.analysis();
		const match = searching(app.state.search);
		this.total = total;
		const rows = [];
		const paths = [''];
		this.key ||= this.openHottest();
		for (let i = 1; i < tree.n;) {
			if (totals[i] === 0) {
				i = tree.ends[i];
				continue;
			}
			const depth = tree.depths[i], f = tree.functions[i];
			const path = paths[depth] = paths[depth - 1] + '/' + f;
			const isOpen = this.opened.has(path);
			const name = model.nameOf(f);
			rows.push({ f, name, depth, path, isOpen,
				total: totals[i], self: selfs[i], found: match && match(name),
				hasCallees: totals[i] > selfs[i] });
			i = isOpen ? i + 1 : tree.ends[i];
		}
		fill(this.bar,
			button('Open the heaviest', () => {
				this.openHottest();
				this.update();
			}),
			button('Close all', () => {
				this.opened.clear();
				this.update();
			}),
			hint(formatNumber(rows.length, 'row')));
		this.rows = rows;
		this.indent();
		this.table.set(rows);
	}

	/** The path of the largest amounts, down to its first division. */
	openHottest() {
		const { tree, totals, total } = this.app.analysis();
		const paths = [''];
		for (let i = 1; i < tree.n;) {
			const depth = tree.depths[i];
			paths[depth] = paths[depth - 1] + '/' + tree.functions[i];
			if (totals[i] < total * 0.2 || totals[i] === 0) {
				i = tree.ends[i];
				continue;
			}
			this.opened.add(paths[depth]);
			i++;
		}
		return 'open';
	}

	/** Indentation that leaves room for the name of the deepest node. */
	indent() {
		const deepest = this.rows.reduce((most, { depth }) =>
			Math.max(most, depth), 1);
		this.step = Math.min(INDENT, Math.max(0, this.table.widthOfFirst() - NAME) /
			deepest);
	}

	resize() {
		this.indent();
		this.table.first = -1;
		this.table.show();
	}
}
