//! Styles by role and glyphs by name; a theme maps roles to styles. `theme_file` loads themes from files.
//!
//! Every role must be readable by weight and glyph alone: colour never carries meaning by itself.

use ratatui::style::{Modifier, Style};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A text's role, as far as its looks go; theme files name it in kebab case (`border-focused`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Role {
    Text,
    /// Text of less weight: hints, line numbers, what is folded.
    Dim,
    Title,
    Border,
    /// The border of the pane that has the keys.
    BorderFocused,
    Selected,
    /// A condition that holds, a step that went well.
    Good,
    /// A condition that fails, an error.
    Bad,
    Warn,
    /// Something of note: the recommended proposal, the current line.
    Accent,
    Added,
    Removed,
    Changed,
    Key,
    Match,
    SyntaxKeyword,
    SyntaxString,
    SyntaxComment,
    SyntaxFunction,
    SyntaxConstant,
}

pub(crate) const ROLES: &[Role] = Role::VARIANTS;

/// The marks used in panes, one column each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyphs {
    pub yes: &'static str,
    pub no: &'static str,
    /// Unknown: checked, and it cannot be decided.
    pub unknown: &'static str,
    pub unchecked: &'static str,
    pub candidate: &'static str,
    pub here: &'static str,
    pub star: &'static str,
    pub open: &'static str,
    pub closed: &'static str,
    pub branch: &'static str,
    pub last_branch: &'static str,
    pub vertical: &'static str,
    pub arrow: &'static str,
    pub ellipsis: &'static str,
    pub dot: &'static str,
    pub full: &'static str,
    pub empty: &'static str,
}

pub const UNICODE: Glyphs = Glyphs {
    yes: "✓",
    no: "✗",
    unknown: "?",
    unchecked: "□",
    candidate: "○",
    here: "▶",
    star: "★",
    open: "▾",
    closed: "▸",
    branch: "├",
    last_branch: "└",
    vertical: "│",
    arrow: "→",
    ellipsis: "…",
    dot: "·",
    full: "█",
    empty: "░",
};

/// Glyphs in ASCII alone. `+`, `-` and `~` are left to changes.
pub const ASCII: Glyphs = Glyphs {
    yes: "Y",
    no: "X",
    unknown: "?",
    unchecked: "_",
    candidate: "o",
    here: ">",
    star: "*",
    open: "v",
    closed: ">",
    branch: "|",
    last_branch: "`",
    vertical: "|",
    arrow: ">",
    ellipsis: "~",
    dot: "-",
    full: "#",
    empty: ".",
};

#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    pub name: String,
    pub about: String,
    styles: [Style; ROLES.len()],
    pub glyphs: Glyphs,
}

impl Theme {
    /// The monochrome theme: weight and reverse video only.
    pub fn monochrome(glyphs: Glyphs) -> Self {
        let mut theme =
            Theme { name: "monochrome".into(), about: String::new(), styles: [Style::new(); ROLES.len()], glyphs };
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let dim = Style::new().add_modifier(Modifier::DIM);
        for role in
            [Role::Title, Role::BorderFocused, Role::Bad, Role::Accent, Role::Key, Role::Added, Role::SyntaxKeyword]
        {
            theme.set(role, bold);
        }
        for role in [Role::Dim, Role::Border, Role::SyntaxComment] {
            theme.set(role, dim);
        }
        theme.set(Role::Selected, Style::new().add_modifier(Modifier::REVERSED));
        theme.set(Role::Removed, Style::new().add_modifier(Modifier::CROSSED_OUT));
        theme.set(Role::Changed, Style::new().add_modifier(Modifier::UNDERLINED));
        theme.set(Role::Match, Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD));
        theme
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    pub fn set(&mut self, role: Role, style: Style) {
        self.styles[role as usize] = style;
    }
}
