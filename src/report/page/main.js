// SPDX-License-Identifier: BSD-2-Clause
// main.js - the page: its state, the parts around the views, and its start.
import { Analyst } from './analysis.js';
import { sumMarks } from './mark_stats.js';
import { answerOf } from './answer.js';
import { fillBox, makeTheme } from './canvas.js';
import { findColumns, inflateAll } from './columns.js';
import { button, choose, div, el, fill, hint } from './dom.js';
import { Filters } from './filters.js';
import { findNodes, nothing, searching } from './flame.js';
import { formatAmount, formatCount, formatMoment, formatNumber, formatShare } from
	'./format.js';
import { Header } from './header.js';
import { InUse } from './in_use.js';
import { Model } from './model.js';
import { Notes, savedAddress } from './notes.js';
import { MEASURES } from './rows.js';
import { ALL_TIME, filterOf, hasTime, readState, writeState } from './state.js';
import { Timeline } from './timeline.js';
import { ChartView } from './view_chart.js';
import { CompareView } from './view_compare.js';
import { CountersView } from './view_counters.js';
import { FlameView } from './view_flame.js';
import { FunctionsView } from './view_functions.js';
import { HeatView } from './view_heat.js';
import { MarksView } from './view_marks.js';
import { AboutView, LogsView } from './view_rest.js';
import { TreeView } from './view_tree.js';

const KEYS = [
	['?', 'this list'],
	['1 … 9, 0', 'the views'],
	['/', 'search; /…/ is a regular expression'],
	['n, N', 'next match, previous match'],
	['f', 'filters'],
	['h', 'hide or show system libraries'],
	['o', 'show or hide syscap\'s own code'],
	['z, Z', 'zoom the time axis to the selected time; show all'],
	['a', 'add a note on the selected time or function'],
	['u', 'undo, as Back'],
	['Tab, arrows, Enter', 'enter a chart, move in it, open the chosen part'],
	['Escape', 'leave a zoom, the selected time, the search'],
	['Ctrl and wheel', 'show more or less time on the axis'],
];

/** Views of stacks, whose amounts are chosen by one selector. */
const OF_STACKS = ['flame', 'functions', 'tree', 'compare'];

export class App {
	/** @param {HTMLElement} place @param {Model} model */
	constructor(place, model) {
		this.place = place;
		this.model = model;
		this.theme = makeTheme();
		const address = location.hash || savedAddress();
		/** @type {State} */
		this.state = { window: address ? undefined : model.facts.window,
			...readState(address) };
		this.notes = new Notes(this);
		this.analyst = new Analyst(model);
		this.inUse = new InUse(model);
		this.answerKey = '';
		/** @type {Analysis | null} */
		this.answer_ = null;
		/** @type {Record<string, any>} */
		this.views = {};
		/** @type {any} */
		this.view = null;
		this.timer = 0;
		this.frame = 0;
		this.timeline = new Timeline(this);
		this.filters = new Filters(this);
		this.header = new Header(this);
		this.build();
	}

	// --- requests of views

	filter() {
		return filterOf(this.state);
	}

	analysis() {
		const key = JSON.stringify(this.filter()) + this.model.isWhole + this.of() +
			(this.of() === 'live' ? this.moment() : '');
		if (key !== this.answerKey || !this.answer_) {
			this.answer_ = this.analyst.answer(this.filter(), this.rows());
			this.answerKey = key;
		}
		return this.answer_;
	}

	choice() {
		const choices = this.choices();
		return choices.find((one) => one.key === this.state.view) || choices[0];
	}

	/** The kind of comparison of the view Compare.  The default is the
	 * first possible kind: file, brush, slowest, search. */
	comparison() {
		const { model, state, state: { compare, beside } } = this;
		return compare && (compare !== 'file' || model.other) ? compare
			: model.other ? 'file' : hasTime(state) || beside ? 'brush'
				: model.marks.n > 0 ? 'slowest' : 'search';
	}

	measures() {
		const { key } = this.choice();
		return OF_STACKS.includes(key) && (key !== 'compare' ||
			this.comparison() !== 'file') ? this.model.measures() : [''];
	}

	/** The chosen amount of stacks, a key of MEASURES. */
	of() {
		const keys = this.measures(), { of = '' } = this.state;
		return keys.includes(of) ? of : keys[0] || '';
	}

