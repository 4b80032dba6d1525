//! Session: a pure fold over its records, and the undo tree inside it.
//!
//! `apply` is the only way to change a session; it refuses records that do not fit (a file may be hostile) and then leaves the
//! session as it was. Knows no clock, no file, no world.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use stepwright_wire::{Api, Usage};

use super::artifact::{ArtifactId, Assertions, Change, Documents, Due, InForce, Offer, OfferId};
use super::ask::{Ask, AskKind, AskState};
use super::branch::Branch;
use super::breakpoint::Breakpoint;
use super::decision::{Actor, Choice, Decision, DecisionId, Policy};
use super::event::{AskId, Event, NodeId, Record, Side, StepOutcome, TreeEdit};
use super::header::Header;
use super::history::Changes;
use super::in_use::InUse;
use super::index::{Index, place};
use super::numbered::Numbered;
use super::packed::Packed;
use super::proposal::{Action, Mark, Proposal, ProposalId, Verdict};

/// Everything that happened at a node before its next decision.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// Asks made here, in order.
    pub asks: Vec<Ask>,
    /// Proposals made here, in order of arrival.
    pub proposals: Vec<Arc<Proposal>>,
    /// The newest verdict of each, by its number: what a decision made now would be made with.
    pub verdicts: Numbered<Arc<Verdict>>,
    /// The verdict that each decision was made with, by the decision's number; later checks do not change it.
    pub kept: Numbered<Arc<Verdict>>,
    /// The method's recommendation, and its reason.
    pub recommended: Option<(Option<ProposalId>, String)>,
    /// The sides of the duel made here last.
    pub duel: Option<Arc<[Side]>>,
    /// Of each proposal that was rejected, the number that the next one after that has or would have.
    pub rejected_before: Numbered<ProposalId>,
    /// Decisions taken here, rejections included.
    pub decisions: Vec<Arc<Decision>>,
    /// Remarks and failures, in order.
    pub notes: Vec<String>,
    /// The changes of the method, the model and options made here, each in words.
    pub configured: Vec<String>,
    /// Why the policy was set aside here, where none was set after it.
    pub stopped: Option<String>,
    /// Artifacts written here, in order.
    pub offers: Vec<Offer>,
    /// Changes of documents made here that count, in order.
    pub changes: Vec<Change>,
    pub(super) index: Index,
}

impl Turn {
    /// The proposal of that number.
    pub fn proposal(&self, id: ProposalId) -> Option<&Proposal> {
        self.proposals.get(self.place(id)?).map(AsRef::as_ref)
    }

    /// The model that wrote a proposal, if one was asked for it: lines of a plan are the plan's.
    pub fn author(&self, proposal: &Proposal) -> Option<&str> {
        let asked = proposal.ask.and_then(|ask| self.ask(ask));
        asked.filter(|ask| ask.prompt.is_some()).map(|ask| ask.model.as_str())
    }

    /// The place of a proposal in their list.
    pub fn place(&self, id: ProposalId) -> Option<usize> {
        place(&self.proposals, id, |p| p.id)
    }

    /// The ask of that number.
    pub fn ask(&self, id: AskId) -> Option<&Ask> {
        self.asks.get(place(&self.asks, id, |a| a.id)?)
    }

    /// The decision of that number.
    pub fn decision(&self, id: DecisionId) -> Option<&Decision> {
        self.decisions.get(place(&self.decisions, id, |d| d.id)?).map(AsRef::as_ref)
    }

    /// The verdict that a decision was made with; `None` where its proposal had not been checked.
    pub fn taken(&self, decision: DecisionId) -> Option<&Verdict> {
        self.kept.get(&decision).map(AsRef::as_ref)
    }

    /// The newest verdict of a proposal: what a decision made now would be made with.
    pub fn newest(&self, id: ProposalId) -> Option<&Verdict> {
        self.verdicts.get(&id).map(AsRef::as_ref)
    }

    /// The last decision made about a proposal.
    pub fn decision_on(&self, id: ProposalId) -> Option<&Decision> {
        self.index.decision_on(&self.decisions, id)
    }

    /// The verdict of a proposal: once it was decided about, the one its last decision was made with; else the newest.
    pub fn verdict(&self, id: ProposalId) -> Option<&Verdict> {
        self.decision_on(id).map_or_else(|| self.newest(id), |decision| self.taken(decision.id))
    }

