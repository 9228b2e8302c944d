// SPDX-License-Identifier: BSD-2-Clause
// follow.js - marks of promises and generators, which continue after their
// function has returned.
'use strict';

const { isGeneratorObject, isPromise } = require('node:util').types;

// True if @object is a promise of the class Promise itself, without own methods
// (unlike execa's).  The result of then() would lack these methods.
function isPlainPromise(object) {
  return isPromise(object) && object.constructor === Promise &&
    Object.keys(object).length === 0;
}

// Returns a promise that settles after @promise and @end.  A rejection stays a
// rejection, which Node reports if it is not handled.
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

// Returns @generator itself, with methods that call @begin before the first
// step and @end after the last.
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
