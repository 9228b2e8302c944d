// SPDX-License-Identifier: BSD-2-Clause
// thumbnails.js - a typical Node service: HTTP in the main thread, a pool of
// workers that compute, a cache, and a client.
//
//	SYSCAP_SAMPLE=1000 syscap record -o thumbnails.syscap -- \
//		node -r syscap/v8 thumbnails.js
//	syscap stat thumbnails.syscap
//
// The program also measures itself, and prints the same figures as the capture.
'use strict';

const { AsyncResource } = require('node:async_hooks');
const { EventEmitter, once } = require('node:events');
const http = require('node:http');
const os = require('node:os');
const { performance } = require('node:perf_hooks');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

const syscap = require('syscap');

const GROUP = 'thumbnails';
const log = syscap.logger(GROUP);

// ------------------------------------------------------------------ workers

// A worker makes one mark for each step.
const decoding = syscap.site(GROUP, 'decode');
const scaling = syscap.site(GROUP, 'scale');

function decodePicture(seed, width, height) {
  const pixels = new Uint8Array(width * height);
  let state = seed + 1;
  for (let i = 0; i < pixels.length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    pixels[i] = (state >> 16) ^ (i >> 3);
  }
  return pixels;
}

// Each pixel of the small picture is the mean of a square of the large picture.
function scalePicture(pixels, width, height, factor) {
  const small = new Uint8Array((width / factor) * (height / factor));
  for (let y = 0; y < height; y += factor) {
    for (let x = 0; x < width; x += factor) {
      let sum = 0;
      for (let dy = 0; dy < factor; dy++) {
        for (let dx = 0; dx < factor; dx++) {
          sum += pixels[(y + dy) * width + x + dx];
        }
      }
      small[(y / factor) * (width / factor) + x / factor] =
        sum / (factor * factor);
    }
  }
  return small;
}

function measured(site, fn) {
  const begin = site.begin();
  const began = performance.now();
  const result = fn();
  const took = performance.now() - began;
  site.end(begin);
  return [result, took];
}

function runWorker() {
  parentPort.on('message', ({ id, seed }) => {
    const [width, height, factor] = [640, 480, 8];
    const [pixels, decode] = measured(decoding,
      () => decodePicture(seed, width, height));
    const [picture, scale] = measured(scaling,
      () => scalePicture(pixels, width, height, factor));
    parentPort.postMessage({ id, picture, times: { decode, scale } },
      [picture.buffer]);
  });
}

// --------------------------------------------------------------- statistics

class Times {
  #steps = new Map();

  add(step, ms) {
    const { n = 0, sum = 0 } = this.#steps.get(step) ?? {};
    this.#steps.set(step, { n: n + 1, sum: sum + ms });
  }

  show() {
    for (const [step, { n, sum }] of this.#steps) {
      console.log('mark', GROUP, step, n, sum.toFixed(3));
    }
  }

  count(step) {
    return this.#steps.get(step)?.n ?? 0;
  }
}

// --------------------------------------------------------------------- pool

// The pool handles a worker's answer in the asynchronous context of the
// request.
class Task extends AsyncResource {
  constructor(seed, resolve) {
    super('ThumbnailTask');
    this.seed = seed;
    this.resolve = resolve;
  }

  done(answer) {
    this.runInAsyncScope(this.resolve, null, answer);
    this.emitDestroy();
  }
}

