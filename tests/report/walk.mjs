// SPDX-License-Identifier: BSD-2-Clause
// walk.mjs PAGE SAVED PAIR BOUNDED - a walk of a user through all views.  The
// walk has clicks, drags, searches, zoom, sorting, filters and undo.  The walk
// is repeated by keys alone, and on a narrow, dark, saved and printed page.
import { writeFileSync } from 'node:fs';

import { Browser, expect } from './browser.mjs';

const [, , file, saved, pair, bounded, whole] = process.argv;
const browser = await Browser.start();
const state = (page) => page.evaluate(() => window.syscap.app.state);
const draw = (page) => page.evaluate(() => new Promise((resolve) =>
	requestAnimationFrame(() => requestAnimationFrame(resolve))));
const click = async (page, selector) => {
	await page.click(selector);
	await draw(page);
};

/** All views; if @isComplete, with all amounts and kinds of the views. */
async function walk(page, what, isComplete) {
	const views = await page.$$eval('.tabs button', (buttons) =>
		buttons.map((button) => button.textContent));
	expect('all views are there: ' + views, views.length === 10);
	for (const view of views) {
		await click(page, '.tabs button:text-is("' + view + '")');
		await browser.look(page, what + ', ' + view);
		await browser.picture(page, what + '-' + view.replace(/ /g, '-'));
		const size = await page.evaluate(() => [document.body.scrollWidth,
			window.innerWidth]);
		expect(what + ', ' + view + ' fits in width: ' + size, size[0] <= size[1]);
		const place = await page.locator('.tabs [aria-current]').boundingBox();
		expect(what + ', ' + view + ' has its tab on the screen', place &&
			place.x >= 0 && place.x + place.width <= size[1]);
	}
	await click(page, '.filters summary');
	const panel = await page.locator('.panel').boundingBox();
	expect(what + ', the panel of filters fits in width', panel && panel.x >= 0 &&
		panel.x + panel.width <= page.viewportSize().width);
	await browser.look(page, what + ', filters');
	await click(page, '.filters summary');
	if (!isComplete)
		return;
	for (const view of ['Functions', 'Call tree', 'Compare inside', 'Flame graph']) {
		await click(page, '.tabs button:text-is("' + view + '")');
		for (const amount of await page.$$eval('.selector button', (buttons) =>
			buttons.map((button) => button.textContent))) {
			await click(page, '.selector button:text-is("' + amount + '")');
			await browser.look(page, what + ', ' + view + ' of ' + amount);
			await browser.picture(page, what + '-' + amount.replace(/ /g, '-'));
		}
		await page.evaluate(() => window.syscap.app.set({ of: undefined }));
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
	// A drag on the axis selects a range, which Back removes
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

	// A double click on a box zooms in; the path zooms out
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
		await page.locator('.sandwich .details h2').textContent() === one);
	await click(page, 'button:text-is("Without it")');
	expect('it is left out', !(await page.evaluate(() =>
		window.syscap.answer().functions.map((f) => f[0]))).includes(one));
	await page.goBack();
	await page.goBack();
	await draw(page);
}

async function byKeys(page) {
	await page.keyboard.press('?');
	expect('keys are listed', await page.locator('dialog[aria-label=Keys]').isVisible());
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

/** Details of a box, and its thread. */
async function lookBehind(page) {
	const boxes = await page.locator('.boxes').boundingBox();
	await page.mouse.click(boxes.x + 30, boxes.y + 30);
	await draw(page);
	for (const order of ['', 'leaves', 'threads']) {
		await page.evaluate((show) => window.syscap.app.set({ show, zoom: undefined }),
			order);
		await draw(page);
		const total = await page.evaluate(() => {
			const { app } = window.syscap;
			const { view } = app;
			view.openStacks(1);
			let sum = 0;
			const { samples, ticks } = app.model;
			for (const i of view.stacks.found)
				sum += samples.ticks[i] * ticks[samples.threads[i]];
			return [sum, view.shown.totals[1], view.stacks.found.length];
		});
		expect('stacks behind the first box, order "' + order + '", are its sum: ' +
			total, total[0] === total[1] && total[2] > 0);
	}
	await page.evaluate(() => window.syscap.app.set({ show: undefined }));
	await draw(page);
	await page.mouse.click(boxes.x + 30, boxes.y + 30);
	await draw(page);
	await click(page, 'button:text-is("Single stacks")');
	await page.click('button[aria-label="The next stack"]');
	expect('the second is shown', /^2 of [\d,]+, at /.test(
		await page.locator('.stacks .bar span').textContent()));
	expect('with its frames', await page.locator('.stack li').count() > 0);
	await browser.look(page, 'stacks one by one');
	await browser.picture(page, 'light-Stacks');
	await page.evaluate(() => window.syscap.app.set({ colour: 'thread' }));
	await draw(page);
	await browser.picture(page, 'light-Colour-by-thread');
	expect('threads have colours', await page.locator('.legend .key').count() > 1);
	await page.evaluate(() => window.syscap.app.set({ colour: undefined }));
}

/** A drag over durations selects a filter, which can be compared. */
async function brushDurations(page) {
	await click(page, '.tabs button:text-is("Marks")');
	await click(page, 'button:text-is("Statistics")');
	await click(page, 'tbody tr:has(th:text-is("lane/a")) th');
	const box = await page.locator('.durations').boundingBox();
	await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.98, box.y + 60, { steps: 4 });
	await page.mouse.up();
	await draw(page);
	const { longer, shorter, mark } = await state(page);
	const n = await page.evaluate(({ longer, shorter }) => {
		const { marks } = window.syscap.model;
		let n = 0;
		for (let i = 0; i < marks.n; i++)
			if (window.syscap.model.markName(marks.names[i]) === 'lane/a' &&
				marks.durations[i] >= longer && marks.durations[i] < shorter)
				n++;
		return n;
	}, { longer, shorter });
	const said = await page.locator('.place p.bar').textContent();
	expect('durations of ' + mark + ' are chosen: ' + said,
		mark === 'lane/a' && n > 0 && said.startsWith(n + ' marks'));
	await browser.look(page, 'brushed durations');
	await browser.picture(page, 'light-Durations');
	await click(page, 'button:text-is("Compare with the others")');
	expect('they are compared', (await page.locator('.answer').textContent())
		.startsWith('The chosen ' + n + ' took'));
	for (let i = 0; i < 3; i++)
		await page.goBack();
	await page.evaluate(() => window.syscap.app.set({ view: 'flame', mark: undefined,
		longer: undefined, shorter: undefined, name: undefined }));
	await draw(page);
}

