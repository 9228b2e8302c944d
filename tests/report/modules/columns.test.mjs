// SPDX-License-Identifier: BSD-2-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { inflateColumn, pieceOf } from '../../../src/report/page/columns.js';
import { Texts } from '../../../src/report/page/texts.js';
import { column, columns, texts } from './page.mjs';

test('numbers of every width are read', async () => {
	for (const [width, most] of [[1, 255], [2, 65535], [4, 2 ** 32 - 1],
		[8, 2 ** 53 - 1]]) {
		const c = await columns([column('a', [0, 1, most], width)]);
		assert.deepEqual(Array.from(c.numbers('a')), [0, 1, most]);
		assert.equal(c.length('a'), 3);
	}
});

test('differences are added up', async () => {
	const c = await columns([column('a', [5, 0, 7])]);
	assert.deepEqual(Array.from(c.sums('a')), [5, 5, 12]);
});

test('times after a gap of 2^63 keep their distances', async () => {
	const differences = [0, 2n ** 63n + 5n, 1000, 1000, 0, 1000];
	for (const list of [differences, differences.slice(1)]) {
		const c = await columns([column('a', list, 8),
			column('sample.times', list, 8)]);
		const sums = c.sums('a'), moments = c.moments('sample.times');
		const n = list.length;
		assert.ok(Math.abs(sums[n - 1] - sums[n - 5] - 3000) <= 4096);
		for (let i = 0; i < n; i++)
			assert.equal(moments.at(i), sums[i]);
	}
	const many = await columns([column('a', [2n ** 63n,
		...Array(9999).fill(500)], 8)]);
	const all = many.sums('a');
	assert.ok(Math.abs(all[9999] - all[0] - 9999 * 500) <= 4096);
});

test('moments equal the sums of differences, in blocks and pauses', async () => {
	for (const pause of [0, 1, 2 ** 32 - 130, 2 ** 32, 2 ** 45]) {
		const differences = Array.from({ length: 300 }, (_, i) =>
			i === 0 ? 2 ** 46 : i === 200 ? pause : i % 3);
		const c = await columns([column('sample.times', differences, 8)]);
		const plain = (await columns([column('a', differences, 8)])).sums('a');
		const moments = c.moments('sample.times');
		assert.equal(c.length('sample.times'), 0);
		assert.equal(moments.length, 300);
		plain.forEach((time, i) => assert.equal(moments.at(i), time));
		for (const time of [0, 2 ** 46, ...plain, plain[299] + 1]) {
			const first = plain.findIndex((one) => one >= time);
			assert.equal(moments.find(time), first < 0 ? 300 : first);
		}
		assert.equal(moments.find(0, 7, 9), 7);
		assert.equal(moments.find(Infinity, 7, 9), 9);
	}
	assert.equal((await columns([])).moments('x').find(5), 0);
});

test('a missing column is empty', async () => {
	const c = await columns([]);
	assert.equal(c.numbers('a').length, 0);
	assert.equal(c.words('a').length, 0);
});

test('64-bit words keep all bits', async () => {
	const c = await columns([column('a', [2n ** 63n + 1n], 8), column('b', [7], 1)]);
	assert.equal(c.words('a')[0], 2n ** 63n + 1n);
	assert.equal(c.words('b')[0], 7n);
});

test('a truncated column is detected', async () => {
	const one = column('a', [1, 2, 3]);
	one.bytes += 4;
	await assert.rejects(inflateColumn(one, (at) => pieceOf(one, at)));
});

test('any texts are unchanged', () => {
	const all = ['', '</script>', '\u4e2d\u{1f600}', 'a'.repeat(300)];
	const many = new Texts();
	const add = (list) => many.add(new Uint8Array(Buffer.from(
		list.map((text) => text + '\0').join(''))), list.length);
	add(all);
	add(['more']);
	assert.deepEqual(Array.from({ length: many.n }, (_, i) => many.get(i)),
		[...all, 'more']);
	assert.equal(many.get(99), '');
});

test('an empty column of texts', async () => {
	const c = await columns([texts('a', [])]);
	assert.equal(c.length('a'), 0);
});
