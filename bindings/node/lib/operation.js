// SPDX-License-Identifier: BSD-2-Clause
// operation.js - an operation that whatever it waits for finds again, by the
// asynchronous context it runs in.
//
// Its begin and its end are marks of their own, so that its steps belong to it
// also where the program ends before it does.
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { slots, ACTIVE } = require('./slots.js');
const { site, nextId } = require('./site.js');
const { find } = require('./mark.js');
const { nameOf } = require('./value.js');
const { isPlainPromise, afterPromise } = require('./follow.js');

let contexts; // made by the first operation: programs without one pay nothing

function operation(group, name, fn, message) {
  if (slots[ACTIVE] === 0) return fn();
  contexts ??= new AsyncLocalStorage();
  const id = nextId();
  const place = site(nameOf(group), nameOf(name));
  const end = () => place.linked('end', id);
  let result;

  place.linked('begin', id, message);
  try {
    result = contexts.run(Object.freeze({ group: place.group, id }), fn);
  } catch (error) {
    end();
    throw error;
  }
  if (isPlainPromise(result)) return afterPromise(result, end);
  end();
  return result;
}

function currentOperation() {
  return contexts?.getStore();
}

// Names that never come again are not remembered (mark.js): those are left
// out once there are too many.
function step(name, message) {
  if (slots[ACTIVE] === 0) return;
  const current = currentOperation();
  if (current === undefined) return;
  find(current.group, nameOf(name))?.linked('step', current.id, message);
}

module.exports = { operation, step, currentOperation };
