// SPDX-License-Identifier: BSD-2-Clause
// view_rest.js - logs, and facts about the capture.
import { unnamedOf } from './analysis.js';
import { el, fill, section, toggle, View } from './dom.js';
import { searching } from './flame.js';
import { formatAmount, formatAt, formatBytes, formatCount, formatMoment,
	formatNumber, formatShare, formatTime } from './format.js';
import { ofNumbers, ofTexts, Table } from './table.js';

export const SEVERITIES = ['error', 'critical', 'warning', 'message', 'info',
	'debug', 'other'];

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

/** Explanations of columns, if different from other tables.
 * @type {Record<string, string>} */
const ABOUT_TIPS = { Time: 'Time of the samples', Ticks: 'Ticks of the samples',
	End: 'Address after the last', Binary: 'Program or library',
	Package: 'Debian package that has the debug symbols, found on the machine that made the page' };

export class AboutView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		/** @type {Table<any>[]} */
		this.tables = [];
		this.element = el('section', { class: 'view about', 'aria-label': 'About' });
	}

	/** @param {string} label @param {string[]} heads @param {(string | number)[][]} rows @param {number[]} [numbers] */
	list(label, heads, rows, numbers = [],
		amount = (/** @type {number} */ n) => formatCount(n)) {
		const table = new Table({ label, sort: '', headings: heads.map((text, i) => ({
			key: String(i), text, number: numbers.includes(i), tip: ABOUT_TIPS[text],
			width: numbers.includes(i) ? 'amount' : '',
			by: (row) => row[i],
			cell: (row) => typeof row[i] !== 'number' ? row[i]
				: i === 1 ? amount(row[i]) : formatCount(row[i]) })) });
		table.set(rows);
		this.tables.push(table);
		return rows.length > 0 ? [el('h2', {}, label), table.element] : [];
	}

	/** Processor time that the samplers reported.  A process that a signal
	 * ends reports nothing. */
	describeCost() {
		const { model: { metadata, texts, samples } } = this.app;
		let us = 0, n = 0;
		for (const [, , key, value] of metadata)
			if (texts.get(key) === 'syscap.sampler.delivered') {
				us += Number(/took_us (\d+)/.exec(texts.get(value))?.[1] || 0);
				n += Number(/samples (\d+)/.exec(texts.get(value))?.[1] || 0);
			}
		const { all } = samples;
		return us > 0 ? formatTime(us * 1000) + ' of processor time' + (n < all
			? ', reported for ' + formatCount(n) + ' of ' +
				formatNumber(all, 'sample') : '') : null;
	}

	unnamed() {
		const { app } = this;
		const analysis = app.analysis();
		const rows = unnamedOf(app.model, analysis);
		if (rows.length === 0)
			return [];
		const total = analysis.totals[0];
		const packages = new Map((app.model.limits.packages || '').split('\n').map((line) =>
			/** @type {[string, string]} */ (line.split('='))));
		return [...this.list('Functions without names', ['Binary', 'Self', 'Share', 'Package'],
			rows.map(([binary, self]) => [binary || 'code of no file', self,
				formatShare(self, total), packages.has(binary)
					? packages.get(binary) + '-dbgsym' : '–']), [1, 2], (n) => formatAmount(n, app.unit())),
		el('p', {}, 'To add names, install the debug symbols of these binaries on the ' +
			'machine of the recording. Then run there: ', el('code', {},
			'syscap symbolize ' + app.model.facts.title))];
	}

	update() {
		const { app } = this;
		const { model } = app;
		const { facts, texts } = model;
		const at = (/** @type {number} */ ns) => formatMoment(ns - model.begin, 1e6);
		const number = (/** @type {number} */ pid) => pid > 0x7fffffff ? '–' : '' + pid;
		const hex = (/** @type {number} */ n) => '0x' + BigInt(n).toString(16);
		this.tables = [];
		// Samples that pass the filter, as in `syscap stat`
		const { threads: sums } = app.analysis();
		const byProcess = new Float64Array(model.processes.length);
		for (const thread of model.threads)
			byProcess[thread.process] += sums[thread.number];
		const time = app.unit() === 'time' ? 'Time' : 'Ticks';
		const amount = (/** @type {number} */ sum) => sum > 0
			? formatAmount(sum, app.unit()) : '–';
		const list = (/** @type {[string, string | null][]} */ pairs) =>
			el('dl', {}, ...pairs.filter(([, value]) => value).flatMap(
				([key, value]) => [el('dt', {}, key), el('dd', {}, value)]));
		const noted = (/** @type {string} */ key) => {
			const row = model.metadata.find(([, , k]) => texts.get(k) === key);
			return row ? texts.get(row[3]) : null;
		};
		fill(this.element, el('h2', {}, facts.title),
			list([['Command', noted('syscap.command')],
				['Sampling', noted('syscap.sampler')],
				['Sampling took', this.describeCost()],
				['Counters', noted('syscap.counters')?.replace(/,/g, ', ') || null],
				['Kernel', noted('syscap.kernel')],
				['Recorded', facts.date], ['Lasts', formatTime(model.end - model.begin)],
				['Size', formatBytes(Number(facts.size))],
				['Frames', formatCount(Number(facts.frames))],
				['Counts', model.samples.all > 0 ? facts.unit : null],
				['Allocations', facts.sampled], ['Early marks', facts.early],
				['Filter', facts.filter],
				['Lost', model.lost > 0 ? formatNumber(model.lost, 'event') + ', listed below' : 'nothing'],
				['Unsampled', facts.unsampled],
				['Damaged frames', Number(facts.damaged) > 0 ? facts.damaged : null],
				['Complete', facts.finished === '1' ? 'yes' : 'no'],
				['Redacted', facts.redacted === '1'
					? 'command lines, homes, metadata, files, messages' : null],
				['Made by', 'syscap ' + facts.version]]),
			...this.unnamed(),
			...(facts.check ? [el('h2', {}, 'syscap check'),
				el('pre', { tabindex: '0', role: 'region', 'aria-label': 'syscap check' },
					facts.check)] : []),
			...this.list('Lost', ['From', 'To', 'Thread',
				'Events', 'Samples', 'Bytes'], model.losses.map((loss) => [
				formatAt(loss.begin - model.begin),
				formatAt(loss.end - model.begin),
				model.threadName(loss.thread), loss.frames, loss.samples, loss.bytes]),
			[0, 1, 3, 4, 5]),
			...this.list('Processes', ['Pid', time, 'Command', 'From', 'To', 'Ticks are'],
				model.processes.filter((process) => process.pid >= 0).sort((a, b) =>
					byProcess[b.number] - byProcess[a.number]).map((process) => [
					String(process.pid), byProcess[process.number],
					process.command || process.binary,
					at(process.begin), at(process.end),
					process.period > 0 ? formatTime(process.period) + ' of ' +
						['unknown time', 'processor time', 'wall time'][process.clock]
						: '–']), [0, 1, 3, 4], amount),
			...this.list('Threads', ['Tid', time, 'Name', 'Pid', 'From', 'To'],
				model.threads.filter((thread) => thread.tid >= 0).sort((a, b) =>
					sums[b.number] - sums[a.number]).map((thread) => [
					String(thread.tid), sums[thread.number], thread.name,
					String(model.processes[thread.process].pid),
					at(thread.begin), at(thread.end)]), [0, 1, 3, 4, 5], amount),
			...this.list('Metadata', ['Pid', 'Key', 'Value'],
				model.metadata.map(([pid, , key, value]) => [
					number(pid), texts.get(key), texts.get(value)]), [0]),
			...this.list('Embedded files', ['Pid', 'Path',
				'Bytes'], model.files.map(([pid, , path, size]) => [
				number(pid), texts.get(path), size]), [0, 2]),
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
