// SPDX-License-Identifier: BSD-2-Clause thread.js - names of workers, made of
// file and number, for captures and `top`.  Newer versions of Node name workers
// themselves.
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

// Returns "resize-3" for the third worker if its file is resize.js.
function workerName(file, id) {
  const number = `-${id}`;
  const { name } = path.parse(file ?? '');
  // The file of a worker made from text is "[worker eval]" or a data: URL.
  const isFile = name !== '' && !/[[\],:;]/.test(name);
  return cut(isFile ? name : 'worker', MAX_BYTES - number.length) + number;
}

if (!isMainThread && threadName === undefined) {
  native.nameThread(workerName(process.argv[1], threadId));
}
