// SPDX-License-Identifier: BSD-2-Clause viewer.vala - a GTK application with
// threads that examine files, a list of the files, and a picture of each file.
//
//	valac --pkg gtk4 --pkg syscap-glib-1 viewer.vala
//	SYSCAP_SAMPLE=1000 syscap record -o viewer.syscap -- ./viewer
//	syscap stat viewer.syscap
//
// The program also measures itself, and at its end prints the same figures as
// the capture.

const string GROUP = "viewer";
const int N_BARS = 64;

// ----------------------------------------------------------------- statistics

// The number of times and the total duration of each step.
class Times : Object {
    private class Step {
        public int n;
        public int64 us;
    }

    private HashTable<string, Step> steps =
        new HashTable<string, Step> (str_hash, str_equal);
    private Mutex mutex = Mutex ();

    public void add (string name, int64 us) {
        mutex.lock ();
        var step = steps[name];
        if (step == null) {
            step = new Step ();
            steps[name] = step;
        }
        step.n++;
        step.us += us;
        mutex.unlock ();
    }

    public void show () {
        steps.foreach ((name, step) => {
            print ("mark %s %s %d %.3f\n", GROUP, name, step.n,
                   step.us / 1000.0);
        });
    }
}

Times times;

// Records the rest of a block as a mark, and also measures it.
class Measured {
    private Syscap.Scope scope;
    private string step;
    private int64 began;
    private string? message;

    public Measured (string step, string? message = null) {
        this.step = step;
        this.message = message;
        scope = new Syscap.Scope (GROUP, step);
        began = get_monotonic_time ();
    }

    ~Measured () {
        var us = get_monotonic_time () - began;
        scope.end (message);
        times.add (step, us);
    }
}

// ---------------------------------------------------------------------- model

// The data of a file: the number of times each byte occurs.
class Picture : Object {
    public string name { get; construct; }
    public size_t size;
    public double bars[64];

    public Picture (string name) {
        Object (name: name);
    }

    // Runs in a thread of the pool.
    public void look (uint8[] data) {
        var measured = new Measured ("look", name);
        count_bytes (data);
        measured = null;
    }

    private void count_bytes (uint8[] data) {
        uint hash = 0;
        double most = 1;

        size = data.length;
        for (var round = 0; round < 100; round++) {
            foreach (var byte in data) {
                hash = (hash * 31 + byte) % 65521;
                bars[(byte + hash) % N_BARS] += 1;
            }
        }
        foreach (var bar in bars)
            most = double.max (most, bar);
        for (var i = 0; i < N_BARS; i++)
            bars[i] /= most;
    }
}

// Finds files for the threads of the pool, which read and examine the files.
class Loader : Object {
    public signal void loaded (Picture picture);
    private ThreadPool<File> pool;
    private string folder;
    private uint last_id;

    public Loader (string folder) throws ThreadError {
        this.folder = folder;
        pool = new ThreadPool<File>.with_owned_data (load, 3, false);
    }

    public void find (int n) throws Error {
        var waiting = new Queue<File> ();
        waiting.push_tail (File.new_for_path (folder));
        while (n > 0 && !waiting.is_empty ()) {
            var parent = waiting.pop_head ();
            var children = parent.enumerate_children (
                "standard::name,standard::type,standard::size",
                FileQueryInfoFlags.NONE);
            FileInfo? info = children.next_file ();
            for (; n > 0 && info != null; info = children.next_file ()) {
                var child = parent.get_child (info.get_name ());
                if (info.get_file_type () == FileType.DIRECTORY) {
                    waiting.push_tail (child);
                } else if (info.get_file_type () == FileType.REGULAR) {
                    pool.add (child);
                    n--;
                }
            }
        }
    }

    // Loads in an operation, which ends in the main thread and may overlap
    // other operations.
    private void load (owned File file) {
        var id = AtomicUint.add (ref last_id, 1) + 1;
        var name = file.get_basename ();
        var picture = new Picture (name);
        Syscap.linked (GROUP, "load", Syscap.Link.BEGIN, id, name);
        var began = get_monotonic_time ();
        try {
            uint8[] data;
            file.load_contents (null, out data, null);
            picture.look (data);
        } catch (Error error) {
            Syscap.log (GROUP, LogLevelFlags.LEVEL_WARNING, error.message);
        }
        Idle.add (() => {
            times.add ("load", get_monotonic_time () - began);
            Syscap.linked (GROUP, "load", Syscap.Link.END, id, name);
            loaded (picture);
            return Source.REMOVE;
        });
    }
}

