// SPDX-License-Identifier: BSD-2-Clause
//! Places in the source that make events.  All look first whether anything is
//! recorded; where not, their arguments are not evaluated.

/// A [`Span`](crate::Span) from here on: `let _span = span!("group", "name");`
///
/// A third argument, a `&str` that outlives it, is the mark's message; one
/// that is known at the end only goes to [`end_with`](crate::Span::end_with).
/// Group (23 bytes) and name (39) are constants.
///
/// ```
/// # use syscap::span;
/// # let path = String::from("a.txt");
/// let span = span!("demo", "load", path.as_str());
/// let _inner = span!("demo", "parse");
/// span.end();
/// ```
///
/// What is too long does not compile:
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

/// An [`Operation`](crate::Operation) from here on, which may be held over an
/// `.await`: `let _operation = operation!("group", "name");`, with a `&str` as
/// the message as for [`span!`].
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

/// An instant, now, with a message as `format!` makes it.
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

/// A mark from a time that [`begin`](crate::begin) told, until now.
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

/// A part of the operation, or an end of the arrow, with this number.  Parts
/// of one have the same group and number; they may be on any thread.
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
/// Each place is a counter of its own: one that is set in several is a
/// `static` [`Counter`](crate::Counter), as is one with a description.
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

/// A line of text: `log!(Level::Info, "domain", "{n} done")`.
#[macro_export]
macro_rules! log {
    ($level:expr, $domain:expr, $($message:tt)+) => {
        if $crate::is_active() {
            static DOMAIN: $crate::detail::Label<32> = $crate::detail::Label::new($domain);
            $crate::detail::log($level, &DOMAIN, ::core::format_args!($($message)+));
        }
    };
}

/// A fact about the run, such as a version: `metadata!("demo.version", "{v}")`.
#[macro_export]
macro_rules! metadata {
    ($id:expr, $($value:tt)+) => {
        if $crate::is_active() {
            static ID: $crate::detail::Label<40> = $crate::detail::Label::new($id);
            $crate::detail::metadata(&ID, ::core::format_args!($($value)+));
        }
    };
}
