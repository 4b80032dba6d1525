//! Course of a generated dialogue: searching, choosing, booking, failing, asking back, taking leave.

use super::super::record::{Speaker, Turn};
use super::super::schema::{Intent, Service};
use super::phrases::{IntentPhrases, Phrases};
use super::talk::{Say, Talk};

pub(super) struct DialogueDraft<'a> {
    service: &'a Service,
    phrases: &'a Phrases,
    talk: Talk<'a>,
    stated: Vec<String>,
    /// Slots that the chosen result states.
    chosen: Vec<String>,
    /// Questions the system has not answered yet.
    open: Vec<String>,
}

enum Next {
    /// Takes leave; his turn has not been spoken yet.
    Leave,
    /// Goes on with another intent; the turn that says so has been spoken.
    Begin(String),
    Left,
}

impl<'a> DialogueDraft<'a> {
    pub(super) fn new(service: &'a Service, phrases: &'a Phrases, talk: Talk<'a>) -> Self {
        DialogueDraft { service, phrases, talk, stated: Vec::new(), chosen: Vec::new(), open: Vec::new() }
    }

    pub(super) fn run(mut self) -> Vec<Turn> {
        let searches: Vec<String> = self.names(|i| !i.is_transactional);
        let direct: Vec<String> = self.names(|i| i.is_transactional);
        let first = if self.talk.chance(0.3) { &direct } else { &searches };
        let Some(first) = self.talk.one_of(first) else { return self.talk.finish() };
        self.open(&first);
        let mut next = Next::Begin(first);
        while let Next::Begin(name) = next {
            next = match self.intent(&name) {
                Some((intent, phrases)) if intent.is_transactional => self.book(intent, phrases),
                Some((intent, phrases)) => self.search(intent, phrases),
                None => Next::Leave,
            };
        }
        if matches!(next, Next::Leave) {
            self.leave();
        }
        self.talk.finish()
    }

    fn names(&self, wanted: impl Fn(&Intent) -> bool) -> Vec<String> {
        self.service.intents.iter().filter(|i| wanted(i)).map(|i| i.name.clone()).collect()
    }

    fn intent(&self, name: &str) -> Option<(&'a Intent, &'a IntentPhrases)> {
        Some((self.service.intent(name)?, self.phrases.intents.get(name)?))
    }

    fn state(&mut self, slots: &[String]) {
        for slot in slots {
            self.talk.user_about("INFORM", slot, Say::Tell);
            if !self.stated.contains(slot) {
                self.stated.push(slot.clone());
            }
        }
    }

    /// The user's first turn: what he wants, and perhaps some slots at once.
    fn open(&mut self, name: &str) {
        let Some((_, phrases)) = self.intent(name) else { return };
        let before = self.talk.chance(0.4);
        if !before {
            self.talk.user("INFORM_INTENT", Some(name));
        }
        self.talk.words(if phrases.direct.is_empty() { &phrases.open } else { &phrases.direct });
        if self.talk.chance(0.6) {
            let early = self.talk.some_of(&phrases.early, 2);
            self.state(&early);
        }
        if before {
            self.talk.user("INFORM_INTENT", Some(name));
        }
        self.talk.end(Speaker::User);
    }

    /// The system asks for what a call still needs, until it has it.
    fn gather(&mut self, intent: &Intent, phrases: &IntentPhrases) {
        loop {
            let known = |slot: &&String| !self.stated.contains(slot) && !self.chosen.contains(slot);
            let missing: Vec<String> = intent.required_slots.iter().filter(known).cloned().collect();
            if missing.is_empty() {
                return;
            }
            let asked = self.talk.some_of(&missing, 2);
            for slot in &asked {
                self.talk.system_about("REQUEST", slot, Say::Ask);
            }
            self.talk.end(Speaker::System);
            // Sometimes only one question is answered, or more is stated than was asked.
            let mut stated = asked;
            if stated.len() > 1 && self.talk.chance(0.15) {
                stated.truncate(1);
            }
            let free: Vec<String> = phrases.early.iter().filter(|s| !self.stated.contains(s)).cloned().collect();
            let more = self.talk.one_of(&free).filter(|s| !stated.contains(s) && !self.chosen.contains(s));
            if self.talk.chance(0.2) {
                stated.extend(more);
            }
            self.state(&stated);
            self.talk.end(Speaker::User);
        }
    }

    /// The system offers a result, after a call or in place of one that was not wanted.
    fn offer(&mut self, phrases: &IntentPhrases, count: bool) {
        for slot in &phrases.offer {
            self.talk.system_about("OFFER", slot, Say::Show);
        }
        if count {
            self.talk.system_says(
                "INFORM_COUNT",
                &["There are several of them.", "It is one of a few.", "I found more than one."],
            );
        }
        self.talk.end(Speaker::System);
    }

