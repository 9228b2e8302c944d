# SPDX-License-Identifier: BSD-2-Clause
"""bus_program.py XML CAPTURE [refuse|vanish|silent] - a program on the session
bus, org.example.Recorded, with the interface of XML.  At Stop the program writes
CAPTURE.

    refuse  Start fails
    vanish  the program writes CAPTURE at Start, and ends 300 ms later
    silent  the program writes nothing
"""

import os
import sys

from gi.repository import Gio, GLib

with open(sys.argv[1], encoding="utf-8") as file:
    interface = Gio.DBusNodeInfo.new_for_xml(file.read()).interfaces[0]
with open(sys.argv[2], "rb") as file:
    capture = file.read()
mode = sys.argv[3] if len(sys.argv) > 3 else ""
fd = -1


def start(args, invocation):
    global fd
    if fd >= 0 or mode == "refuse":
        invocation.return_dbus_error("org.example.Busy", "records already")
        return
    fd = invocation.get_message().get_unix_fd_list().get(args[1])
    if mode == "vanish":
        os.write(fd, capture)
        GLib.timeout_add(300, os._exit, 0)
    invocation.return_value(None)


def stop(invocation):
    global fd
    if mode != "silent":
        os.write(fd, capture)
    os.close(fd)
    fd = -1
    print("stopped", flush=True)
    invocation.return_value(None)


def on_call(_bus, _sender, _path, _interface, method, args, invocation):
    if method == "Start":
        start(args, invocation)
    else:
        stop(invocation)


def on_bus(bus, _name):
    bus.register_object("/org/gnome/Sysprof3/Profiler", interface, on_call,
                        None, None)


Gio.bus_own_name(Gio.BusType.SESSION, "org.example.Recorded",
                 Gio.BusNameOwnerFlags.NONE, on_bus,
                 lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
