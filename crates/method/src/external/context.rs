//! Context that a method in another process is sent: the way here with who decided what, what is offered now, what can be done.
//!
//! The types are the protocol's second version; the first had the actions of steps and proposals in other places.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::context::{Context, ModelTraits};
use stepwright_episode::{
    Actor, AskId, AskKind, AskState, Choice, Chosen, DecisionId, Mark, Node, NodeId, Origin, Proposal, ProposalId,
    Turn, Verdict,
};
use stepwright_world::Request;

/// The situation at the cursor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Context")]
pub struct Sent {
    /// The episode that this is of, a text that no other episode has.
    episode: String,
    /// The node of the session's tree that the next action starts from; 0 is the reset.
    node: NodeId,
    /// Of the steps that this process was sent before, how many of those below are still the same, where the session went back or to
    /// another branch since; null where the episode just went on, at the first request and in another episode.
    rewound: Option<Rewound>,
    world: String,
    task: String,
    /// The goal as stated to the agent.
    sentence: String,
    seed: u64,
    /// Where a person asks for more actions, how many.
    samples: Option<u32>,
    /// The way here, the reset first.
    steps: Vec<SentStep>,
    /// All decisions on the way here, in order, those at this node included.
    decisions: Vec<SentDecision>,
    /// Asks of this round, own work included. A rejection begins a round, as does each step.
    asks: Vec<SentAsk>,
    /// Proposals of this round, rejected ones left out.
    proposals: Vec<SentProposal>,
    /// The actions that are possible now, where the world lists them.
    admissible: Option<Vec<String>>,
    /// The variables of the program so far.
    variables: Value,
    /// What the agent can know, as literals, where the world speaks in such.
    facts: Option<Vec<String>>,
    /// The goal literals not met yet.
    goals: Option<Vec<String>>,
    /// What a person asks for now, in worlds whose episodes are sequences of requests.
    request: Option<Request>,
    belief: Option<Arc<Value>>,
    /// The documents at this node by their names: `plan`, `belief`, those of your own.
    artifacts: BTreeMap<String, Arc<Value>>,
    model: ModelTraits,
    /// Whether prompts are one text that the model continues.
    raw: bool,
    /// The options in force, your own under the keys that you gave them.
    options: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Rewound {
    /// So many of `steps`, from the first, are as you know them.
    keep: usize,
    /// So many of the steps that you know were taken back.
    dropped: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Step")]
struct SentStep {
    node: NodeId,
    /// The action's text; null for the reset.
    action: Option<String>,
    /// The action as a program call, where it has one.
    call: Option<String>,
    observation: String,
    /// The step as calls of the specification, the action's first.
    calls: Vec<String>,
    /// Why the world refused it.
    error: Option<String>,
    /// Why it was not executed: a condition blocked it.
    blocked: Option<String>,
    reward: f64,
    done: bool,
    won: bool,
    /// Who decided it; null for the reset.
    by: Option<Actor>,
    /// How: `approve`, `edit`, `manual`.
    choice: Option<Chosen>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Decision")]
struct SentDecision {
    id: DecisionId,
    /// The node it was made at.
    node: NodeId,
    choice: Chosen,
    by: Actor,
    proposal: ProposalId,
    /// The action that was taken or rejected.
    action: Option<String>,
    /// The action as it was before a person edited it.
    from: Option<String>,
    /// The person's words with a rejection; may be empty.
    reason: String,
    /// The policy's rule, or a person's note.
    why: String,
    /// The node that it led to, also one that was left since.
    led_to: Option<NodeId>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AskMade")]
struct SentAsk {
    id: AskId,
    kind: AskKind,
    n: u32,
    /// Null until it is answered, and where it failed.
    texts: Option<Arc<Vec<String>>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Proposal")]
struct SentProposal {
    id: ProposalId,
    /// The action's text; null where what was written is none.
    action: Option<String>,
    call: Option<String>,
    /// As it was written.
    raw: String,
    /// Why it is no action.
    problem: Option<String>,
    origin: Origin,
    score: Option<f64>,
    logprob: Option<f64>,
    rationale: Option<String>,
    ask: Option<AskId>,
    /// The checks in a word: `holds`, `fails`, `unknown`, `blocked`, `not_checked`.
    mark: Mark,
    verdict: Option<Verdict>,
}

impl Sent {
    /// The situation of a context; whether it was gone back since is known where it is sent.
    fn of(cx: &Context<'_>) -> Self {
        let (node, path, header) = (cx.node(), cx.path(), &cx.session.header);
        let turn = node.map(|node| &node.turn);
        let asks = turn.into_iter().flat_map(|turn| &turn.asks).filter(|ask| ask.id >= cx.round);
        let proposals = cx.round().into_iter().flat_map(|round| round.proposals().collect::<Vec<_>>());
        let documents = node.into_iter().flat_map(|node| node.documents.iter());
        let children =
            |node: &Node| node.children.iter().filter_map(|child| cx.session.node(*child)).collect::<Vec<_>>();
        Sent {
            episode: format!("{} {} {}", header.task, header.seed, header.created),
            node: cx.session.cursor(),
            rewound: None,
            world: cx.world.name().to_owned(),
            task: header.task.clone(),
            sentence: header.sentence.clone(),
            seed: header.seed,
            samples: cx.samples,
            steps: path.iter().map(|node| SentStep::of(cx, node)).collect(),
            decisions: path.iter().flat_map(|node| SentDecision::all(node, &children(node))).collect(),
            asks: asks.map(SentAsk::of).collect(),
            proposals: proposals.filter_map(|proposal| Some(SentProposal::of(proposal, turn?))).collect(),
            admissible: cx.world.admissible(),
            variables: cx.state.variables(),
            facts: cx.world.facts().map(|facts| facts.atoms.iter().map(ToString::to_string).collect()),
            goals: cx.world.goals().map(|goals| goals.iter().map(ToString::to_string).collect()),
            request: cx.world.request(),
            belief: cx.session.belief().cloned(),
            artifacts: documents.map(|(id, document)| (id.to_string(), Arc::clone(document))).collect(),
            model: cx.model.clone(),
            raw: cx.prompting.raw,
            options: cx.session.options.clone(),
        }
    }
}

impl SentStep {
    fn of(cx: &Context<'_>, node: &Node) -> Self {
        let (outcome, decision) = (&node.outcome, cx.session.decision_at(node.id));
        SentStep {
            node: node.id,
            action: node.action.as_ref().map(|action| action.text.clone()),
            call: node.action.as_ref().and_then(|action| action.call.clone()),
            observation: outcome.observation.clone(),
            calls: outcome.calls.clone(),
            error: outcome.error.clone(),
            blocked: outcome.blocked.clone(),
            reward: outcome.reward,
            done: outcome.done,
            won: outcome.won,
            by: decision.map(|decision| decision.by),
            choice: decision.map(|decision| Chosen::from(&decision.choice)),
        }
    }
}

impl SentDecision {
    fn all(node: &Node, children: &[&Node]) -> Vec<Self> {
        let text = |id| node.turn.proposal(id).map(|p| p.action.as_ref().map_or(&p.raw, |action| &action.text).clone());
        let decision = |decision: &Arc<stepwright_episode::Decision>| {
            let (from, reason) = match &decision.choice {
                Choice::Edit { from, .. } => (text(*from), String::new()),
                Choice::Reject { reason, .. } => (None, reason.clone()),
                Choice::Approve { .. } | Choice::Manual { .. } => (None, String::new()),
            };
            SentDecision {
                id: decision.id,
                node: node.id,
                choice: Chosen::from(&decision.choice),
                by: decision.by,
                proposal: decision.proposal(),
                action: text(decision.proposal()),
                from,
                reason,
                why: decision.why.clone(),
                led_to: children.iter().find(|child| child.decision == Some(decision.id)).map(|child| child.id),
            }
        };
        node.turn.decisions.iter().map(decision).collect()
    }
}

impl SentAsk {
    fn of(ask: &stepwright_episode::Ask) -> Self {
        let texts = match &ask.state {
            AskState::Answered { texts, .. } => Some(Arc::clone(texts)),
            _ => None,
        };
        SentAsk { id: ask.id, kind: ask.kind.clone(), n: ask.n, texts }
    }
}

impl SentProposal {
    fn of(proposal: &Proposal, turn: &Turn) -> Self {
        let Proposal { id, raw, line: _, action, problem, origin, score, logprob, rationale, ask } = proposal.clone();
        let (text, call) = action.map(|action| (action.text, action.call)).unzip();
        let (mark, verdict) = (turn.mark(proposal), turn.newest(id).cloned());
        let call = call.flatten();
        SentProposal { id, action: text, call, raw, problem, origin, score, logprob, rationale, ask, mark, verdict }
    }
}

/// A context as a version of the protocol has it.
pub(super) fn context(cx: &Context<'_>, protocol: u32) -> Value {
    let mut sent = json!(Sent::of(cx));
    if protocol > 1 {
        return sent;
    }
    let turn = cx.node().map(|node| &node.turn);
    for step in sent["steps"].as_array_mut().into_iter().flatten() {
        let node = step["node"].as_u64().and_then(|node| cx.session.node(node));
        step["action"] = json!(node.and_then(|node| node.action.as_ref()));
    }
    for offered in sent["proposals"].as_array_mut().into_iter().flatten() {
        let proposal = offered["id"].as_u64().zip(turn).and_then(|(id, turn)| turn.proposal(id));
        *offered = json!({ "proposal": proposal, "verdict": offered["verdict"] });
    }
    if let Value::Object(fields) = &mut sent {
        ["episode", "node", "rewound", "decisions"].iter().for_each(|newer| drop(fields.shift_remove(*newer)));
    }
    sent
}

/// Where a process is in an episode: what it was sent last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Place {
    episode: String,
    nodes: Vec<u64>,
}

impl Place {
    /// The place of a context.
    pub(super) fn of(context: &Value) -> Self {
        let nodes = context["steps"].as_array().into_iter().flatten().filter_map(|step| step["node"].as_u64());
        Place { episode: context["episode"].as_str().unwrap_or_default().to_owned(), nodes: nodes.collect() }
    }

    /// What became of the steps that a process knows, on its way to another place.
    pub(super) fn rewound(&self, to: &Place) -> Value {
        let keep = self.nodes.iter().zip(&to.nodes).take_while(|(a, b)| a == b).count();
        let dropped = self.nodes.len() - keep;
        let gone = self.episode == to.episode && dropped > 0;
        json!(gone.then_some(Rewound { keep, dropped }))
    }
}
