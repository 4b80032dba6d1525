//! Bars of the first screens, in every world: candidates with their status, decisions in sight in Program, room that is used.

use std::sync::Arc;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use stepwright::blocking::{BlockingNode, BlockingTree, NodeKind, NodeStatus};
use stepwright::config::Config;
use stepwright::driver::{Clock, NewSession, Notice, Setup, Situation, prepare_new};
use stepwright::episode::{ArtifactId, ArtifactKind, Event, Mark};
use stepwright::methods::METHODS;
use stepwright::sandbox::{Limits, Workers};
use stepwright::tui::app::{App, Parts};
use stepwright::tui::color::Depth;
use stepwright::tui::keymap::Keymap;
use stepwright::tui::pane::{Pane, PaneAction, PaneId};
use stepwright::tui::theme::Role;
use stepwright::tui::theme_file::{self, Wanted};
use stepwright::tui::view::View;
use stepwright::world::AgentCommand;

use crate::support::driver::{Scripted, Watched};
use crate::support::opened::{begun, configuration};
use crate::support::screen::{pane, shown};
use crate::tui_keys::Bench;

/// Blank rows of a column at most; on a large screen in the shop, whose first page is a form, and behind the gate, where in the beginning there is
/// no more to show.
const MOST_BLANK: usize = 6;
const MOST_OF_A_FORM: usize = 10;
const MOST_BEHIND_THE_GATE: usize = 25;
/// Words of the household's first screen at most: what stands between spaces and has a letter.
const MOST_WORDS: usize = 150;
/// Rows of proposals that are in sight at least, where so many are offered.
const ROWS: usize = 4;
/// Steps looked at in each world.
const STEPS: usize = 10;
const MARKS: [char; 5] = ['✓', '✗', '?', '□', '○'];
const STATUSES: [&str; 8] = ["suggested", "implied", "equivalent", "valid", "always", "fails", "held back", "in force"];

/// Brings the workbench and the driver to rest: each has heard all that the other said.
async fn settled(bench: &mut Bench, watched: &mut Watched) {
    heard(bench, watched, Duration::from_millis(150)).await;
}

/// The same, where nothing said for so long is all that was said.
pub(crate) async fn heard(bench: &mut Bench, watched: &mut Watched, patience: Duration) {
    loop {
        let before = watched.notices.len();
        bench.commands().into_iter().for_each(|command| watched.send(command));
        watched.quiet(patience).await;
        for notice in &watched.notices[before..] {
            bench.app.notice(notice.clone());
        }
        bench.app.settle(bench.now);
        let asks = bench.app.view.turn().is_some_and(|turn| turn.pending().is_some());
        if watched.notices.len() == before && !asks {
            return;
        }
    }
}

/// Blank rows of each column of panes; on a large screen, where a whole conversation is in sight, but for single ones, which part texts.
fn blank_rows(text: &str) -> Vec<usize> {
    let screen: Vec<Vec<char>> = text.lines().map(|line| line.trim_matches('"').chars().collect()).collect();
    let below = screen.iter().rposition(|row| row.iter().any(|c| "└┗".contains(*c))).unwrap_or(0).max(2);
    let mut edges: Vec<usize> = (0..screen[2].len()).filter(|at| "┌┏".contains(screen[2][*at])).collect();
    edges.push(screen[2].len());
    let is_blank = |row: &Vec<char>, from: usize, to: usize| row[from..to].iter().all(|c| "│┃█ ".contains(*c));
    let columns = edges.windows(2).map(|edge| {
        let blank: Vec<bool> = screen[2..=below].iter().map(|row| is_blank(row, edge[0], edge[1])).collect();
        let runs = blank.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len);
        runs.filter(|run| *run > 1 || edges.len() < 4).sum()
    });
    columns.collect()
}

/// A session at a world's first task, or of the demonstration's agent behind the gate.
fn opened(world: &str, config: &Config) -> Setup {
    let clock: Clock = Arc::new(|| 1_795_000_000_000);
    if world != "agent" {
        let task = stepwright::worlds::sources().told(world, None).unwrap().remove(0).id;
        return begun((world, &task), ("", &[]), config, clock, None);
    }
    let words = [env!("CARGO_BIN_EXE_stepwright"), "demo-agent"].map(str::to_owned).into();
    let command = Arc::new(AgentCommand { words, ..AgentCommand::default() });
    let sources = stepwright::worlds::sources().with_agent(Some(Arc::clone(&command)));
    let mut config = config.clone();
    config.agent = Some(command);
    let new = NewSession { world: world.into(), model: "demo".into(), ..NewSession::default() };
    prepare_new(&new, &config, &sources, clock).unwrap()
}