    /// The mark of a proposal, as [`Turn::verdict`] has it. What is no action fails, checked or not.
    pub fn mark(&self, proposal: &Proposal) -> Mark {
        match &proposal.action {
            None => Mark::Fails,
            Some(_) => self.verdict(proposal.id).map_or(Mark::NotChecked, Verdict::mark),
        }
    }

    /// The reason a proposal was rejected with, if it was.
    pub fn rejection(&self, id: ProposalId) -> Option<&str> {
        match &self.index.rejection(&self.decisions, id)?.choice {
            Choice::Reject { reason, .. } => Some(reason.as_str()),
            _ => None,
        }
    }

    /// Whether the last that was decided here about an action is that a person refused it.
    pub(crate) fn is_refused(&self, action: &Action) -> bool {
        let same = |decision: &&Arc<Decision>| {
            let of = self.proposal(decision.proposal()).and_then(|proposal| proposal.action.as_ref());
            of.is_some_and(|of| of.text == action.text)
        };
        self.decisions.iter().rev().find(same).is_some_and(|last| !last.takes() && last.by == Actor::Person)
    }

    /// The proposals rejected here, each with the reason, in the order of the decisions.
    pub fn rejected(&self) -> impl Iterator<Item = (&Proposal, &str)> {
        self.decisions.iter().filter_map(|decision| match &decision.choice {
            Choice::Reject { proposal, reason } => Some((self.proposal(*proposal)?, reason.as_str())),
            _ => None,
        })
    }

    /// The last decisions that take a step from here, or that refuse one, in order: so many at most, and how many there are in all.
    pub fn last_decisions(&self, takes: bool, most: usize) -> (Vec<&Decision>, usize) {
        let places = self.index.places(takes, &self.decisions);
        let last = places.iter().skip(places.len().saturating_sub(most));
        (last.filter_map(|at| self.decisions.get(*at)).map(AsRef::as_ref).collect(), places.len())
    }

    /// Sets of assertions put in force here, in order.
    pub fn adopted(&self) -> Vec<Assertions> {
        self.changes.iter().filter_map(Change::adopted).collect()
    }

    /// Changes of a document made here that count, in order.
    pub fn changes_of(&self, artifact: &ArtifactId) -> impl DoubleEndedIterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.artifact == *artifact)
    }

    /// The offered artifact that waits for a decision before anything else is proposed.
    pub fn pending_offer(&self) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.waits())
    }

    /// What is remarked here: changes of the method and the model, then the remarks of people and failures.
    pub fn remarks(&self) -> Vec<String> {
        self.configured.iter().chain(&self.notes).cloned().collect()
    }

    /// The last ask still without an answer.
    pub fn pending(&self) -> Option<&Ask> {
        self.index.pending(&self.asks)
    }
}

/// A node of the session's tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// Its number; the root is 0.
    pub id: NodeId,
    /// The node it was reached from.
    pub parent: Option<NodeId>,
    /// Nodes reached from here, oldest first.
    pub children: Vec<NodeId>,
    /// The child most recently on the path.
    pub last_child: Option<NodeId>,
    /// Nodes from the root to it, without the root.
    pub depth: u32,
    /// The number of its step, as a person counts: what was executed on the way here. A selection that was blocked, and a thought or another line
    /// that was held, have the number of the step before.
    pub steps: u32,
    /// The action that led here; `None` at the root.
    pub action: Option<Arc<Action>>,
    /// The decision that led here; `None` at the root.
    pub decision: Option<DecisionId>,
    /// What was in use when the step here was decided; nothing at the root.
    pub under: Arc<InUse>,
    /// The outcome of arriving here.
    pub outcome: Arc<StepOutcome>,
    /// The changes of the program's variables on arriving here (RFC 6902).
    pub changes: Packed,
    /// The changes of the blocking tree that had been made above when this step was taken.
    pub tree_edits: Vec<TreeEdit>,
    /// How many changes of the blocking tree the documents held on arriving here.
    pub inherited_edits: usize,
    /// The offers that were open above when this step was taken; what became of them here.
    pub inherited_offers: Arc<Vec<Arc<Offer>>>,
    /// The documents here: inherited, then as they were changed here.
    pub documents: Arc<Documents>,
    /// The assertions in force here, read from their documents.
    pub in_force: Arc<InForce>,
    /// The events here since.
    pub turn: Turn,
}

