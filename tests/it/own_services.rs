//! Services of the tests' own, for every rule of the dataset's format that the recorded services happen not to need: odd names, empty and
//! null fields, values of any kind, every act, several acts a turn, dialogues of several services beside those of one.

use serde_json::{Value, json};

use stepwright::program::Specification;
use stepwright::world::demonstration::Demonstration;
use stepwright::worlds::dialogue::{SYSTEM_ACTS, Source, USER_ACTS};

const SERVICE: &str = "Tides_3";

/// Slots whose names are anything but names in Python.
const ODD: [&str; 9] = ["it's", "two words", "höhe", "self", "class", "None", "a\"b\\", "{{x}}", "'); assert False  #"];

fn schema() -> Value {
    let categorical: Vec<Value> =
        (0..400).map(|n| json!(n)).chain([json!(true), json!(null), json!("7"), json!("")]).collect();
    let odd = ODD.iter().map(|name| json!({"name": name, "description": null, "is_categorical": false}));
    let mut slots = vec![
        json!({"name": "harbour", "description": "Where", "is_categorical": true, "possible_values": categorical}),
        json!({"name": "day", "is_categorical": false, "possible_values": null}),
        // Of the same name as an intent, and one that is listed twice.
        json!({"name": "FindTide"}),
        json!({"name": "day"}),
    ];
    slots.extend(odd);
    json!([{
        "service_name": SERVICE,
        "description": null,
        "slots": slots,
        "intents": [
            {"name": "FindTide", "description": null, "is_transactional": false, "required_slots": ["harbour"],
             "optional_slots": {"day": "dontcare", "höhe": "", "None": null, "self": 3}, "result_slots": ["harbour"]},
            {"name": "OrderTable", "is_transactional": true, "required_slots": null, "optional_slots": ["day"]},
            {"name": "Forget", "optional_slots": null},
        ],
    }])
}

fn act(name: &str, slot: Value, values: Value) -> Value {
    json!({"act": name, "slot": slot, "values": values})
}

fn plain(name: &str) -> Value {
    act(name, json!(""), json!([]))
}

fn turn(speaker: &str, actions: &[Value], more: Value) -> Value {
    let mut frame = json!({"service": SERVICE, "slots": [], "actions": actions});
    if let (Value::Object(frame), Value::Object(more)) = (&mut frame, more) {
        frame.extend(more);
    }
    json!({"speaker": speaker, "utterance": "…", "frames": [frame]})
}

fn call(method: &str, results: Value) -> Value {
    json!({"service_call": {"method": method, "parameters": {"harbour": "1"}}, "service_results": results})
}

/// A dialogue with every act of both sides, and what it is as calls.
fn dialogue(id: &str, slot: &str) -> Value {
    let (user, system) = ("USER", "SYSTEM");
    let none = || json!({});
    json!({"dialogue_id": id, "services": [SERVICE], "turns": [
        turn(user, &[act("INFORM_INTENT", json!("intent"), json!(["FindTide"])), act("INFORM", json!(slot), json!([1, "one", null]))],
            json!({"state": {"active_intent": "NONE", "requested_slots": [], "slot_values": {slot: ["1", "one"]}}})),
        turn(system, &[act("REQUEST", json!("harbour"), json!(null))], none()),
        turn(user, &[act("INFORM", json!("harbour"), json!(["dontcare"])), act("INFORM", json!("harbour"), json!(["dontcare"]))], none()),
        // Found nothing, and says so with an alternative.
        turn(system, &[plain("NOTIFY_FAILURE"), act("OFFER", json!(slot), json!(["2"])), act("INFORM_COUNT", json!("count"), json!(["1"]))],
            call("FindTide", json!([{"harbour": "2"}]))),
        turn(user, &[act("REQUEST_ALTS", json!(null), json!(null)), act("REQUEST", json!(slot), json!([]))], none()),
        // Without parameters, and the results are null.
        turn(system, &[act("INFORM", json!(slot), json!(["3"])), act("OFFER_INTENT", json!("intent"), json!(["OrderTable"]))],
            json!({"service_call": {"method": "FindTide"}, "service_results": null})),
        turn(user, &[plain("NEGATE_INTENT")], none()),
        json!({"speaker": system, "utterance": null, "frames": []}),
        turn(user, &[act("SELECT", json!(slot), json!(["3"])), plain("AFFIRM_INTENT")], none()),
        turn(system, &[act("CONFIRM", json!(slot), json!([true])), act("CONFIRM", json!("harbour"), json!(["dontcare"]))], none()),
        turn(user, &[plain("NEGATE")], none()),
        json!({"speaker": system, "frames": [{"service": SERVICE, "actions": null, "service_call": null, "service_results": null}]}),
        turn(user, &[plain("AFFIRM")], none()),
        turn(system, &[plain("NOTIFY_SUCCESS"), plain("REQ_MORE")], call("OrderTable", json!([{}]))),
        turn(user, &[plain("THANK_YOU"), plain("GOODBYE")], none()),
        turn(system, &[plain("GOODBYE")], none()),
    ]})
}

