// SPDX-License-Identifier: BSD-2-Clause
// site.js - sites: a group and a name for marks, made once and used often.
'use strict';

const { threadId } = require('node:worker_threads');
const { native, slots, ACTIVE, A, B, C, D, E } = require('./slots.js');
const { textOf, nameOf, numberOf } = require('./value.js');
const { log } = require('./log.js');
const { isGeneratorObject, isPlainPromise, afterPromise, throughGenerator } =
  require('./follow.js');

const WHOLE = 0;
const PARTS = { __proto__: null, begin: 1, step: 2, end: 3, out: 4, in: 5 };
const made = new Map(); // group -> name -> Site

let lastId = threadId * 2 ** 32;

// Returns an id for an operation of this package.  No two threads get equal
// ids.
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

  // Only the first end() counts, so that an early end() and `using` can be
  // combined.
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
    // All scopes that begin without a recording share this object.
    this.idle = new Scope(this, 0);
    Object.freeze(this);
  }

  // False if the thread has too many sites.
  get isRecorded() {
    return this.index >= 0;
  }

  mark(begin, duration, message) {
    if (slots[ACTIVE] === 0) return;
    const text = textOf(message);
    const from = numberOf(begin);
    const length = numberOf(duration);
    slots[A] = this.index;
    slots[B] = from;
    slots[C] = length;
    if (text === undefined) native.mark();
    else native.markText(text);
  }

  instant(message) {
    if (slots[ACTIVE] === 0) return;
    const text = textOf(message);
    slots[A] = this.index;
    native.instant(text);
  }

  begin() {
    if (slots[ACTIVE] === 0) return 0;
    native.now();
    return slots[A];
  }

  end(begin, message) {
    if (begin === 0 || slots[ACTIVE] === 0) return;
    const text = textOf(message);
    const from = numberOf(begin);
    slots[A] = this.index;
    slots[B] = from;
    if (text === undefined) native.end();
    else native.endText(text);
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

  // Operations of one thread may overlap, so each has its own id.
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
      begin = 0; // later calls record nothing
    });
  }

  wrap(fn) {
    const site = this;
    const wrapped = function (...args) {
      const call = () => new.target === undefined
        ? Reflect.apply(fn, this, args)
        : Reflect.construct(fn, args, new.target === wrapped ? fn : new.target);
      return slots[ACTIVE] === 0 ? call() : site.run(call);
    };
    // Static members of a class, and the prototype for `extends` and
    // `instanceof`
    if (fn.prototype !== undefined) {
      Object.setPrototypeOf(wrapped, fn);
      wrapped.prototype = fn.prototype;
    }
    Object.defineProperty(wrapped, 'name', { value: fn.name });
    Object.defineProperty(wrapped, 'length', { value: fn.length });
    return wrapped;
  }

  async(id, begin, message) {
    if (begin === 0 || slots[ACTIVE] === 0) return;
    native.now();
    const now = slots[A];
    const from = numberOf(begin);
    link(this, WHOLE, id, from, now - from, message);
  }

  linked(kind, id, message) {
    if (slots[ACTIVE] === 0) return;
    const number = PARTS[nameOf(kind)];
    if (number === undefined) {
      tellOf(this, `there is no link '${nameOf(kind)}'`);
      return;
    }
    native.now();
    link(this, number, id, slots[A], 0, message);
  }
}

// Logs the reason why a mark is not recorded.
function tellOf(site, what) {
  log('warning', 'syscap', `${what} for "${site.name}" of group "${site.group}"`);
}

function link(site, kind, id, begin, duration, message) {
  const number = numberOf(id);
  if (!Number.isSafeInteger(number) || number < 0) {
    tellOf(site, 'an id is no integer from 0 to 2 ** 53 - 1');
    return;
  }
  const text = textOf(message);
  slots[A] = site.index;
  slots[B] = kind;
  slots[C] = number;
  slots[D] = begin;
  slots[E] = duration;
  native.linked(text);
}

// Returns the same Site for the same texts.
function site(group, name) {
  let names = made.get(group);
  if (names === undefined) made.set(group, (names = new Map()));
  let found = names.get(name);
  if (found === undefined) {
    found = new Site(group, name);
    if (found.isRecorded) names.set(name, found);
  }
  return found;
}

module.exports = { site, nextId, Site };