/// Why a record does not fit a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("record {id}: {why}")]
pub struct InvalidRecord {
    /// The record's number.
    pub id: u64,
    /// The fault.
    pub why: String,
}

/// A session: the fold over its records.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// The session's subject.
    pub header: Header,
    /// Shared with other sessions folded from the same records until one of them changes a node.
    nodes: Vec<Arc<Node>>,
    /// Of each node, whether it is on the line: the root, and from each node on it the child that was last on the path.
    on_line: Vec<bool>,
    cursor: NodeId,
    records: u64,
    /// The gate's policy in force.
    pub policy: Policy,
    /// The documents that belong to no branch.
    pub(super) own: Node,
    /// A person's names and marks for branches, by their first nodes.
    branches: BTreeMap<NodeId, Branch>,
    /// The breakpoints of automatic runs.
    pub breakpoints: Vec<Breakpoint>,
    /// Whether what tells the future is hidden before a decision ([`super::blind`]).
    pub blind: bool,
    /// The model's name in use.
    pub model: String,
    /// The method's name in use.
    pub method: String,
    /// Options in force: the header's, and what was changed since.
    pub options: BTreeMap<String, String>,
    /// Tokens spent so far.
    pub spent: Usage,
    /// The cost of the asks with a known price; `None` where no price is known.
    pub cost: Option<f64>,
    next_ask: AskId,
    next_proposal: ProposalId,
    next_decision: DecisionId,
    /// The number of the next decision when a failure was recorded last.
    failed_before: DecisionId,
    next_offer: OfferId,
    /// The changes of documents, wherever they were made.
    pub(super) changes: Changes,
}

impl Session {
    /// A session with no records yet.
    pub fn new(header: Header) -> Self {
        let (model, method, options) = (header.model.clone(), header.method.clone(), header.options.clone());
        Session {
            header,
            nodes: Vec::new(),
            on_line: Vec::new(),
            cursor: 0,
            records: 0,
            policy: Policy::manual(),
            own: Node::default(),
            branches: BTreeMap::new(),
            breakpoints: Vec::new(),
            blind: false,
            model,
            method,
            options,
            spent: Usage::default(),
            cost: None,
            next_ask: 1,
            next_proposal: 1,
            next_decision: 1,
            failed_before: 0,
            next_offer: 1,
            changes: Changes::default(),
        }
    }

    /// Whether the world has been reset yet.
    pub fn is_started(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// The current node's number.
    pub fn cursor(&self) -> NodeId {
        self.cursor
    }

    /// The current node; `None` before the reset.
    pub fn current(&self) -> Option<&Node> {
        self.node(self.cursor)
    }

    /// The node of that number.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        usize::try_from(id).ok().and_then(|i| self.nodes.get(i)).map(AsRef::as_ref)
    }

    /// All nodes, by number.
    pub fn nodes(&self) -> &[Arc<Node>] {
        &self.nodes
    }

    /// Records applied so far; the next one is this plus one.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many proposals were made and how often a model was asked, at all nodes: with a prompt, or by a method that tells its tokens.
    pub fn effort(&self) -> (usize, usize) {
        let asked = |turn: &Turn| turn.asks.iter().filter(|ask| ask.is_of_model()).count();
        let turns = self.nodes.iter().map(|node| &node.turn);
        turns.fold((0, 0), |(made, asks), turn| (made + turn.proposals.len(), asks + asked(turn)))
    }

    /// How many prompts something was left out of, as the model takes no more, and what of the first.
    pub fn left_out(&self) -> (usize, Option<&str>) {
        let asks = self.nodes.iter().flat_map(|node| &node.turn.asks);
        let mut told = asks.filter_map(|ask| ask.prompt.as_ref()?.left_out.as_deref());
        let first = told.next();
        (usize::from(first.is_some()) + told.count(), first)
    }

    /// The number the next ask takes.
    pub fn next_ask(&self) -> AskId {
        self.next_ask
    }

    /// The number the next proposal takes.
    pub fn next_proposal(&self) -> ProposalId {
        self.next_proposal
    }

    /// The number the next decision takes.
    pub fn next_decision(&self) -> DecisionId {
        self.next_decision
    }

    /// The number the next offered artifact takes.
    pub fn next_offer(&self) -> OfferId {
        self.next_offer
    }

    /// The offered artifact that waits for a decision at the cursor.
    pub fn pending_offer(&self) -> Option<&Offer> {
        self.current().and_then(|n| n.turn.pending_offer())
    }

