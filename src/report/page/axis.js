// SPDX-License-Identifier: BSD-2-Clause
// axis.js - the common parts of charts over time: ticks, lost intervals and lines
// of values.
import { fillBox, hatch } from './canvas.js';
import { lowerBound } from './filter.js';
import { formatMoment } from './format.js';
import { ticksOf } from './scale.js';

export const AXIS = 20;
// pixels beside a line for the minimum and maximum of its values
export const RANGE = 76;

/** @type {PaintAxis} */
export const paintAxis = (context, theme, scale, left, height, zero) => {
	const { step, ticks } = ticksOf(scale, zero);
	for (const tick of ticks) {
		const x = Math.round(left + scale.x(tick));
		fillBox(context, x, 0, 1, height, theme.line);
		context.fillStyle = theme.soft;
		const text = formatMoment(tick - zero, step);
		if (x + 4 + context.measureText(text).width < left + scale.width)
			context.fillText(text, x + 4, AXIS / 2 + 1);
	}
};

/** @type {PaintLosses} */
export const paintLosses = (context, theme, model, scale, left, top, height, of) => {
	for (const loss of model.losses) {
		if (of && !of(loss.thread))
			continue;
		const x = Math.max(scale.x(loss.begin), 0);
		const end = Math.min(scale.x(loss.end), scale.width);
		if (end < 0 || x > scale.width)
			continue;
		const w = Math.max(end - x, 2);
		fillBox(context, left + x, top, w, height, theme.lost, 0.22);
		context.globalAlpha = 0.75;
		context.strokeStyle = theme.lost;
		hatch(context, left + x, top, w, height, 6);
		context.globalAlpha = 1;
	}
};

/** @type {PaintLine} */
export const paintLine = (context, times, values, scale, left, top, height, colour,
	hasZero) => {
	const first = Math.max(lowerBound(times, scale.from) - 1, 0);
	const last = Math.min(lowerBound(times, scale.to) + 1, times.length);
	let low = Infinity, high = -Infinity;
	for (let i = first; i < last; i++)
		if (Number.isFinite(values[i])) {
			low = Math.min(low, values[i]);
			high = Math.max(high, values[i]);
		}
	if (low === high || (hasZero && high >= low)) // the range includes 0
		[low, high] = [Math.min(low, 0), Math.max(high, 0)];
	if (!(high >= low))
		return [];
	// Use halves, because the difference of 1e308 and -1e308 is infinite.
	const size = high / 2 - low / 2 || 1;
	const y = (/** @type {number} */ value) =>
		top + height - (value / 2 - low / 2) / size * height;
	context.strokeStyle = colour;
	context.lineWidth = 1.5;
	context.beginPath();
	let before = NaN;
	for (let i = first; i < last;) {
		const pixel = Math.floor(scale.x(times[i]));
		let least = Infinity, most = -Infinity, end = before;
		let k = i;
		for (; k < last && Math.floor(scale.x(times[k])) === pixel; k++)
			if (Number.isFinite(values[k])) {
				least = Math.min(least, values[k]);
				most = Math.max(most, values[k]);
				end = values[k];
			}
		i = k;
		if (most === -Infinity)
			continue;
		const x = left + Math.max(pixel, -1) + 0.5;
		if (Number.isNaN(before))
			context.moveTo(x, y(least));
		else
			context.lineTo(x, y(before));
		context.lineTo(x, y(least));
		context.lineTo(x, y(most));
		context.lineTo(x, y(end));
		before = end;
	}
	if (!Number.isNaN(before))
		context.lineTo(left + scale.width, y(before));
	context.stroke();
	return [low, high];
};
