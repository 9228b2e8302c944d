// SPDX-License-Identifier: BSD-2-Clause
// spidermonkey_nest.js - nested calls of JavaScript and C++, three deep.
function inner() {
    let h = 1;
    for (let i = 0; i < 3000; i++)
        h = Math.imul(h ^ i, 16777619);
    burn(100);
    return h;
}

function viaNative(n) {
    return n === 0 ? inner() : callBack(() => viaNative(n - 1));
}

function outer(n) {
    let s = 0;
    for (let i = 0; i < n; i++)
        s ^= viaNative(2);
    return s;
}

outer(200);
