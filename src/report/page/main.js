// SPDX-License-Identifier: BSD-2-Clause
// main.js - the page: its state, the parts around the views, and its start.
import { Analyst, answerHeap, functionsOf, sumMarks, unnamedOf } from './analysis.js';
import { fillBox, makeTheme } from './canvas.js';
import { findColumns, inflateAll } from './columns.js';
import { button, div, el, fill, toggle } from './dom.js';
import { tryRegex } from './filter.js';
import { findNodes, nothing, searching } from './flame.js';
import { formatBytes, formatCount, formatNumber, formatShare, formatTime } from
	'./format.js';
import { Model } from './model.js';
import { ALL_TIME, filterOf, readState, writeState } from './state.js';
import { Timeline } from './timeline.js';
import { pathTo } from './tree.js';
import { ChartView } from './view_chart.js';
import { CompareView } from './view_compare.js';
import { CountersView } from './view_counters.js';
import { FlameView } from './view_flame.js';
import { FunctionsView } from './view_functions.js';
import { HeapView } from './view_heap.js';
import { HeatView } from './view_heat.js';
import { MarksView } from './view_marks.js';
import { AboutView, LogsView } from './view_rest.js';
import { TreeView } from './view_tree.js';

const KEYS = [
	['?', 'this list'],
	['1 … 9, 0', 'the views'],
	['/', 'search; /…/ is a regular expression'],
	['n, N', 'the next that is found, the one before'],
	['f', 'filters'],
	['h', 'without system libraries, and with them'],
	['o', 'with syscap\'s own code, and without it'],
	['z, Z', 'the time axis shows what is brushed; all again'],
	['u', 'undo, as Back'],
	['Tab, arrows, Enter', 'into a chart, through it, and into what is there'],
	['Escape', 'out: of a zoom, the brush, the search'],
	['Ctrl and wheel', 'the time axis, longer or shorter'],
];

export class App {
	/** @param {HTMLElement} place @param {Model} model */
	constructor(place, model) {
		this.place = place;
		this.model = model;
		this.theme = makeTheme();
		this.state = readState(location.hash);
		this.analyst = new Analyst(model);
		this.answerKey = '';
		/** @type {Analysis | null} */
		this.answer_ = null;
		/** @type {Record<string, any>} */
		this.views = {};
		/** @type {any} */
		this.view = null;
		this.timer = 0;
		this.frame = 0;
		this.unnamedKey = '';
		this.timeline = new Timeline(this);
		this.build();
	}

	// --- requests of views

	filter() {
		return filterOf(this.state);
	}

	analysis() {
		const key = JSON.stringify(this.filter()) + this.model.isWhole;
		if (key !== this.answerKey || !this.answer_) {
			this.answer_ = this.analyst.answer(this.filter());
			this.answerKey = key;
		}
		return this.answer_;
	}

