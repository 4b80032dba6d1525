//! Plan that a method follows, with the status of its lines: done, refused, next. Empty for methods that follow none.

use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::words;
use stepwright_episode::Session;
use stepwright_method::{Section, StepStatus};
use stepwright_text::Columns;

/// Lines shown before the next one.
const BEFORE: usize = 2;
const MOST: usize = 8;

/// The method's sections at the cursor, each around its next line.
pub fn rows(view: &View, theme: &Theme, width: usize) -> Vec<Row> {
    let Some(session) = &view.session else { return Vec::new() };
    let mut sections = view.sections(session.cursor());
    sections.retain(|section| !section.is_program);
    // Lines of the text in force are spoken of by their numbers.
    let is_text = |section: &Section| {
        view.plan().is_some_and(|plan| plan.lines().eq(section.lines.iter().map(|line| line.text.as_str())))
    };
    sections.iter().flat_map(|section| of(section, is_text(section), session, theme, width)).collect()
}

/// A section around its next line, under a heading.
pub fn of(section: &Section, numbered: bool, session: &Session, theme: &Theme, width: usize) -> Vec<Row> {
    let (lines, title) = (&section.lines, &section.title);
    let made = session.node(section.made_at).map_or(0, |n| n.steps);
    let marked = |mark: StepStatus| lines.iter().filter(|line| line.mark == mark).count();
    let mut heads = vec![format!("{title:<8} made at step {made}")];
    if numbered || marked(StepStatus::Open) < lines.len() {
        let refused = match marked(StepStatus::Refused) {
            0 => String::new(),
            // By the world, or by what they raised.
            refused => format!(", {refused} failed"),
        };
        let done = marked(StepStatus::Done);
        // How far it is says more than where it was made.
        heads = vec![
            format!("{title:<8} made at step {made}, {} done{refused}", words::count(done, "line")),
            format!("{title}, of step {made}, {done} done{refused}"),
            format!("{title}, {done} done{refused}"),
        ];
    } else if !section.is_program {
        // What nothing is carried out of is a list of facts; of a program whose line is many actions no line is marked.
        heads = vec![title.clone()];
    }
    let fits = heads.iter().find(|head| head.width() <= width).or(heads.last());
    let head = fits.map(|head| crate::sanitize::fit(head, width, theme.glyphs.ellipsis).into_owned());
    let head = head.unwrap_or_default();
    let mut rows = vec![vec![run(Role::Title, head)]];
    let first = section.at.saturating_sub(BEFORE).min(lines.len().saturating_sub(MOST));
    if first > 0 {
        rows.push(vec![run(Role::Dim, format!("  {} {} above", theme.glyphs.ellipsis, words::count(first, "line")))]);
    }
    let digits = if numbered { lines.len().to_string().len() } else { 0 };
    for (at, line) in (1..).zip(lines).skip(first).take(MOST) {
        let (glyph, role) = match line.mark {
            StepStatus::Next => (theme.glyphs.here, Role::Accent),
            StepStatus::Done => (theme.glyphs.yes, Role::Good),
            StepStatus::Refused => (theme.glyphs.no, Role::Bad),
            StepStatus::Corrected => (theme.glyphs.arrow, Role::Warn),
            StepStatus::Dropped => (theme.glyphs.dot, Role::Dim),
            StepStatus::Open => (" ", Role::Dim),
        };
        let text = line.text.replace('\t', "    ");
        let text = crate::sanitize::line(&text).into_owned();
        let text = crate::sanitize::fit(
            &text,
            width.saturating_sub(4 + digits + usize::from(numbered)),
            theme.glyphs.ellipsis,
        )
        .into_owned();
        let strong = if line.mark == StepStatus::Next { Role::Accent } else { Role::Text };
        let number = if numbered { format!("{at:>digits$} ") } else { String::new() };
        rows.push(vec![run(role, format!("  {glyph} ")), run(Role::Dim, number), run(strong, text)]);
    }
    let below = lines.len().saturating_sub(first + MOST);
    if below > 0 {
        rows.push(vec![run(Role::Dim, format!("  {} {} below", theme.glyphs.ellipsis, words::count(below, "line")))]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::ASCII;
    use stepwright_method::SectionLine;

    #[test]
    fn the_heading_counts_the_lines_that_are_marked() {
        let session = Session::new(stepwright_episode::Header::default());
        let head_in = |width, marks: &[StepStatus], is_program| {
            let lines = marks.iter().map(|mark| SectionLine { text: "x".into(), mark: *mark }).collect();
            let section = Section { title: "plan".into(), lines, is_program, ..Section::default() };
            of(&section, false, &session, &Theme::monochrome(ASCII), width).remove(0).remove(0).text
        };
        let head = |marks: &[StepStatus], is_program| head_in(80, marks, is_program);
        use StepStatus::{Done, Next, Open, Refused};
        assert_eq!(head(&[Done, Refused, Next, Open], false), "plan     made at step 0, 1 line done, 1 failed");
        assert_eq!(head(&[Next, Open], false), "plan     made at step 0, 0 lines done");
        assert_eq!(head(&[Open], true), "plan     made at step 0");
        assert_eq!(head(&[Open], false), "plan");
        // What is cut last is how far it is.
        let marks = [Done, Done, Refused, Next];
        assert_eq!(head_in(34, &marks, false), "plan, of step 0, 2 done, 1 failed");
        assert_eq!(head_in(24, &marks, false), "plan, 2 done, 1 failed");
    }
}
