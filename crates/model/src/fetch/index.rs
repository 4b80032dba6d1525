//! Package indexes: which one to ask, and where it says a package's wheel is (PEP 503, the simple repository API).
//!
//! No index's address is part of the program: it is the one that is set, or the one this machine's pip uses.

use std::time::Duration;

use reqwest::Url;
use tokio::process::Command;

use super::download::{self, Http};

/// Most bytes of a page of links.
const MAX_PAGE: usize = 16 << 20;

/// The commands for pip.
const PIPS: [(&str, &[&str]); 3] = [("pip3", &[]), ("pip", &[]), ("python3", &["-m", "pip"])];

/// The index to ask.
pub(super) async fn find(set: Option<&str>) -> Result<Url, String> {
    let named = set.map(str::to_owned).or_else(|| std::env::var("PIP_INDEX_URL").ok()).filter(|u| !u.trim().is_empty());
    let text = match named {
        Some(url) => url,
        None => of_pip().await.ok_or(
            "no package index is known: there is no pip here to tell; set package_index in [data], or PIP_INDEX_URL",
        )?,
    };
    let mut url = Url::parse(text.trim()).map_err(|e| format!("the package index's address is no URL ({e})"))?;
    let path = format!("{}/", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

/// The index pip would use, wherever it is configured: its help names the default in force.
async fn of_pip() -> Option<String> {
    for (program, before) in PIPS {
        let mut command = Command::new(program);
        command.args(before).args(["download", "--help"]).env("COLUMNS", "1000").kill_on_drop(true);
        command.stdin(std::process::Stdio::null());
        let Ok(Ok(output)) = tokio::time::timeout(Duration::from_secs(30), command.output()).await else { continue };
        if let Some(url) = in_help(&String::from_utf8_lossy(&output.stdout)) {
            return Some(url);
        }
    }
    None
}

fn in_help(help: &str) -> Option<String> {
    let after = help.split("--index-url").nth(1)?;
    let url = after.split("(default").nth(1)?.split(')').next()?;
    let url: String = url.split_whitespace().collect();
    url.starts_with("http").then_some(url)
}

/// A wheel as an index lists it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wheel {
    pub(super) url: Url,
    /// As the index says, where it says.
    pub(super) sha256: Option<String>,
}

/// Where the wheel of a version is.
pub(super) async fn wheel(http: &Http, index: &Url, project: &str, version: &str) -> Result<Wheel, String> {
    let page = index.join(&format!("{project}/")).map_err(|e| format!("{project}: {e}"))?;
    let (at, text) = http.text(&page, MAX_PAGE).await?;
    let found = hrefs(&text).filter_map(|href| at.join(&href).ok()).find(|url| is_wheel(url, project, version));
    let url = found.ok_or_else(|| format!("{} lists no wheel of version {version}", download::shown(&page)))?;
    let sha256 = url.fragment().and_then(|f| f.strip_prefix("sha256=")).map(str::to_ascii_lowercase);
    Ok(Wheel { url, sha256 })
}

fn is_wheel(url: &Url, project: &str, version: &str) -> bool {
    let name = url.path_segments().and_then(|mut s| s.next_back()).unwrap_or_default();
    let start = format!("{}-{version}-", project.replace('-', "_"));
    name.to_ascii_lowercase().starts_with(&start) && name.ends_with(".whl")
}

/// The targets of a page's anchors.
fn hrefs(page: &str) -> impl Iterator<Item = String> {
    page.split("<a ").skip(1).filter_map(|anchor| {
        let tag = anchor.split('>').next()?;
        let value = tag.split("href=").nth(1)?;
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Some(value.get(1..)?.split(quote).next()?.replace("&amp;", "&"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_links() {
        let page =
            "<html><a class=x href=\"../f/a_b-1.0-py3-none-any.whl#sha256=AB\" data-x>a</a>\n<a href='q?a=1&amp;b'>";
        let found: Vec<String> = hrefs(page).collect();
        assert_eq!(found, ["../f/a_b-1.0-py3-none-any.whl#sha256=AB", "q?a=1&b"]);
        let url = Url::parse("http://h/simple/a-b/").unwrap().join(&found[0]).unwrap();
        assert!(is_wheel(&url, "a-b", "1.0") && !is_wheel(&url, "a-b", "1") && !is_wheel(&url, "a", "1.0"));
        assert_eq!(hrefs("<a href=unquoted><a ><a").count(), 0);
    }

    #[test]
    fn the_index_is_read_from_pips_help() {
        let help = "  -i, --index-url <url>  Base URL (default\n      https://h.example/simple). This\n  --extra-index-url <url>";
        assert_eq!(in_help(help).as_deref(), Some("https://h.example/simple"));
        assert_eq!(in_help("usage: pip"), None);
    }
}
