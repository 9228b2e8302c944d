// SPDX-License-Identifier: BSD-2-Clause
// browser.mjs - a real browser for tests of the page.  The browser must report
// no request, no error, and no finding of axe-core.
import { readFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.join(process.env.NPM, 'x.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export function expect(what, holds) {
	if (holds)
		return;
	console.log('FAILED: ' + what);
	process.exitCode = 1;
	throw new Error(what);
}

export class Browser {
	static async start() {
		const browser = new Browser();
		browser.chromium = await chromium.launch({
			executablePath: process.env.CHROMIUM,
			args: ['--no-sandbox', '--disable-gpu'],
		});
		browser.complaints = [];
		return browser;
	}

	/** A page after it is completely loaded. */
	async open(file, hash = '', options = {}) {
		const context = await this.chromium.newContext({
			viewport: { width: 1280, height: 900 }, ...options });
		const page = await context.newPage();
		page.setDefaultTimeout(60000);
		page.on('console', (message) => {
			if (message.type() === 'error' || message.type() === 'warning')
				this.complaints.push('console: ' + message.text());
		});
		page.on('pageerror', (error) => this.complaints.push(error.stack));
		page.on('dialog', (dialog) => this.complaints.push('a dialog: ' +
			dialog.message()));
		page.on('request', (request) => {
			const url = request.url();
			if (url !== 'file://' + file && !url.startsWith('file://' + file + '#') &&
				!url.startsWith('blob:'))
				this.complaints.push('request: ' + url);
		});
		await page.goto('file://' + file + hash);
		await this.settle(page);
		return page;
	}

	async settle(page) {
		await page.waitForFunction(() => window.syscap && window.syscap.isReady);
		await page.evaluate(() => new Promise((resolve) =>
			requestAnimationFrame(() => requestAnimationFrame(resolve))));
	}

	/** Findings of axe-core on the present page. */
	async look(page, what) {
		// Loaded by the debugger, since the page's policy forbids other
		// scripts
		await page.evaluate(axe);
		const { violations } = await page.evaluate(() =>
			window.axe.run(document, { resultTypes: ['violations'] }));
		for (const violation of violations)
			this.complaints.push(what + ': axe: ' + violation.id + ': ' +
				violation.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) +
				' ' + node.failureSummary).join(' | '));
	}

	/** The directory of screenshots is $PICTURES. */
	async picture(page, name) {
		if (!process.env.PICTURES)
			return;
		mkdirSync(process.env.PICTURES, { recursive: true });
		await page.screenshot({ path: path.join(process.env.PICTURES,
			name + '.png') });
	}

	async end() {
		await this.chromium.close();
		for (const complaint of this.complaints)
			console.log('complaint: ' + complaint);
		if (this.complaints.length > 0)
			process.exitCode = 1;
	}
}
