// SPDX-License-Identifier: BSD-2-Clause
// tasks.mjs PAGE ANSWERS CAPTURE - twelve tasks on a page, each from its first
// view.  The clicks, choices and drags of each task are counted.  ANSWERS is
// from tasks.py; `syscap stat` answers for the times that the clicks select.  If
// a capture has no data for a task, the page must say so.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { Browser, expect } from './browser.mjs';

const [, , file, answersFile, capture] = process.argv;
const answers = JSON.parse(readFileSync(answersFile, 'utf8'));
const browser = await Browser.start();

/** Samples of `syscap stat`, with @options. */
function stat(...options) {
	return JSON.parse(execFileSync(process.env.SYSCAP, ['stat', '--json', ...options,
		capture], { maxBuffer: 1 << 30 })).hot;
}

/** Options for a part of the page's time. */
const during = (from, to, begin) => ['--from=' + (from - begin) + 'ns',
	'--to=' + (to - begin) + 'ns'];

/** The answer of the page equals that of the reader. */
function same(what, shown, right) {
	const [is, should] = [shown, right].map((value) => JSON.stringify(value));
	let i = 0;
	while (is !== undefined && i < is.length && is[i] === should[i])
		i++;
	const [near, wanted] = [is, should].map((text) => String(text).slice(
		Math.max(i - 100, 0), i + 100));
	expect(what + ' is ' + near + ', not ' + wanted, is === should);
}

/** Hands of a user, which count. */
class Hands {
	constructor(page) {
		this.page = page;
		this.n = 0;
	}

	draw() {
		return this.page.evaluate(() => new Promise((resolve) =>
			requestAnimationFrame(() => requestAnimationFrame(resolve))));
	}

	async click(selector, options) {
		this.n++;
		await this.page.locator(selector).first().click(options);
		await this.draw();
	}

	async doubleClick(selector, position) {
		this.n++;
		await this.page.locator(selector).first().dblclick({ position });
		await this.draw();
	}

	tab(text) {
		return this.click('.tabs button:text-is("' + text + '")');
	}

	press(text) {
		return this.click('main button:text-is("' + text + '")');
	}

	async choose(label, value) {
		this.n++;
		await this.page.locator('label.choice', { has: this.page.locator('span',
			{ hasText: new RegExp('^' + label + '$') }) }).locator('select')
			.selectOption(value);
		await this.draw();
	}

	async drag(from, to) {
		this.n++;
		const axis = await this.page.locator('.timeline').boundingBox();
		await this.page.mouse.move(axis.x + from, axis.y + 40);
		await this.page.mouse.down();
		await this.page.mouse.move(axis.x + to, axis.y + 40, { steps: 4 });
		await this.page.mouse.up();
		await this.draw();
	}

	text(selector) {
		return this.page.locator(selector).first().textContent();
	}

	state() {
		return this.page.evaluate(() => window.syscap.app.state);
	}

	look(script, ...args) {
		return this.page.evaluate(script, ...args);
	}

	count(selector) {
		return this.page.locator(selector).count();
	}

	/** Begin of the capture in the times of the page. */
	begin() {
		return this.look(() => window.syscap.model.begin);
	}
}

/** Run @act from the first view; it may take @most clicks. */
async function task(what, most, act) {
	const page = await browser.open(file, '', { permissions:
		['clipboard-read', 'clipboard-write'] });
	const hands = new Hands(page);
	await act(hands);
	console.log(what + ': ' + hands.n + ' of ' + most);
	expect(what + ' takes ' + hands.n + ' clicks, not ' + most, hands.n <= most);
	await browser.picture(page, 'task-' + what.replace(/\W+/g, '-'));
	await page.context().close();
}

await task('culprit of dropped frames', 2, async (hands) => {
	const { frames, culprit } = answers;
	await hands.tab('Compare inside');
	const names = await hands.page.locator('label.choice select').nth(1)
		.locator('option').allTextContents();
	if (!frames) {
		expect('no frames are among ' + names, !names.includes('gtk/frameclock cycle'));
		return;
	}
	await hands.choose('Mark', 'gtk/frameclock cycle');
	const shown = await hands.look(() => {
		const { app, model } = window.syscap;
		const { comparison: { marks, other }, table: { rows } } = app.view;
		return { durations: Array.from(marks, (i) => model.marks.durations[i])
			.sort((a, b) => a - b), rest: other.nMarks, selfs: rows.filter(({ self }) =>
			self > 0).map(({ f, self }) => [model.nameOf(f), self]) };
	});
	same('durations of the slowest', shown.durations, frames.durations);
	same('number of others', shown.rest, frames.rest);
	const selfs = {};
	for (const [name, self] of shown.selfs)
		selfs[name] = (selfs[name] || 0) + self;
	for (const [name, self] of Object.entries({ ...selfs, ...frames.selfs }))
		expect(name + ': ' + selfs[name] + ' in a slow frame, not ' +
			frames.selfs[name], Math.abs(selfs[name] - frames.selfs[name]) <= 1);
	const found = await hands.text('.answer .culprit');
	expect('the culprit is not ' + found, culprit ? culprit === found
		: frames.selfs[found] > 0);
});