	rows() {
		const of = this.of();
		return this.model.rowsOf(of, of === 'live' ? this.moment() : 0);
	}

	/** The selected moment, or the moment of the peak of memory. */
	moment() {
		if (this.inUse.rows !== this.model.allocations)
			this.inUse = new InUse(this.model);
		return this.inUse.snap(this.state.moment ?? this.inUse.peak());
	}

	/** @returns {Unit} */
	unit() {
		return this.rows().unit;
	}

	/** The brushed range, or else the whole axis. @returns {[number, number]} */
	range() {
		const [begin, end] = this.timeline.window();
		const { from, to } = this.state;
		return [from ?? begin, to ?? end];
	}

	/** The mark whose slowest instances stand out most. */
	guessName() {
		let best = '', most = -1;
		for (const row of sumMarks(this.model, this.filter())) {
			const n = Math.min(Math.ceil(row.n / 100), row.sorted.length);
			let excess = 0;
			for (let i = 0; i < n; i++)
				excess += row.sorted[row.sorted.length - 1 - i] -
					(row.median || 0);
			if (row.n < 10)
				excess /= 1000;
			if (excess > most) {
				most = excess;
				best = this.model.markName(row.name);
			}
		}
		return best;
	}

	/**
	 * Search among nodes; show and return the result.
	 * @param {Tree} tree @param {Costs} totals
	 */
	find(tree, totals) {
		const found = findNodes(this.model, tree, totals, this.state.search);
		this.tellFound(found && { share: found.share, total: totals[0],
			n: found.outermost.length });
		return found;
	}

	/** @param {{n: number, share?: number, total?: number} | null} found */
	tellFound(found) {
		this.found.textContent = searching(this.state.search) === nothing
			? 'no regular expression' : !found ? ''
			: formatCount(found.n) + (found.total ? ' outermost' : '') + ' found' +
				(found.total ? ', ' + formatShare(found.share || 0, found.total) : '');
	}

	// --- the state

	/** @param {Record<string, any>} patch @param {boolean} [isLive] more
	 * changes follow, so Back does not stop here */
	set(patch, isLive) {
		this.state = { ...this.state, ...patch };
		const view = patch.view !== undefined;
		if (view && patch.sort === undefined)
			this.state.sort = undefined;
		if (view && patch.show === undefined)
			this.state.show = undefined;
		clearTimeout(this.timer);
		if (isLive)
			this.timer = window.setTimeout(() => this.push(), 500);
		else
			this.push();
		this.later();
	}

	push() {
		clearTimeout(this.timer);
		const hash = writeState(this.state);
		if (hash !== location.hash)
			history.pushState(null, '', hash);
	}

	/** Draw once for all changes in a frame. */
	later() {
		if (this.frame === 0)
			this.frame = requestAnimationFrame(() => this.draw());
	}

	/** @param {number | null} time */
	setCursor(time) {
		if (this.timeline.cursor === time)
			return;
		this.timeline.cursor = time;
		if (!this.cursorFrame)
			this.cursorFrame = requestAnimationFrame(() => {
				this.cursorFrame = 0;
				this.timeline.paint();
				if (this.view?.cursor)
					this.view.cursor();
			});
	}

	/** Zoom in or out, around the place `x` pixels from the left.
	 * @param {Scale} scale @param {number} x @param {number} by */
	wheel(scale, x, by) {
		const around = scale.time(Math.max(x, 0)), factor = by > 0 ? 1.25 : 0.8;
		this.set({
			from: Math.round(Math.max(around - (around - scale.from) * factor, 0)),
			to: Math.round(Math.min(around + (scale.to - around) * factor,
				this.model.end)),
		}, true);
	}

	/** @param {Context2D} context @param {Scale} scale @param {number} left @param {number} height */
	paintCursor(context, scale, left, height) {
		const { cursor } = this.timeline;
		if (cursor === null || cursor < scale.from || cursor > scale.to)
			return;
		fillBox(context, left + scale.x(cursor), 0, 1, height, this.theme.ink, 0.6);
	}

	// --- around the views

