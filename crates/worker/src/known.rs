//! Names that CPython offers: methods of its plain types and its builtins. Distinguishes the code's mistakes from the engine's gaps.

const TEXT: &str = "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha \
    isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip \
    partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip \
    swapcase title translate upper zfill";
const LIST: &str = "append clear copy count extend index insert pop remove reverse sort";
const DICT: &str = "clear copy get items keys pop popitem setdefault update values";
const FROZENSET: &str = "copy difference intersection isdisjoint issubset issuperset symmetric_difference union";
const SET: &str =
    "add clear difference_update discard intersection_update pop remove symmetric_difference_update update";
const TUPLE: &str = "count index";
const INT: &str = "as_integer_ratio bit_count bit_length conjugate denominator imag is_integer numerator real to_bytes";
const FLOAT: &str = "as_integer_ratio conjugate hex imag is_integer real";

/// What CPython's modules have of which stand-ins of a prelude (`crates/skill/src/code/prelude.py`) have a part: of their classes' names.
const RE: &str = "A ASCII DEBUG DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern PatternError RegexFlag S Scanner T \
    TEMPLATE U UNICODE VERBOSE X compile copyreg enum error escape findall finditer fullmatch functools match purge search split sub \
    subn template";
const MATCH: &str = "end endpos expand group groupdict groups lastgroup lastindex pos re regs span start string";
const PATTERN: &str = "findall finditer flags fullmatch groupindex groups match pattern scanner search split sub subn";

/// The plain types whose methods may be taken from the type itself (`str.lower`).
pub(crate) const TYPES: &[&str] = &["str", "list", "dict", "set", "frozenset", "tuple", "int", "float"];

pub(crate) fn has_attribute(type_name: &str, attribute: &str) -> bool {
    let (lists, of_class): (&[&str], &[&str]) = match type_name {
        "str" => (&[TEXT], &["maketrans"]),
        "list" => (&[LIST], &[]),
        "dict" => (&[DICT], &["fromkeys"]),
        "set" => (&[FROZENSET, SET], &[]),
        "frozenset" => (&[FROZENSET], &[]),
        "tuple" => (&[TUPLE], &[]),
        "int" | "bool" => (&[INT], &["from_bytes"]),
        "float" => (&[FLOAT], &["fromhex"]),
        "dict_keys" | "dict_items" => (&[], &["isdisjoint", "mapping"]),
        "range" => (&[TUPLE], &["start", "stop", "step"]),
        "slice" => (&[], &["indices", "start", "stop", "step"]),
        "dict_values" => (&[], &["mapping"]),
        "_Re" => (&[RE], &[]),
        "_Match" => (&[MATCH], &[]),
        "_Pattern" => (&[PATTERN], &[]),
        // What these modules have is not listed here.
        "_Ast" | "_Numpy" => return true,
        _ => (&[], &[]),
    };
    of_class.contains(&attribute) || lists.iter().any(|list| list.split_whitespace().any(|name| name == attribute))
}

/// What CPython calls a prelude's stand-in.
pub(crate) fn stands_for(class: &str) -> Option<&'static str> {
    Some(match class {
        "_Re" => "re",
        "_Match" => "re.Match",
        "_Pattern" => "re.Pattern",
        "_Ast" => "ast",
        "_Numpy" => "numpy",
        _ => return None,
    })
}

pub(crate) fn is_method(name: &str) -> bool {
    [TEXT, LIST, DICT, FROZENSET, SET].iter().any(|list| list.split_whitespace().any(|method| method == name))
}

pub(crate) fn is_builtin(name: &str) -> bool {
    const NAMES: &str = "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex \
        copyright credits delattr dict dir divmod enumerate exit filter float format frozenset getattr globals hasattr hash help hex \
        id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print \
        property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip Ellipsis \
        NotImplemented";
    NAMES.split_whitespace().any(|builtin| builtin == name) || is_exception(name)
}

fn is_exception(name: &str) -> bool {
    const NAMES: &str = "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError \
        BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError \
        ConnectionResetError DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError \
        FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError \
        IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError \
        NameError NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError \
        ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration \
        StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError \
        UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning \
        ZeroDivisionError";
    NAMES.split_whitespace().any(|exception| exception == name)
}

/// Whether a builtin reaches outside the program.
pub(crate) fn reaches_outside(name: &str) -> bool {
    matches!(name, "open" | "input" | "breakpoint" | "help")
}
