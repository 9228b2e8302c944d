// SPDX-License-Identifier: BSD-2-Clause
// view_counters.js - counters: values or rates over time, with their units.
import { cutText, pixelOf, prepareCanvas } from './canvas.js';
import { button, choose, div, el, fill, hint, section, View } from './dom.js';
import { lowerBound, rangeOf } from './filter.js';
import { searching } from './flame.js';
import { formatAt, formatBytes, formatCount } from './format.js';
import { Scale } from './scale.js';
import { ofNumbers, ofTexts, Table } from './table.js';
import { paintAxis, paintLine, paintLosses, RANGE } from './axis.js';

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

/** Unit of a counter, from its name and description: "bytes", "%", "W" or "".
 * @param {any} counter */
export function unitOf({ category, name, description }) {
	if (/^(CPU Percent|CPU Frequency|Pressure)$/.test(category) ||
		/%|\bpercent/i.test(name + ' ' + description))
		return '%';
	if (/^(Memory|Disk Bytes|Network)$/.test(category) ||
		/\bbytes\b/i.test(name + ' ' + description))
		return 'bytes';
	return category === 'RAPL' || /\bwatts\b/i.test(description) ? 'W' : '';
}

/** Whether an integer counter only grew, so that its rate is of interest.
 * Levels, such as memory in use, may grow, too.
 * @param {any} counter */
export function isGrowing({ category, name, isDouble, values }) {
	if (isDouble || /^(Memory|CPU Percent|CPU Frequency|Pressure)$/.test(category) ||
		/^(Resident|Threads|Descriptors)$/.test(name))
		return false;
	let changes = 0;
	for (let i = 1; i < values.length; i++) {
		if (values[i] < values[i - 1])
			return false;
		changes += Number(values[i] > values[i - 1]);
	}
	return changes > 1;
}

/** Change a second before each value, except the first.
 * @param {ArrayLike<number>} times @param {ArrayLike<number>} values */
function ratesOf(times, values) {
	return Float64Array.from(values, (v, i) => i === 0 ? NaN
		: (v - values[i - 1]) / Math.max((times[i] - times[i - 1]) / 1e9, 1e-9));
}

/** @param {number} value @param {string} unit @param {boolean} isRate
 * @param {(value: number) => string} [plain] */
function formatValue(value, unit, isRate, plain = short) {
	const text = !Number.isFinite(value) ? short(value)
		: unit === 'bytes' ? formatBytes(value)
			: (unit === '' ? plain(value) : short(Number(value.toPrecision(4))) +
				'\u00a0' + unit);
	return isRate && Number.isFinite(value) ? text + '/s' : text;
}

