// SPDX-License-Identifier: BSD-2-Clause
// page.mjs - columns as a page has them, for tests without one.
import { deflateRawSync } from 'node:zlib';

import { Columns, inflateColumn, pieceOf } from '../../../src/report/page/columns.js';
import { Model } from '../../../src/report/page/model.js';

export function column(name, numbers, width = 4) {
	const bytes = Buffer.alloc(numbers.length * width);
	numbers.forEach((number, i) => width === 8
		? bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(number)), 8 * i)
		: bytes.writeUIntLE(number, i * width, width));
	return { name, width, n: numbers.length, bytes: bytes.length,
		text: deflateRawSync(bytes).toString('base64') };
}

export function texts(name, list) {
	const bytes = Buffer.from(list.map((text) => text + '\0').join(''));
	return { name, width: 0, n: list.length, bytes: bytes.length,
		text: deflateRawSync(bytes).toString('base64') };
}

export async function columns(list) {
	const all = new Columns();
	for (const one of list)
		all.add(one, await inflateColumn(one, (at) => pieceOf(one, at)));
	return all;
}

/**
 * Threads 1 and 2 of process 10, and marks "app/turn". hash() runs in the
 * second mark, which is long, and parse() runs in the other marks.
 */
export async function model() {
	return new Model(await columns(list()));
}

/** Replace the samples of a model. */
export function setSamples(model, samples) {
	model.stacks.samples = { ...model.stacks.samples, ...samples };
	model.samples = model.makeRows('');
	model.byThread = model.sumThreads();
}

/** Compare a model with another capture; @selfs is the cost of each node. */
export function setOther(model, tree, selfs) {
	const nodes = Array.from(selfs.keys()).filter((i) => selfs[i] > 0);
	model.facts.other = 'before';
	model.facts.other_unit = 'processor time';
	model.other = { tree, selfs: Float64Array.from(selfs), rows: { n: nodes.length,
		threads: new Uint8Array(nodes.length), nodes: Uint32Array.from(nodes),
		ticks: Float64Array.from(nodes, (i) => selfs[i]), counts: null,
		worth: Float64Array.of(1) } };
}

/** The columns, in the form of a page's scripts. */
export function list() {
	const words = ['', 'main', 'parse', 'hash', 'libc.so.6', 'app', 'turn', 'one',
		'two', 'malloc', 'counters', 'heap'];
	return [
		texts('facts', ['title', 'x', 'unit', 'processor time', 'base', '1000',
			'begin', '0', 'end', '100', 'early', '']),
		texts('texts', words),
		column('process.pids', [10]), column('process.commands', [5]),
		column('process.binaries', [5]), column('process.begins', [0]),
		column('process.ends', [100]), column('process.ended', [1]),
		column('process.periods', [2]), column('process.clocks', [1]),
		column('thread.processes', [0, 0]), column('thread.tids', [1, 2]),
		column('thread.names', [7, 8]), column('thread.begins', [0, 0]),
		column('thread.ends', [100, 100]), column('thread.ticks', [2, 2]),
		// root, main, parse, hash, malloc, and "[system]" with the
		// number 5
		column('function.names', [0, 1, 2, 3, 10, 9]),
		column('function.binaries', [0, 5, 5, 5, 0, 4]),
		// hash was inlined, and its most expensive line is app:12
		column('function.categories', [4, 8, 8, 24, 4, 9]),
		column('function.files', [0, 0, 0, 6, 0, 0]),
		column('function.lines', [0, 0, 0, 12, 0, 0]),
		// main > parse > malloc, main > hash > hash
		column('tree.depths', [0, 1, 2, 3, 2, 3]),
		column('tree.functions', [0, 1, 2, 5, 3, 3]),
		column('sample.times', [10, 10, 10, 10, 10]),
		column('sample.threads', [0, 0, 0, 1, 0]),
		column('sample.nodes', [2, 4, 5, 3, 2]),
		column('sample.ticks', [1, 1, 3, 1, 1]),
		column('markname.groups', [5]), column('markname.names', [6]),
		column('mark.times', [5, 14, 29]), column('mark.durations', [10, 25, 8]),
		column('mark.threads', [0, 0, 0]), column('mark.names', [0, 0, 0]),
		column('mark.lanes', [1, 1, 1]), column('mark.depths', [0, 0, 0]),
		column('mark.messages', [0, 0, 0]),
		column('counter.categories', [10]), column('counter.names', [11]),
		column('counter.descriptions', [0]), column('counter.processes', [0]),
		column('counter.ids', [1]), column('counter.doubles', [0]),
		column('value.times', [1, 2, 3]), column('value.counters', [0, 0, 0]),
		column('value.threads', [0, 0, 0]),
		column('value.bits', [5n, -7n, 2n ** 62n], 8),
		column('heap.depths', [0, 1, 2]), column('heap.functions', [0, 1, 3]),
		column('allocation.times', [10, 10, 10]),
		column('allocation.threads', [0, 0, 1]),
		column('allocation.nodes', [1, 2, 2]),
		column('allocation.sizes', [100, 50, 7]),
		column('allocation.lives', [0, 6, 0]),
		column('allocation.temporary', [0, 1, 0]),
		// Two calls that blocked: main > parse, main > hash
		column('blocked.depths', [0, 1, 2, 2]),
		column('blocked.functions', [0, 1, 2, 3]),
		column('blocked.times', [12, 13]),
		column('blocked.threads', [0, 1]),
		column('blocked.nodes', [2, 3]),
		column('blocked.ticks', [20, 5000000000], 8),
		// hash() of app, and main()
		column('line.functions', [3, 3, 1]), column('line.files', [5, 5, 5]),
		column('line.numbers', [12, 3, 30]), column('line.selfs', [6, 2, 0]),
		column('line.totals', [6, 2, 14]),
		column('source.files', [5]), texts('source.texts',
			[Array.from({ length: 20 }, (_, i) => 'text ' + (i + 1)).join('\n')]),
		texts('texts.more', []),
	];
}
