//! PDDL's brackets: a text as words and lists. Nesting is bounded, so what walks them may recurse.

/// A word or a list, with the line it begins on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A word, in lower case.
    Word(String, usize),
    List(Vec<Expression>, usize),
}

/// The deepest nesting read.
const DEEPEST: usize = 64;

impl Expression {
    /// Reads a text that is one list.
    /// Errors: the line where the brackets do not match or nest too deeply.
    pub fn read(text: &str) -> Result<Expression, String> {
        let mut open: Vec<(Vec<Expression>, usize)> = vec![(Vec::new(), 1)];
        for (i, line) in text.lines().enumerate() {
            let number = i + 1;
            let code =
                line.split(';').next().unwrap_or_default().to_lowercase().replace('(', " ( ").replace(')', " ) ");
            for token in code.split_whitespace() {
                let done = match token {
                    "(" if open.len() > DEEPEST => return Err(format!("line {number} nests deeper than {DEEPEST}")),
                    "(" => {
                        open.push((Vec::new(), number));
                        continue;
                    }
                    ")" => match open.pop() {
                        Some((members, line)) if !open.is_empty() => Expression::List(members, line),
                        _ => return Err(format!("line {number} closes a bracket too many")),
                    },
                    word => Expression::Word(word.to_owned(), number),
                };
                if let Some((members, _)) = open.last_mut() {
                    members.push(done);
                }
            }
        }
        match open.pop() {
            Some((_, line)) if !open.is_empty() => Err(format!("the bracket opened on line {line} is not closed")),
            Some((mut members, _)) if members.len() == 1 => members.pop().ok_or_else(|| "the text is empty".to_owned()),
            _ => Err("one expression `(define …)` was expected".to_owned()),
        }
    }

    pub fn line(&self) -> usize {
        match self {
            Expression::Word(_, line) | Expression::List(_, line) => *line,
        }
    }

    pub fn word(&self) -> Option<&str> {
        match self {
            Expression::Word(word, _) => Some(word),
            Expression::List(..) => None,
        }
    }

    /// The members; none of a word.
    pub fn members(&self) -> &[Expression] {
        match self {
            Expression::Word(..) => &[],
            Expression::List(members, _) => members,
        }
    }

    /// A list's first word and the rest.
    pub fn headed(&self) -> Option<(&str, &[Expression])> {
        let (head, rest) = self.members().split_first()?;
        Some((head.word()?, rest))
    }
}
