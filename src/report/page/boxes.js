// SPDX-License-Identifier: BSD-2-Clause
// boxes.js - rows of boxes with names: drawing, pointer and keys.
import { cutText, fillBox, hatch, pixelOf, prepareCanvas } from './canvas.js';
import { div, el, emptyCanvas, scrollToRow } from './dom.js';
import { firstOf } from './filter.js';
import { List, ofNumbers, ofTexts } from './table.js';

const ROW_HEIGHT = 20; // pixels
export const NAMED = 23; // pixels; a narrower box has no name
const PAPER = 640; // pixels of a sheet below the time axis

export class Boxes {
	/** @param {BoxesOptions} options */
	constructor(options) {
		this.options = options;
		this.rowHeight = ROW_HEIGHT;
		this.gutter = 0;
		/** @type {Box[]} */
		this.boxes = [];
		/** @type {Box[][]} */
		this.rows = [];
		/** @type {{row: number, text: string}[]} */
		this.titles = [];
		this.nRows = 0;
		/** @type {Box | null} */
		this.picked = null;
		/** @type {Box | null} */
		this.hovered = null;
		/** @type {PaintBoxes | null} */
		this.under = null;
		/** @type {PaintBoxes | null} */
		this.over = null;
		this.canvas = emptyCanvas();
		this.spacer = div('spacer');
		this.tip = el('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
		this.live = el('p', { class: 'live', 'aria-live': 'polite' });
		this.list = new List(options.label, [
			ofNumbers('row', 'Row', (box) => box.row + 1, String, 'share'),
			ofTexts('box', 'Box', (box) => options.tip(box).join(', '))],
		() => this.boxes, (box) => this.pick(box));
		this.scroller = el('div', {
			class: 'boxes', tabindex: '0', role: 'application',
			'aria-roledescription': 'chart', 'aria-label': options.label,
			onscroll: () => this.paint(),
			onpointermove: (e) => this.hover(e),
			onpointerleave: () => this.leave(),
			onclick: (e) => this.click(e, false),
			ondblclick: (e) => this.click(e, true),
			onkeydown: (e) => this.key(e),
			onwheel: (e) => this.wheel(e),
		}, this.spacer);
		this.spacer.append(this.canvas);
		this.element = div('boxes-frame', this.scroller,
			this.tip, this.live, this.list.element);
	}

	/** Rows get narrower until the canvas fits on a sheet below the time
	 * axis. @param {number} nRows */
	fitRows(nRows) {
		return this.options.theme.isPaper
			? Math.max(11, Math.min(ROW_HEIGHT, PAPER / nRows)) : ROW_HEIGHT;
	}

	width() {
		return Math.max(this.scroller.clientWidth, 50);
	}

	/** @param {Box[]} boxes in any order @param {number} nRows */
	set(boxes, nRows) {
		boxes.sort((a, b) => a.row - b.row || a.x - b.x);
		const id = this.picked ? this.picked.id : null;
		this.boxes = boxes;
		this.nRows = nRows;
		this.rowHeight = this.fitRows(nRows);
		this.rows = Array.from({ length: nRows }, () => []);
		for (const box of boxes)
			this.rows[box.row].push(box);
		this.picked = id === null ? null
			: boxes.find((box) => box.id === id) || null;
		this.hovered = null;
		this.tip.hidden = true;
		this.spacer.style.height = nRows * this.rowHeight + 'px';
		this.list.show();
		this.paint();
	}

	paint() {
		const { theme } = this.options;
		const height = Math.max(this.scroller.clientHeight, 20);
		const width = this.width();
		const scroll = this.scroller.scrollTop;
		const context = prepareCanvas(this.canvas, width, height, theme);
		if (this.under)
			this.under(context, height, scroll);
		const first = Math.floor(scroll / this.rowHeight);
		const last = Math.min(this.nRows,
			Math.ceil((scroll + height) / this.rowHeight));
		// Font size for narrow rows
		context.font = theme.font.replace(/^\d+/, (size) =>
			String(Math.min(Number(size), this.rowHeight - 2)));
		for (let row = Math.max(first, 0); row < last; row++)
			this.paintRow(context, this.rows[row], scroll);
		for (const box of [this.hovered, this.picked])
			if (box)
				this.paintFrame(context, box, scroll, box === this.picked);
		for (const { row, text } of this.titles) {
			const y = row * this.rowHeight - scroll;
			if (y < -this.rowHeight || y > height)
				continue;
			context.fillStyle = theme.soft;
			context.font = theme.small;
			context.fillText(cutText(context, text,
				this.gutter > 0 ? this.gutter - 12 : width - 8),
			4, y + this.rowHeight / 2);
		}
		if (this.over)
			this.over(context, height, scroll);
	}

	/** @param {Context2D} context @param {Box[]} row @param {number} scroll */
	paintRow(context, row, scroll) {
		for (let i = 0; i < row.length;) {
			const box = row[i];
			let end = box.x + box.w;
			// Narrow boxes of one style are joined
			for (i++; i < row.length && box.w <= 3 && row[i].w <= 3 &&
				Math.abs(row[i].x - end) < 0.1 && box.colour === row[i].colour &&
				box.found === row[i].found && box.hatched === row[i].hatched; i++)
				end = row[i].x + row[i].w;
			this.paintBox(context, box, end - box.x, scroll);
		}
	}

	/** @param {Context2D} context @param {Box} box @param {number} width @param {number} scroll */
	paintBox(context, box, width, scroll) {
		const { theme } = this.options;
		const y = box.row * this.rowHeight - scroll;
		const w = Math.max(width - (box.w > 3 ? 1 : 0), 0.5);
		const h = this.rowHeight - 1;
		const alpha = context.globalAlpha = box.dim ? 0.45 : 1;
		context.fillStyle = box.found ? theme.found : box.colour || theme.raised;
		context.fillRect(box.x, y, w, h);
		if (box.hatched && w > 2) {
			context.strokeStyle = theme.soft;
			context.globalAlpha = 0.5;
			hatch(context, box.x, y, w, h, 5);
			context.globalAlpha = alpha;
		}
		if (box.w > NAMED) {
			const left = Math.max(box.x, this.gutter) + 4;
			const text = cutText(context, box.label, box.x + w - left - 4);
			if (text !== '') {
				context.fillStyle = theme.onColour;
				context.globalAlpha = box.dim ? 0.8 : 1;
				if (box.hatched) {
					const room = context.measureText(text).width;
					fillBox(context, left - 2, y + 2, room + 4, h - 4, theme.paper);
					context.fillStyle = theme.soft;
				}
				context.fillText(text, left, y + h / 2 + 1);
			}
		}
		context.globalAlpha = 1;
	}

	/** @param {Context2D} context @param {Box} box @param {number} scroll @param {boolean} strong */
	paintFrame(context, box, scroll, strong) {
		const y = box.row * this.rowHeight - scroll;
		context.strokeStyle = this.options.theme.ink;
		context.lineWidth = strong ? 2 : 1;
		context.strokeRect(box.x + 0.5, y + 0.5, Math.max(box.w - 2, 1),
			this.rowHeight - 2);
	}

	/** @param {MouseEvent} event @returns {Box | null} */
	at(event) {
		const place = this.scroller.getBoundingClientRect();
		const x = event.clientX - place.left - this.scroller.clientLeft;
		const y = event.clientY - place.top + this.scroller.scrollTop;
		const row = this.rows[Math.floor(y / this.rowHeight)];
		if (!row)
			return null;
		// Find the last box that begins at or before the place
		const last = firstOf(0, row.length, (i) => row[i].x > x + 0.5) - 1;
		for (let i = last; i >= 0 && i > last - 3; i--)
			if (x <= row[i].x + Math.max(row[i].w, 2))
				return row[i];
		return null;
	}

	/** @param {PointerEvent} event */
	hover(event) {
		const box = this.at(event);
		if (box !== this.hovered) {
			this.hovered = box;
			this.paint();
		}
		this.tip.hidden = !box || event.pointerType === 'touch';
		if (!box)
			return;
		const lines = this.options.tip(box);
		this.tip.replaceChildren(...lines.map((line, i) =>
			el(i === 0 ? 'strong' : 'div', {}, line)));
		const place = this.element.getBoundingClientRect();
		const x = event.clientX - place.left, y = event.clientY - place.top;
		const w = this.tip.offsetWidth, h = this.tip.offsetHeight;
		this.tip.style.left = Math.max(0,
			Math.min(x + 14, place.width - w)) + 'px';
		this.tip.style.top = (event.clientY + 20 + h > window.innerHeight
			? y - h - 10 : y + 18) + 'px';
	}

	leave() {
		this.hovered = null;
		this.tip.hidden = true;
		this.paint();
	}

	/** @param {MouseEvent} event @param {boolean} twice */
	click(event, twice) {
		const box = this.at(event);
		this.tip.hidden = true;
		if (twice && box)
			this.options.open(box);
		else if (!twice)
			this.pick(box);
	}

	/** @param {Box | null} box */
	pick(box) {
		this.picked = box;
		if (box) {
			this.live.textContent = this.options.tip(box).join(', ');
			scrollToRow(this.scroller, box.row * this.rowHeight, this.rowHeight);
		}
		this.paint();
		this.options.pick(box);
	}

	/** @param {WheelEvent} event */
	wheel(event) {
		if (!this.options.wheel || !(event.ctrlKey || event.metaKey))
			return;
		event.preventDefault();
		this.options.wheel(pixelOf(event, this.scroller), event.deltaY);
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const { picked } = this;
		if (event.key === 'Enter' && picked) {
			this.options.open(picked);
		} else if ((event.key === 'Escape' || event.key === 'Backspace') &&
			this.options.back) {
			this.options.back();
		} else if (event.key.startsWith('Arrow')) {
			this.pick(this.neighbour(event.key) || picked);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	/** @param {string} key @returns {Box | null} */
	neighbour(key) {
		const from = this.picked;
		if (!from)
			return this.boxes[0] || null;
		const row = this.rows[from.row];
		const i = row.indexOf(from);
		if (key === 'ArrowLeft')
			return row[i - 1] || null;
		if (key === 'ArrowRight')
			return row[i + 1] || null;
		const step = key === 'ArrowDown' ? 1 : -1;
		for (let r = from.row + step; r >= 0 && r < this.nRows; r += step) {
			const middle = from.x + Math.min(from.w, 1) / 2;
			const over = this.rows[r].find((box) =>
				box.x <= middle && middle < box.x + Math.max(box.w, 1));
			const inside = this.rows[r].find((box) => box.x >= from.x - 0.5 &&
				box.x < from.x + from.w);
			if (over || inside)
				return over || inside || null;
			if (Math.abs(r - from.row) > 3)
				break;
		}
		return null;
	}
}
