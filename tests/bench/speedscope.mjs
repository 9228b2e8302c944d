// SPDX-License-Identifier: BSD-2-Clause
// speedscope.mjs FILE - for scale: what speedscope's app costs the same browser
// until it has drawn FILE, an export of its format.  The comparison is not
// exact: speedscope reads text, and shows only stacks.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.join(process.env.NPM, 'x.js'));
const { chromium } = require('playwright-core');
const [, , file] = process.argv;
const release = path.dirname(require.resolve('speedscope/package.json'));
const { version } = require('speedscope/package.json');
const script = file + '.js';
writeFileSync(script, "speedscope.loadFileFromBase64('stacks.json', '" +
	readFileSync(file).toString('base64') + "')");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM,
	args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader',
		'--enable-precise-memory-info'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const client = await page.context().newCDPSession(page);
await client.send('Performance.enable', { timeDomain: 'threadTicks' });
await page.goto('file://' + release + '/dist/release/index.html' +
	'#localProfilePath=' + script, { waitUntil: 'commit' });
await page.waitForFunction(() => document.body &&
	/Left Heavy/.test(document.body.textContent), null,
{ timeout: 300000 });
await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() =>
	setTimeout(resolve, 0))));
const { metrics } = await client.send('Performance.getMetrics');
const metric = (name) => metrics.find((one) => one.name === name).value;
const tell = (what, number) => console.log('  ' + what.padEnd(44) +
	number.padStart(9));
tell('speedscope ' + version + ': all is there',
	metric('TaskDuration').toFixed(2) + ' s');
tell('its script\'s heap', Math.round(metric('JSHeapUsedSize') / 1e6) + ' MB');
await browser.close();
rmSync(script);
