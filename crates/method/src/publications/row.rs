//! A publication as a row of data: whose it is, of which methods, and what it fixed in each world.

use stepwright_episode::Generation;

/// The interface that an ask goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// One text that the model continues.
    Text,
    /// Chat messages.
    Chat,
    /// The same text as with [`Interface::Text`]; where the model takes chat messages, as the only one, of the user.
    Message,
}

/// When an answer is asked for again, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Again {
    /// Answers of fewer characters are, blanks at the ends aside.
    pub shorter_than: usize,
    /// The temperatures of the further asks, one each.
    pub temperatures: &'static [f64],
}

/// The parameters of an ask; what is `None` is left to the method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    pub interface: Option<Interface>,
    pub temperature: Option<f64>,
    pub n: Option<u32>,
    /// Tokens of an answer; one that is cut at them counts.
    pub max_tokens: Option<u32>,
    pub top_p: Option<f64>,
    pub stop: Option<&'static [&'static str]>,
    pub frequency_penalty: Option<f64>,
    pub presence_penalty: Option<f64>,
    pub logprobs: Option<bool>,
    pub again: Option<Again>,
    /// The answer that stands in for one that could not be had.
    pub failed: Option<&'static str>,
}

impl Asked {
    pub const NOTHING: Asked = Asked {
        interface: None,
        temperature: None,
        n: None,
        max_tokens: None,
        top_p: None,
        stop: None,
        frequency_penalty: None,
        presence_penalty: None,
        logprobs: None,
        again: None,
        failed: None,
    };

    /// The limits of an answer: these, else the method's own.
    pub fn generation(&self, own: Generation) -> Generation {
        Generation {
            max_tokens: self.max_tokens.unwrap_or(own.max_tokens),
            stop: self.stop.map_or(own.stop, |stop| stop.iter().map(|text| (*text).to_owned()).collect()),
            frequency_penalty: self.frequency_penalty.unwrap_or(own.frequency_penalty),
            presence_penalty: self.presence_penalty.unwrap_or(own.presence_penalty),
            top_p: self.top_p.or(own.top_p),
            logprobs: self.logprobs.unwrap_or(own.logprobs),
            cut_counts: self.max_tokens.is_some() || own.cut_counts,
            failed: self.failed.map(str::to_owned).or(own.failed),
            ..own
        }
    }
}

/// What a publication fixed in one world, or in all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The world's name; empty for all that have no row of their own.
    pub world: &'static str,
    /// The asks by their purpose, as the method names it; empty for all that have no entry of their own.
    pub asks: &'static [(&'static str, Asked)],
    /// Values of the methods' options, by key.
    pub options: &'static [(&'static str, &'static str)],
}

impl Row {
    /// The parameters of asks of a purpose.
    pub fn asked(&self, purpose: &str) -> Asked {
        let of = |name: &str| self.asks.iter().find(|(of, _)| *of == name).map(|(_, asked)| *asked);
        of(purpose).or_else(|| of("")).unwrap_or(Asked::NOTHING)
    }
}

/// A publication, or a revision of its program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Publication {
    pub id: &'static str,
    /// Whose, in a few words.
    pub title: &'static str,
    /// The methods that it is of, by id.
    pub methods: &'static [&'static str],
    pub rows: &'static [Row],
}

impl Publication {
    pub(super) fn row(&self, world: &str) -> Option<&'static Row> {
        let of = |name: &str| self.rows.iter().find(|row| row.world == name);
        of(world).or_else(|| of(""))
    }
}