    /// The user asks about one or two things, and the system answers.
    fn ask(&mut self, slots: &[String]) {
        let asked = self.talk.some_of(slots, 2);
        for slot in &asked {
            self.talk.user_about("REQUEST", slot, Say::Request);
        }
        self.talk.end(Speaker::User);
        self.open = asked;
        self.answer();
        self.talk.end(Speaker::System);
    }

    /// The system answers open questions, in the turn being built.
    fn answer(&mut self) {
        for slot in std::mem::take(&mut self.open) {
            self.talk.system_about("INFORM", &slot, Say::Show);
        }
    }

    fn search(&mut self, intent: &Intent, phrases: &IntentPhrases) -> Next {
        self.gather(intent, phrases);
        let mut failures = 0;
        while failures < 2 && self.talk.chance(0.18) {
            failures += 1;
            self.talk.call(&intent.name, false);
            self.talk.system_says("NOTIFY_FAILURE", &["I found nothing like that.", "There is nothing that fits."]);
            if self.talk.chance(0.6) {
                self.talk.system_says("REQ_MORE", &["Anything else I can do?", "Is there something else?"]);
            }
            self.talk.end(Speaker::System);
            if self.talk.chance(0.3) {
                return Next::Leave;
            }
            self.talk.say(&["Then let us change that.", "Try again, please."]);
            let changed = self.talk.some_of(&phrases.early, 1);
            self.state(&changed);
            self.talk.end(Speaker::User);
        }
        self.talk.call(&intent.name, true);
        let count = self.talk.chance(0.4) && !phrases.single;
        self.offer(phrases, count);
        let mut left: Vec<String> = phrases.ask.clone();
        for _ in 0..4 {
            if left.len() > 2 && self.talk.chance(0.35) {
                self.ask(&left);
                left.truncate(2);
            } else if self.talk.chance(0.25) && !phrases.single {
                self.talk.user_says(
                    "REQUEST_ALTS",
                    &["What else is there?", "Something else, please.", "Is there another one?"],
                );
                self.talk.end(Speaker::User);
                self.offer(phrases, false);
            } else if self.talk.chance(0.12) {
                self.talk.say(&["Wait, I changed my mind.", "No, rather this:"]);
                let changed = self.talk.some_of(&phrases.early, 1);
                self.state(&changed);
                self.talk.end(Speaker::User);
                self.talk.call(&intent.name, true);
                self.offer(phrases, false);
            } else {
                break;
            }
        }
        self.choose(phrases)
    }

    /// The user takes what is offered, with or without something further in mind.
    fn choose(&mut self, phrases: &IntentPhrases) -> Next {
        let then = phrases.then.as_deref().and_then(|name| Some((name, self.intent(name)?.1)));
        if self.talk.chance(0.12) {
            return Next::Leave;
        }
        if let Some((name, words)) = then
            && self.talk.chance(0.5)
        {
            self.talk.user("INFORM_INTENT", Some(name));
            self.take(phrases);
            self.talk.words(&words.open);
            self.early_of(words);
            self.talk.end(Speaker::User);
            return Next::Begin(name.to_owned());
        }
        self.take(phrases);
        if self.talk.chance(0.3) {
            self.goodbye();
            return Next::Left;
        }
        self.talk.end(Speaker::User);
        let Some((name, words)) = then.filter(|_| self.talk.chance(0.65)) else {
            self.more();
            self.decline();
            return Next::Left;
        };
        self.talk.system("OFFER_INTENT", Some(name));
        self.talk.words(&words.suggest);
        self.talk.end(Speaker::System);
        if self.talk.chance(0.6) {
            self.talk.user_says("AFFIRM_INTENT", &["Yes, please.", "Please do."]);
            self.early_of(words);
            self.talk.end(Speaker::User);
            return Next::Begin(name.to_owned());
        }
        self.talk.user_says("NEGATE_INTENT", &["No, not now.", "Not today."]);
        if self.talk.chance(0.5) {
            self.goodbye();
            return Next::Left;
        }
        self.talk.end(Speaker::User);
        self.more();
        self.decline();
        Next::Left
    }

    /// The user chooses what is offered: its name need not be stated any more.
    fn take(&mut self, phrases: &IntentPhrases) {
        self.talk.user("SELECT", None);
        self.talk.words(&phrases.take);
        self.chosen.extend(phrases.offer.iter().cloned());
    }

