# SPDX-License-Identifier: BSD-2-Clause
"""Marks, counters and logs of Python in a capture."""

import json
import unittest

from recorded import record, run_alone


class Marks(unittest.TestCase):
    def test_an_instant_has_its_texts_and_no_duration(self):
        capture = record("""
            import syscap
            syscap.mark("app", "größe_π", "hällo")
            syscap.mark("app", "silent")
            syscap.mark(group="app", name="named", message=None)
        """)
        self.assertEqual(capture.marks(), [
            ("app", "größe_π", "hällo"),
            ("app", "silent", ""),
            ("app", "named", ""),
        ])
        self.assertEqual({m["duration"] for m in capture.of("mark")}, {0})

    def test_a_time_span_is_what_was_given(self):
        capture = record("""
            import syscap, time
            begin = syscap.begin()
            syscap.mark("a", "given", begin=1000, duration=7)
            time.sleep(0.01)
            syscap.mark("a", "since", begin=begin)
            syscap.mark("a", "of nothing", begin=0)
            assert abs(syscap.clock() - time.monotonic_ns()) < 10**9
        """)
        given, since = capture.of("mark")
        self.assertEqual(given["duration"], 7)
        self.assertEqual(given["time"], 1000)
        self.assertGreaterEqual(since["duration"], 10_000_000)

    def test_what_utf8_cannot_say_is_escaped(self):
        capture = record(r"""
            import syscap
            syscap.mark("a", "b", "x\udc80y")
            syscap.mark("a", "b" * 100)
            syscap.mark("a", "ä" * 30)
        """)
        messages = [m[2] for m in capture.marks()]
        self.assertEqual(messages[0], r"x\udc80y")
        self.assertEqual(capture.marks()[1][1], "b" * 39)
        self.assertEqual(capture.marks()[2][1], "ä" * 19)

    def test_linked_marks_carry_their_id(self):
        capture = record("""
            import syscap
            syscap.linked("net", "get", syscap.LINK_BEGIN, 42, "x")
            syscap.linked("net", "get", syscap.LINK_END, id=42)
        """)
        self.assertEqual(len(capture.marks()), 2)
        self.assertIn("=2a ", capture.marks()[0][2])  # 42

    def test_an_operation_lasts_until_now(self):
        capture = record("""
            import syscap, time
            begin = syscap.begin()
            time.sleep(0.01)
            syscap.linked("net", "get", syscap.LINK_WHOLE, 42, "x",
                          begin=begin)
            syscap.linked("net", "of nothing", syscap.LINK_WHOLE, 42, begin=0)
        """)
        [mark] = capture.of("mark")
        self.assertEqual(mark["message"], "async=2a phase=whole x")
        self.assertGreaterEqual(mark["duration"], 10_000_000)

    def test_a_duration_below_zero_is_recorded_as_it_is(self):
        capture = record("""
            import syscap
            syscap.mark("a", "b", begin=1000, duration=-7)
        """)
        self.assertEqual([m["duration"] for m in capture.of("mark")], [-7])

    def test_metadata_is_recorded(self):
        capture = record("""
            import syscap
            syscap.metadata("app.version", "1.2")
        """)
        self.assertIn(("app.version", "1.2"),
                      [(f["id"], f["metadata"]) for f in capture.of("metadata")])


