// SPDX-License-Identifier: BSD-2-Clause
// operation.js - operations, which awaited code finds by the asynchronous
// context.
//
// The begin and the end of an operation are separate marks, so the capture has
// the begin even if the program ends before the operation.
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { slots, ACTIVE } = require('./slots.js');
const { site, nextId } = require('./site.js');
const { find } = require('./mark.js');
const { nameOf } = require('./value.js');
const { isPlainPromise, afterPromise } = require('./follow.js');

// made by the first operation, so that other programs have no cost
let contexts;

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

// When the table of names (mark.js) is full, step() does not record steps with
// new names.
function step(name, message) {
  if (slots[ACTIVE] === 0) return;
  const current = currentOperation();
  if (current === undefined) return;
  find(current.group, nameOf(name))?.linked('step', current.id, message);
}

module.exports = { operation, step, currentOperation };