    /// The user may state slots with a new intent.
    fn early_of(&mut self, phrases: &IntentPhrases) {
        let free = |s: &&String| !self.stated.contains(s) && !self.chosen.contains(s);
        let free: Vec<String> = phrases.early.iter().filter(free).cloned().collect();
        if !free.is_empty() && self.talk.chance(0.4) {
            let early = self.talk.some_of(&free, 2);
            self.state(&early);
        }
    }

    fn book(&mut self, intent: &Intent, phrases: &IntentPhrases) -> Next {
        self.gather(intent, phrases);
        self.confirm(intent, phrases);
        for attempt in 0.. {
            if attempt == 2 || self.talk.chance(0.78) {
                break;
            }
            self.talk.call(&intent.name, false);
            self.talk.system("NOTIFY_FAILURE", None);
            self.talk.words(&phrases.failed);
            self.answer();
            let alternative = phrases.alternative.as_deref().filter(|_| self.talk.chance(0.6));
            match alternative {
                Some(slot) => {
                    self.talk.system_about("OFFER", slot, Say::Other);
                }
                None if self.talk.chance(0.5) => {
                    self.talk.system_says("REQ_MORE", &["Anything else I can do?", "Is there something else?"]);
                }
                None => {}
            }
            self.talk.end(Speaker::System);
            if self.talk.chance(0.25) {
                return Next::Leave;
            }
            if alternative.is_some() && self.talk.chance(0.7) {
                self.talk.user_says("AFFIRM", &["That is fine as well.", "Yes, that will do."]);
                self.talk.end(Speaker::User);
            } else {
                let changed = self.talk.some_of(&phrases.change, 1);
                self.talk.say(&["Then differently.", "Let us try this instead."]);
                self.state(&changed);
                self.talk.end(Speaker::User);
                self.confirm(intent, phrases);
            }
        }
        self.talk.call(&intent.name, true);
        self.talk.system("NOTIFY_SUCCESS", None);
        self.talk.words(&phrases.done);
        self.answer();
        self.talk.end(Speaker::System);
        if self.talk.chance(0.4) {
            self.ask(&phrases.ask);
        }
        Next::Leave
    }

    /// The system asks whether all is right, until it is.
    fn confirm(&mut self, intent: &Intent, phrases: &IntentPhrases) {
        // What was not stated is assumed, and the system may say so.
        let all = self.talk.chance(0.4);
        for round in 0.. {
            let optional = intent.optional_slots.keys().filter(|s| all || self.stated.contains(s));
            let slots: Vec<String> = intent.required_slots.iter().chain(optional).cloned().collect();
            for slot in slots {
                self.talk.system_about("CONFIRM", &slot, Say::Confirm);
            }
            self.talk.say(&["Is that right?", "Correct?"]);
            self.talk.end(Speaker::System);
            if round == 2 || self.talk.chance(0.7) {
                break;
            }
            let changed = self.talk.some_of(&phrases.change, 2);
            self.talk.say(&["No, not quite.", "Not like that."]);
            self.state(&changed);
            self.talk.user("NEGATE", None);
            self.talk.end(Speaker::User);
        }
        self.talk.user_says("AFFIRM", &["Yes, that is right.", "Correct.", "Exactly."]);
        if self.talk.chance(0.15) {
            let asked = self.talk.some_of(&phrases.ask, 1);
            for slot in &asked {
                self.talk.user_about("REQUEST", slot, Say::Request);
            }
            self.open = asked;
        }
        self.talk.end(Speaker::User);
    }

    /// The system asks what else is wanted.
    fn more(&mut self) {
        self.talk.system_says("REQ_MORE", &["What else can I do for you?", "Do you need anything else?"]);
        self.talk.end(Speaker::System);
    }

    /// The user wants nothing else.
    fn decline(&mut self) {
        self.talk.user_says("NEGATE", &["No.", "Nothing else."]);
        self.goodbye();
    }

    /// The user takes leave in the turn being built, and the system answers.
    fn goodbye(&mut self) {
        let (thanks, bye) = self.talk.one_of(&[(true, false), (false, true), (true, true)]).unwrap_or((true, true));
        if thanks {
            self.talk.user_says("THANK_YOU", &["Thank you.", "Thanks a lot."]);
        }
        if bye {
            self.talk.user_says("GOODBYE", &["Goodbye.", "Bye."]);
        }
        self.talk.end(Speaker::User);
        self.talk.system_says("GOODBYE", &["Goodbye.", "Have a good day.", "Until next time."]);
        self.talk.end(Speaker::System);
    }

    /// The user takes leave, at once or after being asked what else is wanted.
    fn leave(&mut self) {
        if self.talk.chance(0.4) {
            self.talk.user_says("THANK_YOU", &["Thank you.", "That helps, thanks."]);
            self.talk.end(Speaker::User);
            self.more();
            self.decline();
        } else {
            self.goodbye();
        }
    }
}
