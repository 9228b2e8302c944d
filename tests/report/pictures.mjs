// SPDX-License-Identifier: BSD-2-Clause
// pictures.mjs WORK WALL - the pictures of docs/report.md and the README.
import { Browser } from './browser.mjs';

const [, , work, wall] = process.argv;
const browser = await Browser.start();
const FRAME = 'gtk/frameclock cycle';

async function take(file, name, state) {
	const page = await browser.open(file, '', {
		viewport: { width: 980, height: 740 } });
	await page.evaluate((patch) => window.syscap.app.set(patch), state);
	await page.evaluate(() => new Promise((resolve) =>
		requestAnimationFrame(() => requestAnimationFrame(resolve))));
	await browser.picture(page, name);
}

await take(work, 'report-flame', {});
await take(work, 'report-compare', { view: 'compare', amount: '2%' });
await take(work, 'report-frames', { view: 'marks', show: 'frames', name: FRAME });
await take(wall, 'report-wait', { view: 'compare', amount: '2%' });
await browser.end();
