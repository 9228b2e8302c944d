// SPDX-License-Identifier: BSD-2-Clause
// damaged.mjs PAGE TORN - a truncated or modified page is not shown as if it were
// whole, but as unreadable.  A worker that fails or cannot start only makes the
// page slower.  TORN is the page of a capture with one problem.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { Browser, expect } from './browser.mjs';

const [, , whole, torn] = process.argv;
const html = readFileSync(whole, 'latin1');
const damaged = path.join(path.dirname(whole), 'damaged.html');
const browser = await Browser.start();

/** The result: a reply, or the reason of its absence. */
async function read(file, before) {
	const context = await browser.chromium.newContext();
	const page = await context.newPage();
	if (before)
		await page.addInitScript(before);
	await page.goto('file://' + file);
	await page.waitForFunction(() => window.syscap?.isReady ||
		document.querySelector('.wait.warn'), null, { timeout: 60000 });
	const became = await page.evaluate(() => window.syscap?.isReady
		? JSON.stringify(window.syscap.answer())
		: document.querySelector('.wait.warn').textContent);
	await context.close();
	return became;
}

const answer = await read(whole);
expect('it is whole: ' + answer.slice(0, 99), answer.startsWith('{"unit"'));

const place = (name) => html.indexOf('data-name="' + name + '"');
const inText = (name) => html.indexOf('>', place(name)) + 9;
const changed = (at, text) => html.slice(0, at) + text + html.slice(at + text.length);
const damages = { 'a bad character': changed(inText('sample.nodes'), '!'),
	'other bytes': changed(inText('sample.nodes'), 'ABCD'),
	'a wrong size': html.replace(/(data-name="sample.ticks"[^>]*data-bytes=")/, '$19') };
for (const name of ['sample.nodes', 'sample.ticks', 'mark.times', 'value.times',
	'log.messages', 'allocation.sizes', 'texts.more']) {
	damages['cut before ' + name] = html.slice(0, place(name));
	damages['cut in ' + name] = html.slice(0, inText(name));
}
for (const [what, text] of Object.entries(damages)) {
	writeFileSync(damaged, text, 'latin1');
	const became = await read(damaged);
	expect(what + ': ' + became.slice(0, 99), became.includes('is damaged'));
}

const page = await browser.open(torn);
const warning = (await page.textContent('header .warn')).replace(/\u00a0/g, ' ');
expect('the warning: ' + warning, warning === '1 problem found by check');
await page.context().close();

/** The beginning of the worker's source text. */
const first = (text) => '{ const made = Blob; window.Blob = function (parts, type) {' +
	'return new made([' + JSON.stringify(text) + ', ...parts], type); }; }';
const dying = (n, how) => first('let left = ' + n + '; const post = postMessage;' +
	'postMessage = (...what) => left-- > 0 ? post(...what) : ' + how + ';\n');
const workers = { 'no worker': 'delete window.Worker', 'none to be made':
	'window.Worker = function () { throw new Error(); }',
	'a worker that does not begin': first('}}}'),
	'a worker that cannot inflate': first('delete self.DecompressionStream;'),
	'no fromBase64': 'delete Uint8Array.fromBase64;' +
		first('delete Uint8Array.fromBase64;') };
for (const n of [1, 5, 20, 60])
	workers['a worker that ends after ' + n] = dying(n,
		'setTimeout(() => { throw new Error(); })');
for (const [what, script] of Object.entries(workers)) {
	const became = await read(whole, script);
	expect(what + ': ' + became.slice(0, 99), became === answer);
}
console.log(Object.keys(damages).length + ' damages, ' +
	Object.keys(workers).length + ' workers');
await browser.end();
