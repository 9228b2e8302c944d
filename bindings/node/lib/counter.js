// SPDX-License-Identifier: BSD-2-Clause
// counter.js - numbers that change.
'use strict';

const { native, slots, ACTIVE, A, B } = require('./slots.js');

const TYPES = { int64: 0, double: 1 };

class Counter {
  constructor(category, name, description, type) {
    const number = TYPES[type];
    if (number === undefined) {
      throw new TypeError(`syscap: a counter's type is 'int64' or 'double'`);
    }
    this.category = category;
    this.name = name;
    this.description = description;
    this.type = type;
    this.index = native.counter(category, name, description, number);
    this.value = 0; // that add() adds to
  }

  set(value) {
    this.value = value;
    if (slots[ACTIVE] === 0) return;
    this.put(value);
    if (this.type === 'int64') native.countInt();
    else native.countDouble();
  }

  update(value) {
    this.value = value;
    if (slots[ACTIVE] === 0) return;
    this.put(value);
    if (this.type === 'int64') native.updateInt();
    else native.updateDouble();
  }

  add(change = 1) {
    this.set(this.value + change);
  }

  put(value) {
    if (typeof value !== 'number') {
      throw new TypeError(`syscap: ${this.name}: a value must be a number`);
    }
    if (this.type === 'int64' && !Number.isSafeInteger(value)) {
      throw new RangeError(`syscap: ${this.name}: not a safe integer: ${value}`);
    }
    slots[A] = this.index;
    slots[B] = value;
  }
}

function counter(category, name, description = '', { type = 'double' } = {}) {
  return new Counter(category, name, description, type);
}

module.exports = { counter, Counter };
