// SPDX-License-Identifier: BSD-2-Clause
//! Macros that make events.  Each macro first checks for a recording, and
//! without a recording does not evaluate its arguments.

/// Begin a [`Span`](crate::Span): `let _span = span!("group", "name");`
///
/// A third argument, a `&str` that outlives the span, is the mark's message.
/// Pass a message that is known only at the end to
/// [`end_with`](crate::Span::end_with).  Group (up to 23 bytes) and name (up to
/// 39 bytes) are constants.
///
/// ```
/// # use syscap::span;
/// # let path = String::from("a.txt");
/// let span = span!("demo", "load", path.as_str());
/// let _inner = span!("demo", "parse");
/// span.end();
/// ```
///
/// Longer constants do not compile:
///
/// ```compile_fail
/// let _span = syscap::span!("a group of more than 23 bytes", "name");
/// ```
#[macro_export]
macro_rules! span {
    ($group:expr, $name:expr $(,)?) => {{
        static SITE: $crate::Site = $crate::Site::new($group, $name);
        $crate::Span::new(&SITE)
    }};
    ($group:expr, $name:expr, $message:expr $(,)?) => {{
        static SITE: $crate::Site = $crate::Site::new($group, $name);
        $crate::Span::with_message(&SITE, || $message)
    }};
}

/// Begin an [`Operation`](crate::Operation), which may be held over an
/// `.await`: `let _operation = operation!("group", "name");`.  A third argument
/// is the message, as for [`span!`].
#[macro_export]
macro_rules! operation {
    ($group:expr, $name:expr $(,)?) => {{
        static SITE: $crate::Site = $crate::Site::new($group, $name);
        $crate::Operation::new(&SITE)
    }};
    ($group:expr, $name:expr, $message:expr $(,)?) => {{
        static SITE: $crate::Site = $crate::Site::new($group, $name);
        $crate::Operation::with_message(&SITE, || $message)
    }};
}

/// Record an instant, now, with a message formatted as by `format!`.
///
/// ```
/// # use syscap::mark;
/// # let n = 1;
/// mark!("demo", "tick");
/// mark!("demo", "tick", "the {n}th");
/// ```
#[macro_export]
macro_rules! mark {
    ($group:expr, $name:expr $(,)?) => {
        $crate::mark!($group, $name, "")
    };
    ($group:expr, $name:expr, $($message:tt)+) => {
        if $crate::is_active() {
            static SITE: $crate::Site = $crate::Site::new($group, $name);
            $crate::detail::instant(&SITE, ::core::format_args!($($message)+));
        }
    };
}

/// Record a mark from a time that [`begin`](crate::begin) returned, until now.
///
/// ```
/// # use syscap::mark_since;
/// let begin = syscap::begin();
/// mark_since!("demo", "wait", begin);
/// ```
#[macro_export]
macro_rules! mark_since {
    ($group:expr, $name:expr, $begin:expr $(, $message:expr)? $(,)?) => {
        if $crate::is_active() {
            static SITE: $crate::Site = $crate::Site::new($group, $name);
            let begin: i64 = $begin;
            if begin != 0 {
                #[allow(unused_mut, unused_assignments)]
                let mut message: &str = "";
                $(message = $message;)?
                $crate::mark_at(&SITE, begin, $crate::now() - begin, message);
            }
        }
    };
}

/// Record a part of an operation, or an end of an arrow.  The parts of an
/// operation have the same group and number, and may be on any thread.
///
/// ```
/// # use syscap::{linked, Link};
/// linked!(Link::Begin, "demo", "request", 7);
/// linked!(Link::End, "demo", "request", 7, "status {}", 200);
/// ```
#[macro_export]
macro_rules! linked {
    ($link:expr, $group:expr, $name:expr, $id:expr $(,)?) => {
        $crate::linked!($link, $group, $name, $id, "")
    };
    ($link:expr, $group:expr, $name:expr, $id:expr, $($message:tt)+) => {
        if $crate::is_active() {
            static SITE: $crate::Site = $crate::Site::new($group, $name);
            $crate::detail::linked(&SITE, $link, $id, ::core::format_args!($($message)+));
        }
    };
}

/// Record a number now: `counter!("category", "name", value)`, of an integer
/// or floating-point type.
///
/// Each place of `counter!` is a separate counter.  A counter that is set at
/// several places, or has a description, is a `static`
/// [`Counter`](crate::Counter).
#[macro_export]
macro_rules! counter {
    ($category:expr, $name:expr, $value:expr $(,)?) => {
        if $crate::is_active() {
            static INTEGER: $crate::Counter<i64> = $crate::Counter::new($category, $name, "");
            static REAL: $crate::Counter<f64> = $crate::Counter::new($category, $name, "");
            $crate::detail::emit_either($value, &INTEGER, &REAL);
        }
    };
}

/// Write a line of text: `log!(Level::Info, "domain", "{n} done")`.
#[macro_export]
macro_rules! log {
    ($level:expr, $domain:expr, $($message:tt)+) => {
        if $crate::is_active() {
            static DOMAIN: $crate::detail::Label<32> = $crate::detail::Label::new($domain);
            $crate::detail::log($level, &DOMAIN, ::core::format_args!($($message)+));
        }
    };
}

/// Record a fact, such as a version: `metadata!("demo.version", "{v}")`.
#[macro_export]
macro_rules! metadata {
    ($id:expr, $($value:tt)+) => {
        if $crate::is_active() {
            static ID: $crate::detail::Label<40> = $crate::detail::Label::new($id);
            $crate::detail::metadata(&ID, ::core::format_args!($($value)+));
        }
    };
}
