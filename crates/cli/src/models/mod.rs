//! `stepwright models`: the configured models, what an endpoint offers, and the weights of local ones.

mod weights;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use tokio_util::sync::CancellationToken;

use super::{CliError, Global, print};
use stepwright_launch::config::{Config, ModelConfig};
use stepwright_model::ModelError;
use stepwright_model::remote::{Capabilities, Remote, Support};

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the models that are configured, where they answer, and whether a key is there
    List,
    /// Ask an endpoint for a few tokens to find out what it offers
    Probe {
        /// A configured model or a model's id; the one in [model] if left out
        name: Option<String>,
    },
    /// Fetch the weights of a local model, or resume fetching them; prints where they are
    Fetch {
        /// The model: qwen (1.1 GB), smollm2 (98 MB) or minilm (91 MB, sentence vectors)
        name: String,
        /// Take the file from here in place of the network: the file, or a folder with it
        #[arg(long, value_name = "FILE_OR_DIR")]
        from: Option<PathBuf>,
    },
}

impl ModelsCommand {
    /// Prints the answer. Exit code 1 when a probed endpoint answers nothing.
    pub fn run(&self, global: &Global) -> Result<ExitCode, CliError> {
        let config = global.load()?;
        let (mut text, mut done) = (String::new(), true);
        match self {
            ModelsCommand::List => list(&config, &mut text)?,
            ModelsCommand::Fetch { name, from } => return weights::fetch(&config, name, from.as_deref()),
            ModelsCommand::Probe { name } => done = probe(&config, name.as_deref().unwrap_or(""), &mut text)?,
        }
        print(&text)?;
        Ok(if done { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn list(config: &Config, out: &mut String) -> Result<(), CliError> {
    let chosen = &config.model.model;
    let mark = |name: &str| if name == chosen { "*" } else { " " };
    line(out, format!("{} symbolic  built in, no language model", mark("symbolic")));
    if let Some(path) = chosen.strip_prefix("cassette:") {
        line(out, format!("* {chosen}  recorded exchanges in {path}"));
    }
    weights::list(config, out)?;
    for (name, model) in &config.models {
        line(out, format!("{} {name}  {}", mark(name), describe(model)));
    }
    match config.model_config("") {
        Some(model) if !config.models.contains_key(chosen) => line(out, format!("* {chosen}  {}", describe(&model))),
        _ => {
            let any = describe(&config.model).replacen(chosen.as_str(), "any model's id", 1);
            line(out, format!("  (any other name)  {any}"));
        }
    }
    Ok(())
}

fn describe(model: &ModelConfig) -> String {
    // The provider knows how to show an address without what is secret in it.
    let endpoint = match Remote::new(model.options.clone()) {
        Ok(provider) => stepwright_model::LanguageModel::info(&provider).endpoint,
        Err(e) => return format!("{}: {e}", model.model),
    };
    let from = &model.options.api_key_env;
    let key = match (&model.options.api_key, from.is_empty()) {
        (Some(_), _) => format!("key present (${from})"),
        (None, false) => format!("key absent (${from} is not set)"),
        (None, true) => "no key".to_owned(),
    };
    format!("{} at {endpoint}, {key}", model.model)
}

fn probe(config: &Config, name: &str, out: &mut String) -> Result<bool, CliError> {
    let failed = |e: ModelError| CliError::Failed(e.to_string());
    let Some(model) = config.model_config(name) else {
        let shown = if name.is_empty() { config.model.model.as_str() } else { name };
        line(
            out,
            format!(
                "{shown} answers without an endpoint: there is nothing to probe. Name a model, or set [model] model."
            ),
        );
        return Ok(false);
    };
    line(out, describe(&model));
    let provider = Remote::new(model.options).map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let found = runtime.block_on(provider.probe(&CancellationToken::new())).map_err(failed)?;
    show(&found, out);
    Ok(found.chat.is_yes() || found.completions.is_yes())
}

/// A reason; the same one is told once, as where nothing can be reached.
fn once<'a>(told: &mut Vec<&'a str>, why: &'a str) -> &'a str {
    if told.contains(&why) {
        return "the same";
    }
    told.push(why);
    why
}

fn show(found: &Capabilities, out: &mut String) {
    let mut told = Vec::new();
    for (what, support) in [
        ("chat completions", &found.chat),
        ("raw completions", &found.completions),
        ("log-probabilities", &found.logprobs),
        ("several at once", &found.several),
        ("token counts", &found.usage),
    ] {
        match support {
            Support::Yes => line(out, format!("  {what:<18} yes")),
            Support::No(why) => line(out, format!("  {what:<18} no: {}", once(&mut told, why))),
        }
    }
    match &found.scoring {
        Ok(way) => line(out, format!("  scoring            yes, {}: the method `scored` can be used", way.words())),
        Err(why) => line(out, format!("  scoring            no: {}", once(&mut told, why))),
    }
    match found.context {
        Some(tokens) => line(out, format!("  context            {tokens} tokens")),
        None => line(out, "  context            not reported; set `context` for the model in config.toml".to_owned()),
    }
    match &found.models {
        Ok(ids) if ids.is_empty() => line(out, "  models there       none listed".to_owned()),
        Ok(ids) => line(out, format!("  models there       {}", ids.join(", "))),
        Err(why) => line(out, format!("  models there       not known: {}", once(&mut told, why))),
    }
}

fn line(out: &mut String, line: String) {
    out.push_str(&line);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::once;

    #[test]
    fn a_reason_is_told_once() {
        let mut told = Vec::new();
        assert_eq!(["gone", "refused", "gone"].map(|why| once(&mut told, why)), ["gone", "refused", "the same"]);
    }
}
