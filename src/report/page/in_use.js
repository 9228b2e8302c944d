// SPDX-License-Identifier: BSD-2-Clause
// in_use.js - bytes in use over time: exact, or the least, largest and last value
// of cells of time.

import { usedUntil } from './rows.js';

const FEW = 262144; // number of changes that are sorted

export class InUse {
	/** @param {Model} model */
	constructor(model) {
		this.model = model;
		this.rows = model.allocations;
		this.key = '';
		/** @type {{times: Float64Array, values: Float64Array}} */
		this.line_ = { times: new Float64Array(0), values: new Float64Array(0) };
	}

	/** Whether the bytes are known only at the end of each cell. */
	get isCombined() {
		return this.rows.counts !== null;
	}

	/** A moment at which the bytes by stack are known. @param {number} moment */
	snap(moment) {
		const size = Number(this.model.limits.heap_cell || 0);
		if (size === 0)
			return Math.round(moment);
		const shift = Number(this.model.limits.heap_shift);
		return (Math.floor((moment + shift) / size) + 1) * size - shift - 1;
	}

	/** Values from @from to @to, each with its time.
	 * @param {number} from @param {number} to */
	line(from, to) {
		const key = from + '-' + to;
		if (key !== this.key)
			this.line_ = this.changes(from, to) || this.cells();
		this.key = key;
		return this.line_;
	}

	/** All changes; null: too many, or unknown. @param {number} from @param {number} to */
	changes(from, to) {
		const { times, sizes, n } = this.rows;
		const first = times.find(from), last = times.find(to + 1);
		if (this.isCombined || last - first > FEW)
			return null;
		/** @type {[number, number][]} */
		const changes = [];
		let sum = 0;
		for (let i = 0; i < last; i++) {
			const end = usedUntil(this.model, i);
			if (i >= first)
				changes.push([times.at(i), sizes[i]]);
			else if (end >= from)
				sum += sizes[i];
			if (end >= from && end <= to)
				changes.push([end, -sizes[i]]);
			if (changes.length > FEW)
				return null;
		}
		changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
		if (first > 0)
			changes.unshift([from, 0]);
		return { times: Float64Array.from(changes, (c) => c[0]),
			values: Float64Array.from(changes, (c) => sum += c[1]) };
	}

	/** Three values of each cell. */
	cells() {
		const { inUse, limits } = this.model;
		const begin = Number(limits.in_use_begin), size = Number(limits.in_use_cell);
		const times = new Float64Array(3 * inUse.n);
		const values = new Float64Array(3 * inUse.n);
		for (let i = 0; i < inUse.n; i++) {
			times[3 * i] = times[3 * i + 1] = begin + i * size;
			times[3 * i + 2] = begin + (i + 1) * size - 1;
			values[3 * i] = inUse.least[i];
			values[3 * i + 1] = inUse.most[i];
			values[3 * i + 2] = inUse.last[i];
		}
		return { times, values };
	}

	peak() {
		const { model } = this;
		if (model.limits.peak_time)
			return Number(model.limits.peak_time);
		const { times, values } = this.line(-Infinity, Infinity);
		let best = 0;
		values.forEach((bytes, i) => {
			if (bytes > values[best])
				best = i;
		});
		return times[best] ?? 0;
	}
}
