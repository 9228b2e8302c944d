// SPDX-License-Identifier: BSD-2-Clause
// spidermonkey_deep.js - 20,000 nested calls, the innermost for 300 ms.
function bottom() {
    const begin = Date.now();
    while (Date.now() - begin < 300)
        ;
    return 0;
}

function deep(n) {
    return n === 0 ? bottom() : 1 + deep(n - 1);
}

if (deep(20000) !== 20000)
    throw new Error('it did not come down to the bottom');
