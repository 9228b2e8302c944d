// SPDX-License-Identifier: BSD-2-Clause
// view_rest.js - counters, logs, and facts about the capture.
import { cutText, prepareCanvas } from './canvas.js';
import { choose, div, el, fill, hint, section, toggle, View } from './dom.js';
import { lowerBound, rangeOf } from './filter.js';
import { searching } from './flame.js';
import { formatAt, formatBytes, formatCount, formatMoment, formatTime } from './format.js';
import { Scale } from './scale.js';
import { ofNumbers, ofTexts, Table } from './table.js';
import { paintAxis, paintLine, paintLosses, RANGE } from './timeline.js';

export const SEVERITIES = ['error', 'critical', 'warning', 'message', 'info',
	'debug', 'other'];

/** @param {number} value */
const scientific = (value) => value.toExponential(2).replace('e+', 'e')
	.replace(/\.?0+e/, 'e').replace(/-/g, '−');

/** A value, shortened for a chart. @param {number} value */
const brief = (value) => Math.abs(value) < 1e7 ? short(value) : scientific(value);

/** A value with few digits; an integer keeps all digits. @param {number}
 * value */
function short(value) {
	if (!Number.isFinite(value))
		return Number.isNaN(value) ? '–' : String(value).replace('-', '−');
	if (Number.isInteger(value) && Math.abs(value) < 1e21)
		return formatCount(value);
	return Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3)
		? scientific(value) : formatCount(Number(value.toPrecision(5)));
}

export class CountersView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		this.place = div('counters');
		this.table = new Table({
			label: 'Counters', sort: 'name',
			headings: [
				ofTexts('name', 'Counter', (row) => row.name),
				ofNumbers('n', 'Values', (row) => row.n, (n) =>
					(app.model.values < Number(app.model.limits.n_values) ? '≥ '
						: '') + formatCount(n)),
				...['Min', 'Max', 'Last'].map((text) => ofNumbers(text, text,
					(row) => row[text.toLowerCase()], short)),
				{ key: 'description', text: 'Description',
					cell: (row) => row.description },
			],
		});
		this.element = section('Counters', this.bar, this.place, this.table.element);
		/** @type {CounterChart[]} */
		this.charts = [];
	}

	/** @param {any} counter */
	name(counter) {
		const { model } = this.app;
		const of = model.processes[counter.process];
		return (counter.name ? counter.category + ': ' + counter.name
			: 'counter ' + counter.id) +
			(model.processes.length > 1 && of.pid >= 0 ? ' (' + of.pid + ')' : '');
	}

	update() {
		const { app } = this;
		const { model, state } = app;
		const rate = state.show === 'rate';
		const isThinned = model.values < Number(model.limits.n_values);
		fill(this.bar, choose('Show', [['', 'values'], ['rate', 'change a second']],
			rate ? 'rate' : '', (show) => app.set({ show })), isThinned && hint(
			'The page has the least, the largest and the last value of each interval.'));
		const match = searching(state.search);
		const filter = app.filter();
		const threads = model.threadSet(filter.threads);
		const shown = model.counters.map((counter) => {
			if (!threads)
				return counter;
			const by = (/** @type {any} */ _, /** @type {number} */ i) =>
				threads[counter.threads[i]] === 1;
			return { ...counter, times: counter.times.filter(by),
				values: counter.values.filter(by) };
		}).filter((counter) => !match || match(this.name(counter)));
		this.charts = shown.filter(({ times }) => times.length > 0).slice(0, 40)
			.map((counter) => ({ counter, value: el('strong', {}),
				canvas: el('canvas', { role: 'img', 'aria-label': this.name(counter) }) }));
		fill(this.place, ...this.charts.map(({ counter, canvas, value }) =>
			el('figure', {}, el('figcaption', {}, this.name(counter), ' ', value),
				canvas)));
		this.table.set(shown.map((counter) => {
			const [low, high] = rangeOf(counter.times, filter);
			let min = NaN, max = NaN;
			for (let i = low; i < high; i++) {
				const value = counter.values[i];
				// this is true before the first value, too
				if (!(min <= value))
					min = Number.isNaN(value) ? min : value;
				if (!(max >= value))
					max = Number.isNaN(value) ? max : value;
			}
			return { name: this.name(counter), n: high - low, min, max,
				last: high > low ? counter.values[high - 1] : NaN,
				description: counter.description };
		}), 'name');
		app.tellFound(match && { n: shown.length });
		this.resize();
	}

	resize() {
		const { app } = this;
		const { theme, model } = app;
		const [from, to] = app.range();
		for (const { canvas, counter, value } of this.charts) {
			const width = Math.max(canvas.parentElement
				? canvas.parentElement.clientWidth : 300, 60);
			const height = 96;
			const context = prepareCanvas(canvas, width, height, theme);
			const scale = new Scale(from, to, width - RANGE);
			paintAxis(context, theme, scale, 0, height, model.begin);
			paintLosses(context, theme, model, scale, 0, 20, height - 20);
			let { values, times } = counter;
			if (app.state.show === 'rate') {
				values = Float64Array.from(values, (v, i) => i === 0 ? 0
					: (v - counter.values[i - 1]) /
						Math.max((times[i] - times[i - 1]) / 1e9, 1e-9));
			}
			const range = paintLine(context, times, values, scale, 0, 26, height - 34,
				theme.series[0]);
			context.fillStyle = theme.soft;
			range.forEach((one, i) => context.fillText(cutText(context, brief(one),
				RANGE - 8), width - RANGE + 6, i ? 26 : height - 8));
			app.paintCursor(context, scale, 0, height);
			const { cursor } = app.timeline;
			const at = cursor === null ? values.length - 1
				: lowerBound(times, cursor + 1) - 1;
			value.textContent = at < 0 ? '' : short(values[at]);
		}
	}

	cursor() {
		this.resize();
	}
}