class Scopes(unittest.TestCase):
    def test_a_scope_lasts_as_long_as_its_block(self):
        capture = record("""
            import syscap, time
            with syscap.scope("app", "outer", "message") as s:
                assert (s.group, s.name, s.message) == (
                    "app", "outer", "message")
                time.sleep(0.02)
                with syscap.scope("app", "inner"):
                    pass
            try:
                with syscap.scope("app", "raises"):
                    raise KeyError
            except KeyError:
                pass
        """)
        marks = {m["name"]: m for m in capture.of("mark")}
        self.assertEqual(sorted(marks), ["inner", "outer", "raises"])
        self.assertGreater(marks["outer"]["duration"], 19_000_000)
        self.assertLess(marks["inner"]["duration"], 10_000_000)
        self.assertEqual(marks["outer"]["message"], "message")

    def test_the_message_may_be_set_in_the_block(self):
        capture = record("""
            import syscap
            with syscap.scope("app", "query", "?") as s:
                s.message = f"{3} rows"
            with s:
                s.message = None
        """)
        self.assertEqual([m[2] for m in capture.marks()], ["3 rows", ""])

    def test_one_scope_serves_recursion_and_threads(self):
        capture = record("""
            import syscap, threading, time
            scope = syscap.scope("app", "deep")
            def deep(n):
                with scope:
                    time.sleep(0.002)
                    if n:
                        deep(n - 1)
            deep(9)
            threads = [threading.Thread(target=deep, args=(3,))
                       for _ in range(4)]
            for t in threads: t.start()
            for t in threads: t.join()
        """)
        by_thread = {}
        for mark in capture.of("mark"):
            by_thread.setdefault(mark["tid"], []).append(mark)
        self.assertEqual(sorted(map(len, by_thread.values())),
                         [4, 4, 4, 4, 10])
        for marks in by_thread.values():
            # Within a thread each mark lies inside of the mark entered before
            marks.sort(key=lambda m: m["time"])
            for outer, inner in zip(marks, marks[1:]):
                self.assertLessEqual(
                    inner["time"] + inner["duration"],
                    outer["time"] + outer["duration"])

    def test_an_async_scope_is_an_operation(self):
        capture = record("""
            import asyncio, syscap
            async def work(n):
                async with syscap.scope("app", "wait", f"n {n}") as s:
                    await asyncio.sleep(0.01 * (3 - n))
                    if n == 1: s.message = None
            async def main():
                await asyncio.gather(*map(work, range(3)))
                try:
                    async with syscap.scope("app", "raises"):
                        raise KeyError
                except KeyError: pass
            asyncio.run(main())
        """)
        marks = capture.of("mark")
        self.assertEqual(
            sorted((m["name"], m["message"].partition(" ")[2])
                   for m in marks),
            [("raises", "phase=whole"), ("wait", "phase=whole"),
             ("wait", "phase=whole n 0"), ("wait", "phase=whole n 2")])
        self.assertEqual(len({m["message"].split(" ")[0] for m in marks}), 4)
        for mark in marks[:3]:
            self.assertGreater(mark["duration"], 9_000_000)

    def test_scopes_are_released(self):
        run = run_alone("""
            import syscap, sys
            name = "".join(["n"] * 30)
            before = sys.getrefcount(name)
            for _ in range(1000):
                with syscap.scope("g", name, name): pass
            async def use():
                async with syscap.scope("g", name, name) as s: s.message
            for _ in range(1000):
                try: use().send(None)
                except StopIteration: pass
            scopes = [syscap.scope("g", name) for _ in range(100)]
            del scopes
            assert sys.getrefcount(name) == before
        """)
        self.assertEqual(run.returncode, 0, run.stderr)


    def test_a_scope_decorates_functions_of_every_kind(self):
        capture = record("""
            import asyncio, inspect, syscap
            scope = syscap.scope("app", "work")
            @scope
            def plain(x): return x
            @scope
            async def coroutine(): await asyncio.sleep(0.01)
            assert plain(3) == 3 and inspect.iscoroutinefunction(coroutine)
            asyncio.run(coroutine())
            for bad in (lambda: scope(5), lambda: scope(plain, plain),
                        lambda: syscap.scope("a", "b", "message")(plain)):
                try:
                    bad()
                except TypeError:
                    continue
                raise SystemExit("taken")
        """)
        self.assertEqual([m[:2] for m in capture.marks()],
                         [("app", "work")] * 2)
        self.assertGreater(capture.of("mark")[1]["duration"], 9_000_000)


