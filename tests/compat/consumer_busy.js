// SPDX-License-Identifier: BSD-2-Clause
// consumer_busy.js - JavaScript for two seconds of processor time, whose names a
// profile has to hold: a leaf, recursion below it, calls into C, garbage.
const {GLib} = imports.gi;
const System = imports.system;

function leafHash(x) {
    let h = x;
    for (let i = 0; i < 400; i++)
        h = Math.imul(h ^ i, 16777619);
    return h;
}

function alpha(n) {
    return n > 0 ? beta(n - 1) + leafHash(n) : leafHash(1);
}

function beta(n) {
    return n > 0 ? alpha(n - 1) ^ leafHash(n) : leafHash(2);
}

function intoC(n) {
    let s = 0;
    for (let i = 0; i < n; i++)
        s += GLib.get_monotonic_time() & 1;
    return s;
}

function garbage(n) {
    const kept = [];
    for (let i = 0; i < n; i++)
        kept.push({i, text: `${i}`});
    return kept.length;
}

function driver(rounds) {
    let a = 0;
    for (let i = 0; i < rounds; i++)
        a ^= alpha(12) ^ intoC(20) ^ garbage(50);
    return a;
}

// The main thread's processor time, in nanoseconds
function processorTime() {
    const [, bytes] = GLib.file_get_contents('/proc/self/schedstat');
    return parseInt(new TextDecoder().decode(bytes));
}

const begin = processorTime();
let n = 0;
while (processorTime() - begin < 2e9) {
    driver(20);
    if (++n % 50 === 0)
        System.gc();
}
System.gc();
