//! Requests. Carries out a person's requests; called at rest, but for `cancel` and what is beside the episode.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::artifact::{ArtifactId, Assertions, Offer};
use super::super::ask::{Ask, AskKind, AskState};
use super::super::branch::BranchEdit;
use super::super::decision::{Actor, Choice, Decision, Policy};
use super::super::event::{AskId, Event, NodeId, PromptMessage, PromptRecord, StepOutcome};
use super::super::proposal::ProposalId;
use super::super::shape::Shape;
use super::policy::{spent, would_pass};
use super::{
    AfterMove, Answer, AskSpec, Effect, Gate, Heard, Intent, Level, Phase, Replay, Request, Then, Ticket, describe,
};
use stepwright_text::words::count;

/// Why a policy decides where nobody watches.
const UNATTENDED: &str = "unattended run";

impl Gate {
    pub(super) fn on_request(&mut self, request: Request) {
        if let Request::Begin { outcome, assertions, policy, form, belief } = request {
            return self.begin(outcome, assertions, policy, (form, belief));
        }
        if !self.session.is_started() {
            return self.refuse(Level::Error, "the episode has not begun; no reset was given");
        }
        let goes_on = matches!(
            request,
            Request::Propose
                | Request::Sample { .. }
                | Request::Approve { .. }
                | Request::Follow { .. }
                | Request::Edit { .. }
                | Request::Reject { .. }
                | Request::Manual { .. }
        );
        if goes_on && self.must_decide_artifact() {
            return;
        }
        match request {
            Request::Begin { .. } | Request::Cancel => {}
            Request::Propose => self.propose_again(),
            Request::Sample { n } => self.sample(n),
            Request::Approve { proposal } => self.approve(proposal, Actor::Person, String::new()),
            Request::Follow { proposal, rule } => self.approve(proposal, Actor::Policy, rule),
            Request::Duel { node, sides } => self.duel(node, sides),
            Request::Edit { proposal, text } => self.edit(proposal, text),
            Request::Reject { proposal, reason } => self.reject(proposal, reason),
            Request::Manual { text } => self.manual(text),
            Request::SetPolicy(policy) => self.set_policy(policy),
            Request::Undo => match self.session.undo_target() {
                Some(to) => self.go(to, AfterMove::Rest),
                None => self.refuse(Level::Info, "nothing to undo: this is the beginning"),
            },
            Request::Redo => match self.session.redo_target() {
                Some(to) => self.go(to, AfterMove::Rest),
                None => self.refuse(Level::Info, "nothing to redo: no step from here is left"),
            },
            Request::Goto(to) if self.session.node(to).is_none() => {
                self.refuse(Level::Error, format!("there is no node {to}"));
            }
            // It is there.
            Request::Goto(to) if to == self.session.cursor() => {}
            Request::Goto(to) => self.go(to, AfterMove::Rest),
            Request::Rewrite { node, text } => self.rewrite(node, text),
            Request::Again(node) => self.again(node),
            Request::Resend { ask, messages } => self.resend(ask, messages),
            Request::AskInBackground(spec) => {
                if let Some(ask) = self.send(spec) {
                    self.background.insert(ask, self.session.cursor());
                }
            }
            Request::Configure(mut wanted) => {
                self.drop_ask("model or method was changed");
                self.stop_policy("model or method was changed");
                if wanted.model.is_empty() {
                    wanted.model.clone_from(&self.session.model);
                }
                if wanted.method.is_empty() {
                    wanted.method.clone_from(&self.session.method);
                }
                self.phase = Phase::Configuring(wanted.clone());
                self.out.push(Effect::Prepare(wanted));
            }
            Request::OfferArtifact(written) => self.put_forward(*written),
            Request::ApproveOffer(offer) => self.approve_offer(offer),
            Request::EditOffer { offer, text } => self.edit_offer(offer, text),
            Request::RefuseOffer { offer, reason } => self.refuse_offer(offer, reason),
            Request::RewriteOffer(offer) => self.rewrite_offer(offer),
            Request::Change { artifact, edit } => self.change(artifact, edit),
            Request::SetBreakpoints(breakpoints) => {
                let set = count(breakpoints.len(), "breakpoint");
                self.record(Event::BreakpointsSet { breakpoints });
                self.say(Level::Info, format!("{set} in this session"));
            }
            Request::EditBranch { branch, edit } => self.edit_branch(branch, edit),
            Request::EditNote { node, note, text } => {
                let there = self.session.node(node).is_some_and(|n| note < n.turn.notes.len());
                if !there {
                    return self.refuse(Level::Error, "that remark is gone");
                }
                self.record_at(node, Event::NoteEdited { note, text });
            }
            Request::SetBlind(blind) if blind == self.session.blind => {}
            Request::SetBlind(blind) => {
                self.record(Event::BlindSet { blind });
                let text = match blind {
                    true => "blind: the world's dry run and the recorded answer are hidden until you decide",
                    false => "no longer blind: the world's dry run is shown before you decide",
                };
                self.say(Level::Info, text);
            }
            Request::Note(text) => self.record(Event::Noted { text }),
        }
    }

