// SPDX-License-Identifier: BSD-2-Clause
// header.js - the first line of the page: the capture, shares of syscap itself and
// of functions without names, missing data.
import { unnamedOf } from './analysis.js';
import { button, el } from './dom.js';
import { formatBytes, formatCount, formatNumber, formatShare, formatTime } from
	'./format.js';

export class Header {
	/** @param {App} app */
	constructor(app) {
		const { model, notes } = app;
		const { facts } = model;
		this.app = app;
		this.unnamedKey = '';
		this.facts = el('p', { class: 'facts' });
		this.own = button('', () => app.set({ recording: app.state.recording
			? undefined : true }), { class: 'own', hidden: true,
			title: 'Samples in syscap\'s own code, which records. Click, or ' +
				'press o, to show or omit the samples.' });
		this.unnamed = button('', () => app.set({ view: 'about' }), { class: 'own',
			hidden: true, title: 'Time in functions whose names are unknown. Click for ' +
				'the libraries.' });
		const problems = /\d+ problems?$/m.exec(facts.check || '');
		const warning = (/** @type {string} */ text) => button(text,
			() => app.set({ view: 'about' }), { class: 'warn' });
		this.element = el('header', { class: 'top' }, el('h1', {}, facts.title),
			facts.moment && el('details', { class: 'warn' }, el('summary', {},
				facts.moment), el('pre', {}, facts.moment_stack)),
			this.facts, this.own, this.unnamed,
			el('span', { class: 'grow' }),
			model.lost > 0 && warning(formatNumber(model.lost, 'event') + ' lost, shaded'),
			...[facts.incomplete, facts.unsampled].map((t) => t && warning(t)),
			problems && warning(problems[0] + ' found by check'),
			notes.buttons,
			button('?', () => app.help.showModal(), { 'aria-label': 'Keys' }));
	}

	show() {
		this.showFacts();
		this.showOwn();
		this.showUnnamed();
	}

	showOwn() {
		const { model, state } = this.app;
		const { own, total } = this.app.analysis();
		this.own.hidden = !model.hasOwn || (own === 0 && this.app.of() !== '');
		if (this.own.hidden)
			return;
		this.own.textContent = formatShare(own, state.recording ? total
			: total + own) + ' syscap itself, ' +
			(state.recording ? 'included' : 'left out');
	}

	showUnnamed() {
		const { model } = this.app;
		const analysis = this.app.analysis();
		if (this.unnamedKey !== this.app.answerKey) {
			const sum = unnamedOf(model, analysis).reduce((all, [, one]) => all + one, 0);
			this.unnamed.hidden = !(sum >= analysis.totals[0] / 100 && sum > 0);
			this.unnamed.textContent = formatShare(sum, analysis.totals[0]) +
				' without names';
		}
		this.unnamedKey = this.app.answerKey;
	}

	showFacts() {
		const { model } = this.app;
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

	/** Numbers of events, if the size limits these. */
	describeLimits() {
		const { model, model: { limits } } = this.app;
		/** @type {(n: number, all: number, what: string) => string | false} */
		const part = (n, all, what) => n < all && formatCount(n) + ' of ' +
			formatNumber(all, what);
		const parts = [
			part(model.marks.n, model.marks.n + model.bars.all, 'mark'),
			part(model.values, Number(limits.n_values), 'counter value'),
			part(model.logs.length, Number(limits.n_logs), 'log message'),
			model.allocations.counts && 'allocations in intervals of ' +
				formatTime(Number(limits.heap_cell)),
			...['blocked', 'stalled', 'sample'].map((of) =>
				Number(limits[of + '_cell']) > 0 && ({ blocked: 'calls that blocked',
					stalled: 'stall stacks' }[of] || 'samples') + ' in intervals of ' +
					formatTime(Number(limits[of + '_cell']))),
		].filter(Boolean);
		return parts.length > 0 && 'limited to ' +
			formatBytes(Number(limits.max_size)) + ': ' + parts.join(', ');
	}
}
