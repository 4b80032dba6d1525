//! Reports. Takes in the results of effects, and decides what follows.

use stepwright_wire::Usage;

use super::super::artifact::ArtifactId;
use super::super::ask::{Ask, AskState};
use super::super::branch::BranchEdit;
use super::super::decision::{Actor, Choice, DecisionId};
use super::super::event::{AskId, Event, StepOutcome};
use super::super::proposal::{Action, Proposal, ProposalId};
use super::policy::{self, OVER, PolicyOutcome, over_budget, spent};
use super::{Advice, AfterMove, Draft, Effect, Gate, Intent, Level, MAX_ASKS, Phase, Report, Then, quoted};

/// How it is said that a step was not taken a second time; the step follows.
const TAKEN_BEFORE: &str = "taken before: back on its branch, at step ";

impl Gate {
    /// Counts what a cancelled ask cost and keeps what had come of its answer, which is known once its work has stopped: once.
    pub(super) fn count_late(&mut self, ask: AskId, report: Report) {
        let asked = self.session.nodes().iter().rev().find_map(|node| Some((node.id, node.turn.ask(ask)?)));
        let Some((node, Ask { state: AskState::Failed { error, cancelled: true, usage: None, partial }, .. })) = asked
        else {
            return;
        };
        if !partial.is_empty() {
            return;
        }
        let error = error.clone();
        let (usage, partial) = match report {
            Report::Exchanged { ask, exchange } if exchange.cost.is_some() => {
                return self.record_at(node, Event::Exchanged { ask, exchange: (*exchange).into() });
            }
            Report::Answered { usage, .. } | Report::Written { usage, .. } | Report::AskTooLong { usage, .. } => {
                (usage, String::new())
            }
            Report::AskFailed { usage, partial, .. } => (usage, partial),
            _ => return,
        };
        if usage.is_some() || !partial.is_empty() {
            self.record_at(node, Event::AskFailed { ask, error, cancelled: true, usage, partial });
        }
    }

    /// Handles a report; one that does not answer the effect under way changes nothing.
    pub(super) fn on_report(&mut self, report: Report) {
        match report {
            Report::Answered { ask, texts, usage, ms, .. } if self.background.contains_key(&ask) => {
                let node = self.background.remove(&ask).unwrap_or_default();
                self.record_at(node, Event::Answered { ask, texts: texts.into(), usage, ms });
            }
            Report::AskFailed { ask, error, usage, partial } if self.background.contains_key(&ask) => {
                let node = self.background.remove(&ask).unwrap_or_default();
                self.record_at(node, Event::AskFailed { ask, error: error.clone(), cancelled: false, usage, partial });
                self.say(Level::Error, error);
            }
            Report::Exchanged { ask, exchange } => {
                let event = Event::Exchanged { ask, exchange: (*exchange).into() };
                match self.background.get(&ask).copied() {
                    Some(node) => self.record_at(node, event),
                    None => self.record(event),
                }
            }
            Report::Answered { ask, texts, usage, ms, drafts } => {
                self.ask_answered(ask, texts, usage, ms);
                let left = drafts.into_iter().map(|d| self.propose(d, Some(ask))).collect();
                self.check(left, Then::Consult);
            }
            Report::Written { ask, texts, usage, ms, written } => {
                self.ask_answered(ask, texts, usage, ms);
                self.offer_artifact(*written, Some(ask));
            }
            Report::AskFailed { ask, error, usage, partial } => {
                self.ask = None;
                self.record(Event::AskFailed { ask, error: error.clone(), cancelled: false, usage, partial });
                // What could not be written after the end is no reason why the episode ended.
                let why = self.ended().unwrap_or_else(|| error.clone());
                self.stop_policy(&why);
                self.say(Level::Error, error);
            }
            Report::AskTooLong { ask, error, usage } if self.background.contains_key(&ask) => {
                self.on_report(Report::AskFailed { ask, error, usage, partial: String::new() });
            }
            Report::AskTooLong { ask, error, usage } => {
                self.ask = None;
                self.say(Level::Info, format!("{error}; asking again with a shorter prompt"));
                self.record(Event::AskFailed { ask, error, cancelled: false, usage, partial: String::new() });
                self.round = self.session.next_ask();
                self.consult(None);
            }
            Report::Checked { proposal, verdict } => {
                if let Some(replayed) = self.replayed(proposal) {
                    return self.replay_checked(replayed, verdict);
                }
                let Phase::Checking { left, then } = &mut self.phase else { return };
                if !left.remove(&proposal) {
                    return;
                }
                let ready = left.is_empty().then(|| then.clone());
                self.record(Event::Checked { proposal, verdict: verdict.into() });
                if let Some(then) = ready {
                    self.after_checks(then);
                }
            }
            Report::Ran { decision, program, action: ran, remark } => {
                let Phase::Stepping { decision: expected, action } = &mut self.phase else { return };
                if *expected != decision {
                    return;
                }
                *action = ran;
                let by = self.decided_by(decision).unwrap_or(Actor::Policy);
                self.settle_artifact(&ArtifactId::PROGRAM, None, &program, by, false, "");
                if let Some(text) = remark {
                    self.record(Event::Noted { text: text.clone() });
                    self.say(Level::Warning, text);
                }
            }
            report => self.phase_ended(report),
        }
    }

