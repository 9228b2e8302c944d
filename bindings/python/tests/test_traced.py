# SPDX-License-Identifier: BSD-2-Clause
"""@syscap.traced on coroutines, generators and their wrappers."""

import sys
import unittest

from recorded import record, run_alone

MS = 1_000_000


class Operations(unittest.TestCase):
    def operations(self, program):
        """Return (name, text, duration) of each mark, and check that all marks
        are operations."""
        found = []
        for mark in record(program).of("mark"):
            key, phase, *text = mark["message"].split(" ", 2)
            self.assertRegex(key, "^async=[0-9a-f]+$")
            self.assertEqual(phase, "phase=whole")
            found.append((mark["name"], "".join(text), mark["duration"]))
        return found

    def test_a_coroutine_is_an_operation_of_its_task(self):
        told = self.operations("""
            import asyncio, syscap
            @syscap.traced
            async def fetch(n):
                await asyncio.sleep(0.02)
                return n
            async def both():
                tasks = [asyncio.create_task(fetch(n), name=f"fetch {n}")
                         for n in (1, 2)]
                return await asyncio.gather(*tasks)
            assert asyncio.run(both()) == [1, 2]
        """)
        self.assertEqual(sorted(t[:2] for t in told),
                         [("fetch", "fetch 1"), ("fetch", "fetch 2")])
        for _, _, duration in told:
            self.assertGreater(duration, 15 * MS)

    def test_a_coroutine_without_asyncio_has_no_task(self):
        told = self.operations("""
            import syscap
            @syscap.traced
            async def alone(): return 5
            try:
                alone().send(None)
            except StopIteration as stop:
                assert stop.value == 5
        """)
        self.assertEqual([t[:2] for t in told], [("alone", "")])

    def test_a_generator_lasts_until_it_has_ended(self):
        told = self.operations("""
            import syscap, time
            @syscap.traced
            def numbers():
                x = yield 1
                time.sleep(0.01)
                return x
            def outer():
                assert (yield from numbers()) == "sent"
            g = outer()
            next(g)
            try:
                g.send("sent")
            except StopIteration:
                pass
        """)
        self.assertEqual(told[0][:2], ("numbers", ""))
        self.assertGreater(told[0][2], 9 * MS)

    def test_an_asynchronous_generator_passes_all_on(self):
        told = self.operations("""
            import asyncio, inspect, syscap
            log = []
            @syscap.traced
            async def numbers(n):
                try:
                    for i in range(n):
                        try:
                            log.append((yield i))
                            await asyncio.sleep(0.01)
                        except KeyError:
                            log.append("caught")
                finally:
                    log.append("closed")
            assert inspect.isasyncgenfunction(numbers)
            async def main():
                assert [i async for i in numbers(3)] == [0, 1, 2]
                g = numbers(5)
                assert await g.asend(None) == 0
                assert await g.asend("sent") == 1
                assert await g.athrow(KeyError()) == 2
                await g.aclose()
                g = numbers(5)
                await g.__anext__()
                try:
                    await g.athrow(ZeroDivisionError())
                except ZeroDivisionError:
                    log.append("raised")
                async for i in numbers(5):
                    break    # the loop closes it
            asyncio.run(main())
            assert log == [None, None, None, "closed", "sent", "caught",
                           "closed", "closed", "raised", "closed"], log
        """)
        self.assertEqual([t[0] for t in told], ["numbers"] * 4)
        self.assertGreater(told[0][2], 28 * MS)

    def test_objects_and_partials_that_make_coroutines_are_awaited(self):
        told = self.operations("""
            import asyncio, functools, syscap, types
            class Handler:
                async def __call__(self, n):
                    await asyncio.sleep(0.02)
                    return n
            handle = syscap.traced(Handler(), group="app", name="handle")
            async def f(n):
                await asyncio.sleep(0.02)
                return n
            part = syscap.traced(functools.partial(f, 2), group="app",
                                 name="part")
            @syscap.traced(group="app", name="old")
            @types.coroutine
            def old():
                yield from asyncio.sleep(0.02).__await__()
                return 3
            async def main():
                return await handle(1), await part(), await old()
            assert asyncio.run(main()) == (1, 2, 3)
        """)
        self.assertEqual([t[0] for t in told], ["handle", "part", "old"])
        for _, _, duration in told:
            self.assertGreater(duration, 18 * MS)

    def test_errors_are_operations_that_end(self):
        told = self.operations("""
            import asyncio, syscap
            @syscap.traced
            async def fails(): raise KeyError
            @syscap.traced
            async def hangs(): await asyncio.sleep(100)
            async def main():
                try:
                    await fails()
                except KeyError:
                    pass
                try:
                    await asyncio.wait_for(hangs(), 0.01)
                except asyncio.TimeoutError:
                    pass
            asyncio.run(main())
        """)
        self.assertEqual([t[0] for t in told], ["fails", "hangs"])


class Wrapped(unittest.TestCase):
    def test_classmethods_and_staticmethods_may_stand_below(self):
        capture = record("""
            import asyncio, syscap
            class Widget:
                @syscap.traced
                @classmethod
                def make(cls): return cls()
                @syscap.traced(group="g", name="static")
                @staticmethod
                def s(): return 5
                @syscap.traced
                @classmethod
                async def fetch(cls): return cls
            assert type(Widget.make()) is Widget
            assert Widget().s() == Widget.s() == 5
            assert asyncio.run(Widget.fetch()) is Widget
            try:
                @syscap.traced
                @property
                def p(self): pass
            except TypeError:
                pass
            else:
                raise SystemExit("a property is no function")
        """)
        self.assertEqual(
            [m[:2] for m in capture.marks()],
            [("__main__", "Widget.make"), ("g", "static"), ("g", "static"),
             ("__main__", "Widget.fetch")])

    def test_recursion_goes_as_deep_as_without(self):
        if sys.version_info[:2] == (3, 12):
            self.skipTest("3.12 counts calls that come from C apart")
        run = run_alone("""
            import syscap, sys
            def plain(n): return 0 if n == 0 else 1 + plain(n - 1)
            @syscap.traced
            def traced(n): return 0 if n == 0 else 1 + traced(n - 1)
            sys.setrecursionlimit(3000)
            assert plain(2900) == traced(2900) == 2900
        """)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
