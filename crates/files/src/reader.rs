//! Reading a file of lines: what of it counts, and what is torn.
//!
//! Only the last line can lack its end: it was being written when the program died. What a power cut kept from the disk, with all that
//! follows it, was never confirmed. Either is torn where it cannot be read, and ends the file; a line that lacks nothing but its break
//! counts, and [`crate::Lines`] ends it.

use std::io::{self, BufRead, BufReader, Read};

use crate::sum::{Sum, has_hole, unseal};

/// A text without the mark (U+FEFF) that some editors put before its first line.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Why a line is refused.
#[derive(Debug)]
pub enum Misread<E> {
    /// The system's error.
    Io(io::Error),
    /// It is longer than any that was written.
    Long,
    /// It is not as it was written: in words.
    Changed(&'static str),
    /// It is none of the file's.
    Unfit(E),
}

impl<E: ToString> Misread<E> {
    /// The same in words.
    pub fn why(&self) -> String {
        match self {
            Misread::Io(error) => error.to_string(),
            Misread::Long => "the line is too long".to_owned(),
            Misread::Changed(why) => (*why).to_owned(),
            Misread::Unfit(why) => why.to_string(),
        }
    }
}

/// The lines of a file, one after the other.
#[derive(Debug)]
pub struct Reader<R> {
    source: BufReader<R>,
    longest: u64,
    beginning: Option<&'static [u8]>,
    /// Whether a line had a checksum: then every later one has.
    sealed: bool,
    line: Vec<u8>,
    length: u64,
    sum: Sum,
    number: usize,
    whole: u64,
}

impl<R: Read> Reader<R> {
    /// Reads lines of up to so many bytes.
    pub fn new(source: R, longest: u64) -> Self {
        let (source, line) = (BufReader::with_capacity(1 << 16, source), Vec::new());
        let (sum, beginning) = (Sum::Absent, None);
        Reader { source, longest, beginning, sealed: false, line, length: 0, sum, number: 0, whole: 0 }
    }

    /// The same where a first line that was torn counts for nothing if it begins like this; any other file's is refused, because what is
    /// not certainly begun by this program may not be cut off.
    pub fn beginning(self, beginning: &'static [u8]) -> Self {
        Reader { beginning: Some(beginning), ..self }
    }

    /// Reads the next line that is not blank, as it was before it got its checksum; none at the end and where the rest is torn. A line whose
    /// checksum says that it is another than was written is refused for that, whether it is read or not.
    pub fn read<T, E>(&mut self, parse: impl FnOnce(&[u8]) -> Result<T, E>) -> Result<Option<T>, Misread<E>> {
        let is_ended = loop {
            self.whole += self.length;
            self.line.clear();
            let read = (&mut self.source).take(self.longest).read_until(b'\n', &mut self.line);
            self.length = read.map_err(Misread::Io)? as u64;
            if self.length == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.number == 1 {
                let mark = self.line.len() - without_mark(&self.line).len();
                self.line.drain(..mark);
            }
            let is_ended = self.line.ends_with(b"\n");
            if self.number == 1 || !is_ended || !self.line.trim_ascii().is_empty() {
                break is_ended;
            }
        };
        if !is_ended && self.length == self.longest {
            return Err(Misread::Long);
        }
        let is_torn = match self.beginning {
            _ if self.number > 1 => !is_ended || has_hole(&self.line),
            beginning => !is_ended && beginning.is_some_and(|beginning| self.line.starts_with(beginning)),
        };
        self.sum = unseal(&mut self.line);
        let changed = match self.sum {
            Sum::Differs => Some("the line is not as it was written: its checksum does not fit"),
            Sum::Absent if self.sealed => Some("the line has no checksum, and those before it have one"),
            _ => None,
        };
        self.sealed |= self.sum == Sum::Fits;
        match parse(&self.line) {
            Ok(read) => changed.map_or(Ok(Some(read)), |why| Err(Misread::Changed(why))),
            Err(_) if is_torn => Ok(None),
            Err(why) => Err(changed.filter(|_| self.sum == Sum::Differs).map_or(Misread::Unfit(why), Misread::Changed)),
        }
    }

