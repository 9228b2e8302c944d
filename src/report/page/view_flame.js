// SPDX-License-Identifier: BSD-2-Clause
// view_flame.js - the flame graph: amounts of stacks, callers above callees.
import { Boxes } from './boxes.js';
import { treeByThread } from './by_thread.js';
import { button, choose, div, el, fill, hint, offer, section, swatch, toggle,
	View } from './dom.js';
import { quoteRegex } from './filter.js';
import { colouring, layoutGraph, namesOf } from './flame.js';
import { formatAmount, formatPart, formatShare } from './format.js';
import { MemoryLine } from './memory_line.js';
import { CATEGORIES } from './model.js';
import { endsWith, nodesThat, Stacks } from './stacks.js';
import { colourByThread } from './thread_colours.js';
import { invert, pathTo } from './tree.js';

export class FlameView extends View {
	/** @param {App} app */
	constructor(app) {
		super(app);
		/** @type {ShownTree | null} */
		this.shown = null;
		this.zoom = 0;
		/** Threads by their node, in the order of threads.
		 * @type {Map<number, number>} */
		this.roots = new Map();
		this.boxes = new Boxes({
			theme: app.theme, label: 'Flame graph: arrow keys walk, Enter ' +
				'zooms in, Escape out',
			pick: (box) => this.describe(box),
			open: (box) => this.open(box),
			tip: (box) => this.tip(box),
			back: () => this.out(),
		});
		this.path = el('nav', { class: 'path', 'aria-label': 'Zoomed into' });
		this.legend = div('legend');
		this.stacks = new Stacks(app);
		this.memory = new MemoryLine(app);
		this.key = '';
		/** Thread of each node of the shown tree; null: colours by kind
		 * or binary.
		 * @type {ThreadColours | null} */
		this.byThreads = null;
		this.element = section('Flame graph', this.bar, this.memory.element,
			this.path, this.boxes.element, this.legend, this.details,
			this.stacks.element);
	}

	update() {
		const { app } = this;
		const { state } = app;
		fill(this.bar,
			choose('Order', [['', 'callers first'], ['leaves', 'callees first'],
				['threads', 'by thread']], state.show || '',
			(show) => app.set({ show, zoom: undefined })),
			choose('Colours', [['', 'kind of code'], ['binary', 'binary'],
				['thread', 'thread']],
				state.colour || '', (colour) => app.set({ colour })),
			toggle('Upwards', Boolean(state.upside),
				(upside) => app.set({ upside: upside || undefined })),
			el('span', { class: 'grow' }),
			button('Folded', () => this.exportFolded()),
			button('SVG', () => this.exportSvg()),
			button('PNG', () => this.exportPng()));
		this.shown = this.make();
		this.byThreads = state.colour === 'thread' && state.show !== 'leaves'
			? colourByThread(app, this.shown, this.roots) : null;
		const key = JSON.stringify([app.filter(), app.of(), state.show]);
		if (key !== this.key)
			this.stacks.close();
		this.key = key;
		this.zoom = this.findZoom(state.zoom || '');
		this.showPath();
		this.layout();
		this.showLegend();
		if (!this.boxes.picked)
			this.describe(null);
	}

	/** The tree in the requested order. */
	make() {
		const { app } = this;
		const { model, state } = app;
		if (state.show === 'threads')
			return this.byThread();
		const all = app.analysis();
		const { tree, totals } = state.show === 'leaves'
			? invert(all.tree, all.selfs, all.total / 4000) : all;
		return { tree, totals, labels: namesOf(model, tree) };
	}

	byThread() {
		const { model } = this.app;
		const { tree, totals, roots } = treeByThread(this.app);
		this.roots = roots;
		const names = namesOf(model, tree);
		return { tree, totals, labels: (/** @type {number} */ n) => {
			const thread = roots.get(n);
			return thread !== undefined ? model.threadName(thread) : names(n);
		} };
	}

	/** Zoom by the names on a path: "main/work".
	 * @param {string} zoom */
	findZoom(zoom) {
		if (!zoom || !this.shown)
			return 0;
		const { tree } = this.shown;
		let node = 0;
		for (const step of zoom.split('.').map(Number)) {
			let child = node + 1;
			while (child < tree.ends[node] && tree.functions[child] !== step)
				child = tree.ends[child];
			if (child >= tree.ends[node])
				break;
			node = child;
		}
		return node;
	}

