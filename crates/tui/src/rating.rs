//! Screen on which a person judges plans: a task, its plan, and whether the plan does the task. No method is named.
//!
//! [`draw`] shows a rater's present item; [`key`] answers a key; [`run`] is the loop. The crate `stepwright-rate` defines judgements and keeps
//! them.

use std::process::ExitCode;
use std::sync::mpsc;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};
use signal_hook::consts::{SIGCONT, SIGTSTP};
use stepwright_rate::Judging;

use super::chrome::{self, Hint, frame_of, ground};
use super::event::{self, Message};
use super::terminal::{self, Screen};
use super::theme::{Role, Theme};
use super::widgets::draw::{Painter, Row, run as piece};
use super::widgets::words;
use stepwright_text::sanitize;

const KEYS: [(&str, &str); 6] = [
    ("y", "correct"),
    ("n", "not correct"),
    ("u", "undo"),
    ("Up/Down", "scroll"),
    ("Left/Right", "other plans"),
    ("q", "leave"),
];

/// The least screen that shows a task and a step of its plan.
const LEAST: (u16, u16) = (30, 8);

/// The state of the screen beside the item.
#[derive(Debug, Default)]
pub struct View {
    /// Lines of the plan above the screen.
    scroll: u16,
    /// The most lines that can be above, as drawn last.
    most: u16,
    /// Whether the screen was too small to show an item when it was drawn last; nothing is judged then.
    too_small: bool,
    /// The fault, or the effect, of the last key.
    message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    On,
    Leave,
}

pub fn key(key: KeyEvent, judging: &mut Judging, view: &mut View) -> Next {
    view.message = None;
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return if key.code == KeyCode::Char('c') { Next::Leave } else { Next::On };
    }
    let done = match key.code {
        KeyCode::Char('q') | KeyCode::Esc => return Next::Leave,
        // What cannot be read cannot be judged.
        _ if view.too_small => Ok(()),
        KeyCode::Char(answer @ ('y' | 'n')) => judging.judge(answer == 'y').map(|()| {
            view.scroll = 0;
            if judging.count() == judging.all() {
                view.message = Some("All plans are judged. u takes a judgement back, q leaves.".to_owned());
            }
        }),
        KeyCode::Char('u') => judging.undo().map(|taken| {
            view.scroll = 0;
            view.message = Some(if taken { "Taken back." } else { "There is nothing to take back." }.to_owned());
        }),
        KeyCode::Left | KeyCode::Right => {
            judging.go(key.code == KeyCode::Left);
            view.scroll = 0;
            Ok(())
        }
        KeyCode::Up => {
            view.scroll = view.scroll.saturating_sub(1);
            Ok(())
        }
        KeyCode::Down => {
            view.scroll = (view.scroll + 1).min(view.most);
            Ok(())
        }
        _ => Ok(()),
    };
    if let Err(error) = done {
        view.message = Some(error.to_string());
    }
    Next::On
}

pub fn draw(frame: &mut Frame<'_>, theme: &Theme, judging: &Judging, view: &mut View) {
    let area = frame.area();
    ground(theme, area, frame);
    view.too_small = area.width < LEAST.0 || area.height < LEAST.1;
    if view.too_small {
        frame.render_widget(Paragraph::new("Too small to judge; q leaves").wrap(Wrap { trim: true }), area);
        return;
    }
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(2)]).areas(area);
    let title = format!(
        " Stepwright rate {dot} {} {dot} plan {} of {} {dot} {} judged",
        sanitize::line(judging.rater()),
        judging.place(),
        judging.all(),
        judging.count(),
        dot = theme.glyphs.dot,
    );
    let fitted = sanitize::fit(&title, usize::from(head.width), theme.glyphs.ellipsis).into_owned();
    frame.render_widget(Line::styled(fitted, theme.style(Role::Title)), head);
    let block = frame_of(theme, true).title(" Does this plan do the task? ");
    let inner = block.inner(body);
    frame.render_widget(block, body);
    plan(frame, theme, judging, view, inner);
    let [message, keys] = Layout::vertical([Constraint::Length(1), Constraint::Length(1)]).areas(foot);
    if let Some(text) = &view.message {
        let text = sanitize::line(text).into_owned();
        frame.render_widget(Line::styled(text, theme.style(Role::Accent)), message);
    }
    let hints = KEYS.iter().map(|(key, word)| Hint { action: None, key: (*key).to_owned(), word }).collect();
    chrome::footer(&chrome::with_last(hints, keys.width), None, theme, keys, frame);
}

