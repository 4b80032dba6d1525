//! Modules that programs import.

use super::types::listed;

/// Modules that every Python has and this engine does not, with names that are imported from them: nothing happens when they are
/// imported, and what reads the name is refused.
const MODULES: &[(&str, &str)] = &[
    ("__future__", "annotations"),
    ("abc", "ABC abstractmethod"),
    ("copy", "copy deepcopy"),
    ("dataclasses", "dataclass field"),
    ("datetime", "date datetime timedelta"),
    ("enum", "Enum"),
    ("functools", "partial reduce"),
    ("itertools", "chain combinations permutations product"),
    ("json", "dumps loads"),
    ("math", "ceil floor inf sqrt"),
    ("os", ""),
    ("random", "choice randint random shuffle"),
    ("re", "findall match search sub"),
    ("string", ""),
    ("sys", ""),
    ("time", "sleep time"),
    (
        "typing",
        "Any Callable DefaultDict Dict FrozenSet Iterable Iterator List Literal Mapping Optional Sequence Set Tuple Type Union",
    ),
];

/// Whether it is a module of these, or a name to be imported from it.
pub(crate) fn is_not_offered(module: &str, name: Option<&str>) -> bool {
    MODULES.iter().any(|(known, names)| *known == module && name.is_none_or(|name| listed(names, name)))
}
