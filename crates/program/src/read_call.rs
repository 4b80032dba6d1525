//! Calls read from text: as their own text writes them without Python's grammar, because results of tools are long and sessions hold many
//! calls; what is written in any other way by the grammar.

use ruff_python_ast::{Arguments, Expr};

use super::call::{Call, CallError, Literal};
use super::tokens::end_of_token;

/// Deepest nesting that is read here; JSON's readers stop there, too.
const DEPTH: usize = 130;

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

impl std::str::FromStr for Call {
    type Err = CallError;

    fn from_str(text: &str) -> Result<Self, CallError> {
        if let Some(call) = plain(text) {
            return Ok(call);
        }
        let fail = |why: &str| CallError { text: text.chars().take(200).collect(), why: why.to_owned() };
        let (mut call, arguments) = read_call(text).map_err(|why| fail(&why))?;
        let args: Option<Vec<Literal>> = arguments.args.iter().map(constant).collect();
        call.args = args.ok_or_else(|| fail("an argument is no constant"))?;
        for keyword in &arguments.keywords {
            let named = keyword.arg.as_ref().and_then(|name| Some((name.to_string(), constant(&keyword.value)?)));
            call.named.push(named.ok_or_else(|| fail("an argument is no constant"))?);
        }
        Ok(call)
    }
}

/// Reads a text as one call on a named receiver: the call without its arguments, and those; or why it is none.
fn read_call(text: &str) -> Result<(Call, Arguments), String> {
    // The grammar's parser recurses, so depth is bounded before parsing.
    if text.len() > 64 * 1024 || text.matches(['(', '[', '{']).count() > 64 {
        return Err("too long or too deeply nested".into());
    }
    let parsed = ruff_python_parser::parse_expression(text.trim()).map_err(|e| e.error.to_string())?;
    let Expr::Call(call) = parsed.into_expr() else { return Err("no call".into()) };
    let Expr::Attribute(target) = *call.func else { return Err("no receiver before the function".into()) };
    let Expr::Name(receiver) = *target.value else { return Err("the receiver is no plain name".into()) };
    let (receiver, function) = (receiver.id.to_string(), target.attr.to_string());
    Ok((Call { receiver, function, ..Call::default() }, call.arguments))
}

