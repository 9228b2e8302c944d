// SPDX-License-Identifier: BSD-2-Clause
// spidermonkey_late.js - a script with JavaScript on the stack when profiling
// begins, ends, or both.
function hotLeaf(x) {
    let h = x;
    for (let i = 0; i < 20000; i++)
        h = Math.imul(h ^ i, 16777619);
    return h;
}

function work(rounds) {
    let a = 0;
    for (let i = 0; i < rounds; i++)
        a ^= hotLeaf(i);
    return a;
}

work(300);
for (let i = 0; i < 20; i++) {
    if (!callBack(attach))
        throw new Error('attach');
    work(300);
    callBack(() => {
        work(30);
        detach();
        work(30);
    });
    work(30);
    callBack(() => attach());
    callBack(() => callBack(() => work(30)));
    callBack(detach);
}
if (!attach())
    throw new Error('attach');
work(300);
