// SPDX-License-Identifier: BSD-2-Clause
// source.js - the source of a function, with the share of each line.
import { el, hint } from './dom.js';
import { formatShare } from './format.js';

const AROUND = 4; // lines around each line with an amount

/**
 * Lines to show of a file: lines with amounts, with the text around each; null:
 * a gap.
 * @param {{line: number}[]} rows ascending @param {string[] | undefined} text
 */
export function linesAround(rows, text) {
	/** @type {({number: number, row: any} | null)[]} */
	const shown = [];
	let last = 0;
	for (const [k, row] of rows.entries()) {
		const first = text ? Math.max(last + 1, row.line - AROUND) : row.line;
		if (shown.length > 0 && first > last + 1)
			shown.push(null);
		for (let number = first; number < row.line; number++)
			shown.push({ number, row: null });
		shown.push({ number: row.line, row });
		last = row.line;
		const next = rows[k + 1]?.line ?? Infinity;
		for (let i = 0; text && i < AROUND && last + 1 < Math.min(next, text.length); i++)
			shown.push({ number: ++last, row: null });
	}
	return shown;
}

/** Lines of a function by file, ascending. @param {Model} model @param {number} f */
export function linesOf(model, f) {
	const { lines } = model;
	/** @type {Map<number, {line: number, self: number, total: number}[]>} */
	const files = new Map();
	for (let i = 0; i < lines.n; i++) {
		if (lines.functions[i] !== f)
			continue;
		const of = files.get(lines.files[i]) || [];
		of.push({ line: lines.numbers[i], self: lines.selfs[i],
			total: lines.totals[i] });
		files.set(lines.files[i], of);
	}
	for (const of of files.values())
		of.sort((a, b) => a.line - b.line);
	return files;
}

/** The reason why a function lacks lines. @param {Model} model @param {number} f */
function missingLines(model, f) {
	if (model.lines.n === 0)
		return 'No source lines: record with --lines, or run syscap symbolize --lines.';
	const binary = model.binaryOf(f);
	return 'No source lines of this function: ' + (binary ? 'no debug symbols of ' +
		binary + ' were found.' : 'its code is in no file.');
}

/** The source of a function as elements. @param {Model} model @param {number} f */
export function sourceOf(model, f) {
	const total = model.byThread.reduce((a, b) => a + b, 0);
	const share = (/** @type {number} */ n) => el('td', { class: 'number' },
		n > 0 ? formatShare(n, total) : '');
	const files = linesOf(model, f);
	if (files.size === 0)
		return [hint(missingLines(model, f))];
	return Array.from(files, ([file, rows]) => {
		const text = model.sources.get(file);
		return el('div', { class: 'source', tabindex: '0', role: 'region',
			'aria-label': 'Source' }, el('h3', {}, model.texts.get(file)),
			el('table', { 'aria-label': 'Source, by line' },
				el('thead', {}, el('tr', {}, ...['Self', 'Total', 'Line', 'Text'].map(
					(name) => el('th', { scope: 'col' }, name)))),
				el('tbody', {}, ...linesAround(rows, text).map((one) => el('tr',
					one?.row ? { class: 'hot' } : {}, share(one?.row?.self || 0),
					share(one?.row?.total || 0),
					el('td', { class: 'number' }, one ? String(one.number) : '…'),
					el('td', { class: 'code' }, one && text ? text[one.number - 1] ?? ''
						: ''))))),
			hint('Shares of the whole recording. ' + (text ? ''
				: model.sources.size > 0 ? 'The machine that made the page lacked this file.'
					: 'report --source embeds the text of files that it finds.')));
	});
}
