//! The study's tables and figures. Computed from results alone.

use super::{METHODS, Perturbation, RepromptResult, errors};
use crate::columns::{Cell, Column, Group, column, condition, counted_once, distinct, rows, words};
use crate::curve::{Chart, PointOf, Scatter, ShareOf, Shares};
use crate::paper::REPROMPT;
use crate::report::{Report, Table, refusals};
use stepwright_text::words::count;

type Row<'a> = Group<'a, RepromptResult>;

/// The model as it is called here; the condition `model` is by what publications call it.
const NAMED: &str = "named";

/// What a row says of those that failed.
const FAILED: &str = "failed";

pub fn report(lines: &[RepromptResult]) -> Report {
    let planned: Vec<&RepromptResult> = lines.iter().filter(|line| line.error.is_none()).collect();
    let of = |names: &[&str]| -> Vec<Row<'_>> {
        let known = lines.iter().filter(|line| names.contains(&line.condition.as_str()));
        let mut rows = rows(known, |line| {
            let published = line.under.model(&line.model);
            vec![("condition", line.condition.clone()), (NAMED, line.model.clone()), ("model", published)]
        });
        rows.sort_by_key(|of| names.iter().position(|name| *name == of.condition("condition")));
        rows.iter().map(done).collect()
    };
    let names = METHODS.map(|condition| condition.name());
    let methods = of(&names);
    let written = made(&of(&Perturbation::ALL.map(Perturbation::name)));
    let mut report = Report::default();
    if !methods.is_empty() {
        tables(methods.clone(), lines, &mut report);
        let plans = planned.iter().filter(|line| names.contains(&line.condition.as_str())).count();
        report.text(counted_once(&methods, plans));
        paper(&mut report);
    }
    // What has no plan is no point and has met no error.
    let methods = made(&methods);
    if !methods.is_empty() {
        points(&methods, &mut report);
        errors::figures(&planned, &methods, &mut report);
    }
    let why = |line: &RepromptResult| Some((format!("{}, {}", line.condition, line.task), line.error.clone()?));
    let why: Vec<(String, String)> = lines.iter().filter_map(why).collect();
    report.text(refusals(why.iter().map(|(what, why)| (what.as_str(), why.as_str()))));
    if !written.is_empty() {
        damaged(&written, &mut report);
    }
    report
}

/// The plans of a row, which says of how many lines there is none.
fn done<'a>(of: &Row<'a>) -> Row<'a> {
    let failed = of.count(|line| line.error.is_some());
    let conditions = of.conditions.iter().cloned().chain([(FAILED, failed.to_string())]).collect();
    Group::all(conditions, of.lines.iter().copied().filter(|line| line.error.is_none())).once()
}

/// The rows that have a plan.
fn made<'a>(rows: &[Row<'a>]) -> Vec<Row<'a>> {
    rows.iter().filter(|of| !of.lines.is_empty()).cloned().collect()
}

fn failed(of: &Row<'_>) -> usize {
    of.condition(FAILED).parse().unwrap_or_default()
}

/// How many there are, and of how many where others failed.
fn plans(of: &Row<'_>) -> Cell {
    let plans = of.lines.len();
    match failed(of) {
        0 => Cell::of(plans),
        failed => Cell::of(format!("{plans} of {}", plans + failed)),
    }
}