	build() {
		const { model } = this;
		document.title = model.facts.title + ' – syscap';
		this.search = el('input', { type: 'search', placeholder: 'Search, /regex/',
			'aria-label': 'Search', autocomplete: 'off', spellcheck: 'false',
			oninput: () => this.set({ search: this.search.value || undefined,
				}, true),
			onkeydown: (e) => {
				if (e.key === 'Enter')
					this.step(e.shiftKey ? -1 : 1);
				if (e.key === 'Escape') {
					this.set({ search: undefined });
					this.search.blur();
				}
				e.stopPropagation();
			} });
		this.found = el('output', { 'aria-live': 'polite' });
		this.lanes = div('lanes');
		this.tabs = el('nav', { class: 'tabs', 'aria-label': 'Views' });
		this.main = el('main', {});
		this.selector = div('bar selector');
		this.help = el('dialog', { 'aria-label': 'Keys' }, el('h2', {}, 'Keys'),
			el('dl', {}, ...KEYS.flatMap(([key, text]) =>
				[el('dt', {}, key), el('dd', {}, text)])),
			button('Close', () => this.help.close()));
		fill(this.place,
			this.header.element,
			this.timeline.element,
			el('section', { class: 'tools', 'aria-label': 'Search and filters' },
				el('div', { class: 'search', role: 'search' },
				this.search,
				button('‹', () => this.step(-1), { 'aria-label': 'Previous match' }),
				button('›', () => this.step(1), { 'aria-label': 'Next match' }), this.found),
			this.lanes, this.filters.element, this.filters.chips, this.notes.list),
			this.tabs, this.main, this.help, this.notes.dialog);
		addEventListener('popstate', () => {
			this.state = readState(location.hash);
			this.search.blur();
			this.later();
		});
		addEventListener('resize', () => this.resize());
		addEventListener('keydown', (event) => this.key(event));
		const again = () => {
			this.theme.read();
			this.draw();
		};
		// Sheets are counted before the style for paper applies.
		for (const name of ['beforeprint', 'afterprint'])
			addEventListener(name, () => {
				this.theme.isPaper = name === 'beforeprint';
				this.draw();
			});
		for (const query of ['(prefers-color-scheme: dark)', 'print',
			'(forced-colors: active)'])
			matchMedia(query).addEventListener('change', again);
	}

	resize() {
		this.timeline.paint();
		if (this.view?.resize)
			this.view.resize();
	}

	/** @param {number} by */
	step(by) {
		if (this.view?.step)
			this.view.step(by);
	}

	choices() {
		const { model } = this;
		const n = model.samples.n, has = model.measures().length > 0;
		return [
			{ key: 'flame', text: 'Flame graph', make: FlameView, has: true },
			{ key: 'chart', text: 'Flame chart', make: ChartView, has: n > 0 },
			{ key: 'functions', text: 'Functions', make: FunctionsView, has },
			{ key: 'tree', text: 'Call tree', make: TreeView, has },
			{ key: 'compare', text: model.other ? 'Compare' : 'Compare inside', make: CompareView, has },
			{ key: 'marks', text: 'Marks', make: MarksView, has: model.marks.n > 0 },
			{ key: 'counters', text: 'Counters', make: CountersView,
				has: model.counters.length > 0 },
			{ key: 'logs', text: 'Logs', make: LogsView, has: model.logs.length > 0 },
			{ key: 'heat', text: 'Heat map', make: HeatView, has: n > 0 },
			{ key: 'about', text: 'About', make: AboutView, has: true },
		].filter((choice) => choice.has || !model.isWhole);
	}

	showMeasures() {
		const { model } = this;
		const keys = this.measures(), chosen = this.of();
		this.selector.hidden = keys.length < 2;
		if (this.selector.hidden)
			return;
		fill(this.selector, el('div', { class: 'segments', role: 'group',
			'aria-label': 'Amounts of stacks' }, ...MEASURES.filter(([key]) => keys.includes(key)).map(
			([key, text, title]) => button(key === 'leaked' && model.facts.is_cut === '1'
				? 'Not freed' : text || (model.isTime ? model.facts.unit
				: 'Ticks').replace(/^./, (c) => c.toUpperCase()),
			() => this.set({ of: key || undefined }),
			{ title, 'aria-pressed': String(key === chosen) }))),
		hint(this.describeAmount()));
	}

	describeAmount() {
		const { model, state } = this;
		const { counts, noun, unit } = this.rows();
		const { total, n } = this.analysis();
		const isPart = hasTime(state) || state.mark !== undefined;
		const isSampled = unit === 'bytes' && model.facts.sampled;
		return (isSampled || (counts && isPart) ? '≈\u00a0' : '') +
			formatAmount(total, unit) + ' of ' + formatNumber(n,
			(isSampled ? 'sampled ' : '') + noun) + (this.of() === 'live' ? ', at ' +
			formatMoment(this.moment() - model.begin, 1e5) : '');
	}

