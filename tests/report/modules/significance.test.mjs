// SPDX-License-Identifier: BSD-2-Clause
// significance.test.mjs - intervals of differences inside of a capture.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compare, compareFunctions } from '../../../src/report/page/compare.js';
import { missedOf, quantileOf, tailsOf, testOf } from
	'../../../src/report/page/significance.js';
import { Moments } from '../../../src/report/page/moments.js';
import { model as make, setSamples } from './page.mjs';

test('quantiles of Student\'s distribution match published tables', () => {
	for (const [p, degrees, t] of [[0.05, 1, 12.7062047362], [0.05, 2, 4.30265272991],
		[0.05, 8, 2.30600413520], [0.01, 4, 4.60409487135], [0.001, 10, 4.58689385870],
		[0.05, 1e6, 1.95996636]]) {
		assert.ok(Math.abs(quantileOf(p, degrees) / t - 1) < 1e-7, p + ' ' + degrees);
		assert.ok(Math.abs(tailsOf(t, degrees) / p - 1) < 1e-6, p + ' ' + degrees);
	}
	assert.deepEqual([tailsOf(0, 5), tailsOf(Infinity, 5)], [1, 0]);
});

test('error probabilities are shared out, after Benjamini and Hochberg', () => {
	assert.equal(missedOf([]), 0.05);
	assert.equal(missedOf([0.2, 0.5]), 0.025);
	assert.equal(missedOf([0.9, 0.001, 0.02, 0.8]), 0.05 * 2 / 4);
});

/** Units with the values of one function. */
const units = (values, step = 0) => ({ n: values.length, step, counts: [0],
	sums: [values.reduce((a, b) => a + b, 0)],
	squares: [values.reduce((a, b) => a + b * b, 0)] });

test('Welch\'s test, also of a single unit', () => {
	// t.test(c(1, 2, 3, 4), c(3, 5, 7)) of R: t = -2.3905, df = 3.0909
	const welch = testOf(-2.5, units([1, 2, 3, 4]), units([3, 5, 7]), 0);
	assert.ok(Math.abs(-2.5 / welch.error + 1.8898223650) < 1e-9, String(welch.error));
	assert.ok(Math.abs(welch.degrees - 3.2) < 0.1, String(welch.degrees));
	const single = testOf(6, units([8]), units([1, 2, 3]), 0);
	assert.deepEqual([single.degrees, single.error], [2, Math.sqrt(1 + 1 / 3)]);
	assert.equal(testOf(1, units([2]), units([1]), 0), null);
	// Values of one tick each vary by at least their step
	assert.ok(testOf(1, units([1, 1], 6), units([0, 0], 6), 0).error > 1.7);
	assert.equal(testOf(0, units([1, 1]), units([1, 1]), 0), null);
});

/** Samples of main, parse and malloc; @share has the share of parse before and
 * after the middle. */
async function halves(before, after, n, seed) {
	const model = await make();
	let state = seed;
	const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
	setSamples(model, { n, times: new Moments(Uint32Array.from({ length: n },
		() => 1)), threads: new Uint8Array(n), ticks: new Uint8Array(n).fill(1),
	nodes: Uint8Array.from({ length: n }, (_, i) =>
		random() < (i < n / 2 ? before : after) ? 2 : 1 + 2 * Math.floor(random() * 2)) });
	const comparison = compare(model, { from: 0, to: n / 2 + 1 },
		{ view: 'compare', compare: 'brush' }, '');
	return { model, rows: compareFunctions(model, comparison) };
}

test('halves of one program seldom differ, and a real difference is found', async () => {
	let wrong = 0, found = 0, inside = 0;
	for (let i = 1; i <= 100; i++) {
		const same = await halves(0.3, 0.3, 2000, i);
		wrong += Number(same.rows.some((row) => row.differs));
		const { model, rows } = await halves(0.3, 0.2, 2000, i);
		const parse = rows.find((row) => model.nameOf(row.f) === 'parse');
		found += Number(parse.differs);
		const difference = parse.self - parse.otherSelf;
		inside += Number(Math.abs(difference - 0.1) <= parse.error);
		assert.ok(parse.n[0] > 240 && parse.n[1] > 140, String(parse.n));
	}
	assert.ok(wrong <= 12, wrong + ' of 100 wrong');
	assert.ok(found >= 95, found + ' of 100 found');
	assert.ok(inside >= 88, inside + ' of 100 have the true difference');
});

test('few samples are seldom a difference', async () => {
	let wrong = 0;
	for (let i = 1; i <= 100; i++)
		wrong += Number((await halves(0.3, 0.3, 24, i)).rows.some((row) => row.differs));
	assert.ok(wrong <= 12, wrong + ' of 100 wrong');
	const { rows } = await halves(0.9, 0.1, 4, 5);
	assert.ok(rows.every((row) => !row.differs));
});

test('marks are units, if marks are compared', async () => {
	const model = await make();
	const comparison = compare(model, {}, { view: 'compare', amount: '1' }, 'app/turn');
	compareFunctions(model, comparison);
	const [slow, others] = comparison.units;
	// hash has 2 + 6 in the slow mark, and parse has 2 in each other mark
	assert.deepEqual([slow.n, others.n], [1, 2]);
	assert.deepEqual([slow.sums[3], slow.counts[3], others.sums[2], others.squares[2]],
		[8, 2, 4, 8]);
});
