// SPDX-License-Identifier: BSD-2-Clause
// spidermonkey_hot.js - a script with nearly all time in hotLeaf(), below two
// callers.
function hotLeaf(x) {
    let h = x;
    for (let i = 0; i < 20000; i++)
        h = Math.imul(h ^ i, 16777619);
    return h;
}

function caller(n) {
    return hotLeaf(n) ^ hotLeaf(n + 1);
}

function work(rounds) {
    let a = 0;
    for (let i = 0; i < rounds; i++)
        a ^= caller(i);
    return a;
}

for (let i = 0; i < 25; i++)
    work(10);