fn plan(frame: &mut Frame<'_>, theme: &Theme, judging: &Judging, view: &mut View, area: Rect) {
    let [task, steps, said] =
        Layout::vertical([Constraint::Length(2), Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    let Some(item) = judging.item() else { return };
    let words = [
        Span::styled("Task: ", theme.style(Role::Dim)),
        Span::styled(sanitize::line(&item.task).into_owned(), theme.style(Role::Title)),
    ];
    frame.render_widget(Paragraph::new(Line::from_iter(words)).wrap(Wrap { trim: false }), task);
    let rows: Vec<Row> = match item.steps.as_slice() {
        [] => vec![vec![piece(Role::Dim, "(the plan has no step)")]],
        all => {
            let width = usize::from(steps.width);
            let wrapped = |(n, step): (usize, &String)| words::labelled(&format!("{n:>3}. "), Role::Text, step, width);
            (1..).zip(all).flat_map(wrapped).collect()
        }
    };
    let more = rows.len().saturating_sub(usize::from(steps.height));
    view.most = u16::try_from(more).unwrap_or(u16::MAX);
    view.scroll = view.scroll.min(view.most);
    let painter = &mut Painter { buf: frame.buffer_mut(), theme, focused: true };
    for (line, row) in rows.iter().skip(view.scroll.into()).enumerate() {
        painter.row(steps, line, row);
    }
    let (mark, role, text) = match judging.judgement() {
        Some(true) => (theme.glyphs.yes, Role::Good, "you said: correct"),
        Some(false) => (theme.glyphs.no, Role::Bad, "you said: not correct"),
        None => (theme.glyphs.unchecked, Role::Dim, "not judged"),
    };
    let below = view.most.saturating_sub(view.scroll);
    let rest = if below > 0 { format!("   {below} more below ({})", theme.glyphs.open) } else { String::new() };
    frame.render_widget(Line::styled(format!("{mark} {text}{rest}"), theme.style(role)), said);
}

/// Lets a person judge until they leave; 128 + n after signal n.
pub fn run(judging: &mut Judging, theme: &Theme) -> std::io::Result<ExitCode> {
    let (to, messages) = mpsc::channel();
    let mut screen = Screen::enter(false)?;
    let panicked = to.clone();
    terminal::install_panic_hook(move || {
        let _ = panicked.send(Message::Panicked);
    });
    event::read_signals(to.clone())?;
    event::read_terminal(to);
    let mut view = View::default();
    loop {
        screen.draw(|frame| draw(frame, theme, judging, &mut view))?;
        match messages.recv().map_err(|_| std::io::Error::other("nothing is left to wait for"))? {
            Message::Terminal(Event::Key(pressed)) if pressed.kind != KeyEventKind::Release => {
                match key(pressed, judging, &mut view) {
                    Next::Leave => return Ok(ExitCode::SUCCESS),
                    Next::On => {}
                }
            }
            Message::TerminalGone(why) => return Err(std::io::Error::other(why)),
            Message::Panicked => return Ok(ExitCode::from(101)),
            Message::Signal(SIGTSTP | SIGCONT) => screen.repaint()?,
            Message::Signal(signal) => {
                return Ok(ExitCode::from(128u8.saturating_add(u8::try_from(signal).unwrap_or_default())));
            }
            _ => {}
        }
    }
}
