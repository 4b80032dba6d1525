//! The built-in types and functions by name, and which attributes Python's own types have.

use super::fault::ExcKind;

macro_rules! types {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// A built-in type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Type { $($variant,)* Exc(ExcKind) }

        impl Type {
            pub(crate) fn name(self) -> &'static str {
                match self { $(Type::$variant => $name,)* Type::Exc(kind) => kind.name() }
            }
        }
    };
}

types! {
    Object = "object", Nothing = "NoneType", Dots = "ellipsis", Bool = "bool", Int = "int", Float = "float",
    Str = "str", Bytes = "bytes", Tuple = "tuple", List = "list", Dict = "dict", DefaultDict = "defaultdict", Set = "set",
    FrozenSet = "frozenset", Range = "range", Class = "type", Function = "function", Method = "method",
    BuiltinFunction = "builtin_function_or_method", Generator = "generator", ListIterator = "list_iterator",
    TupleIterator = "tuple_iterator", StrIterator = "str_iterator", StrAsciiIterator = "str_ascii_iterator",
    BytesIterator = "bytes_iterator", RangeIterator = "range_iterator", KeyIterator = "dict_keyiterator",
    ValueIterator = "dict_valueiterator", ItemIterator = "dict_itemiterator", SetIterator = "set_iterator",
    CallableIterator = "callable_iterator", Keys = "dict_keys", Values = "dict_values", Items = "dict_items", Map = "map",
    Filter = "filter", Zip = "zip", Enumerate = "enumerate", Reversed = "reversed", ListReversed = "list_reverseiterator",
    Module = "module", Instance = "instance", Cell = "cell",
}

macro_rules! builtins {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// A built-in function.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Builtin { $($variant),* }

        impl Builtin {
            pub(crate) fn name(self) -> &'static str {
                match self { $(Builtin::$variant => $name),* }
            }

            fn named(name: &str) -> Option<Builtin> {
                Some(match name { $($name => Builtin::$variant,)* _ => return None })
            }
        }
    };
}

builtins! {
    Abs = "abs", All = "all", Any = "any", Ascii = "ascii", Bin = "bin", Callable = "callable", Chr = "chr",
    DivMod = "divmod", Format = "format", GetAttr = "getattr", HasAttr = "hasattr", Hash = "hash", Hex = "hex",
    IsInstance = "isinstance", IsSubclass = "issubclass", Iter = "iter", Len = "len", Max = "max", Min = "min",
    Next = "next", Oct = "oct", Ord = "ord", Pow = "pow", Print = "print", Repr = "repr", Round = "round",
    Sorted = "sorted", Sum = "sum",
}

/// Names of CPython's builtins that exist there and are not offered here.
const NOT_OFFERED: &[&str] = &[
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "ExceptionGroup",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyboardInterrupt",
    "MemoryError",
    "ModuleNotFoundError",
    "NotADirectoryError",
    "NotImplemented",
    "OSError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeWarning",
    "StopAsyncIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "Warning",
    "aiter",
    "anext",
    "breakpoint",
    "bytearray",
    "classmethod",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dir",
    "eval",
    "exec",
    "exit",
    "globals",
    "help",
    "id",
    "input",
    "license",
    "locals",
    "memoryview",
    "open",
    "property",
    "quit",
    "setattr",
    "slice",
    "staticmethod",
    "super",
    "vars",
];

/// What a name that no program defines stands for.
pub(crate) enum BuiltinName {
    Type(Type),
    Function(Builtin),
    /// Python has it, this engine does not.
    NotOffered,
}

/// Looks a name up among Python's builtins.
pub(crate) fn builtin(name: &str) -> Option<BuiltinName> {
    let of_type = match name {
        "object" => Type::Object,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "float" => Type::Float,
        "str" => Type::Str,
        "bytes" => Type::Bytes,
        "tuple" => Type::Tuple,
        "list" => Type::List,
        "dict" => Type::Dict,
        "set" => Type::Set,
        "frozenset" => Type::FrozenSet,
        "range" => Type::Range,
        "type" => Type::Class,
        "map" => Type::Map,
        "filter" => Type::Filter,
        "zip" => Type::Zip,
        "enumerate" => Type::Enumerate,
        "reversed" => Type::Reversed,
        _ => {
            if let Some(kind) = ExcKind::named(name) {
                return Some(BuiltinName::Type(Type::Exc(kind)));
            }
            if let Some(function) = Builtin::named(name) {
                return Some(BuiltinName::Function(function));
            }
            return NOT_OFFERED.contains(&name).then_some(BuiltinName::NotOffered);
        }
    };
    Some(BuiltinName::Type(of_type))
}

