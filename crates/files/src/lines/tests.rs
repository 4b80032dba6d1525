//! Lines under faults: what is in the file, what is said of it, and where it goes on.

use std::fs;

use super::*;
use crate::faults::{self, Done, EINVAL, EIO, ENOSPC, Fault, Operation};

fn begun(folder: &Path) -> Lines {
    let mut lines = Lines::create(&folder.join("f.jsonl")).unwrap();
    lines.append(b"one".to_vec()).unwrap();
    lines
}

fn text(folder: &Path) -> String {
    fs::read_to_string(folder.join("f.jsonl")).unwrap()
}

#[test]
fn a_line_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = begun(folder.path());
    for (cut_fails, bytes) in [(false, 0), (false, 2), (true, 3)] {
        let _full = faults::inject(Fault { bytes, ..Fault::next(folder.path(), Operation::Write, ENOSPC) });
        let _uncut = cut_fails.then(|| faults::inject(Fault::next(folder.path(), Operation::Cut, EIO)));
        assert_eq!(lines.append(b"two!".to_vec()).unwrap_err().raw_os_error(), Some(ENOSPC));
        assert_eq!(text(folder.path()) == "one\n", !cut_fails || bytes == 0);
    }
    lines.append(b"two!".to_vec()).unwrap();
    assert_eq!(text(folder.path()), "one\ntwo!\n");
}

#[test]
fn a_failed_sync_is_repeated_and_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = begun(folder.path());
    lines.sync().unwrap();
    lines.append(b"two".to_vec()).unwrap();
    // A kernel that drops the pages that it could not write: what is in doubt is written once more, and not what it gives back.
    let broken = faults::inject(Fault { times: 2, bytes: 3, ..Fault::next(folder.path(), Operation::Sync, EIO) });
    assert!(lines.sync().is_err());
    assert_eq!(text(folder.path()), "one\nt\0\0\0");
    lines.append(b"and".to_vec()).unwrap();
    assert!(lines.sync().is_err());
    drop(broken);
    lines.sync().unwrap();
    assert_eq!(text(folder.path()), "one\ntwo\nand\n");
    lines.append(b"three".to_vec()).unwrap();
    let _none = faults::inject(Fault { times: 9, ..Fault::next(folder.path(), Operation::Sync, EINVAL) });
    lines.sync().unwrap();
    assert_eq!(text(folder.path()), "one\ntwo\nand\nthree\n");
}

#[test]
fn what_was_confirmed_and_is_lost_later_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = begun(folder.path());
    lines.sync().unwrap();
    lines.append(b"two".to_vec()).unwrap();
    let _broken = faults::inject(Fault { bytes: 6, ..Fault::next(folder.path(), Operation::Sync, EIO) });
    assert_eq!(lines.sync().unwrap_err().raw_os_error(), Some(EIO));
    assert_eq!(text(folder.path()), "on\0\0\0\0\0\0");
    assert!(lines.sync().is_err());
    assert_eq!(lines.presence().unwrap(), Presence::Lost);
    assert!(lines.keep(b"three".to_vec()).is_err());
    // So is what another program cut off while a sync was to be repeated.
    let folder = tempfile::tempdir().unwrap();
    let mut lines = begun(folder.path());
    lines.sync().unwrap();
    lines.append(b"two".to_vec()).unwrap();
    let _broken = faults::inject(Fault::next(folder.path(), Operation::Sync, EIO));
    assert!(lines.sync().is_err());
    fs::OpenOptions::new().write(true).open(lines.path()).unwrap().set_len(2).unwrap();
    assert_eq!(lines.sync().unwrap_err().to_string(), "the disk lost what it had confirmed");
}

#[test]
fn a_file_that_cannot_be_made_whole_is_not_left_half_made() {
    let folder = tempfile::tempdir().unwrap();
    for (operation, errno) in [(Operation::Open, ENOSPC), (Operation::SyncFolder, EIO)] {
        let _fault = faults::inject(Fault::next(folder.path(), operation, errno));
        assert_eq!(Lines::create(&folder.path().join("f.jsonl")).unwrap_err().raw_os_error(), Some(errno));
        assert!(!folder.path().join("f.jsonl").exists());
    }
    begun(folder.path());
}

#[test]
fn what_is_not_the_own_file_any_more_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.jsonl");
    let mut lines = begun(folder.path());
    assert_eq!(lines.presence().unwrap(), Presence::Same);
    fs::write(folder.path().join("other"), "one\n").unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(2).unwrap();
    assert_eq!(lines.presence().unwrap(), Presence::Cut);
    fs::write(&path, "one\nof another\n").unwrap();
    assert_eq!(lines.presence().unwrap(), Presence::Grown);
    fs::rename(folder.path().join("other"), &path).unwrap();
    assert_eq!(lines.presence().unwrap(), Presence::Replaced);
    fs::remove_file(&path).unwrap();
    assert_eq!(lines.presence().unwrap(), Presence::Deleted);
    // The open file is out of reach; writing to it is no error, which is why its presence is asked for.
    lines.append(b"two".to_vec()).unwrap();
    let lost = lines.keep(b"three".to_vec()).unwrap_err();
    assert_eq!(lost.to_string(), "the file was deleted while it was in use");
}