export class LogsView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		/** @type {Set<number>} */
		this.hidden = new Set();
		this.table = new Table({
			label: 'Logs', sort: 'time',
			headings: [
				{ ...ofNumbers('time', 'Time', (row) => row[0],
					(n) => formatAt(n - app.model.begin)), up: true },
				{ key: 'severity', text: 'Severity', width: 'share',
					by: (row) => row[2],
					cell: (row) => el('span', { class: 'severity-' + SEVERITIES[row[2]] },
						SEVERITIES[row[2]]) },
				ofTexts('domain', 'Domain', (row) => app.model.texts.get(row[3]), 'name'),
				{ key: 'message', text: 'Message',
					cell: (row) => app.model.texts.get(row[4]) },
				{ key: 'thread', text: 'Thread', width: 'name', by: (row) => row[1],
					cell: (row) => app.model.threadName(row[1]) },
			],
			sorted: (sort) => app.set({ sort }, true),
			pick: (row) => app.setCursor(row[0]),
		});
		this.element = section('Logs', this.bar, this.table.element);
	}

	update() {
		const { app } = this;
		const { model, state } = app;
		const filter = app.filter();
		const threads = model.threadSet(filter.threads);
		const match = searching(state.search);
		const counts = new Uint32Array(7);
		const rows = model.logs.filter((row) => {
			if ((filter.from !== undefined && row[0] < filter.from) ||
				(filter.to !== undefined && row[0] >= filter.to) ||
				(threads && !threads[row[1]]))
				return false;
			counts[row[2]]++;
			return !this.hidden.has(row[2]) &&
				(!match || match(model.texts.get(row[4])));
		});
		fill(this.bar, ...SEVERITIES.map((name, i) => counts[i] > 0 &&
			toggle(name + ' ' + formatCount(counts[i]), !this.hidden.has(i), (on) => {
				this.hidden[on ? 'delete' : 'add'](i);
				this.update();
			})));
		app.tellFound(match && { n: rows.length });
		this.table.set(rows, /time|severity|domain|thread/.test(state.sort || '')
			? state.sort : 'time');
	}

	resize() {
		this.table.show();
	}
}

