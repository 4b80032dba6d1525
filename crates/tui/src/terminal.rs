//! Terminal modes: entering, leaving whatever happens, suspending, the clipboard, one synchronized write a frame.
//!
//! Every exit (quit, error, panic, signal, suspension) goes through [`leave`], which may be called at any time, from any
//! thread, any number of times. The application decides what is drawn.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{cursor, execute, queue};
use ratatui::Frame;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use stepwright_text::sanitize;

use crate::bounded::Bounded;

/// Most bytes of text put on the clipboard: terminals drop longer sequences.
pub(crate) const CLIPBOARD_LIMIT: usize = 100_000;

/// Whether the terminal is in our modes now.
static ENTERED: AtomicBool = AtomicBool::new(false);
/// Whether keyboard flags were pushed, and have to be popped.
static KEYBOARD: AtomicBool = AtomicBool::new(false);

/// The screen: a terminal in our modes from [`Screen::enter`] until dropped or left.
pub struct Screen {
    /// Never dropped: dropping it shows the cursor, and panics where the terminal is gone.
    terminal: ManuallyDrop<Terminal<Bounded<CrosstermBackend<BufWriter<OurModes>>>>>,
    mouse: bool,
}

/// Standard output while it is in our modes; what is drawn once it was given back (by a panic in another thread, say) is dropped.
struct OurModes(Stdout);

impl Write for OurModes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = self.0.lock();
        if ENTERED.load(Ordering::Acquire) { out.write(bytes) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Screen {
    /// Puts the terminal into our modes.
    /// Errors: when standard input or output is no terminal, or the terminal refuses.
    pub fn enter(mouse: bool) -> io::Result<Self> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(io::Error::other(
                "the workbench needs a terminal for its input and output; use `stepwright run` or `stepwright play` in \
                 scripts and pipes (see `stepwright --help`)",
            ));
        }
        enter_modes(mouse)?;
        let backend = Bounded(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, OurModes(io::stdout()))));
        Ok(Screen { terminal: ManuallyDrop::new(Terminal::new(backend)?), mouse })
    }

    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if !ENTERED.load(Ordering::Acquire) {
            return Ok(());
        }
        queue!(self.terminal.backend_mut().0, BeginSynchronizedUpdate)?;
        self.terminal.draw(render)?;
        queue!(self.terminal.backend_mut().0, EndSynchronizedUpdate)?;
        self.terminal.backend_mut().0.flush()
    }

    /// Makes the next frame paint every cell: after another program wrote to the terminal.
    pub(crate) fn repaint(&mut self) -> io::Result<()> {
        // `Terminal::clear` asks the terminal where its cursor is, and the answer would go to the event reader.
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    /// Enters the modes again after [`leave`], on a blank screen.
    pub(crate) fn reenter(&mut self) -> io::Result<()> {
        enter_modes(self.mouse)?;
        self.repaint()
    }

    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let sequence = clipboard_sequence(text, std::env::var_os("TMUX").is_some());
        let out = &mut self.terminal.backend_mut().0;
        out.write_all(sequence.as_bytes())?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

fn enter_modes(mouse: bool) -> io::Result<()> {
    #[cfg(unix)]
    abort::prepare();
    terminal::enable_raw_mode()?;
    // From here on `leave` has something to undo, even if what follows fails.
    ENTERED.store(true, Ordering::Release);
    let mut out = io::stdout();
    execute!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, cursor::Hide)?;
    if mouse {
        execute!(out, EnableMouseCapture)?;
    }
    if knows_keyboard_flags() {
        execute!(out, PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES))?;
        KEYBOARD.store(true, Ordering::Release);
    }
    Ok(())
}

