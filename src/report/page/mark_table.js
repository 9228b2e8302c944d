// SPDX-License-Identifier: BSD-2-Clause
// mark_table.js - the tables of marks: a column for each figure.
import { histogram } from './histogram.js';
import { formatAt, formatCount, formatTime } from './format.js';
import { NO_MARKS } from './state.js';
import { ofNumbers, ofTexts, Table } from './table.js';

/** One row for each mark, or bar of short marks.
 * @param {import('./view_marks.js').MarksView} view */
export function makeMarkTable(view) {
	const { app } = view;
	const mark = () => app.model.marks;
	const of = (/** @type {any} */ row) => row.isBar ? app.model.bars : mark();
	const isCut = (/** @type {any} */ row) => !row.isBar &&
		mark().before[row.i] > 0;
	/** The longest mark of a bar. */
	const duration = (/** @type {any} */ row) => row.isBar
		? app.model.bars.most[row.i] : mark().durations[row.i];
	return new Table({
		label: 'Marks', sort: '-duration',
		id: (row) => row.isBar ? -1 - row.i : row.i,
		headings: [
			ofTexts('name', 'Mark',
				(row) => app.model.markName(of(row).names[row.i]), 'wide'),
			{ ...ofNumbers('time', 'Time', (row) => of(row).times[row.i],
				(n) => formatAt(n - app.model.begin)), up: true,
			cell: (row) => (isCut(row) ? '◂\u00a0' : '') +
				formatAt(of(row).times[row.i] - app.model.begin) },
			ofNumbers('duration', 'Duration', duration, formatTime),
			{ key: 'running', text: app.model.isWall() ? 'Sampled' : 'On processor',
				number: true, width: 'amount',
				by: (row) => row.running,
				cell: (row) => row.running >= 0 && app.model.isTime &&
					duration(row) > 0 ? formatTime(Math.min(row.running, duration(row))) : '–' },
			{ key: 'thread', text: 'Thread', width: 'name',
				by: (row) => of(row).threads[row.i],
				cell: (row) => app.model.threadName(of(row).threads[row.i]) },
			{ key: 'message', text: 'Message',
				cell: (row) => row.isBar ? view.sumOf(row.i)
					: app.model.texts.get(mark().messages[row.i]) },
		],
		sorted: (sort) => app.set({ sort }, true),
		pick: (row) => view.describe(row.isBar ? null : row.i),
		open: (row) => row.isBar ? app.set({ from: app.model.bars.times[row.i],
			to: app.model.bars.lasts[row.i] + 1 }) : view.brush(row.i),
	});
}

/** One row for each name of marks, with the figures of mark_stats.js.
 * @param {import('./view_marks.js').MarksView} view */
export function makeStatisticsTable(view) {
	const { app } = view;
	const column = (/** @type {string} */ key, /** @type {string} */ text, tip = '',
		/** @type {(n: number) => string} */ format = formatTime) => ({
		...ofNumbers(key, text, (row) => row[key], format),
		tip,
		cell: (/** @type {any} */ row) => Number.isNaN(row[key]) ? '–'
			: (row.isExact ? '' : '≈\u00a0') + format(row[key]) });
	return new Table({
		label: 'Statistics of marks', sort: '-total', id: (row) => row.label,
		headings: [
			ofTexts('name', 'Mark', (row) => row.label, 'wide'),
			column('n', 'Count', 'Number of marks', formatCount), column('min', 'Min'),
			column('median', 'Median', 'Half of the marks are not longer'),
			column('mean', 'Mean', 'Mean duration'),
			column('p99', 'p99', '99 % of the marks are not longer'),
			column('max', 'Max'), column('total', 'Total', 'Sum of all durations'),
			{ key: 'histogram', text: 'Durations (log)', width: 'name',
				tip: 'Number of marks by duration, on a logarithmic axis',
				cell: (row) => histogram(row.sorted, app.theme) },
		],
		sorted: (sort) => app.set({ sort }, true),
		pick: (row) => app.set({ ...NO_MARKS, name: row.label }, true),
		open: (row) => app.set({ show: 'frames', name: row.label }),
	});
}
