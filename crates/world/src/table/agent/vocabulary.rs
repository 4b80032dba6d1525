//! Vocabulary of the reader, by what words may be mistaken for.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The words of the grammar of four letters and more: what a misspelt word may be meant to be.
const GRAMMAR: &str = "\
    hide hidden above accidentally another atop became become becomes below beneath block blocks both bottom bowl bowls clean \
    clear color colour contain containing contains contaminated could count cover covered covers directly dirty \
    disinfector does dropped each eight eighth either empty equal equals every fell fifth five four fourth from \
    greater half have heavier heaviest heavy height higher highest hold holding holds identical immediately inside \
    into less light lighter lightest list located lower lowest many more most move moved much name nine ninth \
    nothing object objects onto other others over place placed polluted position positioned positions quarter \
    remaining remove removed right same seven seventh should sixth smaller somebody stack stacked stacks such sum \
    sums table take tenth than that their them then there third three times total touched twice uncover uncovered \
    under underneath until upon weigh weighs weight weights what where which with within";

/// Colours and materials, which name objects; right as they are, though they may look like other words.
const COLOURS: &str = "\
    amber aqua beige black blue brass bright bronze brown ceramic clay copper coral crimson cyan dark glass gold \
    golden gray green grey indigo iron ivory lavender lilac lime magenta marble maroon mint navy ochre olive orange \
    pale paper pink plastic platinum purple red rose rust salmon silver steel stone tan teal tin transparent \
    turquoise violet white wood wooden yellow";

/// Further words of the grammar, and everyday ones: right as they are, no part of a name, and never what a misspelt word is taken
/// for.
const EVERYDAY: &str = "\
    about after afterwards again already also altogether among anything area away back balance balanced because been \
    before being belong bigger bring careful carries carry carrying cleaned colors colours compared completely \
    considered container containers contaminates coughed currently desk different dirt dirtied disinfect disinfected \
    double down drop drops dust dusty eighteen eighths eleven eleventh elevenths everything exceeding exceeds fallen \
    falls fewest fifteen fifths filthy finally floor found fourteen fourths getting good gotten grab great ground \
    halves hands having heights here high infected item items just kept knocked laid larger least left level levels \
    lies lift like location look looks lying make mass masses match matches messed muddy need neither next nineteen \
    ninths note number okay ones only oops ouch part person pick pile pity places please point pollutes quadruple \
    quarters region remain remains resting return returned rinsed robot sanitize sanitized second seventeen sevenths \
    shoot side sits sitting sixteen sixths slipped smeared sneezed soil soiled some someone something somewhere \
    sorry spilled spills spilt splashed spot spotless stained stand standing stands stay stays sterile sterilize \
    still straight surface tabletop tell tenths thank thanks themselves therefore these they thing things thirds \
    thirteen this those threw thrice thrown thus till time took toppled touches tower transfer transferred triple \
    true tumbled turn turned turns twelfth twelfths twelve twenty unclean uncontaminated unstack unused using very \
    wait want wash washed weighed well were while whole whoops whose will wiped without woops would your";

/// Short words of the grammar, which are never taken for a part of a name.
const SHORT: &str = "\
    a add all an and any are as at be big bottommost but by can did do first for free get gets got had has he hey hm \
    hmm how i if in is it its last lay let lie lone lowermost me mud my no non not now of off oh ok on one or our \
    out put rest say set she single sit six so ten the to too top topmost two uh unknown up uppermost us was we who \
    yes you";

/// What a known word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Grammar,
    Colour,
    Other,
}

static WORDS: LazyLock<FxHashMap<&'static str, Sort>> = LazyLock::new(|| {
    let sorts = [(SHORT, Sort::Other), (EVERYDAY, Sort::Other), (COLOURS, Sort::Colour), (GRAMMAR, Sort::Grammar)];
    sorts.into_iter().flat_map(|(words, sort)| words.split_whitespace().map(move |word| (word, sort))).collect()
});

/// What a misspelt word may be meant to be.
pub fn grammar<'a>() -> impl Iterator<Item = &'a str> {
    GRAMMAR.split_whitespace()
}

/// Whether a word is one of the grammar.
pub fn is_grammar(word: &str) -> bool {
    WORDS.get(word) == Some(&Sort::Grammar)
}

/// Whether a word is right as it is, in any sense.
pub fn is_known(word: &str) -> bool {
    WORDS.contains_key(word)
}

/// Whether a word is a colour or a material.
pub fn is_colour(word: &str) -> bool {
    WORDS.get(word) == Some(&Sort::Colour)
}

/// Whether a word may be part of an object's name: a colour, a material, or a word that means nothing else here.
pub fn may_name(word: &str) -> bool {
    let verb = word.ends_with("ed") || word.ends_with("ing") || word.ends_with("ly");
    is_colour(word) || !is_known(word) && !verb && word.chars().all(char::is_alphabetic)
}