    /// The decision that led to a node.
    pub fn decision_at(&self, node: NodeId) -> Option<&Decision> {
        let node = self.node(node)?;
        self.node(node.parent?)?.turn.decision(node.decision?)
    }

    /// Where taking a proposal at the cursor led before, as long as the same assertions are in force: to take it again would only
    /// make a second branch like that one.
    pub(crate) fn taken_before(&self, proposal: ProposalId) -> Option<NodeId> {
        let here = self.current()?;
        let approved = Choice::Approve { proposal };
        let same = |child: &&Node| {
            let decision = child.decision.and_then(|id| here.turn.decision(id));
            let decided = decision.is_some_and(|d| d.choice == approved);
            decided && (child.in_force == here.in_force || !child.turn.adopted().is_empty())
        };
        here.children.iter().rev().filter_map(|id| self.node(*id)).find(same).map(|child| child.id)
    }

    /// The verdict that the step to a node was decided with; `None` at the root and where nothing was checked.
    pub fn verdict_at(&self, node: NodeId) -> Option<&Verdict> {
        let decision = self.decision_at(node)?;
        self.node(self.node(node)?.parent?)?.turn.taken(decision.id)
    }

    /// The mark of the step to a node: of what was not executed that it was refused or blocked, else the verdict's that it was
    /// decided with.
    pub fn mark_at(&self, node: &Node) -> Mark {
        match &node.outcome {
            outcome if outcome.error.is_some() => Mark::Fails,
            outcome if outcome.blocked.is_some() => Mark::Blocked,
            _ => self.verdict_at(node.id).map_or(Mark::NotChecked, Verdict::mark),
        }
    }

    /// The assertions in force at a node.
    pub fn assertions_at(&self, node: NodeId) -> &InForce {
        static NONE: InForce = InForce::new();
        self.node(node).map_or(&NONE, |node| node.in_force.as_ref())
    }

    /// A person's name and marks for the branch that begins at a node.
    pub fn branch(&self, start: NodeId) -> Option<&Branch> {
        self.branches.get(&start)
    }

    /// The assertions in force at the cursor.
    pub fn assertions(&self) -> &InForce {
        self.assertions_at(self.cursor)
    }

    /// The belief at the cursor.
    pub fn belief(&self) -> Option<&Arc<Value>> {
        self.current().and_then(Node::belief)
    }

    /// Whether an artifact written for an update was taken or refused on the path to the cursor.
    pub fn is_settled(&self, due: Due) -> bool {
        self.path(self.cursor).iter().flat_map(|n| &n.turn.offers).any(|o| o.written.due == Some(due) && o.is_settled())
    }

    /// Whether a decision is the session's last, and no failure was recorded since.
    pub(crate) fn is_last_and_open(&self, decision: DecisionId) -> bool {
        decision + 1 == self.next_decision && self.failed_before != self.next_decision
    }

    /// The number the next executed node takes.
    pub fn next_node(&self) -> NodeId {
        self.nodes.len() as NodeId
    }

    /// What a program asks at a node, and in which interface: put together from what each of its requests adds.
    pub fn request_at(&self, node: NodeId) -> Option<(Api, String)> {
        let mut bodies: BTreeMap<usize, String> = BTreeMap::new();
        let mut last = None;
        for asked in self.path(node).into_iter().map(|node| node.outcome.asked.as_ref()) {
            last = asked.and_then(|asked| {
                let before = bodies.get(&asked.thread).map_or("", String::as_str);
                let body = asked.added.apply(before).ok()?;
                bodies.insert(asked.thread, body.clone());
                Some((asked.api, body))
            });
        }
        last
    }

    /// Whether the episode is over at the cursor.
    pub fn is_done(&self) -> bool {
        self.current().is_some_and(|n| n.outcome.done)
    }

    /// Adds a record.
    /// Errors: [`InvalidRecord`] if it does not fit; the session is then unchanged.
    pub fn apply(&mut self, record: &Record) -> Result<(), InvalidRecord> {
        let invalid = |why: String| InvalidRecord { id: record.id, why };
        if record.id != self.records + 1 {
            return Err(invalid(format!("expected record {}", self.records + 1)));
        }
        if let Event::Started { outcome } = &record.event {
            if self.is_started() {
                return Err(invalid("the world was reset already".into()));
            }
            let root = Node { outcome: outcome.clone(), changes: json!([]).into(), ..Node::default() };
            self.nodes.push(root.into());
            self.on_line.push(true);
        } else {
            self.apply_started(record).map_err(invalid)?;
        }
        self.records = record.id;
        Ok(())
    }

