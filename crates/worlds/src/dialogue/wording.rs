//! Calls as a person reads them, where the words of a turn are not known.

use super::acts::QUERY_STATUS;
use stepwright_program::{Call, Literal};

/// Calls in words, those of one function together: `informs city, time; selects the offer`.
pub(super) fn calls(calls: &[Call]) -> String {
    let mut parts: Vec<(&str, String)> = Vec::new();
    for call in calls {
        let argument = match call.args.first() {
            Some(Literal::Str(name)) => name.replace('_', " "),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        match parts.last_mut() {
            Some((function, words)) if *function == call.function && !argument.is_empty() => {
                words.push_str(", ");
                words.push_str(&argument);
            }
            _ => parts.push((&call.function, phrase(call, &argument))),
        }
    }
    if parts.is_empty() {
        return "says nothing".to_owned();
    }
    parts.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join("; ")
}

fn phrase(call: &Call, argument: &str) -> String {
    match call.function.as_str() {
        "INFORM" => format!("tells {argument}"),
        "REQUEST" => format!("asks for {argument}"),
        "INFORM_INTENT" => format!("wants {argument}"),
        "AFFIRM_INTENT" => "takes up the offered service".to_owned(),
        "NEGATE_INTENT" => "declines the offered service".to_owned(),
        "REQUEST_ALTS" => "asks for another one".to_owned(),
        "SELECT" => "takes the offer".to_owned(),
        "AFFIRM" => "says yes".to_owned(),
        "NEGATE" => "says no".to_owned(),
        "THANK_YOU" => "thanks".to_owned(),
        "GOODBYE" => "says goodbye".to_owned(),
        "OFFER" => format!("offers {argument}"),
        "INFORM_COUNT" => "tells how many there are".to_owned(),
        "OFFER_INTENT" => format!("offers to {argument}"),
        "CONFIRM" => format!("asks to confirm {argument}"),
        "NOTIFY_SUCCESS" => "reports success".to_owned(),
        "NOTIFY_FAILURE" => "reports failure".to_owned(),
        "REQ_MORE" => "asks what else is wanted".to_owned(),
        QUERY_STATUS if argument == "True" => "the call succeeds".to_owned(),
        QUERY_STATUS => "the call finds nothing".to_owned(),
        service => format!("calls {service}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_of_one_kind_are_put_together() {
        let calls: Vec<Call> = ["user.INFORM('city')", "user.INFORM('party_size')", "user.SELECT()", "user.NEGATE()"]
            .iter()
            .map(|c| c.parse().unwrap())
            .collect();
        assert_eq!(super::calls(&calls), "tells city, party size; takes the offer; says no");
    }
}
