//! Methods of numbers, and what they need: bytes of whole numbers, fractions and hexadecimal text of floats, hashes.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};

use super::fault::{ExcKind, Stop};
use super::methods::given;
use super::number::{Num, big, num, scaled};
use super::relate::float_to_big;
use super::value::{Key, Value};
use super::vm::{Args, Done, Vm};

/// CPython hashes numbers modulo this prime.
const MODULUS: u64 = (1 << 61) - 1;

impl Vm {
    pub(crate) fn number_method(&mut self, this: &Value, name: &str, args: &Args) -> Done<Value> {
        match (name, num(this)) {
            ("conjugate", Some(Num::Int(n))) => Ok(Value::Int(n)),
            ("conjugate", _) => Ok(this.clone()),
            ("is_integer", Some(Num::Float(x))) => Ok(Value::Bool(x.is_finite() && x.fract() == 0.0)),
            ("is_integer", Some(_)) => {
                Err(Stop::unsupported("is_integer of whole numbers, which Python has since 3.12"))
            }
            ("hex", Some(Num::Float(x))) => Ok(Value::str(&float_hex(x))),
            ("as_integer_ratio", Some(Num::Float(x))) => {
                let (above, below) = fraction(x)?;
                self.new_tuple(vec![Value::big(above), Value::big(below)])
            }
            ("as_integer_ratio", Some(n)) => {
                let whole = big(&n).unwrap_or_default();
                self.new_tuple(vec![Value::big(whole), Value::Int(1)])
            }
            ("bit_length", Some(n)) => Ok(Value::Int(big(&n).unwrap_or_default().bits() as i64)),
            ("bit_count", Some(n)) => {
                let words = big(&n).unwrap_or_default();
                Ok(Value::Int(words.magnitude().iter_u64_digits().map(|word| i64::from(word.count_ones())).sum()))
            }
            ("to_bytes", Some(n)) => self.bytes_of_int(&big(&n).unwrap_or_default(), args),
            _ => Err(self.method_not_offered(this, name)),
        }
    }

    /// Whether bytes are to be read or written with the lowest first, and whether they have a sign.
    fn byte_order(&self, method: &str, args: &Args) -> Done<(bool, bool)> {
        let little = match given(args, 1) {
            None => false,
            Some(Value::Str(order)) if matches!(&**order, "big" | "little") => &**order == "little",
            Some(Value::Str(_)) => {
                return Err(Stop::exact(ExcKind::ValueError, "byteorder must be either 'little' or 'big'"));
            }
            Some(other) => {
                let of = self.none_or_type(other);
                return Err(type_error!("{method}() argument 'byteorder' must be str, not {of}"));
            }
        };
        Ok((little, given(args, 2).map_or(Ok(false), |value| self.truth(value))?))
    }

    fn bytes_of_int(&mut self, n: &BigInt, args: &Args) -> Done<Value> {
        let length = given(args, 0).map_or(Ok(1), |value| self.whole(value))?;
        let (little, signed) = self.byte_order("to_bytes", args)?;
        let length = usize::try_from(length)
            .map_err(|_| Stop::exact(ExcKind::ValueError, "length argument must be non-negative"))?;
        self.spend(length)?;
        let negative = n.sign() == Sign::Minus;
        if negative && !signed {
            return Err(Stop::exact(ExcKind::OverflowError, "can't convert negative int to unsigned"));
        }
        // The bits that a number and its sign take.
        let bits =
            if negative { (n + 1_u8).bits() + 1 } else { n.bits() + u64::from(signed && n.sign() == Sign::Plus) };
        if bits > length as u64 * 8 {
            return Err(Stop::exact(ExcKind::OverflowError, "int too big to convert"));
        }
        let mut bytes = n.to_signed_bytes_le();
        bytes.resize(length, if negative { 0xff } else { 0 });
        if !little {
            bytes.reverse();
        }
        Ok(Value::Bytes(bytes.into()))
    }

    /// `int.from_bytes`
    pub(crate) fn int_from_bytes(&mut self, args: &Args) -> Done<Value> {
        let (little, signed) = self.byte_order("from_bytes", args)?;
        let bytes = match given(args, 0) {
            Some(Value::Str(_)) => return Err(Stop::type_error("cannot convert 'str' object to bytes")),
            Some(Value::Int(_) | Value::Bool(_) | Value::Big(_)) => {
                return Err(Stop::type_error("cannot convert 'int' object to bytes"));
            }
            Some(value) => self.make_bytes(&Args::from_iter([value.clone()]))?,
            None => Value::None,
        };
        let Value::Bytes(bytes) = bytes else { return Err(Stop::raise(ExcKind::TypeError, "no bytes")) };
        self.spend(bytes.len())?;
        Ok(Value::big(match (little, signed) {
            (true, true) => BigInt::from_signed_bytes_le(&bytes),
            (false, true) => BigInt::from_signed_bytes_be(&bytes),
            (true, false) => BigInt::from_bytes_le(Sign::Plus, &bytes),
            (false, false) => BigInt::from_bytes_be(Sign::Plus, &bytes),
        }))
    }

