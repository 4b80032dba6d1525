//! Whole program in a pseudo-terminal: keys in, screen out, waiting until it is quiet rather than for a time.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::termios::LocalModes;

/// Nothing written for this long counts as quiet.
const QUIET: Duration = Duration::from_millis(150);

/// Longest wait for anything; the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A program in a pseudo-terminal.
pub struct Pty {
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    patience: Duration,
    /// What the terminal says of its ground when it is asked.
    ground: String,
    pub bytes: Vec<u8>,
}

/// The variable that gives a terminal another ground.
pub const GROUND: &str = "TERMINAL_GROUND";

impl Pty {
    /// Starts `program` with its own folders below `home`, and these variables.
    pub fn start(program: &str, args: &[&str], home: &Path, env: &[(&str, &str)], size: (u16, u16)) -> Self {
        let (cols, rows) = size;
        let pair = native_pty_system()
            .openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(home);
        for (name, _) in std::env::vars() {
            if name.starts_with("STEPWRIGHT")
                || matches!(name.as_str(), "NO_COLOR" | "COLORTERM" | "TMUX" | "COLORFGBG")
            {
                command.env_remove(name);
            }
        }
        for (name, below) in [
            ("HOME", ""),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_CACHE_HOME", "cache"),
            ("STEPWRIGHT_CONFIG_DIR", "config/stepwright"),
            ("STEPWRIGHT_STATE_DIR", "state/stepwright"),
        ] {
            command.env(name, home.join(below));
        }
        command.env("TERM", "xterm-256color");
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let (to, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 1 << 16];
            while let Ok(n) = reader.read(&mut buffer) {
                if n == 0 || to.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let writer = pair.master.take_writer().expect("a writer");
        let parser = vt100::Parser::new(at_least_one(rows), at_least_one(cols), 0);
        let ground = env.iter().find(|(name, _)| *name == GROUND).map_or("rgb:0000/0000/0000", |(_, ground)| ground);
        let (ground, master) = (ground.to_owned(), pair.master);
        Pty { child, writer, master, output, parser, patience: PATIENCE, ground, bytes: Vec::new() }
    }

    pub fn pid(&self) -> i32 {
        self.child.process_id().and_then(|p| i32::try_from(p).ok()).expect("a process id")
    }

    /// Waits longer for what is to be shown: more starts than this program.
    pub fn be_patient(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Types bytes.
    pub fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.writer.flush().expect("the terminal takes keys");
    }

    pub fn resize(&mut self, (cols, rows): (u16, u16)) {
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).expect("a new size");
        self.parser.screen_mut().set_size(at_least_one(rows), at_least_one(cols));
    }

    fn take(&mut self, bytes: Vec<u8>) {
        self.parser.process(&bytes);
        // As every terminal does, it says what it is when it is asked.
        if String::from_utf8_lossy(&bytes).contains("\x1b[c") {
            let answer = format!("\x1b]11;{}\x1b\\\x1b[?62;22c", self.ground);
            self.send(&answer);
        }
        self.bytes.extend(bytes);
    }

    /// Takes the next bytes; whether any came in time.
    pub fn receive(&mut self, wait: Duration) -> Result<(), RecvTimeoutError> {
        let bytes = self.output.recv_timeout(wait)?;
        self.take(bytes);
        Ok(())
    }

    /// Waits until nothing is written any more.
    pub fn settle(&mut self) -> &mut Self {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end && self.receive(QUIET).is_ok() {}
        self
    }

    /// Waits until the screen shows `text`.
    ///
    /// # Panics
    /// When it does not in time.
    pub fn wait_for(&mut self, text: &str) -> &mut Self {
        let end = Instant::now() + self.patience;
        while !self.text().contains(text) {
            let gone = self.receive(Duration::from_millis(100)) == Err(RecvTimeoutError::Disconnected);
            assert!(Instant::now() < end && !gone || self.text().contains(text), "no `{text}` on\n{}", self.text());
        }
        self
    }

    /// The path of the terminal as the program has it.
    pub fn name(&self) -> std::path::PathBuf {
        self.master.tty_name().expect("a terminal with a name")
    }

    pub fn text(&self) -> String {
        self.parser.screen().contents()
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// Waits until the program ends; its exit code.
    ///
    /// # Panics
    /// When it does not in time.
    pub fn wait(&mut self) -> u32 {
        let end = Instant::now() + PATIENCE;
        loop {
            let _ = self.receive(Duration::from_millis(20));
            if let Some(status) = self.child.try_wait().expect("a status") {
                while self.receive(Duration::from_millis(50)).is_ok() {}
                return status.exit_code();
            }
            assert!(Instant::now() < end, "still running:\n{}", self.text());
        }
    }

    pub fn signal(&self, name: &str) {
        let status = std::process::Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status();
        assert!(status.expect("kill runs").success());
    }

    /// The letter of the process state in `/proc` (`S` sleeping, `T` stopped).
    pub fn state(&self) -> char {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap_or_default();
        stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next()).unwrap_or('?')
    }

    /// Whether the terminal is back in its ordinary modes.
    pub fn is_restored(&self) -> bool {
        let screen = self.parser.screen();
        !screen.alternate_screen()
            && !screen.hide_cursor()
            && !screen.bracketed_paste()
            && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
            && self.is_cooked()
    }

    /// Whether the kernel edits lines and makes signals of keys again.
    pub fn is_cooked(&self) -> bool {
        let Some(termios) = self.master.get_termios() else { return true };
        let wanted = (LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG).bits();
        termios.local_flags.bits() & wanted == wanted
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A terminal has at least one row and one column.
fn at_least_one(n: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(n).unwrap_or(std::num::NonZeroU16::MIN)
}
