// SPDX-License-Identifier: BSD-2-Clause
// opening.mjs DIRECTORY - the first view of the pages of opening.sh.
import { Browser, expect } from './browser.mjs';

const browser = await Browser.start();

/** The page, its window of the axis in s, and the state of its header. */
async function first(name) {
	const page = await browser.open(process.argv[2] + '/' + name + '.html');
	const seen = await page.evaluate(() => {
		const { app, model } = window.syscap;
		return { window: app.timeline.window().map((t) => (t - model.begin) / 1e9),
			end: (model.end - model.begin) / 1e9 };
	});
	seen.header = await page.locator('header').textContent();
	return { page, ...seen };
}

/** Whether a line is on the foot of the time axis at @second. */
const hasLine = (page, second) => page.evaluate((at) => {
	const { app, model } = window.syscap;
	const { canvas, left, scale, height } = app.timeline;
	const ratio = canvas.width / (left + scale.width);
	const x = Math.floor((left + scale.x(model.begin + at * 1e9)) * ratio);
	const { data } = canvas.getContext('2d').getImageData(x - 20,
		Math.round((height - 2) * ratio), 21, 1);
	return data.slice(0, 4).join() !== data.slice(80).join();
}, second);

const near = ([from, to], a, b) => Math.abs(from - a) < 0.01 && Math.abs(to - b) < 0.01;

for (const name of ['crash', 'redacted']) {
	const { page, window, header } = await first(name);
	expect(name + ' opens at the last 2 s, not ' + window, near(window, 6.1, 8.1));
	expect('the header names the crash: ' + header, header.includes('process 10 ' +
		'crashed by SIGSEGV at address 0x10 after 8.000 s of the recording'));
	expect('the crash has a line on the time axis',
		await hasLine(page, 8));
	await page.click('header summary');
	const stack = await page.locator('header pre').textContent();
	expect('the stack: ' + stack, stack === 'faulty\ncaller\nmain\n');
	const total = await page.evaluate(() => window.syscap.answer().functions.map(
		([function_]) => function_));
	expect('no sum has the crash', !total.includes('faulty') && total.includes('main'));
	await browser.picture(page, 'opening-' + name);
	await browser.look(page, name);
	await page.keyboard.press('Z');
	await browser.settle(page);
	const whole = await page.evaluate(() => {
		const { app, model } = window.syscap;
		return app.timeline.window().join() === [model.start, model.end].join();
	});
	expect('one key shows the whole time', whole);
	await page.reload();
	await browser.settle(page);
	expect('the address keeps the whole time', await page.evaluate(() =>
		window.syscap.app.state.window === undefined));
}
{
	const { page } = await first('crash');
	await page.click('.chips button');
	await browser.settle(page);
	expect('one click shows the whole time', await page.evaluate(() =>
		window.syscap.app.state.window === undefined));
}
{
	const { page, window, header } = await first('stall');
	expect('a stall opens at the last 2 s, not ' + window, near(window, 6.1, 8.1));
	expect('the header names the stall: ' + header, header.includes('a loop of ' +
		'process 10 was stalled after 8.000 s of the recording, and the stall did not end'));
	const stack = await page.locator('header pre').textContent();
	expect('the stack: ' + stack, stack === 'busy\ndispatch\nmain\n');
}
{
	const { window, end, header } = await first('flight');
	expect('flight mode opens at the end, not ' + window, near(window, end - 1.9, end + 0.1));
	expect('and has no crash: ' + header, !header.includes('crashed'));
}
for (const name of ['plain', 'ended']) {
	const { window, end } = await first(name);
	expect(name + ' opens with the whole time, not ' + window, near(window, 0, end));
}
await browser.end();