    /// `pow(base, exponent, modulus)` of whole numbers.
    pub(crate) fn power_modulo(&mut self, of: [&Value; 3]) -> Done<Value> {
        let whole = |value: &Value| num(value).as_ref().and_then(big);
        let [Some(base), Some(exponent), Some(modulus)] = of.map(whole) else {
            // The first that takes part in powers of three answers: a float says no at once, a whole number asks for others.
            let is_float = of.iter().any(|value| matches!(value, Value::Float(_)));
            return Err(if is_float {
                Stop::type_error("pow() 3rd argument not allowed unless all arguments are integers")
            } else {
                let [a, b, c] = of.map(|value| self.type_name(value));
                type_error!("unsupported operand type(s) for ** or pow(): '{a}', '{b}', '{c}'")
            });
        };
        if modulus.sign() == Sign::NoSign {
            return Err(Stop::exact(ExcKind::ValueError, "pow() 3rd argument cannot be 0"));
        }
        let words = (modulus.bits() / 64 + 1) as usize;
        self.spend(words * 8)?;
        self.work(words * words * 16 * exponent.bits() as usize)?;
        if exponent.sign() != Sign::Minus {
            return Ok(Value::big(base.modpow(&exponent, &modulus)));
        }
        let inverse = base
            .modinv(&modulus)
            .ok_or_else(|| Stop::exact(ExcKind::ValueError, "base is not invertible for the given modulus"))?;
        Ok(Value::big(inverse.modpow(&-exponent, &modulus)))
    }

    /// `round(value, places)` where `places` is negative.
    pub(crate) fn round_to_tens(&mut self, n: &Num, places: u64) -> Done<Value> {
        let whole = match n {
            Num::Float(x) => float_to_big(*x).unwrap_or_default(),
            n => big(n).unwrap_or_default(),
        };
        let float = |rounded: &BigInt| match n {
            Num::Float(x) => Value::Float(scaled(rounded.magnitude(), 0, false).copysign(*x)),
            _ => Value::big(rounded.clone()),
        };
        // Beyond this there is nothing but zero.
        if places > whole.bits() / 3 + 2 {
            return Ok(float(&BigInt::ZERO));
        }
        self.spend(places as usize)?;
        let ten = BigInt::from(10).pow(places as u32);
        let rest: BigInt = ((&whole % &ten) + &ten) % &ten;
        let mut rounded = &whole - &rest;
        let more = matches!(n, Num::Float(x) if x.fract() != 0.0);
        // A fraction that was cut off lies away from zero.
        let twice = (&rest * 2_u8).cmp(&ten).then(match (more, whole.sign()) {
            (false, _) => std::cmp::Ordering::Equal,
            (true, Sign::Minus) => std::cmp::Ordering::Less,
            (true, _) => std::cmp::Ordering::Greater,
        });
        let odd = (&rounded / &ten).bit(0);
        if twice.is_gt() || (twice.is_eq() && odd) {
            rounded += ten;
        }
        match float(&rounded) {
            Value::Float(x) if x.is_infinite() => {
                Err(Stop::exact(ExcKind::OverflowError, "rounded value too large to represent"))
            }
            value => Ok(value),
        }
    }
}

/// CPython's hash of a key, where it is the same in every run.
pub(crate) fn hash_of(key: &Key) -> Option<i64> {
    let proper = |hash: i64| if hash == -1 { -2 } else { hash };
    let whole = |n: &BigInt| {
        let rest = n.magnitude() % MODULUS;
        let hash = i64::try_from(rest).unwrap_or(0);
        proper(if n.sign() == Sign::Minus { -hash } else { hash })
    };
    Some(match key {
        Key::Int(n) => whole(&BigInt::from(*n)),
        Key::Big(n) => whole(n),
        Key::Float(bits) => hash_of_float(f64::from_bits(*bits)).map(proper)?,
        Key::Tuple(items) => {
            let (one, two, five) =
                (11_400_714_785_074_694_791_u64, 14_029_467_366_897_019_727_u64, 2_870_177_450_012_600_261_u64);
            let mut sum = five;
            for item in items.iter() {
                sum = sum.wrapping_add((hash_of(item)? as u64).wrapping_mul(two)).rotate_left(31).wrapping_mul(one);
            }
            let sum = sum.wrapping_add(items.len() as u64 ^ (five ^ 3_527_539));
            if sum == u64::MAX { 1_546_275_796 } else { sum as i64 }
        }
        Key::Frozen(items) => {
            let mut sum = 0_u64;
            for item in items.iter() {
                let hash = hash_of(item)? as u64;
                sum ^= ((hash ^ 89_869_747) ^ (hash << 16)).wrapping_mul(3_644_798_167);
            }
            sum ^= (items.len() as u64 + 1).wrapping_mul(1_927_868_237);
            sum ^= (sum >> 11) ^ (sum >> 25);
            sum = sum.wrapping_mul(69_069).wrapping_add(907_133_923);
            if sum == u64::MAX { 590_923_713 } else { sum as i64 }
        }
        _ => return None,
    })
}

