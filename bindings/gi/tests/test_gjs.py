# SPDX-License-Identifier: BSD-2-Clause
# test_gjs.py - tests that only GJS needs.
"""Scripts for GJS, recorded."""

import tempfile
import unittest

from recording import Capture, environment, record, run, script

HEAD = "const { GLib, Syscap } = imports.gi;\n"


class Gjs(unittest.TestCase):
    """Each test is one script."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def command(self, text):
        return script("js", HEAD + text, self.folder)

    def record(self, text, **more):
        return record(self.command(text), **more)

    def test_a_traced_function_is_recorded_and_unchanged(self):
        printed, capture = self.record(
            """
            const o = { n: 1,
                f: Syscap.traced('js', 'f', function (a, b) {
                    return this.n + a + b; }),
                g: Syscap.traced('js', 'g', () => { throw new Error('no'); }),
            };
            print(o.f(2, 3));
            try { o.g(); } catch (e) { print(e.message); }
            """
        )
        self.assertEqual(printed, "6\nno\n")
        self.assertEqual(capture.names("js"), ["f", "g"])

    def test_a_traced_generator_lasts_from_its_first_step_to_its_end(self):
        printed, capture = self.record(
            """
            const loop = GLib.MainLoop.new(null, false);
            const later = ms => new Promise(resolve =>
                GLib.timeout_add(GLib.PRIORITY_DEFAULT, ms, () => {
                    resolve(ms); return GLib.SOURCE_REMOVE; }));
            const numbers = Syscap.traced('js', 'numbers', function* (n) {
                for (let i = 0; i < n; i++) {
                    GLib.usleep(20000);
                    print(yield i);
                }
            });
            print(...numbers(2));
            for (const i of numbers(9)) break;
            const slow = Syscap.traced('js', 'slow', async function* () {
                for (let i = 0; i < 2; i++) { await later(20); yield i; }
                throw new Error('kept');
            });
            (async () => {
                try { for await (const i of slow()) print(i); }
                catch (e) { print(e.message); }
                loop.quit();
            })();
            loop.run();
            """
        )
        self.assertEqual(printed, "undefined\nundefined\n0 1\n0\n1\nkept\n")
        marks = capture.marks("js")
        self.assertEqual([m[0] for m in marks], ["numbers", "numbers", "slow"])
        for mark, least in zip(marks, (40, 20, 40)):
            self.assertGreaterEqual(mark[1], least * 0.95e6, mark)

    def test_a_traced_function_lasts_until_its_promise_is_settled(self):
        printed, capture = self.record(
            """
            const loop = GLib.MainLoop.new(null, false);
            const later = ms => new Promise(resolve =>
                GLib.timeout_add(GLib.PRIORITY_DEFAULT, ms, () => {
                    resolve(ms); return GLib.SOURCE_REMOVE; }));
            const f = Syscap.traced('js', 'async', async function (ms) {
                return await later(ms); });
            const g = Syscap.traced('js', 'fails', async function () {
                throw new Error('no'); });
            f(50).then(x => print(x)).then(g).catch(e => {
                print(e.message); loop.quit(); });
            loop.run();
            """
        )
        self.assertEqual(printed, "50\nno\n")
        marks = {name: duration for name, duration, _ in capture.marks("js")}
        self.assertGreaterEqual(marks["async"], 45e6)
        self.assertIn("fails", marks)

    def test_a_scope_is_disposable_where_the_engine_has_that(self):
        path = self.folder + "/dispose.js"
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                "Symbol.dispose ??= Symbol('dispose');\n"
                "const { Syscap } = imports.gi;\n"
                "const scope = new Syscap.Scope('js', 'using');\n"
                "scope[Symbol.dispose]();\n"
            )
        _, capture = record(self.command("")[:1] + [path])
        self.assertEqual(capture.names("js"), ["using"])

    def test_a_scope_that_began_while_off_is_not_recorded(self):
        output = self.folder + "/own.syscap"
        run(
            self.command(
                f"""
                const scope = new Syscap.Scope('js', 'early');
                Syscap.start('{output}');
                scope.end();
                new Syscap.Scope('js', 'in time').end();
                Syscap.stop();
                """
            )
        )
        self.assertEqual(Capture(output).names("js"), ["in time"])

    def test_functions_notice_at_once_that_recording_begins_and_ends(self):
        output = self.folder + "/own.syscap"
        printed = run(
            self.command(
                f"""
                const c = Syscap.Counter.new('js', 'c', '',
                    Syscap.CounterType.INT64);
                function all(n) {{
                    for (let i = 0; i < 3000; i++)
                        Syscap.mark('js', n, 1, 2);
                    c.set_int64(7);
                    print(Syscap.is_active(), Syscap.begin() !== 0);
                }}
                all('before');
                print(Syscap.start('{output}', {{ ring_kib: 4096 }}));
                print(Syscap.get_output());
                all('while');
                Syscap.stop();
                all('after');
                """
            )
        )
        self.assertEqual(
            printed,
            "false false\n" + (output + "\n") * 2 + "true true\nfalse false\n",
        )
        capture = Capture(output)
        self.assertEqual(capture.names("js"), ["while"] * 3000)
        self.assertEqual(capture.values(), {"c": [7]})

    def test_errors_can_be_told_apart(self):
        output = self.folder + "/own.syscap"
        printed = run(
            self.command(
                f"""
                function why(f) {{
                    try {{ f(); print('no error'); }} catch (e) {{
                        for (const name of ['RUNNING', 'NOT_RUNNING',
                            'INVALID'])
                            if (e.matches(Syscap.Error, Syscap.Error[name]))
                                print(name, e.message.length > 10);
                    }}
                }}
                why(() => Syscap.stop());
                why(() => Syscap.sampler_stop());
                Syscap.start('{output}');
                why(() => Syscap.start('{output}'));
                Syscap.stop();
                why(() => Syscap.sampler_start(30000));
                why(() => Syscap.start('', {{ max_bytes: 1 << 20 }}));
                """
            )
        )
        self.assertEqual(
            printed,
            "NOT_RUNNING true\nNOT_RUNNING true\nRUNNING true\n"
            "INVALID true\nINVALID true\n",
        )

    def test_what_the_script_logs_is_in_the_capture(self):
        _, capture = self.record(
            """
            Syscap.log_install();
            Syscap.log_install();
            log('from log()');
            console.warn('from the console');
            """
        )
        lines = {
            line["message"]: line["severity"] for line in capture.of("log")
        }
        self.assertEqual(lines.get("JS LOG: from log()"), 32)
        self.assertEqual(lines.get("from the console"), 16)

    def test_scripts_are_sampled_where_the_environment_asks(self):
        _, capture = self.record(
            """
            const end = GLib.get_monotonic_time() + 20e6;
            while (Syscap.sampler_get_n_samples() < 10 &&
                GLib.get_monotonic_time() < end);
            """,
            env=environment(SYSCAP_SAMPLE="1000,wall"),
        )
        self.assertGreaterEqual(len(capture.of("sample")), 10)

    def test_a_script_samples_itself(self):
        printed, capture = self.record(
            """
            print(Syscap.sampler_start(500, Syscap.SamplerClock.WALL));
            const end = GLib.get_monotonic_time() + 20e6;
            while (Syscap.sampler_get_n_samples() < 10 &&
                GLib.get_monotonic_time() < end);
            Syscap.sampler_stop();
            """
        )
        self.assertIn("500", printed)
        self.assertGreaterEqual(len(capture.of("sample")), 10)

    def test_times_keep_their_place_among_those_of_glib(self):
        printed = run(
            self.command(
                """
                const a = GLib.get_monotonic_time() * 1000;
                const b = Syscap.now();
                const c = GLib.get_monotonic_time() * 1000;
                print(a - 6000 <= b && b <= c + 6000);
                """
            )
        )
        self.assertEqual(printed, "true\n")

    def test_a_hundred_thousand_of_each_leave_no_memory_behind(self):
        printed = run(
            self.command(
                """
                const pages = () => Number(new TextDecoder().decode(
                    GLib.file_get_contents('/proc/self/statm')[1])
                    .split(' ')[1]);
                const f = Syscap.traced('js', 'f', () => 1);
                function all(n) {
                    for (let i = 0; i < n; i++) {
                        Syscap.mark('js', 'm', Syscap.now(), 1, 'text');
                        new Syscap.Scope('js', 's').end('text');
                        Syscap.instant('js', 'i');
                        f();
                        if (i % 100 === 0)
                            Syscap.Counter.new('js', 'c', 'd',
                                Syscap.CounterType.INT64).set_int64(i);
                    }
                    imports.system.gc();
                }
                Syscap.start(ARGV[0] ?? '/dev/null/no');
                """.replace("ARGV[0] ?? '/dev/null/no'", f"'{self.folder}/o'")
                + """
                all(20000);
                const before = pages();
                all(100000);
                print((pages() - before) * 4);
                Syscap.stop();
                """
            )
        )
        self.assertLess(int(printed), 4096, "KiB more than before")


class WithoutOverrides(unittest.TestCase):
    """Boxed types, as in languages without syscap's overrides."""

    SCRIPT = (
        HEAD
        + """
        for (let i = 0; i < 300; i++)
            Syscap.Scope.new('boxed', 'forgotten');
        for (let i = 0; i < 300; i++)
            Syscap.Scope.new('boxed', 'ended').end(null);
        imports.system.gc();
        """
    )

    def test_the_collector_frees_each_scope_once(self):
        with tempfile.TemporaryDirectory() as folder:
            _, capture = record(
                script("js", self.SCRIPT, folder), environment(overrides=False)
            )
        self.assertEqual(capture.names("boxed"), ["ended"] * 300)
        self.assertEqual(len(capture.logs("syscap")), 300)


if __name__ == "__main__":
    unittest.main()
