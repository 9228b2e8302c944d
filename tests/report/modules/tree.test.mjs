// SPDX-License-Identifier: BSD-2-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { around, invert, makeTree, moveSelfs, sumFunctions,
	sumUp, transform } from '../../../src/report/page/tree.js';

// 1 > 2 > 1, 1 > 3
const tree = makeTree([0, 1, 2, 3, 2], [0, 1, 2, 1, 3]);
const selfs = Float64Array.from([0, 1, 2, 4, 8]);
const totals = sumUp(tree, selfs);
const kinds = { focus: null, hideSystem: false, collapse: null,
	collapseRecursion: false };

/** {"1>2>1": self time}. */
function folded(of, sums) {
	const found = {};
	for (let i = 1; i < of.n; i++) {
		if (sums[i] === 0)
			continue;
		const path = [];
		for (let k = i; k !== 0; k = of.parents[k])
			path.push(of.functions[k]);
		found[path.reverse().join('>')] = sums[i];
	}
	return found;
}

test('depths define callers and subtrees', () => {
	assert.deepEqual(Array.from(tree.parents), [0, 0, 1, 2, 1]);
	assert.deepEqual(Array.from(tree.ends), [5, 5, 4, 4, 5]);
});

test('sums go up', () => {
	assert.deepEqual(Array.from(totals), [15, 15, 6, 4, 8]);
});

test('a recursive function counts once', () => {
	const sums = sumFunctions(tree, selfs, totals, 4);
	assert.deepEqual(Array.from(sums.totals), [0, 15, 6, 8]);
	assert.deepEqual(Array.from(sums.selfs), [0, 5, 2, 8]);
});

function transformed(what, category = () => 0) {
	const made = transform(tree, totals, category, { ...kinds, ...what });
	return folded(made.tree, moveSelfs(selfs, made.nodes, made.tree.n));
}

test('without transforms nothing changes', () => {
	assert.deepEqual(transformed({}), { 1: 1, '1>2': 2, '1>2>1': 4, '1>3': 8 });
});

test('hidden amounts belong to the caller', () => {
	assert.deepEqual(transformed({ hideSystem: true }, (f) => f === 2 ? 1 : 0),
		{ 1: 3, '1>1': 4, '1>3': 8 });
	assert.deepEqual(transformed({ hideSystem: true }, () => 1), { 4: 15 });
});

test('collapsed recursion is one frame', () => {
	assert.deepEqual(transformed({ hideSystem: true, collapseRecursion: true },
		(f) => f === 2 ? 1 : 0), { 1: 7, '1>3': 8 });
});

test('a collapsed library is one frame', () => {
	assert.deepEqual(transformed({ collapse: (f) => f === 3 ? 3 : 9 }),
		{ 9: 7, '9>3': 8 });
});

test('stacks begin at the focused function', () => {
	const found = transformed({ focus: (f) => f === 2 });
	assert.equal(found['2'], 2);
	assert.equal(found['2>1'], 4);
});

test('reversed tree', () => {
	const { tree: made, totals: sums } = invert(tree, selfs, 0);
	assert.equal(sums[0], 15);
	assert.deepEqual(folded(made, sums), { 1: 5, '1>2': 4, '1>2>1': 4, 3: 8,
		'3>1': 8, 2: 2, '2>1': 2 });
});

test('reversed tree of wide nodes only', () => {
	const { tree: made } = invert(tree, selfs, 8);
	assert.ok(made.n < 7);
});

test('callees of a function, and its callers', () => {
	const callees = around(tree, selfs, totals, 2, false);
	assert.deepEqual(folded(callees.tree, callees.totals), { 2: 6, '2>1': 4 });
	const callers = around(tree, selfs, totals, 2, true);
	assert.deepEqual(folded(callers.tree, callers.totals), { 2: 6, '2>1': 6 });
	const outermost = around(tree, selfs, totals, 1, false);
	assert.equal(outermost.totals[1], 15);
});

test('an unloaded tree is a root', () => {
	assert.equal(makeTree([], []).n, 1);
});
