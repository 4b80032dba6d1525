//! Well-known providers by the word before a model's id (`anthropic/claude-…`): where each answers, what it speaks,
//! and which environment variables hold its key and another address.

use super::options::Wire;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// The word before the `/`.
    pub name: &'static str,
    pub wire: Wire,
    pub base_url: &'static str,
    /// Variables that hold the key, the first one set wins; none where none is needed.
    pub keys: &'static [&'static str],
    /// The variable that names another address, as the provider's own tools read it; empty for none.
    pub address: &'static str,
}

const fn provider(
    name: &'static str,
    wire: Wire,
    base_url: &'static str,
    keys: &'static [&'static str],
    address: &'static str,
) -> Provider {
    Provider { name, wire, base_url, keys, address }
}

/// All that are known by name.
pub const PROVIDERS: [Provider; 16] = [
    provider("openai", Wire::OpenAi, "https://api.openai.com/v1", &["OPENAI_API_KEY"], "OPENAI_BASE_URL"),
    provider(
        "anthropic",
        Wire::Anthropic,
        "https://api.anthropic.com/v1",
        &["ANTHROPIC_API_KEY"],
        "ANTHROPIC_BASE_URL",
    ),
    // Its cloud wants a key, a server of one's own passes it over.
    provider("ollama", Wire::Ollama, "http://127.0.0.1:11434", &["OLLAMA_API_KEY"], "OLLAMA_HOST"),
    provider(
        "openrouter",
        Wire::OpenAi,
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
        "OPENROUTER_BASE_URL",
    ),
    provider(
        "gemini",
        Wire::OpenAi,
        "https://generativelanguage.googleapis.com/v1beta/openai",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        "",
    ),
    provider("mistral", Wire::OpenAi, "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"], ""),
    provider("deepseek", Wire::OpenAi, "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"], ""),
    provider("groq", Wire::OpenAi, "https://api.groq.com/openai/v1", &["GROQ_API_KEY"], ""),
    provider("together", Wire::OpenAi, "https://api.together.xyz/v1", &["TOGETHER_API_KEY"], ""),
    provider("fireworks", Wire::OpenAi, "https://api.fireworks.ai/inference/v1", &["FIREWORKS_API_KEY"], ""),
    provider("xai", Wire::OpenAi, "https://api.x.ai/v1", &["XAI_API_KEY"], ""),
    provider("cerebras", Wire::OpenAi, "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"], ""),
    provider("huggingface", Wire::OpenAi, "https://router.huggingface.co/v1", &["HF_TOKEN"], ""),
    provider("vllm", Wire::OpenAi, "http://127.0.0.1:8000/v1", &[], ""),
    provider("llamacpp", Wire::OpenAi, "http://127.0.0.1:8080/v1", &[], ""),
    provider("lmstudio", Wire::OpenAi, "http://127.0.0.1:1234/v1", &[], ""),
];

/// The provider before a model's id, and the id; `None` where the word there is no provider.
pub fn split(name: &str) -> Option<(&'static Provider, &str)> {
    let (word, id) = name.split_once('/')?;
    let found = PROVIDERS.iter().find(|p| p.name == word)?;
    (!id.is_empty()).then_some((found, id))
}

/// An address as a variable holds it (`OLLAMA_HOST=0.0.0.0:11434`), as a URL to connect to.
pub fn address(text: &str, wire: Wire) -> String {
    let text = text.trim().trim_end_matches('/');
    if wire == Wire::Anthropic && !text.ends_with("/v1") {
        return format!("{text}/v1");
    }
    if wire != Wire::Ollama || text.contains("://") {
        return text.to_owned();
    }
    // All addresses of this machine are what its server listens at, not where it is asked.
    let text = text.replace("0.0.0.0", "127.0.0.1");
    if text.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok()) {
        format!("http://{text}")
    } else {
        format!("http://{text}:11434")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_providers_and_other_ids_to_none() {
        let (found, id) = split("openrouter/meta-llama/llama-3.3-70b:free").unwrap();
        assert_eq!((found.name, id), ("openrouter", "meta-llama/llama-3.3-70b:free"));
        for none in ["gpt-4.1", "Qwen/Qwen2.5", "anthropic/", "/x"] {
            assert!(split(none).is_none(), "{none}");
        }
        assert_eq!(address("0.0.0.0:1234", Wire::Ollama), "http://127.0.0.1:1234");
        assert_eq!(address("box", Wire::Ollama), "http://box:11434");
        assert_eq!(address("http://box:1/", Wire::Ollama), "http://box:1");
        assert_eq!(address("https://h/v1/", Wire::OpenAi), "https://h/v1");
        assert_eq!(address("https://h/a", Wire::Anthropic), "https://h/a/v1");
    }
}
