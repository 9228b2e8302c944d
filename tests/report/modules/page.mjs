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
 * Two threads, 1 and 2 of process 10, and marks "app/turn" of which the
 * second is long: in it hash() runs, in the others parse().
 */
export async function model() {
	return new Model(await columns(list()));
}

/** Its columns, as scripts of a page have them. */
export function list() {
	const words = ['', 'main', 'parse', 'hash', 'libc.so.6', 'app', 'turn', 'one',
		'two', 'malloc', 'counters', 'heap'];
	return [
		texts('facts', ['title', 'x', 'unit', 'processor time', 'base', '1000',
			'begin', '0', 'end', '100']),
		texts('texts', words),
		column('process.pids', [10]), column('process.commands', [5]),
		column('process.binaries', [5]), column('process.begins', [0]),
		column('process.ends', [100]), column('process.ended', [1]),
		column('process.periods', [2]), column('process.clocks', [1]),
		column('thread.processes', [0, 0]), column('thread.tids', [1, 2]),
		column('thread.names', [7, 8]), column('thread.begins', [0, 0]),
		column('thread.ends', [100, 100]), column('thread.ticks', [2, 2]),
		// root, main, parse, hash, malloc, and "[system]" as the fifth
		column('function.names', [0, 1, 2, 3, 10, 9]),
		column('function.binaries', [0, 5, 5, 5, 0, 4]),
		// hash was inlined, and most of it is at app:12
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
		texts('texts.more', []),
	];
}
