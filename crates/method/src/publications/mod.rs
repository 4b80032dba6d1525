//! Publications: what each fixed of its methods, as data. A row says whose settings they are, the kind of interface and the parameters of
//! an ask by its purpose, and the values of the methods' options; the option [`SETTINGS`] names one.
//!
//! What a person sets goes before a publication's value, that before the method's own, and that before what is configured for models.
//! Values of options are filled in when a session begins or is changed ([`preset`]), so that a session records them; parameters of asks are
//! read where a method asks ([`crate::Context::fixed`]). A file beside this one holds the rows of a family of methods.

mod blocking;
mod code_policy;
mod o3d;
mod react;
mod reprompt;
mod row;
mod statler;

use std::collections::BTreeMap;

pub use row::{Again, Asked, Interface, Publication, Row};
use stepwright_world::options::{Kind, Table};

/// All publications, family by family.
const FAMILIES: [&[Publication]; 6] =
    [react::ROWS, reprompt::ROWS, statler::ROWS, blocking::ROWS, code_policy::ROWS, o3d::ROWS];

/// The value of [`SETTINGS`] that names no publication.
pub const OWN: &str = "method";

stepwright_world::option_specs! {
    pub SETTINGS: "settings", "Settings",
        "whose interface, parameters, limits, examples and retries a method has", (Kind::Choice(&WORDS)) or OWN;
}

const COUNT: usize = {
    let (mut at, mut sum) = (0, 1);
    while at < FAMILIES.len() {
        sum += FAMILIES[at].len();
        at += 1;
    }
    sum
};

/// The values of [`SETTINGS`].
const WORDS: [(&str, &str); COUNT] = {
    let mut words = [(OWN, "no publication's; the method's own"); COUNT];
    let (mut family, mut to) = (0, 1);
    while family < FAMILIES.len() {
        let mut at = 0;
        while at < FAMILIES[family].len() {
            words[to] = (FAMILIES[family][at].id, FAMILIES[family][at].title);
            at += 1;
            to += 1;
        }
        family += 1;
    }
    words
};

pub fn all() -> impl Iterator<Item = &'static Publication> {
    FAMILIES.iter().copied().flatten()
}

/// The publication of an id, where it is one of the method.
pub fn of(id: &str, method: &str) -> Option<&'static Publication> {
    all().find(|publication| publication.id == id && publication.methods.contains(&method))
}

/// What the publication of an id fixed of a method in a world.
pub fn fixed(id: &str, method: &str, world: &str) -> Option<&'static Row> {
    of(id, method)?.row(world)
}

/// Whose settings a method has by its options, in words; `None` where no publication is of it in the world.
pub fn whose(method: &str, world: &str, options: &BTreeMap<String, String>) -> Option<String> {
    let mut known = all().filter(|p| p.methods.contains(&method) && p.row(world).is_some()).peekable();
    known.peek()?;
    let id = options.get(SETTINGS.key).map_or(OWN, String::as_str);
    if let Some(publication) = of(id, method) {
        return Some(format!("settings {id}: {}", publication.title));
    }
    let known: Vec<String> = known.map(|p| format!("--settings {} ({})", p.id, p.title)).collect();
    Some(format!("{method} has settings of its own, not a publication's; for those of one: {}", known.join(", ")))
}

/// The given options of a method (`own` are those it has) with a publication's values where a key is not given.
/// Errors: the named publication is none of the method's, or says nothing of the world.
pub fn preset(
    (method, own): (&str, Table),
    world: &str,
    mut given: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, String> {
    let id = given.get(SETTINGS.key).map_or(OWN, String::as_str);
    let Some(publication) = all().find(|publication| publication.id == id) else { return Ok(given) };
    let Publication { title, methods, .. } = publication;
    if !methods.contains(&method) {
        let known: Vec<&str> = all().filter(|p| p.methods.contains(&method)).map(|p| p.id).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(format!("settings = {id} ({title}) are of {}; those of {method}: {known}", methods.join(", ")));
    }
    let row = publication.row(world).ok_or_else(|| {
        let worlds: Vec<&str> = publication.rows.iter().map(|row| row.world).collect();
        format!("settings = {id} ({title}) say nothing of the world {world}; they are of {}", worlds.join(", "))
    })?;
    for (key, value) in row.options.iter().filter(|(key, _)| own.iter().any(|spec| spec.key == *key)) {
        given.entry((*key).to_owned()).or_insert_with(|| (*value).to_owned());
    }
    Ok(given)
}

/// The options of a change of a session whose options are `before`: where the settings become others, what these fixed, unless the change
/// sets it; what the settings of before had fixed goes with them.
/// Errors: as [`preset`].
pub fn changed(
    (method, own): (&str, Table),
    world: &str,
    before: &BTreeMap<String, String>,
    mut wanted: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, String> {
    let id = |options: &BTreeMap<String, String>| options.get(SETTINGS.key).map_or(OWN, String::as_str).to_owned();
    let (old, new) = (id(before), id(&wanted));
    if !wanted.contains_key(SETTINGS.key) || old == new {
        return Ok(wanted);
    }
    let default = |key: &str| own.iter().find(|spec| spec.key == key).map_or("", |spec| spec.default);
    let is_new = |key: &String, value: &String| before.get(key).map_or(default(key), String::as_str) != value;
    let set: BTreeMap<String, String> =
        wanted.iter().filter(|(key, value)| is_new(key, value)).map(|(k, v)| (k.clone(), v.clone())).collect();
    let left = all().find(|p| p.id == old).and_then(|p| p.row(world)).map_or(&[][..], |row| row.options);
    for (key, value) in left {
        if before.get(*key).is_some_and(|now| now == value) && !set.contains_key(*key) {
            wanted.insert((*key).to_owned(), default(key).to_owned());
        }
    }
    wanted.extend(preset((method, own), world, set)?);
    Ok(wanted)
}
