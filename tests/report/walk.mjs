// SPDX-License-Identifier: BSD-2-Clause
// walk.mjs PAGE SAVED - a walk through all views as people do it: click, drag,
// search, zoom, sort, filter, undo, by keys alone, narrow, dark, saved, printed.
import { writeFileSync } from 'node:fs';

import { Browser, expect } from './browser.mjs';

const [, , file, saved, whole] = process.argv;
const browser = await Browser.start();
const state = (page) => page.evaluate(() => window.syscap.app.state);
const draw = (page) => page.evaluate(() => new Promise((resolve) =>
	requestAnimationFrame(() => requestAnimationFrame(resolve))));
const click = async (page, selector) => {
	await page.click(selector);
	await draw(page);
};

async function walk(page, what) {
	const views = await page.$$eval('.tabs button', (buttons) =>
		buttons.map((button) => button.textContent));
	expect('all views are there: ' + views, views.length === 11);
	for (const view of views) {
		await click(page, '.tabs button:text-is("' + view + '")');
		await browser.look(page, what + ', ' + view);
		await browser.picture(page, what + '-' + view.replace(/ /g, '-'));
		const size = await page.evaluate(() => [document.body.scrollWidth,
			window.innerWidth]);
		expect(what + ', ' + view + ' fits in width: ' + size, size[0] <= size[1]);
	}
	await click(page, '.tabs button:text-is("Marks")');
	for (const kind of ['Waterfall by thread', 'Table', 'Statistics',
		'Frame times']) {
		await click(page, 'button:text-is("' + kind + '")');
		await browser.look(page, what + ', ' + kind);
		await browser.picture(page, what + '-' + kind.replace(/ /g, '-'));
	}
}

async function byPointer(page) {
	// A drag on the axis is a brush, which Back takes away
	const axis = await page.locator('.timeline').boundingBox();
	const all = await page.evaluate(() => window.syscap.answer().total);
	await page.mouse.move(axis.x + 300, axis.y + 40);
	await page.mouse.down();
	await page.mouse.move(axis.x + 500, axis.y + 40, { steps: 4 });
	await page.mouse.up();
	await draw(page);
	const brushed = await page.evaluate(() => window.syscap.answer().total);
	expect('a brush leaves less', brushed > 0 && brushed < all);
	expect('a chip says so', await page.locator('.chip').count() === 1);
	await page.goBack();
	await draw(page);
	expect('Back undoes it', await page.evaluate(() =>
		window.syscap.answer().total) === all);
	await page.goForward();
	await draw(page);
	await click(page, '.chip button');
	expect('so does the chip', (await state(page)).from === undefined);

	// Twice on a box zooms in; the path leads out
	const boxes = await page.locator('.boxes').boundingBox();
	await page.mouse.dblclick(boxes.x + 30, boxes.y + 30);
	await draw(page);
	expect('it is zoomed in', Boolean((await state(page)).zoom));
	await click(page, '.path button');
	expect('it is zoomed out', !(await state(page)).zoom);

	await page.fill('.search input', 'par');
	await draw(page);
	expect('a search says how much it found', /found, [\d.]+/.test(
		await page.locator('.search output').textContent()));
	await page.fill('.search input', '/^(parse|hash)$/');
	await draw(page);
	const found = await page.locator('.search output').textContent();
	expect('a regular expression does, too: ' + found, /[1-9]/.test(found));
	await page.fill('.search input', '/(/');
	await draw(page);
	await page.fill('.search input', '');
	await draw(page);

	await click(page, '.tabs button:text-is("Functions")');
	const first = () => page.locator('tbody tr:not(.gap) th').first().textContent();
	await click(page, 'thead button:has-text("Total")');
	expect('the heaviest is first', await page.evaluate(() => {
		const { functions } = window.syscap.answer();
		return functions.reduce((best, row) => row[3] > best[3] ? row : best)[3];
	}) === await page.evaluate(() =>
		window.syscap.app.view.table.rows[0].total));
	await click(page, 'thead button:has-text("Function")');
	const one = await first();
	await page.click('tbody tr:not(.gap) >> nth=0');
	await draw(page);
	expect('callers and callees of it are shown',
		await page.locator('.sandwich h2').textContent() === one);
	await click(page, 'button:text-is("Without it")');
	expect('it is left out', !(await page.evaluate(() =>
		window.syscap.answer().functions.map((f) => f[0]))).includes(one));
	await page.goBack();
	await page.goBack();
	await draw(page);
}

async function byKeys(page) {
	await page.keyboard.press('?');
	expect('keys are listed', await page.locator('dialog').isVisible());
	await browser.look(page, 'keys');
	await page.keyboard.press('Escape');
	await page.keyboard.press('1');
	await draw(page);
	await page.focus('.boxes');
	for (const key of ['ArrowDown', 'ArrowDown', 'Enter'])
		await page.keyboard.press(key);
	await draw(page);
	expect('Enter zooms in', Boolean((await state(page)).zoom));
	const told = await page.locator('.boxes-frame .live').first().textContent();
	expect('what is walked on is told: ' + told, told.includes('of all'));
	await page.keyboard.press('Escape');
	await draw(page);
	await page.focus('.timeline');
	await page.keyboard.press('ArrowRight');
	await draw(page);
	expect('arrows brush', (await state(page)).to > 0);
	await page.keyboard.press('Escape');
	await draw(page);
	await page.keyboard.press('h');
	await draw(page);
	expect('h hides system libraries', (await state(page)).hideSystem);
	await page.keyboard.press('u');
	await page.waitForFunction(() => !window.syscap.app.state.hideSystem);
	await page.keyboard.press('/');
	await page.keyboard.type('work');
	await page.keyboard.press('Enter');
	await page.keyboard.press('Escape');
	await draw(page);
}

const page = await browser.open(file);
await walk(page, 'light');
await click(page, '.tabs button:text-is("Flame graph")');
await byPointer(page);
await byKeys(page);

// An address leads to where it was
const hash = await page.evaluate(() => {
	const { app } = window.syscap;
	app.set({ view: 'functions', from: 1000000, to: 900000000, hideSystem: true });
	return location.hash;
});
const asked = await page.evaluate(() => JSON.stringify(window.syscap.answer()));
const other = await browser.open(file, hash);
expect('an address leads there', await other.evaluate(() =>
	JSON.stringify(window.syscap.answer())) === asked);

// As a browser saves it: what it is by then
writeFileSync(saved, '<!DOCTYPE html>\n' + await page.evaluate(() =>
	document.documentElement.outerHTML));
const again = await browser.open(saved, hash);
expect('a saved page says the same', await again.evaluate(() =>
	JSON.stringify(window.syscap.answer())) === asked);

const pdf = await page.pdf();
expect('it can be printed', pdf.length > 10000);
await walk(await browser.open(file, '', { hasTouch: true, colorScheme: 'dark',
	viewport: { width: 390, height: 844 } }), 'narrow');
if (whole) {
	await walk(await browser.open(file, '', { colorScheme: 'dark' }), 'dark');
	await walk(await browser.open(file, '', { hasTouch: true,
		viewport: { width: 390, height: 844 } }), 'narrow-light');
	await walk(await browser.open(file, '', { forcedColors: 'active' }), 'forced');
}
await browser.end();
