//! Manifest of the weights that can be fetched, read from `manifest.toml`.

use serde::Deserialize;

use super::FetchError;

const SHIPPED: &str = include_str!("manifest.toml");

/// A file of weights: what it is, how it is recognised, where the hub has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// The name a person types (`qwen`).
    pub name: String,
    pub title: String,
    pub about: String,
    pub file: String,
    /// Bytes.
    pub size: u64,
    /// In lower-case hexadecimal digits.
    pub sha256: String,
    /// SPDX.
    pub licence: String,
    #[serde(default, rename = "use")]
    pub purpose: Purpose,
    #[serde(default)]
    pub with: Vec<String>,
    /// Where it is on the model hub: what follows the hub's address.
    pub path: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    #[default]
    Language,
    Embedder,
}

impl Weights {
    /// The size as a person reads it.
    pub fn megabytes(&self) -> String {
        megabytes(self.size)
    }
}

/// A number of bytes as a person reads it, rounded.
pub fn megabytes(bytes: u64) -> String {
    match bytes {
        999_500_000.. => format!("{:.1} GB", bytes as f64 / 1e9),
        999_500.. => format!("{:.0} MB", bytes as f64 / 1e6),
        _ => format!("{:.0} kB", bytes as f64 / 1e3),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    weights: Vec<Weights>,
}

/// All weights that can be fetched, in the order to show.
/// Errors: [`FetchError::Manifest`] when the program was built with a manifest that cannot be read.
pub fn all() -> Result<Vec<Weights>, FetchError> {
    let manifest: Manifest = toml::from_str(SHIPPED).map_err(|e| FetchError::Manifest(e.to_string()))?;
    Ok(manifest.weights)
}

/// All of a name: the weights themselves, and those that are fetched along.
pub fn with_companions(name: &str) -> Result<Vec<Weights>, FetchError> {
    let own = named(name)?;
    let along = own.with.iter().map(|other| named(other)).collect::<Result<Vec<_>, _>>()?;
    Ok([own].into_iter().chain(along).collect())
}

/// The weights of a name, with or without `local:` before it.
pub fn named(name: &str) -> Result<Weights, FetchError> {
    let all = all()?;
    let wanted = name.strip_prefix("local:").unwrap_or(name);
    let known = all.iter().map(|w| w.name.as_str()).collect::<Vec<_>>().join(", ");
    let found = all.into_iter().find(|w| w.name == wanted);
    found.ok_or_else(|| FetchError::Unknown { name: name.to_owned(), known })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded() {
        for (bytes, words) in [
            (0, "0 kB"),
            (231_508, "232 kB"),
            (999_499, "999 kB"),
            (999_500, "1 MB"),
            (90_868_376, "91 MB"),
            (999_499_999, "999 MB"),
            (999_500_000, "1.0 GB"),
            (1_117_320_736, "1.1 GB"),
        ] {
            assert_eq!(megabytes(bytes), words);
        }
    }

    #[test]
    fn the_shipped_manifest_is_sound() {
        let all = all().unwrap();
        assert!(all.iter().map(|w| w.name.as_str()).eq(["qwen", "smollm2", "minilm", "minilm-pieces"]));
        for w in all {
            assert!(w.sha256.len() == 64 && w.sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
            assert!(w.path.contains("/resolve/"), "{}", w.path);
        }
        assert!(named("local:qwen").is_ok());
        let both = with_companions("minilm").unwrap();
        assert_eq!(both.iter().map(|w| w.name.as_str()).collect::<Vec<_>>(), ["minilm", "minilm-pieces"]);
        assert!(both.iter().all(|w| w.purpose == Purpose::Embedder));
        assert!(named("gpt").unwrap_err().to_string().contains("qwen, smollm2, minilm"));
    }
}
