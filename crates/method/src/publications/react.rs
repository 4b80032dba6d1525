//! ReAct (Yao et al. 2023) and Reflexion (Shinn et al. 2023), as their programs have it.

use super::row::{Again, Asked, Interface, Publication, Row};

/// A line in ReAct's notebooks.
const LINE: Asked = Asked {
    interface: Some(Interface::Message),
    temperature: Some(0.0),
    max_tokens: Some(100),
    top_p: Some(1.0),
    stop: Some(&["\n"]),
    frequency_penalty: Some(0.0),
    presence_penalty: Some(0.0),
    logprobs: Some(false),
    ..Asked::NOTHING
};

/// A line in Reflexion's programs: asked for again, warmer each time, below five characters.
const TRIED: Asked = Asked { again: Some(Again { shorter_than: 5, temperatures: &[0.2, 0.4, 0.6, 0.8, 1.0] }), ..LINE };

const REFLECTION: Asked = Asked { interface: Some(Interface::Text), max_tokens: Some(256), stop: Some(&[]), ..LINE };

pub(super) const ROWS: &[Publication] = &[
    Publication {
        id: "react-2023",
        title: "Yao et al. 2023: ReAct's notebooks",
        methods: &["react"],
        rows: &[
            Row {
                world: "household",
                asks: &[("act", Asked { interface: Some(Interface::Text), ..LINE })],
                options: &[("limits", "react-49"), ("examples", "2"), ("reading", "stripped")],
            },
            Row {
                world: "shop",
                asks: &[("act", Asked { interface: Some(Interface::Text), ..LINE })],
                options: &[("limits", "react-14"), ("examples", "1"), ("characters", "6400"), ("reading", "front")],
            },
        ],
    },
    Publication {
        id: "reflexion-2023-08",
        title: "Shinn et al. 2023: Reflexion of August 2023",
        methods: &["reflexion"],
        rows: &[
            Row {
                world: "household",
                asks: &[("act", Asked { max_tokens: Some(256), ..TRIED }), ("reflect", REFLECTION)],
                options: &[
                    ("limits", "reflexion-49"),
                    ("examples", "2"),
                    ("reading", "stripped"),
                    ("memory", "3"),
                    ("trials", "10"),
                    ("final", "true"),
                ],
            },
            Row {
                world: "shop",
                asks: &[("act", Asked { interface: Some(Interface::Text), ..TRIED }), ("reflect", REFLECTION)],
                options: &[
                    ("limits", "react-14"),
                    ("examples", "1"),
                    ("characters", "6400"),
                    ("reading", "front"),
                    ("memory", "3"),
                    ("recall", "false"),
                    ("trials", "10"),
                    ("final", "true"),
                ],
            },
        ],
    },
    Publication {
        id: "reflexion-2023-05",
        title: "Shinn et al. 2023: Reflexion of May 2023",
        methods: &["reflexion"],
        rows: &[Row {
            world: "household",
            asks: &[("act", Asked { interface: Some(Interface::Text), ..TRIED }), ("reflect", REFLECTION)],
            options: &[
                ("limits", "reflexion-50"),
                ("examples", "2"),
                ("reading", "stripped"),
                ("memory", "3"),
                ("trials", "10"),
                ("final", "true"),
            ],
        }],
    },
];
