// SPDX-License-Identifier: BSD-2-Clause
// usage.ts - arguments that the types accept or refuse, as the functions do.
// The test only compiles this file.
import * as syscap from '../index.js';
import { attach, namesLost } from '../v8/index.js';

const site: syscap.Site = syscap.site('a', 'b');
const begin: number = site.begin();
site.end(begin);
site.end(begin, 'message');
site.mark(begin, 5);
const sum: number = site.run(() => 1);
const later: Promise<string> = site.run(async () => 'x');
const twice: (x: number) => number = site.wrap((x: number) => 2 * x);
site.linked('out', 1);
// @ts-expect-error: no such link
site.linked('sideways', 1);
// @ts-expect-error: a time is a number
site.mark(1n, 1);

const done: Promise<number> = syscap.operation('a', 'b', async () => 1, 'message');
syscap.step('c');
const id: number | undefined = syscap.currentOperation()?.id;
// @ts-expect-error: a step has a name
syscap.step();

const counter = syscap.counter('a', 'b', 'c', { type: 'int64' });
counter.add();
// @ts-expect-error: read-only
counter.value = 3;
syscap.log('debug', 'net', () => 'made');
// @ts-expect-error: no such severity
syscap.log('loud', 'net', 'x');
syscap.logger('net').warning('x');

syscap.batch.mark(site, 1, 2);
const pending: number = syscap.batch.pending;
syscap.observePerformance({ types: ['gc'] }).close();
syscap.subscribe('x', { describe: (message) => String(message) }).close();
const file: string = syscap.start({ ringKiB: 64, thread: false });
const clock: syscap.SamplerClock = syscap.sampler.stats().clock;
syscap.fromHrtime([1, 2]);
attach();

export { sum, later, done, id, twice, pending, file, clock, namesLost };
