// SPDX-License-Identifier: BSD-2-Clause
// screen.mjs - the parts of a browser that views need in node: a tree of
// elements, and canvases that count what is drawn.  report.browser tests the
// appearance.

class Element {
	constructor(tag) {
		this.tagName = tag.toUpperCase();
		this.children = [];
		this.attributes = {};
		this.listeners = {};
		this.style = {};
		this.dataset = {};
		this.value = '';
		this.clientWidth = 800;
		this.clientHeight = 400;
		this.clientLeft = 0;
		this.offsetWidth = this.offsetHeight = 100;
		this.scrollTop = 0;
		this.scrollHeight = 400;
		this.hidden = this.checked = this.open = false;
		this.drawn = 0;
	}

	append(...children) {
		this.children.push(...children.map((child) =>
			typeof child === 'object' ? child : { textContent: String(child) }));
	}

	replaceChildren(...children) {
		this.children = [];
		this.append(...children);
	}

	get firstChild() {
		return this.children[0] || null;
	}

	get textContent() {
		return this.children.map((child) => child.textContent).join('');
	}

	set textContent(text) {
		this.replaceChildren(text);
	}

	setAttribute(name, value) {
		this.attributes[name] = value;
		if (name === 'hidden')
			this.hidden = true;
	}

	addEventListener(name, listener) {
		(this.listeners[name] = this.listeners[name] || []).push(listener);
	}

	/** Same as in a browser's event. */
	send(name, event = {}) {
		for (const listener of this.listeners[name] || [])
			listener({ preventDefault() {}, stopPropagation() {}, target: this,
				button: 0, clientX: 0, clientY: 0, pointerId: 1,
				pointerType: 'mouse', ...event });
	}

	/** All descendants with the tag @tag and the text @text. */
	all(tag, text) {
		return this.children.flatMap((child) => child instanceof Element
			? [...(child.tagName === tag.toUpperCase() && (text === undefined ||
				child.textContent === text) ? [child] : []), ...child.all(tag, text)]
			: []);
	}

	contains(one) {
		return one === this || this.children.some((child) =>
			child instanceof Element && child.contains(one));
	}

	/** Only lists of tags: "button, select". */
	querySelectorAll(tags) {
		return tags.split(', ').flatMap((tag) => this.all(tag));
	}

	querySelector(tag) {
		return this.all(tag)[0] || null;
	}

	getAttribute(name) {
		return this.attributes[name] === undefined ? null : this.attributes[name];
	}

	closest() {
		return null;
	}

	getBoundingClientRect() {
		return { left: 0, top: 0, right: this.clientWidth, width: this.clientWidth,
			bottom: this.clientHeight, height: this.clientHeight };
	}

	getContext() {
		const canvas = this;
		return new Proxy({}, {
			get: (target, name) => name === 'measureText'
				? (text) => ({ width: 7 * text.length })
				: name in target ? target[name] : () => { canvas.drawn++; },
		});
	}

	toBlob(take) {
		take(new Blob(['png']));
	}

	focus() {
		globalThis.document.activeElement = this;
	}

	blur() {
		globalThis.document.activeElement = null;
	}

	click() {
		this.send('click');
	}

	select() {}
	showModal() { this.open = true; }
	close() { this.open = false; }
	setPointerCapture() {}
	scrollIntoView() {}
}

/** Frames are drawn on request. */
export const frames = {
	waiting: [],
	draw() {
		while (frames.waiting.length > 0)
			frames.waiting.shift()();
	},
};

/** The page exists from here on. */
export function makeScreen() {
	const listeners = {};
	const globals = {
		HTMLElement: Element,
		document: {
			createElement: (tag) => new Element(tag),
			documentElement: new Element('html'), activeElement: null,
			readyState: 'complete', title: '',
			getElementById: () => globals.place,
			querySelectorAll: () => [],
		},
		location: { hash: '' },
		history: {
			pushState(_, __, hash) { globals.location.hash = hash; },
			back() {},
		},
		matchMedia: () => ({ matches: false, addEventListener() {} }),
		getComputedStyle: () => ({ getPropertyValue: () => '#5b93d1' }),
		requestAnimationFrame: (draw) => frames.waiting.push(draw),
		addEventListener: (name, listener) => {
			(listeners[name] = listeners[name] || []).push(listener);
		},
		place: new Element('div'),
	};
	Object.assign(globalThis, globals);
	globalThis.window = globalThis;
	globalThis.devicePixelRatio = 1;
	globalThis.innerHeight = 800;
	return { ...globals, tell(name, event) {
		for (const listener of listeners[name] || [])
			listener({ preventDefault() {}, target: null, ...event });
	} };
}
