// SPDX-License-Identifier: BSD-2-Clause
// story.mjs PAGE CULPRIT PICTURE - from the page's first view to the cause of
// slow frames.  The story compares the slowest 20 cycles of the frame clock
// with the others, by `compare inside`.  Three clicks or choices; the first
// line is the culprit.
import { Browser, expect } from './browser.mjs';

const [, , file, culprit, picture] = process.argv;
const browser = await Browser.start();
// The size of the picture in docs/pictures
const page = await browser.open(file, '', {
	viewport: { width: 980, height: 740 } });
await browser.picture(page, picture + '-1');
const choice = (label) => page.locator('label.choice', {
	has: page.locator('span', { hasText: new RegExp('^' + label + '$') }),
}).locator('select');
const draw = () => page.evaluate(() => new Promise((resolve) =>
	requestAnimationFrame(() => requestAnimationFrame(resolve))));
await page.click('.tabs button:text-is("Compare inside")');
await draw();
await choice('Mark').selectOption('gtk/frameclock cycle');
await draw();
// On a busy machine frames also wait for other programs: then another choice is
// needed.
let answer = '', first = '';
const isCulprit = () => new RegExp('^(' + culprit + ')$').test(first);
for (const amount of ['20', '10%', '5%']) {
	await choice('Slowest').selectOption(amount);
	await draw();
	answer = await page.locator('.answer').textContent();
	first = await page.locator('main tbody tr:not(.gap) th').first().textContent();
	if (isCulprit())
		break;
}
await browser.picture(page, picture + '-2');
console.log(answer);
expect('the first line is ' + culprit + ', not ' + first, isCulprit());
expect('the answer names it', answer.includes(first));
await browser.look(page, 'story');
await choice('Compare').selectOption('search');
await draw();
answer = await page.locator('.answer').textContent();
expect('an empty search has no difference: ' + answer,
	/^Search for a name [^.]*\.$/.test(answer));
await choice('Compare').selectOption('brush');
await draw();
answer = await page.locator('.answer').textContent();
expect('no selected time has no difference: ' + answer,
	/^Drag on the time axis [^.]*\.$/.test(answer));
const bar = await page.locator('main').textContent();
expect('no control is undefined: ' + bar, !bar.includes('undefined'));
await browser.end();