/// Whether the terminal is known to speak the kitty keyboard protocol. By name: asking it would cost up to two seconds where no
/// answer comes.
fn knows_keyboard_flags() -> bool {
    let var = |name| std::env::var(name).unwrap_or_default();
    let (term, program) = (var("TERM"), var("TERM_PROGRAM"));
    matches!(term.as_str(), "xterm-kitty" | "xterm-ghostty" | "foot" | "foot-extra" | "alacritty")
        || matches!(program.as_str(), "ghostty" | "WezTerm")
}

/// The most that a terminal may take to answer, in tenths of a second.
const PATIENCE: u8 = 2;

/// What the terminal answers when it is asked for the colour of its ground. It is asked for its attributes too, which every terminal tells: one that does not
/// know the first question answers the second, and nobody waits.
#[cfg(unix)]
pub(crate) fn ask_ground() -> Option<String> {
    use std::io::Read;
    use std::os::fd::AsFd;

    use rustix::termios::{OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

    let (stdin, mut out) = (io::stdin(), io::stdout());
    // Those that are known to answer nothing.
    let mute = matches!(std::env::var("TERM").as_deref(), Ok("dumb" | "linux") | Err(_));
    if mute || !stdin.is_terminal() || !out.is_terminal() {
        return None;
    }
    let before = tcgetattr(&stdin).ok()?;
    let mut asking = before.clone();
    asking.make_raw();
    // A read ends when nothing has come for so long.
    asking.special_codes[SpecialCodeIndex::VMIN] = 0;
    asking.special_codes[SpecialCodeIndex::VTIME] = PATIENCE;
    tcsetattr(&stdin, OptionalActions::Now, &asking).ok()?;
    let mut answer = Vec::new();
    if out.write_all(b"\x1b]11;?\x1b\\\x1b[c").and_then(|()| out.flush()).is_ok()
        && let Ok(descriptor) = stdin.as_fd().try_clone_to_owned()
    {
        let (mut input, mut bytes) = (std::fs::File::from(descriptor), [0; 256]);
        while let Ok(read @ 1..) = input.read(&mut bytes) {
            answer.extend_from_slice(bytes.get(..read).unwrap_or_default());
            let text = String::from_utf8_lossy(&answer);
            if answer.len() > 4_096 || text.split_once("\x1b[?").is_some_and(|(_, rest)| rest.contains('c')) {
                break;
            }
        }
    }
    let _ = tcsetattr(&stdin, OptionalActions::Now, &before);
    Some(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(not(unix))]
pub(crate) fn ask_ground() -> Option<String> {
    None
}

/// Gives the terminal back as it was found. Harmless when it is not in our modes.
pub fn leave() {
    // A thread that draws meanwhile finishes its write first, and writes nothing after.
    let mut out = io::stdout().lock();
    if !ENTERED.swap(false, Ordering::AcqRel) {
        return;
    }
    // The results are dropped on purpose: there is nowhere left to report to, and each step is worth trying by itself.
    if KEYBOARD.swap(false, Ordering::AcqRel) {
        let _ = execute!(out, PopKeyboardEnhancementFlags);
    }
    let _ = execute!(out, EndSynchronizedUpdate, DisableMouseCapture, DisableFocusChange, DisableBracketedPaste);
    let _ = execute!(out, LeaveAlternateScreen, cursor::Show);
    let _ = terminal::disable_raw_mode();
}

/// An allocation that fails and a stack that ends abort the program: no thread runs any more, only the handler of the signal.
#[cfg(unix)]
mod abort {
    use std::io;
    use std::sync::OnceLock;
    use std::sync::atomic::Ordering;

    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
    use signal_hook::consts::SIGABRT;
    use signal_hook::low_level;

    /// The terminal's modes as they were found.
    static FOUND: OnceLock<Termios> = OnceLock::new();
    /// What [`super::leave`] sends, ready made.
    const LEAVE: &[u8] =
        b"\x1b[?2026l\x1b[?1006l\x1b[?1015l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?2004l\x1b[?1049l\x1b[?25h";
    const POP_KEYS: &[u8] = b"\x1b[<1u";
    const WORDS: &[u8] = b"stepwright: aborted, for want of memory or by a fault of its own\n";

    /// Remembers the modes, and has SIGABRT set them back before it ends the program. Once is enough.
    pub(super) fn prepare() {
        if FOUND.get().is_some() {
            return;
        }
        let Ok(found) = tcgetattr(io::stdin()) else { return };
        let _ = FOUND.set(found);
        // SAFETY: the handler allocates nothing and takes no lock: it reads atomics and makes system calls.
        #[allow(unsafe_code)]
        let _ = unsafe { low_level::register(SIGABRT, give_back) };
    }

    fn give_back() {
        if super::ENTERED.swap(false, Ordering::AcqRel)
            && let Some(found) = FOUND.get()
        {
            let (input, out) = (rustix::stdio::stdin(), rustix::stdio::stdout());
            let _ = tcsetattr(input, OptionalActions::Now, found);
            if super::KEYBOARD.swap(false, Ordering::AcqRel) {
                let _ = rustix::io::write(out, POP_KEYS);
            }
            let _ = rustix::io::write(out, LEAVE).and_then(|_| rustix::io::write(out, WORDS));
        }
        let _ = low_level::emulate_default_handler(SIGABRT);
    }
}

/// Sets the modes of a terminal back that takes no output: what was drawn stays, and the person's keys work again.
pub(crate) fn abandon() {
    let _ = terminal::disable_raw_mode();
}

/// Makes a panic in any thread give the terminal back before it is reported, then calls `after` (which ends the workbench).
pub(crate) fn install_panic_hook(after: impl Fn() + Send + Sync + 'static) {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        leave();
        report(info);
        after();
    }));
}