fn constant(expr: &Expr) -> Option<Literal> {
    Some(match expr {
        Expr::NoneLiteral(_) => Literal::None,
        Expr::BooleanLiteral(b) => Literal::Bool(b.value),
        Expr::StringLiteral(s) => Literal::Str(s.value.to_str().to_owned()),
        Expr::BytesLiteral(b) => Literal::Bytes(b.value.bytes().collect()),
        Expr::EllipsisLiteral(_) => Literal::Ellipsis,
        Expr::NumberLiteral(n) => number(&n.value)?,
        Expr::UnaryOp(u) if u.op == ruff_python_ast::UnaryOp::USub => match constant(&u.operand)? {
            Literal::Int(n) => Literal::Int(n.checked_neg()?),
            Literal::Long(n) => Literal::Int(0_i64.checked_sub_unsigned(n)?),
            Literal::Float(x) => Literal::Float(-x),
            _ => return None,
        },
        Expr::List(list) => Literal::List(list.elts.iter().map(constant).collect::<Option<_>>()?),
        Expr::Dict(dict) => {
            let item = |item: &ruff_python_ast::DictItem| match constant(item.key.as_ref()?)? {
                Literal::Str(key) => Some((key, constant(&item.value)?)),
                _ => None,
            };
            Literal::Dict(dict.items.iter().map(item).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

fn number(n: &ruff_python_ast::Number) -> Option<Literal> {
    match n {
        ruff_python_ast::Number::Int(i) => i.as_i64().map(Literal::Int).or_else(|| i.as_u64().map(Literal::Long)),
        ruff_python_ast::Number::Float(x) => Some(Literal::Float(*x)),
        ruff_python_ast::Number::Complex { .. } => None,
    }
}

/// The texts and whole numbers that a line of Python names, in order, each once: `'hall'` and `3` of `self.room == 'hall' or self.n > 3`.
pub fn constants(line: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(end) = end_of_token(line.as_bytes(), at) {
        // What ends within a sign of several bytes is none.
        let token = line.get(at..end).unwrap_or_default();
        let begins = token.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '\'' | '"'));
        let constant = if begins { Rest(token).value(0) } else { None };
        if let Some(constant) = constant.filter(|constant| !found.contains(constant)) {
            found.push(constant);
        }
        at = end;
    }
    found
}

/// A call as its own text writes it.
fn plain(text: &str) -> Option<Call> {
    let mut rest = Rest(text.trim());
    let receiver = rest.name()?.to_owned();
    rest.sign(".")?;
    let function = rest.name()?.to_owned();
    let mut call = Call { receiver, function, ..Call::default() };
    rest.sign("(")?;
    if rest.sign(")").is_none() {
        loop {
            let mut ahead = Rest(rest.0);
            match ahead.name().zip(ahead.sign("=")).filter(|_| !ahead.0.starts_with('=')) {
                Some((name, ())) => {
                    rest = ahead;
                    let is_new = call.named.iter().all(|(known, _)| known != name);
                    call.named.push((Some(name).filter(|_| is_new)?.to_owned(), rest.value(0)?));
                }
                None if call.named.is_empty() => call.args.push(rest.value(0)?),
                None => return None,
            }
            if rest.sign(",").is_none() {
                rest.sign(")")?;
                break;
            }
        }
    }
    rest.0.is_empty().then_some(call)
}

struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    /// A sign, with the blanks after it.
    fn sign(&mut self, sign: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(sign)?.trim_start_matches(' ');
        Some(())
    }

    fn take(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let (taken, rest) = self.0.split_at(self.0.find(|c| !is(c)).unwrap_or(self.0.len()));
        self.0 = rest;
        taken
    }

    /// A name; the language's own words are none.
    fn name(&mut self) -> Option<&'a str> {
        let begins = self.0.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let name = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
        (begins && !is_keyword(name)).then_some(name)
    }

    fn value(&mut self, depth: usize) -> Option<Literal> {
        if depth > DEPTH {
            return None;
        }
        let value = match self.0.as_bytes().first()? {
            b'\'' | b'"' => Literal::Str(self.string()?),
            b'[' => {
                self.sign("[")?;
                let mut items = Vec::new();
                while self.sign("]").is_none() {
                    items.push(self.value(depth + 1)?);
                    if !self.0.starts_with(']') {
                        self.sign(",")?;
                    }
                }
                return Some(Literal::List(items));
            }
            b'{' => {
                self.sign("{")?;
                let mut items = Vec::new();
                while self.sign("}").is_none() {
                    let key = self.string()?;
                    self.0 = self.0.trim_start_matches(' ');
                    self.sign(":")?;
                    items.push((key, self.value(depth + 1)?));
                    if !self.0.starts_with('}') {
                        self.sign(",")?;
                    }
                }
                return Some(Literal::Dict(items));
            }
            b'-' | b'0'..=b'9' => self.number()?,
            _ => match self.take(|c| c.is_ascii_alphabetic()) {
                "None" => Literal::None,
                "True" => Literal::Bool(true),
                "False" => Literal::Bool(false),
                _ => return None,
            },
        };
        self.0 = self.0.trim_start_matches(' ');
        Some(value)
    }

    fn number(&mut self) -> Option<Literal> {
        let number = self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
        let digits = number.strip_prefix('-').unwrap_or(number);
        if digits.bytes().all(|c| c.is_ascii_digit()) {
            let whole = number.parse().map(Literal::Int).or_else(|_| number.parse().map(Literal::Long));
            return whole.ok().filter(|_| digits == "0" || !digits.starts_with('0'));
        }
        let written = digits.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b'e' | b'-' | b'+'));
        digits.parse().ok().filter(|_| written).map(|x: f64| Literal::Float(if digits == number { x } else { -x }))
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.0.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let inside = self.0.get(1..)?;
        // Three quotes open a text of several lines.
        if inside.strip_prefix(quote).is_some_and(|rest| rest.starts_with(quote)) {
            return None;
        }
        let mut text = String::new();
        let mut signs = inside.char_indices();
        while let Some((at, sign)) = signs.next() {
            match sign {
                c if c == quote => {
                    self.0 = inside.get(at + 1..)?;
                    // Strings side by side are one.
                    return (!self.0.trim_start().starts_with(['\'', '"'])).then_some(text);
                }
                '\n' | '\r' | '\0' => return None,
                '\\' => text.push(match signs.next()?.1 {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    c @ ('\\' | '\'' | '"') => c,
                    'x' => {
                        let mut digit = || signs.next().and_then(|(_, c)| c.to_digit(16));
                        char::from_u32(digit()? * 16 + digit()?)?
                    }
                    _ => return None,
                }),
                c => text.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_of_a_line_are_its_texts_and_whole_numbers() {
        let of = |line: &str| constants(line).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(of("self.room == 'hall' or self.n > 3 and self.room != 'hall'"), ["'hall'", "3"]);
        assert_eq!(of("self.doors[door, \"it's\"] += ('a b',)"), ["\"it's\"", "'a b'"]);
        assert!(of("self.x1 == größe and 'open").is_empty());
    }

    #[test]
    fn long_results_are_read_and_what_is_written_otherwise_is_left_to_the_grammar() {
        let long = Call::new("results", "returned", [Literal::List(vec![Literal::from("(['x"); 100_000])]);
        assert_eq!(long.to_string().parse::<Call>().unwrap(), long);
        let deep = format!("a.f({})", "[".repeat(100_000));
        assert!(plain(&deep).is_none() && deep.parse::<Call>().is_err());
        for text in [
            "a.f('a' 'b')", "a.f(0x10)", "a.f(1_000)", "a.f('''a''')", "a.f('\\u00e9')", "a.f( 1 , 2 )", "a.f(+1)",
            "a.f(1e3)",
        ] {
            let by_grammar = ruff_python_parser::parse_expression(text).is_ok();
            assert!(by_grammar && text.parse::<Call>().is_ok() || text == "a.f(+1)", "{text}");
        }
        let least = Call::new("a", "f", [Literal::Int(i64::MIN)]);
        for text in ["a.f(-9223372036854775808)", "a.f(- 9223372036854775808)"] {
            assert_eq!(text.parse::<Call>().unwrap(), least, "{text}");
        }
        for text in ["a.f(x=1, 2)", "a.f(x=1, x=2)", "a.f(x==1)", "a.if(1)", "a.f(01)", "a.f(1,,2)", "if.f(1)"] {
            assert!(plain(text).is_none() && text.parse::<Call>().is_err(), "{text}");
        }
    }
}
