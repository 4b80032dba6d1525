//! How a world names a file that ships with it.

/// A file of `worlds/NAME/`, as a [`ShippedFile`]; to be used in a file of `src/NAME/`.
macro_rules! shipped {
    ($world:literal, $name:literal) => {
        stepwright_world::ShippedFile {
            name: $name,
            path: concat!("worlds/", $world, "/", $name),
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/worlds/", $world, "/", $name)),
        }
    };
}
pub(crate) use shipped;
