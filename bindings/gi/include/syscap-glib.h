/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscap-glib.h - tell a profiler what a program is doing: for programs on
 * GLib, and by GObject-Introspection for JavaScript, Python, Vala and others.
 *
 * C programs that care for every nanosecond use <syscap.h>, whose calls are
 * inline; both may be used in one program.  See README.md beside this.
 *
 * The form of these headers is that of GObject libraries, typedefs included:
 * g-ir-scanner reads them.
 */
#ifndef SYSCAP_GLIB_H
#define SYSCAP_GLIB_H

#include <syscap-glib/counter.h>
#include <syscap-glib/log.h>
#include <syscap-glib/mark.h>
#include <syscap-glib/scope.h>
#include <syscap-glib/session.h>

#endif
