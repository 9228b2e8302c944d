// SPDX-License-Identifier: BSD-2-Clause
// collectors.mjs HEIGHT PICTURE PAGE STATE TEXT... - a page in STATE, an
// address without its #, shows all TEXTs.  A TEXT "N%" is the least share that
// the search must find.
import { Browser, expect } from './browser.mjs';

const [, , height, picture, file, state, ...texts] = process.argv;
const browser = await Browser.start();
// High enough for deep stacks
const page = await browser.open(file, '#' + state, {
	viewport: { width: 980, height: Number(height) } });
const shown = await page.evaluate(() => document.body.innerText);
for (const text of texts) {
	if (/^\d+%$/.test(text)) {
		const share = shown.match(/ found, .*?([\d.]+)\s*%/);
		expect(picture + ': found ' + text + ' in ' + (share && share[0]),
			share && Number(share[1]) >= parseFloat(text));
	} else {
		expect(picture + ': ' + text + ' is in\n' + shown, shown.includes(text));
	}
}
await browser.picture(page, picture);
await browser.look(page, picture);
await browser.end();
