//! Recordings of WebShop: its text environment, the simpler site, rewards, fuzzy scores, analysis and rankings, compared by the
//! engine's own code.

use std::path::Path;

use stepwright_shop::recordings::{RECORDINGS, shop};

use super::{Row, difference, unreadable};

/// Compares the shop's recordings.
pub fn compare(folder: &Path) -> Vec<Row> {
    let shop = match shop(folder) {
        Ok(Some(shop)) => shop,
        Ok(None) => {
            let note = "no products.json in this folder";
            return RECORDINGS.iter().map(|r| Row::missing(r.file, r.unit, note)).collect();
        }
        Err(error) => {
            let mut row = Row::new("products.json, goals.json", "files");
            row.differs(unreadable("products.json", error));
            return vec![row];
        }
    };
    let rows = RECORDINGS.iter().map(|recording| {
        let Some(records) = recording.compare(&shop, folder) else {
            return Row::missing(recording.file, recording.unit, "not in this folder");
        };
        let mut row = Row::new(recording.file, recording.unit);
        for record in records {
            match record {
                Ok(compared) => {
                    let found = compared.difference();
                    let found = found
                        .map(|(field, recorded, own)| difference(format!("{}, {field}", compared.at), recorded, own));
                    row.count(found);
                }
                Err(error) => row.differs(unreadable(recording.file, error)),
            }
        }
        row
    });
    rows.collect()
}