/// The public attributes of a built-in type in CPython: what is not among them is an `AttributeError`, what is among them and
/// not offered here is unsupported.
pub(crate) fn attributes(of: Type) -> &'static [&'static str] {
    match of {
        Type::Str => &[
            "capitalize",
            "casefold",
            "center",
            "count",
            "encode",
            "endswith",
            "expandtabs",
            "find",
            "format",
            "format_map",
            "index",
            "isalnum",
            "isalpha",
            "isascii",
            "isdecimal",
            "isdigit",
            "isidentifier",
            "islower",
            "isnumeric",
            "isprintable",
            "isspace",
            "istitle",
            "isupper",
            "join",
            "ljust",
            "lower",
            "lstrip",
            "maketrans",
            "partition",
            "removeprefix",
            "removesuffix",
            "replace",
            "rfind",
            "rindex",
            "rjust",
            "rpartition",
            "rsplit",
            "rstrip",
            "split",
            "splitlines",
            "startswith",
            "strip",
            "swapcase",
            "title",
            "translate",
            "upper",
            "zfill",
        ],
        Type::Bytes => &[
            "capitalize",
            "center",
            "count",
            "decode",
            "endswith",
            "expandtabs",
            "find",
            "fromhex",
            "hex",
            "index",
            "isalnum",
            "isalpha",
            "isascii",
            "isdigit",
            "islower",
            "isspace",
            "istitle",
            "isupper",
            "join",
            "ljust",
            "lower",
            "lstrip",
            "maketrans",
            "partition",
            "removeprefix",
            "removesuffix",
            "replace",
            "rfind",
            "rindex",
            "rjust",
            "rpartition",
            "rsplit",
            "rstrip",
            "split",
            "splitlines",
            "startswith",
            "strip",
            "swapcase",
            "title",
            "translate",
            "upper",
            "zfill",
        ],
        Type::List => {
            &["append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"]
        }
        Type::Tuple => &["count", "index"],
        Type::Dict => {
            &["clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"]
        }
        Type::DefaultDict => &[
            "clear",
            "copy",
            "default_factory",
            "fromkeys",
            "get",
            "items",
            "keys",
            "pop",
            "popitem",
            "setdefault",
            "update",
            "values",
        ],
        Type::Set => &[
            "add",
            "clear",
            "copy",
            "difference",
            "difference_update",
            "discard",
            "intersection",
            "intersection_update",
            "isdisjoint",
            "issubset",
            "issuperset",
            "pop",
            "remove",
            "symmetric_difference",
            "symmetric_difference_update",
            "union",
            "update",
        ],
        Type::FrozenSet => &[
            "copy",
            "difference",
            "intersection",
            "isdisjoint",
            "issubset",
            "issuperset",
            "symmetric_difference",
            "union",
        ],
        Type::Int => &[
            "as_integer_ratio",
            "bit_count",
            "bit_length",
            "conjugate",
            "denominator",
            "from_bytes",
            "imag",
            "numerator",
            "real",
            "to_bytes",
        ],
        Type::Bool => &[
            "as_integer_ratio",
            "bit_count",
            "bit_length",
            "conjugate",
            "denominator",
            "from_bytes",
            "imag",
            "numerator",
            "real",
            "to_bytes",
        ],
        Type::Float => &["as_integer_ratio", "conjugate", "fromhex", "hex", "imag", "is_integer", "real"],
        Type::Range => &["count", "index", "start", "step", "stop"],
        Type::Generator => {
            &["close", "gi_code", "gi_frame", "gi_running", "gi_suspended", "gi_yieldfrom", "send", "throw"]
        }
        Type::Keys => &["isdisjoint", "mapping"],
        Type::Values => &["mapping"],
        Type::Items => &["isdisjoint", "mapping"],
        Type::Object => &[],
        Type::Exc(_) => &["add_note", "args", "with_traceback", "value", "name", "obj"],
        _ => &[],
    }
}

/// The special attributes that some built-in data type has in CPython.
pub(crate) const SPECIAL: &[&str] = &[
    "__abs__",
    "__add__",
    "__and__",
    "__bool__",
    "__bytes__",
    "__ceil__",
    "__class__",
    "__class_getitem__",
    "__contains__",
    "__copy__",
    "__delattr__",
    "__delitem__",
    "__dir__",
    "__divmod__",
    "__doc__",
    "__eq__",
    "__float__",
    "__floor__",
    "__floordiv__",
    "__format__",
    "__ge__",
    "__getattribute__",
    "__getformat__",
    "__getitem__",
    "__getnewargs__",
    "__getstate__",
    "__gt__",
    "__hash__",
    "__iadd__",
    "__iand__",
    "__imul__",
    "__index__",
    "__init__",
    "__init_subclass__",
    "__int__",
    "__invert__",
    "__ior__",
    "__isub__",
    "__iter__",
    "__ixor__",
    "__le__",
    "__len__",
    "__lshift__",
    "__lt__",
    "__missing__",
    "__mod__",
    "__mul__",
    "__ne__",
    "__neg__",
    "__new__",
    "__or__",
    "__pos__",
    "__pow__",
    "__radd__",
    "__rand__",
    "__rdivmod__",
    "__reduce__",
    "__reduce_ex__",
    "__repr__",
    "__reversed__",
    "__rfloordiv__",
    "__rlshift__",
    "__rmod__",
    "__rmul__",
    "__ror__",
    "__round__",
    "__rpow__",
    "__rrshift__",
    "__rshift__",
    "__rsub__",
    "__rtruediv__",
    "__rxor__",
    "__setattr__",
    "__setitem__",
    "__sizeof__",
    "__str__",
    "__sub__",
    "__subclasshook__",
    "__truediv__",
    "__trunc__",
    "__xor__",
];
