//! Calls written with keyword arguments, `system.INFORM(slot='city')`: put in the order of the function's parameters.
//!
//! Everywhere else a call has its arguments in order; models and Python write them by name as well.

use super::call::Call;
use super::specification::Specification;

/// Reads a call of constants of which some are given by name. `None` if the text is no such call; the reason in words where Python
/// would raise a `TypeError` for it. Arguments by name of a function that does not exist are dropped.
pub fn read_keywords(text: &str, specification: &Specification) -> Option<Result<Call, String>> {
    let mut call: Call = text.parse().ok().filter(|call: &Call| !call.named.is_empty())?;
    if let Some(function) = specification.function(&call.receiver, &call.function) {
        match function.arguments(&call).map(std::borrow::Cow::into_owned) {
            Ok(args) => call.args = args,
            Err(why) => return Some(Err(why)),
        }
    }
    call.named.clear();
    Some(Ok(call))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "SETUP = ['a = A()']\nACTIONS = ['a.put']\nOBSERVATIONS = []\n\nclass A:\n    def put(self, obj, recep):\n        pass\n";

    #[test]
    fn names_become_places() {
        let spec = Specification::load(SPEC, "spec.py").unwrap();
        let read = |text: &str| match read_keywords(text, &spec) {
            None => "-".to_owned(),
            Some(Ok(call)) => call.to_string(),
            Some(Err(why)) => why,
        };
        assert_eq!(read("a.put('x', recep='y')"), "a.put('x', 'y')");
        assert_eq!(read("a.put(recep='y', obj='x')"), "a.put('x', 'y')");
        assert!(read("a.put('x', obj='y')").contains("multiple values"));
        assert!(read("a.put('x', place='y')").contains("unexpected keyword"));
        assert!(read("a.put(recep='y')").contains("missing"));
        assert_eq!(read("a.fly(to='y')"), "a.fly()");
        // Calls without keywords, and what is no call of constants, are read elsewhere.
        for text in ["a.put('x', 'y')", "a.put(obj=x, recep='y')", "a.put(**{})", "put(obj='x')", "a.put(obj='x'"] {
            assert_eq!(read(text), "-", "{text}");
        }
    }
}
