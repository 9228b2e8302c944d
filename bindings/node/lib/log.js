// SPDX-License-Identifier: BSD-2-Clause
// log.js - lines of text with a severity, and facts about the run.
'use strict';

const { nameOf } = require('./value.js');
const { native, slots, ACTIVE, A } = require('./slots.js');

const SEVERITIES = Object.freeze({
  __proto__: null,
  error: 4,
  critical: 8,
  warning: 16,
  message: 32,
  info: 64,
  debug: 128,
});

// @text is a string, or a function that returns a string.  log() calls the
// function only during a recording.
function log(severity, domain, text) {
  if (slots[ACTIVE] === 0) return;
  const message = nameOf(typeof text === 'function' ? text() : text);
  const name = nameOf(domain);
  slots[A] = SEVERITIES[nameOf(severity)] ?? SEVERITIES.message;
  native.log(name, message);
}

function logger(domain) {
  const methods = {};
  for (const severity of Object.keys(SEVERITIES)) {
    methods[severity] = (text) => log(severity, domain, text);
  }
  return Object.freeze(methods);
}

function metadata(id, value) {
  if (slots[ACTIVE] === 0) return;
  native.metadata(nameOf(id), nameOf(value));
}

module.exports = { log, logger, metadata };
