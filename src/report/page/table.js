// SPDX-License-Identifier: BSD-2-Clause
// table.js - a table of any length that contains only its visible rows.
import { el, fill, scrollToRow } from './dom.js';

const ROW = 26; // pixels; page.css has the same height
const MOST = 600000; // rows of a scroll bar; with more rows, a pixel is several

/** A column of texts, sortable.
 * @param {string} key @param {string} text @param {(row: any) => string} cell @param {string} [width] */
export function ofTexts(key, text, cell, width) {
	return { key, text, cell, by: cell, width };
}

/** A column of numbers. @param {string} key @param {string} text
 * @param {(row: any) => number} by @param {(n: number) => string} format @param {string} [width] */
export function ofNumbers(key, text, by, format, width = 'amount') {
	return { key, text, by, width, number: true,
		cell: (/** @type {any} */ row) => format(by(row)) };
}

/** Least width of a column in pixels; a narrower screen scrolls.
 * @param {{width?: string, number?: boolean}} heading */
const leastWidth = ({ width, number }) => width === 'share' ? 74
	: width === 'amount' ? 108 : width === 'change' ? 130 : width === 'wide' ? 190 : width === 'title' ? 240 : number ? 92 : width === 'name' ? 130 : 160;

/** Rows with equal keys keep their order, since most of 10⁵ functions have one
 * tick. @param {any[]} rows @param {(row: any) => any} by @param {number}
 * sign */
function sortRows(rows, by, sign) {
	const first = new Map(), next = new Uint32Array(rows.length);
	for (let i = rows.length; i-- > 0;) {
		const key = by(rows[i]);
		next[i] = first.get(key) ?? rows.length;
		first.set(key, i);
	}
	const sorted = [];
	for (const key of [...first.keys()].sort((a, b) => b !== b ? -1
		: a !== a ? 1 : a < b ? -sign : sign))
		for (let i = first.get(key); i < rows.length; i = next[i])
			sorted.push(rows[i]);
	return sorted;
}

/** Explanations of columns, by their titles. @type {Record<string, string>} */
export const TIPS = {
	Function: 'Name of the function', Counter: 'Group and name of the counter',
	Mark: 'Group and name of the marks', Binary: 'Program or library of the function',
	Self: 'Amount in the function itself, without the functions that it calls',
	Total: 'Amount in the function and in all functions that it calls',
	'%': 'Share of the selected total',
	Unexpected: 'Difference that the durations do not explain',
	'Self, difference': 'Self here minus self there',
	'Total, difference': 'Total here minus total there',
	Chosen: 'Self during each chosen mark', Others: 'Self during each other mark',
	Here: 'Self in this part', There: 'Self in the other part',
	Interval: 'The true difference of self, for 95 % of the rows that differ. Grey: ' +
		'noise, or less than 1 %',
	n: 'Number of samples, calls or allocations of the function itself, on both sides',
	Time: 'Time since the beginning', At: 'Time since the beginning',
	From: 'Time since the beginning', To: 'Time since the beginning',
	Took: 'Duration of the mark', Duration: 'Duration of the mark',
	Sampled: 'Processor or wall time of the samples during the mark',
	Values: 'Number of values', Min: 'Least', Max: 'Largest',
	Last: 'Last value that is selected',
	'Mean rate': 'Change a second from the first to the last selected value, of ' +
		'integers that only grew',
	Description: 'Description by the program', Severity: 'Importance of the message',
	Domain: 'Part of the program that wrote the message', Message: 'Text',
	Thread: 'Name and number of the thread', Share: 'Share of the selected total',
	Pid: 'Number of the process', Tid: 'Number of the thread',
	Command: 'Command line', 'Ticks are': 'Period and clock of the sampler',
	Name: 'Name', Events: 'Number of lost events', Samples: 'Number of lost samples',
	Bytes: 'Size', Key: 'Name of the value', Value: 'Text of the value',
	Path: 'Path of the file', Start: 'First address', End: 'Address after the last',
	'Build id': 'Identifier of the binary\'s build',
};

/** @template R */
export class Table {
	/** @param {TableOptions<R>} options */
	constructor(options) {
		this.options = options;
		/** @type {R[]} */
		this.rows = [];
		this.sort = options.sort;
		/** @type {R | null} */
		this.picked = null;
		this.head = el('tr', {});
		this.body = el('tbody', {});
		this.table = el('table', { 'aria-label': options.label },
			el('colgroup', {}, ...options.headings.map((heading) =>
				el('col', heading.width ? { class: 'w-' + heading.width } : {}))),
			el('thead', {}, this.head), this.body);
		this.table.style.minWidth = options.headings.reduce((sum, heading) =>
			sum + leastWidth(heading), 0) + 'px';
		this.element = el('div', {
			class: 'table', tabindex: '0', role: 'group',
			'aria-label': options.label,
			onscroll: () => this.show(),
			onkeydown: (e) => this.key(e),
		}, this.table);
		this.first = -1;
		this.last = -1;
		this.over = 0;
	}

