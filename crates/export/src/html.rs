//! Self-contained HTML pages: no script, no style and no picture from elsewhere; every text escaped. The page of a session has one script, named
//! by its checksum, so that nothing else can run: arrow keys go through the decisions. As a mirror it follows what the presenter shows.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use serde::Serialize;

use super::compare::Comparison;
use super::story::Story;

/// Most characters of what is only named.
const LONGEST: usize = 160;

pub(crate) const SCRIPT: &str = include_str!("review.js");
/// SHA-256 of the script, in Base64.
pub(crate) const CHECKSUM: &str = "vDCwsS4fepi8Zgvkn7QSleFVpaN+wWUvx9a+m3pQGog=";

#[derive(Serialize)]
struct Page<'a> {
    #[serde(flatten)]
    story: &'a Story,
    script: &'static str,
    checksum: &'static str,
    /// Whether it is served beside a presenter, whom it follows.
    mirror: bool,
}

pub fn render(story: &Story, mirror: bool) -> Result<String, minijinja::Error> {
    page(include_str!("session.html.jinja"), &Page { story, script: SCRIPT, checksum: CHECKSUM, mirror })
}

pub fn comparison(comparison: &Comparison) -> Result<String, minijinja::Error> {
    page(include_str!("compare/page.html.jinja"), comparison)
}

fn page(template: &str, data: &impl Serialize) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("safe_text", |text: String| stepwright_text::sanitize::visible(&text).into_owned());
    environment.add_filter("short", |text: String| match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(&text)),
        None => text,
    });
    // A value of a story always has a text.
    environment.add_filter("pretty", |value: Value| serde_json::to_string_pretty(&value).unwrap_or_default());
    environment.add_template("page", template)?;
    environment.get_template("page")?.render(Serde(data))
}
