// SPDX-License-Identifier: BSD-2-Clause
// adverse.mjs LIST - walk through every view of each page of the list, with a
// search, transforms, a brush and a thread.  No error, request or script
// appears, and no element is wider than the window.
import { readFileSync } from 'node:fs';

import { Browser, expect } from './browser.mjs';

const files = readFileSync(process.argv[2], 'utf8').split('\n').filter(Boolean);
const browser = await Browser.start();

/** The steps run in the page, so that they do not wait for the debugger. */
const walk = (page) => page.evaluate(async () => {
	const { app, model } = window.syscap;
	const drawn = () => new Promise((resolve) =>
		requestAnimationFrame(() => requestAnimationFrame(resolve)));
	const span = model.end - model.begin;
	const kinds = { marks: ['', 'threads', 'table', 'statistics', 'frames'],
		flame: ['', 'leaves', 'threads'] };
	const wide = [];
	for (const more of [{}, { search: '/a|</' }, { hideSystem: true,
		recursion: true, from: span * 0.2, to: span * 0.7 }, { from: undefined,
		to: undefined, hideSystem: undefined, threads: [0] }])
		for (const { key } of app.choices())
			for (const show of kinds[key] || ['']) {
				app.set({ ...more, view: key, show: show || undefined }, true);
				await drawn();
				if (document.body.scrollWidth > innerWidth)
					wide.push(key + ' ' + show);
			}
	app.timeline.element.dispatchEvent(new KeyboardEvent('keydown',
		{ key: 'ArrowRight' }));
	await drawn();
	window.syscap.answer();
	return wide;
});

for (const file of files) {
	const before = browser.complaints.length;
	const page = await browser.open(file);
	const wide = await walk(page);
	expect(file + ' fits in width: ' + wide, wide.length === 0);
	for (const complaint of browser.complaints.slice(before))
		console.log(file + ': ' + complaint);
	await page.context().close();
}
console.log(files.length + ' pages');
await browser.end();
