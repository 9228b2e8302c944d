// SPDX-License-Identifier: BSD-2-Clause
// histogram.js - the distribution of durations on a logarithmic scale.
import { fillBox, pixelOf, prepareCanvas } from './canvas.js';
import { el, emptyCanvas } from './dom.js';
import { formatCount, formatTime } from './format.js';

/** @param {Float64Array} sorted @param {number} n @returns {{bins: Uint32Array, low: number, high: number}} logarithms */
export function binDurations(sorted, n) {
	const bins = new Uint32Array(n);
	const low = Math.log10(Math.max(sorted[0], 1));
	const high = Math.max(Math.log10(Math.max(sorted[sorted.length - 1], 1)),
		low + 0.1);
	for (const duration of sorted)
		bins[Math.min(n - 1, Math.floor(
			(Math.log10(Math.max(duration, 1)) - low) / (high - low) * n))]++;
	return { bins, low, high };
}

/** A small histogram, with a text. @param {Float64Array} sorted @param {Theme}
 * theme */
export function histogram(sorted, theme) {
	if (sorted.length === 0)
		return '–';
	const { bins } = binDurations(sorted, 28);
	const most = Math.max(...bins);
	const canvas = el('canvas', { role: 'img', class: 'histogram',
		'aria-label': 'from ' + formatTime(sorted[0]) + ' to ' +
		formatTime(sorted[sorted.length - 1]) });
	const context = prepareCanvas(canvas, 112, 20, theme);
	context.fillStyle = theme.series[0];
	bins.forEach((bin, i) => {
		if (bin > 0) {
			const h = Math.max(1, bin / most * 19);
			context.fillRect(i * 4, 20 - h, 3, h);
		}
	});
	return canvas;
}

const HEIGHT = 150, FOOT = 20, HEAD = 16;

/** A large histogram; dragging selects a range. */
export class Histogram {
	/** @param {Theme} theme @param {(least: number, most: number) => void} choose durations, from and below */
	constructor(theme, choose) {
		this.theme = theme;
		this.choose = choose;
		/** @type {Float64Array} */
		this.sorted = new Float64Array(0);
		/** @type {[number, number] | null} */
		this.chosen = null;
		/** @type {number | null} */
		this.from = null;
		this.low = 0;
		this.high = 1;
		this.canvas = emptyCanvas();
		this.title = el('p', { class: 'hint' });
		this.element = el('div', { class: 'durations', tabindex: '0',
			role: 'application', 'aria-roledescription': 'histogram',
			'aria-label': 'Durations: drag to select; arrow keys ' +
				'move the limit of slow marks',
			onpointerdown: (e) => {
				this.from = pixelOf(e, this.canvas);
				this.element.setPointerCapture(e.pointerId);
			},
			onpointermove: (e) => this.drag(e),
			onpointerup: (e) => this.drop(e),
			onkeydown: (e) => this.key(e),
		}, this.canvas);
	}

	/** @param {string} title @param {Float64Array} sorted @param {number} [least] @param {number} [most] */
	set(title, sorted, least, most) {
		this.title.textContent = title;
		this.sorted = sorted;
		this.chosen = least === undefined && most === undefined ? null
			: [least || 0, most ?? Infinity];
		this.paint();
	}

	/** @param {number} x */
	duration(x) {
		const part = Math.min(Math.max(x / Math.max(this.canvas.clientWidth, 1), 0), 1);
		return 10 ** (this.low + (this.high - this.low) * part);
	}

	/** @param {PointerEvent} event */
	drag(event) {
		const x = pixelOf(event, this.canvas);
		if (this.from === null || Math.abs(x - this.from) < 3)
			return;
		this.chosen = [this.duration(Math.min(x, this.from)),
			this.duration(Math.max(x, this.from))];
		this.paint();
	}

	/** @param {PointerEvent} event */
	drop(event) {
		const isDragged = this.from !== null &&
			Math.abs(pixelOf(event, this.canvas) - this.from) >= 3;
		this.from = null;
		if (isDragged && this.chosen)
			this.choose(Math.floor(this.chosen[0]), Math.ceil(this.chosen[1]) + 1);
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		if (!by)
			return;
		event.preventDefault();
		const begin = this.chosen ? Math.log10(Math.max(this.chosen[0], 1)) : this.low;
		this.choose(Math.floor(Math.pow(10, Math.min(Math.max(begin + by *
			(this.high - this.low) / 40, this.low), this.high))), Infinity);
	}

	paint() {
		const { theme, sorted, canvas, chosen } = this;
		const width = Math.max(this.element.clientWidth, 100);
		const context = prepareCanvas(canvas, width, HEIGHT, theme);
		if (sorted.length === 0)
			return;
		const { bins, low, high } = binDurations(sorted, Math.floor(width / 8));
		this.low = low;
		this.high = high;
		const most = Math.max(...bins), room = HEIGHT - FOOT - HEAD;
		const step = width / bins.length;
		bins.forEach((bin, i) => {
			const begin = 10 ** (low + (high - low) * i / bins.length);
			const h = bin > 0 ? Math.max(2, bin / most * room) : 0;
			context.fillStyle = chosen && begin >= chosen[0] * 0.999 &&
				begin < chosen[1] ? theme.more : theme.series[0];
			context.fillRect(i * step, HEIGHT - FOOT - h, step - 1, h);
		});
		fillBox(context, 0, HEIGHT - FOOT, width, 1, theme.soft);
		let until = 0;
		for (let power = Math.ceil(low - 1); power <= high; power++)
			for (const digit of [1, 2, 5]) {
				const x = (power + Math.log10(digit) - low) / (high - low) * width;
				const text = formatTime(digit * Math.pow(10, power));
				if (x < until || x + context.measureText(text).width + 6 > width)
					continue;
				context.fillRect(x, HEIGHT - FOOT, 1, 5);
				context.fillText(text, x + 3, HEIGHT - FOOT / 2 + 1);
				until = x + 80;
			}
		context.fillText('up to ' + formatCount(most) + ' each', 2, 7);
	}
}