// ----------------------------------------------------------------------- view

// Draws bars over the previous picture.
class Bars : Gtk.DrawingArea {
    private Picture? picture;

    construct {
        content_width = 320;
        content_height = 200;
        vexpand = true;
        set_draw_func ((area, cr, width, height) => {
            if (picture != null)
                draw (cr, width, height);
        });
    }

    private void draw (Cairo.Context cr, int width, int height) {
        var measured = new Measured ("draw", picture.name);
        var step = (double) width / N_BARS;

        for (var layer = 0; layer < 100; layer++) {
            for (var i = 0; i < N_BARS; i++) {
                var bar = picture.bars[i];
                cr.set_source_rgb (bar, 0.4, layer / 100.0);
                cr.rectangle (i * step, height * (1 - bar) + layer,
                              step - 1, height * bar);
                cr.fill ();
            }
        }
        measured = null;
    }

    public void show_picture (Picture picture) {
        this.picture = picture;
        queue_draw ();
    }
}

class Window : Gtk.ApplicationWindow {
    private Bars bars = new Bars ();
    private Gtk.ListBox list = new Gtk.ListBox ();
    private Syscap.Counter shown = new Syscap.Counter (
        GROUP, "shown", "Files in the list", Syscap.CounterType.INT64);
    private Syscap.Counter mib = new Syscap.Counter (
        GROUP, "MiB", "Read so far", Syscap.CounterType.DOUBLE);
    public int n { get; private set; }
    public double n_mib { get; private set; }

    public Window (Gtk.Application application) {
        Object (application: application, title: "Viewer");
        var box = new Gtk.Box (Gtk.Orientation.VERTICAL, 6);
        var scrolled = new Gtk.ScrolledWindow ();
        scrolled.child = list;
        scrolled.min_content_height = 160;
        box.append (bars);
        box.append (scrolled);
        child = box;
    }

    public void add_picture (Picture picture) {
        var measured = new Measured ("add");
        var row = new Gtk.Box (Gtk.Orientation.HORIZONTAL, 3);
        row.append (new Gtk.Label ("%s: %zu bytes".printf (picture.name,
                                                           picture.size)));
        for (var i = 0; i < 16; i++) {
            var bar = new Gtk.LevelBar ();
            bar.value = picture.bars[i];
            row.append (bar);
        }
        list.append (row);
        bars.show_picture (picture);
        measured = null;

        n++;
        n_mib += picture.size / 1048576.0;
        shown.set_int64 (n);
        mib.set_double (n_mib);
    }
}

// ------------------------------------------------------------------------ app

int main (string[] args) {
    var n_files = args.length > 1 ? int.parse (args[1]) : 60;
    var folder = args.length > 2 ? args[2] : "/usr/include";
    var application = new Gtk.Application (
        "org.example.Viewer", ApplicationFlags.NON_UNIQUE);
    Window? window = null;
    Loader? loader = null;

    times = new Times ();
    application.activate.connect (() => {
        window = new Window (application);
        window.present ();
        try {
            loader = new Loader (folder);
            loader.loaded.connect (picture => {
                window.add_picture (picture);
                // Leave time to draw the last picture.
                if (window.n == n_files) {
                    Timeout.add (100, () => {
                        application.quit ();
                        return Source.REMOVE;
                    });
                }
            });
            loader.find (n_files);
        } catch (Error error) {
            Syscap.log (GROUP, LogLevelFlags.LEVEL_CRITICAL, error.message);
            application.quit ();
        }
    });
    application.run ();
    Syscap.log (GROUP, LogLevelFlags.LEVEL_INFO,
                @"$(window.n) files are shown");

    times.show ();
    print ("counter %s shown %d\n", GROUP, window.n);
    print ("logs %s 1\n", GROUP);
    print ("stack picture_(look|count_bytes)\n");
    print ("stack ^_?cairo_\n");
    return 0;
}
