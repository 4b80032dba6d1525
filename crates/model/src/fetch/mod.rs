//! Fetch of the weights of local models: from the model hub, or from a file a person has.
//!
//! Only the bytes are fetched here; what runs them is `local`. The hub may be slow, cut off, wrong or gone: what arrives is a
//! file in the making until its size and sha256 are those of the manifest, and what has arrived is resumed from.

mod download;
mod error;
mod from;
mod hub;
mod manifest;
mod store;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub use error::FetchError;
pub use hub::Hub;
pub use manifest::{Purpose, Weights, all, megabytes, named, with_companions};
use store::Part;
pub use store::{is_present, path};

/// Where weights come from and go to.
#[derive(Debug, Clone, Default)]
pub struct Places {
    pub folder: PathBuf,
    pub hub: Hub,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub what: &'static str,
    /// Bytes of the file that are there.
    pub done: u64,
    pub total: u64,
}

pub type Report<'a> = dyn Fn(Step) + Sync + 'a;

/// Fetches weights unless they are there; gives their path. What an earlier attempt got is resumed.
/// Errors: [`FetchError`]; [`FetchError::Cancelled`] soon after `cancel` fires.
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
        // What is there and is not the file is passed over: the hub has it.
        match take(weights, &cached, places, report, cancel).await {
            Err(FetchError::NotIt { .. }) => {}
            taken => return taken,
        }
    }
    let url = places.hub.url(weights)?;
    let part = Arc::new(Part::open(&places.folder, weights)?);
    part.room(weights)?;
    loop {
        let begun = part.len()? > 0;
        download::fill(&url, &part, weights, places.hub.token.as_ref(), report, cancel).await?;
        if checked(weights, &part, report, cancel).await? {
            return finish(part, &target).map(|()| target);
        }
        part.cut(0)?;
        // What was begun before may have been no beginning of this file.
        if !begun {
            return Err(FetchError::not_had(weights, "what came is not the file: its sha256 differs"));
        }
    }
}

/// Takes weights from a file or folder a person has; gives their path.
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
