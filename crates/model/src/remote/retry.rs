//! Retries: what is tried again, and when.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::options::Options;

pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// Whether a refusal means that money or quota is used up: waiting does not help.
pub(super) fn is_money(error: &Value, message: &str) -> bool {
    const SIGNS: [&str; 10] = [
        "insufficient_quota", "credit_balance", "insufficient_credits", "insufficient credit", "insufficient balance",
        "insufficient funds", "billing", "spend limit", "spending limit", "payment",
    ];
    let mut text = message.to_ascii_lowercase();
    for field in ["code", "type"] {
        if let Some(word) = error.get(field).and_then(Value::as_str) {
            text.push(' ');
            text.push_str(&word.to_ascii_lowercase());
        }
    }
    SIGNS.iter().any(|sign| text.contains(sign))
}

/// How long the server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|t| t.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let after = text("retry-after")?;
    if let Ok(seconds) = after.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(after).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// The wait before `attempt` (from 2): exponential with jitter, at least what the server asks for. `None` when the server asks
/// for more than the cap.
pub(super) fn wait(options: &Options, attempt: u32, asked: Option<Duration>, jitter: f64) -> Option<Duration> {
    if asked.is_some_and(|asked| asked > options.backoff_cap) {
        return None;
    }
    let doubled = options.backoff.saturating_mul(1u32.checked_shl(attempt.saturating_sub(2)).unwrap_or(u32::MAX));
    // Between half and the whole, so that many clients do not come back at once.
    let exponential = doubled.min(options.backoff_cap).mul_f64(0.5 + 0.5 * jitter.clamp(0.0, 1.0));
    Some(exponential.max(asked.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::HeaderValue;
    use serde_json::json;

    use super::*;

    fn header(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        headers
    }

    #[test]
    fn retry_after_in_its_three_spellings() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        assert_eq!(retry_after(&header("retry-after", "7"), now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(&header("retry-after", "0.5"), now), Some(Duration::from_millis(500)));
        assert_eq!(retry_after(&header("retry-after-ms", "250"), now), Some(Duration::from_millis(250)));
        let later = httpdate::fmt_http_date(now + Duration::from_secs(90));
        assert_eq!(retry_after(&header("retry-after", &later), now), Some(Duration::from_secs(90)));
        let past = httpdate::fmt_http_date(now - Duration::from_secs(90));
        assert_eq!(retry_after(&header("retry-after", &past), now), Some(Duration::ZERO));
        for nonsense in ["soon", "-3", "NaN", "inf", "1e400", ""] {
            assert_eq!(retry_after(&header("retry-after", nonsense), now), None, "{nonsense}");
        }
    }

    #[test]
    fn an_empty_account_is_no_rate_limit() {
        assert!(is_money(&json!({"code": "insufficient_quota"}), "You exceeded your current quota"));
        assert!(is_money(&json!({"type": "credit_balance_exhausted"}), ""));
        assert!(!is_money(&json!({"code": "rate_limit_exceeded"}), "Rate limit reached for requests per min"));
    }

    proptest! {
        #[test]
        fn waits_stay_between_what_is_asked_and_the_cap(attempt in 0u32..80, asked in 0u64..100, jitter in -1.0f64..2.0) {
            let options = Options::new("http://x", "m");
            let asked = Duration::from_secs(asked);
            match wait(&options, attempt, Some(asked), jitter) {
                Some(wait) => prop_assert!(wait >= asked && wait <= options.backoff_cap),
                None => prop_assert!(asked > options.backoff_cap),
            }
        }
    }
}
