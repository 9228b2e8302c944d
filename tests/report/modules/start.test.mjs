// SPDX-License-Identifier: BSD-2-Clause
// start.test.mjs - an opened page reads its columns and reports its completion.
// The columns before the script come first.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { list } from './page.mjs';
import { frames, makeScreen } from './screen.mjs';

const FIRST = /^(facts|texts|process|thread|function|tree)/;
const modules = new URL('../../../src/report/page/', import.meta.url);

function scripts(columns) {
	return columns.map(({ name, width, n, bytes, text }) => ({
		dataset: { name, width: String(width), n: String(n), bytes: String(bytes) },
		textContent: text,
	}));
}

test('an opened page is read completely', async () => {
	const screen = makeScreen();
	const all = list();
	const first = all.filter(({ name }) => FIRST.test(name) && name !== 'texts.more');
	let isParsed = false, parsed = () => {};
	Object.assign(globalThis.document, {
		readyState: 'loading',
		querySelectorAll: () => scripts(isParsed ? all : first),
	});
	const listen = globalThis.addEventListener;
	globalThis.addEventListener = (name, listener) => {
		if (name === 'DOMContentLoaded')
			parsed = listener;
		else
			listen(name, listener);
	};
	await import('../../../src/report/page/start.js');
	while (!globalThis.syscap)
		await new Promise((resolve) => setTimeout(resolve, 1));
	assert.equal(globalThis.syscap.isReady, false);
	assert.equal(globalThis.syscap.model.samples.n, 0);
	assert.ok(screen.place.textContent.includes('x'), 'the first picture is there');
	await new Promise((resolve) => setTimeout(resolve, 1));
	isParsed = true;
	parsed();
	while (!globalThis.syscap.isReady)
		await new Promise((resolve) => setTimeout(resolve, 1));
	frames.draw();
	assert.equal(globalThis.syscap.model.samples.n, 5);
	assert.equal(globalThis.syscap.answer().total, 14);
});

test('each module is tested by name', () => {
	const tests = readdirSync(new URL('.', import.meta.url))
		.filter((name) => name.endsWith('.mjs'))
		.map((name) => readFileSync(new URL(name, import.meta.url), 'utf8')).join();
	for (const name of readdirSync(modules))
		if (name.endsWith('.js'))
			assert.ok(tests.includes('/page/' + name), name + ' has no test');
});
