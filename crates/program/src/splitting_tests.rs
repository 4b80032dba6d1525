//! The parts split without parsing are those that the parser finds.

use proptest::prelude::*;

use crate::{Assertion, Dissection, PartBook, Skeleton, Specification};

const SOURCE: &str = "class A:\n  def __init__(self):\n    self.x = 1\n  def f(self, slot):\n    pass\n\
                      SETUP = ['a = A()']\nACTIONS = ['a.f']\nOBSERVATIONS = []\n";

/// An assertion taken apart, written out with a mark for each operator, with the code of its parts; and how many operands and operators
/// there are.
fn written(dissection: &Dissection) -> (String, usize) {
    fn write(skeleton: &Skeleton, dissection: &Dissection) -> String {
        let all = |within: &[Skeleton]| within.iter().map(|s| write(s, dissection)).collect::<Vec<_>>().join("; ");
        match skeleton {
            Skeleton::Part(at) => format!("<{} {:?}>", dissection.parts[*at].text(), dissection.parts[*at].code()),
            Skeleton::And(operands) => format!("and[{}]", all(operands)),
            Skeleton::Or(operands) => format!("or[{}]", all(operands)),
            Skeleton::Not(operand) => format!("not[{}]", write(operand, dissection)),
            Skeleton::If(choice) => format!("if[{}]", all(&**choice)),
            Skeleton::Compared(both, truths) => format!("{truths:?}[{}]", all(&**both)),
        }
    }
    (write(&dissection.skeleton, dissection), dissection.nodes)
}

/// The text with every letter between quotes and every digit but 0 changed.
fn with_other_literals(text: &str) -> String {
    let mut quote = None;
    let other = text.chars().map(|c| {
        let is_quote = matches!(c, '\'' | '"');
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) if c.is_ascii_alphanumeric() => return 'z',
            None if matches!(c, '1'..='9') => return '7',
            None if is_quote => quote = Some(c),
            _ => {}
        }
        c
    });
    other.collect()
}

/// Reads a text with a book that splits texts, new and once more, with one that read the text with other literals before, and with one that
/// always parses: all must agree. Answers whether it was split without parsing the whole.
fn agrees(text: &str) -> bool {
    let specification = Specification::load(SOURCE, "a.py").unwrap();
    let function = specification.function("a", "f").unwrap();
    let read =
        |book: &mut PartBook| Assertion::dissect(text, function, book).map(|assertion| assertion.parts().map(written));
    let mut parsing = PartBook::new(&specification).parsing();
    let expected = read(&mut parsing);
    let mut book = PartBook::new(&specification);
    assert_eq!(read(&mut book), expected, "{text}");
    assert_eq!(read(&mut book), expected, "{text}, once more");
    let mut of_another = PartBook::new(&specification);
    let _ = Assertion::dissect(&with_other_literals(text), function, &mut of_another);
    assert_eq!(read(&mut of_another), expected, "{text}, after one that differs in its literals");
    // Parts that the parser found in other texts are taken as they are.
    assert_eq!(read(&mut parsing.splitting()), expected, "{text}, with parts that are known");
    book.splits(text.trim(), function)
}

#[test]
fn what_is_split_is_what_the_parser_finds() {
    for text in include_str!("splitting_tests/split.txt").lines() {
        assert!(agrees(text), "{text}");
    }
}

#[test]
fn what_only_looks_like_operators_is_left_to_the_parser() {
    for text in include_str!("splitting_tests/unsplit.txt").lines() {
        agrees(text);
    }
    let deep = format!("{}self.x{}", "not (slot and ".repeat(14), ")".repeat(14));
    agrees(&deep);
    agrees(&format!("{}slot", "not ".repeat(40)));
    agrees("self.x == 'a\0' and slot");
    agrees(&"self.x and ".repeat(80));
}

#[test]
fn a_program_may_give_bool_another_meaning() {
    let text = "bool(self.x) <= bool(slot)";
    for (source, apart) in [
        (SOURCE.to_owned(), true),
        (format!("def bool(x):\n  return x\n{SOURCE}"), false),
        (SOURCE.replace("slot", "bool"), false),
    ] {
        let specification = Specification::load(&source, "a.py").unwrap();
        let function = specification.function("a", "f").unwrap();
        for mut book in [PartBook::new(&specification), PartBook::new(&specification).parsing()] {
            let assertion = Assertion::dissect(text, function, &mut book).unwrap();
            assert_eq!(assertion.parts().unwrap().parts.len() == 2, apart, "{source}");
        }
    }
    let specification = Specification::load(SOURCE, "a.py").unwrap();
    let function = specification.function("a", "f").unwrap();
    let text = "(bool := self.x) and bool(self.x) <= bool(slot)";
    let assertion = Assertion::dissect(text, function, &mut PartBook::new(&specification)).unwrap();
    assert_eq!(assertion.parts().unwrap().parts.len(), 1);
}

const TOKENS: &str = include_str!("splitting_tests/tokens.txt");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_text_is_read_alike(
        tokens in prop::collection::vec((prop::sample::select(TOKENS.lines().collect::<Vec<_>>()), any::<bool>()), 0..12)
    ) {
        let text: String =
            tokens.iter().map(|(token, space)| format!("{token}{}", if *space { " " } else { "" })).collect();
        agrees(&text);
    }
}