class Traced(unittest.TestCase):
    def test_calls_of_functions_and_methods_are_marks(self):
        capture = record("""
            import syscap, functools, inspect, pickle, weakref
            @syscap.traced
            def plain(a, b=2, *, c=3):
                "doc"
                return a + b + c
            class Widget:
                @syscap.traced
                def paint(self, n): return n
                @classmethod
                @syscap.traced
                def make(cls): return cls()
                @staticmethod
                @syscap.traced(group="g", name="static")
                def s(): return 5
            assert plain(1) == 6 and plain(1, b=1, c=1) == 3
            assert plain.__name__ == "plain" and plain.__doc__ == "doc"
            assert str(inspect.signature(plain)) == "(a, b=2, *, c=3)"
            assert pickle.loads(pickle.dumps(plain)) is plain
            assert weakref.ref(plain)() is plain
            w = Widget.make()
            assert w.paint(4) == 4 and Widget.paint(w, 3) == 3
            bound = w.paint
            assert bound(7) == 7 and Widget.s() == 5
            try:
                plain()
            except TypeError:
                pass
        """)
        marks = [m[:2] for m in capture.marks()]
        self.assertEqual(marks.count(("__main__", "plain")), 3)
        self.assertEqual(marks.count(("__main__", "Widget.paint")), 3)
        self.assertEqual(marks.count(("__main__", "Widget.make")), 1)
        self.assertEqual(marks.count(("g", "static")), 1)


class Counters(unittest.TestCase):
    def test_values_are_recorded(self):
        capture = record("""
            import syscap
            n = syscap.counter("app", "n", "Things", type=int)
            n.set(5); n.add(); n.add(4); n.update(10); n.update(10)
            f = syscap.counter("app", "f", type=float)
            f.set(1); f.add(0.5)
            assert n.value == 10 and f.value == 1.5
            assert syscap.counter("app", "n") is n
            assert (n.category, n.name) == ("app", "n")
            n.set(-2**63)
        """)
        kinds = {}
        for f in capture.of("ctrdef"):
            for c in f["counters"]:
                kinds[c["id"]] = c["name"]
        values = {"n": [], "f": []}
        for f in capture.of("ctrset"):
            for v in f["values"]:
                values[kinds[v["id"]]].append(v["value"])
        self.assertEqual(values["n"][:3], [5, 6, 10])
        self.assertEqual(values["n"][-1], -2**63)
        self.assertEqual(values["f"], [1.0, 1.5])

    def test_what_is_no_number_is_refused_on_and_off(self):
        program = """
            import syscap
            n = syscap.counter("app", "n")
            for bad in ("x", None, 1j):
                for call in (n.set, n.update, n.add,
                             syscap.counter("app", "f", type=float).set,
                             lambda x: syscap.mark("a", "b", begin=x or "0"),
                             lambda x: syscap.mark("a", "b", duration=x or ""),
                             lambda x: syscap.log(x, "a", "b"),
                             lambda x: syscap.linked("a", "b", x, 1),
                             lambda x: syscap.linked("a", "b", 1, x),
                             lambda x: syscap.linked("a", "b", 0, 1, begin=x or ""),
                             lambda x: syscap.operation("a", "b", id=x or "")):
                    try:
                        call(bad)
                    except TypeError:
                        continue
                    raise SystemExit(f"{call}: {bad!r} was taken")
        """
        self.assertEqual(run_alone(program).stderr, "")
        record(program)

    def test_what_does_not_fit_is_the_nearest_that_does(self):
        capture = record("""
            import syscap
            n = syscap.counter("app", "n")
            for value in (2**63, -2**64, 1.5, -1e300, float("nan"), 2**63 - 1):
                n.set(value)
            n.add()
            assert n.value == 2**63 - 1, n.value
            f = syscap.counter("app", "f", type=float)
            f.set(10**400)
            assert f.value == float("inf")
            syscap.mark("app", "m", begin=2**64, duration=2**70)
        """)
        numbers = {c["id"]: c["name"] for f in capture.of("ctrdef")
                   for c in f["counters"]}
        self.assertEqual(
            [v["value"] for f in capture.of("ctrset") for v in f["values"]
             if numbers[v["id"]] == "n"],
            [2**63 - 1, -2**63, 1, -2**63, 0, 2**63 - 1, 2**63 - 1])
        self.assertEqual([(m["time"], m["duration"])
                          for m in capture.of("mark")],
                         [(2**63 - 1, 2**63 - 1)])

    def test_the_same_texts_with_another_type_are_another_counter(self):
        capture = record("""
            import syscap
            whole = syscap.counter("app", "n")
            real = syscap.counter("app", "n", type=float)
            assert whole is not real
            whole.set(3)
            real.set(2.5)
        """)
        self.assertEqual(
            [(c["name"], c["type"]) for f in capture.of("ctrdef")
             for c in f["counters"] if c["category"] == "app"],
            [("n", "int64"), ("n", "double")])
        self.assertEqual(
            [v["value"] for f in capture.of("ctrset") for v in f["values"]],
            [3, 2.5])

    def test_the_newest_value_is_the_sum_of_what_threads_added(self):
        capture = record("""
            import sys, threading, syscap
            sys.setswitchinterval(1e-5)
            n = syscap.counter("app", "n")
            x = syscap.counter("app", "x", type=float)
            def work():
                for _ in range(2000):
                    n.add(3)
                    x.add(0.5)
            threads = [threading.Thread(target=work) for _ in range(4)]
            for t in threads: t.start()
            for t in threads: t.join()
            n.add(-1000)
            assert (n.value, x.value) == (23000, 4000)
        """)
        names = {c["id"]: c["name"] for f in capture.of("ctrdef")
                 for c in f["counters"]}
        newest = {names[v["id"]]: v["value"]
                  for f in sorted(capture.of("ctrset"),
                                  key=lambda f: f["time"])
                  for v in f["values"]}
        self.assertEqual(newest, {"n": 23000, "x": 4000})

    def test_a_counter_too_many_counts_and_the_capture_says_so(self):
        capture = record("""
            import syscap
            for n in range(4096):
                syscap.counter("app", f"n{n}")
            more = syscap.counter("app", "more", "Too many", type=float)
            more.set(1); more.add(2); more.update(4)
            assert more.value == 4 and more.name == "more"
            assert syscap.counter("app", "n7") is syscap.counter("app", "n7")
        """)
        self.assertEqual(capture.of("ctrset"), [])
        self.assertEqual(
            [(f["domain"], f["message"]) for f in capture.of("log")],
            [("syscap",
              'there are too many counters for "more" of category "app"')])


