// SPDX-License-Identifier: BSD-2-Clause
// performance.js - what Node's performance timeline is told, as marks.
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

// detail is anything: of what is no text, JSON, and where that is not to be
// had, nothing.
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

// Every entry of these types from now on, in a group named as the type; until
// close() of what is returned.
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
  // Observers are told later; what was not told yet is asked for.
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
