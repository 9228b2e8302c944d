// SPDX-License-Identifier: BSD-2-Clause
// columns.js - columns of numbers and texts: inert scripts, inflated in a worker.
import { addUp, Moments, Runs } from './moments.js';

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

/**
 * Code of the worker, without references to other code.  The worker requests
 * text in pieces, which saves memory.
 * @param {Column} column @param {(at: number) => string | Promise<string>} ask */
export async function inflateColumn({ name, bytes }, ask) {
	const make = /** @type {any} */ (Uint8Array).fromBase64;
	const values = new Uint8Array(128);
	for (let i = 0; i < 64; i++)
		values['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
			.charCodeAt(i)] = i;
	/** Decode base64, much faster than atob(). @param {string} text */
	const decode = (text) => {
		const end = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
		const made = new Uint8Array(text.length / 4 * 3);
		const at = (/** @type {number} */ i) => values[text.charCodeAt(i)];
		for (let i = 0, k = 0; i < text.length; i += 4) {
			const four = at(i) << 18 | at(i + 1) << 12 | at(i + 2) << 6 | at(i + 3);
			made[k++] = four >> 16;
			made[k++] = four >> 8;
			made[k++] = four;
		}
		return made.subarray(0, made.length - end);
	};
	const whole = new Uint8Array(bytes);
	const stream = new DecompressionStream('deflate-raw');
	const feed = async () => {
		const writer = stream.writable.getWriter();
		for (let at = 0, piece; (piece = await ask(at)); at += piece.length)
			await writer.write(make ? make.call(Uint8Array, piece) : decode(piece));
		await writer.close();
	};
	let at = 0;
	const drain = async () => {
		const reader = stream.readable.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done)
				break;
			whole.set(value, at);
			at += value.length;
		}
	};
	await Promise.all([feed(), drain()]);
	if (at !== bytes)
		throw new Error('column ' + name + ' is cut');
	return whole.buffer;
}

/** The piece at @at, of whole bytes. @param {Column} column
 * @param {number} at */
export const pieceOf = ({ text }, at) => text.slice(at, at + 0x100000);

/**
 * Inflate all columns, if possible in a worker.
 * @param {Column[]} columns @returns {Promise<Columns>}
 */
export function inflateAll(columns) {
	const all = new Columns();
	const here = async () => {
		for (const column of columns)
			if (column.text)
				all.add(column, await inflateColumn(column,
					(at) => pieceOf(column, at)));
		return all;
	};
	if (typeof Worker === 'undefined' || columns.length === 0)
		return here();
	const source = `${inflateColumn}
const ask = (told) => new Promise((get) => {
	onmessage = ({ data }) => get(data);
	postMessage(told, told.byteLength ? [told] : []);
});
(async () => {
	for (let told = '';;)
		told = await inflateColumn(await ask(told), ask);
})().catch((error) => setTimeout(() => { throw error; }));`;
	/** @type {Worker} */
	let worker;
	try {
		worker = new Worker(URL.createObjectURL(
			new Blob([source], { type: 'text/javascript' })));
	} catch (error) {
		return here();
	}
	return new Promise((resolve, reject) => {
		let i = -1;
		// A request for more text, or a finished column.
		worker.onmessage = ({ data }) => {
			if (typeof data === 'number')
				return worker.postMessage(pieceOf(columns[i], data));
			if (data)
				all.add(columns[i], data);
			if (++i < columns.length)
				return worker.postMessage({ ...columns[i], text: '' });
			worker.terminate();
			resolve(all);
		};
		worker.onerror = () => {
			worker.terminate();
			here().then(resolve, reject);
		};
	});
}

/** Columns by name; a missing column is empty. */
export class Columns {
	constructor() {
		/** @type {Map<string, {column: Column, buffer: ArrayBuffer}>} */
		this.found = new Map();
		/** @type {Map<string, Moments>} */
		this.known = new Map();
	}

	/** @param {Column} column @param {ArrayBuffer} buffer */
	add(column, buffer) {
		column.text = '';
		this.found.set(column.name, { column, buffer });
		if (!/^(sample|blocked|stalled|allocation)\.times$/.test(column.name))
			return;
		// Decode large columns before the next column is inflated.
		// Runs precede their times.
		const numbers = this.numbers(column.name);
		const runs = column.name.replace('times', 'runs');
		this.known.set(column.name, this.found.has(runs)
			? new Runs(numbers, this.numbers(runs)) : new Moments(numbers));
		this.drop(column.name);
	}

	/** @param {string} name */
	moments(name) {
		return this.known.get(name) || new Moments(new Uint8Array(0));
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

	/** Read numbers that are stored as differences. @param {string} name */
	sums(name) {
		const numbers = addUp(this.numbers(name));
		this.drop(name);
		return numbers;
	}

	/** Free the memory of a column now. @param {string} name */
	drop(name) {
		/** @type {any} */ (this.found.get(name)?.buffer)?.transfer?.(0);
		this.found.delete(name);
	}

	/** Read numbers as whole words, and widen narrow numbers.
	 * @param {string} name */
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