await task('function with most allocations', 2, async (hands) => {
	await hands.tab('Functions');
	if (answers.allocated.length === 0) {
		same('buttons of allocations', await hands.count(
			'main button:text-is("Allocated")'), 0);
		return;
	}
	await hands.press('Allocated');
	const name = await hands.text('main tbody tr:not(.gap) th');
	expect('most is allocated by ' + answers.allocated + ', not ' + name,
		answers.allocated.includes(name));
});

await task('calls that blocked, with their stacks', 2, async (hands) => {
	if (answers.blocked.total === 0) {
		same('buttons of waits', await hands.count('main button:text-is("Blocked")'), 0);
		return;
	}
	await hands.press('Blocked');
	const { total, leaves } = await hands.look(() => {
		const { tree, selfs, totals } = window.syscap.app.analysis();
		const { model } = window.syscap;
		const leaves = {};
		selfs.forEach((self, i) => {
			const name = model.nameOf(tree.functions[i]);
			if (self > 0)
				leaves[name] = (leaves[name] || 0) + self;
		});
		return { total: totals[0], leaves };
	});
	same('blocked time', total, answers.blocked.total);
	const right = {};
	for (const [name, self] of answers.blocked.functions)
		right[name] = (right[name] || 0) + self;
	same('calls', Object.entries(leaves).sort(), Object.entries(right).sort());
	// The details of the widest box below "all"
	const boxes = await hands.page.locator('.boxes').boundingBox();
	await hands.click('.boxes', { position: { x: 20, y: 30 } });
	expect('the stack has details', boxes.height > 60 &&
		/total/.test(await hands.text('.details .sums')));
});

await task('two ranges of time', 4, async (hands) => {
	await hands.drag(300, 500);
	await hands.tab('Compare inside');
	await hands.press('With another time');
	await hands.drag(600, 800);
	const { beside, from, to } = await hands.state();
	const [first, last] = beside.split('-').map(Number);
	expect('two ranges are compared: ' + beside + ', ' + from, last <= from && from < to &&
		first < last);
	const sums = await hands.look(() => {
		const { one, other } = window.syscap.app.view.comparison;
		return [one.total, other.total];
	});
	const begin = await hands.begin();
	same('sums of the ranges', sums, [stat(...during(from, to, begin)).total,
		stat(...during(first, last, begin)).total]);
});

await task('peak of a counter, and what ran then', 3, async (hands) => {
	await hands.tab('Counters');
	const { name, isRate, time, value } = await hands.look(() => {
		const { charts } = window.syscap.app.view;
		const [{ counter, isRate, values, best }] = charts;
		return { name: counter.category + ': ' + counter.name, isRate,
			time: counter.times[best], value: values[best] };
	});
	const begin = await hands.begin();
	// Values of one counter, or changes a second after each value
	const right = answers.counters[name].map(([at, value], i, all) => [at, !isRate
		? value : i === 0 ? -Infinity
			: (value - all[i - 1][1]) / (at - all[i - 1][0]) * 1e9]);
	const best = Math.max(...right.map(([, value]) => value));
	expect(name + ' has its peak of ' + value + ' at ' + (time - begin), right.some(
		([at, value]) => at === time - begin && value === best) &&
		Math.abs(value - best) <= 1e-9 * Math.abs(best));
	await hands.click('figcaption button:has-text("peak")');
	const { from, to, view } = await hands.state();
	expect('the peak at ' + time + ' is in ' + from + ' to ' + to,
		view === 'flame' && from <= time && time <= to);
	same('what ran then', await hands.look(() => window.syscap.answer().total),
		stat(...during(from, to, begin)).total);
});

await task('marks by duration', 2, async (hands) => {
	await hands.tab('Marks');
	await hands.press('Table');
	const shown = await hands.look(() => {
		const { rows } = window.syscap.app.view.table;
		const { durations } = window.syscap.model.marks;
		return rows.map(({ i, isBar }) => isBar ? 0 : durations[i]);
	});
	same('durations', shown, answers.durations);
});

await task('waterfall of a frame', 3, async (hands) => {
	await hands.tab('Marks');
	await hands.press('Waterfall by thread');
	const box = await hands.look((name) => {
		const { view, model } = window.syscap.app;
		const boxes = view.boxes.boxes.filter(({ id }) => id >= 0 && (!name ||
			model.markName(model.marks.names[id]) === name));
		return boxes.length > 0 ? { ...boxes.reduce((a, b) => a.w >= b.w ? a : b),
			all: boxes.length } : null;
	}, answers.frames ? 'gtk/frameclock cycle' : '');
	expect('marks are in the waterfall', (box !== null) === answers.durations.length > 0);
	if (!box)
		return;
	await hands.doubleClick('.boxes', { x: box.x + box.w / 2,
		y: await hands.look((row) => {
			const { scroller, rowHeight } = window.syscap.app.view.boxes;
			scroller.scrollTop = Math.max(0, (row - 2) * rowHeight);
			return (row + 0.5) * rowHeight - scroller.scrollTop;
		}, box.row) });
	const { from, to, show } = await hands.state();
	expect('the mark is shown: ' + from + ' to ' + to, show === 'threads' && to > from);
});

