// SPDX-License-Identifier: BSD-2-Clause
// dom.js - construction of elements. Texts are never markup.

/**
 * el('button', { class: 'chip', onclick: undo, 'aria-label': 'Undo' }, 'x')
 * @param {string} tag @param {Attributes} [attributes]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any}
 */
export function el(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value == null || value === false)
			continue;
		if (name.startsWith('on'))
			element.addEventListener(name.slice(2), value);
		else if (name === 'value')
			/** @type {any} */ (element).value = value;
		else
			element.setAttribute(name, value === true ? '' : String(value));
	}
	for (const child of children)
		if (child != null && child !== false)
			element.append(child);
	return element;
}

/** @param {string} name @param {...(Node | string | false)} children */
export const div = (name, ...children) => el('div', { class: name }, ...children);

/** @param {...(Node | string | false)} children */
export const hint = (...children) => el('span', { class: 'hint' }, ...children);

/** Scroll to the row at @y. @param {HTMLElement} element @param {number} y
 * @param {number} height */
export function scrollToRow(element, y, height) {
	const { scrollTop, clientHeight } = element;
	element.scrollTop = y < scrollTop ? y
		: Math.max(scrollTop, y + height - clientHeight);
}

/** Parts of all views: controls, and details of the selection. */
export class View {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.bar = div('bar');
		this.details = div('details');
	}

	layout() {}

	resize() {
		this.layout();
	}
}

/** The name of a control, independent of its value. @param {Element} control */
function nameControl(control) {
	const label = control.closest('label');
	return control.tagName + ' ' + (control.getAttribute('aria-label') ||
		((label && label.querySelector('span')) || label || control).textContent)
		.replace(/ [▾▴]$/, '');
}

/** Replace the content, and keep the focus at the control of the same name.
 * @param {Element} element @param {...any} children */
export function fill(element, ...children) {
	const at = document.activeElement;
	const name = at && at !== element && element.contains(at) && nameControl(at);
	element.replaceChildren(...children.filter((child) => child != null &&
		child !== false));
	if (!name)
		return;
	for (const control of element.querySelectorAll('button, select, input'))
		if (nameControl(control) === name) {
			/** @type {HTMLElement} */ (control).focus();
			break;
		}
}

/** A choice of a value. @param {string} label
 * @param {[string, string][]} choices @param {string} value
 * @param {(value: string) => void} change */
export function choose(label, choices, value, change) {
	const select = el('select', {
		onchange: () => change(select.value),
	}, ...choices.map(([key, text]) => el('option', { value: key }, text)));
	select.value = value;
	return el('label', { class: 'choice' }, el('span', {}, label), select);
}

/** @param {string} label @param {boolean} on @param {(on: boolean) => void} change */
export function toggle(label, on, change) {
	const box = el('input', { type: 'checkbox',
		onchange: () => change(box.checked) });
	box.checked = on;
	return el('label', { class: 'toggle' }, box, el('span', {}, label));
}

/** @param {string} text @param {(event: any) => void} act @param {Attributes} [attributes] */
export function button(text, act, attributes) {
	return el('button', { type: 'button', onclick: act, ...attributes }, text);
}

export const emptyCanvas = () => el('canvas', { 'aria-hidden': 'true' });

/** @param {string} label @param {...(Node | string)} children */
export function section(label, ...children) {
	return el('section', { class: 'view', 'aria-label': label }, ...children);
}

/** Legend of a colour. @param {string} colour @param {string} text */
export function swatch(colour, text) {
	const box = el('span', { class: 'swatch' });
	box.style.background = colour;
	return el('span', { class: 'key' }, box, text);
}

/** Offer @blob as a file. @param {string} name @param {Blob} blob */
export function offer(name, blob) {
	const address = URL.createObjectURL(blob);
	const link = el('a', { href: address, download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(address), 10000);
}
