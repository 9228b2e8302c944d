// SPDX-License-Identifier: BSD-2-Clause
// in_use.test.mjs - bytes in use over time.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { InUse } from '../../../src/report/page/in_use.js';
import { Model } from '../../../src/report/page/model.js';
import { column, columns, list, texts } from './page.mjs';

const pairs = ({ times, values }) => Array.from(times, (t, i) => [t, values[i]]);

test('few changes are exact, also from any time on', async () => {
	const use = new InUse(new Model(await columns(list())));
	assert.deepEqual(pairs(use.line(0, 100)),
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
	assert.equal(use.end(0), Infinity);
	assert.equal(use.end(1), 20 + 1 + 2 ** 32);
	assert.deepEqual([4, 5, 12, 13, 20, 21].map((t) => use.snap(t)),
		[4, 12, 12, 20, 20, 28]);
	assert.equal(use.snap(use.peak()), 20);
	assert.deepEqual(pairs(use.line(0, 100)), [[10, 100], [10, 150], [20, 150],
		[21, 100], [21, 107], [31, 107]]);
});
