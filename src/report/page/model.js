// SPDX-License-Identifier: BSD-2-Clause
// model.js - what the page knows of the capture, made from its columns.
import { lowerBound, readRegex } from './filter.js';
import { Texts } from './texts.js';
import { makeTree } from './tree.js';

/** @typedef {{number: number, pid: number, command: string, binary: string, begin: number, end: number, hasEnded: boolean, period: number, clock: number}} Process */
/** @typedef {{number: number, process: number, tid: number, name: string, begin: number, end: number}} Thread */

export const CATEGORIES = ['application', 'system library', 'JIT or script',
	'kernel', 'note'];

/** @param {number} pid */
const signed = (pid) => pid > 0x7fffffff ? pid - 0x100000000 : pid;

export class Model {
	/** @param {import('./columns.js').Columns} columns of the first part */
	constructor(columns) {
		const c = columns;
		this.texts = new Texts();
		this.texts.add(c.bytes('texts'), c.length('texts'));
		/** @type {Record<string, string>} */
		this.facts = {};
		const facts = new Texts();
		facts.add(c.bytes('facts'), c.length('facts'));
		for (let i = 0; i + 1 < facts.n; i += 2)
			this.facts[facts.get(i)] = facts.get(i + 1);
		this.begin = Number(this.facts.begin);
		this.end = Math.max(Number(this.facts.end), this.begin + 1);
		this.isTime = this.facts.unit !== 'ticks';
		this.readWho(c);
		this.functions = {
			n: c.length('function.names'),
			names: c.numbers('function.names'),
			binaries: c.numbers('function.binaries'),
			categories: c.numbers('function.categories'),
		};
		/** @type {{binary: number, category: number}[]} */
		this.collapsed = [];
		this.tree = makeTree(c.numbers('tree.depths'),
			c.numbers('tree.functions'));
		/** @type {{begin: number, end: number, thread: number, frames: number, samples: number, bytes: number}[]} */
		this.losses = this.rows(c, 'loss', ['begins', 'ends', 'threads',
			'frames', 'samples', 'bytes']).map(
			([begin, end, thread, frames, samples, bytes]) =>
				({ begin, end, thread, frames, samples, bytes }));
		this.metadata = this.rows(c, 'metadata', ['pids', 'times', 'keys',
			'values']);
		this.files = this.rows(c, 'file', ['pids', 'times', 'paths', 'sizes']);
		this.isWhole = false;
		this.readRest(c);
	}

	/** @param {import('./columns.js').Columns} c @param {string} of @param {string[]} names */
	rows(c, of, names) {
		const columns = names.map((name) => c.numbers(of + '.' + name));
		return Array.from({ length: columns[0].length },
			(_, i) => columns.map((column) => column[i]));
	}

	/** @param {import('./columns.js').Columns} c */
	readWho(c) {
		const text = (/** @type {number} */ n) => this.texts.get(n);
		/** @type {Process[]} */
		this.processes = this.rows(c, 'process', ['pids', 'commands',
			'binaries', 'begins', 'ends', 'ended', 'periods', 'clocks']).map(
			([pid, command, binary, begin, end, ended, period, clock], number) => ({
				number, pid: signed(pid), command: text(command),
				binary: text(binary), begin, end, hasEnded: ended !== 0,
				period, clock,
			}));
		const ticks = c.numbers('thread.ticks');
		/** @type {Thread[]} */
		this.threads = this.rows(c, 'thread', ['processes', 'tids', 'names',
			'begins', 'ends']).map(
			([process, tid, name, begin, end], number) => ({
				number, process, tid: signed(tid), name: text(name), begin, end,
			}));
		/** What a tick of each thread is worth. */
		this.ticks = Float64Array.from(ticks);
	}

