//! Remarks of reading a catalogue: each kind of fault with the products it was found at and what to do, in a bounded number of lines
//! however large the catalogue is.

/// So many products are named at each fault; the others are counted.
const NAMED: usize = 5;
/// So many products that are left out are reported one by one.
const LISTED: usize = 50;

/// A part of a product that was filled in or taken in another way than it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    NoPrice,
    /// Two of its options have names that differ only in capitals.
    EqualOptions,
    Markup,
    /// A product before has its number.
    Twice,
}

impl Fault {
    const ALL: [Fault; 4] = [Fault::NoPrice, Fault::EqualOptions, Fault::Markup, Fault::Twice];

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Fault::NoPrice => ("no price", "each costs $100; write a price such as \"$9.99\" to change that"),
            Fault::EqualOptions => (
                "options whose names are equal but for capitals",
                "they are one option, in the first one's place with the last one's choices; give one of them another name",
            ),
            Fault::Markup => (
                "markup in the title",
                "it is shown and searched as the text it is, as in the original; take it out to have the words alone",
            ),
            Fault::Twice => {
                ("a number that another product has", "the first one counts; give the others numbers of their own")
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Notes {
    file: String,
    found: [(usize, Vec<String>); Fault::ALL.len()],
    left_out: (usize, Vec<String>),
}

impl Notes {
    /// None yet, of this file.
    pub(super) fn new(file: impl ToString) -> Self {
        Notes { file: file.to_string(), found: Default::default(), left_out: Default::default() }
    }

    /// Notes a fault of the product of that place, from 1, and number.
    pub(super) fn add(&mut self, fault: Fault, place: usize, asin: &str) {
        let Some((count, named)) = self.found.get_mut(fault as usize) else { return };
        *count += 1;
        if named.len() < NAMED {
            named.push(format!("product {place} ({asin})"));
        }
    }

    /// Notes that the product of that place, from 1, was left out.
    pub(super) fn left_out(&mut self, place: usize, why: &str) {
        self.left_out.0 += 1;
        if self.left_out.1.len() < LISTED {
            self.left_out.1.push(format!("{}, product {place}: left out: {why}", self.file));
        }
    }

    pub(super) fn lines(self) -> Vec<String> {
        let (count, mut lines) = self.left_out;
        if let Some(more) = count.checked_sub(lines.len()).filter(|more| *more > 0) {
            lines.push(format!("{}: {more} more products are left out", self.file));
        }
        for (fault, (count, named)) in Fault::ALL.into_iter().zip(self.found) {
            if count > 0 {
                let (what, advice) = fault.words();
                let more =
                    if count > named.len() { format!(" and {} more", count - named.len()) } else { String::new() };
                lines.push(format!("{}: {what}: {}{more}; {advice}", self.file, named.join(", ")));
            }
        }
        lines
    }
}

/// Whether a text holds a tag or a character reference of HTML.
pub(super) fn has_markup(text: &str) -> bool {
    let tag = |rest: &str| {
        let name = rest.trim_start_matches('/');
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.contains('>')
    };
    let reference = |rest: &str| {
        let end = rest.find(';').filter(|end| (2..=8).contains(end));
        end.and_then(|end| rest.get(..end))
            .is_some_and(|name| name.trim_start_matches('#').bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    text.match_indices('<').any(|(at, _)| text.get(at + 1..).is_some_and(tag))
        || text.match_indices('&').any(|(at, _)| text.get(at + 1..).is_some_and(reference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_told_from_signs() {
        for marked in ["A <b>red</b> lamp", "a<br/>b", "salt &amp; pepper", "5 &#39; long", "</p>"] {
            assert!(has_markup(marked), "{marked}");
        }
        for plain in ["5 < 6 > 4", "salt & pepper; oil", "a <3 b", "A&B", "<unclosed", "R&D; more of it"] {
            assert!(!has_markup(plain), "{plain}");
        }
    }

    #[test]
    fn a_large_catalogue_has_few_lines() {
        let mut notes = Notes::new("items.json");
        for place in 1..=1000 {
            notes.add(Fault::NoPrice, place, "B000000001");
            notes.left_out(place, "why");
        }
        let lines = notes.lines();
        assert_eq!(lines.len(), LISTED + 2);
        assert_eq!(lines[LISTED], "items.json: 950 more products are left out");
        assert!(
            lines[LISTED + 1].contains("no price: product 1 (B000000001)")
                && lines[LISTED + 1].contains("and 995 more; each costs $100")
        );
    }
}