/// Stops this process and its group, as Ctrl-Z does; returns once it continues. The terminal must have been left.
pub(crate) fn stop_process() {
    // SIGSTOP to the whole group, so that a parent such as `cargo run` stops too and the shell gets its prompt back. SIGTSTP
    // would reach our own handler again.
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
}

/// The sequence that puts `text` on the clipboard, cut at [`CLIPBOARD_LIMIT`]. What would act on a terminal is spelled out there as on the
/// screen: the text may be pasted at a shell's prompt.
fn clipboard_sequence(text: &str, tmux: bool) -> String {
    let text = sanitize::printed(text);
    let mut end = text.len().min(CLIPBOARD_LIMIT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut plain = String::new();
    // Writing to a text does not fail.
    let _ = CopyToClipboard::to_clipboard_from(text.get(..end).unwrap_or_default()).write_ansi(&mut plain);
    if tmux {
        // tmux passes it to the outer terminal only when wrapped; the plain one reaches tmux's own buffers.
        let wrapped = plain.replace('\x1b', "\x1b\x1b");
        return format!("{plain}\x1bPtmux;{wrapped}\x1b\\");
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clipboard_is_capped_at_a_character() {
        let text = "é".repeat(CLIPBOARD_LIMIT);
        let sequence = clipboard_sequence(&text, false);
        assert!(sequence.len() <= CLIPBOARD_LIMIT.div_ceil(3) * 4 + 16);
        assert!(sequence.starts_with("\x1b]52;c;") && sequence.ends_with("\x1b\\"));
    }

    #[test]
    fn the_clipboard_has_no_controls() {
        let hostile = "go to sofa 1\x1b[201~\u{202e}; rm -rf ~\r\x07";
        let sequence = clipboard_sequence(hostile, false);
        let plain = clipboard_sequence(&sanitize::printed(hostile), false);
        assert!(sequence == plain && !sanitize::printed(hostile).contains(['\x1b', '\u{202e}', '\r', '\x07']));
    }

    #[test]
    fn tmux_gets_it_wrapped_as_well() {
        assert!(clipboard_sequence("a", true).contains("\x1bPtmux;\x1b\x1b]52;c;YQ==\x1b\x1b\\\x1b\\"));
    }
}
