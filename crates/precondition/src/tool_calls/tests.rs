//! A made-up shop: what a careful clerk reads before orders are exchanged, and what an exchange needs.

use serde_json::{Value as Json, json};

use super::*;

fn toolbox() -> Toolbox {
    let tool = |name: &str, parameters: &[(&str, &str)]| {
        let properties: serde_json::Map<String, Json> =
            parameters.iter().map(|(name, kind)| ((*name).to_owned(), json!({ "type": kind }))).collect();
        let required: Vec<&str> = parameters.iter().map(|(name, _)| *name).collect();
        json!({ "name": name, "parameters": { "type": "object", "properties": properties, "required": required } })
    };
    let exchange = [("order_id", "string"), ("old", "array"), ("new", "array"), ("card", "string")];
    Toolbox::of_json(&json!([
        tool("get_order", &[("order_id", "string")]),
        tool("get_user", &[("user_id", "string")]),
        tool("get_product", &[("product_id", "string")]),
        tool("exchange", &exchange),
    ]))
}

fn step(tool: &str, arguments: Json, result: Json) -> ToolStep {
    ToolStep { tool: tool.to_owned(), arguments, result, error: None }
}

/// Product `p` has the pieces `p0` to `p4` of rising prices; the fourth cannot be had.
fn product(p: usize) -> Json {
    let piece = |v: usize| (format!("p{p}v{v}"), json!({ "price": 10 + p + 3 * v, "available": v != 3 }));
    json!({ "product_id": format!("P{p}"), "pieces": (0..5).map(piece).collect::<serde_json::Map<_, _>>() })
}

fn order(n: usize, status: &str) -> Json {
    let thing = |v: usize| json!({ "piece": format!("p{}v{v}", (n + v) % 6), "product_id": format!("P{}", (n + v) % 6), "price": 10 + (n + v) % 6 + 3 * v });
    json!({ "order_id": format!("W{n}"), "user_id": format!("U{n}"), "status": status, "things": [thing(0), thing(1)] })
}

fn user(n: usize) -> Json {
    let card = |k: usize| {
        (
            format!("card{n}_{k}"),
            if k == 0 { json!({ "kind": "gift", "balance": 1 + n % 9 }) } else { json!({ "kind": "credit" }) },
        )
    };
    json!({ "user_id": format!("U{n}"), "cards": (0..2).map(card).collect::<serde_json::Map<_, _>>() })
}

/// Reads before an exchange of the first `count` things of order `n`.
fn reads(n: usize, status: &str, count: usize) -> Vec<ToolStep> {
    let mut steps = vec![
        step("get_order", json!({ "order_id": format!("W{n}") }), order(n, status)),
        step("get_user", json!({ "user_id": format!("U{n}") }), user(n)),
    ];
    steps.extend((0..count).map(|v| {
        let p = (n + v) % 6;
        step("get_product", json!({ "product_id": format!("P{p}") }), product(p))
    }));
    steps
}

fn exchange(n: usize, pieces: &[(usize, usize)], card: usize) -> Json {
    let old: Vec<String> = pieces.iter().map(|(v, _)| format!("p{}v{v}", (n + v) % 6)).collect();
    let new: Vec<String> = pieces.iter().map(|(v, to)| format!("p{}v{to}", (n + v) % 6)).collect();
    json!({ "order_id": format!("W{n}"), "old": old, "new": new, "card": format!("card{n}_{card}") })
}

#[test]
fn an_exchange_is_learned_from_accepted_ones_alone() {
    let toolbox = toolbox();
    let mut episodes = Vec::new();
    for n in 0..80 {
        // A gift card of an odd order pays where it holds enough: to the next piece for 3.
        let status = if n % 4 == 3 { "pending" } else { "delivered" };
        let mut steps = reads(n, status, 2);
        if status == "delivered" {
            let gift = n % 9 >= 5;
            let pieces: Vec<(usize, usize)> = match n % 3 {
                0 => vec![(0, 1)],
                1 => vec![(1, 2)],
                _ if gift => vec![(0, 1), (1, 2)],
                _ => vec![(0, 4), (1, 0)],
            };
            steps.push(step("exchange", exchange(n, &pieces, usize::from(!gift)), order(n, "exchange requested")));
        }
        episodes.push(steps);
    }
    let rules = infer(&toolbox, &episodes, |_| true).unwrap();
    let specification = specification(&toolbox).unwrap();
    let said = |before: &[ToolStep], arguments: &Json| {
        let mut known = Known::new(&toolbox, &specification).unwrap();
        before.iter().for_each(|step| known.learn(step));
        let (judgement, why) =
            judge(&known, &toolbox.call("exchange", arguments), rules.get("exchange").map(Vec::as_slice));
        (judgement, why.map(str::to_owned))
    };
    // Of user 91 the gift card holds 2.
    let (before, all) = (reads(91, "delivered", 2), format!("{rules:#?}"));
    let judged = |arguments: &Json| said(&before, arguments).0;
    assert_eq!(judged(&exchange(91, &[(0, 1), (1, 4)], 1)), Judgement::Accepted, "{all}");
    assert_eq!(judged(&exchange(91, &[(0, 3)], 1)), Judgement::Refused, "cannot be had\n{all}");
    assert_eq!(judged(&exchange(91, &[(0, 0)], 1)), Judgement::Refused, "the same\n{all}");
    assert_eq!(
        judged(&exchange(91, &[(0, 2), (1, 4)], 0)),
        Judgement::Refused,
        "costs more than the card holds\n{all}"
    );
    let mut other = exchange(91, &[(0, 1)], 1);
    other["new"] = json!(["p5v1"]);
    assert_eq!(judged(&other), Judgement::Refused, "of another product\n{all}");
    other["new"] = json!([]);
    assert_eq!(judged(&other), Judgement::Refused, "fewer\n{all}");
    other = exchange(91, &[(0, 1)], 1);
    other["card"] = json!("card7_1");
    assert_eq!(judged(&other), Judgement::Refused, "somebody else's card\n{all}");
    assert_eq!(said(&reads(91, "pending", 2), &exchange(91, &[(0, 1)], 1)).0, Judgement::Refused, "{all}");
    // What was not read is not decided.
    assert_eq!(said(&before[..2], &exchange(91, &[(0, 1)], 1)).0, Judgement::Untold, "{all}");
    assert_eq!(said(&before[1..], &exchange(91, &[(0, 1)], 1)).0, Judgement::Untold, "{all}");
}
