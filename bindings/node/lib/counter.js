// SPDX-License-Identifier: BSD-2-Clause
// counter.js - numbers that change, one for all threads of the process.
'use strict';

const { native, slots, ACTIVE, A, B, C, D, PUT, ADD } =
  require('./slots.js');

const TYPES = { __proto__: null, int64: 0, double: 1 };
// src/counters.c has the same numbers.
const NOTHING = 0;
const VALUE = 1;
const CHANGE = 2;

const made = new Map(); // type, category and name -> Counter

class Counter {
  // What was put or added while nothing was recorded: it costs no call, and
  // is told with what comes next, or at the thread's end.
  #waiting = 0;
  #isPut = false;
  #index; // -1: there are too many; then all waits

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

  // Other threads' counters learn what waits here.
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

// The same for the same texts and type.
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
