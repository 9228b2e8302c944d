// SPDX-License-Identifier: BSD-2-Clause
// thread.js - workers have names, which captures and `top` show: that of
// their file and their number.  Later versions of Node give them names.
'use strict';

const path = require('node:path');
const { isMainThread, threadId, threadName } = require('node:worker_threads');
const { native } = require('./slots.js');

const MAX_BYTES = 15;

function cut(text, bytes) {
  let kept = text;
  while (Buffer.byteLength(kept) > bytes) kept = kept.slice(0, -1);
  return kept;
}

// "resize-3" of the third worker, which runs resize.js.
function workerName(file, id) {
  const number = `-${id}`;
  const { name } = path.parse(file ?? '');
  // Node calls a worker of a text "[worker eval]", one of a data: URL by it
  const isFile = name !== '' && !/[[\],:;]/.test(name);
  return cut(isFile ? name : 'worker', MAX_BYTES - number.length) + number;
}

if (!isMainThread && threadName === undefined) {
  native.nameThread(workerName(process.argv[1], threadId));
}
