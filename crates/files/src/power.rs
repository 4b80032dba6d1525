//! Power cuts for tests: the operations on a file as they were done, and all that a disk may have of them afterwards.
//!
//! Bytes written since the last sync that succeeded may be there, or not, or in part, in any order; bytes cut off may be there
//! again. All before is there.

pub use crate::faults::{Done, Watch, watch};

/// What became of an operation that the disk had not confirmed.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Kept,
    Dropped,
    /// Its length alone: the content is zeros.
    Zeros,
    FirstHalf,
    /// Before it zeros.
    SecondHalf,
}

const FATES: [Fate; 5] = [Fate::Kept, Fate::Dropped, Fate::Zeros, Fate::FirstHalf, Fate::SecondHalf];

/// As many operations in doubt are combined with all their fates; of more, each is put to every fate with the others kept, and with all
/// after it dropped.
const COMBINED: u32 = 3;

/// Cuts the power after every operation and reads what every outcome leaves. `read` counts the whole records of a file.
/// Returns how many outcomes there were. Errors: the first that cannot be read, or has less than was confirmed.
pub fn cut_everywhere(done: &[Done], read: impl Fn(&[u8]) -> Result<usize, String>) -> Result<usize, String> {
    let (mut confirmed, mut pending, mut whole) = (Vec::new(), Vec::new(), 0);
    let mut outcomes = 0;
    for (at, operation) in done.iter().enumerate() {
        match operation {
            Done::Synced => {
                for operation in std::mem::take(&mut pending) {
                    apply(&mut confirmed, operation, Fate::Kept);
                }
                whole = read(&confirmed).map_err(|why| format!("after operation {at}, all kept: {why}"))?;
            }
            operation => pending.push(operation),
        }
        for fates in fates(pending.len()) {
            let mut left = confirmed.clone();
            pending.iter().zip(&fates).for_each(|(operation, fate)| apply(&mut left, operation, *fate));
            outcomes += 1;
            let wrong = |why: String| format!("power cut after operation {at}, of those in doubt {fates:?}: {why}");
            match read(&left) {
                Ok(found) if found < whole => return Err(wrong(format!("{found} of {whole} records are left"))),
                // Nothing was confirmed yet: there is no file to speak of.
                Err(_) if confirmed.is_empty() => {}
                read => drop(read.map_err(wrong)?),
            }
        }
    }
    Ok(outcomes)
}

fn fates(n: usize) -> Vec<Vec<Fate>> {
    if u32::try_from(n).is_ok_and(|n| n <= COMBINED) {
        return (0..n).fold(vec![Vec::new()], |all, _| {
            let with = |fates: &Vec<Fate>| FATES.map(|fate| [&fates[..], &[fate]].concat());
            all.iter().flat_map(with).collect()
        });
    }
    let one = |at: usize| {
        FATES.into_iter().flat_map(move |fate| {
            [Fate::Kept, Fate::Dropped].map(|after| {
                let of = |i: usize| {
                    if i < at {
                        Fate::Kept
                    } else if i == at {
                        fate
                    } else {
                        after
                    }
                };
                (0..n).map(of).collect()
            })
        })
    };
    (0..n).flat_map(one).collect()
}

fn apply(left: &mut Vec<u8>, operation: &Done, fate: Fate) {
    let length = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    match (operation, fate) {
        (Done::Synced, _) | (_, Fate::Dropped) => {}
        (Done::Cut(to), _) => left.resize(length(*to), 0),
        (Done::Write(at, bytes), fate) => {
            let (at, half) = (length(*at), bytes.len() / 2);
            let (from, to) = match fate {
                Fate::Kept => (0, bytes.len()),
                Fate::FirstHalf => (0, half),
                Fate::SecondHalf => (half, bytes.len()),
                Fate::Zeros | Fate::Dropped => (bytes.len(), bytes.len()),
            };
            if left.len() < at + to {
                left.resize(at + to, 0);
            }
            if let (Some(place), Some(bytes)) = (left.get_mut(at + from..at + to), bytes.get(from..to)) {
                place.copy_from_slice(bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lines;

    /// Counts lines of `x`s up to the first that is none.
    fn lines(file: &[u8]) -> Result<usize, String> {
        Ok(file.split_inclusive(|b| *b == b'\n').take_while(|line| line.ends_with(b"x\n")).count())
    }

    #[test]
    fn what_was_synced_is_there_and_what_was_not_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let watch = watch(&path);
        let mut file = Lines::create(&path).unwrap();
        file.append(b"xx".to_vec()).unwrap();
        file.sync().unwrap();
        file.append(b"xxx".to_vec()).unwrap();
        let done = watch.done();
        assert_eq!(done, [Done::Write(0, b"xx\n".to_vec()), Done::Synced, Done::Write(3, b"xxx\n".to_vec())]);
        assert_eq!(cut_everywhere(&done, lines), Ok(5 + 1 + 5));
        // A reader that wants what was never confirmed is told of.
        let all = |file: &[u8]| if file.len() == 3 { Err("short".to_owned()) } else { lines(file) };
        assert!(cut_everywhere(&done, all).unwrap_err().contains("short"));
    }
}