class Operations(unittest.TestCase):
    def parts(self, program):
        """Return (name, phase and text) of each mark, and all ids."""
        marks = record(program).of("mark")
        return ([(m["name"], m["message"].partition(" ")[2]) for m in marks],
                [m["message"].partition(" ")[0] for m in marks])

    def test_an_operation_is_one_mark_of_a_with_or_an_async_with(self):
        parts, ids = self.parts("""
            import asyncio, syscap
            with syscap.operation("app", "outer", "x") as outer:
                with syscap.operation("app", "inner", id=42) as inner:
                    assert inner.id == 42
                inner.message = "late"
                outer.message = "y"
                assert (outer.group, outer.name) == ("app", "outer")
            async def main():
                async with syscap.operation("app", "awaited"):
                    await asyncio.sleep(0)
            asyncio.run(main())
            try:
                with syscap.operation("app", "raises"): raise KeyError
            except KeyError: pass
        """)
        self.assertEqual(parts, [
            ("inner", "phase=whole"), ("outer", "phase=whole y"),
            ("awaited", "phase=whole"), ("raises", "phase=whole")])
        self.assertEqual(ids[0], "async=2a")
        self.assertEqual(len(set(ids)), 4)

    def test_an_operation_with_steps_has_a_begin_and_an_end(self):
        parts, ids = self.parts("""
            import syscap, threading
            with syscap.operation("app", "order", "first") as order:
                order.step("paid", "42 euros")
                thread = threading.Thread(target=order.step, args=("sent",))
                thread.start()
                thread.join()
                order.message = "done"
            order.step("never")
            with order: pass
        """)
        self.assertEqual(sorted(parts), [
            ("order", "phase=begin first"), ("order", "phase=end done"),
            ("order", "phase=whole done"), ("paid", "phase=step 42 euros"),
            ("sent", "phase=step")])
        self.assertEqual(len(set(ids)), 1)

    def test_an_operation_decorates_functions_and_coroutines(self):
        parts, ids = self.parts("""
            import asyncio, syscap
            @syscap.operation("app", "work")
            def work(x): return x
            @syscap.operation("app", "wait", "text")
            async def wait(): await asyncio.sleep(0.001)
            async def main(): await asyncio.gather(wait(), wait())
            assert work(3) == 3
            asyncio.run(main())
        """)
        self.assertEqual(parts, [
            ("work", "phase=whole"), ("wait", "phase=whole text"),
            ("wait", "phase=whole text")])
        self.assertEqual(len(set(ids)), 3)

    def test_an_operation_does_nothing_while_nothing_is_recorded(self):
        run = run_alone("""
            import syscap
            with syscap.operation("app", "x") as x:
                x.step("s")
            assert repr(x) == "syscap.operation('app', 'x')"
        """)
        self.assertEqual((run.returncode, run.stderr), (0, ""))


