# SPDX-License-Identifier: BSD-2-Clause
# test_pygobject.py - tests that only PyGObject needs.
"""Scripts for PyGObject, recorded."""

import tempfile
import textwrap
import unittest

from recording import Capture, environment, record, run, script

HEAD = """\
import gi
gi.require_version("Syscap", "1")
from gi.repository import GLib, Syscap
"""


class PyGObject(unittest.TestCase):
    """Each test is one script."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def command(self, text):
        return script("py", HEAD + textwrap.dedent(text), self.folder)

    def record(self, text, **more):
        return record(self.command(text), **more)

    def test_a_with_that_an_exception_leaves_is_recorded(self):
        _, capture = self.record(
            """
            try:
                with Syscap.Scope("py", "raises"):
                    raise KeyError
            except KeyError:
                pass
            else:
                raise SystemExit("the exception was swallowed")
            """
        )
        self.assertEqual(capture.names("py"), ["raises"])

    def test_a_scope_that_was_ended_early_keeps_its_message(self):
        _, capture = self.record(
            """
            with Syscap.Scope("py", "early") as scope:
                scope.end("why")
            """
        )
        self.assertEqual(
            [(n, m) for n, _, m in capture.marks("py")], [("early", "why")]
        )

    def test_a_traced_function_is_recorded_and_unchanged(self):
        printed, capture = self.record(
            '''
            class Widget:
                @Syscap.traced("py")
                def paint(self, *args, **kwargs):
                    "Doc."
                    return args, kwargs
            @Syscap.traced("py", "other name")
            def f():
                raise ValueError("no")
            print(Widget().paint(1, a=2), Widget.paint.__doc__)
            try:
                f()
            except ValueError as error:
                print(error)
            '''
        )
        self.assertEqual(printed, "((1,), {'a': 2}) Doc.\nno\n")
        self.assertEqual(capture.names("py"), ["Widget.paint", "other name"])

    def test_a_traced_coroutine_lasts_as_long_as_it_does(self):
        printed, capture = self.record(
            """
            import asyncio
            @Syscap.traced("py")
            async def job():
                await asyncio.sleep(0.05)
                return "done"
            print(asyncio.run(job()))
            """
        )
        self.assertEqual(printed, "done\n")
        self.assertGreaterEqual(capture.marks("py")[0][1], 45e6)

    def test_what_a_call_makes_is_recorded_to_its_end(self):
        printed, capture = self.record(
            """
            import asyncio, time
            @Syscap.traced("py")
            def numbers(n):
                for i in range(n):
                    time.sleep(0.02)
                    print((yield i))
                return "end"
            def outer():
                print((yield from numbers(2)))
            g = outer()
            next(g)
            g.send("sent")
            for _ in g: pass
            @Syscap.traced("py")
            async def later(n):
                try:
                    for i in range(n):
                        await asyncio.sleep(0.02)
                        yield i
                finally:
                    print("closed")
            class Handler:
                async def __call__(self):
                    await asyncio.sleep(0.02)
                    return "handled"
            handle = Syscap.traced("py", "handle")(Handler())
            class Widget:
                @Syscap.traced("py")
                @classmethod
                def make(cls): return cls.__name__
            async def main():
                print([i async for i in later(2)], await handle())
                async for i in later(9): break
            asyncio.run(main())
            print(Widget.make())
            """
        )
        self.assertEqual(
            printed,
            "sent\nNone\nend\nclosed\n[0, 1] handled\nclosed\nWidget\n",
        )
        marks = capture.marks("py")
        self.assertEqual(
            [m[0] for m in marks],
            ["numbers", "later", "handle", "later", "Widget.make"],
        )
        for mark, least in zip(marks, (40, 40, 20, 20)):
            self.assertGreaterEqual(mark[1], least * 0.95e6, mark)

    def test_an_unknown_severity_is_a_message(self):
        _, capture = self.record(
            """
            Syscap.log("py", GLib.LogLevelFlags(1 << 9), "of the program's")
            Syscap.log("py", GLib.LogLevelFlags.LEVEL_DEBUG, "known")
            """
        )
        self.assertEqual(
            capture.logs("py"),
            [("message", "of the program's"), ("debug", "known")],
        )

    def test_what_does_not_fit_is_the_nearest_that_does(self):
        _, capture = self.record(
            """
            whole = Syscap.Counter.new("py", "n", "",
                                       Syscap.CounterType.INT64)
            real = Syscap.Counter.new("py", "n real", "",
                                      Syscap.CounterType.DOUBLE)
            for value in 1.5, 1e300, float("nan"):
                whole.set_double(value)
            Syscap.Counter.new("py", "n real", "",
                               Syscap.CounterType.INT64).set_int64(3)
            real.set_double(0.5)
            Syscap.mark("py", "below", 1000, -7)
            """
        )
        self.assertEqual(capture.values()["n"], [1, 2**63 - 1, 0])
        self.assertEqual(capture.values()["n real"], [3, 0.5])
        self.assertEqual(capture.marks("py"), [("below", -7, "")])

    def test_threads_have_rings_of_their_own(self):
        _, capture = self.record(
            """
            import threading
            gate = threading.Barrier(4)
            def work():
                gate.wait()
                for i in range(500):
                    with Syscap.Scope("py", "work"):
                        Syscap.instant("py", "step", str(i))
                gate.wait()
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            """
        )
        marks = capture.of("mark")
        self.assertEqual(capture.names("py").count("work"), 2000)
        self.assertEqual(len({mark["tid"] for mark in marks}), 4)
        self.assertEqual(capture.stat["lost"]["frames"], 0)

    def test_functions_notice_that_recording_begins_and_ends(self):
        output = self.folder + "/own.syscap"
        printed = run(
            self.command(
                f"""
                def all(name):
                    early = Syscap.Scope("py", "early")
                    Syscap.instant("py", name)
                    print(Syscap.is_active())
                    return early
                early = all("before")
                print(Syscap.start({output!r}, ring_kib=512))
                early.end()
                all("while")
                Syscap.stop()
                all("after")
                """
            )
        )
        self.assertEqual(printed, f"False\n{output}\nTrue\nFalse\n")
        self.assertEqual(Capture(output).names("py"), ["while"])

    def test_errors_can_be_told_apart(self):
        output = self.folder + "/own.syscap"
        printed = run(
            self.command(
                f"""
                domain = GLib.quark_from_string("syscap-glib-error-quark")
                def why(f, *args, **kwargs):
                    try:
                        f(*args, **kwargs)
                    except GLib.Error as error:
                        for name in "RUNNING", "NOT_RUNNING", "INVALID":
                            if error.matches(
                                domain, getattr(Syscap.Error, name)
                            ):
                                print(name, len(error.message) > 10)
                    except TypeError as error:
                        print(error)
                why(Syscap.stop)
                Syscap.start({output!r})
                why(Syscap.start, {output!r})
                Syscap.stop()
                why(Syscap.sampler_start, 30000)
                why(Syscap.sampler_stop)
                why(Syscap.start, "", max_bytes=1 << 20)
                why(Syscap.start, {output!r}, rings=1)
                """
            )
        )
        self.assertEqual(
            printed,
            "NOT_RUNNING True\nRUNNING True\nINVALID True\n"
            "NOT_RUNNING True\nINVALID True\nthere is no option 'rings'\n",
        )

    def test_what_goes_through_glib_is_in_the_capture(self):
        _, capture = self.record(
            """
            Syscap.log_install()
            GLib.log_variant("py", GLib.LogLevelFlags.LEVEL_WARNING,
                GLib.Variant("a{sv}", {"MESSAGE": GLib.Variant("s", "hi")}))
            """
        )
        self.assertEqual(capture.logs("py"), [("warning", "hi")])

    def test_scripts_are_sampled_where_the_environment_asks(self):
        _, capture = self.record(
            """
            import time
            end = time.monotonic() + 20
            while (Syscap.sampler_get_n_samples() < 10
                   and time.monotonic() < end): pass
            """,
            env=environment(SYSCAP_SAMPLE="1000,wall"),
        )
        self.assertGreaterEqual(len(capture.of("sample")), 10)

    def test_a_hundred_thousand_of_each_leave_no_memory_behind(self):
        printed = run(
            self.command(
                f"""
                import gc
                def pages():
                    return int(open("/proc/self/statm").read().split()[1])
                @Syscap.traced("py")
                def f(): pass
                def all(n):
                    for i in range(n):
                        Syscap.mark("py", "m", Syscap.now(), 1, "text")
                        with Syscap.Scope("py", "s"): f()
                        Syscap.Counter.new("py", "c", "d",
                            Syscap.CounterType.INT64).set_int64(i)
                        Syscap.get_reason()
                    gc.collect()
                Syscap.start({self.folder + "/o"!r})
                all(10000)
                before = pages()
                all(100000)
                print((pages() - before) * 4)
                Syscap.stop()
                """
            )
        )
        self.assertLess(int(printed), 2048, "KiB more than before")


class WithoutOverrides(unittest.TestCase):
    """Boxed types, as in languages without syscap's overrides."""

    def test_each_scope_is_freed_once(self):
        text = """
for i in range(300):
    Syscap.Scope.new("boxed", "forgotten")
for i in range(300):
    Syscap.Scope.new("boxed", "ended").end()
"""
        with tempfile.TemporaryDirectory() as folder:
            _, capture = record(
                script("py", HEAD + text, folder),
                environment(overrides=False),
            )
        self.assertEqual(capture.names("boxed"), ["ended"] * 300)
        self.assertEqual(len(capture.logs("syscap")), 300)


if __name__ == "__main__":
    unittest.main()
