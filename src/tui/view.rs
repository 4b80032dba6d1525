//! What the panes show: the session folded from the driver's records, and what passes by beside it.
//!
//! Pure: no terminal, no channel. The application folds notices in with [`View::notice`]; panes only read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::blocking::BlockingTree;
use crate::driver::{Level, LineStatus, Notice, Situation};
use crate::episode::{AskId, Event, Node, Origin, Proposal, ProposalId, Record, Session, Turn, Verdict};
use crate::precondition::{Candidate, Pool};

/// The view: everything that is drawn comes from here.
#[derive(Debug, Default)]
pub struct View {
    /// The session; `None` on the start screen.
    pub session: Option<Session>,
    /// Its records, for the log pane.
    pub records: Vec<Record>,
    /// The log file.
    pub path: Option<PathBuf>,
    /// World and program at the cursor.
    pub situation: Option<Arc<Situation>>,
    /// Text received so far of each pending ask, by completion.
    pub streams: BTreeMap<AskId, BTreeMap<u32, String>>,
    /// The countdown of a pending retry, in words.
    pub retrying: Option<(AskId, String)>,
    /// Long work: what, done, total.
    pub progress: Option<(String, usize, usize)>,
    /// Candidate pools by action function.
    pub pools: BTreeMap<String, Arc<Pool>>,
    /// The blocking tree last asked for.
    pub blocking: Option<(ProposalId, Arc<BlockingTree>)>,
    /// The answer to the last typed text: its token and what checking said.
    pub text_checked: Option<(u64, Result<Verdict, String>)>,
    /// The answer to the last edited program.
    pub program_checked: Option<(u64, Vec<LineStatus>)>,
    /// The answer to the last candidate being typed.
    pub candidate_checked: Option<(u64, Box<Candidate>)>,
    /// The proposal the person has chosen to look at; approve acts on it.
    pub selected: Option<ProposalId>,
    /// The message line.
    pub message: Option<(Level, String)>,
    /// Counts every change; panes cache by it.
    pub revision: u64,
    /// Whether the driver has stopped.
    pub stopped: bool,
}

impl View {
    /// Folds one notice in.
    pub fn notice(&mut self, notice: Notice) {
        self.revision += 1;
        match notice {
            Notice::Opened { header, records, path } => self.open(*header, &records, path),
            Notice::Recorded(record) => self.record(*record),
            Notice::Situation(situation) => self.situation = Some(situation),
            Notice::Stream { ask, index, text } => {
                self.retrying = None;
                self.streams.entry(ask).or_default().entry(index).or_default().push_str(&text);
            }
            Notice::Retrying { ask, attempt, wait, why } => {
                let seconds = wait.as_secs_f32();
                self.retrying = Some((ask, format!("{why}; attempt {attempt} in {seconds:.0} s")));
            }
            Notice::Progress { what, done, total } => {
                self.progress = (total == 0 || done < total).then_some((what, done, total));
            }
            Notice::TextChecked { token, verdict } => self.text_checked = Some((token, verdict)),
            Notice::ProgramChecked { token, lines } => self.program_checked = Some((token, lines)),
            Notice::Blocking { proposal, tree } => self.blocking = Some((proposal, tree)),
            Notice::Pool(pool) => {
                self.pools.insert(pool.action.clone(), pool);
            }
            Notice::CandidateChecked { token, candidate } => self.candidate_checked = Some((token, candidate)),
            Notice::Say { level, text } => self.message = Some((level, text)),
            Notice::Stopped => self.stopped = true,
        }
    }

    fn open(&mut self, header: crate::episode::Header, records: &[Record], path: Option<PathBuf>) {
        *self = View { revision: self.revision, message: self.message.take(), path, ..View::default() };
        self.session = Some(Session::new(header));
        for record in records {
            self.record(record.clone());
        }
    }

    fn record(&mut self, record: Record) {
        let Some(session) = &mut self.session else { return };
        let before = session.cursor();
        if let Err(misfit) = session.apply(&record) {
            self.message = Some((Level::Error, misfit.to_string()));
            return;
        }
        match &record.event {
            Event::Answered { ask, .. } | Event::AskFailed { ask, .. } => {
                self.streams.remove(ask);
                self.retrying = None;
            }
            // A recommendation moves the choice only where the person has not chosen yet, or rejected what was chosen.
            Event::Recommended { proposal: Some(id), .. }
                if self.selected.is_none_or(|s| session.current().is_some_and(|n| n.turn.rejection(s).is_some())) =>
            {
                self.selected = Some(*id);
            }
            _ => {}
        }
        if session.cursor() != before {
            self.selected = session.current().and_then(|n| n.turn.recommended.as_ref()).and_then(|(id, _)| *id);
            self.blocking = None;
        }
        self.records.push(record);
    }

    /// The node at the cursor.
    pub fn node(&self) -> Option<&Node> {
        self.session.as_ref().and_then(Session::current)
    }

    /// What happened at the cursor since arriving there.
    pub fn turn(&self) -> Option<&Turn> {
        self.node().map(|n| &n.turn)
    }

    /// The proposals to show at the cursor, in order of arrival. What the built-in proposer offered before and now offers again
    /// is shown once, where it stands in the newer ranking.
    pub fn offered(&self) -> Vec<&Proposal> {
        let Some(turn) = self.turn() else { return Vec::new() };
        let decided = |id| turn.decisions.iter().any(|d| d.proposal() == id);
        let again = |i: usize, p: &Proposal| {
            p.origin == Origin::Symbolic
                && turn
                    .proposals
                    .iter()
                    .skip(i + 1)
                    .any(|later| later.origin == Origin::Symbolic && later.action == p.action)
        };
        let shown = turn.proposals.iter().enumerate().filter(|(i, p)| decided(p.id) || !again(*i, p));
        shown.map(|(_, p)| p).collect()
    }

    /// The chosen proposal.
    pub fn chosen(&self) -> Option<&Proposal> {
        self.selected.and_then(|id| self.turn().and_then(|t| t.proposal(id)))
    }
}
