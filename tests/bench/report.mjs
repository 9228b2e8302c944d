// SPDX-License-Identifier: BSD-2-Clause
// report.mjs PAGE - what a page costs a browser, in processor time of its main
// thread: until all is there, and then for each thing that people do.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.join(process.env.NPM, 'x.js'));
const { chromium } = require('playwright-core');
const [, , file] = process.argv;
let browser, page, client;

async function start(...flags) {
	browser = await chromium.launch({ executablePath: process.env.CHROMIUM,
		args: ['--no-sandbox', '--enable-precise-memory-info', ...flags] });
	page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
	client = await page.context().newCDPSession(page);
	await client.send('Performance.enable', { timeDomain: 'threadTicks' });
}

async function load() {
	await page.goto('file://' + file, { waitUntil: 'commit', timeout: 300000 });
	await page.waitForFunction(() => window.syscap && window.syscap.isReady, null,
		{ timeout: 300000 });
	await frame();
}

const tell = (what, number, aim) => console.log('  ' + what.padEnd(44) +
	number.padStart(9) + (aim ? '  (aim ' + aim + ')' : ''));

async function metric(name) {
	const { metrics } = await client.send('Performance.getMetrics');
	return metrics.find((one) => one.name === name).value;
}

const frame = () => page.evaluate(() => new Promise((resolve) =>
	requestAnimationFrame(() => setTimeout(resolve, 0))));

/** The median duration of @n runs, in ms. */
async function cost(n, act) {
	const costs = [];
	for (let i = 0; i < n; i++) {
		const before = await metric('TaskDuration');
		await page.evaluate(act, i);
		await frame();
		costs.push(await metric('TaskDuration') - before);
	}
	costs.sort((a, b) => a - b);
	return (costs[n >> 1] * 1000).toFixed(1) + ' ms';
}

/** The processes that draw pages. */
async function renderers() {
	const { processInfo } = await (await browser.newBrowserCDPSession())
		.send('SystemInfo.getProcessInfo');
	return processInfo.filter(({ type }) => type === 'renderer')
		.map(({ id }) => id);
}

/** Number of minor page faults of the main thread of the busiest process. */
async function faults() {
	return Math.max(...(await renderers()).map((id) => Number(
		readFileSync('/proc/' + id + '/task/' + id + '/stat', 'utf8')
			.replace(/^.*\) /, '').split(' ')[7])));
}

/** Cost of a page fault on this machine, in seconds of processor time. */
function faultCost() {
	const bytes = new Uint8Array(256 << 20);
	const before = process.cpuUsage();
	for (let i = 0; i < bytes.length; i += 4096) bytes[i] = 1;
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1e6 / (bytes.length / 4096);
}

const redraw = () => { window.syscap.app.view.layout(); };

await start('--disable-gpu');
await load();
const paint = await page.evaluate(() =>
	performance.getEntriesByType('paint')[0].startTime);
tell('first picture, by the clock', (paint / 1000).toFixed(2) + ' s', '1');
tell('all is live', (await metric('TaskDuration')).toFixed(2) + ' s', '2.5');
const touched = await faults(), each = faultCost();
tell('its ' + touched + ' page faults till then, ' + (each * 1e6).toFixed(1) +
	' µs each here', (touched * each).toFixed(2) + ' s');
await page.evaluate(() => { window.syscap.app.set({ view: 'flame' }); });
await frame();
const n = await page.evaluate(() => window.syscap.model.samples.n);
tell('nothing at all: a frame', await cost(20, () => {}));
if (n > 0) {
	tell('a redraw of the flame graph, drawn by software', await cost(30, redraw),
		'25');
	await page.evaluate(() => {
		const { app, model } = window.syscap;
		const span = model.end - model.begin;
		window.from = Math.round(span * 0.3);
		window.step = Math.round(span / 1100);
		app.set({ from: window.from, to: window.from + Math.round(span * 0.2) });
	});
	await frame();
	tell('a brush that moves by a pixel', await cost(30, () => {
		const { app } = window.syscap;
		app.set({ from: app.state.from + window.step,
			to: app.state.to + window.step }, true);
	}), '33');
	await page.evaluate(() => window.syscap.app.set({ from: undefined,
		to: undefined }));
	await frame();
	tell('a search', await cost(11, (i) => {
		window.syscap.app.set({ search: '/[' + 'abcdefghijk'[i] + ']1.*' + i + '/' },
			true);
	}), '100');
	await page.evaluate(() => window.syscap.app.set({ search: undefined }));
	await frame();
}
for (const { key, text } of await page.evaluate(() =>
	window.syscap.app.choices().map(({ key, text }) => ({ key, text }))))
	tell(text + ', opened', await cost(1, 'window.syscap.app.set({ view: "' + key +
		'" })'));
// Views of memory: the first view of each amount sums all allocations.
const amounts = await page.evaluate(() =>
	window.syscap.model.allocations.threads?.length > 0
		? ['allocated', 'live', 'leaked', 'temporary'] : []);
for (const of of amounts)
	for (const view of ['flame', 'functions', 'chart', 'compare'])
		tell(of + ': ' + view, await cost(1, 'window.syscap.app.set({ of: "' + of +
			'", view: "' + view + '" })'), '1000');
// Typed arrays are outside of the script's heap, so the memory of the whole
// process is measured.
const drawing = await renderers();
const most = (field) => Math.max(...drawing.map((id) => Number(
	new RegExp(field + ':\\s+(\\d+)').exec(
		readFileSync('/proc/' + id + '/status', 'utf8'))[1])));
tell('memory of its process, after all that', Math.round(most('VmRSS') * 1024 /
	1e6) + ' MB', '500');
await client.send('HeapProfiler.collectGarbage');
await frame();
tell('after a collection of garbage', Math.round(most('VmRSS') * 1024 / 1e6) +
	' MB', '500');
tell('and at most', Math.round(most('VmHWM') * 1024 / 1e6) + ' MB');
await browser.close();

if (n > 0) {
	await start('--ignore-gpu-blocklist', '--enable-gpu-rasterization');
	const { gpu } = await (await browser.newBrowserCDPSession())
		.send('SystemInfo.getInfo');
	const drawnBy = (gpu.featureStatus || {})['2d_canvas'] || 'unknown';
	const has = /^enabled/.test(drawnBy) &&
		!/SwiftShader|llvmpipe/i.test(JSON.stringify(gpu.auxAttributes));
	if (has) {
		await load();
		await page.evaluate(() => { window.syscap.app.set({ view: 'flame' }); });
		await frame();
	}
	tell('a redraw of the flame graph, drawn by a GPU', has ? await cost(30, redraw)
		: '–', '16' + (has ? '' : '; there is no GPU here: canvas is ' + drawnBy));
	await browser.close();
}