	/** @param {number} node */
	pathOf(node) {
		return this.shown ? pathTo(this.shown.tree, node) : [];
	}

	/** @param {number} node */
	zoomTo(node) {
		if (!this.shown)
			return;
		const { tree } = this.shown;
		this.app.set({ zoom: this.pathOf(node).map((i) =>
			tree.functions[i]).join('.') || undefined });
	}

	out() {
		if (this.shown && this.zoom !== 0)
			this.zoomTo(this.shown.tree.parents[this.zoom]);
	}

	/** @param {Box} box */
	open(box) {
		if (box.id >= 0)
			this.zoomTo(box.id);
		else if (this.shown)
			this.zoomTo(this.shown.tree.parents[-1 - box.id]);
	}

	showPath() {
		const { shown } = this;
		if (!shown)
			return;
		const path = this.pathOf(this.zoom);
		this.path.hidden = path.length === 0;
		const steps = [0, ...path];
		const from = steps.length > 7 ? steps.length - 6 : 0;
		fill(this.path, ...steps.flatMap((node, i) => {
			if (i > 0 && i < from)
				return i === 1 ? ['…', ' › '] : [];
			return [button(shown.labels(node), () => this.zoomTo(node),
				{ 'aria-current': node === this.zoom ? 'true' : null }),
			i + 1 < steps.length ? ' › ' : ''];
		}));
	}

	showLegend() {
		const { theme, state, model } = this.app;
		const used = new Set();
		if (this.byThreads) {
			fill(this.legend, ...this.byThreads.legend.map(([colour, name]) =>
				swatch(colour, name)));
			return;
		}
		if (this.shown && state.colour !== 'binary')
			for (const { id } of this.boxes.boxes)
				if (id > 0)
					used.add(model.categoryOf(this.shown.tree.functions[id]));
		fill(this.legend, ...CATEGORIES.map((name, i) => used.has(i) &&
			swatch(theme.categories[i], name)));
	}

	layout() {
		const { app, shown } = this;
		this.memory.layout();
		if (!shown)
			return;
		const { model, theme, state } = app;
		const { tree, totals } = shown;
		const colour = colouring(model, theme, state.colour || '');
		const found = app.find(tree, totals);
		this.found = found;
		const { boxes, rows } = layoutGraph({ tree, totals, zoom: this.zoom,
			width: this.boxes.width(), label: shown.labels,
			colour: (node) => this.byThreads ? this.byThreads.colour(node)
				: colour(tree.functions[node]),
			found: found?.found });
		if (state.upside)
			for (const box of boxes)
				box.row = rows - 1 - box.row;
		this.boxes.set(boxes, rows);
	}

	/** Go to the next match of the search. @param {number} by */
	step(by) {
		const { found } = this;
		if (!found || found.outermost.length === 0)
			return;
		const { outermost } = found;
		this.at = ((this.at === undefined ? (by > 0 ? -1 : 0) : this.at) + by +
			outermost.length) % outermost.length;
		const node = outermost[this.at];
		const box = this.boxes.boxes.find((b) => b.id === node);
		if (box)
			this.boxes.pick(box);
		else
			this.zoomTo(node);
	}

	/** @param {Box} box */
	tip(box) {
		const { shown, app } = this;
		if (!shown)
			return [];
		const { tree, totals } = shown;
		if (box.id < 0)
			return [box.label, 'each narrower than a pixel: zoom in'];
		const f = tree.functions[box.id];
		const binary = app.model.binaryOf(f);
		const lines = [shown.labels(box.id)];
		if (binary && box.id !== 0)
			lines.push((app.model.isInlined(f) ? 'inlined in ' : '') + binary);
		if (app.model.lineOf(f))
			lines.push('mostly ' + app.model.lineOf(f));
		lines.push(formatPart(totals[box.id], totals[0], app.unit()) + ' of all');
		return lines;
	}

	/** @param {Box | null} box */
	describe(box) {
		const { app, shown } = this;
		if (!box || box.id <= 0 || !shown) {
			const none = app.model.isWhole && shown?.totals[0] === 0;
			fill(this.details, hint(none &&
				app.rows().n === 0 ? 'There are no samples here: record with --sample.'
				: none ? 'No ' + app.rows().noun + ' passes the filters above.'
				: 'Click a function for more. Double-click a box to zoom in. Drag on the time ' +
				'axis to select a part.'));
			return;
		}
		const f = shown.tree.functions[box.id];
		let self = shown.totals[box.id];
		for (let i = box.id + 1; i < shown.tree.ends[box.id]; i = shown.tree.ends[i])
			self -= shown.totals[i];
		fill(this.details, ...functionDetails(app, f, {
			total: shown.totals[box.id], self, of: shown.totals[0] }),
		button('Zoom in', () => this.zoomTo(box.id)),
		button('Single stacks', () => this.openStacks(box.id)));
	}

