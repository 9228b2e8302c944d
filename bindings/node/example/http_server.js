// SPDX-License-Identifier: BSD-2-Clause
// http_server.js - a server that records its work, and a client that keeps the
// server busy for a while.
//
//	SYSCAP_SAMPLE=1000 syscap record -- node -r syscap/v8 http_server.js
//	syscap stat capture.syscap
//
// The argument is the number of requests, by default 200.
'use strict';

const http = require('node:http');
const { once } = require('node:events');
const zlib = require('node:zlib');
const { promisify } = require('node:util');
const syscap = require('syscap');

const gzip = promisify(zlib.gzip);
const log = syscap.logger('example');

// The server makes the sites and the counter once, and uses them at each
// request.
const handling = syscap.site('http', 'handle');
const rendering = syscap.site('http', 'render');
const compressing = syscap.site('http', 'gzip');
const inFlight = syscap.counter('http', 'in flight',
  'Requests that are being answered', { type: 'int64' });

// Synchronous work is recorded as a scope.
const render = rendering.wrap(function render(n) {
  const rows = Array.from({ length: n }, (_, i) => `<li>${i}: ${i ** 2}</li>`);
  return `<ul>${rows.join('\n')}</ul>`;
});

async function handle(request, response) {
  inFlight.add(1);
  try {
    const n = Number(new URL(request.url, 'http://x').searchParams.get('n'));
    const page = render(n);
    // Waiting is recorded as an operation, which may overlap other operations.
    const body = await compressing.run(() => gzip(page), `${page.length} bytes`);
    response.setHeader('content-encoding', 'gzip');
    response.end(body);
    // The text is made only during a recording.
    log.debug(() => `${request.url}: ${body.length} bytes`);
  } finally {
    inFlight.add(-1);
  }
}

async function main(requests) {
  const server = http.createServer((request, response) => {
    handling.run(() => handle(request, response), request.url)
      .catch((error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Garbage collections are recorded, in the group "gc".
  syscap.observePerformance({ types: ['gc'] });
  syscap.metadata('example.requests', String(requests));

  const { port } = server.address();
  const one = async (i) => {
    const answer = await fetch(`http://127.0.0.1:${port}/?n=${i % 50 * 100}`);
    await answer.text();
  };
  for (let i = 0; i < requests; i += 8) {
    await Promise.all(Array.from({ length: 8 }, (_, k) => one(i + k)));
  }
  server.closeAllConnections?.();
  server.close();
  console.log(`answered ${requests} requests` +
    (syscap.isActive() ? '' : '; run it under "syscap record" to see how'));
}

main(Number(process.argv[2] ?? 200));
