// SPDX-License-Identifier: BSD-2-Clause
// site.js - a place that makes marks, made once and used often.
'use strict';

const { threadId } = require('node:worker_threads');
const { native, slots, ACTIVE, A, B, C, D, E } = require('./slots.js');
const { isGeneratorObject, isPlainPromise, afterPromise, throughGenerator } =
  require('./follow.js');

const LINKS = { whole: 0, begin: 1, step: 2, end: 3, out: 4, in: 5 };
const made = new Map(); // group -> name -> Site

let lastId = threadId * 2 ** 32;

// For operations that this package begins: no two threads have the same.
function nextId() {
  return ++lastId;
}

class Scope {
  #site;
  #begin;
  #message;

  constructor(site, begin, message) {
    this.#site = site;
    this.#begin = begin;
    this.#message = message;
  }

  // The first end counts, so that `using` and an early end go together.
  end(message = this.#message) {
    const begin = this.#begin;
    this.#begin = 0;
    this.#site.end(begin, message);
  }
}
if (Symbol.dispose !== undefined) {
  Object.defineProperty(Scope.prototype, Symbol.dispose, {
    value() {
      this.end();
    },
  });
}

class Site {
  constructor(group, name) {
    this.group = group;
    this.name = name;
    this.index = native.site(group, name);
    // For scopes that begin while nothing is recorded: one does for all.
    this.idle = new Scope(this, 0);
    Object.freeze(this);
  }

  mark(begin, duration, message) {
    if (slots[ACTIVE] === 0) return;
    slots[A] = this.index;
    slots[B] = begin;
    slots[C] = duration;
    if (message === undefined) native.mark();
    else native.markText(message);
  }

  instant(message) {
    if (slots[ACTIVE] === 0) return;
    slots[A] = this.index;
    native.instant(message);
  }

  begin() {
    if (slots[ACTIVE] === 0) return 0;
    native.now();
    return slots[A];
  }

  end(begin, message) {
    if (begin === 0 || slots[ACTIVE] === 0) return;
    slots[A] = this.index;
    slots[B] = begin;
    if (message === undefined) native.end();
    else native.endText(message);
  }

  scope(message) {
    if (slots[ACTIVE] === 0) return this.idle;
    return new Scope(this, this.begin(), message);
  }

  run(fn, message) {
    if (slots[ACTIVE] === 0) return fn();
    const begin = this.begin();
    let result;
    try {
      result = fn();
    } catch (error) {
      this.end(begin, message);
      throw error;
    }
    if (isPlainPromise(result)) return this.#after(result, begin, message);
    if (isGeneratorObject(result)) return this.#through(result, message);
    this.end(begin, message);
    return result;
  }

  // Operations that overlap on one thread are told apart by their numbers.
  #after(promise, begin, message) {
    const id = nextId();
    return afterPromise(promise, () => this.async(id, begin, message));
  }

  #through(generator, message) {
    const id = nextId();
    let begin = 0;
    return throughGenerator(generator, () => {
      begin = this.begin();
    }, () => {
      this.async(id, begin, message);
      begin = 0; // further steps are none
    });
  }

  wrap(fn) {
    const site = this;
    const wrapped = function (...args) {
      if (slots[ACTIVE] === 0) return Reflect.apply(fn, this, args);
      return site.run(() => Reflect.apply(fn, this, args));
    };
    Object.defineProperty(wrapped, 'name', { value: fn.name });
    Object.defineProperty(wrapped, 'length', { value: fn.length });
    return wrapped;
  }

  async(id, begin, message) {
    if (begin === 0 || slots[ACTIVE] === 0) return;
    native.now();
    link(this, LINKS.whole, id, begin, slots[A] - begin, message);
  }

  linked(kind, id, message) {
    if (slots[ACTIVE] === 0) return;
    const number = LINKS[kind];
    if (number === undefined || number === LINKS.whole) {
      throw new TypeError(`syscap: no such link: ${kind}`);
    }
    native.now();
    link(this, number, id, slots[A], 0, message);
  }
}

function link(site, kind, id, begin, duration, message) {
  if (!Number.isSafeInteger(id) || id < 0) {
    throw new RangeError('syscap: an id is an integer from 0 to 2 ** 53 - 1');
  }
  slots[A] = site.index;
  slots[B] = kind;
  slots[C] = id;
  slots[D] = begin;
  slots[E] = duration;
  native.linked(message);
}

// The same for the same texts.
function site(group, name) {
  let names = made.get(group);
  if (names === undefined) made.set(group, (names = new Map()));
  let found = names.get(name);
  if (found === undefined) names.set(name, (found = new Site(group, name)));
  return found;
}

module.exports = { site, nextId, Site };
