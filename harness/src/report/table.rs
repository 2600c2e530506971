//! Tables for people.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table with a header. Columns in which every cell begins with a digit are numbers and stand to the right.
pub fn table<const N: usize>(header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled).set_header(header);
    let mut numeric = [true; N];
    for row in rows {
        for (numeric, cell) in numeric.iter_mut().zip(&row) {
            *numeric &= cell.starts_with(|c: char| c.is_ascii_digit());
        }
        table.add_row(row);
    }
    for (column, numeric) in table.column_iter_mut().zip(numeric) {
        column.set_padding((0, 2));
        if numeric {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right() {
        let text = table(["path", "runs"], [["tiny/eval".into(), "7".into()], ["lab/phi".into(), "1200".into()]]);
        assert_eq!(text, "path       runs\ntiny/eval     7\nlab/phi    1200");
    }
}
