// SPDX-License-Identifier: BSD-2-Clause
// mark.js - marks whose texts are given at the call.
//
// Texts that come again are looked up, so that they cross into C once.  Names
// that never do (with a number in them) would fill the memory: so only the
// first ones are remembered.
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
