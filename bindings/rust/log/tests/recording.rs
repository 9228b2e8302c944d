// SPDX-License-Identifier: BSD-2-Clause
//! Lines in the capture, and in the other logger.

use std::sync::Mutex;
use std::{env, fs};

use log::{Log, Metadata, Record};
use syscap::Recording;

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Takes warnings and errors.
struct Other;

impl Log for Other {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &Record<'_>) {
        SEEN.lock().unwrap().push(record.args().to_string());
    }

    fn flush(&self) {}
}

/// (severity, domain, line) of the logs of a capture.
fn logs(bytes: &[u8]) -> Vec<(u16, String, String)> {
    let text = |b: &[u8]| {
        let n = b.iter().position(|&b| b == 0).unwrap_or(b.len());
        String::from_utf8(b[..n].to_vec()).unwrap()
    };
    let (mut found, mut at) = (Vec::new(), 256);

    while at < bytes.len() {
        let len = u16::from_le_bytes([bytes[at], bytes[at + 1]]) as usize;
        let frame = &bytes[at..at + len];
        if frame[16] == 12 {
            let severity = u16::from_le_bytes([frame[24], frame[25]]);
            found.push((severity, text(&frame[32..64]), text(&frame[64..])));
        }
        at += len;
    }
    found
}

#[test]
fn lines_are_in_the_capture_and_with_the_other_logger() {
    syscap_log::Logger::before(Other).init().unwrap();
    log::warn!("before {}", 0);
    let path = env::temp_dir().join(format!("syscap-rust-log-{}", std::process::id()));
    let recording = Recording::start(path.to_str().unwrap()).unwrap();
    let file = recording.file().to_owned();
    log::error!("bad {}", 1);
    log::warn!("odd {}", 2);
    log::info!(target: "a::target", "fine {}", 3);
    log::trace!(target: "a::target::that::is::longer::than::the::field", "{}", "é".repeat(600));
    recording.stop().unwrap();
    log::info!("afterwards");

    let found = logs(&fs::read(&file).unwrap());
    fs::remove_file(&file).unwrap();
    let is = |i: usize, severity: u16, domain: &str, line: &str| {
        assert_eq!(found[i], (severity, domain.to_string(), line.to_string()));
    };
    is(0, 8, "recording", "bad 1");
    is(1, 16, "recording", "odd 2");
    is(2, 64, "a::target", "fine 3");
    let cut = "a::target::that::is::longer::th";
    is(3, 128, cut, &"é".repeat(511));
    assert_eq!(found.len(), 4);
    assert_eq!(*SEEN.lock().unwrap(), ["before 0", "bad 1", "odd 2"]);
}