/// Lines of Program that stand for a decision: those with a mark behind their number.
fn decisions(program: &str) -> usize {
    let marked = |line: &&str| {
        let line = line.trim_start_matches(['«', '▶', ' ']);
        let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
        after.len() < line.len() && after.trim_start_matches([' ', '+', '~', '"']).starts_with(MARKS)
    };
    program.lines().filter(marked).count()
}

/// The offered actions that have no row on the screen, where fewer than four have one.
fn missing_rows(bench: &Bench, text: &str) -> Vec<String> {
    let turn = bench.app.view.turn().filter(|_| bench.app.view.offer().is_none());
    let mut offered: Vec<String> = turn
        .iter()
        .flat_map(|turn| &turn.proposals)
        .filter_map(|proposal| Some(proposal.action.as_ref()?.text.lines().next()?.chars().take(24).collect()))
        .collect();
    offered.sort();
    offered.dedup();
    let wanted = offered.len().min(ROWS);
    let (seen, missing): (Vec<_>, Vec<_>) = offered.into_iter().partition(|action| text.contains(action.as_str()));
    if seen.len() >= wanted { Vec::new() } else { missing }
}

/// What is drawn in the colour of what is wrong.
fn red_marks(notices: &[Notice]) -> String {
    let wanted = Wanted { folder: None, name: Some("dark"), ascii: false, depth: Depth::True };
    let (themes, _) = theme_file::load(wanted).unwrap();
    let red = themes[0].style(Role::Bad).fg;
    let mut app = App::new(Parts {
        panes: stepwright::tui::panes::all(),
        keymap: Keymap::default(),
        themes,
        worlds: stepwright::worlds::WORLDS.into(),
        methods: &METHODS,
    });
    notices.iter().for_each(|notice| app.notice(notice.clone()));
    app.settle(std::time::Instant::now());
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    terminal.backend().buffer().content.iter().filter(|cell| cell.style().fg == red).map(|cell| cell.symbol()).collect()
}

