//! Templates of a person's own are rendered by a process with bounds: one that doubles a text is an error, in whatever way it does.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn rendered(template: &str) -> Output {
    let order = json!({ "name": "t/x", "templates": [["t/x", template]], "context": { "place": "shelf 1" } });
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.arg("template-worker").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(order.to_string().as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn d10_a_template_that_doubles_a_text_ends_its_process_alone() {
    let forty = |step: &str| {
        format!(
            "{{{{ role('user') }}}}{{% set ns = namespace(x='aaaaaaaa') %}}{{% for i in range(40) %}}{step}{{% endfor %}}{{{{ ns.x | length }}}}"
        )
    };
    let bombs = [
        forty("{% set ns.x = ns.x ~ ns.x %}"),
        forty("{% set ns.x = ns.x + ns.x %}"),
        forty("{% set ns.x = ns.x | json | json %}"),
        forty("{% set t %}{{ ns.x }}{{ ns.x }}{% endset %}{% set ns.x = t %}"),
        forty("{% set ns.x = [ns.x, ns.x] | string %}"),
        "{{ role('user') }}{% macro m(x, n) %}{% if n %}{{ m(x ~ x, n - 1) }}{% else %}{{ x }}{% endif %}{% endmacro %}{{ m('aaaaaaaa', 40) | length }}"
            .to_owned(),
    ];
    for bomb in bombs {
        let started = Instant::now();
        let output = rendered(&bomb);
        // Ended by the system, or stopped by a bound of the engine: an answer that it is wrong, never a text.
        let said = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
        assert!(!output.status.success() || said.get("Wrong").is_some(), "{bomb}: {said}");
        assert!(started.elapsed() < Duration::from_secs(60), "{bomb}");
    }
    let output = rendered("{{ role('user') }}\nGo to {{ place ~ '!' }}\n");
    assert!(output.status.success());
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["Rendered"]["messages"][0]["text"], "Go to shelf 1!");
}
