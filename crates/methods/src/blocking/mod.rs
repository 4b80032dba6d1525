//! Sequential selection by blocking conditions and resolutions: the candidates are the leaves of the blocking tree, one is selected.
//!
//! The paper "Sequential Discrete Action Selection via Blocking Conditions and Resolutions". A selected leaf that is blocked is not
//! executed: the tree grows what may resolve it. The tree itself, which goes with every method, is [`stepwright_method::blocking`]'s; `prompt`
//! holds the selection prompt and reads what a model writes.

mod prompt;

use super::o3d::{self, O3d};
use serde_json::Value;
use stepwright_episode::gate::{AskSpec, Draft};
use stepwright_episode::{
    Action, Ask, AskKind, Choice, Decision, Generation, Origin, Proposal, Role, Shape, Status, Verdict,
};
use stepwright_method::blocking::{LiveTree, blocks, follow, gone, shown, skills};
use stepwright_method::next_action::scoring;
use stepwright_method::options::{BELIEF, LIKELIHOOD, TEMPERATURE};
use stepwright_method::publications::{Interface, SETTINGS};
use stepwright_method::skills::TIPS;
use stepwright_method::{
    Answer, Checks, Context, Deed, DerivedState, Method, MethodInfo, Needs, Reading, Step, Stop, VetoedAction,
    WorkInput,
};
use stepwright_world::blocking::{BlockingSource, BlockingTree, Growth, selector::RankedLeaf};

/// Tokens of an answer: the paper's.
const ANSWER: u32 = 1000;

/// The purpose of its asks.
const SELECT: &str = "act";

/// Temperature of answers where none is set: the authors' program's.
const WARM: f64 = 1.0;

