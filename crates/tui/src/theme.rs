//! Styles by role and glyphs by name; a theme maps roles to styles. `theme_file` loads themes from files.
//!
//! Every role must be readable by weight and glyph alone: colour never carries meaning by itself.

use ratatui::style::{Modifier, Style};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What a piece of text is, as far as its looks go; theme files name it in kebab case (`border-focused`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Role {
    /// Ordinary text.
    Text,
    /// Text of less weight: hints, line numbers, what is folded.
    Dim,
    /// Titles.
    Title,
    /// The border of a pane.
    Border,
    /// The border of the pane that has the keys.
    BorderFocused,
    /// The chosen row.
    Selected,
    /// A condition that holds, a step that went well.
    Good,
    /// A condition that fails, an error.
    Bad,
    /// Unknown, a warning.
    Warn,
    /// Something of note: the recommended proposal, the current line.
    Accent,
    /// What the last step added.
    Added,
    /// What the last step removed.
    Removed,
    /// What the last step changed.
    Changed,
    /// A key in a hint.
    Key,
    /// A match of a search.
    Match,
    /// Python keyword.
    SyntaxKeyword,
    /// Python string.
    SyntaxString,
    /// Python comment.
    SyntaxComment,
    /// Python function name.
    SyntaxFunction,
    /// Python number or constant.
    SyntaxConstant,
}

/// All roles, in the order of the enum.
pub const ROLES: &[Role] = Role::VARIANTS;

/// The marks used in panes, one column each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyphs {
    /// Holds.
    pub yes: &'static str,
    /// Fails.
    pub no: &'static str,
    /// Unknown: checked, and it cannot be decided.
    pub unknown: &'static str,
    /// Not checked.
    pub unchecked: &'static str,
    /// What can be chosen.
    pub candidate: &'static str,
    /// The current line or row.
    pub here: &'static str,
    /// The recommended proposal.
    pub star: &'static str,
    /// An open fold.
    pub open: &'static str,
    /// A closed fold.
    pub closed: &'static str,
    /// A branch in a tree, more below.
    pub branch: &'static str,
    /// The last branch in a tree.
    pub last_branch: &'static str,
    /// A vertical line in a tree.
    pub vertical: &'static str,
    /// An arrow to the right.
    pub arrow: &'static str,
    /// An ellipsis where text is cut.
    pub ellipsis: &'static str,
    /// Separates items on one line.
    pub dot: &'static str,
    /// A filled cell of a bar.
    pub full: &'static str,
    /// An empty cell of a bar.
    pub empty: &'static str,
}

/// Glyphs for terminals with Unicode.
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

/// A theme: a style for each role, and the glyphs.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// The theme's name, as in `themes/NAME.toml`.
    pub name: String,
    /// What it is for, in a few words.
    pub about: String,
    styles: [Style; ROLES.len()],
    /// The marks.
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

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// Sets the style of a role.
    pub fn set(&mut self, role: Role, style: Style) {
        self.styles[role as usize] = style;
    }
}