/** A page of two captures opens at the differences. */
async function lookAtPair() {
	const page = await browser.open(pair);
	expect('a pair opens at what differs', await page.evaluate(() =>
		window.syscap.app.view.comparison.other.text) === 'rich.syscap');
	const sums = await page.evaluate(() => {
		const { one, other } = window.syscap.app.view.comparison;
		const { selfs } = window.syscap.model.other;
		return [one.total, window.syscap.answer().total, other.total,
			selfs.reduce((a, b) => a + b, 0)];
	});
	expect('sums stay: ' + sums, sums[0] === sums[1] && sums[2] === sums[3] &&
		sums[0] > 0 && sums[2] > 0);
	await browser.look(page, 'pair');
	await browser.picture(page, 'pair');
	await page.locator('.bar label.toggle input').check();
	await draw(page);
	await browser.picture(page, 'pair-there');
	await page.fill('.search input', 'main');
	await draw(page);
}

/** The page reports marks that are combined. */
async function lookAtBounded() {
	const page = await browser.open(bounded, '#view=marks');
	await browser.look(page, 'bounded');
	await browser.picture(page, 'bounded');
	expect('the page reports combined marks',
		/short ones, are counted and combined/.test(
			await page.locator('.details').textContent()));
	for (const kind of ['Waterfall by thread', 'Table', 'Statistics']) {
		await click(page, 'button:text-is("' + kind + '")');
		await browser.picture(page, 'bounded-' + kind.replace(/ /g, '-'));
	}
	const found = await page.evaluate(() => {
		const { rows } = window.syscap.app.view.statistics;
		return rows.reduce((sum, row) => sum + row.n, 0);
	});
	expect('they count: ' + found, found >= 120000);
}

const page = await browser.open(file);
await walk(page, 'light', true);
await click(page, '.tabs button:text-is("Flame graph")');
await byPointer(page);
await byKeys(page);
await click(page, '.tabs button:text-is("Flame graph")');
await lookBehind(page);
await brushDurations(page);
await lookAtPair();
await lookAtBounded();

// An address restores its state
const hash = await page.evaluate(() => {
	const { app } = window.syscap;
	app.set({ view: 'functions', from: 1000000, to: 900000000, hideSystem: true });
	return location.hash;
});
const asked = await page.evaluate(() => JSON.stringify(window.syscap.answer()));
const other = await browser.open(file, hash);
expect('an address leads there', await other.evaluate(() =>
	JSON.stringify(window.syscap.answer())) === asked);
await other.evaluate(() => { location.hash = '#view=marks'; });
await draw(other);
expect('one that is typed, too', (await state(other)).view === 'marks');

// The page as a browser saves it, in its present state
writeFileSync(saved, '<!DOCTYPE html>\n' + await page.evaluate(() =>
	document.documentElement.outerHTML));
const again = await browser.open(saved, hash);
expect('a saved page says the same', await again.evaluate(() =>
	JSON.stringify(window.syscap.answer())) === asked);

const pdf = await page.pdf();
expect('it can be printed', pdf.length > 10000);
await walk(await browser.open(file, '', { hasTouch: true, colorScheme: 'dark',
	viewport: { width: 390, height: 844 } }), 'narrow', Boolean(whole));
if (whole) {
	await walk(await browser.open(file, '', { colorScheme: 'dark' }), 'dark', true);
	await walk(await browser.open(file, '', { hasTouch: true,
		viewport: { width: 390, height: 844 } }), 'narrow-light', true);
	await walk(await browser.open(file, '', { forcedColors: 'active' }), 'forced', true);
}
// A page that is saved with notes opens with them, in the same view.
{
	const page = await browser.open(bounded, '#view=functions');
	await click(page, '.table tbody tr');
	await click(page, 'button:text-is("Note")');
	await browser.look(page, 'note');
	await page.fill('.note-dialog input', 'look <b>here</b>');
	await click(page, '.note-dialog button:text-is("Add")');
	const [saved] = await Promise.all([page.waitForEvent('download'),
		page.click('button:text-is("Save with notes")')]);
	const file = bounded.replace(/\.html$/, '-notes.html');
	await saved.saveAs(file);
	const again = await browser.open(file);
	const text = await again.locator('[aria-label="Notes"]').textContent();
	expect('the note is there: ' + text, text.includes('look <b>here</b>'));
	expect('the view is there', (await state(again)).view === 'functions');
	await browser.look(again, 'saved with notes');
	await click(again, 'button:text-is("Copy address")');
	expect('copied', /Copied/.test(await again.locator('.share output').textContent()));
}
await browser.end();