	draw() {
		this.frame = 0;
		const { state } = this;
		const choices = this.choices(), choice = this.choice(), { key } = choice;
		this.header.show();
		this.filters.show();
		this.notes.show();
		fill(this.lanes, choose('Time axis', [['', 'main lanes'], ['all', 'all lanes'],
			['none', 'folded']], state.lanes || '', (lanes) => this.set({ lanes })));
		this.showMeasures();
		const tabs = choices.map((one) => button(one.text,
			() => this.set({ view: one.key }),
			{ 'aria-current': one.key === key ? 'page' : null }));
		fill(this.tabs, ...tabs);
		// On a narrow page, show the tab with its neighbours.
		const { offsetLeft, offsetWidth } = tabs[choices.findIndex((one) => one.key === key)];
		this.tabs.scrollLeft = offsetLeft + offsetWidth / 2 -
			this.tabs.clientWidth / 2;
		if (document.activeElement !== this.search)
			this.search.value = state.search || '';
		this.timeline.paint();
		const view = this.views[key] ||= new choice.make(this);
		if (view !== this.view) {
			if (this.view?.leave)
				this.view.leave();
			this.view = view;
			fill(this.main, this.selector, view.element);
		}
		this.tellFound(null);
		view.update();
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const { target } = event;
		if (event.ctrlKey || event.metaKey || event.altKey || (target instanceof
			HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) ||
			this.help.open || this.notes.dialog.open)
			return;
		const { state } = this;
		if (event.key === '?') {
			this.help.showModal();
		} else if (event.key === '/') {
			this.search.focus();
			this.search.select();
		} else if (/^n$/i.test(event.key)) {
			this.step(event.key === 'n' ? 1 : -1);
		} else if (event.key === 'f') {
			this.filters.toggle();
		} else if (event.key === 'h') {
			this.set({ hideSystem: state.hideSystem ? undefined : true });
		} else if (event.key === 'o' && this.model.hasOwn) {
			this.set({ recording: state.recording ? undefined : true });
		} else if (event.key === 'z' && state.from !== undefined) {
			this.set({ window: state.from + '-' + state.to });
		} else if (event.key === 'Z') {
			this.set({ window: undefined });
		} else if (event.key === 'a') {
			this.notes.open();
		} else if (event.key === 'u') {
			history.back();
		} else if (event.key === 'Escape') {
			if (this.filters.element.open)
				this.filters.toggle();
			else if (state.search)
				this.set({ search: undefined });
			else if (hasTime(state))
				this.set(ALL_TIME);
		} else if (/^\d$/.test(event.key)) {
			const choice = this.choices()[(Number(event.key) + 9) % 10];
			if (choice)
				this.set({ view: choice.key });
		} else {
			return;
		}
		event.preventDefault();
	}
}

/** Read the columns that precede the script, and draw.  Then read the other
 * columns. */
export async function begin() {
	const place = /** @type {HTMLElement} */ (document.getElementById('syscap'));
	try {
		const seen = new Set();
		const model = new Model(await inflateAll(findColumns(document, seen)));
		const app = new App(place, model);
		const shown = { app, model, isReady: false, answer: () => answerOf(app) };
		/** @type {any} */ (window).syscap = shown;
		app.draw();
		if (document.readyState === 'loading')
			await new Promise((resolve) =>
				addEventListener('DOMContentLoaded', resolve));
		const rest = await inflateAll(findColumns(document, seen));
		if (!rest.found.has('texts.more'))
			throw new Error('its end is missing');
		model.addRest(rest);
		app.answerKey = '';
		app.analyst = new Analyst(model);
		const isFirst = !location.hash && !savedAddress();
		if (isFirst && model.facts.with_recording === '1')
			app.state.recording = true;
		if (isFirst && model.facts.of)
			app.state.of = model.facts.of;
		if (isFirst && model.other)
			app.state.view = 'compare';
		else if (isFirst && model.measures().length === 0)
			app.state.view = app.choices()[1].key; // after the flame graph
		app.draw();
		shown.isReady = true;
	} catch (error) {
		fill(place, el('p', { class: 'wait warn' },
			'This page is damaged: ' + error));
		throw error;
	}
}
