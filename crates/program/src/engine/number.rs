//! Numbers: whole ones of any size, floats; their arithmetic, comparison and text as CPython has them.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};

use super::code::Operator;
use super::fault::{ExcKind, Stop};
use super::relate::float_to_big;
use super::value::Value;
use super::vm::{Done, Vm};

/// Largest whole number that is computed with, in bits.
const MAX_BITS: u64 = 1 << 18;

pub(crate) enum Num {
    Int(i64),
    Big(Arc<BigInt>),
    Float(f64),
}

/// The number a value is; truth values are numbers.
#[inline]
pub(crate) fn num(value: &Value) -> Option<Num> {
    match value {
        Value::Int(n) => Some(Num::Int(*n)),
        Value::Bool(b) => Some(Num::Int(i64::from(*b))),
        Value::Float(x) => Some(Num::Float(*x)),
        Value::Big(n) => Some(Num::Big(n.clone())),
        _ => None,
    }
}

/// Compares exactly; `None` where a NaN is involved.
pub(crate) fn compare_numbers(a: &Num, b: &Num) -> Option<Ordering> {
    match (a, b) {
        (Num::Int(a), Num::Int(b)) => Some(a.cmp(b)),
        (Num::Float(a), Num::Float(b)) => a.partial_cmp(b),
        (Num::Big(a), Num::Big(b)) => Some(a.cmp(b)),
        (Num::Int(a), Num::Big(b)) => Some(BigInt::from(*a).cmp(b)),
        (Num::Big(a), Num::Int(b)) => Some((**a).cmp(&BigInt::from(*b))),
        (Num::Float(x), other) => compare_float(*x, other),
        (other, Num::Float(x)) => compare_float(*x, other).map(Ordering::reverse),
    }
}

fn compare_float(x: f64, whole: &Num) -> Option<Ordering> {
    if let Num::Int(n) = whole
        && n.unsigned_abs() < (1 << 53)
    {
        return x.partial_cmp(&(*n as f64));
    }
    if x.is_nan() {
        return None;
    }
    let Some(floor) = float_to_big(x) else {
        return Some(if x > 0.0 { Ordering::Greater } else { Ordering::Less });
    };
    let n = big(whole)?;
    Some(floor.cmp(&n).then_with(|| x.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal)))
}

pub(crate) fn big(n: &Num) -> Option<BigInt> {
    match n {
        Num::Int(n) => Some(BigInt::from(*n)),
        Num::Big(n) => Some((**n).clone()),
        Num::Float(_) => None,
    }
}

/// The float nearest a number; an error where it is too large.
pub(crate) fn to_float(n: &Num) -> Done<f64> {
    match n {
        Num::Float(x) => Ok(*x),
        Num::Int(n) => Ok(*n as f64),
        Num::Big(n) => {
            let x = scaled(n.magnitude(), 0, false) * if n.sign() == Sign::Minus { -1.0 } else { 1.0 };
            if x.is_finite() {
                Ok(x)
            } else {
                Err(Stop::exact(ExcKind::OverflowError, "int too large to convert to float"))
            }
        }
    }
}

pub(crate) fn range_len(start: i64, stop: i64, step: i64) -> u64 {
    let (low, high, step) =
        if step > 0 { (start, stop, step.unsigned_abs()) } else { (stop, start, step.unsigned_abs()) };
    if low >= high || step == 0 { 0 } else { ((high as i128 - low as i128 - 1) as u64) / step + 1 }
}

impl Vm {
    pub(crate) fn arithmetic(&mut self, op: Operator, a: Num, b: Num) -> Done<Value> {
        if let (Num::Int(x), Num::Int(y)) = (&a, &b)
            && let Some(value) = small(op, *x, *y)?
        {
            return Ok(value);
        }
        match (op, &a, &b) {
            (Operator::Pow, _, _) => self.power(a, b),
            (Operator::Div, Num::Int(_) | Num::Big(_), Num::Int(_) | Num::Big(_)) => divide(&a, &b),
            (_, Num::Float(_), _) | (_, _, Num::Float(_)) => {
                if matches!(
                    op,
                    Operator::LShift
                        | Operator::RShift
                        | Operator::BitAnd
                        | Operator::BitOr
                        | Operator::BitXor
                        | Operator::MatMult
                ) {
                    return Err(Stop::unsupported("bit operations on floats")); // the caller words the TypeError
                }
                float_arithmetic(op, to_float(&a)?, to_float(&b)?)
            }
            _ => {
                let (Some(x), Some(y)) = (big(&a), big(&b)) else { return Err(Stop::unsupported("this arithmetic")) };
                self.big_arithmetic(op, &x, &y)
            }
        }
    }

