// SPDX-License-Identifier: BSD-2-Clause
// moments.js - ascending times in half of the memory of plain numbers: each is
// stored as a difference to the first of its block.
import { firstOf } from './filter.js';

const SHIFT = 7; // 128 times in a block

/** Times from differences.  After a difference too large for exact ns, the sum
 * restarts, so later times stay exact.
 * @param {Numbers} differences */
export function addUp(differences) {
	const numbers = new Float64Array(differences.length);
	let far = 0, sum = 0;
	for (let i = 0; i < numbers.length; i++) {
		sum += differences[i];
		if (sum > Number.MAX_SAFE_INTEGER) {
			far += sum;
			sum = 0;
		}
		numbers[i] = far + sum;
	}
	return numbers;
}

export class Moments {
	/** @param {Numbers} differences each to the previous time */
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
		if (largest <= 0xffffffff && time <= Number.MAX_SAFE_INTEGER)
			return;
		// Blocks of more than four seconds: few samples, or long pauses.
		this.bases.fill(0);
		this.offsets = addUp(differences);
	}

	/** @param {number} i */
	at(i) {
		return this.bases[i >> SHIFT] + this.offsets[i];
	}

	/**
	 * The first time in each of @n cells of @size from @time on, and the
	 * end of the last cell.
	 * @param {number} time @param {number} size @param {number} n
	 */
	cells(time, size, n) {
		let at = 0;
		return Uint32Array.from({ length: n + 1 },
			(_, i) => at = this.find(time + i * size, at));
	}

	/** Index of the first time not below @time. @param {number} time
	 * @param {number} from @param {number} to */
	find(time, from = 0, to = this.length) {
		return firstOf(from, to, (i) => this.at(i) >= time);
	}
}
