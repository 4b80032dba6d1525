//! Built-in types and functions by name, and which attributes Python's own types have.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::fault::ExcKind;

macro_rules! types {
    ($($variant:ident = $name:literal),* $(,)?) => {
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
    KeyReversed = "dict_reversekeyiterator", ValueReversed = "dict_reversevalueiterator",
    ItemReversed = "dict_reverseitemiterator",
    Module = "module", Instance = "instance", Cell = "cell", Union = "types.UnionType",
}

macro_rules! builtins {
    ($($variant:ident = $name:literal),* $(,)?) => {
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
const NOT_OFFERED: &str = "\
    BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError \
    ConnectionAbortedError ConnectionRefusedError ConnectionResetError DeprecationWarning \
    Ellipsis EncodingWarning EnvironmentError ExceptionGroup FloatingPointError \
    FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError InterruptedError \
    IsADirectoryError ModuleNotFoundError NotADirectoryError NotImplemented \
    PendingDeprecationWarning ProcessLookupError ReferenceError ResourceWarning \
    RuntimeWarning StopAsyncIteration SyntaxError SyntaxWarning SystemError SystemExit TabError \
    UnicodeTranslateError UnicodeWarning UserWarning Warning aiter anext \
    breakpoint bytearray classmethod compile complex copyright credits delattr dir eval exec exit globals help id \
    input license locals memoryview open property quit setattr slice staticmethod super vars";

/// The meaning of a name that no program defines.
pub(crate) enum BuiltinName {
    Type(Type),
    Function(Builtin),
    /// Python has it, this engine does not.
    NotOffered,
}

pub(crate) fn builtin(name: &str) -> Option<BuiltinName> {
    if let Some(of) = CALLED.iter().copied().find(|of| of.name() == name).or(ExcKind::named(name).map(Type::Exc)) {
        return Some(BuiltinName::Type(of));
    }
    let function = Builtin::named(name).map(BuiltinName::Function);
    function.or_else(|| OTHERS.contains(name).then_some(BuiltinName::NotOffered))
}

/// The names of [`NOT_OFFERED`]: every name that a program does not define itself is looked up there.
static OTHERS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| NOT_OFFERED.split(' ').collect());

/// The types that a program can name without importing them.
const CALLED: [Type; 18] = {
    use Type::{
        Bool, Bytes, Class, Dict, Enumerate, Filter, Float, FrozenSet, Int, List, Map, Object, Range, Reversed, Set,
        Str, Tuple, Zip,
    };
    [
        Object, Bool, Int, Float, Str, Bytes, Tuple, List, Dict, Set, FrozenSet, Range, Class, Map, Filter, Zip,
        Enumerate, Reversed,
    ]
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    /// A value, not a method.
    Data,
    Method(Takes),
}

/// A method's parameters: the fewest arguments in all, the most by place, and the names of arguments in the order of
/// their places, with commas between; `*` for any name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Takes {
    pub least: usize,
    pub most: usize,
    pub names: &'static str,
}

/// The public attributes of Python's built-in types: methods with the number of arguments they take by place (`find:1-3`, none where
/// none is said, `*` for any) and their names where they have such (`hex:0-2:sep,bytes_per_sep`), and data (`imag=`). What is not here is an `AttributeError`; what is here and not offered is unsupported.
const MEMBERS: &[(&[Type], &str)] = &[
    (
        &[Type::Str, Type::Bytes],
        "capitalize center:1-2 count:1-3 endswith:1-3 expandtabs:0-1:tabsize find:1-3 index:1-3 isalnum isalpha isascii isdigit \
         islower isspace istitle isupper join:1 ljust:1-2 lower lstrip:0-1 partition:1 removeprefix:1 removesuffix:1 replace:2-3 \
         rfind:1-3 rindex:1-3 rjust:1-2 rpartition:1 rsplit:0-2:sep,maxsplit rstrip:0-1 split:0-2:sep,maxsplit \
         splitlines:0-1:keepends startswith:1-3 strip:0-1 swapcase title upper zfill:1",
    ),
    (
        &[Type::Str],
        "casefold encode:0-2:encoding,errors format:*:* format_map:1 isdecimal isidentifier isnumeric isprintable maketrans:1-3 \
         translate:1",
    ),
    (
        &[Type::Bytes],
        "decode:0-2:encoding,errors fromhex:1 hex:0-2:sep,bytes_per_sep maketrans:2 translate:1-2:,delete",
    ),
    (&[Type::List, Type::Tuple], "count:1 index:1-3"),
    (&[Type::List], "append:1 clear copy extend:1 insert:2 pop:0-1 remove:1 reverse sort:0:key,reverse"),
    (
        &[Type::Dict, Type::DefaultDict],
        "clear copy fromkeys:1-2 get:1-2 items keys pop:1-2 popitem setdefault:1-2 update:0-1:* values",
    ),
    (&[Type::DefaultDict], "default_factory="),
    (
        &[Type::Set, Type::FrozenSet],
        "copy difference:* intersection:* isdisjoint:1 issubset:1 issuperset:1 symmetric_difference:1 union:*",
    ),
    (
        &[Type::Set],
        "add:1 clear difference_update:* discard:1 intersection_update:* pop remove:1 symmetric_difference_update:1 update:*",
    ),
    (&[Type::Int, Type::Bool, Type::Float], "as_integer_ratio conjugate imag= is_integer real="),
    (
        &[Type::Int, Type::Bool],
        "bit_count bit_length denominator= from_bytes:1-2:bytes,byteorder,signed numerator= \
         to_bytes:0-2:length,byteorder,signed",
    ),
    (&[Type::Float], "fromhex:1 hex"),
    (&[Type::Range], "count:1 index:1 start= step= stop="),
    (&[Type::Generator], "close gi_code= gi_frame= gi_running= gi_suspended= gi_yieldfrom= send:1 throw:1-3"),
    (&[Type::Keys, Type::Items], "isdisjoint:1"),
    (&[Type::Keys, Type::Items, Type::Values], "mapping="),
];

/// `of.name`, for a built-in type and a name that is not special.
pub(crate) fn member(of: Type, name: &str) -> Option<Member> {
    static KNOWN: LazyLock<FxHashMap<(Type, &str), Member>> = LazyLock::new(|| {
        let each = |(types, words): &(&'static [Type], &'static str)| {
            types
                .iter()
                .flat_map(|of| words.split_whitespace().map(|word| (*of, word)))
                .map(read_member)
                .collect::<Vec<_>>()
        };
        MEMBERS.iter().flat_map(each).collect()
    });
    match of {
        Type::Exc(kind) => {
            let known = listed("add_note args with_traceback value name obj", name)
                || kind.is_a(ExcKind::OSError) && listed("characters_written errno filename filename2 strerror", name);
            known.then_some(Member::Data)
        }
        _ => KNOWN.get(&(of, name)).copied(),
    }
}

fn read_member((of, word): (Type, &'static str)) -> ((Type, &'static str), Member) {
    if let Some(name) = word.strip_suffix('=') {
        return ((of, name), Member::Data);
    }
    let mut parts = word.splitn(3, ':');
    let (name, counts, names) = (parts.next().unwrap_or(word), parts.next().unwrap_or("0"), parts.next().unwrap_or(""));
    let (least, most) = match counts {
        "*" => ("0", "18446744073709551615"),
        counts => counts.split_once('-').unwrap_or((counts, counts)),
    };
    let (least, most) = (least.parse().unwrap_or(0), most.parse().unwrap_or(usize::MAX));
    ((of, name), Member::Method(Takes { least, most, names }))
}

/// The special attributes that built-in data types have in CPython.
const SPECIAL: &str = "\
    __abs__ __add__ __and__ __bool__ __bytes__ __ceil__ __class__ __class_getitem__ __contains__ __copy__ \
    __delattr__ __delitem__ __dir__ __divmod__ __doc__ __eq__ __float__ __floor__ __floordiv__ __format__ __ge__ \
    __getattribute__ __getformat__ __getitem__ __getnewargs__ __getstate__ __gt__ __hash__ __iadd__ __iand__ \
    __imul__ __index__ __init__ __init_subclass__ __int__ __invert__ __ior__ __isub__ __iter__ __ixor__ __le__ \
    __len__ __lshift__ __lt__ __missing__ __mod__ __mul__ __ne__ __neg__ __new__ __or__ __pos__ __pow__ __radd__ \
    __rand__ __rdivmod__ __reduce__ __reduce_ex__ __repr__ __reversed__ __rfloordiv__ __rlshift__ __rmod__ \
    __rmul__ __ror__ __round__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __setattr__ \
    __setitem__ __sizeof__ __str__ __sub__ __subclasshook__ __truediv__ __trunc__ __xor__";

/// Whether some built-in data type has this special attribute in CPython.
pub(crate) fn is_special(name: &str) -> bool {
    listed(SPECIAL, name)
}

/// Whether a name is one of these, which spaces separate.
pub(crate) fn listed(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}

/// Whether CPython counts a type among the sequences, if only because it can be asked what is in it.
pub(crate) fn is_sequence(of: Type) -> bool {
    matches!(
        of,
        Type::Str
            | Type::Bytes
            | Type::List
            | Type::Tuple
            | Type::Range
            | Type::Dict
            | Type::DefaultDict
            | Type::Set
            | Type::FrozenSet
            | Type::Keys
            | Type::Values
            | Type::Items
            | Type::Instance
    )
}
