//! Rows of the tree: its lines, fold, status and text.

use super::BlockingPane;
use super::marks::{kind, mark};
use crate::theme::{Glyphs, Role};
use crate::widgets::draw::{Row, run};
use crate::widgets::words;
use stepwright_world::blocking::{NodeKind, NodeStatus};

impl BlockingPane {
    pub(super) fn row(&self, at: usize, glyphs: &Glyphs) -> Row {
        let Some(node) = self.nodes().get(at) else { return Row::new() };
        let (depth, last) = self.shape.get(at).copied().unwrap_or_default();
        let mut lead = String::new();
        // The lines of the ancestors that continue below this row, outermost first.
        let mut up = node.parent;
        let mut columns = Vec::new();
        for _ in 1..depth {
            let Some(ancestor) = up else { break };
            columns.push(self.shape.get(ancestor).is_some_and(|(_, last)| !last));
            up = self.nodes().get(ancestor).and_then(|n| n.parent);
        }
        for goes_on in columns.iter().rev() {
            lead.push_str(if *goes_on { glyphs.vertical } else { " " });
            lead.push_str("  ");
        }
        if depth > 0 {
            lead.push_str(if last { glyphs.last_branch } else { glyphs.branch });
            lead.push_str("  ");
        }
        let fold = match (self.has_children(at), self.closed.contains(&at)) {
            _ if self.chosen_row() == Some(at) => run(Role::Accent, format!("{} ", glyphs.here)),
            (false, _) => run(Role::Dim, "  "),
            (true, true) => run(Role::Dim, format!("{} ", glyphs.closed)),
            (true, false) => run(Role::Dim, format!("{} ", glyphs.open)),
        };
        let (glyph, role) = match self.verdict(node) {
            Some((mark, _)) => words::mark(glyphs, *mark),
            None => mark(node, glyphs),
        };
        let text = match (node.kind, node.status) {
            (NodeKind::Goal, _) => Role::Title,
            (_, NodeStatus::Pruned) => Role::Dim,
            _ => Role::Text,
        };
        let said = words::one_line(&node.text);
        let in_title = depth == 0 && self.has_children(at) && self.titled.as_ref() == Some(&node.text);
        vec![
            run(Role::Dim, lead),
            fold,
            run(role, format!("{glyph} ")),
            run(Role::Dim, kind(node, depth)),
            run(text, if in_title { "".into() } else { said }),
        ]
    }

    /// From the goal down to the row under the cursor.
    pub(super) fn way(&self) -> Option<String> {
        let (mut at, _) = self.current()?;
        let mut way = Vec::new();
        while let Some(node) = self.nodes().get(at) {
            way.push(match node.kind {
                NodeKind::Condition => format!("needs {}", node.text),
                _ => words::one_line(&node.text).into_owned(),
            });
            let Some(parent) = node.parent.filter(|parent| *parent < at) else { break };
            at = parent;
        }
        (way.len() > 1).then(|| way.into_iter().rev().collect::<Vec<_>>().join(", "))
    }
}
