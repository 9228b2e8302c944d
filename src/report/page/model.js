// SPDX-License-Identifier: BSD-2-Clause
// model.js - the page's model of the capture, from its columns.
import { lowerBound, readRegex } from './filter.js';
import { MARK_SUMS } from './mark_stats.js';
import { allocationsOf, MEASURES, Rows } from './rows.js';
import { Texts } from './texts.js';
import { makeTree } from './tree.js';

export const CATEGORIES = ['application', 'system library', 'JIT or script',
	'kernel', 'note', 'syscap itself'];
const RECORDING = 5; // the category of syscap's own code

/** @param {number} pid */
const signed = (pid) => pid > 0x7fffffff ? pid - 0x100000000 : pid;

const OPERATION = ['ids', 'begins', 'ends', 'from', 'to', 'names', 'processes'];
const ARROW = ['outs', 'ins'];
const LOG = ['times', 'threads', 'severities', 'domains', 'messages'];
const MAP = ['processes', 'starts', 'ends', 'offsets', 'times', 'paths',
	'build_ids'];
/** @param {Columns} c @param {string} of @param {string[]} names */
function readRows(c, of, names) {
	const columns = names.map((name) => c.numbers(of + '.' + name));
	return Array.from({ length: columns[0].length },
		(_, i) => columns.map((column) => column[i]));
}

/** The columns @names of @of, by name, and their number of rows.
 * @template {string} Name @param {Columns} c @param {string} of @param {...Name} names
 * @returns {Record<Name, Numbers> & {n: number}} */
function readColumns(c, of, ...names) {
	const read = /** @type {any} */ ({ n: c.length(of + '.' + names[0]) });
	for (const name of names)
		read[name] = c.numbers(of + '.' + name);
	return read;
}

/** Samples or waits. @param {Columns} c @param {string} of */
function readStacks(c, of) {
	return { ...readColumns(c, of, 'threads', 'nodes', 'ticks'),
		counts: readCounts(c, of), times: c.moments(of + '.times') };
}

/** @param {Columns} c @param {string} of */
const readTree = (c, of) => makeTree(c.numbers(of + '.depths'),
	c.numbers(of + '.functions'));

/** Number of events of each row; null: rows are single events.
 * @param {Columns} c @param {string} of */
function readCounts(c, of) {
	const counts = c.numbers(of + '.counts');
	return counts.length > 0 ? counts : null;
}

/** Allocations by time; lives are 1 + ns; 0: not freed. @param {Columns} c */
function readAllocations(c) {
	const high = c.numbers('allocation.lives.high');
	const rows = readColumns(c, 'allocation', 'threads', 'nodes', 'sizes', 'lives',
		'temporary');
	if (high.length > 0)
		rows.lives = Float64Array.from(rows.lives, (low, i) => low + high[i] * 2 ** 32);
	return { ...rows, counts: readCounts(c, 'allocation'),
		times: c.moments('allocation.times') };
}

/** The texts of a column, as keys and values. @param {Columns} c @param {string} name */
function readFacts(c, name) {
	const texts = new Texts();
	texts.add(c.bytes(name), c.length(name));
	/** @type {Record<string, string>} */
	const facts = {};
	for (let i = 0; i + 1 < texts.n; i += 2)
		facts[texts.get(i)] = texts.get(i + 1);
	return facts;
}

/** @param {Columns} c */
function readMarks(c) {
	const times = c.sums('mark.times');
	return { ...readColumns(c, 'mark', 'durations', 'threads', 'names', 'lanes',
		'depths', 'messages'), times,
		/** Time before the recording, of the first marks. */
		before: c.numbers('mark.before') };
}

/** Marks that the page has as sums: number and durations by name, thread and
 * cell. @param {Columns} c */
function readBars(c) {
	const bars = readColumns(c, 'bar', 'times', 'lasts', 'counts', 'sums', 'least',
		'most', 'threads', 'names');
	let all = 0;
	for (const n of bars.counts)
		all += n;
	return { ...bars, all };
}

/** Cost of each stack in the capture to compare with.
 * @param {Columns} c */
function readOther(c) {
	return c.length('other.depths') === 0 ? null : {
		tree: makeTree(c.numbers('other.depths'), c.numbers('other.functions')),
		selfs: Float64Array.from(c.numbers('other.selfs')),
		/** Stacks by block of time. */
		rows: { ...readStacks(c, 'other'), worth: Float64Array.of(1) },
	};
}