    /// Applies any record but the first `Started`. Checks before it changes anything.
    fn apply_started(&mut self, record: &Record) -> Result<(), String> {
        let at = usize::try_from(record.node).ok().filter(|i| *i < self.nodes.len());
        let Some(at) = at else { return Err(format!("no node {}", record.node)) };
        match &record.event {
            Event::Started { .. } => return Err("the world was reset already".into()),
            Event::Executed { decision, child, action, outcome, changes } => {
                if *child != self.next_node() {
                    return Err(format!("node {child} out of order, expected {}", self.next_node()));
                }
                let under = self.in_use();
                let node = Arc::make_mut(&mut self.nodes[at]);
                if node.turn.decision(*decision).is_none() {
                    return Err(format!("decision {decision} was not taken at node {}", record.node));
                }
                node.children.push(*child);
                let new = Node {
                    id: *child,
                    parent: Some(record.node),
                    depth: node.depth + 1,
                    steps: node.steps + u32::from(outcome.is_executed()),
                    action: Some(action.clone()),
                    decision: Some(*decision),
                    under: if *node.under == under { Arc::clone(&node.under) } else { under.into() },
                    outcome: outcome.clone(),
                    changes: changes.clone(),
                    tree_edits: node.tree_edits_here(),
                    inherited_edits: node.edits(),
                    inherited_offers: node.left_open(),
                    documents: Arc::clone(&node.documents),
                    in_force: Arc::clone(&node.in_force),
                    ..Node::default()
                };
                self.nodes.push(new.into());
                self.on_line.push(false);
                self.move_to(*child);
            }
            Event::Moved { to } => {
                if self.node(*to).is_none() {
                    return Err(format!("no node {to} to move to"));
                }
                self.move_to(*to);
            }
            Event::PolicySet { policy, why } => {
                self.policy = policy.clone();
                self.node_mut(at).turn.stopped = (!policy.is_automatic()).then(|| why.clone());
            }
            Event::Configured(now) => {
                self.model.clone_from(&now.model);
                self.method.clone_from(&now.method);
                self.options.extend(now.options.clone());
                let said = self.in_use().announced(now);
                self.node_mut(at).turn.configured.push(said);
            }
            Event::Decided { decision } => {
                if decision.id != self.next_decision {
                    return Err(format!("decision {} out of order, expected {}", decision.id, self.next_decision));
                }
                let id = decision.proposal();
                if self.nodes[at].turn.proposal(id).is_none() {
                    return Err(format!("no proposal {id} at node {}", record.node));
                }
                self.next_decision += 1;
                let turn = &mut Arc::make_mut(&mut self.nodes[at]).turn;
                if let Some(verdict) = turn.verdicts.get(&id) {
                    turn.kept.insert(decision.id, verdict.clone());
                }
                if !decision.takes() {
                    turn.rejected_before.insert(id, self.next_proposal);
                }
                turn.decisions.push(decision.clone());
                turn.index.decided(&turn.decisions);
            }
            Event::Asked { .. } | Event::Exchanged { .. } | Event::Answered { .. } | Event::AskFailed { .. } => {
                self.apply_ask(at, &record.event)?
            }
            Event::Proposed { proposal } => {
                if proposal.id != self.next_proposal {
                    return Err(format!("proposal {} out of order, expected {}", proposal.id, self.next_proposal));
                }
                self.next_proposal += 1;
                self.node_mut(at).turn.proposals.push(proposal.clone());
            }
            Event::Checked { proposal, verdict } => {
                if self.nodes[at].turn.proposal(*proposal).is_none() {
                    return Err(format!("no proposal {proposal} at node {}", record.node));
                }
                self.node_mut(at).turn.verdicts.insert(*proposal, verdict.clone());
            }
            Event::Recommended { proposal, why } => {
                if let Some(id) = proposal
                    && self.nodes[at].turn.proposal(*id).is_none()
                {
                    return Err(format!("no proposal {id} at node {}", record.node));
                }
                self.node_mut(at).turn.recommended = Some((*proposal, why.clone()));
            }
            Event::Dueled { sides } => {
                let turn = &mut self.node_mut(at).turn;
                if let Some(id) = sides.iter().filter_map(|side| side.proposal).find(|id| turn.proposal(*id).is_none())
                {
                    return Err(format!("no proposal {id} at node {}", record.node));
                }
                turn.duel = Some(sides.clone());
            }
            Event::ArtifactOffered { .. } => {
                Arc::make_mut(&mut self.nodes[at]).apply_artifact(&record.event, self.next_offer, &mut self.changes)?;
                self.next_offer += 1;
            }
            Event::ArtifactSettled { artifact, .. } | Event::ArtifactUndone { artifact }
                if artifact.kind.is_of_session() =>
            {
                self.own.apply_artifact(&record.event, self.next_offer, &mut self.changes)?;
            }
            Event::ArtifactSettled { .. }
            | Event::ArtifactRefused { .. }
            | Event::ArtifactReopened { .. }
            | Event::ArtifactUndone { .. } => {
                Arc::make_mut(&mut self.nodes[at]).apply_artifact(&record.event, self.next_offer, &mut self.changes)?;
            }
            Event::BreakpointsSet { breakpoints } => self.breakpoints.clone_from(breakpoints),
            Event::BranchEdited { branch, edit } => {
                if self.node(*branch).is_none() {
                    return Err(format!("no node {branch} where a branch could begin"));
                }
                self.branches.entry(*branch).or_default().apply(edit);
            }
            Event::BlindSet { blind } => self.blind = *blind,
            Event::NoteEdited { note, text } => {
                let notes = &mut self.node_mut(at).turn.notes;
                let Some(found) = notes.get_mut(*note) else {
                    return Err(format!("no remark {note} at node {}", record.node));
                };
                found.clone_from(text);
                notes.retain(|note| !note.is_empty());
            }
            Event::Noted { text } => self.node_mut(at).turn.notes.push(text.clone()),
            Event::Failed { error, .. } => {
                self.failed_before = self.next_decision;
                self.node_mut(at).turn.notes.push(error.clone());
            }
        }
        Ok(())
    }

