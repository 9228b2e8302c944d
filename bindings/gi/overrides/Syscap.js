// SPDX-License-Identifier: BSD-2-Clause
// Syscap.js - the namespace's adaptation to GJS: no native calls without a
// recording, optional messages, and scopes as plain JavaScript objects.  Boxed
// objects cost the garbage collector ten times more.

const ByteArray = imports.byteArray;

// Returns a view of the library's word "a recording is active", which changes
// without a call.  If the engine returns copies of memory, returns an object
// that makes a call for each read.
function activity(Syscap) {
    const probe = ByteArray.fromGBytes(Syscap.share(true));
    const before = probe[0];
    Syscap.share(true);
    if (probe[0] === before) {
        return {
            get 0() {
                return Syscap.is_active() ? 1 : 0;
            },
        };
    }
    const bytes = ByteArray.fromGBytes(Syscap.share(false));
    return new Int32Array(bytes.buffer, bytes.byteOffset, 1);
}

function wrapMarks(Syscap, active) {
    const {
        instant, linked, log, mark, mark_by_id: markById,
        mark_since: markSince, mark_since_by_id: markSinceById, metadata,
        now_double: nowDouble,
    } = Syscap;

    // GJS warns about 64-bit integers that a double cannot hold exactly.
    Syscap.now = nowDouble;
    Syscap.begin = function () {
        return active[0] !== 0 ? nowDouble() : 0;
    };
    Syscap.is_active = function () {
        return active[0] !== 0;
    };
    Syscap.mark = function (group, name, begin, duration, message = null) {
        if (active[0] !== 0)
            mark(group, name, begin, duration, message);
    };
    Syscap.mark_since = function (group, name, begin, message = null) {
        if (active[0] !== 0)
            markSince(group, name, begin, message);
    };
    Syscap.mark_by_id = function (id, begin, duration, message = null) {
        if (active[0] !== 0)
            markById(id, begin, duration, message);
    };
    Syscap.mark_since_by_id = function (id, begin, message = null) {
        if (active[0] !== 0)
            markSinceById(id, begin, message);
    };
    Syscap.instant = function (group, name, message = null) {
        if (active[0] !== 0)
            instant(group, name, message);
    };
    Syscap.linked = function (group, name, link, id, message = null) {
        if (active[0] !== 0)
            linked(group, name, link, id, message);
    };
    Syscap.log = function (domain, level, message) {
        if (active[0] !== 0)
            log(domain, level, message);
    };
    Syscap.metadata = function (id, value) {
        if (active[0] !== 0)
            metadata(id, value);
    };
}

// Adds traced(), which makes functions that record each of their calls.
function addTraced(Syscap, active) {
    const {
        intern, mark_since_by_id: markSinceById, now_double: nowDouble,
    } = Syscap;
    // In a script like this one, an access to a global costs as much as a call.
    const PromiseClass = Promise;
    const ObjectClass = Object;

    // The wrapper is a separate function, because a closure within the traced
    // function would cost each call an environment.
    function endLater(promise, id, begin) {
        return promise.finally(() => markSinceById(id, begin, null));
    }

    // Returns @generator itself, with methods that record one mark from the
    // begin of the first step to the end of the last.
    function endWithSteps(generator, id) {
        let begin = 0;
        const end = () => {
            if (begin !== 0)
                markSinceById(id, begin, null);
            begin = 0;
        };
        const note = step => {
            if (step.done)
                end();
            return step;
        };
        const fail = error => {
            end();
            throw error;
        };
        let isNew = true;
        for (const name of ['next', 'return', 'throw']) {
            const take = generator[name];
            generator[name] = function (...args) {
                if (isNew && active[0] !== 0)
                    begin = nowDouble();
                isNew = false;
                let step;
                try {
                    step = take.apply(this, args);
                } catch (error) {
                    fail(error);
                }
                return step instanceof PromiseClass
                    ? step.then(note, fail) : note(step);
            };
        }
        return generator;
    }

    function isGenerator(object) {
        const tag = ObjectClass.prototype.toString.call(object);
        return tag === '[object Generator]' ||
            tag === '[object AsyncGenerator]';
    }

    // The mark ends when the function returns, when its promise settles, or
    // when its generator ends.
    Syscap.traced = function (group, name, func) {
        const id = intern(group, name);

        return function (...args) {
            if (active[0] === 0)
                return func.apply(this, args);
            const begin = nowDouble();
            let result;
            try {
                result = func.apply(this, args);
            } catch (error) {
                markSinceById(id, begin, null);
                throw error;
            }
            if (result !== null && typeof result === 'object') {
                if (result instanceof PromiseClass)
                    return endLater(result, id, begin);
                if (isGenerator(result))
                    return endWithSteps(result, id);
            }
            markSinceById(id, begin, null);
            return result;
        };
    };
}

function makeScope(Syscap, active) {
    const {
        mark_since: markSince, mark_since_by_id: markSinceById,
        now_double: nowDouble,
    } = Syscap;

    class Scope {
        constructor(group, name) {
            this._group = group;
            this._name = name;
            this._begin = active[0] !== 0 ? nowDouble() : 0;
        }

        static new(group, name) {
            return new Scope(group, name);
        }

        static new_by_id(id) {
            return new Scope(id, null);
        }

        end(message = null) {
            const begin = this._begin;

            if (begin === 0)
                return;
            this._begin = 0;
            if (this._name === null)
                markSinceById(this._group, begin, message);
            else
                markSince(this._group, this._name, begin, message);
        }
    }

    // Support `using` if the engine has it.
    if (Symbol.dispose) {
        Scope.prototype[Symbol.dispose] = function () {
            this.end();
        };
    }
    return Scope;
}

function wrapCounter({ prototype }, active) {
    for (const name of ['set_int64', 'set_double', 'update_int64',
        'update_double']) {
        const native = prototype[name];

        prototype[name] = function (value) {
            if (active[0] !== 0)
                native.call(this, value);
        };
    }

    // The library adds also without a recording.
    const add = prototype.add;
    prototype.add = function (n = 1) {
        add.call(this, n);
    };
}

function wrapSession(Syscap) {
    const { sampler_start: samplerStart, start } = Syscap;

    Syscap.start = function (output, options = null) {
        if (options !== null && !(options instanceof Syscap.StartOptions))
            options = new Syscap.StartOptions(options);
        return start(output, options);
    };
    Syscap.sampler_start = function (hz = 0,
        clock = Syscap.SamplerClock.AUTO) {
        return samplerStart(hz, clock);
    };
}

function _init() {
    const active = activity(this);

    // addTraced() and makeScope() use the native functions, so they come first.
    addTraced(this, active);
    this.Scope = makeScope(this, active);
    wrapMarks(this, active);
    wrapCounter(this.Counter, active);
    wrapSession(this);
}
