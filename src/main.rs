//! The `stepwright` program: parses the command line and calls one function.

fn main() {}
