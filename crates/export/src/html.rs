//! Self-contained HTML pages: no script, no style and no picture from elsewhere; every text escaped.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use serde::Serialize;

use super::compare::Comparison;
use super::story::Story;

pub fn render(story: &Story) -> Result<String, minijinja::Error> {
    page(include_str!("session.html.jinja"), story)
}

pub fn comparison(comparison: &Comparison) -> Result<String, minijinja::Error> {
    page(include_str!("compare/page.html.jinja"), comparison)
}

fn page(template: &str, data: &impl Serialize) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("safe_text", |text: String| stepwright_text::sanitize::visible(&text).into_owned());
    // A value of a story always has a text.
    environment.add_filter("pretty", |value: Value| serde_json::to_string_pretty(&value).unwrap_or_default());
    environment.add_template("page", template)?;
    environment.get_template("page")?.render(Serde(data))
}