/** @param {Columns} c @param {Texts} texts */
function readMarkNames(c, texts) {
	return readRows(c, 'markname', ['groups', 'names']).map(
		([group, name]) => ({ group: texts.get(group),
			name: texts.get(name) }));
}

/** @param {Columns} c @param {Texts} texts */
function readCounters(c, texts) {
	const words = c.words('value.bits');
	const bits = new BigInt64Array(words.buffer);
	const doubles = new Float64Array(words.buffer);
	const { times, counters: of, threads } = readColumns(c, 'value', 'times',
		'counters', 'threads');
	return readRows(c, 'counter', ['categories', 'names',
		'descriptions', 'processes', 'ids', 'doubles']).map(
		([category, name, description, process, id, isDouble], number) => {
			const begin = lowerBound(of, number);
			const end = lowerBound(of, number + 1);
			const values = isDouble ? doubles.subarray(begin, end)
				: Float64Array.from(bits.subarray(begin, end), Number);
			return {
				number, category: texts.get(category),
				name: texts.get(name),
				description: texts.get(description),
				process, id, isDouble: isDouble !== 0,
				times: times.subarray(begin, end),
				threads: threads.subarray(begin, end), values,
			};
		});
}

/** Embedded source files, by number of the text of their path. @param {Columns} c */
function readSources(c) {
	const texts = new Texts();
	texts.add(c.bytes('source.texts'), c.length('source.texts'));
	return new Map(Array.from(c.numbers('source.files'), (file, i) =>
		[file, texts.get(i).split('\n')]));
}

/** Events, which follow the first part of the page. */
class Events {
	/** @param {Columns} c @param {Texts} texts */
	constructor(c, texts) {
		this.stacks = { samples: readStacks(c, 'sample'),
			blocked: readStacks(c, 'blocked'), stalled: readStacks(c, 'stalled') };
		this.trees = { blocked: readTree(c, 'blocked'),
			stalled: readTree(c, 'stalled'), heap: readTree(c, 'heap') };
		this.markNames = readMarkNames(c, texts);
		this.marks = readMarks(c);
		this.bars = readBars(c);
		this.markSums = readRows(c, 'markname', MARK_SUMS);
		this.operations = readRows(c, 'operation', OPERATION)
			.sort((a, b) => a[1] - b[1]);
		this.arrows = readRows(c, 'arrow', ARROW);
		this.other = readOther(c);
		this.counters = readCounters(c, texts);
		this.values = c.length('value.times');
		this.logs = readRows(c, 'log', LOG);
		this.allocations = readAllocations(c);
		/** Least, largest and last bytes in use of each cell of time. */
		this.inUse = readColumns(c, 'inuse', 'least', 'most', 'last');
		/** Limits of the page, if its size limits its events. */
		this.limits = readFacts(c, 'facts.more');
		this.maps = readRows(c, 'map', MAP);
		this.lines = readColumns(c, 'line', 'functions', 'files', 'numbers', 'selfs',
			'totals');
		this.sources = readSources(c);
	}
}

