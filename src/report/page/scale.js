// SPDX-License-Identifier: BSD-2-Clause
// scale.js - mapping of times to pixels, and round times.

const FINEST = Math.pow(2, -50);

export class Scale {
	/** @param {number} from @param {number} to @param {number} width */
	constructor(from, to, width) {
		this.from = from;
		// Large times may have no successor a nanosecond later.
		this.to = Math.max(to, from + 1, from + Math.abs(from) * FINEST);
		this.width = Math.max(width, 1);
		this.perPixel = (this.to - this.from) / this.width;
	}

	/** @param {number} time */
	x(time) {
		return (time - this.from) / this.perPixel;
	}

	/** @param {number} x */
	time(x) {
		return this.from + x * this.perPixel;
	}
}

/** 1, 2 or 5 times a power of ten, at least @least. @param {number} least */
export function roundStep(least) {
	const power = Math.pow(10, Math.floor(Math.log10(least)));
	for (const factor of [1, 2, 5, 10])
		if (power * factor >= least * 0.999999)
			return power * factor;
	return power * 10;
}

const LONG = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((m) => m * 6e10);

/** A round time, at least @least, with a clock's steps of minutes and hours.
 * @param {number} least ns */
export const roundTime = (least) => least <= LONG[0] / 2 ? roundStep(least)
	: LONG.find((one) => one >= least) || roundStep(least / LONG[11]) * LONG[11];

/** Round times, about `apart` pixels from each other, counted from `zero`. @param {Scale} scale @param {number} zero @param {number} [apart] */
export function ticksOf(scale, zero, apart = 110) {
	const step = roundTime(Math.max(scale.perPixel * apart, 1));
	const ticks = [];
	const first = Math.ceil((scale.from - zero) / step);
	const most = scale.width / apart + 2;
	for (let i = 0; i < most && (first + i) * step + zero <= scale.to; i++)
		ticks.push((first + i) * step + zero);
	return { step, ticks };
}
