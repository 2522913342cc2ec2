//! Text that is piped in beside a prompt.

use std::io::{IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use forelook_host::{Failure, FailureClass};

/// The most that is read. More would not fit any model.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How long to wait for the first byte where a prompt is there already. Whoever started us may have left
/// its own standard input open to us without meaning anything by it.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Reads standard input to its end, unless it is a terminal. With `optional`, silence means nothing.
pub(crate) fn piped(optional: bool) -> Result<String, Failure> {
    if std::io::stdin().is_terminal() {
        return Ok(String::new());
    }
    let (sender, first) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut byte = [0];
        let begun = stdin.read(&mut byte);
        let _ = sender.send(());
        let mut all = match begun {
            Ok(0) => return Ok(Vec::new()),
            Ok(_) => byte.to_vec(),
            Err(error) => return Err(error),
        };
        stdin.take(MAX_BYTES).read_to_end(&mut all)?;
        Ok(all)
    });
    if optional && first.recv_timeout(TIMEOUT).is_err() {
        return Ok(String::new());
    }
    let bytes = match reader.join() {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => {
            return Err(Failure::new(FailureClass::Usage, format!("Cannot read standard input: {error}")));
        }
        Err(_) => return Err(Failure::new(FailureClass::Task, "Cannot read standard input")),
    };
    if bytes.len() as u64 > MAX_BYTES {
        let text = format!("Standard input is longer than {} MiB", MAX_BYTES >> 20);
        return Err(
            Failure::new(FailureClass::Usage, text).hint("Save it to a file and name the file in the prompt")
        );
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