class Pool extends EventEmitter {
  #free = [];
  #waiting = [];
  #running = new Map();
  #lastId = 0;
  #queued = syscap.counter(GROUP, 'queued', 'Tasks that wait for a worker',
    { type: 'int64' });

  constructor(size) {
    super();
    this.workers = Array.from({ length: size }, () => this.#begin());
  }

  #begin() {
    const worker = new Worker(__filename);
    worker.on('message', (answer) => {
      const task = this.#running.get(answer.id);
      this.#running.delete(answer.id);
      this.#free.push(worker);
      this.#next();
      task.done(answer);
    });
    worker.on('error', (error) => this.emit('error', error));
    this.#free.push(worker);
    return worker;
  }

  #next() {
    while (this.#free.length > 0 && this.#waiting.length > 0) {
      const worker = this.#free.pop();
      const task = this.#waiting.shift();
      const id = ++this.#lastId;
      this.#running.set(id, task);
      worker.postMessage({ id, seed: task.seed });
    }
    this.#queued.update(this.#waiting.length);
  }

  ask(seed) {
    return new Promise((resolve) => {
      this.#waiting.push(new Task(seed, resolve));
      this.#next();
    });
  }

  async close() {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}

// ------------------------------------------------------------------- server

class Service {
  #cache = new Map();
  #answered = syscap.counter(GROUP, 'answered', 'Requests answered so far',
    { type: 'int64' });
  #hits = syscap.counter(GROUP, 'cache hits', 'Found in the cache');

  constructor(pool, times) {
    this.pool = pool;
    this.times = times;
    this.server = http.createServer((request, reply) => {
      this.#answer(request, reply).catch((error) => {
        log.critical(String(error));
        reply.writeHead(500).end();
      });
    });
  }

  // Answers in an operation, which overlaps other operations in this thread.
  async #answer(request, reply) {
    await syscap.operation(GROUP, 'request', async () => {
      const began = performance.now();
      const picture = await this.#picture(Number(request.url.slice(1)));
      syscap.step('send');
      reply.setHeader('Content-Type', 'application/octet-stream');
      reply.end(picture);
      this.times.add('request', performance.now() - began);
      this.#answered.add();
    }, request.url);
  }

  async #picture(seed) {
    const known = this.#cache.get(seed);
    if (known !== undefined) {
      this.#hits.add();
      return known;
    }
    const { picture, times } = await this.pool.ask(seed);
    for (const [step, ms] of Object.entries(times)) this.times.add(step, ms);
    this.#cache.set(seed, Buffer.from(picture));
    log.info(() => `picture ${seed} has ${picture.length} bytes`);
    return this.#cache.get(seed);
  }

  async listen() {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this.server.address().port;
  }

  get summary() {
    return { answered: this.#answered.value, hits: this.#hits.value };
  }
}

// ------------------------------------------------------------------- client

function get(agent, port, seed) {
  return new Promise((resolve, reject) => {
    http.get({ agent, port, host: '127.0.0.1', path: `/${seed}` }, (reply) => {
      let bytes = 0;
      reply.on('data', (data) => { bytes += data.length; });
      reply.on('end', () => resolve(bytes));
    }).on('error', reject);
  });
}

// Several clients run at a time.  Each client sends one request after the
// other.
async function askAll(port, clients, requests) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  let next = 0;
  let bytes = 0;
  await Promise.all(Array.from({ length: clients }, async () => {
    while (next < requests) {
      const number = next++;
      bytes += await get(agent, port, number % 50);
    }
  }));
  agent.destroy();
  return bytes;
}

async function main() {
  const requests = Number(process.argv[2] ?? 120);
  const times = new Times();
  const pool = new Pool(2);
  const service = new Service(pool, times);
  const port = await service.listen();
  syscap.metadata('thumbnails.cpus', String(os.cpus().length));

  const bytes = await askAll(port, 4, requests);
  service.server.close();
  await pool.close();
  log.message(`${requests} requests, ${bytes} bytes`);

  const { answered, hits } = service.summary;
  times.show();
  console.log('counter', GROUP, 'answered', answered);
  if (hits > 0) console.log('counter', GROUP, 'cache_hits', hits);
  console.log('logs', GROUP, times.count('decode') + 1);
  if (require.cache[require.resolve('syscap/v8')]) {
    for (const name of ['scalePicture', 'decodePicture']) {
      console.log('stack', `^${name}\\b`);
    }
  }
}

if (isMainThread) main();
else runWorker();