	/** @param {R[]} rows @param {string} [sort] */
	set(rows, sort) {
		if (sort)
			this.sort = sort;
		const { id } = this.options;
		if (id && this.picked) {
			const picked = id(this.picked);
			this.picked = rows.find((row) => id(row) === picked) || null;
		}
		const key = this.sort.replace(/^-/, '');
		const heading = this.options.headings.find((h) => h.key === key);
		this.rows = heading?.by ? sortRows(rows, heading.by,
			this.sort.startsWith('-') ? -1 : 1) : rows;
		this.table.setAttribute('aria-rowcount', String(this.rows.length + 1));
		this.showHead();
		this.first = -1;
		this.show();
	}

	/** Width of the first column, in pixels. */
	widthOfFirst() {
		const head = this.head.firstChild;
		return head ? head.clientWidth : 300;
	}

	showHead() {
		fill(this.head, ...this.options.headings.map((heading) => {
			const mine = this.sort.replace(/^-/, '') === heading.key;
			const order = !mine ? 'none'
				: this.sort.startsWith('-') ? 'descending' : 'ascending';
			const button = heading.by
				? el('button', { type: 'button', onclick: () => this.resort(heading) },
					heading.text, el('span', { class: 'order', 'aria-hidden': 'true' },
						mine ? (order === 'descending' ? ' ▾' : ' ▴') : ''))
				: heading.text;
			return el('th', { scope: 'col', class: heading.number ? 'number' : '',
				title: heading.tip || TIPS[heading.text],
				'aria-sort': heading.by ? order : null }, button);
		}));
	}

	/** @param {Heading<R>} heading */
	resort(heading) {
		const mine = this.sort.replace(/^-/, '') === heading.key;
		const down = mine ? !this.sort.startsWith('-')
			: Boolean(heading.number) && !heading.up;
		const sort = (down ? '-' : '') + heading.key;
		if (this.options.sorted)
			this.options.sorted(sort);
		this.set(this.rows, sort);
	}

	show() {
		const height = this.element.clientHeight || 600;
		const n = this.rows.length;
		const seen = Math.ceil(height / ROW);
		const over = Math.max(n - MOST, 0);
		const { scrollTop } = this.element;
		// Skip rows beyond the scroll bar's length in proportion to its
		// position
		this.over = over && Math.round(over *
			Math.min(scrollTop / ((n - over - seen + 2) * ROW), 1));
		const first = Math.max(0,
			Math.floor(scrollTop / ROW) + this.over - 10);
		const last = Math.min(n, first + seen + 20);
		if (first === this.first && last === this.last)
			return;
		this.first = first;
		this.last = last;
		const rows = [];
		if (first > this.over)
			rows.push(this.gap(first - this.over));
		for (let i = first; i < last; i++)
			rows.push(this.row(i));
		if (last < n - over + this.over)
			rows.push(this.gap(n - over + this.over - last));
		this.body.replaceChildren(...rows);
	}

	/** @param {number} n */
	gap(n) {
		const row = el('tr', { 'aria-hidden': 'true', class: 'gap' },
			el('td', { colspan: this.options.headings.length }));
		row.firstChild.style.height = n * ROW + 'px';
		return row;
	}

	/** @param {number} i */
	row(i) {
		const data = this.rows[i];
		const { pick, open } = this.options;
		return el('tr', {
			'aria-rowindex': i + 2,
			class: data === this.picked ? 'picked' : '',
			onclick: pick && (() => this.pick(data)),
			ondblclick: open && (() => open(data)),
		}, ...this.options.headings.map((heading, column) => {
			const cell = heading.cell(data);
			return el(column === 0 ? 'th' : 'td', {
				class: heading.number ? 'number' : 'text',
				scope: column === 0 ? 'row' : null,
				// The column may cut the name
				title: !heading.number && typeof cell === 'string' && cell !== ''
					? cell : null,
			}, cell);
		}));
	}

	/** @param {R} row */
	pick(row) {
		this.picked = row;
		this.first = -1;
		this.show();
		if (this.options.pick)
			this.options.pick(row);
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		if (!this.options.pick || event.target !== this.element)
			return;
		const at = this.picked ? this.rows.indexOf(this.picked) : -1;
		let to = at;
		if (event.key === 'ArrowDown')
			to = Math.min(at + 1, this.rows.length - 1);
		else if (event.key === 'ArrowUp')
			to = Math.max(at - 1, 0);
		else if (event.key === 'Enter' && this.picked && this.options.open)
			this.options.open(this.picked);
		else
			return;
		event.preventDefault();
		if (to !== at && this.rows[to]) {
			scrollToRow(this.element, (to - this.over) * ROW, 2 * ROW);
			this.pick(this.rows[to]);
		}
	}
}

/** Contents of a chart as a table for screen readers, closed at first. */
export class List {
	/** @param {string} label @param {Heading<any>[]} headings
	 * @param {() => any[]} rows @param {(row: any) => void} pick */
	constructor(label, headings, rows, pick) {
		this.rows = rows;
		this.table = new Table({ label: label.replace(/:.*/, ''), sort: '', headings,
			pick });
		this.element = el('details', { class: 'list', ontoggle: () => this.show() },
			el('summary', {}, 'As a table'), this.table.element);
	}

	show() {
		if (this.element.open)
			this.table.set(this.rows());
	}
}