    fn begin(
        &mut self,
        outcome: StepOutcome,
        assertions: Vec<Assertions>,
        policy: Option<Policy>,
        (form, belief): (Option<Value>, Option<Value>),
    ) {
        if self.session.is_started() {
            return self.refuse(Level::Error, "the episode has begun already");
        }
        self.record(Event::Started { outcome: outcome.into() });
        for assertions in assertions {
            self.record(assertions.event(Actor::Policy));
        }
        if let Some(policy) = policy {
            let why = if self.headless { UNATTENDED } else { "as configured" };
            self.record(Event::PolicySet { policy, why: why.into() });
        }
        let begun = [
            (ArtifactId::FORM, form, "the form the episode begins with"),
            (ArtifactId::BELIEF, belief, "the state the episode begins with"),
        ];
        for (artifact, document, why) in begun {
            if let Some(document) = document {
                self.settle_artifact(&artifact, None, &document, Actor::Policy, false, why);
            }
        }
        match self.ended() {
            // Nothing was done that something could still be written about.
            Some(words) => {
                self.stop_policy(&words);
                self.say(Level::Info, words);
            }
            None => self.consult(None),
        }
    }

    /// Stops all that is under way. What has been decided is still carried out to its record.
    pub(super) fn cancel(&mut self, ticket: Ticket) {
        let why = self.stopped_by();
        let asked = self.drop_ask(why) | self.drop_asides(why);
        let automatic = self.stop_policy(why);
        let replaying = self.replay.take().is_some();
        let mut given_up = false;
        if let Phase::Checking { then, .. } = &mut self.phase {
            given_up = matches!(std::mem::replace(then, Then::Rest), Then::Take { .. });
        }
        let dropped = self.give_up(given_up);
        let nothing = !(asked || automatic || replaying || dropped) && self.phase == Phase::Idle;
        let what = match (asked, automatic, replaying) {
            (_, true, _) => "automatic run stopped; you decide again",
            (true, ..) => "ask cancelled; propose again, or type an action",
            (.., true) => "replay stopped",
            _ if dropped => "what waited to be done is dropped",
            _ if nothing => "nothing is running that could be stopped",
            // A step that is under way says itself how it ended.
            _ => return self.end(ticket, Answer::Done { ask: None }),
        };
        self.say(Level::Info, what);
        self.end(ticket, if nothing { Answer::Refused(what.to_owned()) } else { Answer::Done { ask: None } });
    }

    fn is_over(&mut self) -> bool {
        let over = self.session.is_done();
        if over {
            self.refuse(Level::Warning, "the episode is over; undo to try another way, or open another task");
        }
        over
    }

    fn propose_again(&mut self) {
        if self.is_over() {
            return;
        }
        self.drop_ask("asked anew");
        self.new_round();
        self.consult(None);
    }

    fn sample(&mut self, n: u32) {
        if n == 0 {
            return self.refuse(Level::Info, "no samples asked for");
        }
        if self.is_over() {
            return;
        }
        self.drop_ask("more samples were asked for");
        self.asks_in_round = 0;
        self.consult(Some(n.min(64)));
    }

    /// The proposal, if it can be decided about now; says why not.
    fn open_proposal(&mut self, id: ProposalId) -> Option<super::Proposal> {
        if self.is_over() {
            return None;
        }
        let turn = self.session.current().map(|n| &n.turn);
        let found = turn.and_then(|t| t.proposal(id)).cloned();
        let rejected = turn.is_some_and(|t| t.rejection(id).is_some());
        if found.is_none() {
            self.refuse(
                Level::Error,
                "this proposal belongs to another step; choose one of those offered now".to_owned(),
            );
        } else if rejected {
            self.refuse(
                Level::Warning,
                "this proposal was rejected; type the action if you want it after all".to_owned(),
            );
            return None;
        }
        let replaced = self.session.current().zip(found.as_ref()).is_some_and(|(node, p)| node.is_replaced(p));
        if replaced && self.session.taken_before(id).is_none() {
            self.refuse(
                Level::Warning,
                "this was a line of the plan that you replaced; choose what the new one offers, or type the action"
                    .to_owned(),
            );
            return None;
        }
        found
    }