class Logs(unittest.TestCase):
    def test_log_has_its_domain_and_severity(self):
        capture = record("""
            import syscap
            syscap.log(syscap.WARNING, "dom", "careful")
        """)
        self.assertEqual(
            [(f["domain"], f["message"]) for f in capture.of("log")],
            [("dom", "careful")])

    def test_an_unknown_severity_is_a_message(self):
        capture = record("""
            import syscap
            for severity in (0, 5, -1, 2**80, syscap.DEBUG):
                syscap.log(severity, "dom", "x")
        """)
        self.assertEqual([f["severity"] for f in capture.of("log")],
                         [32, 32, 32, 32, 128])

    def test_records_of_logging_keep_the_order_of_their_levels(self):
        capture = record("""
            import logging, syscap
            logger = logging.getLogger("app.db")
            logger.setLevel(1)
            handler = syscap.LogHandler()
            handler.setFormatter(logging.Formatter("<%(message)s>"))
            logger.addHandler(handler)
            logger.propagate = False
            for level in (5, 10, 20, 25, 30, 40, 50):
                logger.log(level, "level %d", level)
            try:
                1 / 0
            except ZeroDivisionError:
                logger.exception("oops")
        """)
        logs = capture.of("log")
        self.assertEqual([f["severity"] for f in logs[:7]],
                         [128, 128, 64, 32, 16, 8, 4])
        self.assertEqual(logs[0]["message"], "<level 5>")
        self.assertEqual({f["domain"] for f in logs}, {"app.db"})
        self.assertIn("ZeroDivisionError", logs[7]["message"])

    def test_nothing_is_formatted_while_off(self):
        run = run_alone("""
            import logging, syscap
            class Text:
                def __str__(self): raise SystemExit("formatted")
            logging.getLogger().addHandler(syscap.LogHandler())
            logging.warning("%s", Text())
        """)
        self.assertEqual(run.returncode, 0, run.stderr)