fn hash_of_float(x: f64) -> Option<i64> {
    if x.is_nan() {
        return None;
    }
    if x.is_infinite() {
        return Some(if x > 0.0 { 314_159 } else { -314_159 });
    }
    let (mantissa, exponent) = parts(x.abs());
    // Powers of two repeat after 61.
    let turn = exponent.rem_euclid(61);
    let hash = (u128::from(mantissa % MODULUS) << turn) % u128::from(MODULUS);
    let hash = i64::try_from(hash).ok()?;
    Some(if x < 0.0 { -hash } else { hash })
}

/// A finite positive float as `mantissa * 2^exponent`.
fn parts(x: f64) -> (u64, i64) {
    let biased = (x.to_bits() >> 52) & 0x7ff;
    let fraction = x.to_bits() & ((1 << 52) - 1);
    if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased as i64 - 1075) }
}

/// `float.as_integer_ratio`
fn fraction(x: f64) -> Done<(BigInt, BigInt)> {
    if x.is_infinite() {
        return Err(Stop::exact(ExcKind::OverflowError, "cannot convert Infinity to integer ratio"));
    }
    if x.is_nan() {
        return Err(Stop::exact(ExcKind::ValueError, "cannot convert NaN to integer ratio"));
    }
    let (mut mantissa, mut exponent) = parts(x.abs());
    let twos = i64::from(mantissa.trailing_zeros()).min(52);
    if mantissa == 0 {
        exponent = 0;
    } else {
        mantissa >>= twos;
        exponent += twos;
    }
    let above = BigInt::from(mantissa) << exponent.max(0) as u64;
    Ok((if x < 0.0 { -above } else { above }, BigInt::from(1) << (-exponent).max(0) as u64))
}

/// `float.hex`
fn float_hex(x: f64) -> String {
    let sign = if x.is_sign_negative() && !x.is_nan() { "-" } else { "" };
    if !x.is_finite() {
        return format!("{sign}{}", if x.is_nan() { "nan" } else { "inf" });
    }
    let (mantissa, exponent) = parts(x.abs());
    if mantissa == 0 {
        return format!("{sign}0x0.0p+0");
    }
    format!("{sign}0x{}.{:013x}p{:+}", mantissa >> 52, mantissa & ((1 << 52) - 1), exponent + 52)
}

/// `float.fromhex`
pub(crate) fn float_from_hex(text: &str) -> Done<Value> {
    let invalid = || Stop::exact(ExcKind::ValueError, "invalid hexadecimal floating-point string");
    let lower = text.trim_matches(|c: char| matches!(c, ' ' | '\t'..='\r')).to_ascii_lowercase();
    let (negative, rest) = match lower.strip_prefix(['-', '+']) {
        Some(rest) => (lower.starts_with('-'), rest),
        None => (false, &*lower),
    };
    let signed = |x: f64| Ok(Value::Float(if negative { -x } else { x }));
    match rest {
        "inf" | "infinity" => return signed(f64::INFINITY),
        "nan" => return signed(f64::NAN),
        _ => {}
    }
    let rest = rest.strip_prefix("0x").unwrap_or(rest);
    let (digits, exponent) = rest.split_once('p').unwrap_or((rest, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let all: String = [whole, part].concat();
    if all.is_empty()
        || !all.bytes().all(|b| b.is_ascii_hexdigit())
        || plain.is_empty()
        || !plain.bytes().all(|b| b.is_ascii_digit())
    {
        return Err(invalid());
    }
    let exponent: i64 = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 });
    let mantissa = BigUint::parse_bytes(all.as_bytes(), 16).ok_or_else(invalid)?;
    let x = scaled(&mantissa, exponent - 4 * part.len() as i64, false);
    if x.is_infinite() {
        return Err(Stop::exact(ExcKind::OverflowError, "hexadecimal value too large to represent as a float"));
    }
    signed(x)
}

/// The key that `str.maketrans` makes of a character.
pub(crate) fn code_point(text: &Arc<str>) -> Option<Value> {
    let mut chars = text.chars();
    let first = chars.next()?;
    chars.next().is_none().then(|| Value::Int(i64::from(u32::from(first))))
}