    /// The step of a replay of that number, if its verdict is awaited.
    fn replayed(&mut self, id: ProposalId) -> Option<Proposal> {
        let Phase::Replaying(proposal) = &self.phase else { return None };
        let replayed = proposal.clone();
        (replayed.id == id).then(|| self.phase = Phase::Idle).map(|()| replayed)
    }

    /// Handles a report that ends the phase.
    fn phase_ended(&mut self, report: Report) {
        match (std::mem::replace(&mut self.phase, Phase::Idle), report) {
            (Phase::Advising, Report::Advised(advice)) => self.advised(advice),
            (Phase::Reading(intent), Report::Read(read)) => self.read(intent, read),
            (Phase::Changing(changing), Report::ChangeChecked(checked)) => self.change_checked(changing, checked),
            (Phase::Stepping { decision: expected, action }, Report::Stepped { decision, result })
                if expected == decision =>
            {
                self.stepped(decision, action, result);
            }
            (Phase::Moving { to: expected, then }, Report::Moved { to, result }) if expected == to => {
                self.moved(to, then, result);
            }
            (Phase::Configuring(_), Report::Prepared(Err(error))) => self.refuse(Level::Error, error),
            (Phase::Configuring(wanted), Report::Prepared(Ok(()))) => {
                self.record(Event::Configured(wanted));
                let said = self.session.current().and_then(|node| node.turn.configured.last()).cloned();
                self.say(Level::Info, said.unwrap_or_default());
                self.out.push(Effect::Configure);
                self.after_artifact();
            }
            (phase, _) => self.phase = phase,
        }
    }

    /// Who made a decision at the cursor.
    fn decided_by(&self, decision: DecisionId) -> Option<Actor> {
        self.session.current()?.turn.decision(decision).map(|d| d.by)
    }

    /// Records the answer of the ask under way. A budget that cannot be counted must not be passed silently.
    fn ask_answered(&mut self, ask: AskId, texts: Vec<String>, usage: Option<Usage>, ms: u64) {
        self.ask = None;
        self.record(Event::Answered { ask, texts: texts.into(), usage, ms });
        let asked = self.session.current().and_then(|n| n.turn.ask(ask));
        let uncounted = usage.is_none() && self.session.policy.token_budget.is_some();
        if uncounted && asked.is_some_and(|a| a.prompt.is_some()) {
            let why = "the model does not tell the tokens it spends, so the token budget cannot be kept";
            self.stop_policy(why);
            self.say(Level::Warning, why);
        }
    }

