// SPDX-License-Identifier: BSD-2-Clause
// index.js - interface of syscap for Node.js.
'use strict';

require('./lib/thread.js');
const { now, fromPerformance, fromHrtime } = require('./lib/clock.js');
const { site } = require('./lib/site.js');
const { mark, instant } = require('./lib/mark.js');
const { operation, step, currentOperation } = require('./lib/operation.js');
const { counter } = require('./lib/counter.js');
const { log, logger, metadata } = require('./lib/log.js');
const batch = require('./lib/batch.js');
const { observePerformance } = require('./lib/performance.js');
const { subscribe, traceChannel } = require('./lib/channels.js');
const { start, stop, drain, stats, sampler, isActive } =
  require('./lib/recording.js');

// ES modules find the names only in an object literal.
module.exports = {
  isActive,
  now,
  fromPerformance,
  fromHrtime,
  site,
  mark,
  instant,
  operation,
  step,
  currentOperation,
  counter,
  log,
  logger,
  metadata,
  batch,
  observePerformance,
  subscribe,
  traceChannel,
  start,
  stop,
  drain,
  stats,
  sampler,
};
