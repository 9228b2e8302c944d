# SPDX-License-Identifier: BSD-2-Clause
"""The names of threads in a capture."""

import sys
import unittest

from recorded import record, run_alone

COMMON = """
    import _thread, concurrent.futures, threading, syscap

    def work(*_):
        syscap.mark("threads", threading.current_thread().name)

    def run(name=None, target=work):
        thread = threading.Thread(target=target, name=name)
        thread.start()
        thread.join()
"""


def names_of(capture):
    """Return the name of the thread of each mark, by the mark's name."""
    names = {f["tid"]: f["metadata"] for f in capture.of("metadata")
             if f["id"] == "syscap.thread"}
    return {m["name"]: names[m["tid"]] for m in capture.of("mark")}


class Names(unittest.TestCase):
    def test_a_thread_is_called_as_threading_calls_it(self):
        names = names_of(record(COMMON + """
    run("loader")
    run("zähler")
    run()
    with concurrent.futures.ThreadPoolExecutor(
            1, thread_name_prefix="resize") as pool:
        pool.submit(work).result()
        """))
        self.assertEqual(names, {
            "loader": "loader",
            "zähler": "zähler",
            "Thread-1 (work)": "Thread-1 (work)",
            "resize_0": "resize_0",
        })

    def test_a_long_name_keeps_its_number_and_whole_characters(self):
        names = names_of(record(COMMON + """
    run("a-thread-of-the-pool-12_34")
    run("äääääääääää7")
    run("no number behind this")
        """))
        self.assertEqual(names, {
            "a-thread-of-the-pool-12_34": "a-thread--12_34",
            "äääääääääää7": "äääääää7",
            "no number behind this": "no number behin",
        })

    def test_threads_of_others_and_the_main_one_keep_their_names(self):
        capture = record(COMMON + """
    with open("/proc/self/comm") as comm:
        print(comm.read(), end="")
    work()
    lock = _thread.allocate_lock()
    lock.acquire()
    def alone():
        syscap.mark("threads", "alone")
        lock.release()
    _thread.start_new_thread(alone, ())
    lock.acquire()
    assert len(threading.enumerate()) == 1  # none was made up
        """)
        comm = capture.stdout.strip()
        self.assertEqual(names_of(capture),
                         {"MainThread": comm, "alone": comm})

    def test_each_kind_of_event_names_its_thread(self):
        capture = record(COMMON + """
    begin = syscap.begin()
    counter = syscap.counter("threads", "n")
    def scope():
        with syscap.scope("threads", "scope"): pass
    run("scope", scope)
    run("traced", syscap.traced(lambda: None))
    run("counter", lambda: counter.add())
    run("log", lambda: syscap.log(syscap.INFO, "threads", "text"))
    run("linked",
        lambda: syscap.linked("threads", "x", syscap.LINK_BEGIN, 1))
    run("operation", lambda: syscap.linked("threads", "x", 0, 2, begin=begin))
    run("metadata", lambda: syscap.metadata("threads", "x"))
        """)
        names = {f["metadata"] for f in capture.of("metadata")
                 if f["id"] == "syscap.thread"}
        self.assertLessEqual({"scope", "traced", "counter", "log", "linked",
                              "operation", "metadata"}, names)

    def test_an_exception_that_is_on_its_way_goes_on(self):
        capture = record(COMMON + """
    @syscap.traced
    def fails():
        raise KeyError("on its way")
    def catch():
        try:
            with syscap.scope("threads", "scope"):
                fails()
        except KeyError as error:
            print(error)
    run("catcher", catch)
        """)
        self.assertEqual(capture.stdout, "'on its way'\n")
        self.assertEqual(set(names_of(capture).values()), {"catcher"})

    def test_threads_that_are_only_sampled_have_names(self):
        capture = record(COMMON + """
    def spin(stop):
        while not stop.is_set():
            sum(range(1000))
    def start(name):
        stop = threading.Event()
        thread = threading.Thread(target=spin, args=(stop,), name=name)
        thread.start()
        return thread, stop
    # The recorder checks names of threads only once a second, so take few
    # samples until the threads have their names
    threads = [start("before")]
    with syscap.sampling(1):
        threads.append(start("during"))
        for thread, _ in threads:
            comm = f"/proc/self/task/{thread.native_id}/comm"
            while open(comm).read() != thread.name + "\\n":
                pass
    with syscap.sampling(1000, clock="wall"):
        enough = syscap.sampling_stats()["samples"] + 200
        while syscap.sampling_stats()["samples"] < enough:
            pass
    for thread, stop in threads:
        stop.set()
        thread.join()
        """)
        names = {f["metadata"] for f in capture.of("metadata")
                 if f["id"] == "syscap.thread"}
        self.assertLessEqual({"before", "during"}, names)

    def test_a_program_that_nobody_records_keeps_its_names(self):
        alone = run_alone("""
            import threading, syscap
            def work():
                syscap.mark("a", "b")
                with open("/proc/thread-self/comm") as comm:
                    print(comm.read().strip() == "loader")
            thread = threading.Thread(target=work, name="loader")
            thread.start()
            thread.join()
        """)
        python_does = sys.version_info >= (3, 14)
        self.assertEqual((alone.stdout, alone.stderr),
                         (f"{python_does}\n", ""))


if __name__ == "__main__":
    unittest.main()
