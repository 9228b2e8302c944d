// SPDX-License-Identifier: BSD-2-Clause
// counter.js - counters, which all threads of the process share.
'use strict';

const { native, slots, ACTIVE, A, B, C, D, PUT, ADD } =
  require('./slots.js');

const TYPES = { __proto__: null, int64: 0, double: 1 };
// The next three constants equal those of src/counters.c.
const NOTHING = 0;
const VALUE = 1;
const CHANGE = 2;

const made = new Map(); // type, category and name -> Counter

class Counter {
  // The value put or added without a recording, which costs no call.  The next
  // recorded call, or the thread's end, hands it over.
  #waiting = 0;
  #isPut = false;
  #index; // -1: there are too many counters, and every value stays in #waiting

  constructor(category, name, description, type) {
    this.category = category;
    this.name = name;
    this.description = description;
    this.type = type;
    this.#index = native.counter(category, name, description, TYPES[type]);
  }

  get isRecorded() {
    return this.#index >= 0;
  }

  get value() {
    if (this.#index < 0) return this.#waiting;
    this.tell();
    return this.#count(0, ADD, NOTHING);
  }

  set(value) {
    this.#put(value, VALUE);
  }

  update(value) {
    this.#put(value, CHANGE);
  }

  add(change = 1) {
    check(this, change);
    if (slots[ACTIVE] === 0 || this.#index < 0) {
      this.#waiting += change;
      return;
    }
    this.tell();
    this.#count(change, ADD, VALUE);
  }

  // Hands the waiting value to the counter of all threads.
  tell() {
    if ((this.#waiting === 0 && !this.#isPut) || this.#index < 0) return;
    this.#count(this.#waiting, this.#isPut ? PUT : ADD, NOTHING);
    this.#waiting = 0;
    this.#isPut = false;
  }

  #put(value, recorded) {
    check(this, value);
    if (slots[ACTIVE] === 0 || this.#index < 0) {
      this.#waiting = value;
      this.#isPut = true;
      return;
    }
    this.#waiting = 0;
    this.#isPut = false;
    this.#count(value, PUT, recorded);
  }

  #count(number, what, recorded) {
    slots[A] = this.#index;
    slots[B] = number;
    slots[C] = what;
    slots[D] = recorded;
    native.count();
    return slots[A];
  }
}

function check(counter, value) {
  if (typeof value !== 'number') {
    throw new TypeError(`syscap: ${counter.name}: a value must be a number`);
  }
}

// Returns the same Counter for the same texts and type.
function counter(category, name, description = '', { type = 'double' } = {}) {
  if (TYPES[type] === undefined) {
    throw new TypeError(`syscap: a counter's type is 'int64' or 'double'`);
  }
  const key = `${type}\0${category}\0${name}`;
  let found = made.get(key);
  if (found === undefined) {
    found = new Counter(category, name, description, type);
    if (found.isRecorded) made.set(key, found);
  }
  return found;
}

process.on('exit', () => {
  for (const each of made.values()) each.tell();
});

module.exports = { counter };
