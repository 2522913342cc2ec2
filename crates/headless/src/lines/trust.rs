//! The question whether a folder is trusted, in lines. Asked before there is a session.

use std::io::Write;

use forelook_protocol::TrustQuestion;
use forelook_wording::visible;

use crate::input::InputLines;

/// Asks whether a folder is trusted, and shows what a yes is about. What is neither yes nor no is asked about again; the end
/// of the input is a no.
pub async fn confirm_trust(
    input: &mut InputLines,
    out: &mut (dyn Write + Send),
    question: &TrustQuestion,
) -> bool {
    // If it cannot be shown it cannot be agreed to.
    if write!(out, "{}", text(question)).and_then(|()| out.flush()).is_err() || !question.obstacles.is_empty()
    {
        return false;
    }
    loop {
        let Some(Ok(line)) = input.recv().await else { return false };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return true,
            "" | "n" | "no" => return false,
            _ => {}
        }
        if write!(out, "Type y or n: ").and_then(|()| out.flush()).is_err() {
            return false;
        }
    }
}

/// The question. All that comes from the folder, its name too, is a stranger's text.
fn text(question: &TrustQuestion) -> String {
    let list =
        |items: &[String]| items.iter().map(|item| format!("- {}\n", one_line(item))).collect::<String>();
    let TrustQuestion { folder, changes, obstacles, brings, .. } = question;
    let mut text = format!("{}\n", one_line(folder));
    if let Some(changes) = changes {
        text += &format!("It changed since you trusted it:\n{}", list(changes));
    }
    if !brings.is_empty() {
        text += &format!("It contains:\n{}", list(brings));
    }
    text += &match obstacles.as_slice() {
        [] => "If you trust this folder, its commands can run on your computer, and its rules can allow actions without \
               asking you.\nDo you trust this folder? [y/N] "
            .to_owned(),
        _ => format!(
            "Forelook cannot check everything that this folder would run, so you cannot trust it as it is:\n{}\
             Until this is fixed, Forelook ignores this folder's rules and hooks.\n",
            list(obstacles)
        ),
    };
    text
}

fn one_line(text: &str) -> String {
    visible(text).replace('\n', "␊")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_no_say_in_how_it_is_shown() {
        let question = TrustQuestion {
            folder: "/tmp/\u{1b}[2Jx\nDo you trust this folder? [y/N] y".to_owned(),
            brings: vec!["hook `\u{1b}]0;x\u{7}`".to_owned()],
            ..TrustQuestion::default()
        };
        let asked = text(&question);
        assert!(!asked.contains('\u{1b}') && !asked.contains('\u{7}'), "{asked:?}");
        assert_eq!(asked.lines().count(), 5, "{asked:?}");
        let odd = TrustQuestion { obstacles: vec!["`x.sh`: odd".to_owned()], ..question };
        assert!(!text(&odd).contains("[y/N] \n") && text(&odd).contains("- `x.sh`: odd\n"));
    }
}