    fn big_arithmetic(&mut self, op: Operator, x: &BigInt, y: &BigInt) -> Done<Value> {
        let (xb, yb) = (x.bits(), y.bits());
        let words = |bits: u64| (bits / 64 + 1) as usize;
        let result = match op {
            Operator::Add | Operator::Sub | Operator::BitAnd | Operator::BitOr | Operator::BitXor => {
                self.spend((words(xb) + words(yb)) * 8)?;
                match op {
                    Operator::Add => x + y,
                    Operator::Sub => x - y,
                    Operator::BitAnd => x & y,
                    Operator::BitOr => x | y,
                    _ => x ^ y,
                }
            }
            Operator::Mult => {
                if xb + yb > MAX_BITS {
                    return Err(Stop::Budget("size"));
                }
                self.spend((words(xb) + words(yb)) * 8)?;
                self.work(words(xb) * words(yb))?;
                x * y
            }
            Operator::FloorDiv | Operator::Mod => {
                if y.sign() == Sign::NoSign {
                    return Err(whole_by_zero(op));
                }
                self.spend((words(xb) + words(yb)) * 8)?;
                self.work(words(xb) * words(yb))?;
                let (mut quotient, mut rest) = (x / y, x % y);
                if rest.sign() != Sign::NoSign && (rest.sign() == Sign::Minus) != (y.sign() == Sign::Minus) {
                    quotient -= 1;
                    rest += y;
                }
                if op == Operator::FloorDiv { quotient } else { rest }
            }
            Operator::LShift | Operator::RShift => {
                if y.sign() == Sign::Minus {
                    return Err(Stop::exact(ExcKind::ValueError, "negative shift count"));
                }
                let count = u64::try_from(y).unwrap_or(u64::MAX);
                if op == Operator::RShift {
                    if count > xb { BigInt::from(if x.sign() == Sign::Minus { -1 } else { 0 }) } else { x >> count }
                } else if x.sign() == Sign::NoSign {
                    BigInt::from(0)
                } else if count.saturating_add(xb) > MAX_BITS {
                    return Err(Stop::Budget("size"));
                } else {
                    self.spend(words(xb + count) * 8)?;
                    x << count
                }
            }
            Operator::Div | Operator::Pow | Operator::MatMult => return Err(Stop::unsupported("this arithmetic")),
        };
        Ok(Value::big(result))
    }

    pub(crate) fn power(&mut self, a: Num, b: Num) -> Done<Value> {
        let (base, exponent) = match (&a, &b) {
            (Num::Float(_), _) | (_, Num::Float(_)) => return float_power(to_float(&a)?, to_float(&b)?),
            _ => match (big(&a), big(&b)) {
                (Some(x), Some(y)) => (x, y),
                _ => return Err(Stop::unsupported("this power")),
            },
        };
        if exponent.sign() == Sign::Minus {
            return float_power(to_float(&a)?, to_float(&b)?);
        }
        if base.bits() <= 1 && base.sign() != Sign::Minus {
            // 0 and 1, to any power.
            let zero = base.sign() == Sign::NoSign && exponent.sign() != Sign::NoSign;
            return Ok(Value::Int(i64::from(!zero)));
        }
        if base.bits() == 1 {
            // -1, to any power.
            return Ok(Value::Int(if exponent.bit(0) { -1 } else { 1 }));
        }
        let Ok(exponent) = u64::try_from(&exponent) else { return Err(Stop::Budget("size")) };
        if base.bits().saturating_mul(exponent) > MAX_BITS {
            return Err(Stop::Budget("size"));
        }
        let words = (base.bits() * exponent / 64 + 1) as usize;
        self.spend(words * 8)?;
        self.work(words * words / 4)?;
        Ok(Value::big(base.pow(exponent as u32)))
    }
}

