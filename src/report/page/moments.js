// SPDX-License-Identifier: BSD-2-Clause
// moments.js - times that do not fall, in half of the memory of plain numbers:
// each is told from the first of its block.
import { firstOf } from './filter.js';

const SHIFT = 7; // 128 in a block

export class Moments {
	/** @param {Numbers} differences each from the one before */
	constructor(differences) {
		const { length } = differences;
		this.length = length;
		this.bases = new Float64Array((length >> SHIFT) + 1);
		/** @type {Uint32Array | Float64Array} */
		this.offsets = new Uint32Array(length);
		let time = 0, base = 0, largest = 0;
		for (let i = 0; i < length; i++) {
			time += differences[i];
			if ((i & (1 << SHIFT) - 1) === 0)
				this.bases[i >> SHIFT] = base = time;
			this.offsets[i] = time - base;
			largest = Math.max(largest, time - base);
		}
		if (largest <= 0xffffffff)
			return;
		// Blocks of more than four seconds: few samples, or long pauses.
		this.bases.fill(0);
		this.offsets = Float64Array.from(differences);
		for (let i = 1; i < length; i++)
			this.offsets[i] += this.offsets[i - 1];
	}

	/** @param {number} i */
	at(i) {
		return this.bases[i >> SHIFT] + this.offsets[i];
	}

	/** The first that is not below @time. @param {number} time @param {number} from @param {number} to */
	find(time, from = 0, to = this.length) {
		return firstOf(from, to, (i) => this.at(i) >= time);
	}
}
