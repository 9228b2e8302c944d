// SPDX-License-Identifier: BSD-2-Clause
// in_use.test.mjs - bytes in use over time.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { InUse } from '../../../src/report/page/in_use.js';
import { Model } from '../../../src/report/page/model.js';
import { allocationsOf, Rows, usedUntil } from '../../../src/report/page/rows.js';
import { column, columns, list, texts } from './page.mjs';

const pairs = ({ times, values }) => Array.from(times, (t, i) => [t, values[i]]);

test('few changes are exact, also from any time on', async () => {
	const use = new InUse(new Model(await columns(list())));
	assert.deepEqual(pairs(use.line(0, 100)),
		[[10, 100], [20, 150], [25, 100], [30, 107], [100, 7], [100, 0]]);
	assert.deepEqual(pairs(use.line(0, 99)),
		[[10, 100], [20, 150], [25, 100], [30, 107]]);
	assert.deepEqual(pairs(use.line(15, 26)), [[15, 100], [20, 150], [25, 100]]);
	assert.deepEqual(pairs(use.line(22, 26)), [[22, 150], [25, 100]]);
	assert.equal(use.peak(), 20);
	assert.equal(use.snap(21.4), 21);
});

test('combined allocations are known at the end of each cell', async () => {
	const combined = list().filter(({ name }) => !name.startsWith('allocation.'));
	const model = new Model(await columns([...combined,
		texts('facts.more', ['heap_cell', '8', 'heap_shift', '3', 'peak_time', '20',
			'in_use_begin', '10', 'in_use_cell', '11']),
		column('allocation.times', [12, 8]), column('allocation.threads', [0, 1]),
		column('allocation.nodes', [1, 2]), column('allocation.sizes', [100, 57]),
		column('allocation.lives', [0, 2]), column('allocation.lives.high', [0, 1]),
		column('allocation.temporary', [0, 0]), column('allocation.counts', [3, 2]),
		column('inuse.least', [100, 100]), column('inuse.most', [150, 107]),
		column('inuse.last', [150, 107])]));
	const use = new InUse(model);
	assert.equal(use.isCombined, true);
	assert.equal(usedUntil(model, 0), 100);
	assert.equal(usedUntil(model, 1), 20 + 1 + 2 ** 32);
	assert.deepEqual([4, 5, 12, 13, 20, 21].map((t) => use.snap(t)),
		[4, 12, 12, 20, 20, 28]);
	assert.equal(use.snap(use.peak()), 20);
	assert.deepEqual(pairs(use.line(0, 100)), [[10, 100], [10, 150], [20, 150],
		[21, 100], [21, 107], [31, 107]]);
});

test('rows of allocations keep their bytes, or 0', async () => {
	const model = new Model(await columns(list()));
	const bytes = (of, moment) => Array.from(allocationsOf(
		model, of, moment).ticks);
	assert.deepEqual(bytes('allocated'), [100, 50, 7]);
	assert.deepEqual(bytes('leaked'), [100, 0, 7]);
	assert.deepEqual(bytes('temporary'), [0, 50, 0]);
	assert.deepEqual(bytes('live', 20), [100, 50, 0]);
	const rows = model.rowsOf('live', 20);
	assert.ok(rows instanceof Rows && rows.unit === 'bytes');
	assert.deepEqual([rows.all, ...rows.ofThread(0)], [3, 0, 1]);
	assert.equal(model.rowsOf('live', 20), rows);
	assert.deepEqual(Array.from(model.rowsOf('live', 30).ticks), [100, 0, 7]);
	// The end of the process takes its leaked memory
	assert.deepEqual(Array.from(model.rowsOf('live', 99).ticks), [100, 0, 7]);
	assert.equal(model.rowsOf('live', 100).n, 0);
});

test('few allocations are copied, with their times and counts', async () => {
	const combined = list().filter(({ name }) => !name.startsWith('allocation.'));
	const rows = 400, numbers = (of) => Array.from({ length: rows }, (_, i) => of(i));
	const model = new Model(await columns([...combined,
		column('allocation.runs', [1, 299, 99, 1]),
		column('allocation.times', [12, 1000, 1000, 7]),
		column('allocation.threads', numbers((i) => i % 2)),
		column('allocation.nodes', numbers((i) => 1 + i % 2)),
		column('allocation.sizes', numbers((i) => 10 + i)),
		column('allocation.lives', numbers((i) => i % 100 === 7 ? 0 : 2)),
		column('allocation.counts', numbers((i) => 1 + i % 3))]));
	model.exits = [Infinity, Infinity];
	const { allocations } = model;
	assert.deepEqual([0, 1, 299, 300, 398, 399].map((i) => allocations.times.at(i)),
		[12, 1012, 1012, 2012, 2012, 2019]);
	assert.deepEqual([0, 12, 13, 1012, 2012, 2019, 2020].map((time) =>
		allocations.times.find(time)), [0, 0, 1, 1, 300, 399, 400]);
	const leaked = allocationsOf(model, 'leaked', 0);
	const all = (column) => Array.from(column);
	assert.deepEqual(all(leaked.ticks), [17, 117, 217, 317]);
	assert.deepEqual(all(leaked.nodes), [2, 2, 2, 2]);
	assert.deepEqual(all(leaked.counts), [2, 3, 1, 2]);
	assert.deepEqual([0, 1, 2, 3].map((i) => leaked.times.at(i)),
		[1012, 1012, 1012, 2012]);
	assert.deepEqual(all(allocationsOf(model, 'live', 1500).ticks),
		[17, 117, 217]);
	assert.equal(allocationsOf(model, 'temporary', 0).n, 0);
	assert.equal(allocationsOf(model, 'allocated', 0).n, rows);
});