    fn advised(&mut self, advice: Advice) {
        match advice {
            Advice::Ask(_) | Advice::Answered { .. } if self.asks_in_round >= MAX_ASKS => {
                let why = format!("the method asked {MAX_ASKS} times without a proposal to recommend");
                self.stop_policy(&why);
                self.say(Level::Warning, format!("{why}; choose one, or type an action"));
            }
            Advice::Ask(spec) => match (self.ended(), over_budget(&self.session.policy, spent(&self.session))) {
                (Some(words), Some(why)) if self.session.policy.is_automatic() => {
                    self.stop_policy(&words);
                    self.say(Level::Info, format!("the {} is not asked for: {why}", spec.kind));
                }
                _ => self.ask(spec),
            },
            Advice::Answered { spec, drafts } => {
                self.asks_in_round += 1;
                let ask = self.asked(spec);
                let texts: Vec<String> = drafts.iter().map(|d| d.raw.clone()).collect();
                self.record(Event::Answered { ask, texts: texts.into(), usage: None, ms: 0 });
                let left = drafts.into_iter().map(|d| self.propose(d, Some(ask))).collect();
                self.check(left, Then::Consult);
            }
            Advice::Offer(written) => self.offer_artifact(*written, None),
            Advice::Rest => {
                let why = self.ended().unwrap_or_else(|| "the method has nothing to do".to_owned());
                self.stop_policy(&why);
            }
            Advice::Recommend { proposal, why } => {
                self.record(Event::Recommended { proposal, why: why.clone() });
                if proposal.is_none() {
                    self.say(
                        Level::Warning,
                        format!("nothing is recommended: {why}; type an action, or go back and decide otherwise"),
                    );
                }
                self.rule(proposal);
            }
            Advice::Stuck(why) => self.method_stops(why, true),
            Advice::Error(why) => self.method_stops(why, false),
        }
    }

    fn method_stops(&mut self, why: String, stuck: bool) {
        self.record(Event::Failed { error: why.clone(), stuck });
        self.stop_policy(&why);
        self.say(Level::Error, why);
    }

    /// Lets the policy rule on a recommendation.
    pub(super) fn rule(&mut self, recommended: Option<ProposalId>) {
        let turn = self.session.current().map(|n| &n.turn);
        let why = turn.and_then(|t| t.recommended.as_ref()).map_or("nothing is recommended", |(_, why)| why.as_str());
        let proposal = recommended.and_then(|id| turn.and_then(|t| t.proposal(id))).ok_or(why);
        let verdict = recommended.and_then(|id| turn.and_then(|t| t.newest(id)));
        let action = proposal.ok().and_then(|p| p.action.as_ref());
        let reached = action.filter(|_| self.session.policy.is_automatic()).and_then(|action| {
            let mut breakpoints = self.session.breakpoints.iter();
            breakpoints.find_map(|b| Some(format!("breakpoint `{b}`: {}", b.before(action, verdict)?)))
        });
        let asked = self.session.current().and_then(|node| node.outcome.asked.as_ref());
        let passes = asked.is_some_and(|asked| self.session.policy.conversations.contains(&(asked.thread + 1)));
        let outcome = match passes && !self.session.policy.is_automatic() {
            true => {
                let steps = super::Policy::TO_THE_END;
                let policy = super::Policy { steps, until_fails: true, ..self.session.policy.clone() };
                policy::rule(&policy, 0, spent(&self.session), proposal, verdict)
            }
            false => policy::rule(&self.session.policy, self.taken, spent(&self.session), proposal, verdict),
        };
        let refused = action.filter(|_| passes || self.session.policy.is_automatic());
        let refused = refused.filter(|action| turn.is_some_and(|turn| turn.is_refused(action)));
        let refused = refused.map(|action| format!("a person refused {} at this step", quoted(action)));
        match refused.or(reached).map_or(outcome, PolicyOutcome::Stop) {
            PolicyOutcome::Person => {}
            PolicyOutcome::Stop(why) => {
                self.stop_policy(&why);
                let why = if self.session.blind && policy::tells(&why) {
                    "the reason is hidden until you decide"
                } else {
                    &why
                };
                self.say(Level::Info, format!("stopped: {why}; approve, edit or reject"));
            }
            PolicyOutcome::Take(why) => {
                let Some(proposal) = recommended else { return };
                self.taken = self.taken.saturating_add(1);
                // What was taken here before is gone on with: a twin of its branch would be asked, and paid, anew.
                match self.session.taken_before(proposal) {
                    Some(child) => self.travel(child, AfterMove::Follow),
                    None => self.take(Choice::Approve { proposal }, Actor::Policy, why),
                }
            }
        }
    }

