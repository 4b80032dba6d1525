//! Line of a suspended run: the engine does not report it, but a copy of it that is made to fail does.

use monty::FunctionCall;
use monty_types::{ExcType, MontyException, PrintWriter, StackFrame};

/// Bytes of a run that is still copied to find out its line.
const LARGEST_COPY: usize = 4 << 20;

/// The way to the call, outermost first; empty where the run is too large to copy.
pub(crate) fn frames(call: &FunctionCall) -> Vec<StackFrame> {
    let Ok(copied) = postcard::serialize_with_flavor::<FunctionCall, Bounded, Vec<u8>>(call, Bounded(Vec::new()))
    else {
        return Vec::new();
    };
    let Ok(copy) = postcard::from_bytes::<FunctionCall>(&copied) else { return Vec::new() };
    match copy.abort(MontyException::new(ExcType::RuntimeError, None), PrintWriter::Disabled) {
        Err(raised) => raised.traceback().to_vec(),
        Ok(_) => Vec::new(),
    }
}

struct Bounded(Vec<u8>);

impl postcard::ser_flavors::Flavor for Bounded {
    type Output = Vec<u8>;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if self.0.len() + bytes.len() > LARGEST_COPY {
            return Err(postcard::Error::SerializeBufferFull);
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Vec<u8>> {
        Ok(self.0)
    }
}