fn zero(message: &str) -> Stop {
    Stop::exact(ExcKind::ZeroDivisionError, message)
}

fn whole_by_zero(op: Operator) -> Stop {
    zero(if op == Operator::Mod { "integer modulo by zero" } else { "integer division or modulo by zero" })
}

/// The result in 64 bits; `None` where it does not fit.
fn small(op: Operator, x: i64, y: i64) -> Done<Option<Value>> {
    Ok(match op {
        Operator::Add => x.checked_add(y),
        Operator::Sub => x.checked_sub(y),
        Operator::Mult => x.checked_mul(y),
        Operator::BitAnd => Some(x & y),
        Operator::BitOr => Some(x | y),
        Operator::BitXor => Some(x ^ y),
        Operator::FloorDiv | Operator::Mod if y == 0 => return Err(whole_by_zero(op)),
        Operator::FloorDiv => match (x.checked_div(y), x.checked_rem(y)) {
            (Some(q), Some(r)) => Some(if r != 0 && (r < 0) != (y < 0) { q - 1 } else { q }),
            _ => None,
        },
        Operator::Mod => match x.checked_rem(y) {
            Some(r) => Some(if r != 0 && (r < 0) != (y < 0) { r + y } else { r }),
            None => Some(0),
        },
        _ => None,
    }
    .map(Value::Int))
}

/// True division of whole numbers; where both are exact as floats the quotient is correctly rounded.
fn divide(a: &Num, b: &Num) -> Done<Value> {
    let exact = |n: &Num| match n {
        Num::Int(n) if n.unsigned_abs() <= 1 << 53 => Some(*n as f64),
        _ => None,
    };
    match (exact(a), exact(b)) {
        (_, Some(0.0)) => Err(zero("division by zero")),
        (Some(x), Some(y)) => Ok(Value::Float(x / y)),
        _ => {
            let (Some(a), Some(b)) = (big(a), big(b)) else { return Err(zero("division by zero")) };
            // A few digits more than a float has, and whether anything follows them.
            let shift = (b.bits() + 66).saturating_sub(a.bits());
            let (quotient, rest) = ((a.magnitude() << shift) / b.magnitude(), (a.magnitude() << shift) % b.magnitude());
            let x = scaled(&quotient, -(shift as i64), rest != BigUint::ZERO);
            if x.is_infinite() {
                return Err(Stop::exact(ExcKind::OverflowError, "integer division result too large for a float"));
            }
            // A zero is neither: it turns negative by what it is divided by.
            Ok(Value::Float(if (a.sign() == Sign::Minus) == (b.sign() == Sign::Minus) { x } else { -x }))
        }
    }
}

/// The float nearest to `n * 2^exponent`, where `more` says that something smaller than the last digit follows; infinite if it is
/// too large.
pub(crate) fn scaled(n: &BigUint, exponent: i64, more: bool) -> f64 {
    if *n == BigUint::ZERO {
        return 0.0;
    }
    let top = n.bits() as i64 + exponent;
    if top > 1024 {
        return f64::INFINITY;
    }
    if top < -1080 {
        return 0.0;
    }
    // The place of the last digit that a float of this size has.
    let last = (top - 53).max(-1074);
    let mantissa = if last <= exponent {
        n << (exponent - last) as u64
    } else {
        let cut = (last - exponent) as u64;
        let (kept, rest) = (n >> cut, n & ((BigUint::from(1_u8) << cut) - 1_u8));
        let up = match rest.cmp(&(BigUint::from(1_u8) << (cut - 1))) {
            Ordering::Less => false,
            Ordering::Equal => more || kept.bit(0),
            Ordering::Greater => true,
        };
        kept + u8::from(up)
    };
    let mantissa = u64::try_from(&mantissa).unwrap_or(u64::MAX >> 11);
    let bits = (((last + 1074) as u64) << 52).wrapping_add(mantissa);
    if bits >= 0x7ff << 52 { f64::INFINITY } else { f64::from_bits(bits) }
}

