// SPDX-License-Identifier: BSD-2-Clause
// columns.js - the columns of numbers and texts that stand in the page, each
// an inert script: found, inflated in a worker, and read.
import { addUp, Moments } from './moments.js';

/** Numbers, as narrow as they were written. @typedef {Uint8Array|Uint16Array|Uint32Array|Float64Array} Numbers */

/** @param {ParentNode} page @param {Set<string>} seen @returns {Column[]} */
export function findColumns(page, seen) {
	const found = [];
	for (const script of page.querySelectorAll('script[data-name]')) {
		const data = /** @type {HTMLElement} */ (script).dataset;
		const name = data.name || '';
		if (seen.has(name))
			continue;
		seen.add(name);
		found.push({
			name,
			width: Number(data.width),
			n: Number(data.n),
			bytes: Number(data.bytes),
			text: script.textContent || '',
		});
	}
	return found;
}

/** What the worker runs; it stands alone. @param {Column} column */
export async function inflateColumn(column) {
	const make = /** @type {any} */ (Uint8Array).fromBase64;
	/** @type {Uint8Array | null} */
	let packed;
	if (make) {
		packed = make.call(Uint8Array, column.text);
	} else {
		const text = atob(column.text);
		packed = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++)
			packed[i] = text.charCodeAt(i);
	}
	const whole = new Uint8Array(column.bytes);
	const stream = new Blob([/** @type {any} */ (packed)]).stream()
		.pipeThrough(new DecompressionStream('deflate-raw'));
	column.text = ''; // nor are those there meanwhile
	packed = null;
	const reader = stream.getReader();
	let at = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done)
			break;
		whole.set(value, at);
		at += value.length;
	}
	if (at !== column.bytes)
		throw new Error('column ' + column.name + ' is cut');
	return whole.buffer;
}

/**
 * All of @columns, by name.  In a worker, so that the page answers meanwhile;
 * here where there is none.
 * @param {Column[]} columns @returns {Promise<Map<string, {column: Column, buffer: ArrayBuffer}>>}
 */
export function inflateAll(columns) {
	const found = new Map();
	const keep = (/** @type {number} */ i, /** @type {ArrayBuffer} */ buffer) => {
		const column = columns[i];
		column.text = '';
		found.set(column.name, { column, buffer });
	};
	const here = async () => {
		for (let i = 0; i < columns.length; i++)
			if (!found.has(columns[i].name))
				keep(i, await inflateColumn(columns[i]));
		return found;
	};
	if (typeof Worker === 'undefined' || columns.length === 0)
		return here();
	const source = 'onmessage = async (event) => {\n' +
		'const inflateColumn = ' + inflateColumn.toString() + ';\n' +
		'const buffer = await inflateColumn(event.data);\n' +
		'postMessage(buffer, [buffer]); };';
	/** @type {Worker} */
	let worker;
	try {
		worker = new Worker(URL.createObjectURL(
			new Blob([source], { type: 'text/javascript' })));
	} catch (error) {
		return here();
	}
	return new Promise((resolve, reject) => {
		// One after another: what the worker is told is there twice meanwhile.
		let i = 0;
		worker.onmessage = (event) => {
			keep(i, event.data);
			if (++i < columns.length) {
				worker.postMessage(columns[i]);
				return;
			}
			worker.terminate();
			resolve(found);
		};
		worker.onerror = () => {
			worker.terminate();
			here().then(resolve, reject);
		};
		worker.postMessage(columns[0]);
	});
}

/** The column @name of @found; nothing where it is not there. */
export class Columns {
	/** @param {Map<string, {column: Column, buffer: ArrayBuffer}>} found */
	constructor(found) {
		this.found = found;
	}

	/** @param {string} name */
	length(name) {
		const one = this.found.get(name);
		return one ? one.column.n : 0;
	}

	/** @param {string} name @returns {Numbers} */
	numbers(name) {
		const one = this.found.get(name);
		if (!one)
			return new Uint8Array(0);
		const { column, buffer } = one;
		if (column.width === 1)
			return new Uint8Array(buffer);
		if (column.width === 2)
			return new Uint16Array(buffer);
		if (column.width === 4)
			return new Uint32Array(buffer);
		const halves = new Uint32Array(buffer);
		const numbers = new Float64Array(column.n);
		for (let i = 0; i < column.n; i++)
			numbers[i] = halves[2 * i] + halves[2 * i + 1] * 0x100000000;
		return numbers;
	}

	/** Numbers of which each is told from the one before. @param {string} name */
	sums(name) {
		const numbers = addUp(this.numbers(name));
		this.drop(name);
		return numbers;
	}

	/** The same, of which there are very many. @param {string} name */
	moments(name) {
		const moments = new Moments(this.numbers(name));
		this.drop(name);
		return moments;
	}

	/** Will not be asked for again: its memory is free now, not some time later. @param {string} name */
	drop(name) {
		const one = this.found.get(name);
		const buffer = /** @type {any} */ (one && one.buffer);
		if (buffer && buffer.transfer)
			buffer.transfer(0);
		this.found.delete(name);
	}

	/** Whole words, of which the narrow are made wide. @param {string} name */
	words(name) {
		const one = this.found.get(name);
		if (one && one.column.width === 8)
			return new BigUint64Array(one.buffer);
		return BigUint64Array.from(Array.from(this.numbers(name), BigInt));
	}

	/** @param {string} name @returns {Uint8Array} */
	bytes(name) {
		const one = this.found.get(name);
		return one ? new Uint8Array(one.buffer) : new Uint8Array(0);
	}
}
