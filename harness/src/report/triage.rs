//! A triage on a terminal.

use crate::triage::Triage;

/// The triage for people: who, where, since when, and how sure.
pub fn triage_text(triage: &Triage) -> String {
    let path = triage.path.as_ref().map(|path| format!(" ({path})")).unwrap_or_default();
    let pass = triage.pass.as_ref().map(|pass| format!("pass        {pass}\n")).unwrap_or_default();
    format!(
        "signature   {}\naccused     {}{path}\n            {}\nstage       {}\n{pass}versions    {}\nconfidence  {}\n            {}\n",
        triage.signature,
        triage.accused.group,
        triage.accused.why,
        triage.stage,
        triage.versions.note,
        triage.confidence.name(),
        triage.why,
    )
}
