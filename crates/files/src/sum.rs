//! A line's checksum: its last field, `"sum"`, the CRC-32 of all that is before it as eight hexadecimal digits.
//!
//! CRC-32 finds every change of up to three bits in a line of up to 11 KB and every burst of up to 32 bits in a line of any length. It
//! is no protection against someone who changes a line on purpose.

/// `,"sum":"` before the digits.
const MARK: &[u8] = b",\"sum\":\"";
/// `"}` after them.
const END: &[u8] = b"\"}";
const DIGITS: usize = 8;

/// The state of a line's checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// The line has none: an earlier version wrote it, or a person.
    Absent,
    /// The line is as it was written.
    Fits,
    /// It is not.
    Differs,
}

/// Lines with their checksums, as [`sealed`] makes them.
pub fn sealed_lines(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let seal = |line: &[u8]| match line.strip_suffix(b"\n") {
        Some(line) => [sealed(line.to_vec()), b"\n".to_vec()].concat(),
        None => sealed(line.to_vec()),
    };
    lines.flat_map(seal).collect()
}

/// The line with its checksum. A line that is no JSON object with fields stays as it is.
pub fn sealed(mut line: Vec<u8>) -> Vec<u8> {
    if line.len() > 2 && line.starts_with(b"{") && line.ends_with(b"}") {
        line.pop();
        let sum = crc32fast::hash(&line);
        line.extend_from_slice(MARK);
        line.extend_from_slice(format!("{sum:08x}").as_bytes());
        line.extend_from_slice(END);
    }
    line
}

/// Makes a line what it was before it got its checksum, if it has one that fits: a field of that name may be its own.
pub fn unseal(line: &mut Vec<u8>) -> Sum {
    let sum = check(line);
    if sum == Sum::Fits {
        line.truncate(line.trim_ascii_end().len().saturating_sub(MARK.len() + DIGITS + END.len()));
        line.push(b'}');
    }
    sum
}

/// Whether a line has places that the disk never got: zeros, of which a text has none, left where a power cut came between the length of a
/// file and its content. A single bit that turned a space into a zero is none.
pub fn has_hole(line: &[u8]) -> bool {
    let zeros = line.iter().filter(|byte| **byte == 0).count();
    zeros > 1 || line.windows(3).any(|three| three == b"\"}\0")
}

/// The state of a line's checksum; its line break does not count.
pub fn check(line: &[u8]) -> Sum {
    let line = line.trim_ascii_end();
    let Some(body) = line.strip_suffix(END) else { return Sum::Absent };
    let Some(at) = body.len().checked_sub(DIGITS) else { return Sum::Absent };
    let (body, digits) = body.split_at(at);
    let Some(body) = body.strip_suffix(MARK) else { return Sum::Absent };
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !digits.iter().all(is_digit) {
        return Sum::Differs;
    }
    let value = |byte: &u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'a' + 10 });
    let stated = digits.iter().fold(0, |sum, digit| sum << 4 | value(digit));
    if crc32fast::hash(body) == stated { Sum::Fits } else { Sum::Differs }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] = br#"{"id":2,"event":"noted","text":"a remark"}"#;

    #[test]
    fn every_flipped_bit_of_a_sealed_line_is_found() {
        let line = sealed(LINE.to_vec());
        assert_eq!(check(&line), Sum::Fits);
        assert_eq!(check(&[&line[..], b"\n"].concat()), Sum::Fits);
        let whole = line.len() - MARK.len() - DIGITS - END.len();
        for at in 0..line.len() * 8 {
            let mut flipped = line.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            let found = check(&flipped);
            assert_ne!(found, Sum::Fits, "bit {at}");
            // Where the checksum itself is hit, the line has none; a file that has checksums says so.
            assert!(found == Sum::Differs || at / 8 >= whole, "bit {at}");
        }
    }

    #[test]
    fn a_line_is_had_again_as_it_was() {
        let own = b"{\"sum\":1}";
        for line in [LINE, own] {
            let mut text = sealed_lines(&[line, b"\n"].concat());
            assert_eq!((unseal(&mut text), &text[..]), (Sum::Fits, line));
            assert_eq!((unseal(&mut text), &text[..]), (Sum::Absent, line));
        }
    }

    #[test]
    fn holes_are_told_from_flipped_bits() {
        let line = sealed(LINE.to_vec());
        for from in 0..=line.len() {
            let mut holed = [&line[..], b"\n", &line[..], b"\n"].concat();
            holed[from..=line.len()].fill(0);
            assert!(has_hole(&holed), "{from}");
        }
        let flipped: Vec<u8> = line.iter().map(|byte| if *byte == b' ' { 0 } else { *byte }).collect();
        assert!(!has_hole(&line) && !has_hole(&flipped));
    }

    #[test]
    fn lines_without_one_are_read_as_before() {
        for line in [LINE, b"", b"{}", b"\"}", br#"{"sum":"00000000"}"#] {
            assert_eq!(check(line), Sum::Absent);
        }
        for text in [&b"{}"[..], b"{\"a\":1", b"[1,2]"] {
            assert_eq!(sealed(text.to_vec()), text, "no object with fields");
        }
    }
}
