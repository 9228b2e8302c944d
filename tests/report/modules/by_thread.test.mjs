// SPDX-License-Identifier: BSD-2-Clause
// by_thread.test.mjs - a flame graph of each thread, from one walk over the
// samples.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { filterOf } from '../../../src/report/page/state.js';
import { treeByThread } from '../../../src/report/page/by_thread.js';
import { model as make } from './page.mjs';

/** {"thread>function>…": total}, without zeros. */
async function byThread(state = {}) {
	const model = await make();
	model.isWhole = true;
	const { tree, totals, roots } = treeByThread({ model,
		filter: () => filterOf(state), rows: () => model.samples });
	const found = {};
	for (let i = 1; i < tree.n; i++) {
		const path = [];
		for (let k = i; k !== 0; k = tree.parents[k])
			path.push(roots.has(k) ? model.threadName(roots.get(k))
				: model.nameOf(tree.functions[k]));
		if (totals[i] > 0)
			found[path.reverse().join('>')] = totals[i];
	}
	return { all: totals[0], found };
}

test('each thread has its part of the tree, the largest first', async () => {
	const { all, found } = await byThread();
	assert.equal(all, 14);
	assert.deepEqual(found, { 'one 1': 12, 'one 1>main': 12,
		'one 1>main>parse': 4, 'one 1>main>hash': 8, 'one 1>main>hash>hash': 6,
		'two 2': 2, 'two 2>main': 2, 'two 2>main>parse': 2,
		'two 2>main>parse>malloc': 2 });
	assert.deepEqual(Object.keys(found)[0], 'one 1');
});

test('filters and transforms apply to each view', async () => {
	assert.deepEqual((await byThread({ threads: [1], hideSystem: true })).found,
		{ 'two 2': 2, 'two 2>main': 2, 'two 2>main>parse': 2 });
	assert.deepEqual((await byThread({ focus: '^hash$', recursion: true })).found,
		{ 'one 1': 8, 'one 1>hash': 8 });
	assert.deepEqual((await byThread({ from: 25, to: 40 })).found,
		{ 'one 1': 6, 'one 1>main': 6, 'one 1>main>hash': 6,
			'one 1>main>hash>hash': 6 });
});

test('the slowest marks are those of all threads together', async () => {
	// The longest of three marks, of thread one; thread two has no mark
	assert.deepEqual(Object.keys((await byThread({ mark: 'app/turn',
		slowest: '1' })).found)[0], 'one 1');
	assert.equal((await byThread({ mark: 'app/turn', slowest: '1' })).all, 8);
});

test('samples of many threads are read together', async () => {
	const model = await make();
	const wanted = [0, 1].map((t) => Array.from(model.samples.ofThread(t)));
	assert.deepEqual(wanted, [[0, 1, 2, 4], [3]]);
	model.samples.sortByThread();
	assert.deepEqual([0, 1].map((t) => Array.from(model.samples.ofThread(t))), wanted);
});
