// SPDX-License-Identifier: BSD-2-Clause
// equal.mjs PAGE CASES - the page's state equals the results of cases.py's
// reader.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

import { Browser, expect } from './browser.mjs';

const [, , file, cases] = process.argv;
const browser = await Browser.start();
const page = await browser.open(file);
const compare = (a, b) => {
	const x = JSON.stringify(a), y = JSON.stringify(b);
	return x < y ? -1 : x > y ? 1 : 0;
};
let n = 0, numbers = 0;
for (const one of JSON.parse(readFileSync(cases, 'utf8'))) {
	const found = await page.evaluate((state) => {
		const { app, answer } = window.syscap;
		app.state = { view: 'flame', ...state };
		app.push();
		return answer();
	}, one.state);
	const ours = {
		samples: found.samples, total: found.total,
		functions: found.functions, folded: found.folded,
		threads: found.threads, slowest: found.slowest.map((m) => m.slice(0, 2)),
	};
	for (const key of Object.keys(ours)) {
		if (one[key] === null)
			continue;
		const sorted = (list) => Array.isArray(list) && key !== 'slowest'
			? list.slice().sort(compare) : list;
		const a = sorted(ours[key]), b = sorted(one[key]);
		if (isDeepStrictEqual(a, b))
			continue;
		console.log('page has', JSON.stringify(Array.isArray(a) ? a.filter(
			(x) => !b.some((y) => isDeepStrictEqual(x, y))).slice(0, 3) : a));
		console.log('reader has', JSON.stringify(Array.isArray(b) ? b.filter(
			(x) => !a.some((y) => isDeepStrictEqual(x, y))).slice(0, 3) : b));
		expect(key + ' agree with ' + JSON.stringify(one.want), false);
	}
	n++;
	numbers += 2 + 2 * one.functions.length + one.folded.length +
		(one.threads?.length || 0) + 2 * (one.slowest?.length || 0);
}
console.log(n + ' answers of ' + numbers + ' numbers agree');
await browser.end();
