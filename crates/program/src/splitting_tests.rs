//! The parts split without parsing are those that the parser finds.

use proptest::prelude::*;

use crate::{Assertion, Dissection, PartBook, Skeleton, Specification};

const SOURCE: &str = "class A:\n  def __init__(self):\n    self.x = 1\n  def f(self, slot):\n    pass\n\
                      SETUP = ['a = A()']\nACTIONS = ['a.f']\nOBSERVATIONS = []\n";

/// An assertion taken apart, written out with a mark for each operator; and how many operands and operators there are.
fn written(dissection: &Dissection) -> (String, usize) {
    fn write(skeleton: &Skeleton, dissection: &Dissection) -> String {
        let all = |within: &[Skeleton]| within.iter().map(|s| write(s, dissection)).collect::<Vec<_>>().join("; ");
        match skeleton {
            Skeleton::Part(at) => format!("<{}>", dissection.parts[*at].text()),
            Skeleton::And(operands) => format!("and[{}]", all(operands)),
            Skeleton::Or(operands) => format!("or[{}]", all(operands)),
            Skeleton::Not(operand) => format!("not[{}]", write(operand, dissection)),
            Skeleton::If(choice) => format!("if[{}]", all(&**choice)),
            Skeleton::Compared(both, truths) => format!("{truths:?}[{}]", all(&**both)),
        }
    }
    (write(&dissection.skeleton, dissection), dissection.nodes)
}

/// Reads a text with a book that splits texts, new and once more, and with one that always parses: all must agree. Answers whether it was
/// split without parsing the whole.
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
    // Parts that the parser found in other texts are taken as they are.
    assert_eq!(read(&mut parsing.splitting()), expected, "{text}, with parts that are known");
    book.splits(text.trim(), function)
}

#[test]
fn what_is_split_is_what_the_parser_finds() {
    let split = [
        "self.x",
        "self.x == 1 and slot in 'ab'",
        "not self.x or not not slot",
        "(self.x or slot) and (not (slot))",
        "slot if self.x else not slot if slot == 'and' else self.x",
        "(self.x)and(slot)",
        "self.x is not None and slot not in [1, 2]",
        "(self.x == 1) == (slot == 'a') or (slot).upper()",
        "'or' in slot and f'{slot}' != ' and '",
        "bool(self.x) <= bool(slot or self.x == 2)",
        "bool(self.x)^bool(slot) or not (bool(self.x) == bool(bool(slot) & bool(1)))",
        "[k for k in slot if k and not self.x] and any(k or 1 for k in slot)",
        "(lambda d: d or 1)(slot) and self.x",
        "f'{slot or 'a'}' and self.x",
        "  self.x   and   slot  ",
        "self.x and (slot), 'a message and more'",
        "not self.x , \"it's\"",
        "self.x, ''",
    ];
    for text in split {
        assert!(agrees(text), "{text}");
    }
}

#[test]
fn what_only_looks_like_operators_is_left_to_the_parser() {
    let others = [
        "",
        "and",
        "not",
        "self.x and",
        "or slot",
        "()",
        "(self.x",
        "self.x)",
        "(self.x or) slot",
        "self.x if slot",
        "lambda: self.x and slot",
        "not lambda: slot",
        "self.x, 'and'",
        "self.x and slot, 'no'",
        "(self.x, slot)",
        "self.x, 'a' and 'b'",
        "self.x, 'a', 'b'",
        "self.x, '''a'''",
        "self.x, '\\n'",
        "self.x, f'a'",
        "self.x,",
        "(self.x, 'a')",
        "lambda a, b: 1",
        "lambda a, 'b'",
        "self.x and slot, 'a' # b",
        "bool(self.x, 'a') <= bool(1)",
        "self.x, 'é' or slot",
        "self.x, '",
        "self.x, \"a'",
        "(k for k in slot if k)",
        "self.x # and slot",
        "self.x and slot # or 1",
        "self.x; slot and 1",
        "*slot and 1",
        "(y := self.x) and y",
        "(yield self.x) and slot",
        "await slot and 1",
        "self.x == not slot",
        "1and slot",
        "0x1for slot",
        "1.e5or slot",
        "self.x and 'it",
        "self.x and '''a''' or slot",
        "self.__x and slot",
        "eval(slot) or self.x",
        "self.x and slot ==",
        "self.x and slot\\",
        "bool(self.x) <= bool(slot) <= bool(1)",
        "bool(self.x, slot) <= bool(1)",
        "bool() <= bool(slot)",
        "bool(*slot) & bool(1)",
        "bool(x=1) & bool(1)",
        "bool(k for k in slot) & bool(1)",
        "bool(self.x) <= bool(slot) == 1",
        "bool(self.x) <= bool(slot).x and 1",
        "bool(self.x) << bool(slot)",
        "bool(self.x) is bool(slot)",
        "f'{slot['a'} and 'b']}' and self.x",
        "self.x and f'{'a' and 'b'}'",
        "f'{' and 'x'}' or self.x",
        "rb'and' or self.x",
        "ｂool(1) & bool(0) and slot",
        "self.x if slot if 1 else 2 else 3",
        "(self.x if slot else 1",
        "self.x and {1: 2, **slot}",
        "...and slot",
        "not self.x == 1and slot",
        "self.x is not(slot)",
        "-self.x and +1",
        "self.x and\tslot",
        "self.x and(slot,)",
    ];
    for text in others {
        agrees(text);
    }
    let deep = format!("{}self.x{}", "not (slot and ".repeat(14), ")".repeat(14));
    agrees(&deep);
    agrees(&format!("{}slot", "not ".repeat(40)));
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

const TOKENS: [&str; 56] = [
    "self.x",
    "slot",
    "1",
    "'s'",
    "\"a b\"",
    "f'{slot}'",
    "f'{slot['x']}'",
    "f\"{'and'}\"",
    "and",
    "or",
    "not",
    "if",
    "else",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "==",
    "<=",
    "&",
    "^",
    "in",
    "is",
    "not in",
    "lambda:",
    "lambda d:",
    "for k in slot",
    ",",
    ":",
    ":=",
    "#",
    ";",
    "\\",
    "'",
    "\"",
    "'''",
    "*",
    "-",
    ".",
    "=",
    "bool(",
    "bool",
    "1and",
    "0x1for",
    "1.",
    "e5or",
    "yield",
    "await",
    "self.x and slot",
    "not slot",
    "bool(slot) <= bool(1)",
    "x if slot else 1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_text_is_read_alike(tokens in prop::collection::vec((0..TOKENS.len(), any::<bool>()), 0..12)) {
        let text: String =
            tokens.iter().map(|(at, space)| format!("{}{}", TOKENS[*at], if *space { " " } else { "" })).collect();
        agrees(&text);
    }
}