#[tokio::test]
async fn the_first_screens_of_every_world_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let mut wrong = Vec::new();
    for world in ["household", "dialogue", "kitchen", "table", "shop", "graph", "agent"] {
        let mut setup = opened(world, &config);
        setup.sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
        let mut watched = Watched::start(setup);
        // The tools of an agent have no demonstrations.
        let is_demonstrated = world != "agent";
        let is_first = |notice: &Notice, _: &_| match notice {
            Notice::Pool(_) => true,
            Notice::Recorded(record) => !is_demonstrated && matches!(record.event, Event::Recommended { .. }),
            _ => false,
        };
        watched.until("candidates", is_first).await;
        let mut bench = Bench::over(watched.notices.clone());
        for _ in 0..100 {
            settled(&mut bench, &mut watched).await;
            // Pools come one after the other.
            let is_counted = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
            if bench.draw(120, 40).split(" valid,").any(is_counted) {
                break;
            }
        }
        let changes = |event: &Event| matches!(event, Event::ArtifactSettled { artifact, .. } if artifact.kind == ArtifactKind::Candidates);
        assert!(!watched.records.iter().any(|record| changes(&record.event)), "{world}: candidates were recorded");
        for step in 0..STEPS {
            // The candidates of another action may be under way.
            for _ in 0..20 {
                if !bench.draw(120, 40).contains("no candidates yet") {
                    break;
                }
                settled(&mut bench, &mut watched).await;
            }
            for (width, height) in [(80, 24), (120, 40)] {
                let text = bench.draw(width, height);
                let missing = missing_rows(&bench, &text);
                if !missing.is_empty() {
                    wrong.push(format!("{world}, step {step}, {width}x{height}: not in sight: {missing:?}\n{text}"));
                }
            }
            for (width, height) in [(200, 60), (120, 40)] {
                let text = bench.draw(width, height);
                let blank = blank_rows(&text);
                let most = match (world, width) {
                    ("agent", 200) => MOST_BEHIND_THE_GATE,
                    ("shop", 200) => MOST_OF_A_FORM,
                    _ => MOST_BLANK,
                };
                if blank.iter().any(|rows| *rows > most) {
                    wrong.push(format!("{world}, step {step}: {blank:?} blank rows a column\n{text}"));
                }
            }
            let text = bench.draw(120, 40);
            let words = text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
            if (world, step) == ("household", 0) && words > MOST_WORDS {
                wrong.push(format!("{world}: {words} words\n{text}"));
            }
            if step == 0 {
                // U18: what the task is stands once on the first screen of Observations.
                let mut observed = pane(PaneId::Observations);
                let _ = observed.update(&bench.app.view);
                let first =
                    shown(observed.as_mut(), &bench.app.view, &crate::support::screen::unicode(), (400, 40), false);
                if first.matches(&watched.session.header.sentence).count() != 1 {
                    wrong.push(format!("{world}: the task not once\n{first}"));
                }
                let red = red_marks(&watched.notices);
                let turn = &watched.session.current().unwrap().turn;
                let is_refused = |id| turn.verdict(id).is_some_and(|verdict| verdict.world() == Mark::Fails);
                if !red.is_empty() && !turn.proposals.iter().any(|proposal| is_refused(proposal.id)) {
                    wrong.push(format!("{world}: red where nothing is wrong: {red}\n{text}"));
                }
                let listed = |line: &&str| {
                    (line.contains("[x]") || line.contains("[ ]")) && STATUSES.iter().any(|s| line.contains(s))
                };
                let has_some = !is_demonstrated || text.contains("candidate");
                if !has_some || is_demonstrated && text.lines().filter(listed).count() == 0 {
                    wrong.push(format!("{world}: no candidates with their status\n{text}"));
                }
            }
            if watched.session.is_done() {
                break;
            }
            bench.press("a");
            settled(&mut bench, &mut watched).await;
        }
        let mut program = pane(PaneId::Program);
        let _ = program.update(&bench.app.view);
        let text = shown(program.as_mut(), &bench.app.view, &crate::support::screen::unicode(), (58, 17), false);
        let taken = watched.session.nodes().len() - 1;
        let seen = decisions(&text);
        if seen < taken.min(8) {
            wrong.push(format!("{world}: {seen} of {taken} decisions in Program\n{text}"));
        }
        if world == "graph" {
            let view = &bench.app.view;
            let folded = program.len(view);
            let folds =
                |program: &dyn Pane| program.actions(view).iter().any(|(_, word)| *word == "show what was seen");
            for _ in 0..folded {
                if !folds(program.as_ref()) {
                    let _ = program.act(PaneAction::Up, view);
                }
            }
            let _ = program.act(PaneAction::ToggleFold, view);
            assert!(program.len(view) > folded, "what was seen opens");
            let _ = program.act(PaneAction::ToggleFold, view);
            assert_eq!(program.len(view), folded, "and folds again");
        }
        watched.quit().await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn skills_in_use_are_shown_with_where_they_are_from() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let task = stepwright::worlds::sources().told("shop", None).unwrap().remove(0).id;
    let script = Some(("scripted", Scripted::lines(&[])));
    let setup = begun(("shop", &task), ("o3d", &[]), &config, Arc::new(|| 1_795_000_000_000), script);
    let mut watched = Watched::start(setup);
    watched.until("the first situation", |notice, _| matches!(notice, Notice::Situation(_))).await;
    let mut bench = Bench::over(watched.notices.clone());
    bench.press("alt-9");
    let text = bench.draw(120, 40);
    assert!(text.contains("Skills in use, shipped") && text.contains("search_item"), "{text}");
    // What is changed of them is the session's own copy; taken back, what is shipped is in use again, and as it was.
    let shipped = |watched: &Watched| watched.session.current().unwrap().document(&ArtifactId::KNOWLEDGE).is_none();
    assert!(shipped(&watched));
    bench.press("down + 'compare_two_first' enter");
    settled(&mut bench, &mut watched).await;
    let own = bench.draw(120, 40);
    assert!(own.contains("compare two first") && !own.contains("in use, shipped"), "{own}");
    let document = watched.session.current().unwrap().document(&ArtifactId::KNOWLEDGE).unwrap().to_string();
    assert!(document.contains("compare two first") && document.contains("search_item"), "{document}");
    bench.press("Z");
    settled(&mut bench, &mut watched).await;
    let again = bench.draw(120, 40);
    assert!(again.contains("Skills in use, shipped") && !again.contains("compare two first"), "{again}");
    assert!(shipped(&watched));
    watched.quit().await;
}

#[test]
fn the_way_from_the_goal_stays_in_sight() {
    let mut tree = BlockingTree::default();
    let mut parent = None;
    for (at, kind) in [NodeKind::Goal, NodeKind::Action, NodeKind::Condition].into_iter().cycle().take(12).enumerate() {
        let node = BlockingNode {
            parent,
            kind,
            text: format!("row {at}"),
            status: NodeStatus::Blocked,
            why: String::new(),
            handle: None,
        };
        parent = Some(tree.push(node));
    }
    let mut view = View::new(Default::default(), Default::default(), &METHODS);
    view.situation = Some(Arc::new(Situation { goals: tree, ..Situation::default() }));
    let mut blocking = pane(PaneId::Blocking);
    let _ = blocking.update(&view);
    let _ = blocking.act(PaneAction::Bottom, &view);
    let text = shown(blocking.as_mut(), &view, &crate::support::screen::unicode(), (40, 12), true);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert!(rows[0].contains("goal row 0") && !text.contains("row 2"), "{text}");
    assert!(text.contains("row 11"), "{text}");
}
