//! What furnishes the generated rooms: receptacles and how many, objects with their abilities and where they usually lie.
//!
//! Written for this program from common sense; ALFWorld's own compatibilities decide what may lie where.

use crate::world::household::Property::{
    self, Cleanable, Coolable, Heatable, IsReceptacleObject, Pickupable, Sliceable, Toggleable,
};

/// A kind of receptacle in a room: type, least and most of them, whether it opens.
pub type Furniture = (&'static str, usize, usize, bool);

/// A kind of object in a room: type, least and most of them, abilities beyond lying there, usual places.
pub type Thing = (&'static str, usize, usize, &'static [Property], &'static [&'static str]);

/// A kind of room.
#[derive(Debug)]
pub struct Room {
    /// First floor plan number of its kind; ALFWorld numbers kitchens 1 to 30, living rooms from 201, and so on.
    pub scene: i64,
    /// Receptacles.
    pub furniture: &'static [Furniture],
    /// Objects.
    pub things: &'static [Thing],
}

const FOOD: &[Property] = &[Pickupable, Cleanable, Heatable, Coolable, Sliceable];
const CROCKERY: &[Property] = &[Pickupable, Cleanable, Heatable, Coolable, IsReceptacleObject];
const COOKWARE: &[Property] = &[Pickupable, Cleanable, Coolable, IsReceptacleObject];
const CUTLERY: &[Property] = &[Pickupable, Cleanable];
const PLAIN: &[Property] = &[Pickupable];
const LAMP: &[Property] = &[Toggleable];

/// A kitchen: everything can be cleaned, heated and cooled here.
pub const KITCHEN: Room = Room {
    scene: 1,
    furniture: &[
        ("cabinet", 3, 8, true),
        ("coffeemachine", 1, 1, false),
        ("countertop", 2, 3, false),
        ("diningtable", 1, 1, false),
        ("drawer", 2, 5, true),
        ("fridge", 1, 1, true),
        ("garbagecan", 1, 1, false),
        ("microwave", 1, 1, true),
        ("shelf", 0, 3, false),
        ("sinkbasin", 1, 1, false),
        ("stoveburner", 2, 4, false),
        ("toaster", 1, 1, false),
    ],
    things: &[
        ("apple", 1, 3, FOOD, &["diningtable", "fridge", "countertop", "garbagecan"]),
        ("bowl", 1, 2, COOKWARE, &["cabinet", "countertop", "diningtable", "shelf"]),
        ("bread", 0, 1, &[Pickupable, Heatable, Coolable, Sliceable], &["countertop", "diningtable"]),
        ("butterknife", 1, 2, CUTLERY, &["drawer", "countertop", "diningtable"]),
        ("cup", 1, 2, CROCKERY, &["cabinet", "shelf", "sinkbasin", "countertop", "microwave"]),
        ("dishsponge", 1, 2, CUTLERY, &["sinkbasin", "countertop", "drawer"]),
        ("egg", 1, 2, FOOD, &["fridge", "countertop", "sinkbasin"]),
        ("fork", 1, 3, CUTLERY, &["drawer", "diningtable", "countertop", "sinkbasin"]),
        ("knife", 1, 2, CUTLERY, &["drawer", "countertop"]),
        ("lettuce", 1, 2, &[Pickupable, Cleanable, Coolable, Sliceable], &["fridge", "diningtable", "countertop"]),
        ("mug", 1, 3, CROCKERY, &["coffeemachine", "cabinet", "countertop", "shelf", "sinkbasin"]),
        ("pan", 1, 1, COOKWARE, &["stoveburner", "cabinet", "countertop"]),
        ("peppershaker", 1, 2, PLAIN, &["cabinet", "countertop", "drawer", "shelf"]),
        ("plate", 1, 2, CROCKERY, &["cabinet", "diningtable", "shelf", "countertop"]),
        ("pot", 1, 1, COOKWARE, &["stoveburner", "cabinet", "fridge"]),
        ("potato", 1, 2, FOOD, &["fridge", "countertop", "sinkbasin", "garbagecan"]),
        ("saltshaker", 1, 2, PLAIN, &["cabinet", "countertop", "drawer", "diningtable"]),
        ("soapbottle", 1, 2, PLAIN, &["countertop", "cabinet", "garbagecan"]),
        ("spatula", 1, 2, CUTLERY, &["drawer", "countertop"]),
        ("spoon", 1, 2, CUTLERY, &["drawer", "diningtable", "sinkbasin"]),
        ("tomato", 1, 3, FOOD, &["fridge", "diningtable", "countertop", "microwave"]),
    ],
};

