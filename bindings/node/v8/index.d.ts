// SPDX-License-Identifier: BSD-2-Clause
// index.d.ts - types of syscap/v8.

/** Have this thread's JavaScript functions in samples; loading did it. */
export function attach(): void;
/** Leave them out from here on. */
export function detach(): void;
/** Names of functions that the capture had no room for, and has not got so far. */
export function namesLost(): number;
