//! Questions to the solver as files, for those who want to look at them.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::tree::Record;
use crate::code::CodeView;
use crate::code::ir::Mfa;
use crate::report::sites;
use crate::smt::Keeper;

/// Writes one file for each question, numbered in the order in which they are answered.
pub(super) struct Files {
    dir: PathBuf,
    stem: String,
    written: AtomicU64,
    failed: Mutex<Option<String>>,
}

impl Files {
    pub(super) fn new(dir: PathBuf, mfa: Mfa) -> Self {
        let stem = format!("{}.{}.{}", plain(&mfa.module.name()), plain(&mfa.function.name()), mfa.arity);
        Files { dir, stem, written: AtomicU64::new(0), failed: Mutex::new(None) }
    }

    /// Why a file could not be written, if one could not.
    pub(super) fn failed(&self) -> Option<String> {
        self.failed.lock().clone()
    }
}

impl Keeper for Files {
    fn keep(&self, text: &str) {
        let number = self.written.fetch_add(1, Ordering::Relaxed) + 1;
        let file = self.dir.join(format!("{}.{number:06}.smt2", self.stem));
        if let Err(why) = fs::write(&file, text) {
            self.failed.lock().get_or_insert_with(|| format!("{}: {why}", file.display()));
        }
    }
}

/// The name of an atom in the name of a file.
fn plain(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'@') {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// What a question is about, in words.
pub(super) fn about(view: &CodeView, mfa: Mfa, record: &Record, index: usize, kind: &str) -> String {
    let mut text = format!("{}:{}/{}, {kind}\n", mfa.module, mfa.function, mfa.arity);
    let Some(decision) = record.decision(index) else { return text };
    let path = format!("decision {} of path {}, to be {}", index + 1, record.number + 1, !decision.taken);
    text.push_str(&path);
    if let Some(site) = sites::describe(view, decision.site) {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\nat {}:{}/{}, {}:{}: {}",
            site.mfa.module, site.mfa.function, site.mfa.arity, site.file, site.line, site.test
        );
    }
    text
}
