// SPDX-License-Identifier: BSD-2-Clause
// start.js - code that runs when the page is opened.
import { begin } from './main.js';

begin();