	/** @returns {Unit} */
	unit() {
		return this.model.isTime ? 'time' : 'ticks';
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
			: formatCount(found.n) + ' found' + (found.total
				? ', ' + formatShare(found.share || 0, found.total) : '');
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
		const { facts } = model;
		document.title = facts.title + ' – syscap';
		const lost = model.losses.reduce((sum, loss) => sum + loss.frames, 0);
		const problems = /(\d+) problems?$/m.exec(facts.check || '');
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
		this.chips = el('ul', { class: 'chips', 'aria-label': 'Filters' });
		this.panel = div('panel');
		this.filters = el('details', { class: 'filters',
			ontoggle: () => this.showPanel() },
		el('summary', {}, 'Filter'), this.panel);
		this.tabs = el('nav', { class: 'tabs', 'aria-label': 'Views' });
		this.main = el('main', {});
		this.help = el('dialog', { 'aria-label': 'Keys' }, el('h2', {}, 'Keys'),
			el('dl', {}, ...KEYS.flatMap(([key, text]) =>
				[el('dt', {}, key), el('dd', {}, text)])),
			button('Close', () => this.help.close()));
		this.facts = el('p', { class: 'facts' });
		this.own = button('', () => this.set({ recording: this.state.recording
			? undefined : true }), { class: 'own', hidden: true,
			title: 'Samples in syscap\'s own code, which records. Click, or ' +
				'press o, to show or omit them.' });
		this.unnamed = button('', () => this.set({ view: 'about' }), { class: 'own',
			hidden: true, title: 'Time in functions whose names are unknown. Click for ' +
				'their libraries.' });
		const warning = (/** @type {string} */ text) => button(text,
			() => this.set({ view: 'about' }), { class: 'warn' });
		fill(this.place,
			el('header', { class: 'top' }, el('h1', {}, facts.title), this.facts, this.own,
				this.unnamed,
				el('span', { class: 'grow' }),
				lost > 0 && warning(formatNumber(lost, 'event') + ' lost, shaded'),
				problems && warning(problems[1] + ' problems found by check'),
				button('?', () => this.help.showModal(), { 'aria-label': 'Keys' })),
			this.timeline.element,
			el('section', { class: 'tools', 'aria-label': 'Search and filters' },
				el('div', { class: 'search', role: 'search' },
				this.search,
				button('‹', () => this.step(-1), { 'aria-label': 'The one before' }),
				button('›', () => this.step(1), { 'aria-label': 'The next' }), this.found),
			this.filters, this.chips),
			this.tabs, this.main, this.help);
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
		const n = model.samples.n;
		return [
			{ key: 'flame', text: 'Flame graph', make: FlameView, has: true },
			{ key: 'chart', text: 'Flame chart', make: ChartView, has: n > 0 },
			{ key: 'functions', text: 'Functions', make: FunctionsView, has: n > 0 },
			{ key: 'tree', text: 'Call tree', make: TreeView, has: n > 0 },
			{ key: 'compare', text: model.other ? 'Compare' : 'Compare inside', make: CompareView, has: n > 0 },
			{ key: 'marks', text: 'Marks', make: MarksView, has: model.marks.n > 0 },
			{ key: 'counters', text: 'Counters', make: CountersView,
				has: model.counters.length > 0 },
			{ key: 'logs', text: 'Logs', make: LogsView, has: model.logs.length > 0 },
			{ key: 'heap', text: 'Allocations', make: HeapView,
				has: model.allocations.n > 0 },
			{ key: 'heat', text: 'Heat map', make: HeatView, has: n > 0 },
			{ key: 'about', text: 'About', make: AboutView, has: true },
		].filter((choice) => choice.has || !model.isWhole);
	}

	/** The share of syscap's own code in the current filter. */
	showOwn() {
		const { model, state } = this;
		this.own.hidden = !model.hasOwn;
		if (!model.hasOwn)
			return;
		const { own, total } = this.analysis();
		this.own.textContent = formatShare(own, state.recording ? total
			: total + own) + ' syscap itself, ' +
			(state.recording ? 'included' : 'left out');
	}

	/** The share of functions without names in the current filter. */
	showUnnamed() {
		const { model } = this;
		const analysis = this.analysis();
		if (this.unnamedKey !== this.answerKey) {
			const sum = unnamedOf(model, analysis).reduce((all, [, one]) => all + one, 0);
			this.unnamed.hidden = !(sum >= analysis.totals[0] / 100 && sum > 0);
			this.unnamed.textContent = formatShare(sum, analysis.totals[0]) +
				' without names';
		}
		this.unnamedKey = this.answerKey;
	}

	showFacts() {
		const { model } = this;
		this.facts.textContent = [
			formatTime(model.end - model.begin),
			!model.isWhole ? 'reading…' : formatNumber(model.samples.all, 'sample') +
				(model.isTime ? ' of ' + model.facts.unit : ''),
			model.marks.n > 0 &&
				formatNumber(model.marks.n + model.bars.all, 'mark'),
			model.facts.filter,
			this.describeLimits(),
		].filter(Boolean).join(' · ');
	}

