// SPDX-License-Identifier: BSD-2-Clause
// canvas.js - a canvas with the width of its container, in the page's colours.

/** The page's current colours, from its style. */
function readColours() {
	const style = getComputedStyle(document.documentElement);
	const get = (/** @type {string} */ name) =>
		style.getPropertyValue('--' + name).trim();
	return {
		paper: get('paper'),
		raised: get('raised'),
		ink: get('ink'),
		soft: get('soft'),
		line: get('line'),
		accent: get('accent'),
		brush: get('brush'),
		lost: get('lost'),
		found: get('found'),
		onColour: get('on-colour'),
		categories: [...'012345'].map((i) => get('kind-' + i)),
		series: [...'01234567'].map((i) => get('hue-' + i)),
		more: get('more'),
		less: get('less'),
		same: get('same'),
		font: '12px ' + get('sans'),
		small: '11px ' + get('sans'),
	};
}

/** @typedef {ReturnType<typeof readColours> & {read: () => void, isPaper: boolean}} Theme */

/** The page's colours, read again when the style changes.
 * @returns {Theme} */
export function makeTheme() {
	const theme = { ...readColours(), isPaper: false,
		read: () => { Object.assign(theme, readColours()); } };
	return theme;
}

/** Make an empty canvas. @param {HTMLCanvasElement} canvas @param {number}
 * width @param {number} height @param {Theme} theme */
export function prepareCanvas(canvas, width, height, theme) {
	const ratio = Math.min(window.devicePixelRatio || 1, 3);
	const w = Math.round(width * ratio), h = Math.round(height * ratio);
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.height = height + 'px';
	}
	const context = /** @type {Context2D} */ (
		canvas.getContext('2d', { alpha: false }));
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.textBaseline = 'middle';
	context.font = theme.small;
	fillBox(context, 0, 0, width, height, theme.paper);
	return context;
}

/** Distance from the left. @param {MouseEvent} event
 * @param {Element} of */
export const pixelOf = (event, of) => event.clientX - of.getBoundingClientRect().left;

/** @type {DrawBox<[colour: string, alpha?: number]>} */
export const fillBox = (context, x, y, w, h, colour, alpha = 1) => {
	context.globalAlpha = alpha;
	context.fillStyle = colour;
	context.fillRect(x, y, w, h);
	context.globalAlpha = 1;
};

/** Clip drawing to the box until restore(). @type {DrawBox<[]>} */
export const clipTo = (context, x, y, w, h) => {
	context.save();
	context.beginPath();
	context.rect(x, y, w, h);
	context.clip();
};

/** Fill with slanted lines. @type {DrawBox<[step: number]>} */
export const hatch = (context, x, y, w, h, step) => {
	clipTo(context, x, y, w, h);
	context.lineWidth = 1;
	context.beginPath();
	for (let at = x - h; at < x + w; at += step) {
		context.moveTo(at, y + h);
		context.lineTo(at + h, y);
	}
	context.stroke();
	context.restore();
};

/** The part of `text` that fits into `room` pixels. @param {Context2D} context @param {string} text @param {number} room */
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
	/* A part of "483 ms" is another number. */
	if (part.length < 2 || /^[\d.,]+\s\S+$/.test(text))
		return '';
	const last = part.charCodeAt(part.length - 1);
	if (last >= 0xd800 && last < 0xdc00)
		part = part.slice(0, -1);
	return part + '…';
}
