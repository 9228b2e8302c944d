// SPDX-License-Identifier: BSD-2-Clause
// index.js - JavaScript functions in the stacks of syscap's sampler, from data
// of V8 itself:
//
//	SYSCAP_SAMPLE=1000 syscap record -- node -r syscap/v8 program.js
//
// require() of this module attaches the calling thread; -r attaches workers,
// too.
'use strict';

const path = require('node:path');
require('../lib/thread.js');
const { native } = require('../lib/slots.js');
const { beginnings, endings, isActive } = require('../lib/recording.js');

function load() {
  if (native.functions === undefined) throw new Error(native.stats().reason);
  const version = process.versions.modules;
  const file = path.join(__dirname, '..', 'build', 'Release',
    `syscap-v8-${version}.node`);
  try {
    return require(file);
  } catch (error) {
    throw new Error(`syscap/v8: there is no addon for Node ` +
      `${process.version} (modules ${version}); it goes with one major ` +
      `version.  Run "npm rebuild syscap".  ${error.message}`,
    { cause: error });
  }
}

const addon = load();
let isAttached = false;

// Reports existing code when recording begins, since no earlier code is kept.
function onRecording() {
  addon.tellCode();
}

function attach() {
  if (isAttached) return;
  if (!addon.attach(native.functions)) {
    throw new Error('syscap/v8: this thread has no room for a provider');
  }
  isAttached = true;
  beginnings.add(onRecording);
  endings.add(addon.tellKept);
  if (isActive()) onRecording();
}

function detach() {
  if (!isAttached) return;
  isAttached = false;
  beginnings.delete(onRecording);
  endings.delete(addon.tellKept);
  addon.detach();
}

attach();

module.exports = { attach, detach, namesLost: addon.lost };