class Errors(unittest.TestCase):
    def test_wrong_arguments_are_told_on_and_off(self):
        program = """
            import syscap
            wrong = [
                (lambda: syscap.scope("a"), "missing required argument"),
                (lambda: syscap.scope("a", 1), "name must be str, not int"),
                (lambda: syscap.scope("a", "b", nme="c"), "unexpected"),
                (lambda: syscap.scope("a", "b", name="c"), "multiple"),
                (lambda: syscap.mark("a", "b", 5), "message must be str"),
                (lambda: syscap.mark("a", "b", "c", 5), "positional"),
                (lambda: syscap.log("a"), "missing"),
                (lambda: syscap.counter("a", "b", type=str), "int or float"),
                (lambda: syscap.traced(5), "not callable"),
                (lambda: syscap.sampling(clock="sun").__enter__(), "clock"),
                (lambda: syscap.start_sampling(10**6), "hz"),
                (syscap.stop, "start() was not called"),
                (syscap.stop_sampling, "nothing is sampled"),
                (lambda: syscap.operation("a", 1), "name must be str"),
                (lambda: syscap.operation("a", "b", 1), "message must be"),
            ]
            for call, text in wrong:
                try:
                    call()
                except (TypeError, ValueError, syscap.Error) as error:
                    assert text in str(error), (text, error)
                else:
                    raise SystemExit(f"no error: {text}")
        """
        run = run_alone(program)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        record(program)

    def test_off_means_that_nothing_happens(self):
        run = run_alone("""
            import json, syscap
            assert not syscap.is_active() and syscap.begin() == 0
            with syscap.scope("a", "b"): syscap.mark("a", "b")
            syscap.counter("a", "b").set(5)
            print(json.dumps(syscap.stats()))
        """)
        stats = json.loads(run.stdout)
        self.assertEqual((stats["is_active"], stats["rings"]), (False, 0))


class Recordings(unittest.TestCase):
    def test_a_process_records_itself(self):
        run = run_alone("""
            import errno, pathlib, subprocess, sys, tempfile, os, syscap
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "x.syscap")
                with syscap.recording(path) as name:
                    assert name == str(path), name
                    with syscap.scope("own", "scope"): pass
                    try:
                        syscap.start(path)
                    except syscap.RecordingError as error:
                        assert error.errno == errno.EALREADY
                    else:
                        raise SystemExit("two recordings")
                assert not syscap.is_active()
                print(subprocess.run(
                    [os.environ["SYSCAP"], "dump", "--json", path],
                    capture_output=True, text=True).stdout)
        """)
        self.assertEqual(run.stderr, "")
        marks = [json.loads(line) for line in run.stdout.splitlines()
                 if '"mark"' in line]
        self.assertEqual([m["group"] for m in marks], ["own"])

    def test_recording_decorates_functions_and_coroutines(self):
        run = run_alone("""
            import asyncio, os, tempfile, syscap
            os.chdir(tempfile.mkdtemp())
            @syscap.recording("a.syscap")
            def plain(x):
                assert syscap.is_active()
                return x
            @syscap.recording("b.syscap")
            async def coroutine():
                await asyncio.sleep(0)
                assert syscap.is_active()
            assert plain(3) == 3 and plain(4) == 4
            asyncio.run(coroutine())
            assert not syscap.is_active()
            print(len(os.listdir()))
            try:
                @syscap.recording("c.syscap")
                def generator(): yield
            except TypeError as error:
                print("refused")
        """)
        self.assertEqual(run.stderr, "")
        self.assertEqual(run.stdout, "3\nrefused\n")

    def test_errors_have_classes_numbers_and_plain_texts(self):
        run = run_alone("""
            import errno, pickle, syscap
            def fails(call, kind, number):
                try:
                    call()
                except syscap.Error as error:
                    assert type(error) is kind, error
                    assert isinstance(error, OSError)
                    assert error.errno == number, error.errno
                    assert "[Errno" not in str(error) and str(error)
                    again = pickle.loads(pickle.dumps(error))
                    assert (type(again), str(again)) == (kind, str(error))
                else:
                    raise SystemExit("no error")
            fails(lambda: syscap.start("/nowhere/at/all.syscap"),
                  syscap.RecordingError, errno.EIO)
            fails(syscap.stop, syscap.RecordingError, errno.ENOENT)
            fails(syscap.stop_sampling, syscap.SamplingError, errno.ENOENT)
            syscap.start_sampling(10)
            fails(lambda: syscap.start_sampling(20), syscap.SamplingError,
                  errno.EALREADY)
            assert repr(syscap.Error) == "<class 'syscap.Error'>"
        """)
        self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
