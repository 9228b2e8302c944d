// SPDX-License-Identifier: BSD-2-Clause
// value.js - what calls of a recorded program are given, whatever it is: an
// event is not worth an exception, and least of all one that comes only while
// somebody looks.
//
// To be called before the slots are filled: what makes a text of an object is
// the program's, and may use them.
'use strict';

// Of a message, which may be left out.
function textOf(value) {
  if (typeof value === 'string' || value === undefined) return value;
  if (value === null) return undefined;
  try {
    return String(value);
  } catch {
    return undefined;
  }
}

// Of a name, which may not.
function nameOf(value) {
  return typeof value === 'string' ? value : textOf(value) ?? '';
}

// NaN is told of where it is used (src/marks.c).
function numberOf(value) {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' || typeof value === 'string'
    ? Number(value) : NaN;
}

module.exports = { textOf, nameOf, numberOf };