fn float_arithmetic(op: Operator, x: f64, y: f64) -> Done<Value> {
    Ok(Value::Float(match op {
        Operator::Add => x + y,
        Operator::Sub => x - y,
        Operator::Mult => x * y,
        Operator::Div if y == 0.0 => return Err(zero("float division by zero")),
        Operator::Div => x / y,
        Operator::FloorDiv if y == 0.0 => return Err(zero("float floor division by zero")),
        Operator::Mod if y == 0.0 => return Err(zero("float modulo")),
        Operator::FloorDiv => divmod(x, y).0,
        Operator::Mod => divmod(x, y).1,
        _ => return Err(Stop::unsupported("this float operation")),
    }))
}

pub(crate) fn divmod(x: f64, y: f64) -> (f64, f64) {
    let mut rest = x % y;
    let mut quotient = (x - rest) / y;
    if rest != 0.0 {
        if (y < 0.0) != (rest < 0.0) {
            rest += y;
            quotient -= 1.0;
        }
    } else {
        rest = 0.0_f64.copysign(y);
    }
    let floor = if quotient != 0.0 {
        let floor = quotient.floor();
        if quotient - floor > 0.5 { floor + 1.0 } else { floor }
    } else {
        0.0_f64.copysign(x / y)
    };
    (floor, rest)
}

fn float_power(x: f64, y: f64) -> Done<Value> {
    if x == 0.0 && y < 0.0 {
        return Err(zero("0.0 cannot be raised to a negative power"));
    }
    if x < 0.0 && x.is_finite() && y.is_finite() && y.fract() != 0.0 {
        return Err(Stop::unsupported("complex numbers"));
    }
    let result = x.powf(y);
    if result.is_infinite() && x.is_finite() && y.is_finite() {
        // C's number of the error, and its words.
        let (number, words) = (34, "Numerical result out of range");
        let args = vec![Value::Int(number), Value::str(words)];
        return Err(Stop::with_args(ExcKind::OverflowError, format!("({number}, '{words}')"), args, true));
    }
    Ok(Value::Float(result))
}

/// Shortest digits of a finite positive float and the place of its decimal point: `0.DIGITS * 10^point`.
fn digits(x: f64) -> (String, i32) {
    let text = format!("{x:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits = mantissa.replace('.', "");
    if let Some(even) = even_neighbour(x, &digits).filter(|even| {
        let point = exponent.parse::<i32>().unwrap_or(0) + 1;
        format!("0.{even}e{point}").parse() == Ok(x)
    }) {
        digits = even;
    }
    (digits, exponent.parse::<i32>().unwrap_or(0) + 1)
}

/// Where a number lies in the middle between two of as many digits as these: the one that ends with an even digit, as CPython writes it.
fn even_neighbour(x: f64, digits: &str) -> Option<String> {
    // More digits than any float has.
    const ALL: usize = 800;
    let below = |places: usize| Some(format!("{x:.places$e}").split_once('e')?.0.replace('.', ""));
    // Few are in the middle, which few digits show.
    if !below(digits.len())?.ends_with('5') {
        return None;
    }
    let exact = below(ALL)?;
    let (down, rest) = exact.split_at_checked(digits.len())?;
    if rest.trim_end_matches('0') != "5" {
        return None;
    }
    let last = down.chars().last()?.to_digit(10)?;
    let even = if last % 2 == 0 { last } else { last + 1 };
    // A nine that would be carried makes a number of fewer digits, which is then the shorter one.
    Some(down.get(..digits.len() - 1)?.to_owned() + &char::from_digit(even, 10)?.to_string())
}

/// `repr` of a float.
pub(crate) fn float_repr(x: f64) -> String {
    if x.is_nan() {
        return "nan".into();
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    if x.is_infinite() {
        return format!("{sign}inf");
    }
    if x == 0.0 {
        return format!("{sign}0.0");
    }
    let (digits, point) = digits(x.abs());
    let n = digits.len() as i32;
    if !(-4 < point && point <= 16) {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let exponent = point - 1;
        let e = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{dot}{rest}e{e}{:02}", exponent.abs());
    }
    if point <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat((-point) as usize));
    }
    if point >= n {
        return format!("{sign}{digits}{}.0", "0".repeat((point - n) as usize));
    }
    let (whole, fraction) = digits.split_at(point as usize);
    format!("{sign}{whole}.{fraction}")
}