    pub(super) fn approve(&mut self, id: ProposalId, by: Actor, why: String) {
        let Some(proposal) = self.open_proposal(id) else { return };
        if proposal.action.is_none() {
            let problem = proposal.problem.unwrap_or_default();
            return self.refuse(Level::Warning, format!("this proposal is no action ({problem}); edit it or type one"));
        }
        if let Some(child) = self.session.taken_before(id) {
            return self.go(child, AfterMove::TakenBefore);
        }
        self.drop_ask("a proposal was taken");
        let choice = Choice::Approve { proposal: id };
        if self.session.current().is_some_and(|n| n.turn.decision_on(id).is_some()) {
            // Taken before, and not checked again since: the new decision is made with a new verdict.
            self.out.push(Effect::CheckProposal(proposal));
            return self.check([id].into(), Then::Take { choice, by, why });
        }
        self.take(choice, by, why);
    }

    /// Records what each side was asked and would do; its proposals are checked like any other.
    fn duel(&mut self, node: NodeId, heard: Vec<Heard>) {
        if node != self.session.cursor() {
            return self.refuse(Level::Info, "the session moved on while the sides were asked");
        }
        let (mut left, mut sides) = (BTreeSet::new(), Vec::new());
        for Heard { mut side, asks, draft } in heard {
            let mut numbers = BTreeMap::new();
            for ask in asks {
                let Ask { id, kind, model, prompt, n, temperature, exchange, state } = ask;
                let (kind, ask) = (AskKind::of_side(&side.name, &kind), self.session.next_ask());
                numbers.insert(id, ask);
                self.record(Event::Asked { ask, kind, model, prompt, n, temperature });
                if let Some(exchange) = exchange {
                    self.record(Event::Exchanged { ask, exchange });
                }
                self.record(match state {
                    AskState::Answered { texts, usage, ms } => Event::Answered { ask, texts, usage, ms },
                    AskState::Failed { error, cancelled, usage, partial } => {
                        Event::AskFailed { ask, error, cancelled, usage, partial }
                    }
                    AskState::Pending => Event::cancelled(ask, "not answered"),
                });
            }
            if let Some((ask, draft)) = draft {
                let id = self.propose(draft, ask.and_then(|ask| numbers.get(&ask).copied()));
                left.insert(id);
                side.proposal = Some(id);
            }
            sides.push(side);
        }
        self.record(Event::Dueled { sides: sides.into() });
        self.check(left, Then::Rest);
    }

    fn edit(&mut self, id: ProposalId, text: String) {
        let Some(edited) = self.open_proposal(id) else { return };
        self.phase = Phase::Reading(Intent::Edit(id));
        self.out.push(Effect::ReadText { text, from: edited.action });
    }

    fn manual(&mut self, text: String) {
        if self.is_over() {
            return;
        }
        self.phase = Phase::Reading(Intent::Manual);
        self.out.push(Effect::ReadText { text, from: None });
    }

    fn reject(&mut self, id: ProposalId, reason: String) {
        let Some(proposal) = self.open_proposal(id) else { return };
        self.drop_ask("a proposal was rejected");
        let decision = Decision {
            id: self.session.next_decision(),
            choice: Choice::Reject { proposal: id, reason },
            by: Actor::Person,
            why: String::new(),
        };
        self.record(Event::Decided { decision: decision.into() });
        self.say(Level::Info, format!("{} rejected", describe(&proposal)));
        self.new_round();
        self.consult(None);
    }

    fn set_policy(&mut self, policy: Policy) {
        self.taken = 0;
        let automatic = policy.is_automatic();
        let why = if self.headless { UNATTENDED } else { "set by a person" };
        self.record(Event::PolicySet { policy, why: why.into() });
        if !automatic || self.session.is_done() || self.ask.is_some() {
            return;
        }
        self.go_on();
    }

    /// Rules at once on the document that waits, or on an open recommendation; else the method is asked.
    pub(super) fn go_on(&mut self) {
        if self.session.pending_offer().is_some() {
            return self.rule_on_artifact();
        }
        let turn = self.session.current().map(|n| &n.turn);
        let open = turn.and_then(|t| match &t.recommended {
            Some((Some(id), _)) if t.rejection(*id).is_none() => Some(*id),
            _ => None,
        });
        match open {
            Some(id) => self.rule(Some(id)),
            None => {
                self.new_round();
                self.consult(None);
            }
        }
    }