    /// The line that was read last.
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// Its number, from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The state of its checksum.
    pub fn sum(&self) -> Sum {
        self.sum
    }

    /// Bytes before it; once no line is left, those of all that count.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// What is torn, to the end of the file.
    /// Errors: the system's.
    pub fn torn(mut self) -> io::Result<Vec<u8>> {
        self.source.read_to_end(&mut self.line)?;
        Ok(self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sum::sealed_lines;

    const LINE: &str = "{\"n\":1}\n";

    type Seen = (Vec<u64>, u64, String);

    /// The numbers of a file's lines, the bytes that count, what is torn; or the line that is refused, and why.
    fn numbers(file: &[u8]) -> Result<Seen, String> {
        let mut reader = Reader::new(file, 64).beginning(b"{\"n\":");
        let mut all = Vec::new();
        loop {
            let parse = |line: &[u8]| {
                let line: serde_json::Value = serde_json::from_slice(line).map_err(|_| "no JSON")?;
                line["n"].as_u64().ok_or("no number")
            };
            match reader.read(parse) {
                Ok(Some(number)) => {
                    assert_eq!(reader.line().trim_ascii_end(), format!("{{\"n\":{number}}}").as_bytes(), "no checksum");
                    all.push(number);
                }
                Ok(None) => break,
                Err(misread) => return Err(format!("{}: {}", reader.number(), misread.why())),
            }
        }
        let whole = reader.whole();
        Ok((all, whole, String::from_utf8(reader.torn().unwrap()).unwrap()))
    }

    fn is(file: &[u8], all: &[u64], torn: &str) {
        assert_eq!(numbers(file), Ok((all.to_vec(), (file.len() - torn.len()) as u64, torn.to_owned())));
    }

    #[test]
    fn whole_lines_count_and_what_is_torn_is_told_from_what_is_wrong() {
        is(b"", &[], "");
        is(b"{\"n\":1}\n \n\n{\"n\":2}\n", &[1, 2], "");
        is(b"{\"n\":1}\n{\"n\":2}", &[1, 2], "");
        is(b"{\"n\":1}\n{\"n\":", &[1], "{\"n\":");
        is(b"{\"n\":1}\n{\"n\0\0\0\n{\"n\":2}\n", &[1], "{\"n\0\0\0\n{\"n\":2}\n");
        is(b"{\"n\":", &[], "{\"n\":");
        is(b"\xef\xbb\xbf{\"n\":1}\n{\"n\":2}\n", &[1, 2], "");
        for (file, why) in [
            (&b"{\"n"[..], "1: no JSON"),
            (b"\n{\"n\":1}\n", "1: no JSON"),
            (b"{\"n\":1}\n{\"m\":2}\n", "2: no number"),
            (b"{\"n\":1}\n{\"n\":\n{\"n\":2}\n", "2: no JSON"),
        ] {
            assert_eq!(numbers(file).unwrap_err(), why);
        }
        let endless = [LINE.as_bytes(), &[b'x'; 80]].concat();
        assert_eq!(numbers(&endless).unwrap_err(), "2: the line is too long");
    }

    #[test]
    fn once_a_line_has_a_checksum_every_later_one_has() {
        let sealed = String::from_utf8(sealed_lines(LINE.as_bytes())).unwrap();
        is(format!("{LINE}{LINE}{sealed}{sealed}").as_bytes(), &[1, 1, 1, 1], "");
        let absent = "2: the line has no checksum, and those before it have one";
        assert_eq!(numbers(format!("{sealed}{LINE}").as_bytes()).unwrap_err(), absent);
        for changed in [":2,", ":,"] {
            let changed = format!("{sealed}{}", sealed.replacen(":1,", changed, 1));
            assert!(numbers(changed.as_bytes()).unwrap_err().starts_with("2: the line is not as it was written"));
        }
    }
}
