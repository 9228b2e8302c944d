// SPDX-License-Identifier: BSD-2-Clause
//! Search for libsyscap.a, in `SYSCAP_LIB_DIR` or by pkg-config.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

const ARCHIVE: &str = "libsyscap.a";

/// The versions of the library that fit the declarations of this crate.
const AT_LEAST: &str = "syscap >= 0.1.0";
const BELOW: &str = "syscap < 0.2";

fn fail(why: &str) -> ! {
    eprintln!("error: {why}");
    eprintln!(
        "\nThe syscap crate links {ARCHIVE}, of the syscap library.  Install it where\n\
         pkg-config finds syscap.pc (PKG_CONFIG_PATH), or set SYSCAP_LIB_DIR to the\n\
         folder that has {ARCHIVE}."
    );
    exit(1);
}

fn pkg_config() -> PathBuf {
    let program = env::var_os("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
    let output = Command::new(&program)
        .args(["--print-errors", "--variable=libdir", AT_LEAST, BELOW])
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => fail(&format!(
            "cannot run {}: {error}",
            program.to_string_lossy()
        )),
    };
    if !output.status.success() {
        fail(String::from_utf8_lossy(&output.stderr).trim());
    }
    let told = String::from_utf8_lossy(&output.stdout);
    PathBuf::from(told.split_whitespace().next().unwrap_or_default())
}

fn check(folder: &Path) {
    if !folder.join(ARCHIVE).is_file() {
        fail(&format!("there is no {ARCHIVE} in {}", folder.display()));
    }
}

fn main() {
    for name in ["SYSCAP_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("DOCS_RS").is_some() {
        return; // building documentation links nothing
    }
    let folder = match env::var_os("SYSCAP_LIB_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => pkg_config(),
    };
    check(&folder);
    println!("cargo:rerun-if-changed={}", folder.join(ARCHIVE).display());
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=syscap");
    println!("cargo:rustc-link-lib=pthread");
    println!("cargo:lib_dir={}", folder.display());
}
