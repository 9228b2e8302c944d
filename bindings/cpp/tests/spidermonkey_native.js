// SPDX-License-Identifier: BSD-2-Clause
// spidermonkey_native.js - 400 nested calls, each through C++.
function deep(n) {
    if (n === 0) {
        burn(300000);
        return 0;
    }
    return callBack(() => 1 + deep(n - 1));
}

deep(400);