	/** The numbers of events in the page, if its size limits them. */
	describeLimits() {
		const { model, model: { limits } } = this;
		/** @type {(n: number, all: number, what: string) => string | false} */
		const part = (n, all, what) => n < all && formatCount(n) + ' of ' +
			formatNumber(all, what);
		const parts = [
			part(model.marks.n, model.marks.n + model.bars.all, 'mark'),
			part(model.values, Number(limits.n_values), 'counter value'),
			part(model.logs.length, Number(limits.n_logs), 'log message'),
			model.allocations.counts && 'allocations in intervals of ' +
				formatTime(Number(limits.heap_cell)),
			model.samples.counts && 'samples in intervals of ' +
				formatTime(Number(limits.sample_cell)),
		].filter(Boolean);
		return parts.length > 0 && 'limited to ' +
			formatBytes(Number(limits.max_size)) + ': ' + parts.join(', ');
	}

	showChips() {
		const { state, model } = this;
		/** @type {[string, Record<string, any>][]} */
		const chips = [];
		const add = (/** @type {string} */ text, /** @type {string[]} */ keys) => {
			chips.push([text, Object.fromEntries(keys.map((key) =>
				[key, undefined]))]);
		};
		if (state.from !== undefined || state.to !== undefined)
			add(this.timeline.describe(), ['from', 'to']);
		if (state.threads)
			add(state.threads.slice(0, 3).map((t) => t < model.threads.length
				? model.threadName(t) : '?').join(', ') +
				(state.threads.length > 3 ? ' …' : ''), ['threads']);
		if (state.mark)
			add('inside ' + state.mark + (state.slowest ? ', slowest ' + state.slowest
				: '') + (state.longer ? ', from ' + formatTime(state.longer) : '') +
				(state.shorter ? ', below ' + formatTime(state.shorter) : ''),
			['mark', 'slowest', 'longer', 'shorter']);
		const plain = (/** @type {string} */ source) =>
			/^\^.*\$$/.test(source) ? source.slice(1, -1).replace(/\\(.)/g, '$1')
				: tryRegex(source) ? '/' + source + '/'
					: source + ', which is no regular expression';
		if (state.function)
			add('with ' + plain(state.function), ['function']);
		if (state.drop)
			add('without ' + plain(state.drop), ['drop']);
		if (state.focus)
			add('from ' + plain(state.focus), ['focus']);
		if (state.hideSystem)
			add('no system libraries', ['hideSystem']);
		if (state.recording)
			add('with syscap itself', ['recording']);
		if (state.library)
			add('one box for each of ' + state.library, ['library']);
		if (state.recursion)
			add('recursion collapsed', ['recursion']);
		fill(this.chips, ...chips.map(([text, patch]) => el('li', { class: 'chip' },
			el('span', {}, text), button('×',
				() => this.set(patch), { 'aria-label': 'Remove: ' + text }))));
	}

	showPanel() {
		if (!this.filters.open)
			return;
		const { state, model } = this;
		const field = (/** @type {string} */ label, /** @type {string} */ key,
			/** @type {string} */ hint) => {
			const input = el('input', { placeholder: hint, autocomplete: 'off',
				value: /** @type {any} */ (state)[key] || '',
				onkeydown: (e) => e.stopPropagation(),
				onchange: () => this.set({ [key]: input.value || undefined }) });
			return el('label', { class: 'field' }, label, input);
		};
		const threads = model.threads.filter((thread) =>
			model.byThread[thread.number] > 0 || thread.number < 50)
			.sort(model.foremost(model.byThread))
			.slice(0, 200);
		const set = new Set(state.threads || []);
		fill(this.panel,
			toggle('Without system libraries (h)', Boolean(state.hideSystem),
				(on) => this.set({ hideSystem: on || undefined })),
			model.hasOwn && toggle('With syscap itself (o)', Boolean(state.recording),
				(on) => this.set({ recording: on || undefined })),
			toggle('Recursion is one box', Boolean(state.recursion),
				(on) => this.set({ recursion: on || undefined })),
			field('Only with', 'function', 'regular expression'),
			field('Without', 'drop', 'regular expression'),
			field('Beginning at', 'focus', 'regular expression'),
			field('Libraries as one', 'library', 'libgtk*'),
			field('Inside of marks', 'mark', 'group/name'),
			field('Of these the slowest', 'slowest', '1% or 10'),
			el('fieldset', {}, el('legend', {}, 'Threads'), ...threads.map((thread) =>
				toggle(model.threadName(thread.number), set.has(thread.number), (on) => {
					set[on ? 'add' : 'delete'](thread.number);
					this.set({ threads: set.size > 0
						? Array.from(set).sort((a, b) => a - b) : undefined });
				}))));
	}