    pub(super) fn after_checks(&mut self, then: Then) {
        self.phase = Phase::Idle;
        match then {
            Then::Rest => {}
            Then::Consult => self.consult(None),
            Then::Take { choice, by, why } => self.take(choice, by, why),
        }
    }

    fn read(&mut self, intent: Intent, read: Result<Draft, String>) {
        let draft = match read {
            Ok(draft) if draft.action.is_some() => draft,
            Ok(draft) => return self.unreadable(&draft.problem.unwrap_or_default()),
            Err(why) => return self.unreadable(&why),
        };
        // What nobody changed is no correction: agents are told of edits, and libraries count them as mistakes.
        if let Intent::Edit(from) = intent {
            let edited = self.session.current().and_then(|node| node.turn.proposal(from)?.action.as_ref());
            let said = |action: &Action| (action.text.clone(), action.call.clone());
            if edited.map(said) == draft.action.as_ref().map(said) {
                self.phase = Phase::Idle;
                return self.approve(from, Actor::Person, String::new());
            }
        }
        self.drop_ask("a person gave the action");
        let proposal = self.propose(draft, None);
        let choice = match intent {
            Intent::Manual => Choice::Manual { proposal },
            Intent::Edit(from) => Choice::Edit { from, proposal },
        };
        self.check([proposal].into(), Then::Take { choice, by: Actor::Person, why: String::new() });
    }

    fn unreadable(&mut self, why: &str) {
        self.replay = None;
        self.refuse(Level::Error, format!("no action: {why}"));
    }

    fn stepped(
        &mut self,
        decision: DecisionId,
        action: Action,
        result: Result<(StepOutcome, serde_json::Value), String>,
    ) {
        let (outcome, changes) = match result {
            Ok(result) => result,
            Err(error) => {
                self.replay = None;
                self.record(Event::Failed { error: error.clone(), stuck: false });
                self.stop_policy("the world failed");
                return self.say(Level::Error, error);
            }
        };
        if !outcome.is_executed() && self.decided_by(decision) == Some(Actor::Policy) {
            // Nothing was executed, so it was no step.
            self.taken = self.taken.saturating_sub(1);
        }
        let reached = self.breakpoint_after(&outcome, &changes);
        if let Some(error) = &outcome.error {
            self.say(Level::Warning, format!("the world refused {}: {error}", quoted(&action)));
        }
        let (action, outcome, changes) = (action.into(), outcome.into(), changes.into());
        self.record(Event::Executed { decision, child: self.session.next_node(), action, outcome, changes });
        self.stop_at(reached.filter(|_| self.replay.is_none()));
        self.new_round();
        if self.replay.is_some() {
            return self.replay_next();
        }
        self.settle();
    }

    /// The breakpoint that a step reached, in words.
    fn breakpoint_after(&self, outcome: &StepOutcome, changes: &serde_json::Value) -> Option<String> {
        let mut breakpoints = self.session.breakpoints.iter();
        breakpoints.find_map(|b| Some(format!("breakpoint `{b}`: {}", b.after(outcome, changes)?)))
    }

    fn stop_at(&mut self, reached: Option<String>) {
        if let Some(why) = reached {
            self.stop_policy(&why);
            self.say(Level::Info, format!("stopped: {why}"));
        }
    }

    /// Goes on at the node that the policy's step led to before as it did when the step was made.
    fn followed(&mut self) {
        let Some(node) = self.session.current() else { return };
        let reached = self.breakpoint_after(&node.outcome, &node.changes.value());
        if !node.outcome.is_executed() {
            self.taken = self.taken.saturating_sub(1);
        }
        self.stop_at(reached);
        self.settle();
    }

    /// Why the episode is over at the cursor, if it is.
    pub(super) fn ended(&self) -> Option<String> {
        let outcome = &self.session.current().filter(|node| node.outcome.done)?.outcome;
        Some(match &outcome.ended {
            _ if outcome.won => "the goal is reached".to_owned(),
            None => OVER.to_owned(),
            Some(why) => format!("{OVER}: {why}"),
        })
    }

