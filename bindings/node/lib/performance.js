// SPDX-License-Identifier: BSD-2-Clause
// performance.js - marks for entries of Node's performance timeline.
'use strict';

const { PerformanceObserver, constants } = require('node:perf_hooks');
const { slots, ACTIVE } = require('./slots.js');
const { fromPerformance } = require('./clock.js');
const { mark } = require('./mark.js');

const GC_KINDS = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak callbacks'],
]);

function nameOf(entry) {
  return entry.entryType === 'gc'
    ? GC_KINDS.get(entry.detail?.kind) ?? 'other'
    : entry.name;
}

// The detail of an entry may be any value.  A string is the message, another
// value its JSON, and a value without JSON gives no message.
function messageOf(entry) {
  const { detail } = entry;
  if (detail === undefined || detail === null) return undefined;
  if (typeof detail === 'string') return detail;
  if (entry.entryType === 'gc') return undefined;
  try {
    return JSON.stringify(detail);
  } catch {
    return undefined;
  }
}

// Records every new entry of the types, in a group named as the type, until
// close() of the returned object.
function observePerformance({ types = ['mark', 'measure'] } = {}) {
  const unknown = types.filter(
    (type) => !PerformanceObserver.supportedEntryTypes.includes(type));
  if (unknown.length !== 0) {
    throw new TypeError(`syscap: no such entry types: ${unknown.join(', ')}`);
  }
  const record = (entries) => {
    if (slots[ACTIVE] === 0) return;
    for (const entry of entries) {
      mark(entry.entryType, nameOf(entry), fromPerformance(entry.startTime),
        Math.round(entry.duration * 1e6), messageOf(entry));
    }
  };
  const observer = new PerformanceObserver((list) => record(list.getEntries()));
  observer.observe({ entryTypes: types });
  // Node passes entries to observers late.  takeRecords() returns the pending
  // entries.
  const flush = () => record(observer.takeRecords());
  process.on('exit', flush);
  return {
    flush,
    close() {
      flush();
      observer.disconnect();
      process.off('exit', flush);
    },
  };
}

module.exports = { observePerformance };
