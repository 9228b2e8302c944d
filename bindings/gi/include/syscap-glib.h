/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscap-glib.h - recording of a program's events for a profiler, for programs
 * on GLib.  JavaScript, Python, Vala and other languages use this library by
 * GObject-Introspection.
 *
 * The inline calls of <syscap.h> are faster, and a C program may use both
 * headers.  README.md in this binding's directory is the guide.
 *
 * These headers have the form of GObject libraries, with typedefs, for
 * g-ir-scanner.
 */
#ifndef SYSCAP_GLIB_H
#define SYSCAP_GLIB_H

#include <syscap-glib/counter.h>
#include <syscap-glib/log.h>
#include <syscap-glib/mark.h>
#include <syscap-glib/scope.h>
#include <syscap-glib/session.h>

#endif
