// SPDX-License-Identifier: BSD-2-Clause
// texts.js - many texts, decoded on demand.

export class Texts {
	constructor() {
		/** @type {Uint8Array[]} */
		this.blocks = [];
		/** @type {(string | null)[]} */
		this.wholes = [];
		/** @type {number[]} */
		this.firsts = [];
		/** @type {Uint32Array[]} */
		this.begins = [];
		/** @type {Map<number, string>} */
		this.known = new Map();
		this.n = 0;
		this.decoder = new TextDecoder();
	}

	/** Texts, each with a NUL at the end.  @param {Uint8Array} bytes
	 * @param {number} n */
	add(bytes, n) {
		const begins = new Uint32Array(n + 1);
		let at = 0;
		for (let i = 0; i < n; i++)
			begins[i + 1] = at = bytes.indexOf(0, at) + 1;
		// If each byte is a character, each text is a substring of one
		// string.
		const whole = this.decoder.decode(bytes);
		this.wholes.push(whole.length === bytes.length ? whole : null);
		this.blocks.push(bytes);
		this.firsts.push(this.n);
		this.begins.push(begins);
		this.n += n;
	}

	/** @param {number} number @returns {string} */
	get(number) {
		let text = this.known.get(number);
		if (text === undefined) {
			text = '';
			for (let b = this.blocks.length - 1; b >= 0; b--)
				if (number >= this.firsts[b] && number < this.n) {
					const begins = this.begins[b];
					const i = number - this.firsts[b];
					const whole = this.wholes[b];
					text = whole !== null ? whole.slice(begins[i], begins[i + 1] - 1)
						: this.decoder.decode(this.blocks[b].subarray(
							begins[i], begins[i + 1] - 1));
					break;
				}
			this.known.set(number, text);
		}
		return text;
	}
}
