//! The names of generated variables.

/// A variable's name by number: `a` to `z`, then `a1` to `z1`, and so on. Never a keyword, and without a dot.
pub fn variable_name(index: u32) -> Box<str> {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
    let (round, letter) = (index / 26, (index % 26) as usize);
    let letter = &LETTERS[letter..=letter];
    if round == 0 { letter.into() } else { format!("{letter}{round}").into() }
}
