//! Figures printed in "O3D: Offline Data-driven Discovery and Distillation": Tables 1, 2, 3, 6, 9 and 10. Success in percent by type of
//! task over ALFWorld's 134 unseen games; success and mean score over WebShop's first 500 instructions.

use crate::runner::Printed::Number;
use crate::runner::{PaperRow, paper_row};

/// Where the figures are from.
pub const SOURCE: &str =
    "O3D: Offline Data-driven Discovery and Distillation for Sequential Decision-Making with Large Language Models";

/// The columns of the household's tables: types of task.
pub const TYPES: [&str; 6] = ["pick", "clean", "heat", "cool", "look", "pick2"];
/// The column over all types.
pub const ALL: &str = "all";
/// The columns of the shop's tables.
pub const SHOP: [&str; 2] = ["SR", "score"];

/// A row of a household's table.
macro_rules! games {
    ($place:literal, $model:literal, $method:literal, $($figure:literal),+ $(,)?) => {
        games!(@ $place, $model, $method, [$($figure),+])
    };
    (@ $place:literal, $model:literal, $method:literal, [$pick:literal, $clean:literal, $heat:literal, $cool:literal, $look:literal, $two:literal, $all:literal]) => {
        paper_row!($place, "world": "household", "model": $model, "method": $method =>
            "pick" = Number($pick), "clean" = Number($clean), "heat" = Number($heat), "cool" = Number($cool),
            "look" = Number($look), "pick2" = Number($two), "all" = Number($all))
    };
}

/// A row of the shop's table.
macro_rules! shop {
    ($place:literal, $model:literal, $method:literal, $success:literal, $score:literal) => {
        paper_row!($place, "world": "shop", "model": $model, "method": $method =>
            "SR" = Number($success), "score" = Number($score))
    };
}

/// All rows.
pub const FIGURES: [PaperRow; 38] = [
    games!("Table 1", "gpt-4-0613", "ReAct", 67.0, 74.0, 74.0, 67.0, 100.0, 47.0, 72.0),
    games!("Table 1", "gpt-4-0613", "O3D", 92.0, 100.0, 96.0, 95.0, 100.0, 53.0, 91.0),
    games!("Table 1", "gpt-3.5-0613", "ReAct", 13.0, 10.0, 0.0, 0.0, 17.0, 0.0, 7.0),
    games!("Table 1", "gpt-3.5-0613", "O3D", 71.0, 35.0, 4.0, 67.0, 44.0, 24.0, 41.0),
    shop!("Table 1", "gpt-4-0613", "ReAct", 26.0, 39.0),
    shop!("Table 1", "gpt-4-0613", "O3D", 41.0, 58.0),
    shop!("Table 1", "gpt-3.5-0613", "ReAct", 27.0, 60.0),
    shop!("Table 1", "gpt-3.5-0613", "O3D", 35.0, 61.0),
    games!("Table 2", "gpt-3.5-0613", "Reflexion", 33.0, 26.0, 26.0, 24.0, 50.0, 18.0, 29.0),
    games!("Table 2", "gpt-3.5-0613", "O3D", 71.0, 35.0, 4.0, 67.0, 44.0, 24.0, 41.0),
    games!("Table 2", "gpt-3.5-0613", "Reflexion+O3D", 54.0, 35.0, 61.0, 67.0, 56.0, 29.0, 50.0),
    shop!("Table 2", "gpt-3.5-0613", "Reflexion", 35.0, 55.0),
    shop!("Table 2", "gpt-3.5-0613", "O3D", 35.0, 61.0),
    shop!("Table 2", "gpt-3.5-0613", "Reflexion+O3D", 46.0, 62.0),
    games!("Table 3", "gpt-3.5-0613", "ReAct", 13.0, 10.0, 0.0, 0.0, 17.0, 0.0, 7.0),
    games!("Table 3", "gpt-3.5-0613", "ReAct-long", 71.0, 6.0, 0.0, 5.0, 17.0, 24.0, 21.0),
    games!("Table 3", "gpt-3.5-0613", "O3D", 71.0, 35.0, 4.0, 67.0, 44.0, 24.0, 41.0),
    shop!("Table 3", "gpt-3.5-0613", "ReAct", 27.0, 60.0),
    shop!("Table 3", "gpt-3.5-0613", "ReAct-long", 30.0, 64.0),
    shop!("Table 3", "gpt-3.5-0613", "O3D", 35.0, 61.0),
    games!("Table 6", "gpt-4-0613", "O3D", 92.0, 100.0, 96.0, 95.0, 100.0, 53.0, 91.0),
    games!("Table 6", "gpt-4-0613", "O3D-Human", 83.0, 100.0, 87.0, 95.0, 100.0, 53.0, 88.0),
    games!("Table 6", "gpt-3.5-0613", "O3D", 71.0, 35.0, 4.0, 67.0, 44.0, 24.0, 41.0),
    games!("Table 6", "gpt-3.5-0613", "O3D-Human", 71.0, 68.0, 83.0, 71.0, 44.0, 24.0, 63.0),
    shop!("Table 6", "gpt-4-0613", "O3D", 41.0, 58.0),
    shop!("Table 6", "gpt-4-0613", "O3D-Human", 41.0, 61.0),
    shop!("Table 6", "gpt-3.5-0613", "O3D", 35.0, 61.0),
    shop!("Table 6", "gpt-3.5-0613", "O3D-Human", 31.0, 61.0),
    games!("Table 9", "gpt-4-0613", "Demo2Code", 96.0, 58.0, 13.0, 43.0, 0.0, 65.0, 48.0),
    games!("Table 9", "gpt-4-0613", "O3D-Code", 100.0, 84.0, 87.0, 90.0, 89.0, 88.0, 90.0),
    games!("Table 9", "gpt-3.5-0613", "Demo2Code", 96.0, 26.0, 48.0, 29.0, 0.0, 82.0, 46.0),
    games!("Table 9", "gpt-3.5-0613", "AdaPlanner", 4.0, 13.0, 0.0, 0.0, 0.0, 0.0, 13.0),
    games!("Table 9", "gpt-3.5-0613", "O3D-Code", 100.0, 71.0, 91.0, 86.0, 89.0, 18.0, 78.0),
    games!("Table 9", "gpt-3.5-0301", "Demo2Code", 96.0, 48.0, 35.0, 19.0, 17.0, 53.0, 46.0),
    games!("Table 9", "gpt-3.5-0301", "AdaPlanner", 78.0, 94.0, 70.0, 94.0, 63.0, 78.0, 81.0),
    games!("Table 9", "gpt-3.5-0301", "O3D-Code", 96.0, 84.0, 91.0, 86.0, 89.0, 88.0, 90.0),
    shop!("Table 10", "gpt-4-0613", "Demo2Code", 1.0, 5.0),
    shop!("Table 10", "gpt-4-0613", "O3D-Code", 19.0, 31.0),
];

/// A model's name as the paper writes it, in small letters.
pub fn model(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    name.replace("gpt-3.5-turbo", "gpt-3.5")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_holds_all_columns_of_its_table() {
        for row in &FIGURES {
            let columns: &[&str] = if row.value("world") == Some("shop") { &SHOP } else { &TYPES };
            assert!(columns.iter().all(|column| row.figure(column).is_some()), "{row:?}");
        }
        assert_eq!(model("openai/gpt-3.5-turbo-0613"), "gpt-3.5-0613");
    }
}