    /// At the node a step led to: asks for the next action unless one is recommended already, or, where the episode is over, for what is still
    /// to be written after its last step; ends the automatic run where it ends.
    pub(super) fn settle(&mut self) {
        let ended = self.ended();
        let policy = &self.session.policy;
        if let Some(words) = &ended {
            self.say(Level::Info, words.clone());
        } else if policy.is_automatic() && self.taken >= policy.steps {
            let why = policy::steps_used(policy.steps);
            self.stop_policy(&why);
            self.say(Level::Info, format!("{why}; you decide again"));
        }
        match ended {
            // Nobody would decide about what was asked; who runs the episode says whether it goes on.
            _ if self.headless && !self.session.policy.is_automatic() => {}
            // The method answers with artifacts alone; the automatic run ends once it has none (`Advice::Rest`). That is no step, so a
            // used-up allowance does not keep it from being decided about.
            Some(_) => self.consult(None),
            None => self.go_on(),
        }
    }

    fn moved(&mut self, to: super::NodeId, then: AfterMove, result: Result<(), String>) {
        if let Err(error) = result {
            self.replay = None;
            self.stop_policy(&error);
            // Looking at another step leaves no trace, also where that cannot be reached.
            if matches!(then, AfterMove::Read(_) | AfterMove::Again(_)) {
                self.record(Event::Failed { error: error.clone(), stuck: false });
            }
            return self.refuse(Level::Error, error);
        }
        let is_back = self.bring_back(to);
        if to != self.session.cursor() {
            self.record(Event::Moved { to });
        }
        self.new_round();
        let (back, follows) = (then == AfterMove::TakenBefore, then == AfterMove::Follow);
        if let AfterMove::Read(text) = then {
            self.phase = Phase::Reading(Intent::Manual);
            self.out.push(Effect::ReadText { text, from: None });
        } else if let AfterMove::Again(decision) = then {
            let (id, choice) = (decision.proposal(), decision.choice);
            let proposal = self.session.current().and_then(|node| node.turn.proposal(id)).cloned();
            self.out.extend(proposal.map(Effect::CheckProposal));
            self.check(
                [id].into(),
                Then::Take { choice, by: Actor::Person, why: "made again, on a branch".to_owned() },
            );
        } else if let Some(node) = self.session.current() {
            let (depth, branches) = (node.depth, node.children.len());
            let open = if branches > 0 { "; another decision here starts a branch" } else { "" };
            let text = match (back, follows) {
                (true, _) => format!("{TAKEN_BEFORE}{depth}; typed, the same action begins a second one"),
                (_, true) => format!("{TAKEN_BEFORE}{depth}"),
                _ => format!("at step {depth}{open}"),
            };
            let text = if is_back { format!("{text}; its branch, which was deleted, is back") } else { text };
            self.say(Level::Info, text);
        }
        if follows {
            self.followed();
        }
    }

    /// Brings the deleted branches back that lead to a node, where there are any: what is done there is not to be left out of lists and
    /// exports.
    pub(super) fn bring_back(&mut self, node: super::NodeId) -> bool {
        let deleted = self.session.deleted_above(node);
        for branch in &deleted {
            self.record(Event::BranchEdited { branch: *branch, edit: BranchEdit::Delete { deleted: false } });
        }
        !deleted.is_empty()
    }

    /// Checks what is open at the cursor again, then asks the method again. What was decided about keeps the verdict it had then.
    pub(super) fn check_again(&mut self) {
        let turn = self.session.current().map(|n| &n.turn);
        let open = turn.into_iter().flat_map(|t| t.proposals.iter().filter(|p| t.decision_on(p.id).is_none()));
        let offered: Vec<_> = open.map(|p| p.as_ref().clone()).collect();
        let left = offered.iter().map(|p| p.id).collect();
        for proposal in offered {
            self.out.push(Effect::CheckProposal(proposal));
        }
        let asking = self.ask.is_some() || self.session.is_done();
        self.check(left, if asking { Then::Rest } else { Then::Consult });
    }
}