stepwright_world::option_specs! {
    SELECTION: "selection", "Selections", "how a language model selects among candidates", [
        "written" = "the model writes its choice", "scored" = "all candidates are scored"
    ] or "written" asking "scored";
    CONVERSATION: "conversation", "Conversation", "whether the prompts of selections are one conversation", [
        "fresh" = "each prompt starts fresh", "running" = "prompts continue those before"
    ] or "fresh";
    /// How the prompt of a chat model is laid out: the paper's text and the authors' program differ.
    MESSAGES: "messages", "Messages", "how the parts of a selection's prompt are sent", [
        "one" = "the paper's eight parts in one", "each" = "one a sentence, failure last: the program's"
    ] or "one";
    /// What becomes of an answer that names no candidate: the paper has it asked for again, the authors' program carries it out.
    UNLISTED: "unlisted", "Off the list", "what becomes of an answer that names no candidate", [
        "again" = "asked for again, with a note", "taken" = "carried out as it is: the program's"
    ] or "again";
    /// What becomes of an action that was taken again and again: a guard of this program's own, not the authors'.
    CIRCLES: "circles", "Circles", "whether an action that goes round in a circle can be selected once more", [
        "minded" = "no; it is said, and another is asked for", "free" = "yes, like any other: as published"
    ] or "minded";
    ANSWERS: "answers", "Answers", "answers a model may give for one selection", (whole 1 to 20) or "5";
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Blocking;

impl Blocking {
    /// The recommendation among this round's offers, with its reason; `None` while an answer is still wanted.
    fn recommended(cx: &Context<'_>) -> Option<Step> {
        let round = cx.round()?;
        let proposals: Vec<&Proposal> = round.proposals().collect();
        let first = proposals.iter().find(|p| p.action.is_some() && p.problem.is_none());
        let recommend = |why: &str| Some(Step::Recommend { proposal: first.map(|p| p.id), why: why.to_owned() });
        if round.has_asked(&AskKind::RANKED) {
            return recommend(if proposals.len() == 1 { "the only candidate" } else { "the selector's first choice" });
        }
        if round.has_asked(&AskKind::SCORED) {
            return recommend("the likeliest candidate");
        }
        let asked = u32::try_from(round.asked(&AskKind::SELECTED)).unwrap_or(u32::MAX);
        match first {
            Some(_) => recommend("the model selected it"),
            None if asked < cx.options().count(&ANSWERS) => None,
            None => recommend(&format!("none of {asked} answers selects a candidate")),
        }
    }
}

impl Method for Blocking {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "blocking",
            label: "Blocking conditions and resolutions",
            description: "Selects among the leaves of the blocking tree; what is blocked grows the actions that may resolve \
                          it. For worlds with a blocking domain; without a language model the built-in selector ranks.",
            options: &[
                SETTINGS, SELECTION, CONVERSATION, MESSAGES, UNLISTED, CIRCLES, LIKELIHOOD, ANSWERS, TEMPERATURE,
                BELIEF, TIPS,
            ],
            needs: Needs { local: true, ..Needs::NONE },
            roles: &[Role::Selector],
            ..MethodInfo::BARE
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        if cx.node().is_none() {
            return Step::Stuck("the episode has not begun".into());
        }
        if is_under_way(cx) {
            return O3d.step(cx);
        }
        let cx = &cx.of(Role::Selector);
        let Some(tree) = LiveTree::at(cx) else { return Step::Stuck(why_no_tree(cx)) };
        let (growth, leaves) = (tree.growth(), skills::candidates(cx, tree));
        let empty = || leaves.is_empty().then(|| "no candidate is left in the blocking tree".to_owned());
        // A skill may help where no leaf does.
        let helpless = growth.helpless().filter(|_| leaves.len() == tree.leaves().len());
        if let Some(why) = helpless.or_else(|| leaves.is_empty().then(|| growth.spent())?).or_else(empty) {
            return Step::Stuck(format!("{why}; type an action, or go back"));
        }
        if let Some(step) = cx.samples.is_none().then(|| Self::recommended(cx)).flatten() {
            return step;
        }
        let n = u32::try_from(leaves.len()).unwrap_or(u32::MAX);
        if !cx.model.language {
            let further = cx.samples.is_some();
            let kind = if further { AskKind::FURTHER } else { AskKind::RANKED };
            let ask = cx.own(kind, &cx.model.name, n, Value::Null);
            let note =
                further.then(|| "every candidate is offered already; type an action to leave the tree".to_owned());
            let drafts = if further { Vec::new() } else { ranked(cx, tree) };
            return Step::Offer { ask, drafts, note };
        }
        if leaves.len() == 1 && cx.samples.is_none() {
            // There is nothing to ask.
            let ask = cx.own(AskKind::RANKED, stepwright_method::SYMBOLIC, n, Value::Null);
            let unasked = |draft: Draft| {
                let why = draft.rationale.map_or_else(String::new, |why| format!("; {why}"));
                Draft { rationale: Some(format!("the only candidate: nobody was asked{why}")), ..draft }
            };
            return Step::Offer { ask, drafts: ranked(cx, tree).into_iter().map(unasked).collect(), note: None };
        }
        let by_score = cx.samples.is_none() && cx.options().is(&SELECTION, "scored");
        let note = prompt::circling(cx, &leaves)
            .map(|text| format!("the last selections go round in a circle: `{text}` is not taken once more"));
        let asked = match by_score {
            true => prompt::selection(cx, tree, &leaves, true).map(|prompt| cx.ask(AskKind::SCORED, prompt, n, 0.0)),
            false => selection(cx, &leaves),
        };
        asked.map_or_else(Step::Error, |ask| Step::Ask { ask, note })
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        if is_under_way(cx) {
            return O3d.read(cx, ask, answer);
        }
        let leaves = LiveTree::at(cx).map(|tree| skills::candidates(cx, tree)).unwrap_or_default();
        if ask.kind == AskKind::SCORED {
            return scoring::ranked(
                prompt::candidates(cx, &leaves),
                &answer.completions,
                cx.options().is(&LIKELIHOOD, "sum"),
            );
        }
        Reading::drafts(answer.completions.iter().map(|c| prompt::read(cx, &leaves, c)).collect())
    }

    /// A chat answer may reason first, and is read whole; a raw completion ends with its selection.
    fn shape(&self, cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        if is_under_way(cx) {
            return O3d.shape(cx, kind, raw);
        }
        if *kind == AskKind::SCORED {
            let leaves = LiveTree::at(cx).map(|tree| skills::candidates(cx, tree)).unwrap_or_default();
            return Shape::Score { continuations: scoring::continuations(&prompt::candidates(cx, &leaves)) };
        }
        let stop = if raw { vec!["\n\n".to_owned()] } else { Vec::new() };
        Shape::Generate(cx.generation(SELECT, Generation { max_tokens: ANSWER, stop, ..Generation::default() }))
    }

    /// The next primitive of a skill that is being carried out.
    fn compute(&self, known: &WorkInput, work: &Value, stop: &Stop) -> Result<Answer, String> {
        O3d.compute(known, work, stop)
    }

    /// The conditions that block an action of the tree. Where it is blocked nothing else is checked, since nothing
    /// would be executed.
    fn check(&self, cx: &Context<'_>, action: &Action, offered: bool) -> Checks {
        if is_under_way(cx) || skills::is_line(cx, &action.text) {
            return O3d.check(cx, action, offered);
        }
        let tree = LiveTree::at(cx).filter(|t| offered && t.growth().forest().leaf(&action.text).is_some());
        let Some(tree) = tree else { return Checks::default() };
        let grows = |made: Option<String>| {
            let made = made.unwrap_or_else(|| "what blocks it false".to_owned());
            format!("choosing it executes nothing; it adds to the tree what may make {made}")
        };
        let check = blocks(tree, &action.text, grows);
        match check.status {
            Status::Holds => Checks::Beside(vec![check]),
            _ => Checks::Instead(Verdict { checks: vec![check], ..Verdict::default() }),
        }
    }

    /// Executes an action that a person typed or edited, whatever the tree says.
    fn carry_out(&self, cx: &Context<'_>, decision: &Decision, action: &Action) -> Deed {
        if is_under_way(cx) || skills::is_line(cx, &action.text) {
            return O3d.carry_out(cx, decision, action);
        }
        let held = || LiveTree::held_by(cx, decision, action);
        selects(decision).then(held).flatten().map_or(Deed::Act, Deed::Hold)
    }

    fn ended(&self, cx: &Context<'_>, decision: &Decision) -> Option<String> {
        LiveTree::at(cx).filter(|_| selects(decision))?.growth().spent()
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        follow(cx)
    }

    fn goals(&self, cx: &Context<'_>, _vetoed: Option<&VetoedAction>) -> Option<BlockingTree> {
        shown(cx)
    }
}

