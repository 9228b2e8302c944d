// SPDX-License-Identifier: BSD-2-Clause
// state.js - the present view, stored in the address, for Back and for links.

import { readNote, writeNote } from './notes.js';

/** The state without a brush. */
export const ALL_TIME = { from: undefined, to: undefined };
/** @param {Filter} filter */
export const hasTime = ({ from, to }) => (from ?? to) !== undefined;
export const NO_MARKS = { mark: undefined, slowest: undefined,
	longer: undefined, shorter: undefined };
const NUMBERS = ['from', 'to', 'longer', 'shorter', 'thread', 'target', 'moment', 'picked', 'process'];
const LISTS = ['threads', 'counters'];
const SWITCHES = ['hideSystem', 'recording', 'recursion', 'upside'];
const TEXTS = ['view', 'mark', 'slowest', 'function', 'drop', 'focus',
	'library', 'search', 'colour', 'zoom', 'sort', 'name', 'compare',
	'against', 'amount', 'of', 'window', 'show', 'beside', 'lanes', 'lane'];

/** "5-70": a time range. @param {string} [text] @returns {[number, number] | null} */
export function readSpan(text) {
	const found = /^(-?\d+)-(\d+)$/.exec(text || '');
	return found && Number(found[2]) > Number(found[1])
		? [Number(found[1]), Number(found[2])] : null;
}

/** @param {string} hash @returns {State} */
export function readState(hash) {
	const words = new URLSearchParams(hash.replace(/^#/, ''));
	/** @type {any} */
	const state = { view: 'flame' };
	for (const key of TEXTS) {
		const value = words.get(key);
		if (value)
			state[key] = value.slice(0, 2000);
	}
	for (const key of NUMBERS) {
		const value = words.get(key);
		if (value !== null && value !== '' && Number.isFinite(Number(value)))
			state[key] = Number(value);
	}
	for (const key of SWITCHES)
		if (words.get(key) === '1')
			state[key] = true;
	for (const key of LISTS) {
		const list = words.get(key);
		if (list && /^\d+(\.\d+)*$/.test(list))
			state[key] = list.split('.').map(Number);
	}
	const notes = words.getAll('note').slice(0, 50).map(readNote).filter(Boolean);
	if (notes.length > 0)
		state.notes = notes;
	return state;
}

/** @param {State} state */
export function writeState(state) {
	const words = new URLSearchParams();
	/** @type {any} */
	const any = state;
	for (const key of TEXTS)
		if (any[key])
			words.set(key, any[key]);
	for (const key of NUMBERS)
		if (any[key] !== undefined)
			words.set(key, String(any[key]));
	for (const key of SWITCHES)
		if (any[key])
			words.set(key, '1');
	for (const key of LISTS)
		if (any[key])
			words.set(key, any[key].join('.'));
	for (const note of state.notes || [])
		words.append('note', writeNote(note));
	return '#' + words.toString();
}

/** The part of the state that selects samples. @param {State} state
 * @returns {Filter} */
export function filterOf(state) {
	/** @type {any} */
	const filter = {};
	for (const key of ['from', 'to', 'threads', 'mark', 'longer', 'shorter', 'slowest',
		'function', 'drop', 'focus', 'hideSystem', 'recording', 'library', 'recursion'])
		if (/** @type {any} */ (state)[key] !== undefined)
			filter[key] = /** @type {any} */ (state)[key];
	return filter;
}