/** @param {string} key @param {string} text @param {(row: any) => boolean} isRate */
const ofValues = (key, text, isRate) => ({ key, text, number: true, width: 'amount',
	by: (/** @type {any} */ row) => row[key],
	cell: (/** @type {any} */ row) => {
		const shown = formatValue(row[key], row.unit, isRate(row));
		return row.unit === 'bytes' && !isRate(row) && Number.isFinite(row[key])
			? el('span', { title: formatCount(row[key]) + ' bytes' }, shown) : shown;
	} });

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
				ofValues('min', 'Min', () => false),
				ofValues('max', 'Max', () => false),
				ofValues('last', 'Last', () => false),
				ofValues('rate', 'Mean rate', () => true),
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

	/** A button that adds or removes the lane of a counter.
	 * @param {any} counter */
	laneButton({ number }) {
		const { app, app: { state: { counters = [] } } } = this;
		const has = counters.includes(number);
		const others = counters.filter((other) => other !== number);
		return button(has ? 'not on the time axis' : 'on the time axis', () =>
			app.set({ counters: !has ? [...others, number]
				: others.length > 0 ? others : undefined }));
	}

	/** The drawn values of a counter. @param {any} counter */
	chart(counter) {
		const { show } = this.app.state;
		const isRate = show === 'rate' || (show !== 'values' && isGrowing(counter));
		const name = this.name(counter);
		const chart = { counter, isRate, unit: unitOf(counter),
			values: isRate ? ratesOf(counter.times, counter.values) : counter.values,
			value: el('strong', {}), peak: button('', () => this.jump(chart, chart.best),
				{ title: 'Show what ran then' }), best: 0,
			canvas: el('canvas', { role: 'img', 'aria-label': name +
				(isRate ? ', change a second' : ''),
			onpointermove: (e) => this.app.setCursor(this.timeAt(chart, e)),
			onclick: (e) => this.jump(chart, lowerBound(counter.times,
				this.timeAt(chart, e) + 1) - Number(!isRate)) }) };
		return chart;
	}

	update() {
		const { app } = this;
		const { model, state } = app;
		const isThinned = model.values < Number(model.limits.n_values);
		fill(this.bar, choose('Show', [['', 'values; rates of growing ones'],
			['values', 'values'], ['rate', 'change a second']],
		state.show || '', (show) => app.set({ show })), isThinned && hint(
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
			.map((counter) => this.chart(counter));
		fill(this.place, ...this.charts.map(({ counter, isRate, canvas, value, peak }) =>
			el('figure', {}, el('figcaption', {}, this.name(counter),
				isRate && hint(' a second'), ' ', value, ' ', peak, ' ', this.laneButton(counter)), canvas)));
		this.table.set(shown.map((counter) => this.row(counter)), 'name');
		app.tellFound(match && { n: shown.length });
		this.resize();
	}

	/** @param {any} counter */
	row(counter) {
		const { times, values } = counter;
		const [low, high] = rangeOf(times, this.app.filter());
		let min = NaN, max = NaN;
		for (let i = low; i < high; i++) {
			const value = values[i];
			// the condition also holds before the first value
			if (!(min <= value))
				min = Number.isNaN(value) ? min : value;
			if (!(max >= value))
				max = Number.isNaN(value) ? max : value;
		}
		const rate = high - low > 1 && isGrowing(counter)
			? (values[high - 1] - values[low]) / (times[high - 1] - times[low]) * 1e9 : NaN;
		return { name: this.name(counter), n: high - low, min, max, unit: unitOf(counter),
			last: high > low ? values[high - 1] : NaN, rate,
			description: counter.description };
	}

	/** @param {CounterChart} chart @param {MouseEvent} event */
	timeAt({ canvas }, event) {
		const [from, to] = this.app.range();
		const scale = new Scale(from, to, canvas.clientWidth - RANGE);
		return Math.round(Math.min(scale.time(Math.max(pixelOf(event, canvas), 0)), to));
	}

	/**
	 * Select the time of value @i, and show the stacks of that time.  The
	 * time begins at the previous value.  Unless the chart shows a rate,
	 * the time ends at the next value.
	 * @param {CounterChart} chart @param {number} i
	 */
	jump({ counter: { times }, isRate }, i) {
		const { app } = this;
		const { model } = app;
		const at = Math.max(Math.min(i, times.length - 1), 0);
		const from = times[Math.max(at - 1, 0)];
		const to = Math.max(times[Math.min(isRate ? at : at + 1, times.length - 1)], from + 1);
		app.set({ from, to, show: undefined, view: model.samples.n > 0 ? 'flame'
			: model.marks.n > 0 ? 'marks' : 'counters' });
	}

	resize() {
		for (const chart of this.charts)
			this.paint(chart);
	}

	/** @param {CounterChart} chart */
	paint(chart) {
		const { app } = this;
		const { theme, model } = app;
		const { canvas, counter: { times }, values, unit, isRate } = chart;
		const [from, to] = app.range();
		const width = Math.max(canvas.parentElement
			? canvas.parentElement.clientWidth : 300, 60);
		const height = 96;
		const context = prepareCanvas(canvas, width, height, theme);
		const scale = new Scale(from, to, width - RANGE);
		paintAxis(context, theme, scale, 0, height, model.begin);
		paintLosses(context, theme, model, scale, 0, 20, height - 20);
		const [low, high] = rangeOf(times, { from, to: to + 1 });
		let least = Infinity, best = -1;
		for (let i = low; i < high; i++) {
			least = Math.min(least, Number.isNaN(values[i]) ? Infinity : values[i]);
			if (!Number.isNaN(values[i]) && !(best >= 0 && values[best] >= values[i]))
				best = i;
		}
		// An axis from 0 would flatten a small change of a large value, but a
		// small change of a percentage is small.
		const hasZero = least >= 0 && best >= 0 &&
			(isRate || unit === '%' || values[best] - least > values[best] / 10);
		const range = paintLine(context, times, values, scale, 0, 26, height - 34,
			theme.series[0], hasZero);
		context.fillStyle = theme.soft;
		range.forEach((one, i) => context.fillText(cutText(context,
			one === 0 ? '0' : formatValue(one, unit, isRate, brief), RANGE - 8),
		width - RANGE + 6, i ? 26 : height - 8));
		app.paintCursor(context, scale, 0, height);
		const { cursor } = app.timeline;
		const at = cursor === null ? values.length - 1
			: lowerBound(times, cursor + 1) - 1;
		chart.value.textContent = at < 0 ? '' : formatValue(values[at], unit, isRate) +
			(cursor === null ? '' : ' at ' + formatAt(times[at] - model.begin));
		chart.best = best;
		chart.peak.hidden = best < 0;
		chart.peak.textContent = best < 0 ? '' : 'peak ' +
			formatValue(values[best], unit, isRate) + ' at ' +
			formatAt(times[best] - model.begin);
	}

	cursor() {
		this.resize();
	}
}
