// SPDX-License-Identifier: BSD-2-Clause
// flamegraph.js - zoom and search inside a flame graph.  The SVG contains the
// script, and fetches nothing.  Without the script, the picture is the same.
'use strict';
(function () {
	const svg = document.documentElement;
	const details = svg.querySelector('#details');
	const found = svg.querySelector('#found');
	const reset = svg.querySelector('#reset');
	const total = Number(svg.querySelector('#frames').dataset.total);
	const glyph = 7.25; // px, of the monospace font at 12 px
	// Parents come before their children.
	const frames = Array.from(svg.querySelectorAll('#frames > g'), (g) => {
		const title = g.querySelector('title').textContent;
		const end = title.indexOf('\n');
		return {
			g, title,
			name: title.slice(0, end),
			begin: Number(g.dataset.b),
			value: Number(g.dataset.v),
			level: Number(g.dataset.l),
			rect: g.querySelector('rect'),
			text: g.querySelector('text'),
			fill: g.querySelector('rect').getAttribute('fill'),
		};
	});
	const ordered = frames.slice().sort(
		(a, b) => a.begin - b.begin || a.level - b.level);
	let zoomed = { begin: 0, value: total, level: -1 };

	function contains(outer, inner) {
		return outer.level <= inner.level && outer.begin <= inner.begin &&
			outer.begin + outer.value >= inner.begin + inner.value;
	}

	function fit(frame, width) {
		const room = Math.floor((width - 6) / glyph);
		let text = room < 3 ? '' : frame.name;
		if (text.length > room && text !== '')
			text = text.slice(0, room - 1) + '…';
		if (text !== '' && frame.text === null) {
			const ns = 'http://www.w3.org/2000/svg';
			frame.text = document.createElementNS(ns, 'text');
			frame.text.setAttribute('y',
				Number(frame.rect.getAttribute('y')) + 13);
			frame.text.setAttribute('dx', 3);
			frame.g.appendChild(frame.text);
		}
		if (frame.text !== null)
			frame.text.textContent = text;
	}

	function draw() {
		const width = svg.clientWidth || svg.getBoundingClientRect().width;
		for (const frame of frames) {
			const above = contains(frame, zoomed) &&
				frame.level < zoomed.level;
			const shown = above || contains(zoomed, frame);
			frame.g.style.display = shown ? '' : 'none';
			if (!shown)
				continue;
			const x = above ? 0 :
				(frame.begin - zoomed.begin) / zoomed.value;
			const w = above ? 1 : frame.value / zoomed.value;
			frame.rect.setAttribute('x', 100 * x + '%');
			frame.rect.setAttribute('width', 100 * w + '%');
			frame.g.style.opacity = above ? 0.5 : 1;
			fit(frame, w * width);
			if (frame.text !== null)
				frame.text.setAttribute('x', 100 * x + '%');
		}
		reset.style.display = zoomed.level > 0 ? '' : 'none';
	}

	function zoom(frame) {
		zoomed = frame;
		draw();
	}

	// Text that is no regular expression is searched literally.
	function matcher(text) {
		try {
			return new RegExp(text, 'i');
		} catch (error) {
			return new RegExp(
				text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
		}
	}

	// A matching frame inside another match is not counted again.
	function search(text) {
		const expression = text ? matcher(text) : null;
		let sum = 0, n = 0, end = 0;
		for (const frame of ordered) {
			const is = expression !== null && frame.level > 0 &&
				expression.test(frame.name);
			frame.rect.setAttribute('fill', is ? '#cc33cc' : frame.fill);
			n += is;
			if (is && frame.begin >= end) {
				sum += frame.value;
				end = frame.begin + frame.value;
			}
		}
		found.textContent = expression === null ? '' :
			'“' + text + '”: ' + n + ' frames, ' +
			(100 * sum / total).toFixed(2) + ' % of all';
	}

	function ask() {
		const text = prompt('Functions (a regular expression):', '');
		if (text !== null)
			search(text);
	}

	for (const frame of frames) {
		frame.g.addEventListener('click', () => zoom(frame));
		frame.g.addEventListener('mouseover', () => {
			details.textContent = frame.title.replace(/\n/g, ': ');
		});
		frame.g.addEventListener('mouseout', () => {
			details.textContent = '';
		});
	}
	const top = frames[0];
	reset.addEventListener('click', () => zoom(top));
	svg.querySelector('#search').addEventListener('click', ask);
	window.addEventListener('resize', draw);
	window.addEventListener('keydown', (event) => {
		if (event.key === '/' ||
		    ((event.ctrlKey || event.metaKey) && event.key === 'f')) {
			event.preventDefault();
			ask();
		} else if (event.key === 'Escape') {
			search('');
			zoom(top);
		}
	});
	// In an address typed by hand, a % may be a plain character.
	function decode(text) {
		try {
			return decodeURIComponent(text);
		} catch (error) {
			return text;
		}
	}

	// For links: graph.svg#s=TEXT&z=NAME searches for TEXT, and zooms into
	// the widest frame with NAME.
	for (const part of location.hash.slice(1).split('&')) {
		const value = decode(part.slice(2));
		if (part.startsWith('s='))
			search(value);
		if (part.startsWith('z='))
			zoomed = frames.filter((f) => f.name === value).sort(
				(a, b) => b.value - a.value)[0] || top;
	}
	if (zoomed.level < 0)
		zoomed = top;
	svg.querySelector('#search').style.display = '';
	draw();
	// A high picture begins with its outermost functions, at the bottom.
	window.scrollTo(0, svg.getBoundingClientRect().height);
})();
