// SPDX-License-Identifier: BSD-2-Clause
// value.js - conversion of arguments of any type.  An event must not throw an
// exception, least of all an exception that occurs only during a recording.
//
// Callers convert before they fill the slots, since an object's toString() is
// application code and may record events that use the slots.
'use strict';

// Converts a message, which may be undefined.
function textOf(value) {
  if (typeof value === 'string' || value === undefined) return value;
  if (value === null) return undefined;
  try {
    return String(value);
  } catch {
    return undefined;
  }
}

// Converts a name, which is never undefined.
function nameOf(value) {
  return typeof value === 'string' ? value : textOf(value) ?? '';
}

// The user of the number reports NaN (src/marks.c).
function numberOf(value) {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' || typeof value === 'string'
    ? Number(value) : NaN;
}

module.exports = { textOf, nameOf, numberOf };
