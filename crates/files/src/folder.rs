//! Folders of this program's own.

use std::fs::DirBuilder;
use std::io;
use std::path::Path;

/// Makes a folder and those above it where they are missing. What is made is its owner's alone, because names of files in it say what was
/// worked on.
pub fn folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn folders_are_the_owners_alone() {
        let place = tempfile::tempdir().unwrap();
        let inner = place.path().join("state/sessions");
        super::folder(&inner).unwrap();
        super::folder(&inner).unwrap();
        for made in [place.path().join("state"), inner] {
            let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(made).unwrap().permissions());
            assert_eq!(mode & 0o777, 0o700);
        }
    }
}