export class AboutView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		/** @type {Table<any>[]} */
		this.tables = [];
		this.element = el('section', { class: 'view about', 'aria-label': 'About' });
	}

	/** @param {string} label @param {string[]} heads @param {(string | number)[][]} rows @param {number[]} [numbers] */
	list(label, heads, rows, numbers = []) {
		const table = new Table({ label, sort: '', headings: heads.map((text, i) => ({
			key: String(i), text, number: numbers.includes(i),
			width: numbers.includes(i) ? 'amount' : '',
			by: (row) => row[i],
			cell: (row) => typeof row[i] === 'number'
				? formatCount(row[i]) : row[i] })) });
		table.set(rows);
		this.tables.push(table);
		return rows.length > 0 ? [el('h2', {}, label), table.element] : [];
	}

	update() {
		const { app } = this;
		const { model } = app;
		const { facts, texts } = model;
		const at = (/** @type {number} */ ns) => formatMoment(ns - model.begin, 1e6);
		const hex = (/** @type {number} */ n) => '0x' + BigInt(n).toString(16);
		this.tables = [];
		const list = (/** @type {[string, string | null][]} */ pairs) =>
			el('dl', {}, ...pairs.filter(([, value]) => value).flatMap(
				([key, value]) => [el('dt', {}, key), el('dd', {}, value)]));
		fill(this.element, el('h2', {}, facts.title),
			list([['Recorded', facts.date], ['Lasts', formatTime(model.end - model.begin)],
				['Size', formatBytes(Number(facts.size))],
				['Frames', formatCount(Number(facts.frames))],
				['Counts', facts.unit], ['Filter', facts.filter],
				['Damaged frames', Number(facts.damaged) > 0 ? facts.damaged : null],
				['Ended properly', facts.finished === '1' ? 'yes' : 'no'],
				['Redacted', facts.redacted === '1'
					? 'command lines, homes, metadata, files, messages' : null],
				['Made by', 'syscap ' + facts.version]]),
			...(facts.check ? [el('h2', {}, 'syscap check'),
				el('pre', { tabindex: '0', role: 'region', 'aria-label': 'syscap check' },
					facts.check)] : []),
			...this.list('Lost', ['From', 'To', 'Thread',
				'Events', 'Samples', 'Bytes'], model.losses.map((loss) => [
				formatAt(loss.begin - model.begin),
				formatAt(loss.end - model.begin),
				model.threadName(loss.thread), loss.frames, loss.samples, loss.bytes]),
			[0, 1, 3, 4, 5]),
			...this.list('Processes', ['Pid', 'Command', 'From', 'To', 'Ticks are'],
				model.processes.filter((process) => process.pid >= 0).map((process) => [
					String(process.pid), process.command || process.binary,
					at(process.begin), at(process.end),
					process.period > 0 ? formatTime(process.period) + ' of ' +
						['unknown time', 'processor time', 'wall time'][process.clock]
						: '–']), [0, 2, 3]),
			...this.list('Threads', ['Tid', 'Name', 'Pid', 'From', 'To'],
				model.threads.filter((thread) => thread.tid >= 0).map((thread) => [
					String(thread.tid), thread.name,
					String(model.processes[thread.process].pid),
					at(thread.begin), at(thread.end)]), [0, 2, 3, 4]),
			...this.list('Metadata', ['Pid', 'Key', 'Value'],
				model.metadata.map(([pid, , key, value]) => [
					String(pid > 0x7fffffff ? '' : pid), texts.get(key),
					texts.get(value)]), [0]),
			...this.list('Embedded files', ['Pid', 'Path',
				'Bytes'], model.files.map(([pid, , path, size]) => [
				String(pid > 0x7fffffff ? '' : pid), texts.get(path), size]), [0, 2]),
			...this.list('Address layout', ['Pid', 'Start',
				'End', 'Path', 'Build id'], model.maps.map(([process, start, end, , ,
				path, id]) => [String(model.processes[process].pid), hex(start), hex(end),
				texts.get(path), texts.get(id)]), [0]));
		this.resize();
	}

	resize() {
		for (const table of this.tables)
			table.show();
	}
}