fn mean<'a>(
    heading: &'a str,
    digits: usize,
    figure: impl Fn(&RepromptResult) -> Option<f64> + 'a,
) -> Column<'a, Row<'a>> {
    column(heading, move |of: &Row<'_>| Cell::Figure(of.mean(&figure), digits))
}

fn printed<'a>(measure: &'a str) -> Column<'a, Row<'a>> {
    column("paper", move |of: &Row<'_>| Cell::Printed(of.printed(&REPROMPT, measure)))
}

/// The condition of a row, and its model where several stand in a table.
fn named<'a>(several: bool) -> Vec<Column<'a, Row<'a>>> {
    let model = || words("model", |of: &Row<'_>| of.condition(NAMED));
    std::iter::once(condition("condition")).chain(several.then(model)).collect()
}

/// The columns of Table 1: executability, and the similarity of the households at the end.
fn executability<'a>(lines: &'a [RepromptResult], several: bool) -> Vec<Column<'a, Row<'a>>> {
    let mut columns = named(several);
    columns.push(column("plans", plans));
    if lines.iter().any(|line| line.won.is_some()) {
        let reached = |line: &RepromptResult| line.won.map(|won| if won { 100.0 } else { 0.0 });
        columns.push(mean("% goals reached", 1, reached));
    }
    columns.extend([
        column("% executable", |of: &Row<'_>| Cell::percent(of.share(|line| line.executable), 2)),
        column("95 %", |of: &Row<'_>| Cell::percents(of.interval(|line| line.executable), 2)),
        printed("executable"),
        mean("% GS 2022", 2, |line| line.similarity_of_all),
        printed("similarity"),
        mean("% GS 2024", 2, |line| line.similarity_of_used),
        column("errors", |of: &Row<'_>| Cell::of(of.condition(FAILED))),
    ]);
    columns
}

/// The columns of Table 2: likeness to the programs of people, length, corrections.
fn likeness<'a>(several: bool) -> Vec<Column<'a, Row<'a>>> {
    let lcs = |line: &RepromptResult| Some(100.0 * line.lcs);
    let steps = |line: &RepromptResult| Some(line.plan.len() as f64);
    // Open-loop planning corrects nothing.
    let goes_on = |line: &RepromptResult| METHODS.iter().any(|c| c.name() == line.condition && c.goes_on());
    let corrections = move |line: &RepromptResult| (!goes_on(line)).then(|| f64::from(line.corrections));
    let mut columns = named(several);
    columns.extend([
        mean("LCS", 2, lcs),
        column("95 %", move |of: &Row<'_>| Cell::Interval(of.interval_of_mean(lcs), 2)),
        column("sd", move |of: &Row<'_>| Cell::Figure(of.deviation(lcs), 2)),
        printed("LCS"),
        mean("steps", 2, steps),
        column("sd", move |of: &Row<'_>| Cell::Figure(of.deviation(steps), 2)),
        printed("steps"),
        mean("corrections", 2, corrections),
        column("95 %", move |of: &Row<'_>| Cell::Interval(of.interval_of_mean(corrections), 2)),
        printed("corrections"),
        mean("asks", 1, |line| Some(line.asks.into())),
        mean("seconds", 2, |line| Some(line.seconds)),
    ]);
    columns
}

fn tables(mut methods: Vec<Row<'_>>, lines: &[RepromptResult], report: &mut Report) {
    // What failed was tried all the same.
    let tried = || lines.iter().filter(|line| METHODS.iter().any(|method| method.name() == line.condition));
    let every = |word: fn(&RepromptResult) -> &str| distinct(tried().map(word));
    let of_rows: Vec<String> = methods.iter().map(|of| of.condition(NAMED)).collect();
    let (titles, models) = (every(|line| &line.title), distinct(of_rows.iter().map(String::as_str)));
    let (model, embedders) = (models.join(", "), every(|line| &line.embedder).join(", "));
    let builtin = if models.contains(&stepwright_method::SYMBOLIC) {
        " With `symbolic` no language model took part: the nearest example fitted to the task was the plan, and the world's own rules \
         said the corrections."
    } else {
        ""
    };
    let made = methods.iter().map(|of| of.lines.len()).sum::<usize>();
    let plans = match methods.iter().map(failed).sum::<usize>() {
        0 => count(made, "plan"),
        failed => format!("{made} of {}", count(made + failed, "plan")),
    };
    let basis = format!(
        "\n{plans} of {}, model: {model}. Sentence vectors: {embedders}.{builtin} A plan is executable if its program can be carried out in a \
         household prepared for it; a step that was refused and never mended counts. `GS`: states at the end alike those after a program of \
         people, over all annotated classes (2022) or those either program names (2024). `LCS`: longest common subsequence with the nearest \
         program of people, percent. `95 %` is over tasks, whatever their scenes, `sd` over seeds. Whether plans are correct people say: \
         `stepwright rate RESULTS`. `paper` is filled where condition, \
         tasks, scenes and model are the paper's.\n",
        count(titles.len(), "task"),
    );
    for of in &mut methods {
        // The publication's are of every task in every scene.
        let plans = distinct(of.lines.iter().map(|line| line.task.as_str())).len();
        of.conditions.push(("plans", plans.to_string()));
    }
    let several = models.len() > 1;
    let title = "Table 1, executability and similarity of the households at the end";
    report.table(Table::of(title, &executability(lines, several), &methods));
    report.text("\n");
    let title = "Table 2, likeness to the programs of people, length, corrections";
    report.table(Table::of(title, &likeness(several), &methods));
    report.text(basis);
}

fn paper(report: &mut Report) {
    report.text(format!(
        "\nAs printed in \"{}\" (Tables 1 and 2: davinci-instruct, 88 tasks in 7 scenes)\n",
        REPROMPT.source
    ));
    let measures = [
        ("executable", "% executable"),
        ("correct", "% correct"),
        ("correct and executable", "% correct-EP"),
        ("similarity", "% GS"),
        ("LCS", "LCS"),
        ("kappa", "kappa"),
        ("steps", "steps"),
        ("corrections", "corrections"),
    ];
    let table = REPROMPT.table(|_| true, &[("condition", "condition")], &measures);
    report.table(table.titled("paper, Tables 1 and 2"));
}

/// Executable plans against their likeness to people's programs.
fn points(methods: &[Row<'_>], report: &mut Report) {
    let point = |of: &Row<'_>| PointOf {
        name: of.condition("condition"),
        x: of.share(|line| line.executable).unwrap_or_default(),
        y: of.mean(|line| Some(line.lcs)).unwrap_or_default(),
    };
    report.text("\nLikeness to people's programs stands for correctness, which people judge (stepwright rate RESULTS --figures).\n");
    report.points(Scatter {
        across: "executable".to_owned(),
        up: "LCS".to_owned(),
        points: methods.iter().map(point).collect(),
    });
}

/// The measures of people's programs with something taken from them.
fn damaged(written: &[Row<'_>], report: &mut Report) {
    let columns = [
        words("program", |of: &Row<'_>| of.condition("condition")),
        column("programs", |of: &Row<'_>| Cell::of(of.lines.len())),
        column("% executable", |of: &Row<'_>| Cell::percent(of.share(|line| line.executable), 2)),
        mean("LCS", 2, |line| Some(100.0 * line.lcs)),
        mean("% GS 2022", 2, |line| line.similarity_of_all),
        mean("% GS 2024", 2, |line| line.similarity_of_used),
    ];
    report.text("\nWhat the measures tell apart: programs of people held against themselves, whole and damaged\n");
    report.table(Table::of("Programs of people, damaged", &columns, written));
    let similar = |of: &Row<'_>| [of.mean(|line| line.similarity_of_all), of.mean(|line| line.similarity_of_used)];
    let mut rows = Vec::new();
    for of in written {
        for (year, percent) in ["2022", "2024"].into_iter().zip(similar(of)) {
            let name = format!("{}: {year}", of.condition("condition"));
            let share = percent.map(|percent| ShareOf { name, share: percent / 100.0, interval: None, paper: None });
            rows.extend(share);
        }
    }
    report.chart(Chart::Shares(Shares { measure: "similarity of damaged programs".to_owned(), rows }));
    let other = written.iter().find(|of| of.condition("condition") == Perturbation::Other.name());
    if let Some([Some(old), Some(new)]) = other.map(similar) {
        report.text(format!(
            "The similarity of 2022 saturates: the program of another task still has {old:.2} %, as a household has many classes that no \
             program touches; that of 2024 has {new:.2} %.\n"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Under;

    fn line(condition: &str, executable: bool, errors: &[u8]) -> RepromptResult {
        RepromptResult {
            condition: condition.to_owned(),
            title: "Make toast".to_owned(),
            model: "symbolic".to_owned(),
            plan: vec!["Walk to kitchen".to_owned(); 4],
            executable,
            failed: (!executable).then_some(3),
            errors: errors.to_vec(),
            corrections: errors.len() as u32,
            lcs: 0.25,
            similarity_of_all: Some(99.5),
            similarity_of_used: Some(40.0),
            under: under(100),
            ..RepromptResult::default()
        }
    }

    fn under(most: u64) -> Under {
        Under { experiment: serde_json::json!({ "max_steps": most }).into(), ..Under::default() }
    }

    #[test]
    fn tables_figures_and_damage_are_read_from_lines() {
        let lines = [
            line("cause", true, &[9, 9, 5]),
            line("cause", false, &[]),
            line("open-loop", true, &[]),
            line(Perturbation::Other.name(), true, &[]),
            RepromptResult { error: Some("cut".to_owned()), ..line("cause", true, &[1]) },
        ];
        let report = report(&lines);
        // What went wrong is no plan; an error that a plan ends with counts; the paper's rows stand below.
        insta::assert_snapshot!(report.to_string());
        let svg = Report::svg(&[report]);
        assert!(svg.contains("LCS") && svg.contains("share of errors") && svg.contains("similarity of damaged"));
    }

    #[test]
    fn what_all_failed_keeps_its_row_and_says_why() {
        let failed = |task: &str| RepromptResult {
            task: task.to_owned(),
            plan: Vec::new(),
            error: Some("no server".to_owned()),
            ..line("cause", false, &[])
        };
        let (one, other) = (failed("flat/a"), failed("flat/b"));
        for lines in [vec![line("open-loop", true, &[]), one.clone(), other.clone()], vec![one, other]] {
            let text = report(&lines).to_string();
            let row = text.lines().find(|line| line.starts_with("cause ")).unwrap();
            let cells: Vec<&str> = row.split_whitespace().collect();
            assert_eq!((cells[1..5].join(" "), cells.last()), ("0 of 2 -".to_owned(), Some(&"2")), "{text}");
            assert!(text.contains("cause, flat/a and 1 more: no server\n"), "{text}");
            assert!(!text.contains("  b cause"), "{text}");
            let tried =
                if lines.len() == 2 { "0 of 2 plans of 1 task, model: symbolic" } else { "1 of 3 plans of 1 task" };
            assert!(text.contains(&format!("\n{tried}")), "{text}");
        }
    }

    #[test]
    fn of_a_task_without_a_plan_it_is_said() {
        let of = |condition: &str, title: &str, executable| RepromptResult {
            title: title.to_owned(),
            task: format!("flat/{title}"),
            ..line(condition, executable, &[])
        };
        let cut = RepromptResult { error: Some("cut".to_owned()), ..of("cause", "a", true) };
        let lines = [of("notion", "a", false), of("open-loop", "a", true), cut, of("cause", "b", true)];
        let text = report(&lines).to_string();
        let (_, below) = text.split_once("Tasks of which a plan cannot be carried out").unwrap();
        let row = below.lines().find(|line| line.starts_with("a ")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["a", "-", "3", "no", "plan"], "{text}");
    }

    #[test]
    fn another_models_plans_are_no_publications_and_each_counts() {
        let of = |task: usize, scene: usize, model: &str, experiment: &serde_json::Value| RepromptResult {
            title: format!("task {task}"),
            task: format!("scene{scene}/{task}"),
            model: model.to_owned(),
            under: Under { experiment: experiment.clone().into(), ..Under::default() },
            ..line("cause", true, &[])
        };
        let row = |model: &str, experiment: serde_json::Value| {
            let all = (0..88).flat_map(|task| (0..7).map(move |scene| (task, scene)));
            let lines: Vec<_> = all.map(|(task, scene)| of(task, scene, model, &experiment)).collect();
            let text = report(&lines).to_string();
            let row = text.lines().find(|line| line.starts_with("cause ")).unwrap();
            row.split_whitespace().nth(4).map(str::to_owned)
        };
        let own = serde_json::json!({ "max_steps": 100, "model": { "name": "gpt", "id": "davinci-instruct" } });
        assert_eq!(row("gpt", own.clone()).as_deref(), Some("98.86"), "whatever it is called");
        assert_eq!(row("gpt (proposer rep)", own).as_deref(), Some("-"));
        let roles = serde_json::json!({ "max_steps": 100, "roles": { "proposer": { "name": "rep" } } });
        assert_eq!(row("davinci-instruct", roles).as_deref(), Some("-"));
        let again = |seed| RepromptResult { seed, ..line("cause", true, &[]) };
        let plans = |model: &str| {
            let lines = [0, 1].map(|seed| RepromptResult { model: model.to_owned(), ..again(seed) });
            let text = report(&lines).to_string();
            let row = text.lines().find(|line| line.starts_with("cause ")).unwrap();
            row.split_whitespace().nth(1).map(str::to_owned)
        };
        assert_eq!([plans("symbolic"), plans("symbolic (proposer rep)")], [Some("1".to_owned()), Some("2".to_owned())]);
    }

    #[test]
    fn intervals_are_over_tasks_and_the_papers_figures_beside_as_many_of_its_model_alone() {
        let row = |tasks: usize, scenes: usize, model: &str| {
            let all = (0..tasks).flat_map(|task| (0..scenes).map(move |scene| (task, scene)));
            let of = |(task, scene)| RepromptResult {
                title: format!("task {task}"),
                task: format!("scene{scene}/{task}"),
                model: model.to_owned(),
                ..line("cause", task > 0, &[])
            };
            let lines: Vec<RepromptResult> = all.map(of).collect();
            let text = report(&lines).to_string();
            let row = text.lines().find(|line| line.starts_with("cause")).unwrap();
            row.split_whitespace().skip(2).take(3).map(str::to_owned).collect::<Vec<_>>()
        };
        // Scenes are no further tasks.
        let four = row(4, 1, "symbolic");
        assert_eq!((four[0].as_str(), &four), ("75.00", &row(4, 7, "symbolic")));
        let printed = |tasks, scenes, model| row(tasks, scenes, model)[2].clone();
        assert_eq!(printed(88, 7, "davinci-instruct"), "98.86");
        let others =
            [printed(87, 7, "davinci-instruct"), printed(88, 1, "davinci-instruct"), printed(88, 7, "symbolic")];
        assert_eq!(others, ["-", "-", "-"]);
    }

    #[test]
    fn each_row_stands_beside_the_papers_by_what_it_is_of_itself() {
        let of = |condition: &'static str, model: &'static str, tasks: usize| {
            (0..tasks * 7).map(move |n| RepromptResult {
                title: format!("task {}", n / 7),
                task: format!("scene{}/{}", n % 7, n / 7),
                model: model.to_owned(),
                ..line(condition, true, &[])
            })
        };
        let short = of("notion", "davinci-instruct", 88).map(|line| RepromptResult { under: under(20), ..line });
        let short = report(&short.collect::<Vec<_>>()).to_string();
        assert!(
            !short.lines().any(|line| line.starts_with("notion       616") && line.contains("96.27")),
            "another limit: {short}"
        );
        let whole = of("notion", "davinci-instruct", 88);
        let lines: Vec<_> = whole.chain(of("cause", "davinci-instruct", 2)).chain(of("notion", "other", 88)).collect();
        let text = report(&lines).to_string();
        let rows: Vec<&str> =
            text.lines().filter(|line| line.starts_with("notion") || line.starts_with("cause ")).collect();
        let of = |condition: &str, model: &str| {
            rows.iter().find(|row| row.starts_with(condition) && row.contains(model)).unwrap()
        };
        assert!(of("notion", "davinci-instruct").contains("96.27"), "{text}");
        assert!(
            !of("notion", "other").contains("96.27") && !of("cause", "davinci-instruct").contains("98.86"),
            "{text}"
        );
    }
}