fn calls(slot: &str) -> Vec<String> {
    let named = |call: &str| call.replace("SLOT", &stepwright_program::Literal::from(slot.to_owned()).to_string());
    [
        "user.INFORM_INTENT('FindTide')",
        "user.INFORM(SLOT)",
        "system.REQUEST('harbour')",
        "user.INFORM('harbour')",
        "user.INFORM('harbour')",
        "system.FindTide()",
        "system.set_query_status(False)",
        "system.NOTIFY_FAILURE()",
        "system.OFFER(SLOT)",
        "system.INFORM_COUNT()",
        "user.REQUEST_ALTS()",
        "user.REQUEST(SLOT)",
        "system.FindTide()",
        "system.set_query_status(False)",
        "system.INFORM(SLOT)",
        "system.OFFER_INTENT('OrderTable')",
        "user.NEGATE_INTENT()",
        "user.SELECT()",
        "user.AFFIRM_INTENT()",
        "system.CONFIRM(SLOT)",
        "system.CONFIRM('harbour')",
        "user.NEGATE()",
        "user.AFFIRM()",
        "system.OrderTable()",
        "system.set_query_status(True)",
        "system.NOTIFY_SUCCESS()",
        "system.REQ_MORE()",
        "user.THANK_YOU()",
        "user.GOODBYE()",
        "system.GOODBYE()",
    ]
    .map(named)
    .into()
}

/// These dialogues with this schema, as a copy of the dataset has them.
fn source(schema: &str, dialogues: &str) -> Source {
    let folder = tempfile::tempdir().unwrap();
    let split = folder.path().join("dev");
    std::fs::create_dir(&split).unwrap();
    std::fs::write(split.join("schema.json"), schema).unwrap();
    std::fs::write(split.join("dialogues_001.json"), dialogues).unwrap();
    Source::open(folder.path()).unwrap()
}

#[test]
fn every_act_every_odd_name_and_every_empty_field_is_read() {
    let all: Vec<Value> = ODD.iter().enumerate().map(|(at, slot)| dialogue(&format!("3_{at}"), slot)).collect();
    let source = source(&schema().to_string(), &json!(all).to_string());
    assert_eq!(source.dialogues().len(), ODD.len());
    for (read, slot) in source.dialogues().iter().zip(ODD) {
        assert_eq!(read.calls().map(ToString::to_string).collect::<Vec<_>>(), calls(slot), "{slot}");
        assert_eq!((read.turns.len(), read.turns[7].calls.len(), read.turns[11].calls.len()), (16, 0, 0));
    }
    let made: Vec<String> = calls("x").iter().map(|c| c.split(['.', '(']).nth(1).unwrap().to_owned()).collect();
    for (act, _) in USER_ACTS.iter().chain(&SYSTEM_ACTS) {
        assert!(made.iter().any(|m| m == act), "{act} is not tried");
    }
    let service = source.service(SERVICE).unwrap();
    assert_eq!((service.slots[0].possible_values.len(), service.slots[0].possible_values[400].as_str()), (404, "true"));
    let optional = &service.intents[0].optional_slots;
    assert_eq!((optional["day"].as_str(), optional["None"].as_str(), optional["self"].as_str()), ("dontcare", "", "3"));
    assert_eq!(service.intents[1].optional_slots.keys().collect::<Vec<_>>(), ["day"]);
}

#[test]
fn programs_with_odd_names_run_and_their_preconditions_are_found() {
    for slot in ODD {
        let all: Vec<Value> = (0..6).map(|at| dialogue(&format!("3_{at}"), slot)).collect();
        let source = source(&schema().to_string(), &json!(all).to_string());
        let specification = Specification::load(&source.specification(SERVICE), "spec.py").unwrap();
        let demonstration = Demonstration::from(&source.dialogues()[0]);
        let mut state = specification.start().unwrap();
        for call in demonstration.calls() {
            state.call(call).unwrap();
        }
        assert_eq!(state.variables()["user"]["informed_slot"], json!({slot: true, "harbour": true}), "{slot}");
        let demos =
            source.dialogues().iter().map(|d| stepwright::precondition::Demo::from(&Demonstration::from(d))).collect();
        let found = stepwright::study::precondition::enumerated(&specification, demos).unwrap();
        assert_eq!(found["INFORM"], ["self.user.requested_slot[slot]"], "{slot}");
        assert_eq!(found["NOTIFY_SUCCESS"], ["self.query_success"], "{slot}");
        assert_eq!(found.len(), SYSTEM_ACTS.len() + 2, "the acts and the two queries that were made: {found:?}");
        for assertion in found.values().flatten() {
            assert!(!assertion.contains('\n') && !assertion.contains('#'), "{assertion}");
        }
    }
}

#[test]
fn dialogues_of_several_services_are_left_out_and_marks_of_editors_are_passed_over() {
    let mut two = dialogue("3_two", "day");
    two["services"] = json!([SERVICE, "Trains_1"]);
    two["turns"][0]["frames"] =
        json!([{"service": "Trains_1", "actions": [plain("SHOUT")]}, {"service": SERVICE, "actions": []}]);
    let all = json!([two, dialogue("3_one", "day"), {"dialogue_id": "3_none", "services": [], "turns": []}]);
    let mark = '\u{feff}';
    let source = source(&format!("{mark}{}", schema()), &format!("{mark}{all}\r\n"));
    assert_eq!(source.dialogues().iter().map(|d| d.id.as_str()).collect::<Vec<_>>(), ["dev/3_one"]);
}