export class Model extends Events {
	/** @param {Columns} columns of the first part */
	constructor(columns) {
		const c = columns;
		const texts = new Texts();
		texts.add(c.bytes('texts'), c.length('texts'));
		super(c, texts);
		this.texts = texts;
		this.facts = readFacts(c, 'facts');
		this.begin = Number(this.facts.begin);
		this.end = Math.max(Number(this.facts.end), this.begin + 1);
		this.isTime = this.facts.unit !== 'ticks';
		const text = texts.get.bind(texts);
		this.processes = readRows(c, 'process', ['pids', 'commands',
			'binaries', 'begins', 'ends', 'ended', 'periods', 'clocks']).map(
			([pid, command, binary, begin, end, ended, period, clock], number) => ({
				number, pid: signed(pid), command: text(command),
				binary: text(binary), begin, end, exit: ended ? end : Infinity,
				period, clock,
			}));
		this.threads = readRows(c, 'thread', ['processes', 'tids', 'names',
			'begins', 'ends']).map(
			([process, tid, name, begin, end], number) => ({
				number, process, tid: signed(tid), name: text(name), begin, end,
			}));
		this.exits = this.threads.map((thread) => this.processes[thread.process].exit);
		/** Weight of a tick of each thread. */
		this.ticks = Float64Array.from(c.numbers('thread.ticks'));
		/** Files and lines are empty if the capture has none. */
		this.functions = readColumns(c, 'function', 'names', 'binaries',
			'categories', 'files', 'lines');
		/** @type {{binary: number, category: number}[]} */
		this.collapsed = [];
		this.tree = readTree(c, 'tree');
		this.losses = readRows(c, 'loss', ['begins', 'ends', 'threads',
			'frames', 'samples', 'bytes']).map(
			([begin, end, thread, frames, samples, bytes]) =>
				({ begin, end, thread, frames, samples, bytes }));
		this.metadata = readRows(c, 'metadata', ['pids', 'times', 'keys',
			'values']);
		this.files = readRows(c, 'file', ['pids', 'times', 'paths', 'sizes']);
		/** Results of ownNodes(). @type {WeakMap<Tree, Uint8Array | null>} */
		this.own = new WeakMap();
		/** Whether a stack is in syscap's own code. */
		this.hasOwn = false;
		this.samples = this.makeRows('');
		/** @type {Record<string, Rows>} */
		this.rows = {};
		/** Moment of the bytes in use, if known. @type {number | null} */
		this.moment = null;
		this.start = this.findStart();
		this.byThread = this.sumThreads();
		/** Result of the last search, by number of function.
		 * @type {{search?: string, by: Uint8Array}} */
		this.matches = { by: new Uint8Array(0) };
		/** Whether all columns were added. */
		this.isWhole = false;
	}

	/** Content after the first part. @param {Columns} c */
	addRest(c) {
		this.texts.add(c.bytes('texts.more'), c.length('texts.more'));
		Object.assign(this, new Events(c, this.texts));
		this.samples = this.makeRows('');
		this.rows = {};
		this.start = this.findStart();
		this.byThread = this.sumThreads();
		this.hasOwn = ['', 'blocked', 'stalled', 'allocated'].some((of) => {
			const { tree, nodes, n } = this.rowsOf(of);
			const own = this.ownNodes(tree);
			for (let i = 0; own && i < n; i++)
				if (own[nodes[i]])
					return true;
			return false;
		});
		this.matches.search = '';
		this.isWhole = true;
	}

	/** Begin of the axis. */
	findStart() {
		return this.samples.n > 0
			? Math.min(this.begin, this.samples.times.at(0)) : this.begin;
	}

	/** Share and number of samples of each thread. */
	sumThreads() {
		const { n, threads, ticks } = this.samples;
		const sums = new Float64Array(this.threads.length);
		for (let i = 0; i < n; i++)
			sums[threads[i]] += ticks[i] * this.ticks[threads[i]];
		return sums;
	}

	/** @param {string} of a key of MEASURES @param {number} [moment] */
	makeRows(of, moment = 0) {
		const { stacks, trees } = this;
		if (of === '')
			return new Rows(stacks.samples, this.tree, this.ticks,
				this.isTime ? 'time' : 'ticks', 'sample');
		const ones = new Float64Array(this.threads.length).fill(1);
		if (of === 'blocked' || of === 'stalled')
			return new Rows(stacks[of], trees[of], ones, 'time',
				of === 'blocked' ? 'call' : 'stall stack');
		return new Rows(allocationsOf(this, of, moment), trees.heap, ones, 'bytes',
			'allocation');
	}

	/** The rows with the amounts @of, in use at the moment.
	 * @param {string} of a key of MEASURES @param {number} [moment] */
	rowsOf(of, moment = 0) {
		if (of === '')
			return this.samples;
		if (of === 'live' && moment !== this.moment) {
			delete this.rows.live;
			this.moment = moment;
		}
		return this.rows[of] ||= this.makeRows(of, moment);
	}

	measures() {
		const { stacks, allocations } = this;
		return MEASURES.map(([key]) => key).filter((key) =>
			(key === '' ? stacks.samples
				: key === 'blocked' || key === 'stalled' ? stacks[key]
					: allocations).n > 0);
	}

	get lost() {
		return this.losses.reduce((sum, loss) => sum + loss.frames, 0);
	}

	/** Number of functions, including collapsed libraries. */
	get nFunctions() {
		return this.functions.n + this.collapsed.length;
	}

	/** @param {number} f */
	nameOf(f) {
		return f === 0 ? 'all' : f < this.functions.n
			? this.texts.get(this.functions.names[f])
			: '[' + this.binaryOf(f) + ']';
	}