	/** What comes behind the first part; nothing, before it has come. @param {import('./columns.js').Columns} c */
	readRest(c) {
		this.samples = {
			n: c.length('sample.times'),
			times: c.sums('sample.times'),
			threads: c.numbers('sample.threads'),
			nodes: c.numbers('sample.nodes'),
			ticks: c.numbers('sample.ticks'),
		};
		/** Where the axis begins: marks may have begun long before. */
		this.start = this.samples.n > 0
			? Math.min(this.begin, this.samples.times[0]) : this.begin;
		/** What each thread has of all samples. */
		this.byThread = new Float64Array(this.threads.length);
		for (let i = 0; i < this.samples.n; i++) {
			const thread = this.samples.threads[i];
			this.byThread[thread] += this.samples.ticks[i] * this.ticks[thread];
		}
		this.markNames = this.rows(c, 'markname', ['groups', 'names']).map(
			([group, name]) => ({ group: this.texts.get(group),
				name: this.texts.get(name) }));
		this.marks = {
			n: c.length('mark.times'),
			times: c.sums('mark.times'),
			durations: c.numbers('mark.durations'),
			threads: c.numbers('mark.threads'),
			names: c.numbers('mark.names'),
			lanes: c.numbers('mark.lanes'),
			depths: c.numbers('mark.depths'),
			messages: c.numbers('mark.messages'),
		};
		this.operations = this.rows(c, 'operation', ['ids', 'begins', 'ends',
			'from', 'to', 'names', 'processes']);
		this.arrows = this.rows(c, 'arrow', ['outs', 'ins']);
		this.readCounters(c);
		this.logs = this.rows(c, 'log', ['times', 'threads', 'severities',
			'domains', 'messages']);
		this.heapTree = makeTree(c.numbers('heap.depths'),
			c.numbers('heap.functions'));
		this.allocations = {
			n: c.length('allocation.times'),
			times: c.numbers('allocation.times'),
			threads: c.numbers('allocation.threads'),
			nodes: c.numbers('allocation.nodes'),
			sizes: c.numbers('allocation.sizes'),
			ends: c.numbers('allocation.ends'),
			temporary: c.numbers('allocation.temporary'),
		};
		this.maps = this.rows(c, 'map', ['processes', 'starts', 'ends',
			'offsets', 'times', 'paths', 'build_ids']);
		/** @type {Uint32Array[] | null} */
		this.ofThreads = null;
		this.isWhole = c.length('sample.times') > 0 || c.found.has('sample.times');
	}

	/** @param {import('./columns.js').Columns} c */
	addRest(c) {
		this.texts.add(c.bytes('texts.more'), c.length('texts.more'));
		this.readRest(c);
	}

	/** @param {import('./columns.js').Columns} c */
	readCounters(c) {
		const words = c.words('value.bits');
		const bits = new BigInt64Array(words.buffer);
		const doubles = new Float64Array(words.buffer);
		const times = c.numbers('value.times');
		const of = c.numbers('value.counters');
		const threads = c.numbers('value.threads');
		this.counters = this.rows(c, 'counter', ['categories', 'names',
			'descriptions', 'processes', 'ids', 'doubles']).map(
			([category, name, description, process, id, isDouble], number) => {
				const begin = lowerBound(of, number);
				const end = lowerBound(of, number + 1);
				const values = isDouble ? doubles.subarray(begin, end)
					: Float64Array.from(bits.subarray(begin, end), Number);
				return {
					number, category: this.texts.get(category),
					name: this.texts.get(name),
					description: this.texts.get(description),
					process, id, isDouble: isDouble !== 0,
					times: times.subarray(begin, end),
					threads: threads.subarray(begin, end), values,
					exact: bits.subarray(begin, end),
				};
			});
	}

	/** With those that stand for a collapsed library. */
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

	/** @param {number} f */
	categoryOf(f) {
		return f < this.functions.n ? this.functions.categories[f] & 7
			: this.collapsed[f - this.functions.n].category;
	}

	/** The function that all of @f's library become. @param {number} f */
	collapse(f) {
		const binary = this.functions.binaries[f];
		let i = this.collapsed.findIndex((one) => one.binary === binary);
		if (i < 0)
			i = this.collapsed.push({ binary, category: this.categoryOf(f) }) - 1;
		return this.functions.n + i;
	}

	/** @param {number} t */
	threadName(t) {
		const thread = this.threads[t];
		if (thread.tid < 0) {
			const { pid, binary } = this.processes[thread.process];
			return pid < 0 ? 'the machine' : (binary || 'process') + ' ' + pid;
		}
		return (thread.name || this.processes[thread.process].binary ||
			'thread') + ' ' + thread.tid;
	}

	/** @param {number} name */
	markName(name) {
		const { group, name: own } = this.markNames[name];
		return group + '/' + own;
	}

	/** By number of name: is it one of "group/name", or of "group"? @param {string} wanted */
	markNamesOf(wanted) {
		return Uint8Array.from(this.markNames, ({ group, name }) =>
			wanted === '' || wanted === group || wanted === group + '/*' ||
			wanted === group + '/' || wanted === group + '/' + name ? 1 : 0);
	}

	/** By number of thread. @param {number[] | undefined} numbers @returns {Uint8Array | null} */
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

	/** By number of function: does its name match?  Notes never do. @param {string | undefined} source */
	matcher(source) {
		const regex = readRegex(source);
		return regex && Uint8Array.from({ length: this.functions.n }, (_, f) =>
			f > 0 && this.categoryOf(f) !== 4 && regex.test(this.nameOf(f)) ? 1 : 0);
	}

	/** The samples of each thread. */
	samplesOf(/** @type {number} */ thread) {
		if (!this.ofThreads) {
			const { threads, n } = this.samples;
			const counts = new Uint32Array(this.threads.length);
			for (let i = 0; i < n; i++)
				counts[threads[i]]++;
			this.ofThreads = Array.from(counts, (count) => new Uint32Array(count));
			counts.fill(0);
			for (let i = 0; i < n; i++)
				this.ofThreads[threads[i]][counts[threads[i]]++] = i;
		}
		return this.ofThreads[thread];
	}
}
