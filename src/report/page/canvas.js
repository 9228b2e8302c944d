// SPDX-License-Identifier: BSD-2-Clause
// canvas.js - a canvas as wide as its place, in the page's colours.

/** The page's colours, read again when they change. */
export class Theme {
	constructor() {
		this.read();
		for (const query of ['(prefers-color-scheme: dark)',
			'(forced-colors: active)'])
			matchMedia(query).addEventListener('change', () => this.read());
	}

	read() {
		const style = getComputedStyle(document.documentElement);
		const get = (/** @type {string} */ name) =>
			style.getPropertyValue('--' + name).trim();
		this.paper = get('paper');
		this.raised = get('raised');
		this.ink = get('ink');
		this.soft = get('soft');
		this.line = get('line');
		this.accent = get('accent');
		this.brush = get('brush');
		this.lost = get('lost');
		this.found = get('found');
		this.onColour = get('on-colour');
		this.categories = [0, 1, 2, 3, 4].map((i) => get('category-' + i));
		this.series = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => get('series-' + i));
		this.more = get('more');
		this.less = get('less');
		this.same = get('same');
		this.font = '12px ' + get('sans');
		this.small = '11px ' + get('sans');
	}
}

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
export function prepareCanvas(canvas, width, height) {
	const ratio = Math.min(window.devicePixelRatio || 1, 3);
	const w = Math.round(width * ratio), h = Math.round(height * ratio);
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.height = height + 'px';
	}
	const context = /** @type {CanvasRenderingContext2D} */ (
		canvas.getContext('2d', { alpha: false }));
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return context;
}

/** As much of @text as fits into @room pixels. @param {CanvasRenderingContext2D} context @param {string} text @param {number} room */
export function cutText(context, text, room) {
	let n = Math.floor(room / 4);
	if (n < 2)
		return '';
	let part = text.length > n ? text.slice(0, n) : text;
	let width = context.measureText(part).width;
	if (width <= room && part.length === text.length)
		return text;
	while (part.length > 1 && width > room - 8) {
		n = Math.min(part.length - 1,
			Math.max(1, Math.floor(part.length * (room - 8) / width)));
		part = part.slice(0, n);
		width = context.measureText(part).width;
	}
	if (part.length < 2)
		return '';
	const last = part.charCodeAt(part.length - 1);
	if (last >= 0xd800 && last < 0xdc00)
		part = part.slice(0, -1);
	return part + '…';
}
