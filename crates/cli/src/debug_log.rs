//! Debug log and crash reports: files in the folder of logs, for finding out what went wrong.
//!
//! The log is off unless it is asked for. What is written comes from `tracing` events of this program alone; none of them
//! holds a key, and those that hold prompts (target `stepwright::prompts`) are left out unless these are asked for too.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;

/// The target of events that hold whole requests.
const PROMPTS: &str = "stepwright::prompts";

/// Where reports of crashes go, once it is known.
static CRASHES: OnceLock<PathBuf> = OnceLock::new();

/// Begins the log of this process; gives its file, or `None` where it is off.
pub fn begin(folder: &Path, level: &str, prompts: bool) -> Result<Option<PathBuf>, String> {
    let level: LevelFilter = level.parse().unwrap_or(LevelFilter::OFF);
    if level == LevelFilter::OFF {
        return Ok(None);
    }
    let (path, file) = new_file(folder, "stepwright").map_err(|e| format!("{}: {e}", folder.display()))?;
    let wanted = filter_fn(move |meta| {
        let target = meta.target();
        if target == PROMPTS { prompts } else { target.starts_with("stepwright") && *meta.level() <= level }
    });
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(file)).with_filter(wanted);
    // Another one in this process is one that a test began.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "begun");
    Ok(Some(path))
}

/// Has a panic in any thread write a report into `folder` before it is shown on the terminal: what, where, by which call path.
pub fn report_crashes(folder: &Path) {
    if CRASHES.set(folder.to_owned()).is_err() {
        return;
    }
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        before(info);
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(%place, "crashed");
        let trace = std::backtrace::Backtrace::force_capture();
        let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
        let text = format!(
            "stepwright {} crashed at {place} in the thread {thread}\n\n{}\n\n{trace}\n",
            env!("CARGO_PKG_VERSION"),
            said(info.payload())
        );
        let Some(folder) = CRASHES.get() else { return };
        let written =
            new_file(folder, "crash").and_then(|(path, mut file)| file.write_all(text.as_bytes()).map(|()| path));
        let words = match written {
            Ok(path) => format!("a report of this is in {}", path.display()),
            Err(e) => format!("no report could be written in {}: {e}", folder.display()),
        };
        // With standard error closed nobody can read it.
        let _ = writeln!(std::io::stderr(), "stepwright: {}", stepwright_text::sanitize::line(&words));
    }));
}

/// A panic's message.
fn said(payload: &dyn std::any::Any) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without words").to_owned()
}

fn new_file(folder: &Path, stem: &str) -> std::io::Result<(PathBuf, File)> {
    use std::os::unix::fs::OpenOptionsExt;
    stepwright_files::folder(folder)?;
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let time = chrono::DateTime::from_timestamp(i64::try_from(seconds).unwrap_or_default(), 0).unwrap_or_default();
    let path = folder.join(format!("{stem}-{}-{}.log", time.format("%Y%m%d-%H%M%S"), std::process::id()));
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
    Ok((path, file))
}
