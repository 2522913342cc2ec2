//! Tables: rows are gathered cell by cell, and written when they are whole.

use super::{BlockGap, MarkdownWriter};

/// Cells of a row; more are left out.
const MAX_CELLS: usize = 64;

/// The open tables, and the row that is gathered.
#[derive(Default)]
pub(super) struct Tables {
    open: usize,
    /// A table that has another one in it only puts things side by side: its cells are written like any text.
    layout: bool,
    /// How many rows were written.
    rows: usize,
    row: Option<Vec<String>>,
    in_cell: bool,
    /// Bytes in cells that are done.
    done: usize,
}

impl Tables {
    pub(super) fn in_cell(&self) -> bool {
        self.in_cell
    }

    /// The cell that is written now.
    pub(super) fn cell(&mut self) -> Option<&mut String> {
        if self.in_cell { self.row.as_mut()?.last_mut() } else { None }
    }

    /// Bytes that are not written yet.
    pub(super) fn waiting(&self) -> usize {
        let cell = self.row.as_ref().filter(|_| self.in_cell).and_then(|row| row.last());
        self.done + cell.map_or(0, String::len)
    }

    fn take_row(&mut self) -> Vec<String> {
        (self.in_cell, self.done) = (false, 0);
        self.row.take().unwrap_or_default()
    }
}

impl MarkdownWriter {
    pub(super) fn table_start(&mut self, name: &[u8]) {
        self.close_marks();
        match name {
            b"table" => {
                self.heading = false;
                if self.tables.open > 0 {
                    self.tables.layout = true;
                    self.write_as_text();
                }
                self.tables.open += 1;
                self.tables.rows = 0;
                self.apart(BlockGap::Blank);
            }
            b"tr" => {
                self.end_row();
                self.apart(BlockGap::Line);
            }
            // `td` or `th`.
            _ if self.tables.layout || self.tables.open == 0 || self.heading => self.apart(BlockGap::Line),
            _ => {
                self.end_cell();
                let row = self.tables.row.get_or_insert_default();
                if row.len() < MAX_CELLS {
                    row.push(String::new());
                    self.tables.in_cell = true;
                }
                self.gap = if row.len() == 1 { self.gap.max(BlockGap::Line) } else { self.gap };
            }
        }
    }

    pub(super) fn table_end(&mut self, name: &[u8]) {
        self.close_marks();
        match name {
            b"table" => {
                self.end_row();
                self.tables.open = self.tables.open.saturating_sub(1);
                if self.tables.open == 0 {
                    self.tables.layout = false;
                }
                self.apart(BlockGap::Blank);
            }
            b"tr" => self.end_row(),
            _ => self.end_cell(),
        }
    }

    pub(super) fn close_tables(&mut self) {
        self.end_row();
    }

    fn end_cell(&mut self) {
        let cell = self.tables.cell().map_or(0, |cell| cell.len());
        self.tables.done += cell;
        self.tables.in_cell = false;
    }

    fn end_row(&mut self) {
        let row = self.tables.take_row();
        if row.iter().all(|cell| cell.trim().is_empty()) {
            return;
        }
        self.gap = BlockGap::Line;
        if let [alone] = row.as_slice() {
            self.write_line(alone);
            return;
        }
        if self.tables.rows == 0 {
            self.gap = BlockGap::Blank;
        }
        self.write_line(&format!("| {} |", row.join(" | ")));
        if self.tables.rows == 0 {
            self.write_line(&format!("|{}", "---|".repeat(row.len())));
        }
        self.tables.rows += 1;
    }

    /// The row that is gathered is none: its cells are text.
    fn write_as_text(&mut self) {
        for cell in self.tables.take_row() {
            self.gap = BlockGap::Line;
            self.write_line(&cell);
        }
    }

    fn write_line(&mut self, line: &str) {
        if !line.trim().is_empty() {
            self.gap_is_due();
            self.push(line);
        }
        self.gap = BlockGap::Line;
    }
}