	draw() {
		this.frame = 0;
		const { state } = this;
		const choices = this.choices();
		const choice = choices.find((one) => one.key === state.view) || choices[0];
		this.showFacts();
		this.showOwn();
		this.showUnnamed();
		this.showChips();
		const tabs = choices.map((one) => button(one.text,
			() => this.set({ view: one.key }),
			{ 'aria-current': one === choice ? 'page' : null }));
		fill(this.tabs, ...tabs);
		// On a narrow page, show the tab with its neighbours.
		const { offsetLeft, offsetWidth } = tabs[choices.indexOf(choice)];
		this.tabs.scrollLeft = offsetLeft + offsetWidth / 2 -
			this.tabs.clientWidth / 2;
		if (document.activeElement !== this.search)
			this.search.value = state.search || '';
		this.timeline.paint();
		if (!this.views[choice.key])
			this.views[choice.key] = new choice.make(this);
		const view = this.views[choice.key];
		if (view !== this.view) {
			if (this.view?.leave)
				this.view.leave();
			this.view = view;
			fill(this.main, view.element);
		}
		this.tellFound(null);
		view.update();
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const { target } = event;
		if (event.ctrlKey || event.metaKey || event.altKey || (target instanceof
			HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) ||
			this.help.open)
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
			this.filters.open = !this.filters.open;
		} else if (event.key === 'h') {
			this.set({ hideSystem: state.hideSystem ? undefined : true });
		} else if (event.key === 'o' && this.model.hasOwn) {
			this.set({ recording: state.recording ? undefined : true });
		} else if (event.key === 'z' && state.from !== undefined) {
			this.set({ window: state.from + '-' + state.to });
		} else if (event.key === 'Z') {
			this.set({ window: undefined });
		} else if (event.key === 'u') {
			history.back();
		} else if (event.key === 'Escape') {
			if (this.filters.open)
				this.filters.open = false;
			else if (state.search)
				this.set({ search: undefined });
			else if (state.from !== undefined || state.to !== undefined)
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

/**
 * Numbers of the present view, for scripts.
 * @param {App} app
 */
export function answerOf(app) {
	const { model, state } = app;
	const of = /** @type {any} */ (state.of);
	const analysis = of ? answerHeap(model, app.filter(), of) : app.analysis();
	const { tree, selfs, totals } = analysis;
	const sums = functionsOf(model, analysis);
	const functions = [], folded = [];
	for (let f = 1; f < model.nFunctions; f++)
		if (sums.totals[f] > 0)
			functions.push([model.nameOf(f), model.binaryOf(f), sums.selfs[f],
				sums.totals[f]]);
	for (let i = 1; i < tree.n; i++) {
		if (selfs[i] === 0)
			continue;
		folded.push([pathTo(tree, i).map((k) => [model.nameOf(tree.functions[k]),
			model.binaryOf(tree.functions[k])]), selfs[i]]);
	}
	return { unit: of ? 'bytes' : model.facts.unit, samples: analysis.n,
		total: totals[0], functions, folded,
		threads: Array.from(analysis.threads).flatMap((sum, t) => sum === 0 ? []
			: [[model.processes[model.threads[t].process].pid,
				model.threads[t].tid, sum]]),
		slowest: Array.from(analysis.chosen || [], (i) => [model.marks.times[i],
			model.marks.durations[i], model.markName(model.marks.names[i])]) };
}

/** Read the columns before the script, and draw; then read the other
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
			throw new Error('it is cut');
		model.addRest(rest);
		app.answerKey = '';
		app.analyst = new Analyst(model);
		if (!location.hash && model.facts.with_recording === '1')
			app.state.recording = true;
		if (!location.hash && model.other)
			app.state.view = 'compare';
		else if (!location.hash && model.samples.n === 0)
			app.state.view = app.choices()[1].key; // after the flame graph
		app.draw();
		shown.isReady = true;
	} catch (error) {
		fill(place, el('p', { class: 'wait warn' },
			'This page cannot be read: ' + error));
		throw error;
	}
}