    fn go(&mut self, to: NodeId, then: AfterMove) {
        self.drop_ask("the session moved to another point");
        self.stop_policy("the session moved to another point");
        self.travel(to, then);
    }

    pub(super) fn travel(&mut self, to: NodeId, then: AfterMove) {
        self.phase = Phase::Moving { to, then };
        self.out.push(Effect::MoveWorld { to });
    }

    fn rewrite(&mut self, node: NodeId, text: String) {
        match self.session.node(node).map(|n| n.parent) {
            None => self.refuse(Level::Error, format!("there is no node {node}")),
            Some(None) => self.refuse(Level::Error, "the reset is no step; it cannot be rewritten"),
            Some(Some(parent)) => {
                self.replay = Some(Replay::after(&self.session, node));
                self.go(parent, AfterMove::Read(text));
            }
        }
    }

    fn again(&mut self, node: NodeId) {
        let of = self.session.node(node).and_then(|n| Some((n.parent?, n.decision?)));
        let made = of.and_then(|(parent, id)| Some((parent, self.session.node(parent)?.turn.decision(id)?.clone())));
        match made {
            Some((parent, decision)) => self.go(parent, AfterMove::Again(decision)),
            None => {
                self.refuse(Level::Error, format!("no decision led to node {node}, so that none can be made again"))
            }
        }
    }

    fn edit_branch(&mut self, branch: NodeId, edit: BranchEdit) {
        let deletes = edit == BranchEdit::Delete { deleted: true };
        if self.session.node(branch).is_none() {
            return self.refuse(Level::Error, format!("there is no node {branch}"));
        }
        if deletes && self.session.path(self.session.cursor()).iter().any(|n| n.id == branch) {
            return self.refuse(Level::Warning, "the session is on this branch; go to another one first");
        }
        self.record(Event::BranchEdited { branch, edit });
    }

    fn resend(&mut self, ask: AskId, messages: Vec<PromptMessage>) {
        if self.is_over() {
            return;
        }
        let found = self.session.current().and_then(|n| n.turn.ask(ask)).cloned();
        let Some(old) = found else {
            return self.refuse(Level::Error, format!("ask {ask} was not made at this point; go to its step first"));
        };
        let belongs = |o: &Offer| o.ask == Some(ask);
        if self.session.pending_offer().is_some_and(|o| !belongs(o)) {
            self.must_decide_artifact();
            return;
        }
        if old.prompt.is_none() {
            return self.refuse(Level::Warning, "the symbolic proposer has no prompt to edit; choose a model first");
        }
        if messages.iter().all(|m| m.text.trim().is_empty()) {
            return self.refuse(Level::Warning, "the edited prompt is empty; nothing was sent");
        }
        self.drop_ask("an edited prompt was sent in its place");
        self.new_round();
        let model = self.session.model_of(old.kind.role()).to_owned();
        let prompt = PromptRecord {
            template: "edited".into(),
            template_hash: String::new(),
            messages,
            left_out: None,
            candidates: None,
        };
        let shape = Shape::Usual;
        let (kind, n, temperature) = (old.kind, old.n, old.temperature);
        self.ask(AskSpec { kind, model, prompt: Some(prompt), n, temperature, shape });
    }

    /// Asks for the next action.
    pub(super) fn ask(&mut self, spec: AskSpec) {
        self.phase = Phase::Idle;
        self.asks_in_round += 1;
        self.ask = self.send(spec);
    }

    /// Records an ask and sends it, unless the budget forbids.
    fn send(&mut self, spec: AskSpec) -> Option<AskId> {
        if spec.prompt.is_some()
            && let Some(why) = would_pass(&self.session.policy, spent(&self.session), &spec)
        {
            self.stop_policy(&why);
            self.refuse(Level::Warning, why);
            return None;
        }
        self.note_sent(self.session.next_ask());
        let ask = self.asked(spec.clone());
        let symbolic = spec.prompt.is_none();
        self.out.push(if symbolic { Effect::AskSymbolic { ask, spec } } else { Effect::AskModel { ask, spec } });
        Some(ask)
    }

    /// Records an ask.
    pub(super) fn asked(&mut self, spec: AskSpec) -> AskId {
        let ask = self.session.next_ask();
        let AskSpec { kind, model, prompt, n, temperature, .. } = spec;
        self.record(Event::Asked { ask, kind, model, prompt: prompt.map(Into::into), n, temperature });
        ask
    }
}
