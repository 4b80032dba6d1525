//! Compiled code: trees of small nodes with names resolved to slots, constants made once, and lines kept.

use std::sync::Arc;

pub(crate) use ruff_python_ast::{CmpOp, ConversionFlag, Operator, UnaryOp};

use super::fault::Python;
use super::types::{Builtin, Type};
use super::value::{Name, Value};

#[derive(Debug, Clone)]
pub(crate) enum Node {
    Const(Value),
    /// A constant text that is not what CPython has (lone surrogates): unsupported when reached.
    Unsupported(Arc<str>),
    Local(usize, Variable),
    /// A variable shared with an inner function.
    Cell(usize, Variable),
    Global(Name, Fallback),
    ClassVar(Name, Box<Node>),
    Attr(Box<Node>, Name),
    Subscript(Box<Node>, Box<Node>),
    Slice(Box<(Node, Bounds)>),
    Call(Box<Call>),
    Compare(Box<Node>, Vec<(CmpOp, Node)>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Unary(UnaryOp, Box<Node>),
    Binary(Operator, Box<(Node, Node)>),
    If(Box<(Node, Node, Node)>),
    Tuple(Vec<Node>),
    List(Vec<Node>),
    Set(Vec<Node>),
    /// `*x` inside a display or a call.
    Starred(Box<Node>),
    /// Key and value, or `**mapping` with no key.
    Dict(Vec<(Option<Node>, Node)>),
    Comp(Box<Comp>),
    GenExp(Box<(Arc<GenCode>, Node)>),
    Lambda(Box<MakeFunction>),
    Walrus(Box<(Target, Node)>),
    FString(Vec<Piece>),
}

/// A variable as it is read.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub name: Name,
    /// Whether it is that of a scope around.
    pub is_free: bool,
}

/// The meaning of a global name when no program defines it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fallback {
    None,
    Type(Type),
    Function(Builtin),
    NotOffered,
}

/// `[lower:upper:step]`
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub lower: Option<Node>,
    pub upper: Option<Node>,
    pub step: Option<Node>,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// For `x.name(…)` the callee is an `Attr`, called without making a bound method.
    pub callee: Node,
    pub args: Vec<Node>,
    /// `name=value`, or `**mapping` with no name.
    pub keywords: Vec<(Option<Name>, Node)>,
    /// Whether any argument is starred.
    pub starred: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Element {
    List(Node),
    Set(Node),
    Dict(Node, Node),
}

/// A list, set or dict comprehension; its variables are slots of the frame around it.
#[derive(Debug, Clone)]
pub(crate) struct Comp {
    pub element: Element,
    pub clauses: Vec<Clause>,
    /// Its own variables, unbound when it starts; those in the second list are cells.
    pub own: Vec<(usize, bool)>,
}

/// `for target in iter if conditions…`
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub target: Target,
    pub iter: Node,
    pub conditions: Vec<Node>,
}

/// A generator expression: a separate frame; the first iterable is evaluated outside.
#[derive(Debug, Clone)]
pub(crate) struct GenCode {
    pub element: Node,
    pub clauses: Vec<Clause>,
    pub slots: usize,
    /// Which slots of the frame around it are copied into its own first slots.
    pub captures: Vec<(usize, usize)>,
    /// Its slots that are cells.
    pub cells: Vec<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct MakeFunction {
    pub code: Arc<FunctionCode>,
    pub defaults: Vec<Node>,
    pub kw_defaults: Vec<Option<Node>>,
    /// What is evaluated of annotations, for its errors alone.
    pub annotations: Vec<Node>,
}

#[derive(Debug, Clone)]
pub(crate) struct FunctionCode {
    pub name: Name,
    /// With the classes and functions around it, as in error messages.
    pub qualified: Name,
    pub params: Params,
    pub slots: usize,
    /// From slot of the enclosing frame to slot of this one.
    pub captures: Vec<(usize, usize)>,
    /// Slots that are cells; parameters among them are wrapped at entry.
    pub cells: Vec<usize>,
    pub body: Body,
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    Expression(Node),
    Block(Vec<Stmt>),
}

/// Parameters; their slots are the first of the frame, in this order: positional, `*args`, keyword-only, `**kw`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Params {
    pub names: Vec<Name>,
    /// How many of `names` take no keyword.
    pub positional_only: usize,
    pub star: Option<Name>,
    pub keyword_only: Vec<Name>,
    pub double_star: Option<Name>,
    /// The Python as which what has these parameters is read.
    pub python: Python,
}

#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Text(Arc<str>),
    Value { node: Node, conversion: ConversionFlag, spec: Vec<Piece> },
}

#[derive(Debug, Clone)]
pub(crate) enum Target {
    Local(usize),
    Cell(usize),
    Global(Name),
    ClassVar(Name),
    Attr(Box<Node>, Name),
    Subscript(Box<(Node, Node)>),
    Slice(Box<(Node, Bounds)>),
    /// Targets before the starred one, the starred one, targets after it.
    Unpack(Vec<Target>, Option<Box<(Target, Vec<Target>)>>),
}

#[derive(Debug, Clone)]
pub(crate) struct Stmt {
    pub line: u32,
    pub kind: StmtKind,
}

#[derive(Debug, Clone)]
pub(crate) enum StmtKind {
    Expr(Node),
    Assign(Vec<Target>, Node),
    /// What is assigned to a name, if anything is, and what is then evaluated of its annotation.
    Annotated(Option<(Target, Node)>, Vec<Node>),
    /// The place as an expression, as a target, the operator and the operand.
    AugAssign(Box<(Place, Operator, Node)>),
    Assert(Node, Option<Node>),
    If(Vec<(Node, Vec<Stmt>)>, Vec<Stmt>),
    While(Node, Vec<Stmt>, Vec<Stmt>),
    For(Target, Node, Vec<Stmt>, Vec<Stmt>),
    Break,
    Continue,
    Pass,
    Return(Option<Node>),
    Delete(Vec<Target>),
    Function(Target, Box<MakeFunction>),
    Class(Box<ClassDef>),
    Import(Vec<(Imported, Target)>),
    Raise(Option<Node>),
    /// `raise what from cause`
    RaiseFrom(Box<(Node, Node)>),
    Try(Box<Try>),
}

/// The left side of an augmented assignment; its parts are evaluated once.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Variable(Node, Target),
    Attr(Node, Name),
    Subscript(Node, Node),
}

#[derive(Debug, Clone)]
pub(crate) enum Imported {
    Collections,
    DefaultDict,
    /// What Python has and is not offered: the import in words.
    NotOffered(Arc<str>),
}

#[derive(Debug, Clone)]
pub(crate) struct ClassDef {
    pub name: Name,
    pub target: Target,
    pub bases: Vec<Node>,
    pub body: Arc<FunctionCode>,
}

#[derive(Debug, Clone)]
pub(crate) struct Try {
    pub body: Vec<Stmt>,
    pub handlers: Vec<Handler>,
    pub or_else: Vec<Stmt>,
    pub finally: Vec<Stmt>,
}

#[derive(Debug, Clone)]
pub(crate) struct Handler {
    /// `None` catches everything.
    pub kind: Option<Node>,
    pub target: Option<Target>,
    pub body: Vec<Stmt>,
}
