// SPDX-License-Identifier: BSD-2-Clause
// consumer_deep.js - JavaScript recursion deeper than a frame of a capture is
// long, sampled at its bottom, and a shallow function after it.
//
// With the JIT off (GJS_DISABLE_JIT=1) each call is an entry of the sample: a
// frame holds 8,187.  Prints one line for each completed depth.  Much deeper,
// and GJS's handler takes longer than its timer: nothing else runs.
const {GLib} = imports.gi;

let begin;

// The main thread's processor time, in nanoseconds
function processorTime() {
    const [, bytes] = GLib.file_get_contents('/proc/self/schedstat');
    return parseInt(new TextDecoder().decode(bytes));
}

function bottom() {
    while (processorTime() - begin < 3e8)
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
    begin = processorTime();
    try {
        deep(depth);
        print(`deep ${depth}`);
    } catch (e) {
        // The recursion may fail, but the program must not crash.
        print(`deep ${depth} ${e.message}`);
    }
}
begin = processorTime();
afterwards();
print('afterwards');
