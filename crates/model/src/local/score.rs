//! Scoring of given texts: their beginnings in common are run once, and all of them in a few passes over the weights.

use std::collections::HashMap;

use tokio_util::sync::CancellationToken;

use super::generate::mask;
use super::runner::{Prompt, Runner, Stop, finite};
use crate::{Completion, ScoreRequest, TokenLogprob};

/// Tokens run at once: between two blocks a cancellation is noticed and progress is reported.
const BLOCK: usize = 64;

/// Rows of log-probabilities held at once: each is as long as the vocabulary.
const ROWS: usize = 16;

/// A token of some candidates, after the same tokens.
struct Node {
    token: u32,
    /// Position after the prompt, from 0.
    depth: usize,
    parent: Option<usize>,
    children: HashMap<u32, usize>,
    logprob: f32,
}

/// Candidates joined where they begin alike. A node comes after its parent.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    roots: HashMap<u32, usize>,
}

impl Tree {
    /// Adds a candidate; gives its nodes.
    fn add(&mut self, tokens: &[u32]) -> Vec<usize> {
        let mut path = Vec::with_capacity(tokens.len());
        for (depth, token) in tokens.iter().enumerate() {
            let parent = path.last().copied();
            let new = self.nodes.len();
            let children = match parent.and_then(|p: usize| self.nodes.get_mut(p)) {
                Some(node) => &mut node.children,
                None => &mut self.roots,
            };
            let at = *children.entry(*token).or_insert(new);
            if at == new {
                self.nodes.push(Node { token: *token, depth, parent, children: HashMap::new(), logprob: 0.0 });
            }
            path.push(at);
        }
        path
    }

    /// Writes down the log-probabilities of what may follow node `at` (the prompt, if `None`).
    fn follow(&mut self, at: Option<usize>, row: &[f32]) {
        let children = at.map_or(Some(&self.roots), |at| self.nodes.get(at).map(|n| &n.children));
        let children: Vec<(u32, usize)> = children.into_iter().flatten().map(|(t, n)| (*t, *n)).collect();
        for (token, child) in children {
            if let (Some(node), Some(p)) = (self.nodes.get_mut(child), row.get(token as usize)) {
                node.logprob = *p;
            }
        }
    }
}

impl Runner {
    /// Scores candidates as what comes right after the messages; `done` is called with how many have all their numbers.
    pub(super) fn score(
        &mut self,
        request: &ScoreRequest,
        done: &dyn Fn(usize),
        cancel: &CancellationToken,
    ) -> Result<Vec<Completion>, Stop> {
        let Prompt { tokens: prompt, mut cache, next } = self.prompt(&request.messages, cancel)?;
        let mut tree = Tree::default();
        let mut paths = Vec::with_capacity(request.candidates.len());
        for candidate in &request.candidates {
            let tokens = self.tokens.encode(candidate, false)?;
            let (all, context) = (prompt.len() + tokens.len(), self.network.context());
            if all > context {
                return Err(Stop::Failed(format!(
                    "the prompt and a candidate take {all} tokens and the model holds {context}; show fewer \
                     demonstrations or steps"
                )));
            }
            paths.push(tree.add(&tokens));
        }
        tree.follow(None, &next);
        // Only what something follows needs to be run.
        let inner: Vec<usize> =
            tree.nodes.iter().enumerate().filter(|(_, n)| !n.children.is_empty()).map(|(i, _)| i).collect();
        let column: HashMap<usize, usize> = inner.iter().copied().zip(prompt.len()..).collect();
        // A candidate waits for what comes before its last token.
        let waits: Vec<Option<usize>> = paths.iter().map(|p| p.iter().rev().nth(1).copied()).collect();
        done(waits.iter().filter(|w| w.is_none()).count());
        for block in inner.chunks(BLOCK) {
            if cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            let columns: Vec<Vec<usize>> = block.iter().map(|at| columns(&tree, &column, *at)).collect();
            let columns: Vec<&[usize]> = columns.iter().map(Vec::as_slice).collect();
            let mask = mask(&columns, prompt.len(), cache.len() + block.len())?;
            let nodes = || block.iter().filter_map(|at| tree.nodes.get(*at));
            let tokens: Vec<u32> = nodes().map(|n| n.token).collect();
            let positions: Vec<u32> = nodes().filter_map(|n| u32::try_from(prompt.len() + n.depth).ok()).collect();
            let hidden = self.network.forward(&tokens, &positions, Some(&mask), &mut cache)?;
            for (rows, from) in block.chunks(ROWS).zip((0..).step_by(ROWS)) {
                if cancel.is_cancelled() {
                    return Err(Stop::Cancelled);
                }
                let found = self.network.log_probabilities(&hidden.narrow(0, from, rows.len())?)?;
                for (i, at) in rows.iter().enumerate() {
                    let row = finite(found.get(i)?.to_vec1()?)?;
                    tree.follow(Some(*at), &row);
                }
            }
            let run = block.last().copied();
            done(waits.iter().filter(|w| **w <= run).count());
        }
        let token =
            |n: &Node| TokenLogprob::new(String::from_utf8_lossy(self.tokens.bytes(n.token)), f64::from(n.logprob));
        let scored = request.candidates.iter().zip(paths).map(|(text, path)| Completion {
            text: text.clone(),
            tokens: path.iter().filter_map(|at| tree.nodes.get(*at)).map(token).collect(),
            ..Completion::default()
        });
        Ok(scored.collect())
    }
}

/// Where in the cache a node and all before it are.
fn columns(tree: &Tree, column: &HashMap<usize, usize>, at: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = Some(at);
    while let Some(node) = at {
        found.extend(column.get(&node));
        at = tree.nodes.get(node).and_then(|n| n.parent);
    }
    found
}
