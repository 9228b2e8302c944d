#!/usr/bin/env -S gjs -m
// SPDX-License-Identifier: BSD-2-Clause
// thumbnails.js - a loop that pretends to draw pictures, and records its work:
//
//	syscap record -o js.syscap -- gjs -m thumbnails.js
//	syscap stat js.syscap
import GLib from 'gi://GLib';
import Syscap from 'gi://Syscap?version=1';

const N_PICTURES = 40;
const nDrawn = Syscap.Counter.new('thumbnails', 'drawn', 'Pictures drawn',
    Syscap.CounterType.INT64);
const bytes = Syscap.Counter.new('thumbnails', 'MiB', 'Size of all pictures',
    Syscap.CounterType.DOUBLE);

// A frequent mark interns its names once, as a number.
const scaleId = Syscap.intern('thumbnails', 'scale');

function scale(size) {
    const begin = Syscap.begin();
    let sum = 0;
    for (let i = 0; i < size * 1000; i++)
        sum = (sum * 31 + i) % 65521;
    Syscap.mark_since_by_id(scaleId, begin);
    return sum;
}

function draw(i) {
    const scope = new Syscap.Scope('thumbnails', 'draw');
    try {
        scale(20 + i % 7 * 10);
        if (i % 10 === 9)
            Syscap.instant('thumbnails', 'flush', `after ${i + 1}`);
    } finally {
        scope.end(`picture ${i}`);
    }
}

const pause = ms => new Promise(resolve => {
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, ms, () => {
        resolve();
        return GLib.SOURCE_REMOVE;
    });
});

// The mark of drawAll() lasts until the promise settles.
const drawAll = Syscap.traced('thumbnails', 'draw all', async function () {
    for (let i = 0; i < N_PICTURES; i++) {
        draw(i);
        nDrawn.set_int64(i + 1);
        bytes.set_double((i + 1) * 0.75);
        await pause(1);
    }
});

const loop = GLib.MainLoop.new(null, false);
Syscap.log_install();
drawAll().then(() => {
    console.info('all pictures are drawn');
    loop.quit();
});
loop.run();
print(`${N_PICTURES} pictures, ${Syscap.is_active() ? '' : 'not '}recorded`);
