// SPDX-License-Identifier: BSD-2-Clause
// consumer_deep.js - JavaScript recursion deeper than a frame of a capture is
// long, sampled at its bottom, and a shallow function after it.
//
// With the JIT off (GJS_DISABLE_JIT=1) each call is an entry of the sample: a
// frame holds 8,187.  Prints one line for each completed depth.  Much deeper,
// and GJS's handler takes longer than its timer: nothing else runs.
const {GLib} = imports.gi;

let begin;

function bottom() {
    while (GLib.get_monotonic_time() - begin < 300000)
        ;
    return 0;
}

function deep(n) {
    return n === 0 ? bottom() : 1 + deep(n - 1);
}

function afterwards() {
    return bottom();
}

for (const depth of [100, 7000, 9000]) {
    begin = GLib.get_monotonic_time();
    try {
        deep(depth);
        print(`deep ${depth}`);
    } catch (e) {
        // The recursion may fail, but the program must not crash.
        print(`deep ${depth} ${e.message}`);
    }
}
begin = GLib.get_monotonic_time();
afterwards();
print('afterwards');
