// SPDX-License-Identifier: BSD-2-Clause
// types.d.ts - types that comments of several modules use.  No part of the
// page.
type App = import('./main.js').App;
type Attributes = { [name: string]: any } & {
	[name in keyof HTMLElementEventMap as `on${name}`]?:
		(event: HTMLElementEventMap[name]) => any };
type Columns = import('./columns.js').Columns;
type Context2D = CanvasRenderingContext2D;
type Model = import('./model.js').Model;
/** As narrow as they were written. */
type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;
type Scale = import('./scale.js').Scale;
type Theme = import('./canvas.js').Theme;

/** By node, function or thread, in the unit beside it, mostly ticks or ns. */
type Costs = Float64Array;

interface ThreadColours {
	colour: (node: number) => string;
	legend: [string, string][];
}

interface Layout {
	boxes: Box[];
	rows: number;
}

interface Analysis {
	tree: Tree;
	/** what nodes of the model have become; null: themselves */
	nodes: Int32Array | null;
	/** sums by node of the model, before transforms */
	base: Float64Array;
	selfs: Float64Array;
	totals: Float64Array;
	threads: Float64Array;
	total: number;
	n: number;
	/** marks, the slowest first */
	chosen: Uint32Array | null;
}

interface Box {
	/** pixels */
	x: number;
	w: number;
	row: number;
	colour: string;
	label: string;
	/** of what it is; below 0: of several small ones */
	id: number;
	dim?: boolean;
	found?: boolean;
	hatched?: boolean;
	/** several samples share its pixel: it was in so many of so many */
	of?: [number, number];
}

interface Comparison {
	tree: Tree;
	one: Side;
	other: Side;
	/** sums are for each mark; else shares */
	byMark: boolean;
	/** of the one side, the slowest first */
	marks: Uint32Array;
}

/** Times are the page's, from <= time < to. */
interface Filter {
	from?: number;
	to?: number;
	/** numbers; none: any */
	threads?: number[];
	/** "group/name", or "group" */
	mark?: string;
	/** of such a mark, ns */
	longer?: number;
	/** below it */
	shorter?: number;
	/** "10" or "1%" */
	slowest?: string;
	/** a regular expression, as all these */
	function?: string;
	drop?: string;
	focus?: string;
	hideSystem?: boolean;
	/** a glob */
	library?: string;
	recursion?: boolean;
}

interface Side {
	text: string;
	selfs: Float64Array;
	totals: Float64Array;
	total: number;
	/** what sums are divided by */
	per: number;
	nMarks: number;
	/** of its marks, each */
	duration: number;
	/** on the processor, each */
	running: number;
}

interface Tree {
	n: number;
	/** the root has 0 */
	depths: ArrayLike<number>;
	functions: ArrayLike<number>;
	parents: Uint32Array;
	ends: Uint32Array;
}

/**
 * Transforms of stacks, as in `syscap stat`: --focus, --hide-system,
 * --collapse-library and --collapse-recursion.
 */
interface Transforms {
	focus: ((f: number) => boolean) | null;
	hideSystem: boolean;
	/** as which function one is shown */
	collapse: ((f: number) => number) | null;
	collapseRecursion: boolean;
}

interface Sums {
	/** by node of the model's tree */
	selfs: Float64Array;
	/** by thread */
	threads: Float64Array;
	total: number;
	/** samples */
	n: number;
	ticks: number;
}

interface Column {
	name: string;
	/** bytes of a number; 0: texts */
	width: number;
	n: number;
	bytes: number;
	/** base64 of deflated bytes */
	text: string;
}

/** A column of a table. */
interface Heading<R> {
	key: string;
	text: string;
	cell: (row: R) => Node | string;
	/** what it is sorted by */
	by?: (row: R) => number | string;
	/** aligned to the right */
	number?: boolean;
	width?: string;
	/** sorted from the least at first */
	up?: boolean;
}

interface TableOptions<R> {
	label: string;
	headings: Heading<R>[];
	sort: string;
	sorted?: (sort: string) => void;
	pick?: (row: R) => void;
	open?: (row: R) => void;
	/** by which a row is known again that is made anew */
	id?: (row: R) => any;
}

/** As it stands in the address. */
interface State extends Filter {
	view: string;
	search?: string;
	colour?: string;
	upside?: boolean;
	zoom?: string;
	thread?: number;
	sort?: string;
	name?: string;
	target?: number;
	compare?: string;
	against?: string;
	amount?: string;
	of?: string;
	moment?: number;
	picked?: number;
	window?: string;
	open?: string;
	show?: string;
	beside?: string;
}

interface BoxesOptions {
	theme: Theme;
	label: string;
	pick: (box: Box | null) => void;
	open: (box: Box) => void;
	tip: (box: Box) => string[];
	back?: () => void;
	wheel?: (x: number, by: number) => void;
}

interface GraphOptions {
	tree: Tree;
	totals: Float64Array;
	zoom: number;
	width: number;
	label: (node: number) => string;
	colour: (node: number) => string;
	found?: Uint8Array | null;
}

interface ChartOptions {
	model: Model;
	thread: number;
	nodes: Int32Array | null;
	tree: Tree;
	scale: Scale;
	passes: (sample: number) => boolean;
	label: (node: number) => string;
	colour: (node: number) => string;
}

/** A rectangle with any content. */
type DrawBox<More extends any[]> = (context: Context2D, x: number, y: number,
	w: number, h: number, ...more: More) => void;
/** Axis, grid and round moments, from @left on; @zero is 0 s. */
type PaintAxis = (context: Context2D, theme: Theme, scale: Scale, left: number,
	height: number, zero: number) => void;
/** Shades when something was lost, of all threads or some. */
type PaintLosses = (context: Context2D, theme: Theme, model: Model, scale: Scale,
	left: number, top: number, height: number, of?: (thread: number) => boolean) => void;
/**
 * Draws a line of values, from the least to the largest of each pixel, and
 * returns them.
 */
type PaintLine = (context: Context2D, times: ArrayLike<number>,
	values: ArrayLike<number>, scale: Scale, left: number, top: number, height: number,
	colour: string) => number[];
/** Rows of the time axis: a thread's samples, marks, ... */
interface Lane {
	kind: string;
	label: string;
	height: number;
	n: number;
	/** by pixel, what samples there stand for */
	bars?: Float64Array;
}
type Unit = 'time' | 'ticks' | 'bytes';

/** Content below the boxes, or over them. */
type PaintBoxes = (context: Context2D, height: number, scroll: number) => void;

/** Boxes that are too narrow to be drawn, side by side. */
interface Small {
	x: number;
	w: number;
	n: number;
	/** node */
	first: number;
	found: boolean;
}

interface ShownTree {
	tree: Tree;
	totals: Float64Array;
	labels: (node: number) => string;
}

/** A brush while it is drawn. */
interface Drag {
	from: number;
	x: number;
	edge: string;
	begin: number;
	end: number;
}

interface CounterChart {
	canvas: HTMLCanvasElement;
	counter: any;
	value: HTMLElement;
}

interface PartOf {
	total: number;
	self: number;
	of: number;
}
