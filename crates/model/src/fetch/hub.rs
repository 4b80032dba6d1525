//! Model hub as this machine knows it: its address, its cache of files, the person's token. Read from the variables and files
//! that the Hugging Face tools use.

use std::path::{Path, PathBuf};

use reqwest::Url;
use secrecy::SecretString;

use super::FetchError;
use super::manifest::Weights;

const ADDRESS: &str = "https://huggingface.co";

const NONE: &str = "none";

#[derive(Debug, Clone, Default)]
pub struct Hub {
    /// Where it answers; `None` to pass it over.
    pub address: Option<String>,
    pub cache: Option<PathBuf>,
    /// The person's token, sent to the hub alone.
    pub token: Option<SecretString>,
}

impl Hub {
    /// As set, or else as the environment says.
    pub fn of_environment(set: Option<&str>, environment: &dyn Fn(&str) -> Option<String>) -> Self {
        let var = |name: &str| environment(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
        let home = var("HF_HOME").map(PathBuf::from).or_else(|| {
            let cache =
                var("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| Some(Path::new(&var("HOME")?).join(".cache")))?;
            Some(cache.join("huggingface"))
        });
        let within = |name: &str| home.as_ref().map(|h| h.join(name));
        let cache = var("HF_HUB_CACHE").map(PathBuf::from).or_else(|| within("hub"));
        let file = var("HF_TOKEN_PATH").map(PathBuf::from).or_else(|| within("token"));
        let stored = || Some(std::fs::read_to_string(file?).ok()?.trim().to_owned()).filter(|t| !t.is_empty());
        let token = var("HF_TOKEN").or_else(|| var("HUGGING_FACE_HUB_TOKEN")).or_else(stored);
        let offline = var("HF_HUB_OFFLINE")
            .is_some_and(|v| matches!(v.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on"));
        let address = set.map_or(ADDRESS, str::trim);
        Hub {
            address: (!offline && !address.is_empty() && address != NONE).then(|| address.to_owned()),
            cache,
            token: token.map(SecretString::from),
        }
    }

    /// The file of weights in the cache, if it is there: under its hash, or its name in a snapshot.
    pub(super) fn cached(&self, weights: &Weights) -> Option<PathBuf> {
        let cache = self.cache.as_ref()?;
        let (repository, rest) = weights.path.split_once("/resolve/")?;
        let file = rest.split_once('/')?.1;
        let folder = cache.join(format!("models--{}", repository.replace('/', "--")));
        let snapshots = std::fs::read_dir(folder.join("snapshots")).into_iter().flatten().flatten();
        let mut places = vec![folder.join("blobs").join(&weights.sha256)];
        places.extend(snapshots.map(|s| s.path().join(file)));
        // A link into the folder of blobs: its length is that of what it leads to.
        places.into_iter().find(|p| std::fs::metadata(p).is_ok_and(|m| m.is_file() && m.len() == weights.size))
    }

    pub(super) fn url(&self, weights: &Weights) -> Result<Url, FetchError> {
        let wrong = |why: String| FetchError::not_had(weights, why);
        let address = self.address.as_deref();
        let address = address.ok_or_else(|| wrong("passed over (model_hub in [data], or HF_HUB_OFFLINE)".into()))?;
        let url = format!("{}/{}", address.trim().trim_end_matches('/'), weights.path);
        Url::parse(&url).map_err(|e| wrong(format!("its address is no URL ({e})")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_variables_and_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("huggingface")).unwrap();
        std::fs::write(folder.path().join("huggingface/token"), "hf_x\n").unwrap();
        let home = folder.path().display().to_string();
        let with = |set: Option<&str>, vars: &[(&str, &str)]| {
            let all: Vec<(String, String)> = vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
            let cache = home.clone();
            Hub::of_environment(set, &move |name| {
                let own = (name == "XDG_CACHE_HOME").then(|| cache.clone());
                all.iter().find(|(k, _)| k == name).map(|(_, v)| v.clone()).or(own)
            })
        };
        let plain = with(None, &[]);
        assert_eq!(plain.address.as_deref(), Some(ADDRESS));
        assert!(plain.token.is_some() && plain.cache.unwrap().ends_with("huggingface/hub"));
        assert_eq!(with(None, &[("HF_HUB_OFFLINE", "1")]).address, None);
        assert_eq!(with(Some("none"), &[]).address, None);
        assert_eq!(with(Some("http://h"), &[("HF_HUB_CACHE", "/c")]).address.as_deref(), Some("http://h"));
        assert_eq!(with(None, &[("HF_HUB_CACHE", "/c")]).cache, Some(PathBuf::from("/c")));
        assert!(!format!("{:?}", with(None, &[("HF_TOKEN", "hf_secret")])).contains("hf_secret"));
    }
}
