//! Operators of the demonstrated actions, as far as planning needs them: read from their learned effects.

use super::facts::PROPERTIES;
use stepwright_program::Literal;
use stepwright_world::planner::effects::{ActionModel, EffectModel, Lifted, Term};

/// An action's use in a plan, read from its learned effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Goto,
    Open,
    Close,
    Take,
    /// Leaves the thing in the hand somewhere.
    Put,
    Give,
}

pub(crate) struct Operator<'a> {
    pub function: &'a str,
    pub model: &'a ActionModel,
    pub role: Role,
    pub property: Option<&'a str>,
}

/// Reads each demonstrated action's role from its effects.
pub(crate) fn operators(effects: &EffectModel) -> Vec<Operator<'_>> {
    let on_first = |l: &Lifted| l.args.first() == Some(&Term::Param(0));
    let sets = |l: &'_ Lifted| -> Option<(String, bool)> {
        match (l.args.get(1), l.args.get(2)) {
            (Some(Term::Const(Literal::Str(p))), Some(Term::Const(Literal::Bool(v)))) => Some((p.clone(), *v)),
            _ => None,
        }
    };
    let mut operators = Vec::new();
    for (function, model) in effects.actions() {
        if function == super::GOTO && model.arity == 1 {
            operators.push(Operator { function, model, role: Role::Goto, property: None });
            continue;
        }
        let Some(effect) = model.certain.iter().find(|l| on_first(l)) else { continue };
        let (role, property) = match (effect.function.as_str(), model.arity) {
            (super::ADD_INVENTORY, 2) => (Role::Take, None),
            (super::REMOVE_INVENTORY, 2) => (Role::Put, None),
            (super::SET_PROPERTY, arity) => match (sets(effect), arity) {
                (Some((property, value)), 1) if property == super::OPEN => {
                    (if value { Role::Open } else { Role::Close }, None)
                }
                (Some((property, true)), _) => (Role::Give, PROPERTIES.iter().copied().find(|p| *p == property)),
                _ => continue,
            },
            _ => continue,
        };
        operators.push(Operator { function, model, role, property });
    }
    operators
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner_testing::effects;

    #[test]
    fn roles_come_from_effects() {
        let effects = effects();
        let roles: Vec<(&str, Role)> = operators(&effects).iter().map(|o| (o.function, o.role)).collect();
        let expected = [
            ("clean", Role::Give),
            ("close", Role::Close),
            ("goto", Role::Goto),
            ("heat", Role::Give),
            ("open", Role::Open),
            ("put", Role::Put),
            ("take", Role::Take),
            ("toggle", Role::Give),
        ];
        assert_eq!(roles, expected);
        assert!(operators(&EffectModel::default()).is_empty());
    }
}
