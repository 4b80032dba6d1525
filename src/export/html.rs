//! A session as one self-contained HTML page: no script, no style and no picture from elsewhere; every text escaped.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use super::story::Story;

/// The page's template.
const TEMPLATE: &str = include_str!("session.html.jinja");

/// Renders the page.
///
/// # Errors
/// If the template does not fit the story, which is a fault of the program.
pub fn render(story: &Story) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("safe_text", |text: String| crate::sanitize::visible(&text).into_owned());
    environment.add_template("session", TEMPLATE)?;
    environment.get_template("session")?.render(Serde(story))
}
