// SPDX-License-Identifier: BSD-2-Clause
// follow.js - what goes on after the function that made it has returned:
// promises and generators.
'use strict';

const { isGeneratorObject, isPromise } = require('node:util').types;

// Nobody's but the language's: of one with methods of its own (execa's), or of
// another class, its user would miss them in what then() gives.
function isPlainPromise(object) {
  return isPromise(object) && object.constructor === Promise &&
    Object.keys(object).length === 0;
}

// The promise behind it: what is rejected stays so, and is noticed if nobody
// handles it.
function afterPromise(promise, end) {
  return promise.then(
    (value) => {
      end();
      return value;
    },
    (error) => {
      end();
      throw error;
    },
  );
}

const STEPS = ['next', 'return', 'throw'];

// The generator itself, whose steps tell when the first begins and the last
// ends.
function throughGenerator(generator, begin, end) {
  let isBegun = false;
  const note = (step) => {
    if (step.done) end();
    return step;
  };
  for (const name of STEPS) {
    const step = generator[name];
    const value = function (...args) {
      if (!isBegun) {
        isBegun = true;
        begin();
      }
      let result;
      try {
        result = Reflect.apply(step, this, args);
      } catch (error) {
        end();
        throw error;
      }
      if (!isPromise(result)) return note(result);
      return result.then(note, (error) => {
        end();
        throw error;
      });
    };
    Object.defineProperty(generator, name,
      { value, configurable: true, writable: true });
  }
  return generator;
}

module.exports = {
  isGeneratorObject, isPlainPromise, afterPromise, throughGenerator,
};
