#!/usr/bin/env -S gjs -m
// SPDX-License-Identifier: BSD-2-Clause viewer.js - a GTK application that
// examines files in the background, lists the files, and draws a picture of
// each file.
//
//	SYSCAP_SAMPLE=1000 syscap record -o viewer.syscap -- gjs -m viewer.js
//	syscap stat viewer.syscap
//
// The program needs GTK 4.  The program also measures itself, and at its end
// prints the same figures as the capture.
import Gdk from 'gi://Gdk?version=4.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';
import Syscap from 'gi://Syscap?version=1';

Gio._promisify(Gio.File.prototype, 'load_contents_async',
    'load_contents_finish');
Gio._promisify(Gio.File.prototype, 'enumerate_children_async',
    'enumerate_children_finish');
Gio._promisify(Gio.FileEnumerator.prototype, 'next_files_async',
    'next_files_finish');

const GROUP = 'viewer';
const N_FILES = Number(ARGV[0] ?? 40);
const FOLDER = ARGV[1] ?? '/usr/include';

const shown = Syscap.Counter.new(GROUP, 'shown', 'Files in the list',
    Syscap.CounterType.INT64);
const mib = Syscap.Counter.new(GROUP, 'MiB', 'Read so far',
    Syscap.CounterType.DOUBLE);

// ---------------------------------------------------------------- statistics

// The number of times and the total duration of each step.
class Times {
    #steps = new Map();

    add(step, us) {
        const {n = 0, sum = 0} = this.#steps.get(step) ?? {};
        this.#steps.set(step, {n: n + 1, sum: sum + us});
    }

    // Records a step as a mark, and also measures the step.
    measure(step, message, work) {
        const scope = new Syscap.Scope(GROUP, step);
        const began = GLib.get_monotonic_time();
        try {
            return work();
        } finally {
            const us = GLib.get_monotonic_time() - began;
            scope.end(message);
            this.add(step, us);
        }
    }

    show() {
        for (const [step, {n, sum}] of this.#steps)
            print(`mark ${GROUP} ${step} ${n} ${(sum / 1000).toFixed(3)}`);
    }
}

const times = new Times();

// --------------------------------------------------------------------- model

// The data of a file: the number of times each byte occurs.
class Picture {
    constructor(name, bytes) {
        this.name = name;
        this.size = bytes.length;
        this.bars = Picture.count(bytes);
    }

    static count(bytes) {
        const bars = new Float64Array(64);
        let hash = 0;
        for (let round = 0; round < 20; round++) {
            for (let i = 0; i < bytes.length; i++) {
                hash = (hash * 31 + bytes[i]) % 65521;
                bars[(bytes[i] + hash) & 63]++;
            }
        }
        const most = Math.max(...bars, 1);
        return bars.map(bar => bar / most);
    }
}

// Generates files level by level, on request.
async function* findFiles(folder) {
    const waiting = [Gio.File.new_for_path(folder)];
    while (waiting.length > 0) {
        const children = await waiting.shift().enumerate_children_async(
            'standard::name,standard::type', Gio.FileQueryInfoFlags.NONE,
            GLib.PRIORITY_DEFAULT, null);
        for (;;) {
            const infos = await children.next_files_async(20,
                GLib.PRIORITY_DEFAULT, null);
            if (infos.length === 0)
                break;
            for (const info of infos) {
                const child = children.get_child(info);
                if (info.get_file_type() === Gio.FileType.DIRECTORY)
                    waiting.push(child);
                else if (info.get_file_type() === Gio.FileType.REGULAR)
                    yield child;
            }
        }
    }
}

// Loads in an operation, since the window is drawn during the load.
let lastId = 0;

async function loadPicture(file) {
    const id = ++lastId;
    const name = file.get_basename();
    Syscap.linked(GROUP, 'load', Syscap.Link.BEGIN, id, name);
    const began = GLib.get_monotonic_time();
    const [bytes] = await file.load_contents_async(null);
    const picture = times.measure('look', name,
        () => new Picture(name, bytes));
    times.add('load', GLib.get_monotonic_time() - began);
    Syscap.linked(GROUP, 'load', Syscap.Link.END, id, name);
    return picture;
}

// ---------------------------------------------------------------------- view

// Draws bars over the previous picture.
class Bars {
    constructor() {
        this.picture = null;
        this.drawn = 0;
        this.widget = new Gtk.DrawingArea({
            content_width: 320, content_height: 200, vexpand: true,
        });
        this.widget.set_draw_func((_area, cr, width, height) => {
            if (this.picture !== null) {
                times.measure('draw', this.picture.name,
                    () => this.draw(cr, width, height));
                this.drawn++;
            }
            cr.$dispose();
        });
    }

    draw(cr, width, height) {
        const {bars} = this.picture;
        const step = width / bars.length;
        for (let layer = 0; layer < 40; layer++) {
            bars.forEach((bar, i) => {
                cr.setSourceRGB(bar, 0.4, layer / 40);
                cr.rectangle(i * step, height * (1 - bar) + layer, step - 1,
                    height * bar);
                cr.fill();
            });
        }
    }

    show(picture) {
        this.picture = picture;
        this.widget.queue_draw();
    }
}

class Window {
    constructor(application) {
        this.bars = new Bars();
        this.list = new Gtk.ListBox();
        this.status = new Gtk.Label({label: 'nothing yet'});
        const box = new Gtk.Box({
            orientation: Gtk.Orientation.VERTICAL, spacing: 6,
        });
        const scrolled = new Gtk.ScrolledWindow({
            child: this.list, min_content_height: 160,
        });
        for (const child of [this.bars.widget, scrolled, this.status])
            box.append(child);
        this.widget = new Gtk.ApplicationWindow({
            application, title: 'Viewer', child: box,
        });
        this.bytes = 0;
        this.n = 0;
    }

    add(picture) {
        times.measure('add', null, () => {
            this.n++;
            this.bytes += picture.size;
            const row = new Gtk.Box({spacing: 3});
            row.append(new Gtk.Label({
                label: `${picture.name}: ${picture.size} bytes`, xalign: 0,
            }));
            for (const bar of picture.bars.subarray(0, 16))
                row.append(new Gtk.LevelBar({value: bar, width_request: 8}));
            this.list.append(row);
            this.status.label = `${this.n} files`;
            this.bars.show(picture);
        });
        shown.set_int64(this.n);
        mib.set_double(this.bytes / 2 ** 20);
    }

    // Settles at the next tick of the frame clock.
    nextFrame() {
        return new Promise(resolve => {
            this.widget.add_tick_callback(() => {
                resolve();
                return GLib.SOURCE_REMOVE;
            });
        });
    }
}

// ----------------------------------------------------------------------- app

async function showAll(window) {
    for await (const file of findFiles(FOLDER)) {
        window.add(await loadPicture(file));
        await window.nextFrame();
        if (window.n === N_FILES)
            break;
    }
    Syscap.log(GROUP, GLib.LogLevelFlags.LEVEL_INFO,
        `${window.n} files are shown`);
}

let window = null;
const application = new Gtk.Application({
    application_id: 'org.example.Viewer',
    flags: Gio.ApplicationFlags.NON_UNIQUE,
});
application.connect('activate', () => {
    window = new Window(application);
    window.widget.present();
    showAll(window).catch(error => logError(error)).finally(
        () => application.quit());
});
application.run([]);

times.show();
print(`counter ${GROUP} shown ${window.n}`);
print(`counter ${GROUP} MiB ${window.bytes / 2 ** 20}`);
print(`logs ${GROUP} 1`);
print('stack ^_?cairo_');
