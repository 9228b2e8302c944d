// SPDX-License-Identifier: BSD-2-Clause
// types.d.ts - types that comments of several modules use.  The page does not
// contain this file.
type App = import('./main.js').App;
type Attributes = { [name: string]: any } & {
	[name in keyof HTMLElementEventMap as `on${name}`]?:
		(event: HTMLElementEventMap[name]) => any };
type Columns = import('./columns.js').Columns;
type Context2D = CanvasRenderingContext2D;
/** Columns of stacks with amounts, by time. */
interface RowColumns {
	n: number;
	times: import('./moments.js').Moments;
	threads: Numbers;
	nodes: Numbers;
	ticks: Numbers;
	counts: Numbers | null;
}
type Rows = import('./rows.js').Rows;
/** Rows without times. */
type EventRows = Pick<Rows, 'n' | 'threads' | 'nodes' | 'ticks' | 'worth' | 'counts'>;
type Model = import('./model.js').Model;
/** Numbers in the width in which the page stores them. */
type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;
type Scale = import('./scale.js').Scale;
type Theme = import('./canvas.js').Theme;

/** Amounts by node, function or thread, mostly in ticks or ns. */
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
	/** number of each node of the model in this tree; null: unchanged */
	nodes: Int32Array | null;
	/** sums by node of the model, before transforms */
	base: Float64Array;
	selfs: Float64Array;
	totals: Float64Array;
	threads: Float64Array;
	total: number;
	/** sum of syscap's own code, as in Sums */
	own: number;
	n: number;
	/** numbers of marks, the slowest first */
	chosen: Uint32Array | null;
}

interface Box {
	/** place and width in pixels */
	x: number;
	w: number;
	row: number;
	colour: string;
	label: string;
	/** number of the box's object; below 0: several small objects */
	id: number;
	dim?: boolean;
	found?: boolean;
	hatched?: boolean;
	/** if samples share the pixel: samples with the function, of all
	 * samples */
	of?: [number, number];
}

interface Comparison {
	tree: Tree;
	one: Side;
	other: Side;
	/** amounts are per mark; false: amounts are shares */
	byMark: boolean;
	/** marks of one side, the slowest first */
	marks: Uint32Array;
	/** units of both sides: blocks of time, or marks */
	units: Spread[];
	/** error probability of each interval */
	missed: number;
}

/** Values of units, summed up by function. */
interface Spread {
	n: number;
	sums: Float64Array;
	squares: Float64Array;
	counts: Float64Array;
	/** values are multiples of the step */
	step: number;
}

interface Tested {
	/** standard error of the difference */
	error: number;
	degrees: number;
	/** probability of a difference this large by chance */
	p: number;
}

/** Times are times of the page, from <= time < to. */
interface Filter {
	from?: number;
	to?: number;
	/** numbers of threads; none: any thread */
	threads?: number[];
	/** marks as "group/name", or "group" */
	mark?: string;
	/** duration of such a mark, ns */
	longer?: number;
	/** duration is below this limit */
	shorter?: number;
	/** "10" or "1%" */
	slowest?: string;
	/** a regular expression, like the next members */
	function?: string;
	drop?: string;
	focus?: string;
	hideSystem?: boolean;
	/** keep samples in syscap's own code */
	recording?: boolean;
	/** a glob for binaries */
	library?: string;
	recursion?: boolean;
}

interface Side {
	text: string;
	selfs: Float64Array;
	totals: Float64Array;
	total: number;
	/** divisor of the sums */
	per: number;
	nMarks: number;
	/** duration of each mark */
	duration: number;
	/** processor time of each mark */
	running: number;
}

interface Tree {
	n: number;
	/** depth of each node; the root has 0 */
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
	/** function that represents each function */
	collapse: ((f: number) => number) | null;
	collapseRecursion: boolean;
}

interface Sums {
	/** self of each node of the model's tree */
	selfs: Float64Array;
	/** sum of each thread */
	threads: Float64Array;
	total: number;
	/** samples */
	n: number;
	ticks: number;
	/** sum of the samples in syscap's own code that pass otherwise; in
	 * `total` if the filter keeps them */
	own: number;
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
	/** value by which rows are sorted */
	by?: (row: R) => number | string;
	/** the column is aligned to the right */
	number?: boolean;
	/** explanation; none: the explanation of titles with this text */
	tip?: string;
	width?: string;
	/** first sorted from the least value */
	up?: boolean;
}

interface TableOptions<R> {
	label: string;
	headings: Heading<R>[];
	sort: string;
	sorted?: (sort: string) => void;
	pick?: (row: R) => void;
	open?: (row: R) => void;
	/** key that identifies a row after the rows are made again */
	id?: (row: R) => any;
}

/** A note on a function, or on a time; without both, on everything. */
interface Note {
	/** a function; "": none */
	name: string;
	from?: number;
	to?: number;
	text: string;
}

/** State in the form of the address. */
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
	process?: number;
	notes?: Note[];
	lanes?: string;
	/** name of the function that has a lane */
	lane?: string;
	/** numbers of the counters that have lanes */
	counters?: number[];
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
/** Draw axis, grid and round times, from @left on; @zero is 0 s. */
type PaintAxis = (context: Context2D, theme: Theme, scale: Scale, left: number,
	height: number, zero: number) => void;
/** Shade the times of losses, of all threads or of some threads. */
type PaintLosses = (context: Context2D, theme: Theme, model: Model, scale: Scale,
	left: number, top: number, height: number, of?: (thread: number) => boolean) => void;
/**
 * Draw a line of values, from the least to the largest of each pixel.  Returns
 * the range of the values.
 */
type PaintLine = (context: Context2D, times: ArrayLike<number>,
	values: ArrayLike<number>, scale: Scale, left: number, top: number, height: number,
	colour: string, hasZero?: boolean) => number[];
/** Rows of the time axis: a thread's samples, marks, ... */
interface Lane {
	kind: string;
	label: string;
	height: number;
	n: number;
	/** weight of the samples of each pixel */
	bars?: Float64Array;
}
type Unit = 'time' | 'ticks' | 'bytes';

/** Draw content below or above the boxes. */
type PaintBoxes = (context: Context2D, height: number, scroll: number) => void;

/** Boxes that are too narrow to be drawn, side by side. */
interface Small {
	x: number;
	w: number;
	n: number;
	/** number of the first node */
	first: number;
	found: boolean;
}

interface ShownTree {
	tree: Tree;
	totals: Float64Array;
	labels: (node: number) => string;
}

/** A brush while the user draws the brush. */
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
	/** changes a second */
	isRate: boolean;
	unit: string;
	/** drawn values */
	values: ArrayLike<number>;
	value: HTMLElement;
	/** button of the largest value, which has the number `best` */
	peak: HTMLElement;
	best: number;
}

interface PartOf {
	total: number;
	self: number;
	of: number;
}
