// SPDX-License-Identifier: BSD-2-Clause
// index.d.ts - types of syscap/v8.

/** Add this thread's JavaScript functions to samples, as loading does. */
export function attach(): void;
/** Leave this thread's JavaScript functions out of later samples. */
export function detach(): void;
/** Number of function names that had no room and are not in the capture yet. */
export function namesLost(): number;