/// The ask for a selection among these candidates, wherever they are from.
/// Errors: there is no tree at the cursor, or a template cannot be filled in.
pub fn selection(cx: &Context<'_>, candidates: &[String]) -> Result<AskSpec, String> {
    let tree = LiveTree::at(cx).ok_or_else(|| why_no_tree(cx))?;
    let prompt = prompt::selection(cx, tree, candidates, false)?;
    Ok(cx.ask(AskKind::SELECTED, prompt, cx.samples.unwrap_or(1), cx.temperature(SELECT, Some(WARM))))
}

/// Whether a call of an adopted skill is being carried out.
fn is_under_way(cx: &Context<'_>) -> bool {
    o3d::is_called(cx) && skills::adopted(cx).is_some()
}

/// Whether a decision takes a leaf as it was offered.
fn selects(decision: &Decision) -> bool {
    matches!(decision.choice, Choice::Approve { .. })
}

/// The leaves as the built-in selector ranks them.
fn ranked(cx: &Context<'_>, tree: &LiveTree) -> Vec<Draft> {
    // The selector's value has no unit that a person could read; the order and the reason are given.
    let draft = |leaf: RankedLeaf| Draft {
        action: Some(cx.action(&leaf.text)),
        rationale: Some(rationale(tree.growth(), &leaf)),
        ..Draft::new(leaf.text.clone(), Origin::Symbolic)
    };
    let leaves = tree.growth().rank(tree.facts(), cx.session.header.seed).into_iter().map(draft);
    leaves.chain(skills::drafts(cx, tree)).collect()
}

/// Why a leaf has its rank, and how it leads to a goal.
fn rationale(growth: &Growth, leaf: &RankedLeaf) -> String {
    let way = growth.forest().reason(growth.domain(), &leaf.text).unwrap_or_default();
    if way.is_empty() { leaf.why.clone() } else { format!("{}; {way}", leaf.why) }
}

fn why_no_tree(cx: &Context<'_>) -> String {
    let world = cx.world.name();
    match &cx.knowledge.blocking {
        BlockingSource::Gone(why) => gone(why),
        BlockingSource::Domain(_) => format!(
            "the world {world} reports nothing that a blocking domain could be queried on; choose another method, or \
             `--domain derived`"
        ),
        BlockingSource::Assertions => format!(
            "the world {world} has no blocking domain, and none is derived for a world in another process; choose another \
             method"
        ),
    }
}
