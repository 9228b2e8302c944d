// SPDX-License-Identifier: BSD-2-Clause
// spidermonkey.js - nested calls of JavaScript and C++, for spidermonkey.cpp.
// The script runs for a second, mostly in mix().
function mix(x) {
    let h = x;
    for (let i = 0; i < 4000; i++)
        h = Math.imul(h ^ i, 16777619);
    return h;
}

function innermost(n) {
    return mix(n) ^ mix(n + 1);
}

function thereAndBack(n) {
    return n === 0 ? innermost(n) : callBack(() => thereAndBack(n - 1));
}

function outermost(rounds) {
    let all = 0;
    for (let i = 0; i < rounds; i++)
        all ^= thereAndBack(2);
    return all;
}

const begin = Date.now();
while (Date.now() - begin < 1000)
    outermost(50);
