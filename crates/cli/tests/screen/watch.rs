//! What a terminal is told beside what it shows.

/// Modes that were set, and wishes that a program may have of a terminal.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// How often the newer encoding of keys was asked for and not put back.
    pub(crate) keyboard: i32,
    /// How often the terminal was taken.
    pub(crate) begun: usize,
    /// Inside a frame that is to be shown as a whole.
    pub(crate) frame: bool,
    /// How many of them there were.
    pub(crate) frames: usize,
    pub(crate) focus: bool,
    pub(crate) titles: Vec<String>,
    /// How often the title was put away and not brought back.
    pub(crate) kept_titles: i32,
    /// What was put into, or asked of, the clipboard.
    pub(crate) clipboard: usize,
    /// Other commands to the system that the terminal belongs to.
    pub(crate) other: Vec<String>,
}

impl vt100::Callbacks for Watch {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.titles.push(String::from_utf8_lossy(title).into_owned());
    }

    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8], _: &[u8]) {
        self.clipboard += 1;
    }

    fn paste_from_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8]) {
        self.clipboard += 1;
    }

    fn unhandled_csi(
        &mut self,
        _: &mut vt100::Screen,
        first: Option<u8>,
        _: Option<u8>,
        params: &[&[u16]],
        end: char,
    ) {
        let number = params.first().and_then(|it| it.first()).copied();
        match (first, number, end) {
            (Some(b'>'), _, 'u') => {
                self.keyboard += 1;
                self.begun += 1;
            }
            (Some(b'<'), _, 'u') => self.keyboard -= 1,
            (Some(b'?'), Some(2026), 'h') => self.frame = true,
            (Some(b'?'), Some(2026), 'l') => {
                self.frames += usize::from(self.frame);
                self.frame = false;
            }
            (Some(b'?'), Some(1004), 'h' | 'l') => self.focus = end == 'h',
            (None, Some(22), 't') => self.kept_titles += 1,
            (None, Some(23), 't') => self.kept_titles -= 1,
            _ => self.other.push(format!("CSI {first:?} {params:?} {end}")),
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        let words: Vec<_> = params.iter().map(|it| String::from_utf8_lossy(it)).collect();
        self.other.push(format!("OSC {}", words.join(";")));
    }
}
