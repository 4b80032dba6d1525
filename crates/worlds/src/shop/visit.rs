//! Visit in one of the engine's forms, behind one interface: what an action does, what is then to be seen and clicked.

use std::sync::Arc;

use stepwright_shop::buyer::Seen;
use stepwright_shop::page::{Kind, PER_PAGE, Page, SEARCH};
use stepwright_shop::session::parse;
use stepwright_shop::{Goal, Reward, Session, Shop, Site};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    #[default]
    Site,
    /// The text environment, pieces between separators.
    Text,
    /// The text environment, a line a piece.
    Rich,
}

impl Form {
    /// The form of an option's word; the site for any other.
    pub fn of(word: &str) -> Self {
        match word {
            "text" => Form::Text,
            "text-rich" => Form::Rich,
            _ => Form::Site,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Form::Site => "site",
            Form::Text => "text",
            Form::Rich => "text-rich",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub form: Form,
    pub attributes: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Visit {
    Site(Site),
    Text(Session, Form),
}

pub(super) struct Answer {
    pub(super) observation: String,
    pub(super) reward: f64,
    pub(super) done: bool,
    pub(super) taken: bool,
}

impl Visit {
    pub(super) fn new(shop: &Arc<Shop>, goal: usize, options: Options) -> Option<Self> {
        let shop = Arc::clone(shop);
        match options.form {
            Form::Site => Site::new(shop, goal).map(Visit::Site),
            form => Session::new(shop, goal, options.attributes).map(|session| Visit::Text(session, form)),
        }
    }

    pub(super) fn form(&self) -> Form {
        match self {
            Visit::Site(_) => Form::Site,
            Visit::Text(_, form) => *form,
        }
    }

    pub(super) fn goal(&self) -> &Goal {
        match self {
            Visit::Site(site) => site.goal(),
            Visit::Text(session, _) => session.goal(),
        }
    }

    pub(super) fn shop(&self) -> &Shop {
        match self {
            Visit::Site(site) => site.shop(),
            Visit::Text(session, _) => session.shop(),
        }
    }

    pub(super) fn page(&self) -> &Page {
        match self {
            Visit::Site(site) => site.page(),
            Visit::Text(session, _) => session.page(),
        }
    }

    pub(super) fn reward(&self) -> Option<&Reward> {
        match self {
            Visit::Site(site) => site.reward(),
            Visit::Text(session, _) => session.reward(),
        }
    }

    /// The number of the product looked at; empty for none.
    pub(super) fn asin(&self) -> &str {
        match self {
            Visit::Site(site) => &site.asin,
            Visit::Text(session, _) => session.asin.as_deref().unwrap_or_default(),
        }
    }

    pub(super) fn query(&self) -> String {
        match self {
            Visit::Site(site) => site.query.clone(),
            Visit::Text(session, _) => session.keywords.as_deref().map(|words| words.join(" ")).unwrap_or_default(),
        }
    }

    pub(super) fn chosen(&self) -> impl Iterator<Item = (&String, &String)> {
        match self {
            Visit::Site(site) => site.options.iter(),
            Visit::Text(session, _) => session.options.iter(),
        }
    }

    pub(super) fn seen(&self) -> Seen {
        match self {
            Visit::Site(site) => Seen::of_site(site),
            Visit::Text(session, _) => Seen::of(session.page(), PER_PAGE, &session.options),
        }
    }

    pub(super) fn observation(&self) -> String {
        match self {
            Visit::Site(site) => site.observation(),
            Visit::Text(session, Form::Rich) => session.text_rich(),
            Visit::Text(session, _) => session.text(),
        }
    }

    /// The buttons, as they are to be written.
    pub(super) fn clickables(&self) -> Vec<String> {
        match self {
            Visit::Site(site) => site.clickables(),
            Visit::Text(session, _) => {
                let search = SEARCH.to_lowercase();
                session.available().clickables.into_iter().filter(|text| *text != search).collect()
            }
        }
    }

    pub(super) fn is_search_page(&self) -> bool {
        self.page().kind == Kind::Search
    }

    pub(super) fn act(&mut self, action: &str) -> Answer {
        match self {
            Visit::Site(site) => {
                let (observation, step) = site.step(action);
                Answer { observation, reward: step.reward, done: step.done, taken: step.taken }
            }
            Visit::Text(session, _) => {
                let step = session.step(action);
                Answer { observation: self.observation(), reward: step.reward, done: step.done, taken: step.taken }
            }
        }
    }
}

/// The name of an action and what is in its brackets, for all forms: `search`, `click` or `think`.
pub(super) fn read(action: &str) -> Option<(&'static str, &str)> {
    let whole = ["search", "click", "think"].into_iter().find_map(|name| {
        let inside = action.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
        (!inside.is_empty()).then_some((name, inside))
    });
    whole.or_else(|| {
        let (name, inside) = parse(action)?;
        Some((["search", "click"].into_iter().find(|known| *known == name)?, inside))
    })
}
