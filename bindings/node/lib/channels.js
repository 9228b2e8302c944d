// SPDX-License-Identifier: BSD-2-Clause
// channels.js - marks for messages of diagnostics_channel.
'use strict';

const dc = require('node:diagnostics_channel');
const { slots, ACTIVE } = require('./slots.js');
const { now } = require('./clock.js');
const { site, nextId } = require('./site.js');

const GROUP = 'channel';

// Records an instant for each message, with the text of describe(message,
// name).
function subscribe(name, { group = GROUP, describe } = {}) {
  const place = site(group, String(name));
  const onMessage = (message) => {
    if (slots[ACTIVE] === 0) return;
    place.instant(describe?.(message, name));
  };
  dc.subscribe(name, onMessage);
  return { close: () => dc.unsubscribe(name, onMessage) };
}

// Records operations of a TracingChannel, and finds each by its context object.
class Tracer {
  #place;
  #describe;
  #running = new WeakMap(); // context -> { begin, isAsync, failed }

  constructor(place, describe) {
    this.#place = place;
    this.#describe = describe;
  }

  start(context) {
    if (slots[ACTIVE] === 0) return;
    this.#running.set(context, { begin: now(), isAsync: false, failed: false });
  }

  // An asynchronous operation sends "end" before "asyncStart", even if it has
  // settled, so its entry is kept.
  end(context) {
    const run = this.#running.get(context);
    if (run === undefined) return;
    this.#place.end(run.begin, this.#message(context, run));
  }

  asyncStart(context) {
    const run = this.#running.get(context);
    if (run !== undefined) run.isAsync = true;
  }

  asyncEnd(context) {
    const run = this.#running.get(context);
    if (run === undefined || !run.isAsync) return;
    this.#running.delete(context);
    this.#place.async(nextId(), run.begin, this.#message(context, run));
  }

  error(context) {
    const run = this.#running.get(context);
    if (run !== undefined) run.failed = true;
  }

  #message(context, run) {
    if (this.#describe !== undefined) return this.#describe(context);
    return run.failed ? `failed: ${context.error}` : undefined;
  }
}

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

// Records a mark for the synchronous part of each operation of the
// TracingChannel `name`.  An asynchronous operation gets a second mark, until
// it settles.  Subscribing by the channels' names also works in versions of
// Node without diagnostics_channel.tracingChannel().
function traceChannel(name, { group = GROUP, describe } = {}) {
  const tracer = new Tracer(site(group, name), describe);
  const handlers = EVENTS.map((event) => [
    `tracing:${name}:${event}`,
    (context) => tracer[event](context),
  ]);
  for (const [channel, handler] of handlers) dc.subscribe(channel, handler);
  return {
    close() {
      for (const [channel, handler] of handlers) {
        dc.unsubscribe(channel, handler);
      }
    },
  };
}

module.exports = { subscribe, traceChannel };
