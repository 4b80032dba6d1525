//! The columns of the paper's tables, and how it writes models.

/// The columns of the household's tables: types of task.
pub(crate) const TYPES: [&str; 6] = ["pick", "clean", "heat", "cool", "look", "pick2"];
pub const ALL: &str = "all";
pub const SHOP: [&str; 2] = ["SR", "score"];

/// The knowledge that the paper prints in its Appendices E.3 to E.5, as `knowledge.json` of the recordings holds it: the beginning of its SHA-256.
const PRINTED: &str = "122cadcf8d1fe6a0";

/// The author of printed knowledge of an environment, `llm` or `human`, by what results record of the knowledge acted by.
pub(crate) fn published<'a>(knowledge: &'a str, environment: &str) -> Option<&'a str> {
    knowledge.strip_prefix(PRINTED)?.strip_prefix('#')?.strip_prefix(environment)?.strip_prefix('/')
}

/// A model's name as the paper writes it, in small letters.
pub fn model(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    name.replace("gpt-3.5-turbo", "gpt-3.5")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::O3D;

    #[test]
    fn every_row_holds_all_columns_of_its_table() {
        for row in &O3D.rows {
            let columns: &[&str] = if row.value("world") == Some("shop") { &SHOP } else { &TYPES };
            assert!(columns.iter().all(|column| row.figure(column).is_some()), "{row:?}");
        }
        assert_eq!(model("openai/gpt-3.5-turbo-0613"), "gpt-3.5-0613");
        assert_eq!(model("gpt-3.5-turbo-16k-0613"), "gpt-3.5-16k-0613");
    }
}