await task('share of a search over time', 2, async (hands) => {
	const name = answers.culprit || answers.hottest[0];
	await hands.click('.search input');
	await hands.page.keyboard.type(name);
	await hands.draw();
	const pattern = '--function=' + name.replace(/[^\w]/g, '[$&]').replace(/\[\^\]/g, '\\^');
	const { total } = stat(pattern);
	const shown = await hands.text('.search output');
	const share = Number(/, ([\d.]+)/.exec(shown)[1]);
	expect('the share of ' + name + ': ' + shown + ', not ' +
		100 * total / answers.total + ' %', Math.abs(share - 100 * total / answers.total) <= 0.051);
	// The busiest pixels of the lane
	const cells = await hands.look(() => {
		const { lanes } = window.syscap.app.timeline;
		const { bars } = lanes.shown.find(({ kind }) => kind === 'search');
		const { from, perPixel } = lanes.scale;
		return Array.from(bars, (bar, x) => ({ bar, all: lanes.all[x],
			from: from + x * perPixel, to: from + (x + 1) * perPixel }))
			.sort((a, b) => b.bar * b.all - a.bar * a.all).slice(0, 3);
	});
	const begin = await hands.begin();
	for (const { bar, all, from, to } of cells) {
		const times = during(Math.ceil(from), Math.ceil(to), begin);
		same('time of the pixel at ' + from, all, stat(...times).total);
		expect('the share of the pixel at ' + from + ': ' + bar, bar > 0 &&
			Math.abs(bar - stat(pattern, ...times).total / all) < 1e-9);
	}
	expect('the peak of the search is drawn', !answers.culprit || cells[0].bar > 0.9);
});

await task('lost events', 1, async (hands) => {
	await hands.tab('About');
	const said = await hands.text('main');
	const lost = /Lost(nothing|[\d,]+)/.exec(said)?.[1];
	same('lost events', lost === 'nothing' ? 0 : Number(lost?.replace(/,/g, '')),
		answers.lost);
});

await task('libraries without names', 1, async (hands) => {
	const sum = answers.unnamed.reduce((sum, [, self]) => sum + self, 0);
	const button = 'header button:has-text("without names"):visible';
	const isShown = await hands.count(button) > 0;
	expect('the header has ' + sum + ' without names', isShown ===
		(sum > 0 && sum >= answers.total / 100));
	await (isShown ? hands.click(button) : hands.tab('About'));
	const rows = await hands.look(() => (window.syscap.app.view.tables.find(
		({ options }) => options.label === 'Functions without names')?.rows || [])
		.map((row) => [row[0], row[1]]));
	same('libraries', rows.sort(), answers.unnamed.sort());
});

await task('source of the hottest function', 2, async (hands) => {
	await hands.tab('Functions');
	// Before it are at most notes, such as [no stack]
	const names = await hands.page.locator('main tbody tr:not(.gap) th').allTextContents();
	const name = names.find((name) => !/^\[[a-z ]+\]$/.test(name));
	expect('the hottest is ' + name, answers.hottest.includes(name));
	await hands.click('main tbody tr:not(.gap) th:text-is("' + name + '")');
	if (answers.lines.length === 0) {
		expect('it has no lines', /no source lines/i.test(await hands.text('.sources')));
		return;
	}
	const { rows, text } = await hands.look(() => {
		const { model, app } = window.syscap;
		const { lines } = model, rows = [];
		for (let i = 0; i < lines.n; i++)
			if (lines.functions[i] === app.state.picked && lines.selfs[i] > 0)
				rows.push([model.texts.get(lines.files[i]), lines.numbers[i],
					lines.selfs[i]]);
		return { rows: rows.sort(), text: [...document.querySelectorAll('.source')]
			.map((one) => one.textContent).join() };
	});
	same('lines', rows, answers.lines.sort());
	for (const [path, line] of rows)
		expect(path + ':' + line + ' is shown', text.includes(path) &&
			text.includes(String(line)));
	expect('its text is shown', !answers.culprit || text.includes('gtk4_story_sum'));
});

await task('link to this view', 1, async (hands) => {
	await hands.click('header button:text-is("Copy address")');
	const copied = await hands.look(() => navigator.clipboard.readText());
	expect('the address is copied: ' + copied, copied === hands.page.url());
	const other = await browser.open(file, new URL(copied).hash);
	same('the view there', await other.evaluate(() => window.syscap.answer()),
		await hands.look(() => window.syscap.answer()));
	await other.context().close();
});

await browser.end();
