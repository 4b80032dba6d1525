//! GGUF files: opened, checked, and read for their values. What the values mean is left to the callers.
//!
//! Candle reads the file. It takes two things on trust that a file from anywhere may get wrong (the alignment and the shapes'
//! products), so the header is walked once before.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use candle_core::Device;
use candle_core::quantized::QTensor;
use candle_core::quantized::gguf_file::{Content, Value};

/// Longest header that is walked: vocabularies of real models take some 10 MB.
const MAX_HEADER: u64 = 256 << 20;

pub(super) struct Gguf {
    path: PathBuf,
    file: BufReader<File>,
    pub(super) content: Content,
}

impl Gguf {
    pub(super) fn open(path: &Path) -> Result<Gguf, String> {
        let wrong = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let file = File::open(path).map_err(|e| wrong(&e))?;
        let size = file.metadata().map_err(|e| wrong(&e))?.len();
        let mut file = BufReader::with_capacity(1 << 20, file);
        Walk { from: &mut file, left: size.min(MAX_HEADER), size, context: None }.header().map_err(|e| {
            let why =
                if e.kind() == io::ErrorKind::UnexpectedEof { "the file ends too early".into() } else { e.to_string() };
            wrong(&format!("is no GGUF file that can be used: {why}"))
        })?;
        file.seek(SeekFrom::Start(0)).map_err(|e| wrong(&e))?;
        let content = Content::read(&mut file).map_err(|e| wrong(&e))?;
        Ok(Gguf { path: path.to_owned(), file, content })
    }

    pub(super) fn wrong(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.path.display())
    }

    fn value(&self, key: &str) -> Result<&Value, String> {
        self.content.metadata.get(key).ok_or_else(|| self.wrong(format!("has no value {key}")))
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.content.metadata.contains_key(key)
    }

    pub(super) fn text(&self, key: &str) -> Result<&str, String> {
        match self.value(key)? {
            Value::String(text) => Ok(text),
            _ => Err(self.wrong(format!("{key} is no text"))),
        }
    }

    pub(super) fn whole(&self, key: &str, least: usize, most: usize) -> Result<usize, String> {
        let number = match self.value(key)? {
            Value::U8(n) => Some(u64::from(*n)),
            Value::U16(n) => Some(u64::from(*n)),
            Value::U32(n) => Some(u64::from(*n)),
            Value::U64(n) => Some(*n),
            Value::I32(n) => u64::try_from(*n).ok(),
            Value::I64(n) => u64::try_from(*n).ok(),
            _ => None,
        };
        number
            .and_then(|n| usize::try_from(n).ok())
            .filter(|n| (least..=most).contains(n))
            .ok_or_else(|| self.wrong(format!("{key} is no whole number from {least} to {most}")))
    }

    pub(super) fn number(&self, key: &str) -> Result<f32, String> {
        match self.value(key)? {
            Value::F32(x) if x.is_finite() => Ok(*x),
            _ => Err(self.wrong(format!("{key} is no number"))),
        }
    }

    /// A tensor as it is in the file; it must have this shape.
    pub(super) fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<QTensor, String> {
        let Some(info) = self.content.tensor_infos.get(name) else {
            return Err(self.wrong(format!("has no tensor {name}")));
        };
        if info.shape.dims() != shape {
            let found = info.shape.dims().to_vec();
            return Err(self.wrong(format!("{name} has the shape {found:?} in place of {shape:?}")));
        }
        let tensor = self.content.tensor(&mut self.file, name, &Device::Cpu);
        tensor.map_err(|e| format!("{}: {name}: {e}", self.path.display()))
    }

    pub(super) fn has_tensor(&self, name: &str) -> bool {
        self.content.tensor_infos.contains_key(name)
    }
}

/// The longest text a file's model was trained for, in tokens, where its header can be read.
pub(super) fn context(path: &Path) -> Option<usize> {
    let file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut walk = Walk { from: &mut file, left: size.min(MAX_HEADER), size, context: None };
    walk.header().ok()?;
    usize::try_from(walk.context?).ok()
}

/// Reads a header and keeps next to nothing of it.
struct Walk<'a> {
    from: &'a mut BufReader<File>,
    /// Bytes that may still be read.
    left: u64,
    size: u64,
    /// The value of `*.context_length`.
    context: Option<u32>,
}

fn bad(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

impl Walk<'_> {
    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.spend(N as u64)?;
        self.from.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn u32(&mut self) -> io::Result<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> io::Result<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn spend(&mut self, n: u64) -> io::Result<()> {
        self.left = self
            .left
            .checked_sub(n)
            .ok_or_else(|| bad("a length points beyond the file, or the header is too long"))?;
        Ok(())
    }

    fn skip(&mut self, n: u64) -> io::Result<()> {
        self.spend(n)?;
        self.from.seek_relative(i64::try_from(n).map_err(|_| bad("a length is too large"))?)
    }

    fn text(&mut self, most: u64) -> io::Result<String> {
        let n = self.u64()?;
        if n > most {
            return Err(bad("a name is too long"));
        }
        self.spend(n)?;
        let mut bytes = vec![0; usize::try_from(n).unwrap_or_default()];
        self.from.read_exact(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn header(&mut self) -> io::Result<()> {
        if self.take::<4>()? != *b"GGUF" {
            return Err(bad("it does not begin with GGUF"));
        }
        let version = self.u32()?;
        if !(2..=3).contains(&version) {
            return Err(bad(format!("its version is {version}; 2 and 3 are known")));
        }
        let (tensors, values) = (self.u64()?, self.u64()?);
        for _ in 0..values {
            let key = self.text(1 << 16)?;
            let kind = self.u32()?;
            if key == "general.alignment" {
                let alignment = if kind == 4 { self.u32()? } else { 0 };
                if !alignment.is_power_of_two() {
                    return Err(bad("general.alignment is no power of two"));
                }
            } else if key.ends_with(".context_length") && kind == 4 {
                self.context = Some(self.u32()?);
            } else {
                self.value(kind, 0)?;
            }
        }
        for _ in 0..tensors {
            let name = self.text(1 << 16)?;
            let dimensions = self.u32()?;
            let mut elements = 1u64;
            for _ in 0..dimensions.min(5) {
                // No element takes less than a bit or two: a tensor larger than this is not in the file.
                elements = elements
                    .checked_mul(self.u64()?)
                    .filter(|n| *n / 8 <= self.size)
                    .ok_or_else(|| bad(format!("tensor {name} is larger than the file")))?;
            }
            let (_kind, offset) = (self.u32()?, self.u64()?);
            if dimensions == 0 || dimensions > 4 || elements == 0 || offset > self.size {
                return Err(bad(format!("tensor {name} has an impossible shape or place")));
            }
        }
        Ok(())
    }

    fn value(&mut self, kind: u32, depth: u32) -> io::Result<()> {
        match kind {
            8 => {
                let n = self.u64()?;
                self.skip(n)
            }
            9 if depth < 4 => {
                let (kind, n) = (self.u32()?, self.u64()?);
                match width(kind) {
                    Some(width) => self.skip(n.checked_mul(width).ok_or_else(|| bad("an array is too long"))?),
                    None => (0..n).try_for_each(|_| self.value(kind, depth + 1)),
                }
            }
            9 => Err(bad("arrays are nested too deeply")),
            _ => self.skip(width(kind).ok_or_else(|| bad(format!("a value has the unknown kind {kind}")))?),
        }
    }
}

/// Bytes of a value, where all of its kind have as many.
fn width(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}
