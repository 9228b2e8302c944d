// SPDX-License-Identifier: BSD-2-Clause
// deeds.js - the deeds of deeds.c, in GJS.
import GLib from 'gi://GLib';
import Syscap from 'gi://Syscap?version=1';

function makeMarks() {
    const id = Syscap.intern('deeds', 'by id');
    const now = Syscap.now();

    Syscap.mark('deeds', 'mark', now, 5000000, 'größe');
    Syscap.mark_since('deeds', 'since', now);
    Syscap.mark_since('deeds', 'since nothing', 0);
    Syscap.instant('deeds', 'instant', 'a text');
    if (id === 0 || Syscap.intern('deeds', 'by id') !== id)
        throw new Error('another number for the same texts');
    Syscap.mark_by_id(id, now, 7);
    Syscap.mark_since_by_id(id, now, 'until now');
    Syscap.mark_by_id(4000000, now, 7, 'of nobody');
    Syscap.linked('deeds', 'job', Syscap.Link.BEGIN, 42, 'go');
    Syscap.linked('deeds', 'job', Syscap.Link.END, 42);
    Syscap.metadata('deeds.version', '1.0');
}

function makeScopes() {
    const block = Syscap.Scope.new('deeds', 'block');

    try {
        const scope = new Syscap.Scope('deeds', 'scope');
        scope.end('done');
        scope.end('again');
        const id = Syscap.intern('deeds', 'scope by id');
        Syscap.Scope.new_by_id(id).end();
        new Syscap.Scope('ä'.repeat(16), 'ö'.repeat(32)).end();
    } finally {
        block.end();
    }
}

function setCounters() {
    const whole = Syscap.Counter.new('deeds', 'whole', 'An integer',
        Syscap.CounterType.INT64);
    const real = new Syscap.Counter('deeds', 'real', 'A double',
        Syscap.CounterType.DOUBLE);

    if (!whole.is_valid())
        throw new Error('no room for a counter');
    whole.set_int64(-5);
    whole.set_double(2.9);
    whole.set_double(1e300);
    real.set_double(0.5);
    real.set_int64(3);
    whole.update_int64(8);
    whole.update_int64(8);
    real.update_double(8.25);
    real.update_double(8.25);
    const sum = Syscap.Counter.new('deeds', 'sum', 'Added',
        Syscap.CounterType.INT64);
    sum.add();
    sum.add(6);
    sum.add(-2);
}

makeMarks();
makeScopes();
setCounters();
Syscap.log('deeds', GLib.LogLevelFlags.LEVEL_INFO, 'a line');
print(Syscap.is_active() ? 'recorded' : 'off');
