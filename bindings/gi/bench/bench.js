// SPDX-License-Identifier: BSD-2-Clause
// bench.js - the cost of the calls in GJS.  The benchmark is a module, because
// in a script each access to a global variable costs 80 ns, more than the
// calls.
import GLib from 'gi://GLib';
import Syscap from 'gi://Syscap?version=1';
import SyscapBench from 'gi://SyscapBench?version=1';

// A run of this number of calls is mostly not interrupted.
const N_CALLS = Syscap.is_active() ? 250 : 1000;
const N_ROUNDS = 201;

const id = Syscap.intern('bench', 'by id');
const counter = Syscap.Counter.new('bench', 'c', '',
    Syscap.CounterType.INT64);
const traced = Syscap.traced('bench', 'traced', () => 1);

// Each case has its own loop, so that GJS compiles each case separately.
const cases = {
    'no-op GI call': n => {
        for (let i = 0; i < n; i++)
            SyscapBench.nop();
    },
    'is_active': n => {
        for (let i = 0; i < n; i++)
            Syscap.is_active();
    },
    'now': n => {
        for (let i = 0; i < n; i++)
            Syscap.now();
    },
    'mark, texts': n => {
        for (let i = 0; i < n; i++)
            Syscap.mark('bench', 'mark', 1, 2, 'a message');
    },
    'mark_by_id': n => {
        for (let i = 0; i < n; i++)
            Syscap.mark_by_id(id, 1, 2);
    },
    'begin, mark_since_by_id': n => {
        for (let i = 0; i < n; i++)
            Syscap.mark_since_by_id(id, Syscap.begin());
    },
    'Scope, texts': n => {
        for (let i = 0; i < n; i++)
            new Syscap.Scope('bench', 'scope').end();
    },
    'Scope.new_by_id': n => {
        for (let i = 0; i < n; i++)
            Syscap.Scope.new_by_id(id).end();
    },
    'traced function': n => {
        for (let i = 0; i < n; i++)
            traced();
    },
    'Counter.set_int64': n => {
        for (let i = 0; i < n; i++)
            counter.set_int64(i);
    },
    'log': n => {
        for (let i = 0; i < n; i++)
            Syscap.log('bench', GLib.LogLevelFlags.LEVEL_INFO, 'a message');
    },
};

const times = {};
for (const name in cases)
    times[name] = [];
for (let round = 0; round < N_ROUNDS; round++) {
    for (const name in cases) {
        cases[name](N_CALLS / 10);
        const before = GLib.get_monotonic_time();
        cases[name](N_CALLS);
        times[name].push((GLib.get_monotonic_time() - before) * 1000 / N_CALLS);
        // The recorder empties the ring during this pause.
        GLib.usleep(2000);
    }
}
const median = list => list.sort((a, b) => a - b)[list.length >> 1];
const nop = median(times['no-op GI call']);
for (const name in cases) {
    const ns = median(times[name]);
    print(`${name.padEnd(34)} ${ns.toFixed(1).padStart(9)} ns ${
        (ns / nop).toFixed(2).padStart(7)} x`);
}
print(`dropped: ${Syscap.get_n_dropped()}`);
