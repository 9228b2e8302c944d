// SPDX-License-Identifier: BSD-2-Clause
// spidermonkey_collect.js - a compiled function that spends nearly all time in
// the garbage collector.
const kept = [];

function fill(n) {
    for (let i = 0; i < n; i++)
        kept.push({i, text: `text ${i}`, more: [i]});
}

function collector(n) {
    for (let i = 0; i < n; i++)
        gc();
}

fill(100000);
collector(30);