	/** @param {number} f */
	binaryOf(f) {
		return this.texts.get(f < this.functions.n ? this.functions.binaries[f]
			: this.collapsed[f - this.functions.n].binary);
	}

	/** Whether `f` is inlined into its caller. @param {number} f */
	isInlined(f) {
		return f < this.functions.n && (this.functions.categories[f] & 16) !== 0;
	}

	/** Line with most of the function's time: "a.c:12" or "".
	 * @param {number} f */
	lineOf(f) {
		const file = this.functions.files[f], line = this.functions.lines[f];
		return file ? this.texts.get(file - 1) + (line ? ':' + line : '') : '';
	}

	/** @param {number} f */
	categoryOf(f) {
		return f < this.functions.n ? this.functions.categories[f] & 7
			: this.collapsed[f - this.functions.n].category;
	}

	/** The function that replaces all of `f`'s library. @param {number} f */
	collapse(f) {
		const binary = this.functions.binaries[f];
		let i = this.collapsed.findIndex((one) => one.binary === binary);
		if (i < 0)
			i = this.collapsed.push({ binary, category: this.categoryOf(f) }) - 1;
		return this.functions.n + i;
	}

	/** Whether `f` belongs to a copy of syscap that is linked to the
	 * program.
	 * @param {number} f */
	isLinkedCopy(f) {
		return this.categoryOf(f) === RECORDING &&
			!/^libsyscap(-|\.so)/.test(this.binaryOf(f));
	}

	/** Flags of the nodes in syscap's own code, which ends a stack.
	 * @param {Tree} tree @returns {Uint8Array | null} null: there are none */
	ownNodes(tree) {
		let own = this.own.get(tree);
		if (own === undefined) {
			own = this.functions.categories.some((kind) => (kind & 7) === RECORDING)
				? new Uint8Array(tree.n) : null;
			for (let i = 1; own && i < tree.n; i++)
				own[i] = own[tree.parents[i]] |
					(this.categoryOf(tree.functions[i]) === RECORDING ? 1 : 0);
			this.own.set(tree, own);
		}
		return own;
	}

	isWall() {
		return /[23]/.test(this.facts.unit_number);
	}

	/** The order of threads, by sums. By wall time, sleeping threads equal
	 * working threads. Then the program's threads precede threads of its
	 * children.
	 * @param {Costs} sums @returns {(a: any, b: any) => number} */
	foremost(sums) {
		const isWall = this.isWall();
		return (a, b) => (isWall && a.process - b.process) ||
			sums[b.number] - sums[a.number];
	}

	/** @param {number} t */
	threadName(t) {
		const thread = this.threads[t];
		if (thread.tid < 0)
			return this.processName(thread.process) + ', no thread';
		return (thread.name || this.processes[thread.process].binary ||
			'thread') + ' ' + thread.tid;
	}

	/** @param {number} p */
	processName(p) {
		const { pid, binary } = this.processes[p];
		return pid < 0 ? 'the machine' : (binary || 'process') + ' ' + pid;
	}

	/** @param {number} name */
	markName(name) {
		const { group, name: own } = this.markNames[name];
		return group + '/' + own;
	}

	/** Names of marks that equal "group/name", or are in "group".
	 * @param {string} wanted */
	markNamesOf(wanted) {
		return Uint8Array.from(this.markNames, ({ group, name }) =>
			wanted === '' || wanted === group || wanted === group + '/*' ||
			wanted === group + '/' || wanted === group + '/' + name ? 1 : 0);
	}

	/** Flags of threads by number; null: all threads.
	 * @param {number[]} [numbers] @returns {Uint8Array | null} */
	threadSet(numbers) {
		if (!numbers)
			return null;
		const set = new Uint8Array(this.threads.length);
		for (const number of numbers)
			if (number < set.length)
				set[number] = 1;
		return set;
	}

	/** @param {Uint8Array} threads */
	processesOf(threads) {
		const set = new Uint8Array(this.processes.length);
		this.threads.forEach((thread, t) => {
			if (threads[t])
				set[thread.process] = 1;
		});
		return set;
	}

	/** Functions whose name matches; the five fixed notes never match.
	 * @param {string} [source] */
	matcher(source) {
		const regex = readRegex(source);
		return regex && Uint8Array.from({ length: this.functions.n }, (_, f) =>
			f > 0 && (f > 4 || this.categoryOf(f) !== 4) && regex.test(this.nameOf(f)) ? 1 : 0);
	}
}
