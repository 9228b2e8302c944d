// SPDX-License-Identifier: BSD-2-Clause
// notes.js - notes on times and functions, which the address and a saved page
// contain.
import { button, el, fill, offer } from './dom.js';
import { formatAt } from './format.js';

const MOST_NOTES = 50, LENGTH = 500; // most notes, and characters of a note

/** Read a note of an address. @param {string} text @returns {Note | null} */
export function readNote(text) {
	try {
		const [from, to, name, words] = JSON.parse(text);
		const isTime = (/** @type {any} */ n) => n === null || Number.isFinite(n);
		return isTime(from) && isTime(to) && typeof name === 'string' &&
			typeof words === 'string' && words !== ''
			? { from: from ?? undefined, to: to ?? undefined,
				name: name.slice(0, LENGTH), text: words.slice(0, LENGTH) } : null;
	} catch (error) {
		return null;
	}
}

/** @param {Note} note */
export const writeNote = ({ from, to, name, text }) =>
	JSON.stringify([from ?? null, to ?? null, name, text]);

/** The address of a page that was saved with notes. */
export const savedAddress = () => document.documentElement?.dataset?.state || '';

export class Notes {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.list = el('ul', { class: 'chips', 'aria-label': 'Notes' });
		this.subject = el('p', {});
		this.input = el('input', { 'aria-label': 'Text of the note', autocomplete: 'off',
			maxlength: LENGTH, onkeydown: (e) => {
				e.stopPropagation();
				if (e.key === 'Enter')
					this.add();
			} });
		this.dialog = el('dialog', { 'aria-label': 'Note', class: 'note-dialog' },
			el('h2', {}, 'Note'), this.subject, this.input,
			button('Add', () => this.add()), button('Cancel', () => this.dialog.close()));
		this.copied = el('output', { 'aria-live': 'polite', class: 'hint' });
		this.buttons = el('span', { class: 'share' },
			button('Copy address', () => this.copy(), {
				title: 'Copy the address of this view, with its notes' }),
			button('Note', () => this.open(), {
				title: 'Add a note on the selected time or function' }), this.copied);
	}

	/** The time or function of a new note. @returns {Omit<Note, 'text'>} */
	target() {
		const { state, model } = this.app;
		const { picked } = state;
		if (state.view === 'functions' && picked !== undefined &&
			picked < model.nFunctions)
			return { name: model.nameOf(picked) };
		return { name: '', from: state.from, to: state.to };
	}

	/** @param {Omit<Note, 'text'>} note */
	describe({ name, from, to }) {
		const { model } = this.app;
		const at = (/** @type {number} */ time) => formatAt(time - model.begin);
		return name || (from === undefined && to === undefined ? 'The whole recording'
			: at(from ?? model.begin) + ' – ' + at(to ?? model.end));
	}

	open() {
		fill(this.subject, this.describe(this.target()));
		this.input.value = '';
		this.dialog.showModal();
	}

	add() {
		const text = this.input.value.trim();
		this.dialog.close();
		if (text)
			this.app.set({ notes: [...(this.app.state.notes || []),
				{ ...this.target(), text }].slice(-MOST_NOTES) });
	}

	/** Go to the time or function of a note. @param {Note} note */
	go({ name, from, to }) {
		const { app } = this;
		if (!name) {
			app.set({ from, to });
			return;
		}
		for (let f = 1; f < app.model.nFunctions; f++)
			if (app.model.nameOf(f) === name) {
				app.set({ view: 'functions', picked: f });
				return;
			}
	}

	show() {
		const notes = this.app.state.notes || [];
		fill(this.list, ...notes.map((note, i) => el('li', { class: 'chip' },
			button(this.describe(note) + ': ' + note.text, () => this.go(note)),
			button('×', () => this.app.set({ notes: notes.filter((_, k) => k !== i) }),
				{ 'aria-label': 'Remove the note: ' + note.text }))),
		notes.length > 0 && el('li', {}, button('Save with notes', () => this.save(), {
			title: 'Save this page as a file that opens in this view' })));
		this.list.hidden = notes.length === 0;
	}

	async copy() {
		this.app.push();
		try {
			await navigator.clipboard.writeText(location.href);
			fill(this.copied, 'Copied');
		} catch (error) {
			// A page from a disk may have no clipboard.
			const area = el('textarea', { value: location.href });
			this.buttons.append(area);
			area.select();
			fill(this.copied, document.execCommand('copy') ? 'Copied'
				: 'Copy the address from the address bar');
			area.remove();
		}
		setTimeout(() => fill(this.copied), 3000);
	}

	save() {
		const page = /** @type {HTMLElement} */ (
			document.documentElement.cloneNode(true));
		page.dataset.state = location.hash;
		page.querySelector('#syscap')?.replaceChildren();
		offer(this.app.model.facts.title.replace(/\.syscap$/, '') + '-notes.html',
			new Blob(['<!DOCTYPE html>\n', page.outerHTML], { type: 'text/html' }));
	}
}
