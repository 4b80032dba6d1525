//! What a script shows of a session: `show prompt 2: TEXT` (the lines of the model's second prompt that hold it), `show end 2` (its last lines), `show asked`
//! (what each request asked for), `show truth`, `show variables /agent`, `show belief /red block`, `show differences`, `show tree`, `show reason: ROW`, `show turn`,
//! `show offers`, `show path`, `show plan`, `show session` (its cursor, children, method and options), `show in force add`, `show departures` (effects in force that the last step contradicts), `show progress`, `show document plan`,
//! `show process` (how often it was started, and what it was asked).

use serde_json::Value;
use stepwright::blocking::BlockingTree;
use stepwright::driver::{Notice, Situation};
use stepwright::method::Place;
use stepwright::methods::METHODS;

use super::Play;

impl Play {
    pub fn situation(&self) -> &Situation {
        let notices = &self.watched.as_ref().expect("begun").notices;
        let shown = notices.iter().rev().find_map(|n| if let Notice::Situation(s) = n { Some(s) } else { None });
        shown.expect("a situation")
    }

    pub fn show(&mut self, what: &str) {
        let (words, text) = what.split_once(": ").unwrap_or((what, ""));
        let text = super::place::unescaped(text);
        let words: Vec<&str> = words.splitn(2, ' ').collect();
        let rest = words.get(1).copied().unwrap_or_default();
        let shown = match words[0] {
            "end" => {
                let prompt = self.prompt(rest.parse().unwrap(), "");
                let lines: Vec<&str> = prompt.lines().collect();
                lines[lines.len().saturating_sub(3)..].join("\n")
            }
            "prompt" => self.prompt(rest.parse().unwrap(), &text),
            "asked" => self.asked(),
            "truth" => self.situation().truth.to_string(),
            "variables" => self.situation().variables.pointer(rest).unwrap_or(&Value::Null).to_string(),
            "changes" => self.situation().truth_changes.to_string(),
            "belief" => self
                .session()
                .belief()
                .map_or(Value::Null, |b| b.pointer(rest).unwrap_or(&Value::Null).clone())
                .to_string(),
            "differences" => {
                let view = self.situation().belief.clone().expect("a belief");
                let paths: Vec<&str> = view.differences.iter().map(|d| d.path.as_str()).collect();
                format!("{paths:?}, by node {:?}", view.drift)
            }
            "tree" => {
                let live = if self.situation().live { "live" } else { "not live" };
                format!("{live}\n{}", drawn(&self.situation().goals))
            }
            "explained" => {
                let notices = &self.watched.as_ref().expect("begun").notices;
                let tree = |n: &Notice| if let Notice::Blocking { tree, .. } = n { Some(drawn(tree)) } else { None };
                notices.iter().rev().find_map(tree).expect("a tree")
            }
            "reason" => {
                let row = self.situation().goals.nodes.iter().find(|node| node.text == text);
                row.map_or_else(|| format!("no row {text}"), |row| row.why.clone())
            }
            "turn" => {
                let turn = &self.session().current().expect("begun").turn;
                let asks: Vec<String> = turn.asks.iter().map(|ask| ask.kind.to_string()).collect();
                let offers: Vec<String> = turn.offers.iter().map(|offer| format!("{:?}", offer.fate)).collect();
                format!("asks {asks:?}, {} proposals, offers {offers:?}, notes {:?}", turn.proposals.len(), turn.notes)
            }
            "marks" => {
                let turn = &self.session().current().expect("begun").turn;
                let marks = turn.proposals.iter().map(|p| format!("{}: {}", p.raw.trim(), turn.mark(p).word()));
                marks.collect::<Vec<_>>().join("; ")
            }
            "offer" => self.session().pending_offer().map_or("none".to_owned(), |offer| {
                let value = offer.written.value.as_ref().map(|value| value.to_string()).unwrap_or_default();
                format!("{}\n{}\n{value}", offer.written.title, offer.written.raw)
            }),
            "plan" => {
                let sections = METHODS.sections(&Place::at_cursor(self.session()));
                let lines = sections.iter().flat_map(|section| {
                    let lines = section.lines.iter().map(|line| format!("  {:?}: {}", line.mark, line.text));
                    std::iter::once(format!("{} {:?}", section.title, section.figures)).chain(lines)
                });
                lines.collect::<Vec<_>>().join("\n")
            }
            "session" => {
                let session = self.session();
                let children: Vec<_> = session.nodes().iter().map(|node| (node.id, &node.children)).collect();
                format!("at {} of {children:?}, {} {:?}", session.cursor(), session.method, session.options)
            }
            "departures" => {
                let node = self.session().current().expect("begun");
                let lines = node.outcome.departures.iter().map(|of| format!("{}: {}", of.effect, of.why));
                lines.collect::<Vec<_>>().join("\n")
            }
            "in" => format!("{:?}", self.session().assertions().get(rest.trim_start_matches("force "))),
            "document" => self
                .session()
                .document(&super::ask::artifact(rest))
                .map_or("none".to_owned(), |document| document.to_string()),
            "process" => {
                let read = |name: &str| std::fs::read_to_string(self.place.file(name)).unwrap_or_default();
                let asked =
                    read("asked").replace("{\"reset\":\"\"}", "reset").replace("{\"act\":\"", "").replace("\"}", "");
                let status =
                    self.watched.as_ref().expect("begun").notices.iter().rev().find_map(|notice| match notice {
                        Notice::World(status) => Some(format!("{status:?}")),
                        _ => None,
                    });
                let started = read("asked.pids").lines().count();
                format!("started {started} times; asked {}; {}", asked.replace('\n', " "), status.unwrap_or_default())
            }
            "progress" => {
                let notices = &self.watched.as_ref().expect("begun").notices;
                let progress = notices.iter().rev().find_map(|notice| match notice {
                    Notice::Progress { what, done, total } => Some(format!("{done} of {total}: {what}")),
                    _ => None,
                });
                progress.unwrap_or_default()
            }
            other => panic!("a script shows no {other}"),
        };
        self.say(&shown);
    }

    fn prompt(&self, number: usize, text: &str) -> String {
        let asked = self.place.model.asked.lock().unwrap();
        let prompt = asked[number - 1].messages.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n");
        if text.contains('\n') {
            return format!("{}: {text:?}", if prompt.contains(text) { "holds" } else { "holds not" });
        }
        let lines: Vec<&str> = prompt.lines().filter(|line| line.contains(text)).collect();
        if lines.is_empty() { format!("(nowhere: {text})") } else { lines.join("\n") }
    }

    fn asked(&self) -> String {
        let asked = self.place.model.asked.lock().unwrap();
        let words = asked.iter().map(|request| {
            let mut value = serde_json::to_value(request).unwrap();
            let messages = value.as_object_mut().and_then(|fields| fields.remove("messages")).unwrap_or_default();
            let roles: Vec<&str> =
                messages.as_array().into_iter().flatten().filter_map(|m| m["role"].as_str()).collect();
            format!("{} {value}", roles.join("+"))
        });
        words.collect::<Vec<_>>().join("\n")
    }
}

/// A tree, a row a line.
fn drawn(tree: &BlockingTree) -> String {
    let depth = |mut at: usize| std::iter::from_fn(|| tree.nodes[at].parent.inspect(|parent| at = *parent)).count();
    let rows = tree.nodes.iter().enumerate().map(|(at, node)| {
        format!("{}{}: {}", "  ".repeat(depth(at)), format!("{:?}", node.status).to_lowercase(), node.text)
    });
    rows.collect::<Vec<_>>().join("\n")
}
