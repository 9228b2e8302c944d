// SPDX-License-Identifier: BSD-2-Clause
// view_compare.js - comparison of captures, or of parts of one, as a
// differential flame graph and as a table.
import { runningTimes, sumMarks } from './mark_stats.js';
import { Boxes } from './boxes.js';
import { compare, compareFunctions, threadOf, unexpected } from './compare.js';
import { button, choose, div, el, fill, hint, section, swatch, toggle,
	View } from './dom.js';
import { layoutGraph, searching } from './flame.js';
import { formatAmount, formatCount, formatDifference, formatMoment, formatShare,
	formatTime } from './format.js';
import { ALL_TIME } from './state.js';
import { ofNumbers, ofTexts, Table } from './table.js';
import { tellBars } from './view_marks.js';

const SIDES = [['slowest', 'the slowest of a mark'],
	['range', 'marks of chosen durations'], ['brush', 'the selected time'],
	['thread', 'a thread'], ['search', 'the search']];

/** Difference with the full colour: 10 percentage points, or 10 % of the longer
 * duration of marks. */
const FULL = 0.1;

export class CompareView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		this.answer = el('div', { class: 'answer', 'aria-live': 'polite' });
		this.boxes = new Boxes({ theme: app.theme,
			label: 'Differential flame graph: widths of one part, ' +
				'coloured by the difference',
			pick: () => {}, open: (box) => this.open(box),
			tip: (box) => this.tip(box), back: () => { this.zoom = 0; this.layout(); } });
		this.legend = div('legend');
		/** Differences of shares, or amounts per mark. */
		this.both = [this.makeTable(false), this.makeTable(true)];
		this.table = this.both[0];
		this.place = div('tables');
		this.marks = this.makeMarks();
		this.zoom = 0;
		/** Boxes have the widths of the other side. */
		this.isThere = false;
		this.key = '';
		/** @type {Comparison | null} */
		this.comparison = null;
		this.element = section('Compare', this.bar, this.answer, this.place, this.boxes.element, this.legend);
	}

	/** @param {number} amount */
	amount(amount) {
		const unit = this.app.unit();
		return !this.comparison?.byMark ? formatShare(amount, 1)
			: unit !== 'ticks' ? formatAmount(amount, unit)
				: amount.toFixed(1) + '\u00a0ticks';
	}

	/** @param {number} difference */
	difference(difference) {
		if (!this.comparison?.byMark)
			return formatDifference(difference);
		return (difference < 0 ? '−' : difference > 0 ? '+' : '') +
			this.amount(Math.abs(difference));
	}

	/** @param {any} row */
	doubt({ error, isJudged }) {
		return !isJudged ? 'below 1\u00a0%' : error >= 0 ? '' : 'too few samples';
	}

	/** The interval of a difference; grey: noise explains the difference.
	 * @param {any} row */
	interval(row) {
		const { error, differs } = row, by = row.self - row.otherSelf;
		if (this.comparison?.byMark && this.comparison.units.some(({ n }) => n === 1))
			return el('span', { class: 'noise',
				title: 'An interval needs several marks on both sides' }, 'only one mark');
		// Shares differ by at most 100 points.
		const most = this.comparison?.byMark ? Infinity : 1;
		const text = this.doubt(row) || this.difference(Math.max(by - error, -most))
			.replace(/\u00a0points$/, '') + ' … ' +
			this.difference(Math.min(by + error, most));
		return differs ? text : el('span', { class: 'noise' }, text);
	}

	/** @param {boolean} byMark */
	makeTable(byMark) {
		const { app } = this;
		const amount = this.amount.bind(this), more = this.difference.bind(this);
		return new Table({
			label: 'Functions, compared', sort: '',
			id: (row) => row.f,
			headings: [
				ofTexts('name', 'Function', (row) => app.model.nameOf(row.f), 'title'),
				...(byMark ? [ofNumbers('unexpected', 'Unexpected',
					(row) => row.unexpected, more)] : []),
				// For shares, rows are sorted by the absolute
				// change, the largest first.
				{ ...ofNumbers('difference', 'Self, difference',
					(row) => row.self - row.otherSelf, more, 'change'),
				...(byMark ? {} : { by: (/** @type {any} */ row) =>
					Math.abs(row.self - row.otherSelf) }) },
				{ key: 'interval', text: 'Interval', number: true, width: 'wide',
					cell: (row) => this.interval(row) },
				ofNumbers('self', byMark ? 'Chosen' : 'Here', (row) => row.self, amount),
				ofNumbers('otherself', byMark ? 'Others' : 'There', (row) => row.otherSelf, amount),
				{ ...ofNumbers('totaldifference', 'Total, difference',
					(row) => row.more, more, 'change'),
				...(byMark ? {} : { by: (/** @type {any} */ row) =>
					Math.abs(row.more) }) },
				{ key: 'n', text: 'n', number: true, width: 'amount',
					cell: (row) => row.n.map(formatCount).join(' / ') },
				ofTexts('binary', 'Binary', (row) => app.model.binaryOf(row.f)),
			],
			sorted: (sort) => app.set({ sort }, true),
			pick: (row) => { this.found = row.f; this.layout(); },
			open: (row) => app.set({ view: 'functions', picked: row.f }),
		});
	}

	makeMarks() {
		const { app } = this;
		return new Table({
			label: 'The slow ones', sort: '-duration', id: (row) => row.i,
			headings: [
				{ ...ofNumbers('time', 'At', (row) => row.time,
					(n) => formatMoment(n - app.model.begin, 1e5), ''), up: true },
				ofNumbers('duration', 'Took', (row) => row.duration, formatTime, ''),
				ofNumbers('running', 'Sampled', (row) => row.running,
					(n) => formatAmount(n, app.model.samples.unit), ''),
			],
			pick: () => {},
			open: (row) => app.set({ view: 'chart', from: row.time,
				to: row.time + Math.max(row.duration, 1), thread: row.thread }),
		});
	}

	update() {
		const { app } = this;
		const { model, state } = app;
		const kind = app.comparison();
		const ofMarks = kind === 'slowest' || kind === 'range';
		const name = state.name || app.guessName();
		const names = sumMarks(model, app.filter()).filter((row) => row.max > 0)
			.sort((a, b) => b.total - a.total).map((row) => model.markName(row.name));
		if (name && !names.includes(name))
			names.unshift(name);
		fill(this.bar,
			choose('Compare', /** @type {[string, string][]} */ (model.other
				? [['file', 'with ' + model.facts.other], ...SIDES] : SIDES), kind,
				(compare_) => app.set({ compare: compare_ })),
			ofMarks && choose('Mark',
				names.slice(0, 300).map((n) => [n, n]), name,
				(n) => app.set({ name: n })),
			kind === 'slowest' && choose('Slowest', [['0.1%', '0.1 %'], ['1%', '1 %'],
				['2%', '2 %'], ['5%', '5 %'], ['10%', '10 %'], ['1', '1'], ['5', '5'],
				['20', '20']], state.amount || '1%',
			(amount) => app.set({ amount })),
			ofMarks && choose('With', [['', 'the others'],
				['rest', 'everything else']], state.against || '',
			(against) => app.set({ against })),
			kind === 'brush' && state.from !== undefined && !state.beside &&
				button('With another time', () => app.set({ ...ALL_TIME,
					beside: state.from + '-' + (state.to ?? model.end) })),
			kind === 'brush' && state.beside && button('With all other times',
				() => app.set({ beside: undefined })),
			kind === 'thread' && choose('Thread', model.threads.filter((thread) =>
				model.byThread[thread.number] > 0).map((thread) =>
				[String(thread.number), model.threadName(thread.number)]),
			String(threadOf(model, state)), (thread) => app.set({ thread: Number(thread) })),
			toggle('Widths of the other part', this.isThere, (on) => {
				this.isThere = on;
				this.layout();
			}));
		this.comparison = compare(model, app.filter(), { ...state, compare: kind },
			name, app.analysis().base, app.rows());
		const key = JSON.stringify([app.filter(), app.of(), kind, name,
			state.amount, state.against, state.beside]);
		if (key !== this.key) {
			this.zoom = 0;
			this.key = key;
		}
		const match = searching(kind === 'search' ? '' : state.search);
		const rows = compareFunctions(model, this.comparison)
			.filter((row) => !match || match(model.nameOf(row.f)));
		const { byMark, marks } = this.comparison;
		this.table = this.both[Number(byMark)];
		fill(this.place, this.table.element, this.marks.element);
		const running = runningTimes(model, marks);
		this.marks.element.hidden = marks.length === 0;
		this.marks.set(Array.from(marks, (i, k) => ({ i,
			time: model.marks.times[i], duration: model.marks.durations[i],
			running: running[k], thread: model.marks.threads[i] })));
		// The table is last, because a query of a size waits for its
		// rows.
		const { sort = '' } = state;
		this.table.set(rows, this.table.options.headings.some(({ key }) =>
			key === sort.replace('-', '')) ? sort
			: byMark ? '-unexpected' : '-difference');
		this.tell(kind);
		this.layout();
	}

	leave() {
		this.comparison = null;
		this.table.set([]);
	}

	/** The result in words. @param {string} kind */
	tell(kind) {
		const { comparison, app } = this;
		if (!comparison)
			return;
		const { one, other, byMark } = comparison;
		// A decrease of a share is a difference, too.  For marks, only
		// an increase explains the slow marks.
		const size = (/** @type {any} */ row) => byMark ? row.unexpected
			: Math.abs(row.unexpected);
		const find = (/** @type {(row: any) => boolean} */ is) =>
			this.table.rows.reduce((hot, row) => size(row) > 0 &&
				(!hot || size(row) > size(hot)) && is(row) ? row : hot, null);
		// A certain difference comes first.
		const bad = kind === 'file' && app.model.facts.incomparable;
		const hot = !bad && (byMark || one.total * other.total) &&
			(find((row) => row.differs) || find(() => true));
		/** @type {HTMLElement[]} */
		const parts = [];
		const say = (/** @type {any[]} */ ...what) => parts.push(el('p', {}, ...what));
		const note = (/** @type {string} */ text) =>
			parts.push(el('p', { class: 'note' }, text));
		if (one.nMarks > 0) {
			const wait = Math.max(one.duration - one.running, 0);
			const side = (/** @type {Side} */ s, /** @type {string} */ which) =>
				say(el('strong', {}, which + ' ' + formatCount(s.nMarks)),
					' took ', el('strong', {}, formatTime(s.duration)),
					(s.nMarks > 1 ? ' each' : '') + (app.model.isTime ? ', of which ' +
						formatTime(Math.min(s.running, s.duration)) + ' on the processor' +
						(app.model.isWall() ? ' or waiting with a stack' : '') : '') + '.');
			side(one, kind === 'range' ? 'The chosen' : 'The slowest');
			if (other.nMarks > 0)
				side(other, 'The other');
			if (app.model.bars.all > 0)
				note(tellBars(app.model));
			if (!app.model.isWall() && app.model.isTime && wait > one.duration / 2 &&
				wait > 1e6 && app.of() !== 'blocked')
				parts.push(el('p', { class: 'note' }, 'The marks wait most of this time. ',
					...(app.model.measures().includes('blocked') ? [
						button('Compare the calls that blocked', () => app.set({
							of: 'blocked' }))] : ['To see the stacks of waits, record ' +
						'with --io, or with --sample=wall.'])));
		} else if (kind === 'file') {
			say('Here: ', el('strong', {}, one.text + ', ' +
				formatAmount(one.total, app.unit())), '. There: ', el('strong', {},
				other.text + ', ' + formatAmount(other.total, app.model.facts.other_unit ===
				'ticks' ? 'ticks' : 'time')), '. The view compares shares of both.');
			if (app.state.from !== undefined || app.state.threads || app.state.mark)
				note('Times, threads and marks are ' +
					'filters of this capture only; the other capture is shown completely.');
		} else if (kind === 'range') {
			say('Under Marks, Statistics, drag over durations to ' +
				'choose marks.');
		} else if (kind === 'brush' && app.state.from === undefined) {
			say('Drag on the time axis to choose the compared time' +
				(app.state.beside ? ' with the time that has a blue bar.' : '.'));
		} else if (kind === 'search' && !app.state.search) {
			say('Search for a name to compare its stacks with all other stacks.');
		}
		if (bad)
			note('Not comparable: ' + bad + '.');
		if (one.total + other.total === 0)
			note('Neither part has a ' + app.rows().noun + '.');
		const caller = hot && this.callerOf(hot.f, Math.sign(hot.unexpected));
		if (hot)
			say('The largest difference: ',
				button(app.model.nameOf(hot.f), () => app.set({
					view: 'functions', picked: hot.f }), { class: 'culprit' }),
				caller ? ' in ' + caller : '', ', ' + this.amount(hot.self) +
				(byMark ? ' in ' + (one.nMarks > 1 ? 'each' : 'this') + ' mark' : ' here') +
				', against ' +
				this.amount(hot.otherSelf) + '.');
		if (hot && !hot.differs)
			note('This may be chance: ' + (this.doubt(hot) || (byMark ? 'marks'
				: 'times') + ' on one side differ as much') + '.');
		fill(this.answer, ...parts);
	}

	/**
	 * The library of the function's code, if known. @param {number} f
	 * @param {number} sign
	 */
	callerOf(f, sign) {
		const { comparison, app } = this;
		if (!comparison)
			return '';
		const { tree, one, other } = comparison;
		let best = 0, most = 0;
		for (let i = 1; i < tree.n; i++) {
			if (tree.functions[i] !== f)
				continue;
			const more = sign * (one.selfs[i] / one.per - other.selfs[i] / other.per);
			if (more > most) {
				most = more;
				best = i;
			}
		}
		for (let i = best; i !== 0; i = tree.parents[i]) {
			const kind = app.model.categoryOf(tree.functions[i]);
			if (kind === 0 || kind === 2)
				return i === best ? '' : app.model.nameOf(tree.functions[i]);
		}
		return '';
	}

	/** Colour of an increase or decrease, full at `most` and above.
	 * @param {number} difference of shares, or for each mark @param {number} most */
	colour(difference, most) {
		const { theme } = this.app;
		const part = Math.min(1, Math.abs(difference) / (most || 1));
		return 'color-mix(in srgb, ' + (difference > 0 ? theme.more : theme.less) +
			' ' + Math.round(100 * Math.sqrt(part)) + '%, ' + theme.same + ')';
	}

	layout() {
		const { app, comparison } = this;
		if (!comparison)
			return;
		const { tree, one, other } = comparison;
		const { model } = app;
		const difference = (/** @type {number} */ i) => unexpected(comparison,
			one.totals[i] / one.per, other.totals[i] / other.per);
		// The scale is fixed, so a faint colour is a small difference.
		const length = (/** @type {Side} */ s) => app.unit() === 'time' ? s.duration
			: s.total / s.per;
		const most = FULL * (comparison.byMark
			? Math.max(length(one), length(other)) : 1);
		const side = this.isThere ? other : one;
		const { boxes, rows } = layoutGraph({ tree, totals: side.totals,
			zoom: Math.min(this.zoom, tree.n - 1), width: this.boxes.width(),
			label: (i) => i === 0 ? side.text : model.nameOf(tree.functions[i]),
			colour: (i) => this.colour(difference(i), most),
			found: null });
		for (const box of boxes)
			box.found = this.found !== undefined && box.id > 0 &&
				tree.functions[box.id] === this.found;
		this.boxes.set(boxes, rows);
		const { theme } = app;
		const full = comparison.byMark ? this.amount(most)
			: (FULL * 100) + ' points';
		fill(this.legend, swatch(theme.more, full + ' or more above'),
			swatch(theme.same, 'the same'),
			swatch(theme.less, full + ' or more below'),
			hint('as wide as in ' + side.text));
	}

	resize() {
		this.table.show();
		this.marks.show();
		this.layout();
	}

	/** @param {Box} box */
	open(box) {
		if (this.comparison && box.id >= 0) {
			this.zoom = box.id;
			this.layout();
		}
	}

	/** @param {Box} box */
	tip(box) {
		const { comparison } = this;
		if (!comparison || box.id < 0)
			return [box.label];
		const { one, other, tree } = comparison;
		const a = one.totals[box.id] / one.per, b = other.totals[box.id] / other.per;
		return [box.id === 0 ? one.text : this.app.model.nameOf(tree.functions[box.id]),
			this.amount(a) + ' in ' + one.text, this.amount(b) + ' in ' + other.text,
			this.difference(a - b)];
	}
}