#[test]
fn one_process_writes_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let lines = begun(folder.path());
    let busy = Lines::lock(lines.path(), false).unwrap_err();
    assert_eq!(busy.kind(), io::ErrorKind::WouldBlock);
    // The lock of one that ends at that moment is waited for.
    let path = lines.path().to_owned();
    let ending = std::thread::spawn(move || {
        std::thread::sleep(LINGERS / 6);
        drop(lines);
    });
    drop(Lines::lock(&path, false).unwrap());
    ending.join().unwrap();
    let lines = Lines::after(Lines::lock(&path, false).unwrap(), 4);
    // A file system without locks keeps no one from working.
    let _none = faults::inject(Fault::next(folder.path(), Operation::Lock, EIO));
    Lines::lock(lines.path(), false).unwrap();
}

#[test]
fn what_was_found_behind_the_lines_is_set_aside_before_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.jsonl");
    for (torn, aside) in [("tw", "tw\n"), ("and", "tw\nand\n")] {
        fs::write(&path, format!("one\n{torn}")).unwrap();
        let mut lines = Lines::after(Lines::lock(&path, false).unwrap(), 4);
        // What is behind the lines is known, and no other program's doing.
        assert_eq!((lines.end(), lines.presence().unwrap()), (4, Presence::Same));
        lines.trim().unwrap();
        assert_eq!(text(folder.path()), "one\n");
        lines.append(b"two".to_vec()).unwrap();
        assert_eq!((lines.end(), text(folder.path()).as_str()), (8, "one\ntwo\n"));
        assert_eq!(fs::read_to_string(folder.path().join("f.jsonl.torn")).unwrap(), aside);
    }
}

#[test]
#[cfg_attr(miri, ignore = "4 MiB take minutes there")]
fn what_is_in_doubt_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = begun(folder.path());
    lines.sync().unwrap();
    let watch = faults::watch(lines.path());
    lines.append(vec![b'x'; IN_DOUBT - 1]).unwrap();
    assert!(!watch.done().contains(&Done::Synced), "as much as may be in doubt");
    lines.append(b"two".to_vec()).unwrap();
    assert_eq!(watch.done().last(), Some(&Done::Synced), "more than that");
}

#[test]
fn lines_go_on_beside_a_file_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = begun(folder.path());
    let all = || b"one\n".to_vec();
    assert_eq!(lines.keep_or_move(b"two".to_vec(), "the results", all).unwrap(), None);
    let full = faults::inject(Fault::next(folder.path(), Operation::Write, ENOSPC));
    let error = lines.keep_or_move(b"three".to_vec(), "the results", all).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(ENOSPC), "the file is there, and nothing moves");
    drop(full);
    fs::remove_file(lines.path()).unwrap();
    fs::write(folder.path().join("f-2.jsonl"), "taken").unwrap();
    let beside = folder.path().join("f-3.jsonl");
    assert_eq!(lines.beside(), beside, "its own name is taken, and so is the next");
    let said = lines.keep_or_move(b"three".to_vec(), "the results", all).unwrap().unwrap();
    let name = beside.display();
    let expected = format!("the file was deleted while it was in use; the results are in {name}: go on with that file");
    assert_eq!((said, lines.path()), (expected, beside.as_path()));
    assert_eq!(lines.keep_or_move(b"four".to_vec(), "the results", all).unwrap(), None);
    assert_eq!(fs::read_to_string(&beside).unwrap(), "one\nthree\nfour\n");
}

#[cfg(unix)]
#[test]
fn a_path_that_cannot_be_looked_up_is_an_error_and_no_deleted_file() {
    let folder = tempfile::tempdir().unwrap();
    let lines = begun(folder.path());
    fs::remove_file(lines.path()).unwrap();
    std::os::unix::fs::symlink("f.jsonl", lines.path()).unwrap();
    assert_ne!(lines.presence().unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn what_a_failed_write_left_is_no_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = begun(folder.path());
    let _full = faults::inject(Fault { bytes: 3, ..Fault::next(folder.path(), Operation::Write, ENOSPC) });
    let _uncut = faults::inject(Fault::next(folder.path(), Operation::Cut, EIO));
    assert!(lines.append(b"two!".to_vec()).is_err());
    assert_eq!((text(folder.path()).as_str(), lines.presence().unwrap()), ("one\ntwo", Presence::Same));
}
