//! Lengths in one byte, as Lucene keeps them: exact up to 39, then with a precision of four bits.

/// Lengths below this are kept as they are.
const EXACT: u32 = 24;

pub(super) fn to_byte(length: u32) -> u8 {
    match length.checked_sub(EXACT) {
        Some(rest) => EXACT as u8 + to_float(rest),
        None => length as u8,
    }
}

pub(super) fn of_byte(byte: u8) -> u32 {
    match byte.checked_sub(EXACT as u8) {
        Some(rest) => EXACT + of_float(rest),
        None => u32::from(byte),
    }
}

fn to_float(number: u32) -> u8 {
    let bits = u32::BITS - number.leading_zeros();
    let Some(shift) = bits.checked_sub(4) else { return number as u8 };
    ((number >> shift) & 0x07) as u8 | ((shift + 1) << 3) as u8
}

fn of_float(byte: u8) -> u32 {
    let (digits, exponent) = (u32::from(byte & 0x07), u32::from(byte >> 3));
    match exponent.checked_sub(1) {
        Some(shift) => (digits | 8).checked_shl(shift).unwrap_or(u32::MAX),
        None => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lengths_are_exact_and_long_ones_rounded_down() {
        assert!((0..40).all(|length| of_byte(to_byte(length)) == length));
        assert_eq!([40, 41, 100, 1000].map(|length| of_byte(to_byte(length))), [40, 40, 96, 984]);
        assert!((0..=u8::MAX).all(|byte| to_byte(of_byte(byte)) == byte || of_byte(byte) > i32::MAX as u32));
    }
}