    fn node_mut(&mut self, at: usize) -> &mut Node {
        Arc::make_mut(&mut self.nodes[at])
    }

    fn apply_ask(&mut self, at: usize, event: &Event) -> Result<(), String> {
        let node = Arc::make_mut(&mut self.nodes[at]);
        let asks = &mut node.turn.asks;
        let ask_at = |asks: &[Ask], id: AskId| place(asks, id, |a| a.id).ok_or_else(|| format!("no ask {id} here"));
        match event {
            Event::Asked { ask, kind, model, prompt, n, temperature } => {
                if *ask != self.next_ask {
                    return Err(format!("ask {ask} out of order, expected {}", self.next_ask));
                }
                self.next_ask += 1;
                asks.push(Ask {
                    id: *ask,
                    kind: kind.clone(),
                    model: model.clone(),
                    prompt: prompt.clone(),
                    n: *n,
                    temperature: *temperature,
                    exchange: None,
                    state: AskState::Pending,
                });
                node.turn.index.asked();
                // Early logs of format 2 hold a plan as the answer to its ask only; its first line shows that it was followed.
                let plan = node.turn.index.plan.filter(|_| *kind == AskKind::PLAN_LINE).and_then(|i| asks.get(i));
                let known = node.documents.get(&ArtifactId::PLAN).and_then(|plan| plan.get("ask")?.as_u64());
                if let Some(plan) = plan.filter(|plan| known < Some(plan.id)).and_then(plan_of) {
                    Arc::make_mut(&mut node.documents).insert(ArtifactId::PLAN, Arc::new(plan));
                }
            }
            Event::Answered { ask, texts, usage, ms } => {
                let place = ask_at(asks, *ask)?;
                let found = &mut asks[place];
                found.state = AskState::Answered { texts: texts.clone(), usage: *usage, ms: *ms };
                node.turn.index.ended(place);
                if found.kind == AskKind::PLAN && !texts.is_empty() {
                    node.turn.index.plan = node.turn.index.plan.max(Some(place));
                    // Logs of format 1 hold a plan as the answer to its ask only.
                    let plan = Some(&*found).filter(|_| self.header.version < 2).and_then(plan_of);
                    if let Some(plan) = plan {
                        Arc::make_mut(&mut node.documents).insert(ArtifactId::PLAN, Arc::new(plan));
                    }
                }
                self.spent.add(usage.unwrap_or_default());
            }
            Event::Exchanged { ask, exchange } => {
                let place = ask_at(asks, *ask)?;
                let found = &mut asks[place];
                found.exchange = Some(exchange.clone());
                if let Some(cost) = exchange.cost {
                    self.cost = Some(self.cost.unwrap_or_default() + cost);
                }
            }
            Event::AskFailed { ask, error, cancelled, usage, partial } => {
                let place = ask_at(asks, *ask)?;
                let (error, cancelled, partial) = (error.clone(), *cancelled, partial.clone());
                asks[place].state = AskState::Failed { error, cancelled, usage: *usage, partial };
                node.turn.index.ended(place);
                self.spent.add(usage.unwrap_or_default());
            }
            _ => {}
        }
        Ok(())
    }

