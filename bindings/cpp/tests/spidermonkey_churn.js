// SPDX-License-Identifier: BSD-2-Clause spidermonkey_churn.js - code that is
// made, compiled and freed, and garbage, so that all memory that a stack walk
// reads changes during the walk.
function make(i) {
    return eval(`(function dyn_${i % 97}(x) {
        const o = [];
        for (let k = 0; k < 30; k++)
            o.push({k, s: 'z' + k + x});
        return o.length;
    })`);
}

function churn(f, n) {
    let a = 0;
    for (let i = 0; i < n; i++)
        a += f(i);
    return a;
}

function shapes(i) {
    const fs = [x => x + 1, x => `${x}a`, x => ({x}), x => [x]];
    let s = 0;
    for (let j = 0; j < 3000; j++)
        s += String(fs[(i + j) & 3](j)).length;
    return s;
}

function thrown(n) {
    try {
        return n === 0 ? null.x : callBack(() => thrown(n - 1));
    } catch (e) {
        return String(e.stack).length;
    }
}

for (let i = 0; i < 400; i++) {
    churn(make(i), 120);
    if (i % 10 === 0)
        thrown(3);
    if (i % 40 === 0)
        shapes(i);
    if (i % 100 === 0)
        gc();
}
