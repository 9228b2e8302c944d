// SPDX-License-Identifier: BSD-2-Clause
// filters.js - the conditions in use, as chips, and the panel that sets them.
import { button, div, el, fill, toggle } from './dom.js';
import { tryRegex } from './filter.js';
import { formatTime } from './format.js';
import { hasTime } from './state.js';

export class Filters {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.chips = el('ul', { class: 'chips', 'aria-label': 'Filters' });
		this.panel = div('panel');
		this.element = el('details', { class: 'filters',
			ontoggle: () => this.showPanel() },
		el('summary', {}, 'Filter'), this.panel);
	}

	toggle() {
		this.element.open = !this.element.open;
	}

	show() {
		const { state, model } = this.app;
		/** @type {[string, Record<string, any>][]} */
		const chips = [];
		const add = (/** @type {string} */ text, /** @type {string[]} */ keys) => {
			chips.push([text, Object.fromEntries(keys.map((key) =>
				[key, undefined]))]);
		};
		if (hasTime(state))
			add(this.app.timeline.describe(), ['from', 'to']);
		if (state.window)
			add('axis zoomed', ['window']);
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
					: source + ', an invalid regular expression';
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
				() => this.app.set(patch), { 'aria-label': 'Remove: ' + text }))));
	}

	showPanel() {
		if (!this.element.open)
			return;
		const { state, model } = this.app;
		const field = (/** @type {string} */ label, /** @type {string} */ key,
			/** @type {string} */ hint) => {
			const input = el('input', { placeholder: hint, autocomplete: 'off',
				value: /** @type {any} */ (state)[key] || '',
				onkeydown: (e) => e.stopPropagation(),
				onchange: () => this.app.set({ [key]: input.value || undefined }) });
			return el('label', { class: 'field' }, label, input);
		};
		const threads = model.threads.filter((thread) =>
			model.byThread[thread.number] > 0 || thread.number < 50)
			.sort(model.foremost(model.byThread))
			.slice(0, 200);
		const set = new Set(state.threads || []);
		fill(this.panel,
			toggle('Without system libraries (h)', Boolean(state.hideSystem),
				(on) => this.app.set({ hideSystem: on || undefined })),
			model.hasOwn && toggle('With syscap itself (o)', Boolean(state.recording),
				(on) => this.app.set({ recording: on || undefined })),
			toggle('Recursion is one box', Boolean(state.recursion),
				(on) => this.app.set({ recursion: on || undefined })),
			field('Only with', 'function', 'regular expression'),
			field('Without', 'drop', 'regular expression'),
			field('Beginning at', 'focus', 'regular expression'),
			field('Libraries as one', 'library', 'libgtk*'),
			field('Inside marks', 'mark', 'group/name'),
			field('The slowest of these marks', 'slowest', '1% or 10'),
			el('fieldset', {}, el('legend', {}, 'Threads'), ...threads.map((thread) =>
				toggle(model.threadName(thread.number), set.has(thread.number), (on) => {
					set[on ? 'add' : 'delete'](thread.number);
					this.app.set({ threads: set.size > 0
						? Array.from(set).sort((a, b) => a - b) : undefined });
				}))));
	}
}