/// A bedroom with a desk and its lamp.
pub const BEDROOM: Room = Room {
    scene: 301,
    furniture: &[
        ("bed", 1, 1, false),
        ("desk", 1, 2, false),
        ("drawer", 3, 6, true),
        ("dresser", 0, 1, false),
        ("garbagecan", 1, 1, false),
        ("laundryhamper", 0, 1, true),
        ("safe", 0, 1, true),
        ("shelf", 1, 4, false),
        ("sidetable", 1, 2, false),
    ],
    things: &[
        ("alarmclock", 1, 2, PLAIN, &["desk", "sidetable", "shelf"]),
        ("book", 1, 3, PLAIN, &["bed", "desk", "shelf", "drawer"]),
        ("bowl", 0, 1, COOKWARE, &["desk", "shelf"]),
        ("cd", 1, 3, PLAIN, &["desk", "drawer", "shelf", "safe", "garbagecan"]),
        ("cellphone", 1, 2, PLAIN, &["bed", "desk", "drawer", "sidetable"]),
        ("creditcard", 1, 3, PLAIN, &["desk", "drawer", "sidetable", "shelf"]),
        ("desklamp", 1, 1, LAMP, &["desk", "sidetable"]),
        ("keychain", 1, 3, PLAIN, &["desk", "drawer", "safe", "sidetable", "shelf"]),
        ("laptop", 1, 2, PLAIN, &["bed", "desk"]),
        ("mug", 1, 2, CROCKERY, &["desk", "shelf", "drawer"]),
        ("pen", 1, 2, PLAIN, &["desk", "drawer", "garbagecan", "shelf"]),
        ("pencil", 1, 3, PLAIN, &["desk", "drawer", "shelf"]),
        ("pillow", 1, 2, PLAIN, &["bed"]),
        ("teddybear", 0, 1, PLAIN, &["bed"]),
    ],
};

/// A living room with a floor lamp.
pub const LIVING_ROOM: Room = Room {
    scene: 201,
    furniture: &[
        ("armchair", 1, 2, false),
        ("cabinet", 0, 3, true),
        ("coffeetable", 1, 2, false),
        ("diningtable", 0, 1, false),
        ("drawer", 2, 5, true),
        ("dresser", 0, 1, false),
        ("garbagecan", 1, 1, false),
        ("shelf", 0, 3, false),
        ("sidetable", 1, 3, false),
        ("sofa", 1, 1, false),
        ("tvstand", 0, 1, false),
    ],
    things: &[
        ("book", 1, 2, PLAIN, &["coffeetable", "sidetable", "sofa", "drawer"]),
        ("box", 1, 2, PLAIN, &["coffeetable", "armchair", "diningtable", "sofa"]),
        ("creditcard", 1, 3, PLAIN, &["armchair", "coffeetable", "drawer", "sidetable"]),
        ("floorlamp", 1, 1, LAMP, &["sidetable", "dresser", "coffeetable", "tvstand", "shelf"]),
        ("keychain", 1, 3, PLAIN, &["armchair", "drawer", "sidetable", "tvstand", "sofa"]),
        ("laptop", 1, 2, PLAIN, &["coffeetable", "sofa", "diningtable"]),
        ("newspaper", 1, 2, PLAIN, &["coffeetable", "drawer", "sofa", "sidetable"]),
        ("pillow", 1, 2, PLAIN, &["sofa", "armchair"]),
        ("plate", 0, 1, CROCKERY, &["coffeetable", "diningtable"]),
        ("remotecontrol", 1, 3, PLAIN, &["armchair", "coffeetable", "sofa", "tvstand", "sidetable"]),
        ("statue", 1, 2, PLAIN, &["coffeetable", "dresser", "shelf", "sidetable", "tvstand"]),
        ("tissuebox", 1, 2, PLAIN, &["coffeetable", "sidetable", "cabinet"]),
        ("vase", 1, 2, PLAIN, &["coffeetable", "shelf", "sidetable", "diningtable"]),
        ("watch", 1, 2, PLAIN, &["coffeetable", "drawer", "sidetable", "shelf"]),
    ],
};

/// A bathroom: things can be cleaned here.
pub const BATHROOM: Room = Room {
    scene: 401,
    furniture: &[
        ("bathtubbasin", 0, 1, false),
        ("cabinet", 2, 4, true),
        ("countertop", 1, 1, false),
        ("drawer", 1, 3, true),
        ("garbagecan", 1, 1, false),
        ("handtowelholder", 1, 2, false),
        ("shelf", 0, 2, false),
        ("sidetable", 0, 1, false),
        ("sinkbasin", 1, 2, false),
        ("toilet", 1, 1, false),
        ("toiletpaperhanger", 1, 1, false),
        ("towelholder", 1, 1, false),
    ],
    things: &[
        ("candle", 1, 2, PLAIN, &["countertop", "toilet", "shelf"]),
        ("cloth", 1, 3, CUTLERY, &["cabinet", "countertop", "bathtubbasin", "drawer", "sinkbasin"]),
        ("dishsponge", 1, 1, CUTLERY, &["cabinet", "countertop", "sinkbasin"]),
        ("handtowel", 1, 2, PLAIN, &["handtowelholder"]),
        ("soapbar", 1, 3, CUTLERY, &["toilet", "sinkbasin", "cabinet", "countertop", "garbagecan"]),
        ("soapbottle", 1, 2, PLAIN, &["toilet", "cabinet", "countertop", "garbagecan"]),
        ("spraybottle", 1, 3, PLAIN, &["toilet", "cabinet", "countertop", "drawer", "garbagecan"]),
        ("tissuebox", 0, 1, PLAIN, &["cabinet", "countertop", "drawer", "sidetable"]),
        ("toiletpaper", 1, 3, PLAIN, &["cabinet", "drawer", "toiletpaperhanger", "toilet"]),
        ("towel", 1, 1, PLAIN, &["towelholder"]),
    ],
};