	/** @param {number} node */
	openStacks(node) {
		const { app, shown } = this;
		if (!shown)
			return;
		const path = this.pathOf(node).map((i) => shown.tree.functions[i]);
		const filter = app.filter();
		const analysis = app.analysis();
		let thread;
		if (app.state.show === 'threads') {
			thread = this.roots.get(this.pathOf(node)[0]);
			path.shift();
		}
		const { tree } = analysis;
		if (app.state.show === 'leaves') {
			this.stacks.open(filter, nodesThat(analysis,
				(i) => endsWith(tree, i, path)));
			return;
		}
		let from = 0;
		for (const f of path)
			for (from++; from < tree.n && tree.functions[from] !== f;)
				from = tree.ends[from];
		this.stacks.open(filter, nodesThat(analysis,
			(i) => i >= from && i < tree.ends[from]), thread);
	}

	exportFolded() {
		const { model } = this.app;
		const { tree, selfs } = this.app.analysis();
		const lines = [];
		for (let i = 1; i < tree.n; i++) {
			if (selfs[i] === 0)
				continue;
			lines.push(pathTo(tree, i).map((k) => model.nameOf(tree.functions[k])
				.replace(/[;\n]/g, ':')).join(';') + ' ' + selfs[i] + '\n');
		}
		offer('stacks.folded', new Blob(lines, { type: 'text/plain' }));
	}

	exportPng() {
		this.boxes.canvas.toBlob((/** @type {Blob | null} */ blob) => {
			if (blob)
				offer('flamegraph.png', blob);
		});
	}

	exportSvg() {
		const quote = (/** @type {string} */ text) => text.replace(/[&<>"]/g,
			(c) => '&#' + c.charCodeAt(0) + ';');
		const width = this.boxes.width(), height = this.boxes.nRows * 20;
		const parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="' + width +
			'" height="' + height + '" font-family="sans-serif" font-size="12">'];
		for (const box of this.boxes.boxes) {
			const room = Math.floor(box.w / 6.5);
			parts.push('<g><title>' + quote(this.tip(box).join('\n')) +
				'</title><rect x="' + box.x.toFixed(2) + '" y="' + box.row * 20 +
				'" width="' + Math.max(box.w - 0.5, 0.3).toFixed(2) +
				'" height="19" fill="' + (box.colour || '#bbb') + '"/>' +
				(room > 3 ? '<text x="' + (box.x + 4).toFixed(2) + '" y="' +
				(box.row * 20 + 14) + '">' + quote(box.label.slice(0, room)) +
				'</text>' : '') + '</g>');
		}
		parts.push('</svg>');
		offer('flamegraph.svg', new Blob(parts, { type: 'image/svg+xml' }));
	}
}

/**
 * Actions for a function. @param {App} app @param {number} f @param {PartOf}
 * sums
 */
export function functionDetails(app, f, sums) {
	const { model } = app;
	const name = model.nameOf(f);
	const exact = '^' + quoteRegex(name) + '$';
	const set = (/** @type {string} */ text, /** @type {any} */ patch) =>
		button(text, () => app.set(patch));
	const told = (/** @type {number} */ n) => formatAmount(n, app.unit()) +
		' (' + formatShare(n, sums.of) + ')';
	return [
		el('h2', {}, name),
		el('p', { class: 'sums' },
			[model.binaryOf(f), CATEGORIES[model.categoryOf(f)],
				model.isInlined(f) ? 'inlined' : '',
				model.lineOf(f) && 'mostly ' + model.lineOf(f)]
				.filter(Boolean).join(' · ') + ' · total ' + told(sums.total) +
				', self ' + told(sums.self)),
		set('Callers and callees', { view: 'functions', picked: f }),
		set('Begin here', { focus: exact, zoom: undefined }),
		set('Only with it', { function: exact }),
		set('Without it', { drop: exact, zoom: undefined }),
		app.state.lane === name ? set('Not on the time axis', { lane: undefined })
			: set('Over time', { lane: name }),
	];
}
