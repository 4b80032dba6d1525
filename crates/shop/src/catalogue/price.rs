//! Prices: what the catalogue writes (`$9.49 - $14.98`), what the shop shows, and what the reward counts.

use crate::python::float;

/// The price of a product without one, in dollars.
pub const DEFAULT: f64 = 100.0;

#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// One or two amounts, in dollars.
    pub amounts: Vec<f64>,
    pub tag: String,
}

impl Price {
    pub fn missing() -> Self {
        Price::of(vec![DEFAULT])
    }

    /// Of one amount or two; those after are dropped, and without any it is the missing price.
    pub fn of(mut amounts: Vec<f64>) -> Self {
        amounts.truncate(2);
        let tag = match amounts.as_slice() {
            [] => return Price::missing(),
            [one] => format!("${}", float(*one)),
            [low, high, ..] => format!("${} to ${}", float(*low), float(*high)),
        };
        Price { amounts, tag }
    }
}

/// The price of a text: what follows each dollar sign, thousands' commas and words dropped; the missing price for an empty text.
pub fn price(text: &str) -> Result<Price, String> {
    if text.is_empty() {
        return Ok(Price::missing());
    }
    let amounts = text.split('$').skip(1).map(|part| {
        let digits: String = part.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
        digits.parse::<f64>().map_err(|_| format!("{text:?} is no price; `$9.99` or `$9.49 - $14.98` is expected"))
    });
    let amounts = amounts.collect::<Result<Vec<f64>, String>>()?;
    if amounts.is_empty() {
        return Err(format!("{text:?} is no price; it has no `$`, `$9.99` is expected"));
    }
    Ok(Price::of(amounts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_as_catalogues_write_them() {
        let tags = |text: &str| price(text).map(|price| price.tag);
        assert_eq!(tags("$9.99").unwrap(), "$9.99");
        assert_eq!(tags("$1,234.50").unwrap(), "$1234.5");
        assert_eq!(tags("$9.49 - $14.98").unwrap(), "$9.49 to $14.98");
        assert_eq!(tags("$1 $2 $3").unwrap(), "$1.0 to $2.0");
        assert_eq!(tags("").unwrap(), "$100.0");
        assert!(tags("9.99").unwrap_err().contains("no `$`"));
        assert!(tags("$free").is_err());
    }
}
