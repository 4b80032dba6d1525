//! Actions: their names in scripts, how many objects each takes, and the template each has in language.

use std::str::FromStr;

macro_rules! actions {
    ($($variant:ident = $name:literal, $arity:literal, $words:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action {
            $(#[doc = concat!("`", $name, "`: ", $words, ".")] $variant,)*
            /// `LOOKAT_SHORT`: is read, but nothing performs it.
            LookAtShort,
            /// `LOOKAT_LONG`: is read, but nothing performs it.
            LookAtLong,
        }

        impl Action {
            /// The actions that can be performed, in the order of the reference's table.
            pub const ALL: &'static [Action] = &[$(Action::$variant),*];

            /// Its name in a script (`SWITCHON`).
            pub fn name(self) -> &'static str {
                match self {
                    $(Action::$variant => $name,)*
                    Action::LookAtShort => "LOOKAT_SHORT",
                    Action::LookAtLong => "LOOKAT_LONG",
                }
            }

            pub fn arity(self) -> usize {
                match self {
                    $(Action::$variant => $arity,)*
                    Action::LookAtShort | Action::LookAtLong => 1,
                }
            }

            /// Its template in language, `{}` for each object (`put {} on {}`). `RELEASE` has no place for its object.
            pub fn words(self) -> &'static str {
                match self {
                    $(Action::$variant => $words,)*
                    Action::LookAtShort | Action::LookAtLong => "look at {}",
                }
            }
        }

        impl FromStr for Action {
            type Err = ();

            fn from_str(name: &str) -> Result<Self, ()> {
                match name {
                    $($name => Ok(Action::$variant),)*
                    "LOOKAT_MEDIUM" => Ok(Action::LookAt),
                    "LOOKAT_SHORT" => Ok(Action::LookAtShort),
                    "LOOKAT_LONG" => Ok(Action::LookAtLong),
                    _ => Err(()),
                }
            }
        }
    };
}

actions! {
    Walk = "WALK", 1, "walk to {}";
    Run = "RUN", 1, "run to {}";
    Find = "FIND", 1, "find {}";
    Greet = "GREET", 1, "greet {}";
    Sit = "SIT", 1, "sit on {}";
    StandUp = "STANDUP", 0, "stand up";
    Grab = "GRAB", 1, "grab {}";
    Open = "OPEN", 1, "open {}";
    Close = "CLOSE", 1, "close {}";
    PutBack = "PUTBACK", 2, "put {} on {}";
    PutIn = "PUTIN", 2, "put {} in {}";
    PutObjBack = "PUTOBJBACK", 1, "put back {}";
    SwitchOn = "SWITCHON", 1, "switch on {}";
    SwitchOff = "SWITCHOFF", 1, "switch off {}";
    Drink = "DRINK", 1, "drink {}";
    TurnTo = "TURNTO", 1, "turn to {}";
    LookAt = "LOOKAT", 1, "look at {}";
    PointAt = "POINTAT", 1, "point at {}";
    Watch = "WATCH", 1, "watch {}";
    Wipe = "WIPE", 1, "wipe {}";
    Wash = "WASH", 1, "wash {}";
    Rinse = "RINSE", 1, "rinse {}";
    Scrub = "SCRUB", 1, "scrub {}";
    PutOn = "PUTON", 1, "put on {}";
    PutOff = "PUTOFF", 1, "take off {}";
    Drop = "DROP", 1, "drop {}";
    Release = "RELEASE", 1, "release";
    Read = "READ", 1, "read {}";
    Touch = "TOUCH", 1, "touch {}";
    Lie = "LIE", 1, "lie on {}";
    Pour = "POUR", 2, "pour {} into {}";
    Type = "TYPE", 1, "type on {}";
    Push = "PUSH", 1, "push {}";
    Pull = "PULL", 1, "pull {}";
    Move = "MOVE", 1, "move {}";
    Squeeze = "SQUEEZE", 1, "squeeze {}";
    PlugIn = "PLUGIN", 1, "plug in {}";
    PlugOut = "PLUGOUT", 1, "plug out {}";
    Cut = "CUT", 1, "cut {}";
    Eat = "EAT", 1, "eat {}";
    Sleep = "SLEEP", 0, "sleep";
    WakeUp = "WAKEUP", 0, "wake up";
}
