// SPDX-License-Identifier: BSD-2-Clause
// mark.js - marks with their texts given at the call.
//
// A table holds the texts, so that repeated texts are passed to C once.  The
// table holds only the first REMEMBERED_MAX names, since names that never
// repeat (such as names with a number) would fill the memory.
'use strict';

const { native, slots, ACTIVE, B, C } = require('./slots.js');
const { now } = require('./clock.js');
const { nameOf, textOf, numberOf } = require('./value.js');
const { Site } = require('./site.js');

const REMEMBERED_MAX = 4096;

const groups = new Map(); // group -> name -> Site
let remembered = 0;

function find(group, name) {
  let names = groups.get(group);
  let site = names?.get(name);
  if (site !== undefined || remembered === REMEMBERED_MAX) return site;
  site = new Site(group, name);
  if (!site.isRecorded) return undefined;
  if (names === undefined) groups.set(group, (names = new Map()));
  names.set(name, site);
  remembered++;
  return site;
}

function mark(group, name, begin, duration = 0, message = undefined) {
  if (slots[ACTIVE] === 0) return;
  group = nameOf(group);
  name = nameOf(name);
  const site = find(group, name);
  if (site !== undefined) {
    site.mark(begin, duration, message);
    return;
  }
  const text = textOf(message);
  const from = numberOf(begin);
  const length = numberOf(duration);
  slots[B] = from;
  slots[C] = length;
  native.markNamed(group, name, text);
}

function instant(group, name, message) {
  if (slots[ACTIVE] !== 0) mark(group, name, now(), 0, message);
}

module.exports = { mark, instant, find };
