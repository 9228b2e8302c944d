// SPDX-License-Identifier: BSD-2-Clause
// moments.js - ascending times, stored as differences to the first time of a
// block, in half of the memory of numbers.  Equal times need less.
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
		// Blocks exceed four seconds: samples are few, or pauses long.
		this.bases.fill(0);
		this.offsets = addUp(differences);
	}

	/** @param {number} i */
	at(i) {
		return this.bases[i >> SHIFT] + this.offsets[i];
	}

	/** The times of some rows. @param {Uint32Array} rows ascending */
	pick(rows) {
		let before = 0;
		return new Moments(Float64Array.from(rows, (i) => {
			const difference = this.at(i) - before;
			before += difference;
			return difference;
		}));
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

/** Times that many rows share. */
export class Runs extends Moments {
	/** @param {Numbers} differences each to the previous time
	 * @param {Numbers} sizes number of rows of each time */
	constructor(differences, sizes) {
		super(new Uint8Array(0));
		this.times = addUp(differences);
		/** The first row of each time, and the end. */
		this.begins = new Uint32Array(sizes.length + 1);
		for (let r = 0; r < sizes.length; r++)
			this.begins[r + 1] = this.begins[r] + sizes[r];
		this.length = this.begins[sizes.length];
		/** The run of the first row of each block. */
		this.firsts = new Uint32Array((this.length >> SHIFT) + 1);
		for (let i = 0, r = 0; i < this.length; i += 1 << SHIFT) {
			while (this.begins[r + 1] <= i)
				r++;
			this.firsts[i >> SHIFT] = r;
		}
	}

	/** @param {number} i */
	at(i) {
		let run = this.firsts[i >> SHIFT];
		while (this.begins[run + 1] <= i)
			run++;
		return this.times[run];
	}
}
