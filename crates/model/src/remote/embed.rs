//! Sentence vectors: `/v1/embeddings` as OpenAI-compatible servers speak it, and Ollama's `/api/embed`.

use serde_json::{Value, json};

use super::Remote;
use super::http::Root;
use super::options::Wire;
use crate::ModelError;

impl Remote {
    pub(super) async fn vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let model = &self.options.model;
        let (root, path, mut body) = match self.options.wire {
            Wire::Anthropic => {
                return Err(ModelError::Configuration(format!(
                    "{model}: Anthropic's Messages give no sentence vectors"
                )));
            }
            Wire::Ollama => (Root::Server, "api/embed", json!({"model": model, "input": texts})),
            Wire::OpenAi => {
                (Root::Base, "embeddings", json!({"model": model, "input": texts, "encoding_format": "float"}))
            }
        };
        if let Some(body) = body.as_object_mut() {
            body.extend(self.options.extra_body.clone());
        }
        let answer = self.object(root, path, Some(&body)).await.map_err(|failure| failure.error)?;
        let found = match self.options.wire {
            Wire::Ollama => {
                answer.get("embeddings").and_then(Value::as_array).map(|all| all.iter().map(vector).collect())
            }
            _ => in_order(&answer),
        };
        let found: Option<Vec<Vec<f32>>> = found.and_then(|all: Vec<Option<_>>| all.into_iter().collect());
        let found = found.filter(|all| all.len() == texts.len());
        found.ok_or_else(|| self.unfit(format!("{path} gives no vector of numbers for each of {} texts", texts.len())))
    }
}

/// The vectors of a list of objects, which may say their places.
fn in_order(answer: &Value) -> Option<Vec<Option<Vec<f32>>>> {
    let data = answer.get("data")?.as_array()?;
    let mut found = vec![None; data.len()];
    for (at, entry) in data.iter().enumerate() {
        let place = entry.get("index").and_then(Value::as_u64).and_then(|i| usize::try_from(i).ok()).unwrap_or(at);
        *found.get_mut(place)? = entry.get("embedding").and_then(vector);
    }
    Some(found)
}

fn vector(value: &Value) -> Option<Vec<f32>> {
    value.as_array()?.iter().map(|x| x.as_f64().map(|x| x as f32).filter(|x| x.is_finite())).collect()
}