    /// Moves the cursor and makes the path to it the one redo follows. `to` exists. Goes no further than to where the paths part: a node
    /// on the line has only nodes above it that lead to it already.
    fn move_to(&mut self, to: NodeId) {
        self.cursor = to;
        let mut child = to;
        while self.put_on_line(child, true) {
            let Some(parent) = self.node(child).and_then(|n| n.parent) else { break };
            let place = usize::try_from(parent).unwrap_or(usize::MAX);
            let before = self.nodes.get_mut(place).and_then(|node| set_last_child(node, child));
            if self.on_line.get(place) == Some(&true) {
                self.extend_line(before.filter(|before| *before != child), false);
                break;
            }
            child = parent;
        }
        // Below, the line goes on as it was left there.
        self.extend_line(self.node(to).and_then(|n| n.last_child), true);
    }

    /// Puts the nodes from one on, each followed by its last child, on the line or takes them off.
    fn extend_line(&mut self, from: Option<NodeId>, on: bool) {
        let mut next = from;
        while let Some(node) = next.filter(|node| self.put_on_line(*node, on)) {
            next = self.node(node).and_then(|n| n.last_child);
        }
    }

    /// Puts a node on the line or takes it off; whether that changed anything.
    fn put_on_line(&mut self, node: NodeId, on: bool) -> bool {
        let place = usize::try_from(node).ok().and_then(|i| self.on_line.get_mut(i));
        place.is_some_and(|place| std::mem::replace(place, on) != on)
    }
}

/// Sets the child that redo follows; a node that has it already stays shared.
fn set_last_child(node: &mut Arc<Node>, child: NodeId) -> Option<NodeId> {
    if node.last_child == Some(child) { Some(child) } else { Arc::make_mut(node).last_child.replace(child) }
}

/// The plan that answers an ask for one, as its document.
fn plan_of(ask: &Ask) -> Option<Value> {
    match &ask.state {
        AskState::Answered { texts, .. } if ask.kind == AskKind::PLAN => {
            Some(json!({ "text": texts.first()?, "ask": ask.id }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A session with these parents of nodes 1, 2, …, made by hand.
    fn tree(parents: &[u64]) -> Session {
        let mut session = Session::new(Header::default());
        session.nodes.push(Node::default().into());
        session.on_line.push(true);
        for (at, parent) in parents.iter().enumerate() {
            let (id, parent) = (at as u64 + 1, parent % (at as u64 + 1));
            session.node_mut(parent as usize).children.push(id);
            session.nodes.push(Node { id, parent: Some(parent), ..Node::default() }.into());
            session.on_line.push(false);
        }
        session
    }

    proptest! {
        /// The same as walking to the root each time, which is what redo means.
        #[test]
        fn the_line_is_the_one_that_redo_follows(
            parents in proptest::collection::vec(0u64..40, 1..40),
            moves in proptest::collection::vec(0u64..41, 1..60),
        ) {
            let mut session = tree(&parents);
            let mut last: Vec<Option<NodeId>> = vec![None; session.nodes.len()];
            let nodes = session.nodes.len() as u64;
            for to in moves.iter().map(|to| to % nodes) {
                session.move_to(to);
                let mut child = to;
                while let Some(parent) = session.nodes[child as usize].parent {
                    last[parent as usize] = Some(child);
                    child = parent;
                }
                let found: Vec<_> = session.nodes.iter().map(|n| n.last_child).collect();
                prop_assert_eq!(&found, &last);
                prop_assert_eq!(session.cursor, to);
            }
        }
    }
}
